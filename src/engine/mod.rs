//! The workers: they claim tasks, fold them, and are joined.
//!
//! An [`Engine`] is what the user chose: how many threads, which SIMD level, how large tasks. A
//! [`Run`] folds inputs, one after the other, in the order given; the parts of an archive are folded
//! several at a time. Of each part, every worker makes one partial. They are merged when the part
//! has been read whole and what was scanned tiles it exactly. An input of which a part fails adds
//! nothing to the result.
//!
//! The engine prints nothing and never ends the process.

mod line_numbers;
mod pool;

use std::ffi::OsString;
use std::iter;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use rayon::ThreadPool;

pub use self::line_numbers::LineNumbers;
use self::line_numbers::Scanned;

use crate::error::Error;
use crate::fold::Fold;
use crate::input::buffer::Buffer;
use crate::input::{Input, Part, Pass};
use crate::scan::simd::{Kernel, Level, Simd};
use crate::scan::{Chunk, Scratch};

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
}

/// Folds inputs, one after the other.
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

/// The memory of a worker.
#[derive(Default)]
struct Worker {
    scratch: Scratch,
    buffer: Buffer,
}

/// What a worker made of the chunks that it took of a pass.
struct Share<P> {
    /// Which pass.
    pass: usize,
    partial: P,
    scanned: Vec<Scanned>,
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
    pub fn input(&mut self, mut input: Input) -> Result<(), Error> {
        let mut all = None;
        let mut file = FileLines {
            path: input.path().to_owned(),
            bytes: 0,
            lines: 0,
        };
        loop {
            // What can't be read again must be told beforehand which lines to keep. So where lines
            // are wanted that have not gone by, each part waits for the number of those before it.
            let before = self.lines + file.lines;
            let wanted_ahead = self.fold.wanted_lines().last() >= Some(&before);
            let at_once = if wanted_ahead {
                1
            } else {
                self.engine.options.threads.get()
            };
            let parts: Vec<_> = iter::from_fn(|| input.next_part()).take(at_once).collect();
            if parts.is_empty() {
                break;
            }
            for (partial, numbers) in self.parts(&input, &parts, before)? {
                self.merge(&mut all, partial);
                file.bytes += numbers.bytes();
                file.lines += numbers.lines;
            }
        }
        if let Some(partial) = all {
            let mut merged = self.partial.take();
            self.merge(&mut merged, partial);
            self.partial = merged;
        }
        self.lines += file.lines;
        self.files.push(file);
        Ok(())
    }

    /// Folds `parts` of `input` at the same time. There are `before` lines before them.
    fn parts(
        &mut self,
        input: &Input,
        parts: &[Part],
        before: u64,
    ) -> Result<Vec<(F::Partial, LineNumbers)>, Error> {
        let wanted = self.fold.wanted_lines().iter();
        let wanted: Vec<u64> = wanted.filter_map(|line| line.checked_sub(before)).collect();
        let task_bytes = self.engine.options.task_bytes;
        let passes: Vec<_> = parts
            .iter()
            .map(|part| part.pass(task_bytes, F::CUT, &wanted))
            .collect();
        let mut joined: Vec<_> = parts.iter().map(|_| (None, Vec::new())).collect();
        let shares = self.shares(&passes).map_err(|e| input.explain(e))?;
        for share in shares {
            let (partial, scanned) = &mut joined[share.pass];
            self.merge(partial, share.partial);
            scanned.extend(share.scanned);
        }
        // A file that changed may look as if bytes had been lost, so that is asked first.
        input.check_unchanged()?;
        let numbered = joined.into_iter().zip(&passes);
        let numbered = numbered.map(|((partial, scanned), pass)| {
            let mut partial = partial.unwrap_or_else(|| self.fold.partial(pass.part()));
            let numbers =
                LineNumbers::new(scanned, pass.length()).map_err(|e| pass.part().blame(e))?;
            numbers.show_wanted(pass, &wanted, |line, bytes| {
                self.fold.wanted_line(&mut partial, before + line, bytes);
            })?;
            self.fold.number_lines(&mut partial, &numbers);
            Ok((partial, numbers))
        });
        let numbered = numbered.collect::<Result<Vec<_>, Error>>()?;
        input.check_unchanged()?;
        Ok(numbered)
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

    /// Has the workers fold all chunks of `passes`.
    fn shares(&mut self, passes: &[Pass<'_>]) -> Result<Vec<Share<F::Partial>>, Error> {
        let Options {
            simd, task_bytes, ..
        } = self.engine.options;
        let tasks = |pass: &Pass<'_>| pass.length().map(|bytes| bytes.div_ceil(task_bytes.get()));
        let tasks = passes.iter().map(|pass| tasks(pass).unwrap_or(u64::MAX));
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
            failed: AtomicUsize::new(usize::MAX),
        };
        let Some(pool) = pool else {
            return job.shares(0, &mut self.workers[0]).map_err(|(_, e)| e);
        };
        let mut results: Vec<_> = (0..threads).map(|_| None).collect();
        pool.in_place_scope(|scope| {
            for (nth, (worker, result)) in self.workers.iter_mut().zip(&mut results).enumerate() {
                let job = &job;
                scope.spawn(move |_| *result = Some(job.shares(nth, worker)));
            }
        });
        // Tasks are taken in ascending order and finished once taken, so the first place where
        // reading fails is among the errors, whoever else has failed behind it.
        let (shares, errors): (Vec<_>, Vec<_>) =
            results.into_iter().flatten().partition(Result::is_ok);
        match errors
            .into_iter()
            .filter_map(Result::err)
            .min_by_key(|(pass, error)| (*pass, error.byte()))
        {
            Some((_, error)) => Err(error),
            None => Ok(shares.into_iter().flatten().flatten().collect()),
        }
    }

    fn merge(&self, into: &mut Option<F::Partial>, from: F::Partial) {
        match into {
            Some(into) => self.fold.merge(into, from),
            None => *into = Some(from),
        }
    }
}

/// What there is to do with some parts of an input.
struct Job<'a, F: Fold> {
    simd: Simd,
    fold: &'a F,
    passes: &'a [Pass<'a>],
    observer: &'a (dyn Fn(u64) + Sync),
    /// The first of the passes in which a worker has failed: nobody need go on with it, nor with
    /// those behind it.
    failed: AtomicUsize,
}

impl<F: Fold> Job<'_, F> {
    /// Has `worker`, the `nth`, take chunks until there are none. Each begins with another pass, and
    /// goes on with those that the others have begun: where bytes are decompressed, one can be
    /// decompressed for each worker, and when its own is done, a worker scans for the others.
    fn shares(
        &self,
        nth: usize,
        worker: &mut Worker,
    ) -> Result<Vec<Share<F::Partial>>, (usize, Error)> {
        let passes = self.passes.len();
        let mut shares = Vec::new();
        for pass in (0..passes).map(|i| (nth + i) % passes) {
            let share = self.share(pass, worker).map_err(|e| {
                self.failed.fetch_min(pass, Ordering::Relaxed);
                (pass, e)
            })?;
            shares.extend(share);
        }
        Ok(shares)
    }

    /// Has `worker` take chunks of a pass until there are none. None if there were none to begin
    /// with.
    fn share(
        &self,
        pass: usize,
        Worker { scratch, buffer }: &mut Worker,
    ) -> Result<Option<Share<F::Partial>>, Error> {
        let lines_wanted = !self.fold.wanted_lines().is_empty();
        let mut share = None;
        while pass < self.failed.load(Ordering::Relaxed) {
            let Some(chunk) = self.passes[pass].next(buffer)? else {
                break;
            };
            let bytes = chunk.offset..chunk.offset + chunk.range.len() as u64;
            let share = share.get_or_insert_with(|| Share {
                pass,
                partial: self.fold.partial(self.passes[pass].part()),
                scanned: Vec::new(),
            });
            scratch.clear();
            let lines = self.simd.dispatch(FoldChunk {
                fold: self.fold,
                chunk,
                scratch,
                partial: &mut share.partial,
            });
            (self.observer)(self.passes[pass].advanced(bytes.end - bytes.start));
            let block_lines = match lines_wanted {
                true => scratch.block_lines().into(),
                false => Box::default(),
            };
            share.scanned.push(Scanned {
                bytes,
                lines,
                block_lines,
            });
        }
        Ok(share)
    }
}

/// A chunk to be folded at the level of the engine.
struct FoldChunk<'a, F: Fold> {
    fold: &'a F,
    chunk: Chunk<'a>,
    scratch: &'a mut Scratch,
    partial: &'a mut F::Partial,
}

impl<F: Fold> Kernel for FoldChunk<'_, F> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        self.fold
            .chunk(level, &self.chunk, self.scratch, self.partial)
    }
}
