//! A run: inputs as one sequence of lines, folded and joined.

use std::cmp::Reverse;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};

use super::Engine;
use super::job::Job;
use super::read::{Read, after, by_input, jobs_of, threads_for};
use super::work::{Batch, Worker};
use crate::error::Error;
use crate::fold::{Fold, Folded, Order};
use crate::input::Input;

/// Folds inputs as one sequence of lines.
pub struct Run<'e, F: Fold> {
    engine: &'e Engine,
    fold: &'e F,
    /// The lines to return by number, ascending, each once.
    wanted: Vec<u64>,
    folded: Folded<F::Partial>,
    /// The number of parts so far.
    parts: usize,
    /// One for each thread that has worked.
    workers: Vec<Mutex<Worker<F::Partial>>>,
    observer: Box<dyn Fn(u64) + Sync + 'e>,
    /// The fold has said that it wants no more.
    is_full: bool,
}

impl<'e, F: Fold> Run<'e, F> {
    pub(super) fn new(engine: &'e Engine, fold: &'e F) -> Run<'e, F> {
        Run {
            engine,
            fold,
            wanted: Vec::new(),
            folded: Folded {
                files: Vec::new(),
                lines: 0,
                lines_scanned: (!engine.filter.is_empty()).then_some(0),
                odd_rows: 0,
                unread: 0,
                matches: Vec::new(),
                partial: fold.partial(),
                numbered: Vec::new(),
                repeated_names: Vec::new(),
            },
            parts: 0,
            workers: Vec::new(),
            observer: Box::new(|_| ()),
            is_full: false,
        }
    }

    /// Returns the same run, which also returns the lines with these numbers, counted from zero over
    /// all inputs, among the lines that pass the filter.
    pub fn with_numbered_lines(mut self, numbers: &[u64]) -> Run<'e, F> {
        self.wanted = numbers.to_vec();
        self.wanted.sort_unstable();
        self.wanted.dedup();
        self
    }

    /// Returns the same run, which tells `observer` after each chunk the number of bytes of the file
    /// that are done, compressed ones if it is compressed.
    pub fn observed(mut self, observer: impl Fn(u64) + Sync + 'e) -> Run<'e, F> {
        self.observer = Box::new(observer);
        self
    }

    /// Folds `input`, whose lines follow the lines of the inputs before it.
    ///
    /// # Errors
    /// If it cannot be read whole, changed meanwhile, or the fold fails. The run is then as if the
    /// input had not been there.
    pub fn input(&mut self, input: Input) -> Result<(), Error> {
        self.inputs([input]).into_iter().collect()
    }

    /// Folds `inputs` as [`Run::input`] does, [`Run::inputs_at_once`] of them at a time. Returns the outcome
    /// of each. Inputs that are not read, because the run [is complete](Run::is_complete), have not failed.
    pub fn inputs(&mut self, inputs: impl IntoIterator<Item = Input>) -> Vec<Result<(), Error>> {
        let mut inputs = inputs.into_iter().peekable();
        let mut outcomes = Vec::new();
        while let Some(first) = inputs.next() {
            if self.is_complete() {
                outcomes.push(Ok(()));
                continue;
            }
            let mut group = vec![first];
            // Lines are picked from a pipe while it is read, which takes the number of lines before it.
            let comes_first = |input: &Input| !self.wanted.is_empty() && input.is_read_once();
            while group.len() < self.inputs_at_once()
                && let Some(next) = inputs.next_if(|next| !comes_first(next))
            {
                group.push(next);
            }
            outcomes.extend(self.group(group));
        }
        outcomes
    }

    /// Returns the number of compressed inputs that [`Run::inputs`] reads at a time.
    pub fn inputs_at_once(&self) -> usize {
        match self.fold.order() {
            Order::Any => self.engine.options.threads.get(),
            Order::Input | Order::Beginning => 1,
        }
    }

    /// Tells whether the fold has said that it wants no more, or that there is no result. Further inputs are not read
    /// then.
    pub fn is_complete(&self) -> bool {
        self.is_full || self.fold.is_over()
    }

    /// Returns the number of threads that have worked at the same time.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Returns the result.
    pub fn finish(self) -> Folded<F::Partial> {
        Folded {
            matches: self.engine.filter.take_matches(),
            ..self.folded
        }
    }

    /// Folds a group of inputs at the same time, and all of their parts.
    fn group(&mut self, mut inputs: Vec<Input>) -> Vec<Result<(), Error>> {
        let order = self.fold.order();
        let wanted = after(&self.wanted, self.folded.lines);
        let jobs = jobs_of(&mut inputs, self.parts, order, wanted);
        self.parts += jobs.len();
        let mut errors = Vec::new();
        // Parts whose chunks end in the order of the input follow each other, too.
        let at_once = match order {
            Order::Any => jobs.len().max(1),
            Order::Input | Order::Beginning => 1,
        };
        for jobs in jobs.chunks(at_once) {
            errors.extend(self.batch(jobs, inputs.len()));
            if jobs.iter().any(Job::completes_run) {
                self.is_full = true;
            }
            if !errors.is_empty() || self.is_complete() {
                break;
            }
        }
        let mut outcomes = Vec::new();
        for (number, jobs) in by_input(jobs, errors, inputs.len()).into_iter().enumerate() {
            outcomes.push(jobs.and_then(|jobs| {
                if self.fold.is_over() {
                    return Ok(());
                }
                self.add(number, &inputs[number], jobs)
            }));
        }
        self.idle_workers()
            .for_each(|worker| worker.partials.clear());
        outcomes
    }

    /// Does `jobs` at the same time. Returns for each of the group's `inputs` that failed its number and
    /// its first error.
    fn batch(&mut self, jobs: &[Job], inputs: usize) -> Vec<(usize, Error)> {
        let threads = threads_for(jobs, self.engine, self.fold.order());
        if self.workers.len() < threads {
            self.workers.resize_with(threads, Mutex::default);
        }
        self.idle_workers()
            .for_each(|worker| worker.partials.resize_with(inputs, || None));
        let mut sequence: Vec<_> = (0..jobs.len()).collect();
        sequence.sort_by_key(|&nth| Reverse(jobs[nth].tasks(self.engine.options.task_bytes)));
        let batch = Batch {
            engine: self.engine,
            fold: self.fold,
            observer: &self.observer,
            picks: !self.wanted.is_empty(),
            jobs,
            sequence,
            begun: AtomicUsize::new(0),
            failed: (0..inputs).map(|_| AtomicUsize::new(usize::MAX)).collect(),
        };
        batch.run(&self.workers[..threads])
    }

    /// Adds the input with this number in its group, whose `jobs` are done.
    fn add(&mut self, number: usize, input: &Input, jobs: Vec<Job>) -> Result<(), Error> {
        let Read {
            file,
            lines,
            numbered,
            repeated_names,
        } = Read::of(input, jobs, self.folded.lines, &self.wanted)?;
        let partials = self
            .idle_workers()
            .filter_map(|w| w.partials.get_mut(number)?.take());
        let partials = partials.collect();
        let merge = |mut into, from| {
            self.fold.merge(&mut into, from);
            into
        };
        if let Some(partial) = self.engine.workers().joined(partials, merge) {
            self.fold.merge(&mut self.folded.partial, partial);
        }
        self.folded.numbered.extend(numbered);
        self.folded.repeated_names.extend(repeated_names);
        self.folded.lines += lines.matched;
        self.folded.odd_rows += lines.odd;
        self.folded.unread += lines.unread;
        if let Some(all) = &mut self.folded.lines_scanned {
            *all += lines.scanned;
        }
        self.folded.files.push(file);
        Ok(())
    }

    fn idle_workers(&mut self) -> impl Iterator<Item = &mut Worker<F::Partial>> {
        self.workers
            .iter_mut()
            .map(|worker| worker.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}
