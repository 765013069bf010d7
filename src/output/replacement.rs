//! Replaces a file as a whole.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, linkat};
use tempfile::TempPath;

use super::destination::directory_of;

/// The permissions of a new file, before the user's mask.
const MODE: u32 = 0o666;

/// Holds a new file until it takes its place. Where the file system allows it, the file has no name
/// before that, so nothing is left of it even by a kill. Elsewhere it is `.fecscan-*.tmp`, and a
/// kill leaves it there.
#[derive(Debug)]
pub(super) struct Replacement {
    pub(super) file: File,
    pub(super) path: PathBuf,
    temporary: Option<TempPath>,
}

impl Replacement {
    pub(super) fn new(path: PathBuf) -> io::Result<Replacement> {
        let permissions = match fs::metadata(&path) {
            Ok(existing) if existing.permissions().readonly() => {
                return Err(io::Error::from_raw_os_error(libc::EACCES));
            }
            existing => existing.ok().map(|existing| existing.permissions()),
        };
        let directory = directory_of(&path);
        let (file, temporary) = match without_name(directory) {
            Ok(file) => (file, None),
            // If the file system can do it, the same error comes again.
            Err(_) => {
                let mut options = File::options();
                options.read(true).write(true).create_new(true).mode(MODE);
                let (file, name) = with_name(directory, |path| options.open(path))?;
                (file, Some(name))
            }
        };
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        Ok(Replacement {
            file,
            path,
            temporary,
        })
    }

    pub(super) fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)?;
        self.file.seek(SeekFrom::Start(bytes)).map(drop)
    }

    pub(super) fn take_place(self) -> io::Result<()> {
        let Replacement {
            file,
            path,
            temporary,
        } = self;
        file.sync_all()?;
        let directory = directory_of(&path);
        let temporary = match temporary {
            Some(temporary) => Some(temporary),
            None => match link(&file, &path) {
                Ok(()) => None,
                // A link can't replace a file; a rename can, but needs a name.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    Some(with_name(directory, |path| link(&file, path))?.1)
                }
                Err(e) => return Err(e),
            },
        };
        if let Some(temporary) = temporary
            && let Err(refused) = temporary.persist(&path)
        {
            // Nothing can be renamed over a mount point, such as a file that Docker has mounted.
            return match refused.error.kind() {
                io::ErrorKind::ResourceBusy => write_over(file, &path),
                _ => Err(refused.error),
            };
        }
        // The new name outlives a power failure once the directory is on disk. Not every file
        // system can do that.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
        Ok(())
    }
}

/// Copies `new` into the file at `path`, which stays the same file. If that fails, its content is lost.
fn write_over(mut new: File, path: &Path) -> io::Result<()> {
    let mut old = File::options().write(true).truncate(true).open(path)?;
    new.rewind()?;
    io::copy(&mut new, &mut old)?;
    old.sync_all()
}

/// Opens a new file in `directory` that has no name yet.
#[cfg(target_os = "linux")]
fn without_name(directory: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).mode(MODE);
    options.custom_flags(libc::O_TMPFILE);
    let file = options.open(directory)?;
    // Without /proc, the file could not be given a name later.
    fs::metadata(path_of(&file))?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn link(file: &File, path: &Path) -> io::Result<()> {
    let links = AtFlags::SYMLINK_FOLLOW;
    Ok(linkat(CWD, path_of(file), CWD, path, links)?)
}

fn path_of(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Calls `make` with an unused path in `directory`. The file there is removed with the returned path.
fn with_name<T>(
    directory: &Path,
    make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<(T, TempPath)> {
    let made = tempfile::Builder::new()
        .prefix(".fecscan-")
        .suffix(".tmp")
        .make_in(directory, make)?;
    Ok(made.into_parts())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let names = fs::read_dir(directory).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> = names.map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    /// As on a file system without unnamed files.
    #[test]
    fn a_file_with_a_temporary_name_takes_its_place_or_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let make = || {
            let mut options = File::options();
            options.write(true).create_new(true);
            let (file, name) = with_name(directory, |path| options.open(path)).unwrap();
            Replacement {
                file,
                path: directory.join("result"),
                temporary: Some(name),
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
