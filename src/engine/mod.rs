//! The workers: they claim tasks, fold them, and are joined.
//!
//! An [`Engine`] is what the user chose: how many threads, which SIMD level, how large tasks. A
//! [`Run`] folds inputs in the order given; the parts of an archive, and inputs that are given
//! together, are folded several at a time. Of each part, every worker makes one partial. They are
//! merged when the part has been read whole and what was scanned tiles it exactly. An input of which
//! a part fails adds nothing to the result.
//!
//! The engine prints nothing and never ends the process.

mod folded;
mod job;
mod line_numbers;
mod pool;

use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::thread::available_parallelism;

use rayon::ThreadPool;

use self::folded::Folded;
use self::job::{Job, Shares, Worker};
pub use self::line_numbers::LineNumbers;

use crate::error::Error;
use crate::fold::Fold;
use crate::input::{Input, Part, Pass};
use crate::scan::simd::Simd;

/// The size of a task: 2 MiB, a huge page, so that no two workers take the same page fault.
pub const TASK_BYTES: NonZeroU64 = NonZeroU64::new(2 << 20).unwrap();

/// How to work.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many workers; the default is the number of processors that this process may use.
    pub threads: NonZeroUsize,
    /// The SIMD level; the default is the best.
    pub simd: Simd,
    /// About how many bytes a task has. Results do not depend on it.
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

/// What folds inputs.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    /// Made when the first input comes that is worth it.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Engine {
    /// An engine that works as `options` say. Threads are started when they are needed.
    pub fn new(options: Options) -> Engine {
        Engine {
            options,
            pool: OnceLock::new(),
        }
    }

    /// How the engine works.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Begins a run of `fold`.
    pub fn run<'e, F: Fold>(&'e self, fold: &'e F) -> Run<'e, F> {
        Run {
            engine: self,
            fold,
            files: Vec::new(),
            partial: None,
            lines: 0,
            workers: Vec::new(),
            observer: Box::new(|_| ()),
        }
    }

    /// Has every worker do `work`, each once, at the same time as far as the system has threads for
    /// us. The work is to take tasks from somewhere until there are none.
    pub fn on_workers(&self, work: impl Fn() + Sync) {
        match self.pool() {
            None => work(),
            Some(pool) => {
                pool.broadcast(|_| work());
            }
        }
    }

    /// Does `work` among the workers, if any have been started: what it leaves to rayon is shared among them.
    pub fn among_workers<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool.get() {
            Some(Some(pool)) => pool.install(work),
            _ => work(),
        }
    }

    /// The pool; none if one worker is asked for, or if the system gives us no threads.
    fn pool(&self) -> Option<&ThreadPool> {
        let start = || pool::of_at_most(self.options.threads);
        self.pool.get_or_init(start).as_ref()
    }
}

/// An input of a run that was read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLines {
    /// The path as given.
    pub path: OsString,
    /// The number of bytes, decompressed.
    pub bytes: u64,
    /// The number of lines; an unterminated last one counts if the fold counts it.
    pub lines: u64,
    /// The number of bytes of the file on disk, if it is compressed and that is known.
    pub stored_bytes: Option<u64>,
    /// Notes on how the file was read, such as the members of an archive that were left out.
    pub notes: Vec<String>,
}

/// Folds inputs, as one sequence of lines.
pub struct Run<'e, F: Fold> {
    engine: &'e Engine,
    fold: &'e F,
    files: Vec<FileLines>,
    partial: Option<F::Partial>,
    lines: u64,
    workers: Vec<Worker>,
    /// Is told by the workers how many bytes of the file that is read they have done with.
    observer: Box<dyn Fn(u64) + Sync + 'e>,
}

impl<'e, F: Fold> Run<'e, F> {
    /// The same run, which tells `observer` after each chunk how many more bytes of the file have
    /// been done with: if it is compressed, that many compressed bytes.
    pub fn observed(self, observer: impl Fn(u64) + Sync + 'e) -> Run<'e, F> {
        Run {
            observer: Box::new(observer),
            ..self
        }
    }

    /// Folds `input`, whose lines follow those of the inputs before it. That is possible once: a
    /// stream has been read then.
    ///
    /// # Errors
    /// If it can't be read whole, or changed meanwhile. Then the run is as if the input had not
    /// been there.
    pub fn input(&mut self, input: Input) -> Result<(), Error> {
        self.inputs([input]).into_iter().collect()
    }

    /// Folds `inputs` like [`Run::input`] one after the other, but as many parts at the same time
    /// as there are workers. What came of each is the answer.
    pub fn inputs(&mut self, inputs: impl IntoIterator<Item = Input>) -> Vec<Result<(), Error>> {
        let mut inputs: Vec<_> = inputs.into_iter().map(Folded::<F>::new).collect();
        loop {
            let before = self.lines + inputs.iter().map(Folded::lines).sum::<u64>();
            let at_once = self.at_once(before);
            let mut parts = Vec::new();
            for (nth, input) in inputs.iter_mut().enumerate() {
                // An input that is not read to its end may still fail. Its lines then count no
                // more, so nobody knows yet which lines of the next one are wanted.
                if !parts.is_empty() && self.at_once(self.lines) == 1 {
                    break;
                }
                while parts.len() < at_once
                    && let Some(part) = input.next_part()
                {
                    parts.push((nth, part));
                }
            }
            if parts.is_empty() {
                break;
            }
            self.parts(&mut inputs, &parts, before);
        }
        let done = inputs.into_iter().map(|input| {
            let (file, partial) = input.finish()?;
            if let Some(partial) = partial {
                let mut merged = self.partial.take();
                self.merge(&mut merged, partial);
                self.partial = merged;
            }
            self.lines += file.lines;
            self.files.push(file);
            Ok(())
        });
        done.collect()
    }

    /// How many inputs it pays to give to [`Run::inputs`] next, if each is one that a worker reads
    /// alone, such as a compressed one.
    pub fn inputs_at_once(&self) -> usize {
        self.at_once(self.lines)
    }

    /// How many parts are folded at the same time, if there are `before` lines before them.
    ///
    /// What can't be read again must be told beforehand which lines to keep. So where lines are
    /// wanted that have not gone by, each part waits for the number of those before it.
    fn at_once(&self, before: u64) -> usize {
        let wanted_ahead = self.fold.wanted_lines().last() >= Some(&before);
        match wanted_ahead {
            true => 1,
            false => self.engine.options.threads.get(),
        }
    }

    /// Folds `parts`, each of the input with that number, at the same time. There are `before`
    /// lines before them.
    fn parts(&mut self, inputs: &mut [Folded<F>], parts: &[(usize, Part)], before: u64) {
        let wanted = self.fold.wanted_lines().iter();
        let wanted: Vec<u64> = wanted.filter_map(|line| line.checked_sub(before)).collect();
        let task_bytes = self.engine.options.task_bytes;
        let passes: Vec<_> = parts
            .iter()
            .map(|(input, part)| (*input, part.pass(task_bytes, F::CUT, &wanted)))
            .collect();
        let mut joined: Vec<_> = parts.iter().map(|_| (None, Vec::new())).collect();
        let (shares, errors) = self.shares(&passes, inputs.len());
        for share in shares {
            let (partial, scanned) = &mut joined[share.pass];
            self.merge(partial, share.partial);
            scanned.extend(share.scanned);
        }
        for (pass, error) in errors {
            inputs[passes[pass].0].fail(error);
        }
        // A file that changed may look as if bytes had been lost, so that is asked first.
        inputs.iter_mut().for_each(Folded::check_unchanged);
        for ((partial, scanned), (input, pass)) in joined.into_iter().zip(&passes) {
            let input = &mut inputs[*input];
            if input.error.is_some() {
                continue;
            }
            let mut partial = partial.unwrap_or_else(|| self.fold.partial(pass.part()));
            let numbers = LineNumbers::new(scanned, pass.length())
                .map_err(|e| pass.part().blame(e))
                .and_then(|numbers| {
                    numbers.show_wanted(pass, &wanted, |line, bytes| {
                        self.fold.wanted_line(&mut partial, before + line, bytes);
                    })?;
                    Ok(numbers)
                });
            match numbers {
                Err(error) => input.error = Some(error),
                Ok(numbers) => {
                    self.fold.number_lines(&mut partial, &numbers);
                    input.file.bytes += numbers.bytes();
                    input.file.lines += numbers.lines;
                    self.merge(&mut input.partial, partial);
                }
            }
        }
        inputs.iter_mut().for_each(Folded::check_unchanged);
    }

    /// How many threads have worked at the same time.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// What the run came to: the inputs that were read, and their merged partials, none if there
    /// were no inputs.
    pub fn finish(self) -> (Vec<FileLines>, Option<F::Partial>) {
        (self.files, self.partial)
    }

    /// Has the workers fold all chunks of `passes`, each of one of so many `inputs`. The errors are
    /// in the order of the passes, and those of one in the order of their places.
    fn shares(&mut self, passes: &[(usize, Pass<'_>)], inputs: usize) -> Shares<F::Partial> {
        let Options {
            simd, task_bytes, ..
        } = self.engine.options;
        let tasks = |pass: &Pass<'_>| pass.length().map(|bytes| bytes.div_ceil(task_bytes.get()));
        let tasks = passes
            .iter()
            .map(|(_, pass)| tasks(pass).unwrap_or(u64::MAX));
        let tasks = tasks.fold(0, u64::saturating_add);
        let pool = if tasks <= 1 { None } else { self.engine.pool() };
        let threads = pool.map_or(1, ThreadPool::current_num_threads);
        let threads = usize::try_from(tasks.max(1)).map_or(threads, |tasks| threads.min(tasks));
        if self.workers.len() < threads {
            self.workers.resize_with(threads, Worker::default);
        }
        let job = Job {
            simd,
            fold: self.fold,
            passes,
            observer: &self.observer,
            failed: (0..inputs).map(|_| AtomicUsize::new(usize::MAX)).collect(),
        };
        let Some(pool) = pool else {
            return job.shares(0, &mut self.workers[0]);
        };
        let mut results: Vec<_> = (0..threads).map(|_| None).collect();
        pool.in_place_scope(|scope| {
            for (nth, (worker, result)) in self.workers.iter_mut().zip(&mut results).enumerate() {
                let job = &job;
                scope.spawn(move |_| *result = Some(job.shares(nth, worker)));
            }
        });
        let (mut shares, mut errors) = (Vec::new(), Vec::new());
        for (made, failed) in results.into_iter().flatten() {
            shares.extend(made);
            errors.extend(failed);
        }
        // Tasks are taken in ascending order and finished once taken, so the first place where
        // reading fails is among the errors, whoever else has failed behind it.
        errors.sort_by_key(|(pass, error)| (*pass, error.byte()));
        (shares, errors)
    }

    fn merge(&self, into: &mut Option<F::Partial>, from: F::Partial) {
        match into {
            Some(into) => self.fold.merge(into, from),
            None => *into = Some(from),
        }
    }
}
