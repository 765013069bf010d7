//! The loop of a worker: take a chunk of a part, scan it, fold its rows.

use std::iter;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Engine;
use super::job::{Job, Scanned};
use super::repeats::NamesLine;
use crate::error::{Error, escaped};
use crate::fec::date::{self, DayFirst};
use crate::fec::trimmed;
use crate::fold::{ChunkPlace, Fold};
use crate::input::Buffer;
use crate::output::InOrder;
use crate::plan::{Cut, Plan};
use crate::scan::{Chunk, Lines, Scan, Scratch};
use crate::workers::lock;

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

/// Jobs that are done at the same time.
pub(super) struct Batch<'a, F: Fold> {
    pub(super) engine: &'a Engine,
    pub(super) fold: &'a F,
    /// Receives the number of bytes of the file that a worker is done with.
    pub(super) observer: &'a (dyn Fn(u64) + Sync),
    /// Lines are wanted by number.
    pub(super) picks: bool,
    pub(super) jobs: &'a [Job],
    /// The order in which workers begin them: the largest first, so that none of these is the last, and read alone.
    pub(super) sequence: Vec<usize>,
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
            _ => self.engine.workers().on_each(work),
        };
        first_errors(errors.into_iter().flatten().flatten().collect(), self.jobs)
    }

    /// Does jobs of its own until all are begun, and so decompresses other parts than other workers. Then
    /// helps the others. Returns the failures, each with the number of the job.
    fn work(&self, worker: &mut Worker<F::Partial>) -> Vec<(usize, Error)> {
        let next = || self.begun.fetch_add(1, Ordering::Relaxed);
        let own = iter::from_fn(|| self.sequence.get(next()).copied());
        let mut errors = Vec::new();
        for number in own.chain(0..self.jobs.len()) {
            if let Err(error) = self.share(number, worker) {
                let job = &self.jobs[number];
                self.failed[job.input].fetch_min(number, Ordering::Relaxed);
                // A worker that looks for the beginning of a line would go on to the end of the file.
                if let Some(Some((_, plan))) = job.begun.get() {
                    plan.stop();
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
            // Before the first task: of a stream, the first lines can't be looked at later.
            let scan = self
                .engine
                .scan_of(part, job.part_number, || self.fold.need(part))?;
            job.names.get_or_init(|| NamesLine::of(part));
            let cut = if self.picks { Cut::AtLines } else { scan.cut() };
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
        let goes_on =
            || number < self.failed[job.input].load(Ordering::Relaxed) && !self.fold.is_over();
        if !goes_on() {
            return Ok(());
        }
        let Some((scan, plan)) = self.begin(job)? else {
            return Ok(());
        };
        let _guard = job.turns.as_ref().map(InOrder::guard);
        while goes_on()
            && let Some(chunk) = job.next_chunk(plan, buffer)?
        {
            let partial = partials[job.input].get_or_insert_with(|| self.fold.partial());
            let done = self.chunk(job, scan, &chunk, scratch, partial);
            let (lines, go) = done.map_err(|e| job.fail_at(&chunk, e))?;
            let names = job.names.get().and_then(Option::as_ref);
            let repeats = names.map(|names| names.repeats_in(&chunk));
            let bytes = chunk.place();
            let is_terminated = chunk.bytes().last() == Some(&b'\n');
            (self.observer)(job.part.advanced(bytes.end - bytes.start));
            lock(&job.scanned).push(Scanned {
                bytes,
                lines,
                repeats: repeats.unwrap_or_default(),
                is_terminated,
            });
            if go.is_break() {
                break;
            }
            self.fold.after_chunk()?;
        }
        Ok(())
    }

    /// Scans and folds a chunk, and ends it when its turn comes. Says whether to go on with the job.
    fn chunk(
        &self,
        job: &Job,
        scan: &Scan,
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        partial: &mut F::Partial,
    ) -> Result<(Lines, ControlFlow<()>), Error> {
        let wait = || job.wait_for_turn(chunk);
        let mut go = ControlFlow::Continue(());
        let (rows_of, mut refused) = scan.before_refused(chunk);
        date::take_day_first();
        let lines = scan.chunk(&rows_of, scratch, &mut |rows| {
            if go.is_continue() {
                go = self.fold.rows_in_turn(rows, partial, &wait)?;
            }
            Ok(())
        })?;
        if scan.refuses_day_first
            && let Some(day) = date::take_day_first()
        {
            return Err(day_first(scan, &rows_of, day));
        }
        let Some(turns) = &job.turns else {
            return refused.map_or(Ok((lines, ControlFlow::Continue(()))), Err);
        };
        let ordered = self.fold.order().is_of_input();
        let go = turns.at(chunk.place(), |ends| {
            let before = ends.lines;
            ends.lines += lines;
            ends.pick
                .take_from(&rows_of, before.matched, scan, scratch)?;
            if !ordered {
                return Ok(if ends.pick.is_done(ends.lines.matched) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                });
            }
            if go.is_continue() {
                let place = ChunkPlace {
                    part: &job.part,
                    part_number: job.part_number,
                    first_line: before.scanned,
                };
                go = self.fold.end_chunk(&place, partial)?;
            }
            if go.is_break() {
                job.complete_at.get_or_init(|| chunk.place().end);
                return Ok(go);
            }
            // A fold may be complete before that line.
            refused.take().map_or(Ok(go), Err)
        })?;
        if ordered {
            return Ok((lines, go));
        }
        // Once the last wanted line is picked, chunks have no more turns. Their lines are read and refused all the same.
        refused.map_or(Ok((lines, ControlFlow::Continue(()))), Err)
    }
}

/// Returns the error for a day of `chunk` that stands before its month and was read.
fn day_first(scan: &Scan, chunk: &Chunk<'_>, day: u32) -> Error {
    let is_it = |field: &[u8]| date::day_first(field) == Some(DayFirst::Proven(day));
    let ends = |byte: &u8| *byte == scan.delimiter || *byte == b'\n';
    let mut fields = chunk.bytes().split(ends);
    let mut place = 0;
    let field = fields.find(|field| {
        let is_it = is_it(field);
        place += if is_it { 0 } else { field.len() + 1 };
        is_it
    });
    let field = escaped(trimmed(field.unwrap_or_default()));
    let what = format!("has the day {field}, and others may have been read as months");
    let error = Error::input(what).advise(
        "if days stand before months: --dates dmy; if months do, and this is not a day: --dates mdy",
    );
    if scan.are_bytes_of_file {
        error.at_byte(chunk.offset + place as u64)
    } else {
        error
    }
}

/// Returns for each input that failed its number and its first error.
fn first_errors(mut errors: Vec<(usize, Error)>, jobs: &[Job]) -> Vec<(usize, Error)> {
    // Failures after the end of a run that the fold has completed do not matter.
    errors.retain(|(job, _)| !jobs[*job].completes_run());
    // Tasks are taken in ascending order and finished once taken, so the first place where
    // reading fails is among the errors.
    errors.sort_by_key(|(job, error)| (*job, error.byte()));
    let by_input = |(job, error): (usize, Error)| (jobs[job].input, error);
    let mut errors: Vec<_> = errors.into_iter().map(by_input).collect();
    errors.dedup_by_key(|(input, _)| *input);
    errors
}
