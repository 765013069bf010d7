//! Where results go: standard output, or a file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind};
use crate::input::standard;

/// Where a result goes.
#[derive(Debug)]
pub enum Output {
    /// Standard output.
    Standard,
    /// A regular file, which is replaced by the temporary one beside it when that is complete.
    Replace {
        /// The result in the making.
        temporary: NamedTempFile,
        /// The file to replace.
        path: PathBuf,
    },
    /// Something that is no regular file, such as a pipe: it is written to as it is.
    Direct {
        /// The open file.
        file: File,
        /// Its path, for messages.
        path: PathBuf,
    },
}

impl Output {
    /// The output to `path`, or to standard output. Nothing can be seen at `path` until [`Output::write`] is done; if
    /// it never comes to that, the temporary file is removed.
    ///
    /// # Errors
    /// If no file can be made there.
    pub fn open(path: Option<&Path>) -> Result<Output, Error> {
        let Some(given) = path else {
            return Ok(Output::Standard);
        };
        let failed = |e| Error::io(ErrorKind::Output, "can't be written", e).about(given);
        // A link stays a link: what it leads to is replaced.
        let path = fs::canonicalize(given).unwrap_or_else(|_| given.to_owned());
        let existing = fs::metadata(&path).ok();
        if existing
            .as_ref()
            .is_some_and(|existing| !existing.is_file())
        {
            let file = File::options().write(true).open(&path).map_err(failed)?;
            return Ok(Output::Direct { file, path });
        }
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let permissions = existing.map_or(fs::Permissions::from_mode(0o666), |existing| {
            existing.permissions()
        });
        let temporary = tempfile::Builder::new()
            .prefix(".fecscan-")
            .suffix(".tmp")
            .permissions(permissions)
            .tempfile_in(directory)
            .map_err(failed)?;
        Ok(Output::Replace { temporary, path })
    }

    /// Writes `result`, all of it.
    ///
    /// # Errors
    /// If it can't be written. Of a regular file, nothing is to be seen then.
    pub fn write(self, result: &[u8]) -> Result<(), Error> {
        let (written, name) = match self {
            Output::Standard => (write_standard(result), PathBuf::from("standard output")),
            Output::Direct { mut file, path } => (file.write_all(result), path),
            Output::Replace { temporary, path } => (replace(temporary, &path, result), path),
        };
        written.map_err(|e| Error::io(ErrorKind::Output, "can't be written", e).about(name))
    }
}

fn write_standard(result: &[u8]) -> io::Result<()> {
    if standard::output_was_closed() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    let mut out = io::stdout().lock();
    out.write_all(result)?;
    out.flush()
}

fn replace(mut temporary: NamedTempFile, path: &Path, result: &[u8]) -> io::Result<()> {
    temporary.write_all(result)?;
    temporary.as_file().sync_all()?;
    let directory = temporary.path().parent().map(Path::to_owned);
    temporary.persist(path)?;
    // The new name outlives a power failure once the directory is on disk; not every file system can do that.
    if let Some(directory) = directory {
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}
