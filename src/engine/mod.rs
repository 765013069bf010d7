//! The workers: they claim chunks, scan and fold them, and are joined.
//!
//! A [`Run`] takes one input after the other. Plain inputs are read by all workers at once, each
//! chunk by one of them. Compressed inputs and the members of archives are read by one worker each,
//! so several of them are read at a time. Every worker makes one partial for each input. The partials
//! merge when the input has been read whole and its chunks tile it exactly. An input that fails adds
//! nothing to the result.
//!
//! The engine prints nothing and never ends the process.

mod given;
mod job;
mod pick;
mod quotes;
mod read;
mod repeats;
mod run;
mod work;

use std::ffi::OsStr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::thread::available_parallelism;

pub use self::run::Run;
use crate::error::Error;
use crate::fec::layout::{DateOrder, Layout};
use crate::fec::schema::FirstLine;
use crate::fold::{Fold, Folded};
use crate::input::{Input, Io, Part};
use crate::scan::simd::Simd;
use crate::scan::{Need, Scan};
use crate::sql::Filter;
use crate::workers::Workers;

/// The size of a task: 2 MiB, a huge page, so that no two workers take the same page fault.
const TASK_BYTES: NonZeroU64 = NonZeroU64::new(2 << 20).unwrap();

/// How an engine works.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The number of workers; by default, the processors that this process may use.
    pub threads: NonZeroUsize,
    /// The SIMD level; by default, the best.
    pub simd: Simd,
    /// The size of a task in bytes, about. Results do not depend on it.
    pub task_bytes: NonZeroU64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: available_parallelism().unwrap_or(NonZeroUsize::MIN),
            simd: Simd::best(),
            task_bytes: TASK_BYTES,
        }
    }
}

/// Folds inputs.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    filter: Filter,
    workers: Workers,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new(Options::default())
    }
}

impl Engine {
    /// Returns an engine that works as `options` say.
    pub fn new(options: Options) -> Engine {
        Engine {
            options,
            filter: Filter::default(),
            workers: Workers::new(options.threads),
        }
    }

    /// Returns the same engine, which shows folds only the lines that pass `filter`.
    pub fn with_filter(mut self, filter: Filter) -> Engine {
        self.set_filter(filter);
        self
    }

    /// Lets folds see only the lines that pass `filter`.
    pub fn set_filter(&mut self, filter: Filter) {
        self.filter = filter;
    }

    /// Lets tasks have about `bytes` each.
    pub fn set_task_bytes(&mut self, bytes: NonZeroU64) {
        self.options.task_bytes = bytes;
    }

    /// Returns the options of the engine.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Folds the files at `paths`, as one sequence of lines. `-` is standard input.
    ///
    /// # Errors
    /// The first error: an input that cannot be opened or read whole, or that changed meanwhile.
    pub fn scan<F: Fold>(
        &self,
        fold: &F,
        paths: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<Folded<F::Partial>, Error> {
        let mut run = self.run(fold);
        for path in paths {
            run.input(Input::open(path.as_ref(), Io::default())?)?;
        }
        Ok(run.finish())
    }

    /// Returns how to scan the part with this number for what a fold needs.
    ///
    /// # Errors
    /// If the filter or the fold does not fit its schema. The fold is asked last: it may begin its output.
    fn scan_of(
        &self,
        part: &Part,
        number: usize,
        need: impl FnOnce() -> Result<Need, Error>,
    ) -> Result<Scan, Error> {
        let schema = part.schema();
        let filter = if self.filter.is_empty() && schema.first_line() == FirstLine::Row {
            None
        } else {
            self.filter.bind(part.certain_schema()?)?
        };
        Ok(Scan {
            simd: self.options.simd,
            need: need()?,
            filter,
            width: schema.columns_on_disk(),
            delimiter: schema.delimiter(),
            first_line: schema.first_line(),
            refuses_quotes: schema.refuses_quotes(),
            refuses_day_first: schema
                .layout()
                .is_some_and(|layout| layout.dates == DateOrder::Unknown),
            are_bytes_of_file: !schema.layout().is_some_and(Layout::is_translated),
            input: Arc::new(part.origin(number)),
        })
    }

    /// Begins a run of `fold`.
    pub fn run<'e, F: Fold>(&'e self, fold: &'e F) -> Run<'e, F> {
        Run::new(self, fold)
    }

    /// Returns the workers, to share further work among them.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
}
