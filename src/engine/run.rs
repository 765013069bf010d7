//! A run: inputs as one sequence of lines, folded and joined.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use super::Engine;
use super::numbered::{Pick, ReadPart};
use super::work::{ChunkEnds, Job, Jobs, Scanned, Worker};
use crate::error::{Error, ErrorKind};
use crate::fold::{Fold, Folded, Order};
use crate::input::{FileLines, Input, Part};
use crate::output::InOrder;
use crate::plan::check_tiling;
use crate::scan::{Lines, Scan};

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
    workers: Vec<Mutex<Worker>>,
    observer: Box<dyn Fn(u64) + Sync + 'e>,
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
                partial: fold.partial(),
                numbered: Vec::new(),
            },
            parts: 0,
            workers: Vec::new(),
            observer: Box::new(|_| ()),
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

    /// Folds `inputs` like [`Run::input`] one after the other, but a part for each worker at a time.
    /// Returns the outcome of each.
    pub fn inputs(&mut self, inputs: impl IntoIterator<Item = Input>) -> Vec<Result<(), Error>> {
        let mut group: Vec<_> = inputs
            .into_iter()
            .map(|input| Reading::new(input, self.fold.partial()))
            .collect();
        loop {
            let parts = self.next_parts(&mut group);
            if parts.is_empty() {
                break;
            }
            self.fold_parts(&mut group, parts);
        }
        group.into_iter().map(|input| self.add(input)).collect()
    }

    /// Returns the number of compressed inputs that [`Run::inputs`] reads at a time.
    pub fn inputs_at_once(&self) -> usize {
        match self.fold.order() {
            Order::Input => 1,
            Order::Any => self.engine.options.threads.get(),
        }
    }

    /// Returns the number of threads that have worked at the same time.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Returns the result.
    pub fn finish(self) -> Folded<F::Partial> {
        self.folded
    }

    /// Takes the next parts of the group, each with the number of its input. A part that can be
    /// read only once, while lines by number are wanted, comes alone: the number of lines before it
    /// must be known.
    fn next_parts(&self, group: &mut [Reading<F::Partial>]) -> Vec<(usize, Part)> {
        let mut parts = Vec::new();
        for (number, reading) in group.iter_mut().enumerate() {
            while parts.len() < self.inputs_at_once() && reading.error.is_none() {
                let alone = !self.wanted.is_empty() && reading.input.is_read_once();
                if alone && !parts.is_empty() {
                    return parts;
                }
                let Some(part) = reading.input.next_part() else {
                    break;
                };
                parts.push((number, part));
                if alone {
                    return parts;
                }
            }
        }
        parts
    }

    /// Folds `parts` at the same time.
    fn fold_parts(&mut self, group: &mut [Reading<F::Partial>], parts: Vec<(usize, Part)>) {
        let asked = parts
            .into_iter()
            .filter_map(|(input, part)| match self.scan_of(&part) {
                Ok(scan) => Some((input, part, scan)),
                Err(error) => {
                    group[input].fail(part.blame(error));
                    None
                }
            });
        let asked: Vec<_> = asked.collect();
        let before = asked
            .first()
            .map(|(input, ..)| self.lines_before(group, *input));
        let jobs: Vec<_> = asked
            .iter()
            .enumerate()
            .map(|(nth, (input, part, scan))| {
                let tasks = part.tasks(self.engine.options.task_bytes, scan.cut());
                let start = tasks.range().map_or(0, |range| range.start);
                Job {
                    input: *input,
                    part,
                    part_number: self.parts + nth,
                    tasks,
                    scan,
                    turns: self.turns(part, start, before.filter(|_| nth == 0)),
                }
            })
            .collect();
        let (shares, errors) = self.shares(&jobs, group.len());
        for (job, error) in errors {
            group[jobs[job].input].fail(error);
        }
        // Changes are checked first: a changed file may look as if bytes had been lost.
        group.iter_mut().for_each(Reading::check_unchanged);
        let mut results: Vec<_> = jobs.iter().map(|_| (None, Vec::new())).collect();
        for share in shares {
            let (partial, scanned) = &mut results[share.job];
            scanned.extend(share.scanned);
            *partial = Some(match partial.take() {
                None => share.partial,
                Some(mut into) => {
                    self.fold.merge(&mut into, share.partial);
                    into
                }
            });
        }
        let finished: Vec<_> = jobs
            .into_iter()
            .zip(results)
            .map(|(job, (partial, scanned))| {
                let tiled = tiled(scanned, job.tasks.range());
                let ends = job.turns.map(InOrder::finish).transpose();
                let read = ends.and_then(|ends| Ok((tiled?, ends)));
                (partial, read.map_err(|e| job.part.blame(e)))
            })
            .collect();
        self.parts += finished.len();
        for ((input, part, scan), (partial, read)) in asked.into_iter().zip(finished) {
            let reading = &mut group[input];
            if reading.error.is_some() {
                continue;
            }
            let (chunks, ends) = match read {
                Ok(read) => read,
                Err(error) => {
                    reading.error = Some(error);
                    continue;
                }
            };
            if let Some(partial) = partial {
                self.fold.merge(&mut reading.partial, partial);
            }
            let before = reading.lines.matched;
            reading.count(&chunks);
            if let Some(pick) = ends.map(|ends| ends.pick).filter(Pick::picks) {
                let found = pick.into_found().into_iter();
                reading
                    .numbered
                    .extend(found.map(|(line, text)| (before + line, text)));
                continue;
            }
            // Only later lines can be wanted. That keeps few of many members in memory.
            if self.wanted.last() >= Some(&(self.folded.lines + before))
                && let Some(part) = part.reopened()
            {
                let part = ReadPart { part, scan, chunks };
                reading.parts.push((before..reading.lines.matched, part));
            }
        }
    }

    /// Resolves what the fold and the filter ask of `part`.
    fn scan_of(&self, part: &Part) -> Result<Scan, Error> {
        Ok(Scan {
            simd: self.engine.options.simd,
            need: self.fold.need(part)?,
            predicates: self.engine.filter.bind(part.schema())?,
            width: part.schema().columns_on_disk(),
        })
    }

    /// Returns the number of lines before the next part of the input with this number.
    fn lines_before(&self, group: &[Reading<F::Partial>], input: usize) -> u64 {
        let read = group[..=input]
            .iter()
            .filter(|reading| reading.error.is_none());
        self.folded.lines + read.map(|reading| reading.lines.matched).sum::<u64>()
    }

    /// Returns turns for the chunks of `part`, if the fold wants their order, or lines of a stream
    /// are to be picked. `before` is the number of lines before the part, if it is known.
    fn turns(&self, part: &Part, start: u64, before: Option<u64>) -> Option<InOrder<ChunkEnds>> {
        let relative = |before| {
            self.wanted
                .iter()
                .filter_map(move |line| line.checked_sub(before))
        };
        let pick = match before {
            Some(before) if part.is_stream() => Pick::new(relative(before).collect()),
            _ => Pick::default(),
        };
        let wanted = self.fold.order() == Order::Input || !pick.is_done(0);
        let ends = ChunkEnds {
            pick,
            ..ChunkEnds::default()
        };
        wanted.then(|| InOrder::new(ends, start))
    }

    fn shares(&mut self, jobs: &[Job<'_>], inputs: usize) -> super::work::Shares<F::Partial> {
        let task_bytes = self.engine.options.task_bytes.get();
        let tasks = |job: &Job<'_>| {
            let range = job.tasks.range();
            range.map_or(u64::MAX, |range| {
                (range.end - range.start).div_ceil(task_bytes)
            })
        };
        let tasks = jobs.iter().map(tasks).fold(0, u64::saturating_add);
        let pool = if tasks <= 1 { None } else { self.engine.pool() };
        let threads = pool.map_or(1, |pool| pool.current_num_threads());
        let threads = usize::try_from(tasks.max(1)).map_or(threads, |tasks| threads.min(tasks));
        if self.workers.len() < threads {
            self.workers.resize_with(threads, Mutex::default);
        }
        let jobs = Jobs {
            fold: self.fold,
            jobs,
            observer: &self.observer,
            failed: (0..inputs).map(|_| AtomicUsize::new(usize::MAX)).collect(),
        };
        jobs.shares(pool, &self.workers[..threads])
    }

    /// Adds an input that has been read.
    fn add(&mut self, reading: Reading<F::Partial>) -> Result<(), Error> {
        let Reading {
            input,
            partial,
            lines,
            bytes,
            parts,
            mut numbered,
            error,
        } = reading;
        if let Some(error) = error {
            return Err(error);
        }
        let before = self.folded.lines;
        for (lines, part) in parts {
            let here = self
                .wanted
                .iter()
                .filter_map(|line| line.checked_sub(before));
            let here = here
                .filter(|line| lines.contains(line))
                .map(|line| line - lines.start);
            let here: Vec<_> = here.collect();
            if !here.is_empty() {
                let found = part.numbered(here, &mut Worker::default())?.into_iter();
                numbered.extend(found.map(|(line, text)| (lines.start + line, text)));
            }
        }
        numbered.sort_unstable();
        let numbered = numbered
            .into_iter()
            .map(|(line, text)| (before + line, text));
        input.check_unchanged()?;
        self.fold.merge(&mut self.folded.partial, partial);
        self.folded.numbered.extend(numbered);
        self.folded.lines += lines.matched;
        if let Some(all) = &mut self.folded.lines_scanned {
            *all += lines.scanned;
        }
        self.folded.files.push(FileLines {
            path: input.path().to_owned(),
            bytes,
            lines: lines.matched,
            stored_bytes: input.stored_bytes(),
            notes: input.notes().to_vec(),
        });
        Ok(())
    }
}

/// An input of a group, and the result so far.
struct Reading<P> {
    input: Input,
    partial: P,
    lines: Lines,
    bytes: u64,
    /// Parts that may have wanted lines, each with the numbers of its lines in the input.
    parts: Vec<(Range<u64>, ReadPart)>,
    /// Wanted lines of other parts, by their numbers in the input.
    numbered: Vec<(u64, Vec<u8>)>,
    /// The first error.
    error: Option<Error>,
}

impl<P> Reading<P> {
    fn new(input: Input, partial: P) -> Reading<P> {
        Reading {
            input,
            partial,
            lines: Lines::default(),
            bytes: 0,
            parts: Vec::new(),
            numbered: Vec::new(),
            error: None,
        }
    }

    fn fail(&mut self, error: Error) {
        if self.error.is_none() {
            self.error = Some(error);
        }
    }

    fn check_unchanged(&mut self) {
        if self.error.is_none() {
            self.error = self.input.check_unchanged().err();
        }
    }

    /// Counts the bytes and lines of a part.
    fn count(&mut self, chunks: &[Scanned]) {
        for Scanned { bytes, lines } in chunks {
            self.bytes += bytes.end - bytes.start;
            self.lines.scanned += lines.scanned;
            self.lines.matched += lines.matched;
        }
    }
}

/// Sorts the scanned chunks of a part. The part covers `range`, if that is known.
///
/// # Errors
/// If the chunks do not tile it: bytes were scanned twice, or not at all.
fn tiled(mut chunks: Vec<Scanned>, range: Option<Range<u64>>) -> Result<Vec<Scanned>, Error> {
    chunks.sort_unstable_by_key(|chunk| chunk.bytes.start);
    let end = chunks.last().map_or(0, |chunk| chunk.bytes.end);
    let places = chunks.iter().map(|chunk| chunk.bytes.clone());
    check_tiling(places, range.unwrap_or(0..end)).map_err(|byte| {
        Error::new(ErrorKind::Consistency, "was not scanned exactly once")
            .at_byte(byte)
            .advise("if nobody writes to the file, please report this as a defect of fecscan")
    })?;
    Ok(chunks)
}
