//! What a run does with inputs whatever the fold: it is compiled once.

use std::iter;

use super::Engine;
use super::job::{Job, lines_of_stream};
use super::pick::Pick;
use crate::error::Error;
use crate::fold::{FileLines, Order};
use crate::input::{Input, Part};
use crate::plan::{Cut, Plan};
use crate::scan::{Lines, Need};

/// An input that was read whole.
pub(super) struct Read {
    pub(super) file: FileLines,
    pub(super) lines: Lines,
    /// The wanted lines that it has, by their numbers in the run.
    pub(super) numbered: Vec<(u64, Vec<u8>)>,
}

impl Read {
    /// Returns what the `jobs` of `input` have read, which follows the first lines of the run, `before`. The `wanted`
    /// lines are those of the run.
    ///
    /// # Errors
    /// If the input has changed. See [`Job::finish`].
    pub(super) fn of(
        engine: &Engine,
        input: &Input,
        jobs: Vec<Job>,
        before: u64,
        wanted: &[u64],
    ) -> Result<Read, Error> {
        // Changes are checked first: a changed file may look as if bytes had been lost.
        input.check_unchanged()?;
        let (mut bytes, mut lines) = (0, Lines::default());
        let mut numbered = Vec::new();
        let (mut blocks, mut schemas) = (Vec::new(), Vec::new());
        for job in jobs {
            let first = before + lines.matched;
            let is_last = job.completes_run();
            let wanted = match input.whole {
                None => after(wanted, first),
                Some(_) => Vec::new(),
            };
            let name = input.whole.as_ref().map(|_| job.part.path());
            let read = job.finish(wanted)?;
            if let Some(name) = name.filter(|_| !read.is_terminated) {
                let what = "ends within a line, so the slices of the archive may cut others";
                let error = Error::input(what).about(name);
                return Err(error.advise("read it without its slices: --no-slices"));
            }
            bytes += read.bytes;
            lines += read.lines;
            blocks.extend(read.blocks);
            if !schemas.contains(&read.schema) {
                schemas.push(read.schema);
            }
            let found = read.numbered.into_iter();
            numbered.extend(found.map(|(line, text)| (first + line, text)));
            // The parts after it were not begun.
            if is_last {
                break;
            }
        }
        if let Some(whole) = &input.whole {
            let mut wanted = after(wanted, before);
            wanted.retain(|&line| line < lines.matched);
            let found = lines_in_order(engine, whole, wanted)?.into_iter();
            numbered = found.map(|(line, text)| (before + line, text)).collect();
        }
        input.check_unchanged()?;
        let mut coverage = input.coverage.clone();
        if let Some(coverage) = &mut coverage {
            coverage.read(lines.matched, lines.scanned, blocks);
            schemas.retain(|schema| !coverage.schemas.contains(schema));
            coverage.schemas.extend(schemas);
        }
        let file = FileLines {
            path: input.path().to_owned(),
            bytes: input.bytes_translated().unwrap_or(bytes),
            lines: lines.matched,
            stored_bytes: input.stored_bytes(),
            modified: input.modified(),
            notes: input.notes.clone(),
            range: input.range.clone(),
            coverage,
        };
        Ok(Read {
            file,
            lines,
            numbered,
        })
    }
}

/// Returns the lines `wanted` of `whole`, whose slices have been read and have them all.
fn lines_in_order(
    engine: &Engine,
    whole: &Part,
    wanted: Vec<u64>,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let scan = engine.scan_of(whole, || Ok(Need::Rows(Vec::new())))?;
    let plan = Plan::new(0..0, engine.options.task_bytes, Cut::AtLines);
    let count = wanted.len();
    let found = lines_of_stream(whole, &scan, &plan, wanted)?;
    if found.len() == count {
        return Ok(found);
    }
    let error = Error::input("has fewer lines than its slices in by_date, and as many bytes");
    Err(whole.blame(error.advise("read it without its slices: --no-slices")))
}

/// Returns a job for each part of `inputs`, which follow `parts_before`. If the first reads a stream, it picks the
/// `wanted` lines meanwhile.
pub(super) fn jobs_of(
    inputs: &mut [Input],
    parts_before: usize,
    order: Order,
    wanted: Vec<u64>,
) -> Vec<Job> {
    let (mut jobs, mut wanted) = (Vec::new(), Some(wanted));
    for (number, input) in inputs.iter_mut().enumerate() {
        for part in input.take_parts() {
            let part = match order {
                Order::Any | Order::Input => part,
                Order::Beginning => part.without_waiting(),
            };
            let is_in_order = input.whole.is_none();
            let wanted = wanted.take().filter(|_| part.is_stream() && is_in_order);
            let pick = wanted.map_or_else(Pick::default, Pick::new);
            jobs.push(Job::new(
                number,
                part,
                parts_before + jobs.len(),
                order,
                pick,
            ));
        }
    }
    jobs
}

/// Returns the jobs of each input, or its error.
pub(super) fn by_input(
    jobs: Vec<Job>,
    errors: Vec<(usize, Error)>,
    inputs: usize,
) -> Vec<Result<Vec<Job>, Error>> {
    let mut jobs = jobs.into_iter().peekable();
    let mut errors = errors.into_iter().peekable();
    let of_input = |number| {
        let jobs = iter::from_fn(|| jobs.next_if(|job| job.input == number));
        let jobs: Vec<_> = jobs.collect();
        match errors.next_if(|(failed, _)| *failed == number) {
            Some((_, error)) => Err(error),
            None => Ok(jobs),
        }
    };
    (0..inputs).map(of_input).collect()
}

/// Returns the number of threads that have tasks in `jobs`.
pub(super) fn threads_for(jobs: &[Job], engine: &Engine, order: Order) -> usize {
    let tasks = jobs.iter().map(|job| job.tasks(engine.options.task_bytes));
    let tasks = tasks.fold(0_u64, |sum, tasks| {
        sum.saturating_add(tasks.unwrap_or(u64::MAX))
    });
    let reads_alone = order == Order::Beginning && jobs.iter().any(|job| job.part.is_read_once());
    match tasks {
        0 | 1 => 1,
        _ if reads_alone => 1,
        _ => engine
            .workers()
            .count()
            .min(usize::try_from(tasks).unwrap_or(usize::MAX)),
    }
}

/// Returns the numbers of the `wanted` lines after the first `before`, counted from there.
pub(super) fn after(wanted: &[u64], before: u64) -> Vec<u64> {
    let after = wanted.iter().filter_map(|line| line.checked_sub(before));
    after.collect()
}
