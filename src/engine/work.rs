//! The loop of a worker: take a chunk, scan it, fold its rows.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPool;

use super::numbered::Pick;
use crate::error::Error;
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::{Buffer, Part, Tasks};
use crate::output::{Go, InOrder};
use crate::scan::{Chunk, Lines, Scan, Scratch};

/// The memory of a worker.
#[derive(Default)]
pub(super) struct Worker {
    pub(super) scratch: Scratch,
    pub(super) buffer: Buffer,
}

/// A part, and all that workers need to know to fold it.
pub(super) struct Job<'a> {
    /// The number of the input in its group.
    pub(super) input: usize,
    pub(super) part: &'a Part,
    /// The number of parts of the run before this one.
    pub(super) part_number: usize,
    pub(super) tasks: Tasks<'a>,
    pub(super) scan: &'a Scan,
    /// For chunks that end in the order of the input.
    pub(super) turns: Option<InOrder<ChunkEnds>>,
}

/// The chunks of a part that have ended, in the order of the input.
#[derive(Debug, Default)]
pub(super) struct ChunkEnds {
    pub(super) lines: Lines,
    /// The lines to keep by number, of a stream that cannot be read again.
    pub(super) pick: Pick,
}

/// A chunk that was scanned: an ordered fact.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    /// The place of the chunk in the part.
    pub(super) bytes: Range<u64>,
    pub(super) lines: Lines,
}

/// What a worker made of the chunks that it took of a part.
pub(super) struct Share<P> {
    /// The number of the job.
    pub(super) job: usize,
    pub(super) partial: P,
    pub(super) scanned: Vec<Scanned>,
}

/// The shares of all workers, and the jobs that failed.
pub(super) type Shares<P> = (Vec<Share<P>>, Vec<(usize, Error)>);

/// The parts that are folded at the same time.
pub(super) struct Jobs<'a, F: Fold> {
    pub(super) fold: &'a F,
    pub(super) jobs: &'a [Job<'a>],
    /// Receives the number of bytes of the file that a worker is done with.
    pub(super) observer: &'a (dyn Fn(u64) + Sync),
    /// For each input, the first of its jobs that failed. Later ones need not go on.
    pub(super) failed: Box<[AtomicUsize]>,
}

impl<F: Fold> Jobs<'_, F> {
    /// Has `workers` do all jobs, in `pool` if there is one. Errors are sorted by job and place.
    pub(super) fn shares(
        &self,
        pool: Option<&ThreadPool>,
        workers: &[Mutex<Worker>],
    ) -> Shares<F::Partial> {
        let work = |nth: usize| {
            let worker = workers.get(nth)?;
            let mut worker = worker.lock().expect("each worker has memory of its own");
            Some(self.share_all(nth, &mut worker))
        };
        let made = match pool {
            None => vec![work(0)],
            Some(pool) => pool.broadcast(|context| work(context.index())),
        };
        let (mut shares, mut errors) = (Vec::new(), Vec::new());
        for (made, failed) in made.into_iter().flatten() {
            shares.extend(made);
            errors.extend(failed);
        }
        // Tasks are taken in ascending order and finished once taken, so the first place where
        // reading fails is among the errors.
        errors.sort_by_key(|(job, error)| (*job, error.byte()));
        (shares, errors)
    }

    /// Takes the chunks of all jobs. Each worker begins with another job, and so decompresses another
    /// part. A worker without bytes to decompress scans for the others.
    fn share_all(&self, nth: usize, worker: &mut Worker) -> Shares<F::Partial> {
        let count = self.jobs.len();
        let (mut shares, mut errors) = (Vec::new(), Vec::new());
        for job in (0..count).map(|i| (nth + i) % count) {
            match self.share(job, worker) {
                Ok(share) => shares.extend(share),
                Err(error) => {
                    self.failed[self.jobs[job].input].fetch_min(job, Ordering::Relaxed);
                    if let Some(turns) = &self.jobs[job].turns {
                        turns.stop();
                    }
                    errors.push((job, error));
                }
            }
        }
        (shares, errors)
    }

    /// Takes chunks of one job until all are taken. Returns none if no chunk was left.
    fn share(
        &self,
        number: usize,
        worker: &mut Worker,
    ) -> Result<Option<Share<F::Partial>>, Error> {
        let Worker { scratch, buffer } = worker;
        let job = &self.jobs[number];
        let mut share = None;
        let _guard = job.turns.as_ref().map(InOrder::guard);
        while number < self.failed[job.input].load(Ordering::Relaxed) {
            let Some(chunk) = job.tasks.next(buffer)? else {
                break;
            };
            let share = share.get_or_insert_with(|| Share {
                job: number,
                partial: self.fold.partial(),
                scanned: Vec::new(),
            });
            let partial = &mut share.partial;
            let lines = job
                .scan
                .chunk(&chunk, scratch, &mut |rows| self.fold.rows(rows, partial))
                .map_err(|e| job.part.blame(e))?;
            let go = self.end_chunk(job, &chunk, lines, scratch, partial);
            let bytes = chunk.place();
            (self.observer)(job.tasks.advanced(bytes.end - bytes.start));
            share.scanned.push(Scanned { bytes, lines });
            if go == Go::Stop {
                break;
            }
        }
        Ok(share)
    }

    /// Ends a chunk when its turn comes, if chunks have turns. Says whether to go on with the job: its
    /// turns hold the error.
    fn end_chunk(
        &self,
        job: &Job<'_>,
        chunk: &Chunk<'_>,
        lines: Lines,
        scratch: &mut Scratch,
        partial: &mut F::Partial,
    ) -> Go {
        let Some(turns) = &job.turns else {
            return Go::On;
        };
        let ordered = self.fold.order() == Order::Input;
        let go = turns.at(chunk.place(), |ends| {
            let before = ends.lines;
            ends.lines.scanned += lines.scanned;
            ends.lines.matched += lines.matched;
            ends.pick
                .take_from(chunk, before.matched, job.scan, scratch)?;
            if !ordered {
                return Ok(match ends.pick.is_done(ends.lines.matched) {
                    true => Go::Stop,
                    false => Go::On,
                });
            }
            let place = ChunkPlace {
                part: job.part,
                part_number: job.part_number,
                first_line: before.scanned,
            };
            self.fold.end_chunk(&place, partial).map(|()| Go::On)
        });
        // Once the last wanted line is picked, chunks have no more turns.
        if ordered { go } else { Go::On }
    }
}
