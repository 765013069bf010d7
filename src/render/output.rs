//! Where results go: standard output, or a file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind};
use crate::input::standard;

/// Where a result goes.
#[derive(Debug)]
pub struct Output {
    /// For messages.
    name: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Standard output, or something else that is no regular file: it is written to as it is.
    Direct(File),
    /// The temporary file beside a regular one, which it will replace.
    Replace {
        temporary: NamedTempFile,
        path: PathBuf,
    },
}

impl Output {
    /// The output to `path`; to standard output if there is none, or it is `-`. Nothing can be seen
    /// at `path` until [`Output::finish`] is done; if it never comes to that, the temporary file is
    /// removed.
    ///
    /// # Errors
    /// If standard output is closed, or no file can be made at `path`.
    pub fn open(path: Option<&Path>) -> Result<Output, Error> {
        let path = path.filter(|path| *path != Path::new("-"));
        let name = path.map_or_else(|| PathBuf::from("standard output"), Path::to_owned);
        let sink = match path {
            None => standard_output().map(Sink::Direct),
            Some(path) => beside(path),
        };
        match sink {
            Ok(sink) => Ok(Output { name, sink }),
            Err(e) => Err(not_written(e, &name)),
        }
    }

    /// Writes all of `bytes`, behind what was written before.
    ///
    /// # Errors
    /// If that fails.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = match &mut self.sink {
            Sink::Direct(file) => file.write_all(bytes),
            Sink::Replace { temporary, .. } => temporary.write_all(bytes),
        };
        written.map_err(|e| not_written(e, &self.name))
    }

    /// Makes what was written be seen.
    ///
    /// # Errors
    /// If the file can't take its place. Then what was there before is still there.
    pub fn finish(self) -> Result<(), Error> {
        match self.sink {
            Sink::Direct(_) => Ok(()),
            Sink::Replace { temporary, path } => {
                replace(temporary, &path).map_err(|e| not_written(e, &self.name))
            }
        }
    }
}

fn not_written(error: io::Error, name: &Path) -> Error {
    Error::io(ErrorKind::Output, "can't be written", error).about(name)
}

fn standard_output() -> io::Result<File> {
    if standard::output_was_closed() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// A temporary file beside `path`, or what is there, if that is no regular file.
fn beside(path: &Path) -> io::Result<Sink> {
    // A link stays a link: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&path).ok();
    if existing
        .as_ref()
        .is_some_and(|existing| !existing.is_file())
    {
        return File::options().write(true).open(&path).map(Sink::Direct);
    }
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if existing
        .as_ref()
        .is_some_and(|existing| existing.permissions().readonly())
    {
        return Err(io::Error::from_raw_os_error(libc::EACCES));
    }
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(".fecscan-")
        .suffix(".tmp")
        .permissions(fs::Permissions::from_mode(0o666));
    let temporary = builder.tempfile_in(directory)?;
    if let Some(existing) = existing {
        // Those that the new file was given were subject to the user's mask.
        temporary
            .as_file()
            .set_permissions(existing.permissions())?;
    }
    Ok(Sink::Replace { temporary, path })
}

fn replace(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    temporary.as_file().sync_all()?;
    let directory = temporary.path().parent().map(Path::to_owned);
    temporary.persist(path)?;
    // The new name outlives a power failure once the directory is on disk; not every file system
    // can do that.
    if let Some(directory) = directory {
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}
