//! What a run does with inputs whatever the fold: it is compiled once.

use std::collections::HashSet;
use std::iter;

use super::Engine;
use super::job::Job;
use super::pick::Pick;
use crate::error::Error;
use crate::fold::{FileLines, Order, RepeatedNames};
use crate::input::Input;
use crate::scan::Lines;

/// An input that was read whole.
pub(super) struct Read {
    pub(super) file: FileLines,
    pub(super) lines: Lines,
    /// The wanted lines that it has, by their numbers in the run.
    pub(super) numbered: Vec<(u64, Vec<u8>)>,
    pub(super) repeated_names: Vec<RepeatedNames>,
}

impl Read {
    /// Returns what the `jobs` of `input` have read, which follows the first lines of the run, `before`. The `wanted`
    /// lines are those of the run.
    ///
    /// # Errors
    /// If the input has changed. See [`Job::finish`].
    pub(super) fn of(
        input: &Input,
        jobs: Vec<Job>,
        before: u64,
        wanted: &[u64],
    ) -> Result<Read, Error> {
        // Changes are checked first: a changed file may look as if bytes had been lost.
        input.check_unchanged()?;
        let (mut bytes, mut lines) = (0, Lines::default());
        let (mut numbered, mut repeated_names) = (Vec::new(), Vec::new());
        let (mut blocks, mut schemas) = (Vec::new(), Vec::new());
        // Each member of an archive may have a header of its own.
        let mut met = HashSet::new();
        for job in jobs {
            let first = before + lines.matched;
            let is_last = job.completes_run();
            let read = job.finish(after(wanted, first))?;
            bytes += read.bytes;
            repeated_names.extend(read.repeated_names);
            lines += read.lines;
            blocks.extend(read.blocks);
            if met.insert(read.schema.identity()) {
                schemas.push(read.schema);
            }
            let found = read.numbered.into_iter();
            numbered.extend(found.map(|(line, text)| (first + line, text)));
            // The parts after it were not begun.
            if is_last {
                break;
            }
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
            repeated_names,
        })
    }
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
            let wanted = wanted.take().filter(|_| part.is_stream());
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
