//! What every command that reads inputs does: open them one by one, fold each, report those that
//! fail, go on.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fecscan::engine::{Engine, FileLines};
use fecscan::error::{Error, ErrorKind, escaped};
use fecscan::fold::Fold;
use fecscan::input::{Input, OpenOptions};
use fecscan::render::output::{self, Output};

use super::progress::{Progress, Shown, Unit};
use super::stats::Stats;
use super::{Outcome, messages, options};
use crate::cli::Common;

/// A command at work.
pub struct Session {
    started: Instant,
    stats: bool,
    engine: Engine,
    opening: OpenOptions,
    paths: Vec<OsString>,
    output: Output,
    output_path: Option<PathBuf>,
    shown: Shown,
}

/// What a session came to.
pub struct Folded<P> {
    /// For each input in the order given, what it has; none if it could not be read whole.
    pub files: Vec<Option<FileLines>>,
    /// The merged partials; none if no input could be read.
    pub partial: Option<P>,
    /// What `--stats` says.
    stats: Option<String>,
}

impl Session {
    /// Prepares what `common` asks for. What can't work is found out before an input is read.
    pub fn new(common: &Common) -> Result<Session, Error> {
        let paths = options::files(common)?;
        if let Some(output) = &common.output {
            refuse_input_as_output(&paths, output)?;
        }
        Ok(Session {
            started: Instant::now(),
            stats: common.stats,
            engine: options::engine(common)?,
            opening: options::opening(common),
            paths,
            output: Output::open(common.output.as_deref())?,
            output_path: common.output.clone(),
            shown: Shown::unless(common.no_progress),
        })
    }

    /// The inputs, as they were given.
    pub fn paths(&self) -> &[OsString] {
        &self.paths
    }

    /// Opens another output at `path`, which may be neither an input nor the first output.
    pub fn another_output(&self, path: &Path) -> Result<Output, Error> {
        refuse_input_as_output(&self.paths, path)?;
        let first = self.output_path.as_deref().unwrap_or("-".as_ref());
        if output::same_file(first, path) {
            return Err(
                Error::new(ErrorKind::Usage, "is where the result goes already")
                    .about(path)
                    .advise("write to another file"),
            );
        }
        Output::open(Some(path))
    }

    /// Folds all inputs, each after `note` has looked at it. Those that can't be read are reported
    /// and left out.
    pub fn fold<F: Fold>(&self, fold: &F, note: impl Fn(&Input)) -> Folded<F::Partial> {
        let progress = Progress::new(self.bytes_ahead(), Unit::Bytes, self.shown);
        let mut run = self
            .engine
            .run(fold)
            .observed(|bytes| progress.advance(bytes));
        let mut read = Vec::new();
        let mut io_names = Vec::new();
        for path in &self.paths {
            let folded = self.opening.open(path).and_then(|input| {
                let io_name = input.io_name();
                if let (Some(all), Some(ahead)) = (file_bytes(path), input.bytes_ahead()) {
                    progress.expect_less(all.saturating_sub(ahead));
                }
                progress.suspend(|| {
                    print_notes(&input);
                    note(&input);
                });
                run.input(input)?;
                Ok(io_name)
            });
            match folded {
                Ok(io_name) if !io_names.contains(&io_name) => io_names.push(io_name),
                Ok(_) => {}
                Err(ref error) => progress.suspend(|| {
                    messages::print(&format_args!("{error}{}", perhaps_a_command(path)));
                }),
            }
            read.push(folded.is_ok());
        }
        let threads = run.threads();
        let (files, partial) = run.finish();
        progress.finish();
        let stats = self.stats.then(|| self.stats(&files, threads, &io_names));
        let mut files = files.into_iter();
        Folded {
            files: read
                .into_iter()
                .map(|read| if read { files.next() } else { None })
                .collect(),
            partial,
            stats,
        }
    }

    /// How many bytes the inputs have together, if all are regular files.
    fn bytes_ahead(&self) -> Option<u64> {
        self.paths
            .iter()
            .try_fold(0_u64, |bytes, path| bytes.checked_add(file_bytes(path)?))
    }

    /// Writes the result. That nobody reads it any more is no error.
    pub fn write(mut self, result: &[u8]) -> Result<(), Error> {
        let written = self.output.write_all(result);
        but_for_closed_pipes(written.and_then(|()| self.output.finish()))
    }

    fn stats(&self, files: &[FileLines], threads: usize, io_names: &[&str]) -> String {
        let stats = Stats {
            bytes: files.iter().map(|file| file.bytes).sum(),
            lines: files.iter().map(|file| file.lines).sum(),
            took: self.started.elapsed(),
            threads,
        };
        format!(
            "{stats}, io {}, simd {}",
            if io_names.is_empty() {
                "none".to_owned()
            } else {
                io_names.join("+")
            },
            self.engine.options().simd.name(),
        )
    }
}

impl<P> Folded<P> {
    /// Prints the line of `--stats`, if it was asked for.
    pub fn print_stats(&self) {
        if let Some(stats) = &self.stats {
            messages::print(stats);
        }
    }

    /// Whether all inputs were read whole.
    pub fn outcome(&self) -> Outcome {
        if self.files.iter().all(Option::is_some) {
            Outcome::Done
        } else {
            Outcome::Failed
        }
    }
}

/// How many bytes the file at `path` has, if it is a regular one that is named.
fn file_bytes(path: &OsString) -> Option<u64> {
    let file = fs::metadata(path).ok()?;
    (file.is_file() && path != "-").then_some(file.len())
}

/// Prints what there is to say of an input before it is read.
fn print_notes(input: &Input) {
    let name = escaped(input.name().as_encoded_bytes());
    for note in input.notes() {
        messages::print(&format_args!("{name}: note: {note}"));
    }
}

/// What became of `written`: that nobody reads it any more is no error.
pub fn but_for_closed_pipes(written: Result<(), Error>) -> Result<(), Error> {
    written.or_else(|error| {
        if error.is_closed_pipe() {
            Ok(())
        } else {
            Err(error)
        }
    })
}

/// What to add to the error for `path` if a command seems to have been meant: options were given
/// before it.
fn perhaps_a_command(path: &OsString) -> &'static str {
    match path.to_str() {
        Some("count") => {
            " (if the command was meant, it goes first: fecscan count [OPTIONS] [FILE]...)"
        }
        Some("help") => " (if help was meant: fecscan --help)",
        Some("report") => {
            " (if the command was meant, it goes first: fecscan report [OPTIONS] [FILE]...)"
        }
        _ => "",
    }
}

/// Replacing an input by the result would lose it.
fn refuse_input_as_output(paths: &[OsString], output: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let Ok(output_file) = fs::metadata(output) else {
        return Ok(());
    };
    let same = |input: fs::Metadata| {
        input.is_file() && (input.dev(), input.ino()) == (output_file.dev(), output_file.ino())
    };
    let input = |path: &OsString| {
        if path == "-" {
            fs::metadata("/dev/stdin")
        } else {
            fs::metadata(path)
        }
    };
    if paths.iter().filter_map(|path| input(path).ok()).any(same) {
        return Err(Error::new(
            ErrorKind::Usage,
            "is an input, and would be lost as the output",
        )
        .about(output)
        .advise("write to another file"));
    }
    Ok(())
}
