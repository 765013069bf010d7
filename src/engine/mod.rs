//! The workers: they claim chunks, scan and fold them, and are joined.
//!
//! A [`Run`] takes one input after the other. Plain inputs are read by all workers at once, each
//! chunk by one of them. Compressed inputs and the members of archives are read by one worker each,
//! so several of them are read at a time. Every worker makes one partial for each input. The partials
//! merge when the input has been read whole and its chunks tile it exactly. An input that fails adds
//! nothing to the result.
//!
//! The engine prints nothing and never ends the process.

mod job;
mod partners;
mod pick;
mod read;
mod run;
mod work;

use std::ffi::OsStr;
use std::iter;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::OnceLock;
use std::thread::available_parallelism;

use memmap2::MmapOptions;
use rayon::{ThreadPool, ThreadPoolBuilder};

pub use self::run::Run;
use crate::error::Error;
use crate::filter::Filter;
use crate::fold::{Fold, Folded};
use crate::input::{Input, Io};
use crate::parallel;
use crate::scan::simd::Simd;

/// The size of a task: 2 MiB, a huge page, so that no two workers take the same page fault.
const TASK_BYTES: NonZeroU64 = NonZeroU64::new(2 << 20).unwrap();

/// The size of a thread's stack, as Rust has it.
const STACK_BYTES: usize = 2 << 20;
/// What a thread may want besides as it starts, generously: a stack for signals, a list of destructors.
const START_BYTES: usize = 1 << 20;

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
#[derive(Debug, Default)]
pub struct Engine {
    options: Options,
    filter: Filter,
    /// Started for the first input with more than one task.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Engine {
    /// Returns an engine that works as `options` say.
    pub fn new(options: Options) -> Engine {
        Engine {
            options,
            ..Engine::default()
        }
    }

    /// Returns the same engine, which shows folds only the lines that pass `filter`.
    pub fn with_filter(mut self, filter: Filter) -> Engine {
        self.filter = filter;
        self
    }

    /// Returns the same engine, whose tasks have about `bytes` each.
    pub fn with_task_bytes(mut self, bytes: NonZeroU64) -> Engine {
        self.options.task_bytes = bytes;
        self
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

    /// Begins a run of `fold`.
    pub fn run<'e, F: Fold>(&'e self, fold: &'e F) -> Run<'e, F> {
        Run::new(self, fold)
    }

    /// Has every worker do `work` once, as far as the system gives threads, and returns what each has
    /// made. The work gets the worker's number.
    pub fn on_workers<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        match self.pool() {
            None => vec![work(0)],
            Some(pool) => pool.broadcast(|worker| work(worker.index())),
        }
    }

    /// Does `work` in the pool, which is started for it, so that rayon shares its parts among the workers.
    pub fn with_workers<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does `work` in the pool, if it has been started, so that rayon shares its parts among the
    /// workers.
    pub fn among_workers<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool.get() {
            Some(Some(pool)) => pool.install(work),
            _ => work(),
        }
    }

    /// Does `work` with each of the first `numbers`, shared by the workers. Returns what it makes of each.
    ///
    /// ```
    /// let squares = fecscan::Engine::default().each(4, |number| number * number);
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// ```
    pub fn each<T: Send>(&self, numbers: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        self.with_workers(|| parallel::each(numbers, work))
    }

    /// Returns the number of workers that [`Engine::on_workers`] has.
    fn workers(&self) -> usize {
        self.pool().map_or(1, ThreadPool::current_num_threads)
    }

    /// Returns the pool; none for one worker, or if the system gives no threads.
    fn pool(&self) -> Option<&ThreadPool> {
        let start = || build_pool(self.options.threads);
        self.pool.get_or_init(start).as_ref()
    }
}

/// Starts a pool of `threads`, or of fewer if the system gives no more; none for one thread.
fn build_pool(threads: NonZeroUsize) -> Option<ThreadPool> {
    iter::successors(Some(threads.get()), |&n| Some(n / 2))
        .take_while(|&n| n > 1)
        .filter(|&n| has_room(n))
        .find_map(|n| ThreadPoolBuilder::new().num_threads(n).build().ok())
        // All have started when all have answered. From then on, a lack of memory is an error.
        .inspect(|pool| drop(pool.broadcast(|_| ())))
}

/// Returns whether there are addresses for the stacks of `threads`, and for the little that the runtime
/// and the C library want as each of them starts. They abort the process if they get nothing: of 4,470
/// runs with few addresses, 15 ended so without this check, and all gave the right answer with it.
fn has_room(threads: usize) -> bool {
    let stacks = threads.saturating_mul(STACK_BYTES + START_BYTES);
    let map = MmapOptions::new().no_reserve_swap().len(stacks).map_anon();
    map.is_ok()
}
