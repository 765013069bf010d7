//! Writes results: to standard output, or to a file that appears whole or not at all.
//!
//! Pipes, terminals and devices are written to as they are. The standard output that the shell has
//! opened keeps its place, so `-o /dev/stdout >> log` appends. A path that names a descriptor, such
//! as `/dev/fd/3`, is opened for appending: the file that it leads to is not replaced.

mod destination;
mod in_order;
mod replacement;

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, fcntl_getfl};

use self::destination::Destination;
use self::replacement::Replacement;
use crate::error::{Error, ErrorKind};
use crate::pipe;

pub use self::destination::{is_standard_output, same_file};
pub use self::in_order::{Guard, InOrder};

/// Receives a result.
#[derive(Debug)]
pub struct Output {
    /// For messages.
    name: PathBuf,
    sink: Sink,
    written: u64,
    escape: Option<Escape>,
}

/// Makes a piece of a result safe for a terminal.
pub type Escape = fn(&[u8]) -> Vec<u8>;

#[derive(Debug)]
enum Sink {
    /// Written to as it is: standard output, a descriptor, or anything else but a regular file.
    Direct(File),
    /// A new file that replaces a regular one, or none.
    Replace(Replacement),
}

impl Output {
    /// Opens the output at `path`. None, `-` and `/dev/stdout` are standard output.
    /// A regular file is replaced by [`Output::finish`]; until then nothing can be seen there, and
    /// without it nothing is left.
    ///
    /// # Errors
    /// If standard output is not open for writing, or no file can be made at `path`.
    pub fn open(path: Option<&Path>) -> Result<Output, Error> {
        let path = path.filter(|path| *path != Path::new("-"));
        let name = path.map_or_else(|| PathBuf::from("standard output"), Path::to_owned);
        match open(path) {
            Ok(sink) => Ok(Output {
                name,
                sink,
                written: 0,
                escape: None,
            }),
            Err(e) => {
                let error = not_written(e, &name);
                Err(match name.parent() {
                    // A bare name has an empty parent.
                    Some(parent) if parent != Path::new("") && !parent.exists() => {
                        error.advise("make its directory first: mkdir -p")
                    }
                    _ => error,
                })
            }
        }
    }

    /// Returns the same output. On a terminal, `escape` makes each piece safe.
    pub fn escaped_by(self, escape: Option<Escape>) -> Output {
        let escape = escape.filter(|_| self.is_terminal());
        Output { escape, ..self }
    }

    /// Writes all of `bytes`, after all that was written before.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = match (&mut self.sink, self.escape) {
            (Sink::Direct(file), None) => file.write_all(bytes),
            (Sink::Direct(file), Some(escape)) => file.write_all(&escape(bytes)),
            (Sink::Replace(new), _) => new.file.write_all(bytes),
        };
        self.written += bytes.len() as u64;
        written.map_err(|e| not_written(e, &self.name))
    }

    /// Returns the number of bytes written so far, for [`Output::truncate_to`].
    pub fn mark(&self) -> u64 {
        self.written
    }

    /// Removes everything written after `mark`, if it has not left the program: to a pipe, a terminal or a
    /// shared file.
    pub fn truncate_to(&mut self, mark: u64) -> Result<(), Error> {
        let Sink::Replace(new) = &mut self.sink else {
            return Ok(());
        };
        new.truncate(mark).map_err(|e| not_written(e, &self.name))?;
        self.written = mark;
        Ok(())
    }

    /// Returns the path, or that it is standard output, for messages.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(&self.sink, Sink::Direct(file) if file.is_terminal())
    }

    /// Returns whether the output will be a file of its own, in place of any before.
    pub fn is_new_file(&self) -> bool {
        matches!(self.sink, Sink::Replace(_))
    }

    /// Puts a new file in its place. Other outputs have nothing left to do.
    ///
    /// # Errors
    /// If the file can't take its place. An existing file is then unchanged.
    pub fn finish(self) -> Result<(), Error> {
        match self.sink {
            Sink::Direct(_) => Ok(()),
            Sink::Replace(new) => new.take_place().map_err(|e| not_written(e, &self.name)),
        }
    }
}

/// Writes whole results only. An [`Error`] travels inside of the [`io::Error`].
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn not_written(error: io::Error, name: &Path) -> Error {
    Error::io(ErrorKind::Output, "can't be written", error).about(name)
}

fn open(path: Option<&Path>) -> io::Result<Sink> {
    match Destination::of(path)? {
        Destination::StandardOutput => standard_output().map(direct),
        Destination::Append(path) => File::options().append(true).open(path).map(direct),
        Destination::Write(path) => File::options().write(true).open(path).map(direct),
        Destination::Replace(path) => Replacement::new(path).map(Sink::Replace),
    }
}

fn direct(file: File) -> Sink {
    pipe::widen(&file);
    Sink::Direct(file)
}

/// Duplicates standard output, unbuffered. The duplicate shares its place in the file.
fn standard_output() -> io::Result<File> {
    let stdout = io::stdout();
    // A descriptor open for reading only would fail after all the work.
    if fcntl_getfl(&stdout)? & OFlags::RWMODE == OFlags::RDONLY {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    Ok(File::from(stdout.as_fd().try_clone_to_owned()?))
}
