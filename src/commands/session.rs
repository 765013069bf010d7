//! Opens and folds the inputs of a command. Failed inputs are reported and left out.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fecscan::engine::{Engine, FileLines};
use fecscan::error::{Error, ErrorKind, escaped};
use fecscan::fold::Fold;
use fecscan::input::{Input, OpenOptions};
use fecscan::output::{self, Output};

use super::progress::{Bar, Progress, Unit};
use super::stats::Stats;
use super::{Outcome, messages, options, outputs};
use crate::cli::Common;

/// A command at work.
pub(super) struct Session {
    started: Instant,
    stats: bool,
    engine: Engine,
    opening: OpenOptions,
    paths: Vec<OsString>,
    output: Output,
    output_path: Option<PathBuf>,
    bar: Bar,
}

/// The inputs after folding.
pub(super) struct Folded<P> {
    /// The inputs in the order given; none for each that could not be read whole.
    pub(super) files: Vec<Option<FileLines>>,
    /// The merged partials; none if no input could be read.
    pub(super) partial: Option<P>,
    /// The line of `--stats`.
    stats: Option<String>,
}

impl Session {
    /// Prepares inputs, engine and output. Usage errors come before anything is read.
    pub(super) fn new(common: &Common) -> Result<Session, Error> {
        let started = Instant::now();
        let paths = options::files(common)?;
        let output = common.output.as_deref();
        outputs::refuse_input(&paths, output)?;
        Ok(Session {
            started,
            stats: common.stats,
            engine: options::engine(common)?,
            opening: options::opening(common),
            paths,
            output: outputs::open(output)?,
            output_path: common.output.clone(),
            bar: options::bar(common.no_progress),
        })
    }

    /// Returns the inputs, as given.
    pub(super) fn paths(&self) -> &[OsString] {
        &self.paths
    }

    /// Returns the output of the result.
    pub(super) fn output(&self) -> &Output {
        &self.output
    }

    /// Opens another output at `path`, which may be neither an input nor the output of the result.
    pub(super) fn another_output(&self, path: &Path) -> Result<Output, Error> {
        outputs::refuse_input(&self.paths, Some(path))?;
        let first = self.output_path.as_deref().unwrap_or("-".as_ref());
        if output::same_file(first, path) {
            let error = Error::new(ErrorKind::Usage, "is where the result goes already");
            return Err(error.about(path).advise("write to another file"));
        }
        outputs::open(Some(path))
    }

    /// Does `work` on the threads that have folded.
    pub(super) fn among_workers<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.engine.among_workers(work)
    }

    /// Folds all inputs, and prints the `notes` on each. Failed inputs are reported and left out.
    pub(super) fn fold<F: Fold>(
        &self,
        fold: &F,
        notes: impl Fn(&Input) -> Vec<String>,
    ) -> Folded<F::Partial> {
        let progress = Progress::new(self.bytes_ahead(), Unit::Bytes, self.bar);
        let mut run = self
            .engine
            .run(fold)
            .observed(|bytes| progress.advance(bytes));
        let mut read = Vec::new();
        let mut io_names = Vec::new();
        while read.len() < self.paths.len() {
            let paths = &self.paths[read.len()..];
            let (facts, folded) = match self.open(paths, run.inputs_at_once()) {
                Ok(inputs) => {
                    expect_less(&progress, paths, &inputs);
                    let facts = inputs.iter().map(|input| (input.io_name(), notes(input)));
                    (facts.collect(), run.inputs(inputs))
                }
                Err(error) => (vec![("", Vec::new())], vec![Err(error)]),
            };
            progress.clear();
            for ((path, (io_name, notes)), folded) in paths.iter().zip(facts).zip(folded) {
                notes.iter().for_each(messages::print);
                read.push(folded.is_ok());
                match folded {
                    Ok(()) if io_names.contains(&io_name) => {}
                    Ok(()) => io_names.push(io_name),
                    Err(e) => messages::print(&format_args!("{e}{}", perhaps_a_command(path))),
                }
            }
        }
        let threads = run.threads();
        let (files, partial) = run.finish();
        let stats = self.stats.then(|| self.stats(&files, threads, &io_names));
        let mut files = files.into_iter();
        let files = read.iter().map(|read| read.then(|| files.next()).flatten());
        Folded {
            files: files.collect(),
            partial,
            stats,
        }
    }

    /// Opens the first of `paths`, and after a compressed one also the next, up to `at_once`. A later
    /// one that can't be opened now is left for the next time: descriptors may be short. Pipes are not
    /// opened ahead, because that may be to wait for them.
    fn open(&self, paths: &[OsString], at_once: usize) -> Result<Vec<Input>, Error> {
        let mut inputs = vec![self.opening.open(&paths[0])?];
        for path in &paths[1..paths.len().min(at_once.max(1))] {
            let compressed = inputs.last().is_some_and(Input::is_compressed);
            if !compressed || file_bytes(path).is_none() {
                break;
            }
            match self.opening.open(path) {
                Ok(input) => inputs.push(input),
                Err(_) => break,
            }
        }
        Ok(inputs)
    }

    /// Returns how many bytes the inputs have together, if all are regular files.
    fn bytes_ahead(&self) -> Option<u64> {
        self.paths
            .iter()
            .try_fold(0_u64, |bytes, path| bytes.checked_add(file_bytes(path)?))
    }

    /// Writes the result. A broken pipe is no error.
    pub(super) fn write(self, result: &[u8]) -> Result<(), Error> {
        outputs::write(self.output, result)
    }

    fn stats(&self, files: &[FileLines], threads: usize, io_names: &[&str]) -> String {
        let stats = Stats {
            bytes: files.iter().map(|file| file.bytes).sum(),
            lines: files.iter().map(|file| file.lines).sum(),
            took: self.started.elapsed(),
            threads,
        };
        let io = match io_names {
            [] => "none".to_owned(),
            names => names.join("+"),
        };
        format!(
            "{stats}, io {io}, simd {}",
            self.engine.options().simd.name()
        )
    }
}

impl<P> Folded<P> {
    /// Prints the line of `--stats`, if the option was given.
    pub(super) fn print_stats(&self) {
        if let Some(stats) = &self.stats {
            messages::print(stats);
        }
    }

    /// Returns whether all inputs were read whole.
    pub(super) fn outcome(&self) -> Outcome {
        match self.files.iter().all(Option::is_some) {
            true => Outcome::Done,
            false => Outcome::Failed,
        }
    }
}

/// Returns the notes on how an input is read, to be printed.
pub(super) fn notes_of(input: &Input) -> Vec<String> {
    let name = escaped(input.name().as_encoded_bytes());
    let notes = input.notes().iter();
    notes.map(|note| format!("{name}: note: {note}")).collect()
}

/// Returns how many bytes the file at `path` has, if it is a regular one.
fn file_bytes(path: &OsString) -> Option<u64> {
    let file = fs::metadata(path).ok()?;
    (file.is_file() && path != "-").then_some(file.len())
}

/// Takes unread bytes, such as those of other members, out of the expected work.
fn expect_less(progress: &Progress, paths: &[OsString], inputs: &[Input]) {
    for (path, input) in paths.iter().zip(inputs) {
        if let (Some(all), Some(ahead)) = (file_bytes(path), input.bytes_ahead()) {
            progress.expect_less(all.saturating_sub(ahead));
        }
    }
}

/// Returns an addition to the error for `path`, if it looks like a command after options.
fn perhaps_a_command(path: &OsString) -> String {
    match path.to_str() {
        Some("help") => " (for help: fecscan help)".to_owned(),
        Some(command @ ("count" | "generate" | "report")) => {
            format!(" (a command goes first: fecscan {command} [OPTIONS] ...)")
        }
        _ => String::new(),
    }
}
