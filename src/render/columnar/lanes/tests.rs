use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::*;
use crate::scan::Cell;

const COLUMNS: usize = 3;

/// Joins the cells of a group.
#[derive(Default)]
struct Joined(Vec<u8>);

impl Encoder for Joined {
    type Chunk = Vec<u8>;

    fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error> {
        for cell in cells.iter(rows) {
            if &*cell == b"panic" {
                std::panic::resume_unwind(Box::new("a defect"));
            }
            self.0.extend_from_slice(&cell);
            self.0.push(b',');
        }
        Ok(())
    }

    fn finish_chunk(&mut self) -> Result<Vec<u8>, Error> {
        Ok(mem::take(&mut self.0))
    }

    fn unreadable(&self) -> u64 {
        1
    }
}

/// Sends groups; fails when nobody receives them.
struct Sent {
    groups: mpsc::SyncSender<(usize, Vec<Vec<u8>>)>,
}

impl GroupWriter for Sent {
    type Chunk = Vec<u8>;

    fn write(&mut self, rows: usize, chunks: Vec<Vec<u8>>) -> Result<(), Error> {
        let sent = self.groups.send((rows, chunks));
        sent.map_err(|_| Error::new(ErrorKind::Output, "nobody receives"))
    }

    fn finish(self) -> Result<(), Error> {
        Ok(())
    }
}

fn lanes(
    rows: usize,
    bytes: usize,
    groups: mpsc::SyncSender<(usize, Vec<Vec<u8>>)>,
) -> Lanes<Joined, Sent> {
    let encoders = (0..COLUMNS).map(|_| Joined::default()).collect();
    Lanes::new(encoders, Sent { groups }, GroupSize { rows, bytes })
}

/// Returns a block of these rows, in each of which every cell has the row's number.
fn block(rows: Range<usize>) -> Block {
    let mut block = Block::new(COLUMNS);
    for row in rows {
        let number = row.to_string();
        block.add_row([Cell::from(number.as_bytes()); COLUMNS]);
    }
    block
}

#[test]
fn groups_depend_on_rows_alone() {
    let (mut expected, mut rows, mut bytes) = (Vec::new(), 0, 0);
    for row in 0..1_000_000_usize {
        rows += 1;
        bytes += COLUMNS * row.to_string().len();
        if rows == 100_000 || bytes >= 1_500_000 {
            expected.push(mem::take(&mut rows));
            bytes = 0;
        }
    }
    expected.push(rows);
    assert_eq!(expected[..2], [100_000, 83_334], "by rows, and by bytes");
    for (rows_a_block, threads) in [(1, 1), (7, 2), (100_000, 3), (1_000_000, 8)] {
        let (sender, receiver) = mpsc::sync_channel(100);
        let lanes = lanes(100_000, 1_500_000, sender);
        for start in (0..1_000_000).step_by(rows_a_block) {
            let end = (start + rows_a_block).min(1_000_000);
            lanes.push(&mut block(start..end));
            if rows_a_block > 1_000 {
                lanes.work(1_000_000).unwrap();
            }
        }
        lanes.end();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| lanes.work(0).unwrap());
            }
        });
        let written = Box::new(lanes).finish().unwrap();
        assert_eq!(written.rows, 1_000_000);
        assert_eq!(written.unreadable, [1; COLUMNS]);
        let groups: Vec<_> = receiver.into_iter().collect();
        let rows = groups.iter().map(|(rows, _)| rows).sum::<usize>();
        assert_eq!(rows, 1_000_000);
        let sizes: Vec<usize> = groups.iter().map(|(rows, _)| *rows).collect();
        assert_eq!(sizes, expected);
        for (_, chunks) in &groups {
            assert!(chunks.iter().all(|chunk| chunk == &chunks[0]));
        }
        let all: Vec<u8> = groups
            .iter()
            .flat_map(|(_, chunks)| chunks[0].clone())
            .collect();
        let numbers = (0..1_000_000).map(|row: usize| format!("{row},"));
        assert!(all == numbers.collect::<String>().into_bytes());
    }
}

/// The queue stays short: workers wait until somebody reads what they have written.
#[test]
fn a_stalled_output_stops_the_scan() {
    let (sender, receiver) = mpsc::sync_channel(0);
    let lanes = lanes(1_000, usize::MAX, sender);
    let pushed = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (lanes, pushed) = (&lanes, &pushed);
        let scan = scope.spawn(move || {
            for start in (0..2_000_000).step_by(20_000) {
                lanes.push(&mut block(start..start + 20_000));
                pushed.fetch_add(20_000, Ordering::SeqCst);
                lanes.work(1 << 20).unwrap();
            }
            lanes.end();
            lanes.work(0).unwrap();
        });
        for read in 0..2_000 {
            let (rows, _) = receiver.recv().unwrap();
            assert_eq!(rows, 1_000);
            let waiting = pushed.load(Ordering::SeqCst) - read * 1_000;
            assert!(waiting < 100_000, "{waiting} rows");
        }
        scan.join().unwrap();
    });
}

#[test]
fn one_worker_gets_the_error_and_nobody_waits() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let lanes = lanes(1_000, usize::MAX, sender);
    drop(receiver);
    lanes.push(&mut block(0..500_000));
    let errors = thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| lanes.work(0))).collect();
        let outcomes = workers.into_iter().map(|worker| worker.join().unwrap());
        outcomes.filter(Result::is_err).count()
    });
    assert_eq!(errors, 1);
    // What comes later is dropped.
    lanes.push(&mut block(0..500_000));
    lanes.work(0).unwrap();
    assert!(Box::new(lanes).finish().is_err());
}

#[test]
fn nobody_waits_for_a_worker_that_has_panicked() {
    let (sender, _receiver) = mpsc::sync_channel(10_000);
    let lanes = lanes(1_000, usize::MAX, sender);
    let mut rows = block(0..500_000);
    rows.add_row([Cell::from(&b"panic"[..]); COLUMNS]);
    lanes.push(&mut rows);
    lanes.end();
    let panics = thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| lanes.work(0))).collect();
        let outcomes = workers.into_iter().map(|worker| worker.join());
        outcomes.filter(Result::is_err).count()
    });
    assert!(panics >= 1);
    assert!(Box::new(lanes).finish().is_err());
}
