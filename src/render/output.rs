//! Where results go: standard output, or a file that appears whole or not at all.
//!
//! A path such as `/dev/stdout` names what we were given, by the shell for example, and not the file
//! that it leads to: that is written to where it stands, behind what others have written, and
//! appended to if it was opened for that. So are pipes, terminals and other devices.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use tempfile::TempPath;

use super::destination::{Destination, destination, directory_of};
use crate::error::{Error, ErrorKind};

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
    /// A new file, which will take the place of a regular one or of none.
    Replace(Replacement),
}

impl Output {
    /// The output to `path`; to standard output if there is none, or it is `-`. If `path` is that of
    /// a regular file or of nothing, nothing can be seen there until [`Output::finish`] is done; if
    /// it never comes to that, nothing is left.
    ///
    /// # Errors
    /// If standard output is closed, or no file can be made at `path`.
    pub fn open(path: Option<&Path>) -> Result<Output, Error> {
        let path = path.filter(|path| *path != Path::new("-"));
        let name = path.map_or_else(|| PathBuf::from("standard output"), Path::to_owned);
        let sink = match path {
            None => given(libc::STDOUT_FILENO).map(Sink::Direct),
            Some(path) => open(path),
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
            Sink::Replace(new) => new.file.write_all(bytes),
        };
        written.map_err(|e| not_written(e, &self.name))
    }

    /// Whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        match &self.sink {
            Sink::Direct(file) => file.is_terminal(),
            Sink::Replace(_) => false,
        }
    }

    /// The folder of the file that will be written, for what must be kept beside it meanwhile; none
    /// if the output is no such file.
    pub fn directory(&self) -> Option<&Path> {
        match &self.sink {
            Sink::Direct(_) => None,
            Sink::Replace(new) => Some(directory_of(&new.destination)),
        }
    }

    /// Makes what was written be seen.
    ///
    /// # Errors
    /// If the file can't take its place. Then what was there before is still there.
    pub fn finish(self) -> Result<(), Error> {
        match self.sink {
            Sink::Direct(_) => Ok(()),
            Sink::Replace(new) => new.take_place().map_err(|e| not_written(e, &self.name)),
        }
    }
}

fn not_written(error: io::Error, name: &Path) -> Error {
    Error::io(ErrorKind::Output, "can't be written", error).about(name)
}

/// Opens a descriptor that the process was given, at its present position.
fn given(descriptor: RawFd) -> io::Result<File> {
    let file = match descriptor {
        1 => File::from(io::stdout().as_fd().try_clone_to_owned()?),
        2 => File::from(io::stderr().as_fd().try_clone_to_owned()?),
        other => {
            let path = format!("/dev/fd/{other}");
            let file = File::options().append(true).open(path);
            return file.map_err(|e| match e.kind() {
                io::ErrorKind::NotFound => io::Error::from_raw_os_error(libc::EBADF),
                _ => e,
            });
        }
    };
    let mode = rustix::fs::fcntl_getfl(&file)?;
    match mode.intersects(OFlags::WRONLY | OFlags::RDWR) {
        true => Ok(file),
        false => Err(io::Error::from_raw_os_error(libc::EBADF)),
    }
}

/// A new file to replace the one at `path`, or what is there, if that is no regular file.
fn open(path: &Path) -> io::Result<Sink> {
    let destination = match destination(path)? {
        Destination::Given(descriptor) => return given(descriptor).map(Sink::Direct),
        Destination::OpenElsewhere => {
            return File::options().append(true).open(path).map(Sink::Direct);
        }
        Destination::Path(path) => path,
    };
    let permissions = match fs::metadata(&destination) {
        Ok(existing) if !existing.is_file() => {
            return File::options()
                .write(true)
                .open(destination)
                .map(Sink::Direct);
        }
        Ok(existing) if existing.permissions().readonly() => {
            return Err(io::Error::from_raw_os_error(libc::EACCES));
        }
        Ok(existing) => Some(existing.permissions()),
        Err(_) => None,
    };
    let new = Replacement::new(destination)?;
    if let Some(permissions) = permissions {
        // Those that the new file was given were subject to the user's mask.
        new.file.set_permissions(permissions)?;
    }
    Ok(Sink::Replace(new))
}

/// Whether outputs to `one` and `other` are the same: standard output, or another descriptor that
/// we were given, or a file, be it there or not. Others that are no regular files, such as
/// `/dev/null`, don't mind.
pub fn same_file(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| {
        if path == Path::new("-") {
            Path::new("/dev/stdout")
        } else {
            path
        }
    });
    let opened = |path: &Path| {
        let existing = fs::metadata(path).ok();
        existing.map(|file| (file.is_file(), file.dev(), file.ino()))
    };
    let place = |path: &Path| {
        let Ok(Destination::Path(path)) = destination(path) else {
            return None;
        };
        let directory = fs::metadata(directory_of(&path)).ok()?;
        Some((
            directory.dev(),
            directory.ino(),
            path.file_name()?.to_owned(),
        ))
    };
    let given = |path: &Path| match destination(path) {
        Ok(Destination::Given(descriptor)) => Some(descriptor),
        _ => None,
    };
    match (opened(one), opened(other)) {
        _ if given(one).is_some_and(|descriptor| given(other) == Some(descriptor)) => true,
        (Some(one), Some(other)) => one == other && one.0,
        (None, None) => place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other)),
        _ => false,
    }
}

/// A file that is written beside its destination, on the same file system. Where the file system
/// can do that, it has no name before it is complete, so that nothing is left of it even if the
/// process is killed. Elsewhere it has a name that tells whose it is, and is removed unless the
/// process is killed by SIGKILL.
#[derive(Debug)]
struct Replacement {
    file: File,
    named: Option<Named>,
    destination: PathBuf,
}

/// The temporary name of a file. The file is removed when this is dropped.
#[derive(Debug)]
struct Named {
    path: TempPath,
}

impl Replacement {
    fn new(destination: PathBuf) -> io::Result<Replacement> {
        let directory = directory_of(&destination);
        let (file, named) = match without_name(directory) {
            Ok(file) => (file, None),
            // Whatever is wrong, if it is more than that the file system has no such files, is
            // wrong again.
            Err(_) => {
                let mut options = File::options();
                options.write(true).create_new(true).mode(MODE);
                let (file, named) = with_name(directory, |path| options.open(path))?;
                (file, Some(named))
            }
        };
        Ok(Replacement {
            file,
            named,
            destination,
        })
    }

    /// Puts the file where it belongs.
    fn take_place(self) -> io::Result<()> {
        let Replacement {
            file,
            named,
            destination,
        } = self;
        file.sync_all()?;
        let directory = directory_of(&destination);
        let named = match named {
            Some(named) => Some(named),
            None => match link(&file, &destination) {
                Ok(()) => None,
                // A link can't replace what is there; a rename can, but needs a name.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    Some(with_name(directory, |path| link(&file, path))?.1)
                }
                Err(e) => return Err(e),
            },
        };
        if let Some(named) = named {
            named.path.persist(&destination)?;
        }
        // The new name outlives a power failure once the directory is on disk; not every file system
        // can do that.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
        Ok(())
    }
}

/// Who may do what with a new file, as far as the user's mask lets them.
const MODE: u32 = 0o666;

/// A new file in `directory` that has no name yet.
#[cfg(target_os = "linux")]
fn without_name(directory: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).mode(MODE).custom_flags(libc::O_TMPFILE);
    let file = options.open(directory)?;
    // It will be named through this.
    fs::metadata(path_of(&file))?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives `file`, which has no name, the name `path`.
fn link(file: &File, path: &Path) -> io::Result<()> {
    Ok(linkat(
        CWD,
        path_of(file),
        CWD,
        path,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

fn path_of(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Has `make` make a file at an unused path in `directory`, which is removed if it comes to nothing.
fn with_name<T>(directory: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Named)> {
    let made = tempfile::Builder::new()
        .prefix(".fecscan-")
        .suffix(".tmp")
        .make_in(directory, make)?;
    let (made, path) = made.into_parts();
    Ok((made, Named { path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let names = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// What a file system does that has no files without a name.
    #[test]
    fn a_file_with_a_temporary_name_takes_its_place_or_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let make = || {
            let destination = directory.join("result");
            let mut options = File::options();
            options.write(true).create_new(true);
            let (file, named) = with_name(directory, |path| options.open(path)).unwrap();
            Replacement {
                file,
                named: Some(named),
                destination,
            }
        };
        let new = make();
        let [name] = &names(directory)[..] else {
            panic!("one file")
        };
        assert!(name.starts_with(".fecscan-") && name.ends_with(".tmp"));
        drop(new);
        assert!(names(directory).is_empty());
        for _ in 0..2 {
            make().take_place().unwrap();
            assert_eq!(names(directory), ["result"]);
        }
    }
}
