//! The loop of a worker: take a chunk of a part, scan it, fold its rows.

use std::iter;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::Engine;
use super::pick::Pick;
use crate::error::{Error, ErrorKind};
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::{Buffer, Part};
use crate::output::{Go, InOrder};
use crate::plan::{Cut, Plan, check_tiling};
use crate::scan::{Chunk, Lines, Predicates, Scan, Scratch};

/// What a worker keeps from one chunk to the next.
pub(super) struct Worker<P> {
    scratch: Scratch,
    buffer: Buffer,
    /// Its partial of each input of the group; none before its first chunk of that input.
    pub(super) partials: Vec<Option<P>>,
}

impl<P> Default for Worker<P> {
    fn default() -> Worker<P> {
        Worker {
            scratch: Scratch::default(),
            buffer: Buffer::default(),
            partials: Vec::new(),
        }
    }
}

/// A part, and what its workers share.
pub(super) struct Job {
    /// The number of the input in its group.
    pub(super) input: usize,
    part: Part,
    /// The number of parts of the run before this one.
    part_number: usize,
    /// How to scan and cut the part. A worker that begins the job finds it out; the part may refuse.
    begun: OnceLock<Option<(Scan, Plan)>>,
    /// For chunks that end in the order of the input.
    turns: Option<InOrder<ChunkEnds>>,
    scanned: Mutex<Vec<Scanned>>,
}

/// A chunk that was scanned: an ordered fact.
#[derive(Clone, Debug)]
struct Scanned {
    /// The place of the chunk in the part.
    bytes: Range<u64>,
    lines: Lines,
}

/// A part that was read whole.
pub(super) struct Read {
    pub(super) bytes: u64,
    pub(super) lines: Lines,
    /// The wanted lines that exist, ascending and counted in the part.
    pub(super) numbered: Vec<(u64, Vec<u8>)>,
}

/// The chunks of a part that have ended, in the order of the input.
#[derive(Debug, Default)]
struct ChunkEnds {
    lines: Lines,
    /// The lines to keep by number.
    pick: Pick,
}

impl Job {
    /// Returns the job to read `part` of the input with this number. Its chunks have turns if they end
    /// in `order`, or lines are to be picked.
    pub(super) fn new(
        input: usize,
        part: Part,
        part_number: usize,
        order: Order,
        pick: Pick,
    ) -> Job {
        let has_turns = order == Order::Input || pick.picks();
        let start = part.range().map_or(0, |range| range.start);
        let ends = ChunkEnds {
            pick,
            ..ChunkEnds::default()
        };
        Job {
            input,
            part,
            part_number,
            begun: OnceLock::new(),
            turns: has_turns.then(|| InOrder::new(ends, start)),
            scanned: Mutex::default(),
        }
    }

    /// Returns the number of tasks of about `task_bytes`, if it is known.
    pub(super) fn tasks(&self, task_bytes: NonZeroU64) -> Option<u64> {
        let range = self.part.range()?;
        Some((range.end - range.start).div_ceil(task_bytes.get()))
    }

    /// Returns what was read, with the lines `wanted` by their numbers in the part, which ascend.
    ///
    /// # Errors
    /// If a chunk could not end, or the chunks do not tile the part: bytes were scanned twice, or not at
    /// all. If the wanted lines can't be read again.
    pub(super) fn finish(self, wanted: Vec<u64>) -> Result<Read, Error> {
        let Job {
            part,
            begun,
            turns,
            scanned,
            ..
        } = self;
        let ends = turns.map(InOrder::finish).transpose();
        let picked = ends.map_err(|e| part.blame(e))?.map(|ends| ends.pick);

        let mut chunks = scanned.into_inner().unwrap_or_else(PoisonError::into_inner);
        chunks.sort_unstable_by_key(|chunk| chunk.bytes.start);
        let end = chunks.last().map_or(0, |chunk| chunk.bytes.end);
        let places = chunks.iter().map(|chunk| chunk.bytes.clone());
        check_tiling(places, part.range().unwrap_or(0..end)).map_err(|byte| {
            let error = Error::new(ErrorKind::Consistency, "was not scanned exactly once");
            part.blame(
                error.at_byte(byte).advise(
                    "if nobody writes to the file, please report this as a defect of fecscan",
                ),
            )
        })?;

        let (mut bytes, mut lines) = (0, Lines::default());
        for chunk in &chunks {
            bytes += chunk.bytes.end - chunk.bytes.start;
            lines.scanned += chunk.lines.scanned;
            lines.matched += chunk.lines.matched;
        }
        let numbered = match (picked.filter(Pick::picks), begun.into_inner().flatten()) {
            (Some(picked), _) => picked.into_found(),
            (None, Some((scan, plan))) if !wanted.is_empty() => {
                lines_again(&part, &scan, &plan, &chunks, wanted)?
            }
            _ => Vec::new(),
        };
        Ok(Read {
            bytes,
            lines,
            numbered,
        })
    }
}

/// Scans again for the lines `wanted` of `part`, whose `chunks` tile it: the chunks that hold one, or a
/// stream from its beginning on.
fn lines_again(
    part: &Part,
    scan: &Scan,
    plan: &Plan,
    chunks: &[Scanned],
    wanted: Vec<u64>,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    let (mut scratch, mut buffer) = (Scratch::default(), Buffer::default());
    let mut pick = Pick::new(wanted);
    let mut before = 0;
    if let Some(part) = part.reopened() {
        while !pick.is_done(before)
            && let Some(chunk) = part.next(plan, &mut buffer)?
        {
            let taken = pick.take_from(&chunk, before, scan, &mut scratch);
            before = taken.map_err(|e| part.blame(e))?;
        }
        return Ok(pick.into_found());
    }
    for chunk in chunks {
        let next = before + chunk.lines.matched;
        if pick.wants_any(before..next)
            && let Some(chunk) = part.again(chunk.bytes.clone(), &mut buffer)?
        {
            let taken = pick.take_from(&chunk, before, scan, &mut scratch);
            taken.map_err(|e| part.blame(e))?;
        }
        before = next;
    }
    Ok(pick.into_found())
}

/// Jobs that are done at the same time.
pub(super) struct Batch<'a, F: Fold> {
    pub(super) engine: &'a Engine,
    pub(super) fold: &'a F,
    /// Receives the number of bytes of the file that a worker is done with.
    pub(super) observer: &'a (dyn Fn(u64) + Sync),
    /// Lines are wanted by number.
    pub(super) picks: bool,
    pub(super) jobs: &'a [Job],
    /// The number of jobs that workers have begun.
    pub(super) begun: AtomicUsize,
    /// For each input, the first of its jobs that failed. Later ones need not go on.
    pub(super) failed: Box<[AtomicUsize]>,
}

impl<F: Fold> Batch<'_, F> {
    /// Has `workers` do all jobs. Returns for each input that failed its number and its first error.
    pub(super) fn run(&self, workers: &[Mutex<Worker<F::Partial>>]) -> Vec<(usize, Error)> {
        let work = |nth: usize| {
            let mut worker = workers.get(nth)?.lock();
            let worker = worker.as_mut().expect("each worker has memory of its own");
            Some(self.work(worker))
        };
        let errors = match workers.len() {
            1 => vec![work(0)],
            _ => self.engine.on_workers(work),
        };
        let mut errors: Vec<_> = errors.into_iter().flatten().flatten().collect();
        // Tasks are taken in ascending order and finished once taken, so the first place where
        // reading fails is among the errors.
        errors.sort_by_key(|(job, error)| (*job, error.byte()));
        let by_input = |(job, error): (usize, Error)| (self.jobs[job].input, error);
        let mut errors: Vec<_> = errors.into_iter().map(by_input).collect();
        errors.dedup_by_key(|(input, _)| *input);
        errors
    }

    /// Does jobs of its own until all are begun, and so decompresses other parts than other workers. Then
    /// helps the others. Returns the failures, each with the number of the job.
    fn work(&self, worker: &mut Worker<F::Partial>) -> Vec<(usize, Error)> {
        let next = || self.begun.fetch_add(1, Ordering::Relaxed);
        let own = iter::from_fn(|| Some(next()).filter(|&job| job < self.jobs.len()));
        let mut errors = Vec::new();
        for number in own.chain(0..self.jobs.len()) {
            if let Err(error) = self.share(number, worker) {
                let job = &self.jobs[number];
                self.failed[job.input].fetch_min(number, Ordering::Relaxed);
                if let Some(turns) = &job.turns {
                    turns.stop();
                }
                errors.push((number, error));
            }
        }
        errors
    }

    /// Returns how to scan and cut the part of `job`; none if the part has refused before.
    ///
    /// # Errors
    /// If the part cannot answer the question of the fold or the filter.
    fn begin<'j>(&self, job: &'j Job) -> Result<Option<&'j (Scan, Plan)>, Error> {
        let part = &job.part;
        let scan_and_plan = || {
            let scan = Scan {
                simd: self.engine.options.simd,
                need: self.fold.need(part)?,
                predicates: match self.engine.filter.is_empty() {
                    true => Predicates::default(),
                    false => self.engine.filter.bind(part.certain_schema()?)?,
                },
                width: part.schema().columns_on_disk(),
            };
            let cut = match self.picks {
                true => Cut::AtLines,
                false => scan.cut(),
            };
            let range = part.range().unwrap_or_default();
            let plan = Plan::new(range, self.engine.options.task_bytes, cut);
            Ok((scan, plan))
        };
        let mut failed = None;
        let begun = job.begun.get_or_init(|| {
            let begun = scan_and_plan();
            begun.map_err(|error| failed = Some(error)).ok()
        });
        match failed {
            None => Ok(begun.as_ref()),
            Some(error) => Err(part.blame(error)),
        }
    }

    /// Takes chunks of a job until all are taken.
    fn share(&self, number: usize, worker: &mut Worker<F::Partial>) -> Result<(), Error> {
        let Worker {
            scratch,
            buffer,
            partials,
        } = worker;
        let job = &self.jobs[number];
        let goes_on = || number < self.failed[job.input].load(Ordering::Relaxed);
        if !goes_on() {
            return Ok(());
        }
        let Some((scan, plan)) = self.begin(job)? else {
            return Ok(());
        };
        let _guard = job.turns.as_ref().map(InOrder::guard);
        while goes_on()
            && let Some(chunk) = job.part.next(plan, buffer)?
        {
            let partial = partials[job.input].get_or_insert_with(|| self.fold.partial());
            let lines = scan
                .chunk(&chunk, scratch, &mut |rows| self.fold.rows(rows, partial))
                .map_err(|e| job.part.blame(e))?;
            let go = self.end_chunk(job, scan, &chunk, lines, scratch, partial);
            let go = go.map_err(|e| job.part.blame(e))?;
            let bytes = chunk.place();
            (self.observer)(job.part.advanced(bytes.end - bytes.start));
            let mut scanned = job.scanned.lock().unwrap_or_else(PoisonError::into_inner);
            scanned.push(Scanned { bytes, lines });
            if go == Go::Stop {
                break;
            }
        }
        Ok(())
    }

    /// Ends a chunk when its turn comes, if chunks have turns. Says whether to go on with the job.
    fn end_chunk(
        &self,
        job: &Job,
        scan: &Scan,
        chunk: &Chunk<'_>,
        lines: Lines,
        scratch: &mut Scratch,
        partial: &mut F::Partial,
    ) -> Result<Go, Error> {
        let Some(turns) = &job.turns else {
            return Ok(Go::On);
        };
        let ordered = self.fold.order() == Order::Input;
        let go = turns.at(chunk.place(), |ends| {
            let before = ends.lines;
            ends.lines.scanned += lines.scanned;
            ends.lines.matched += lines.matched;
            ends.pick.take_from(chunk, before.matched, scan, scratch)?;
            if !ordered {
                return Ok(match ends.pick.is_done(ends.lines.matched) {
                    true => Go::Stop,
                    false => Go::On,
                });
            }
            let place = ChunkPlace {
                part: &job.part,
                part_number: job.part_number,
                first_line: before.scanned,
            };
            self.fold.end_chunk(&place, partial).map(|()| Go::On)
        })?;
        // Once the last wanted line is picked, chunks have no more turns.
        Ok(if ordered { go } else { Go::On })
    }
}
