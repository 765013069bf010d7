//! What every command that reads inputs does: open them one by one, fold each, report those that
//! fail, go on.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

use fecscan::engine::{Engine, FileLines};
use fecscan::error::{Error, ErrorKind, escaped};
use fecscan::fold::Fold;
use fecscan::input::{Input, OpenOptions, file_bytes};
use fecscan::render::output::{self, Output};

use super::progress::{Progress, Shown, Unit};
use super::stats::Stats;
use super::{Outcome, messages, open_output, options};
use crate::cli::Common;
use crate::startup::is_closed;

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
pub struct Session_<P> {
    /// For each input in the order given, what it has; none if it could not be read whole.
    pub files: Vec<Option<FileLines>>,
    pub result: fecscan::fold::Folded<P>,
    /// What `--stats` says.
    stats: Option<String>,
}

impl Session {
    /// Prepares what `common` asks for. What can't work is found out before an input is read.
    pub fn new(common: &Common) -> Result<Session, Error> {
        let paths = options::files(common)?;
        let output = common.output.as_deref();
        refuse_input_as_output(&paths, output.unwrap_or("/dev/stdout".as_ref()))?;
        Ok(Session {
            started: Instant::now(),
            stats: common.stats,
            engine: options::engine(common)?,
            opening: options::opening(common),
            paths,
            output: open_output(common.output.as_deref())?,
            output_path: common.output.clone(),
            shown: Shown::unless(common.no_progress),
        })
    }

    /// The inputs, as they were given.
    pub fn paths(&self) -> &[OsString] {
        &self.paths
    }

    /// Where the result goes.
    pub fn output(&self) -> &Output {
        &self.output
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
        open_output(Some(path))
    }

    /// Does `work` among the threads that have folded.
    pub fn among_workers<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.engine.among_workers(work)
    }

    /// Folds all inputs, each after `note` has looked at it and said what there is to say. Those that
    /// can't be read are reported and left out.
    pub fn fold<F: Fold>(
        &self,
        fold: &F,
        numbered: &[u64],
        note: impl Fn(&Input) -> Option<String>,
    ) -> Session_<F::Partial> {
        let progress = Progress::new(self.bytes_ahead(), Unit::Bytes, self.shown);
        let mut run = self
            .engine
            .run(fold)
            .with_numbered_lines(numbered)
            .observed(|bytes| progress.advance(bytes));
        let mut read = Vec::new();
        let mut io_names = Vec::new();
        while let paths = &self.paths[read.len()..]
            && !paths.is_empty()
        {
            let opened = self.open(paths, run.inputs_at_once());
            let said = |input: &Input| Said::of(input, note(input));
            let said: Vec<_> = opened.inputs.iter().map(said).collect();
            for (path, input) in paths.iter().zip(&opened.inputs) {
                if let (Some(all), Some(ahead)) = (file_bytes(path), input.bytes_ahead()) {
                    progress.expect_less(all.saturating_sub(ahead));
                }
            }
            // What there is to say of an input comes before it is read, but not before what there
            // is to say of those in front of it.
            let print_notes = |said: &Said| progress.suspend(|| said.print_notes());
            said.iter().take(1).for_each(print_notes);
            let folded = run.inputs(opened.inputs).into_iter();
            for (nth, folded) in folded.chain(opened.failure.map(Err)).enumerate() {
                let said = said.get(nth);
                said.iter()
                    .skip(usize::from(nth == 0))
                    .for_each(|said| print_notes(said));
                if let Err(error) = &folded {
                    let perhaps = perhaps_a_command(&paths[nth]);
                    progress.suspend(|| messages::print(&format_args!("{error}{perhaps}")));
                } else if let Some(said) = said
                    && !io_names.contains(&said.io_name)
                {
                    io_names.push(said.io_name);
                }
                read.push(folded.is_ok());
            }
        }
        let threads = run.threads();
        let folded = run.finish();
        progress.finish();
        let stats = self.stats.then(|| self.stats(&folded.files, threads, &io_names));
        let mut files = folded.files.clone().into_iter();
        Session_ {
            files: read
                .into_iter()
                .map(|read| if read { files.next() } else { None })
                .collect(),
            result: folded,
            stats,
        }
    }

    /// Opens the first of `paths`, and those that are to be read at the same time.
    fn open(&self, paths: &[OsString], at_once: usize) -> Opened {
        let mut opened = Opened::default();
        if paths[0] == "-" && is_closed(0) {
            let closed = io::Error::from_raw_os_error(libc::EBADF);
            let error = Error::io(ErrorKind::Input, "", closed).about("standard input");
            opened.failure = Some(error);
            return opened;
        }
        for input in self.opening.open_together(paths, at_once) {
            match input {
                Err(error) => opened.failure = Some(error),
                Ok(input) => opened.inputs.push(input),
            }
        }
        opened
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

impl<P> Session_<P> {
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

/// Inputs that are read at the same time.
#[derive(Default)]
struct Opened {
    inputs: Vec<Input>,
    /// Why the one behind them could not be opened.
    failure: Option<Error>,
}

/// What is said of an input.
struct Said {
    io_name: &'static str,
    notes: Vec<String>,
}

impl Said {
    fn of(input: &Input, note: Option<String>) -> Said {
        let name = escaped(input.name().as_encoded_bytes());
        let notes = input.notes().iter();
        let notes = notes.map(|note| format!("{name}: note: {note}"));
        Said {
            io_name: input.io_name(),
            notes: notes.chain(note).collect(),
        }
    }

    fn print_notes(&self) {
        self.notes.iter().for_each(messages::print);
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

/// Replacing an input by the result would lose it, and a pipe to oneself has no end.
fn refuse_input_as_output(paths: &[OsString], output: &Path) -> Result<(), Error> {
    let Ok(output_file) = fs::metadata(output) else {
        return Ok(());
    };
    let same = |input: fs::Metadata| {
        let file_or_pipe = input.is_file() || input.file_type().is_fifo();
        file_or_pipe && (input.dev(), input.ino()) == (output_file.dev(), output_file.ino())
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
