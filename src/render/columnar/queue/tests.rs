use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};

use super::*;
use crate::scan::Cell;
use crate::sql::Type;

const COLUMNS: usize = 3;

/// Joins the texts of a group, and sends them. Without a receiver, that fails.
struct Joined {
    columns: [Mutex<String>; COLUMNS],
    sender: SyncSender<[String; COLUMNS]>,
    rows: usize,
}

impl GroupFile for Joined {
    fn group_size(&self) -> Size {
        Size {
            rows: self.rows,
            bytes: usize::MAX,
        }
    }

    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error> {
        let mut joined = self.columns[column].lock().unwrap();
        for text in array.as_string::<i32>().iter().flatten() {
            if text == "panic" {
                std::panic::resume_unwind(Box::new("a defect"));
            }
            *joined += text;
            *joined += ",";
        }
        Ok(())
    }

    fn write_group(&self) -> Result<(), Error> {
        let group = self.columns.each_ref();
        let sent = self
            .sender
            .send(group.map(|column| mem::take(&mut *column.lock().unwrap())));
        sent.map_err(|_| Error::new(ErrorKind::Output, "nobody receives"))
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        Ok(())
    }
}

fn queue(rows: usize, sender: SyncSender<[String; COLUMNS]>) -> ColumnarWriter<'static> {
    let fields = (0..COLUMNS).map(|nth| Field::new(nth.to_string(), DataType::Utf8, false));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let file = Joined {
        columns: Default::default(),
        sender,
        rows,
    };
    ColumnarWriter::with_file(
        schema,
        vec![CellReading::Made(Type::Varchar); COLUMNS],
        Box::new(file),
    )
}

/// Returns a block of these rows. Every cell has the row's number.
fn block(rows: Range<usize>) -> Block {
    let numbers: Vec<String> = rows.map(|row| row.to_string()).collect();
    let mut block = Block::new(COLUMNS);
    for cells in &mut block.columns {
        cells.extend(numbers.iter().map(|number| Cell::from(number.as_bytes())));
    }
    block
}

#[test]
fn groups_depend_on_rows_alone() {
    for (rows_a_block, threads) in [(1, 1), (7, 2), (100_000, 3), (300_000, 8)] {
        let (sender, receiver) = sync_channel(100);
        let queue = queue(70_000, sender);
        for start in (0..300_000).step_by(rows_a_block) {
            let mut block = block(start..300_000.min(start + rows_a_block));
            queue.push(&mut block).unwrap();
        }
        queue.end().unwrap();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| queue.work().unwrap());
            }
        });
        assert_eq!(queue.close().unwrap().rows, 300_000);
        let mut next = 0;
        for chunks in receiver {
            let rows = next..300_000.min(next + 70_000);
            next = rows.end;
            let numbers: String = rows.map(|row| format!("{row},")).collect();
            assert!(chunks == [const { String::new() }; COLUMNS].map(|_| numbers.clone()));
        }
        assert_eq!(next, 300_000);
    }
}

/// Workers wait for the reader.
#[test]
fn a_stalled_output_stops_the_scan() {
    let (sender, receiver) = sync_channel(0);
    let queue = queue(1_000, sender);
    let pushed = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for start in (0..400_000).step_by(20_000) {
                queue.push(&mut block(start..start + 20_000)).unwrap();
                pushed.fetch_add(20_000, Ordering::SeqCst);
                queue.work().unwrap();
            }
            queue.end().unwrap();
            queue.work().unwrap();
        });
        for read in 0..400 {
            receiver.recv().unwrap();
            let pushed = pushed.load(Ordering::SeqCst);
            assert!(pushed < read * 1_000 + 50_000, "{pushed} rows");
        }
    });
}

#[test]
fn one_worker_gets_the_error_and_nobody_waits() {
    let (sender, receiver) = sync_channel(1);
    let queue = queue(1_000, sender);
    drop(receiver);
    let errors = thread::scope(|scope| {
        let push = scope.spawn(|| queue.push(&mut block(0..500_000)));
        let mut workers = vec![push];
        workers.extend((0..4).map(|_| scope.spawn(|| queue.work())));
        let outcomes = workers.into_iter().map(|worker| worker.join().unwrap());
        outcomes.filter(Result::is_err).count()
    });
    assert_eq!(errors, 1);
    // Later rows are dropped.
    queue.push(&mut block(0..500_000)).unwrap();
    queue.work().unwrap();
    assert!(queue.close().is_err());
}

#[test]
fn nobody_waits_for_a_worker_that_has_panicked() {
    let (sender, _receiver) = sync_channel(10_000);
    let queue = queue(1_000, sender);
    let mut rows = block(0..1_000);
    rows.columns[1].clear();
    let cells = iter::repeat_n(Cell::from(&b"panic"[..]), 1_000);
    rows.columns[1].extend(cells);
    queue.push(&mut rows).unwrap();
    let panics = thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| queue.work())).collect();
        let outcomes = workers.into_iter().map(|worker| worker.join());
        outcomes.filter(Result::is_err).count()
    });
    assert_eq!(panics, 1);
    assert!(queue.close().is_err());
}
