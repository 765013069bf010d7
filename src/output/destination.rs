//! Decides how the path of an output is written to.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    StandardOutput,
    /// Opens what a descriptor leads to, and appends to it.
    Append(PathBuf),
    /// Opens a pipe, a terminal or a device, and writes to it.
    Write(PathBuf),
    /// Replaces the regular file here, or makes a new one.
    Replace(PathBuf),
}

impl Destination {
    pub(super) fn of(path: Option<&Path>) -> io::Result<Destination> {
        let path = match path {
            Some(path) if !is_standard_output(path) => path,
            _ => return Ok(Destination::StandardOutput),
        };
        if names_descriptor(path) {
            return Ok(Destination::Append(path.to_owned()));
        }
        match fs::metadata(path) {
            Ok(existing) if !existing.is_file() => Ok(Destination::Write(path.to_owned())),
            _ => canonical(path).map(Destination::Replace),
        }
    }
}

/// Returns whether an output at `path` is standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Returns whether `path` is a name of an open descriptor, of this process or another one. Such a
/// name looks like a link to a path, but the file may have lost that path, or never had one.
fn names_descriptor(path: &Path) -> bool {
    let folder = fs::canonicalize(directory_of(path)).unwrap_or_default();
    path == Path::new("/dev/stderr")
        || folder == Path::new("/dev/fd")
        || (folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Returns `path` without links. The file at its end need not exist yet.
fn canonical(path: &Path) -> io::Result<PathBuf> {
    let missing = match fs::canonicalize(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => e,
        found => return found,
    };
    if let Ok(target) = fs::read_link(path) {
        return canonical(&directory_of(path).join(target));
    }
    let bytes = path.as_os_str().as_bytes();
    match path.file_name() {
        Some(name) if !bytes.ends_with(b"/") && !bytes.ends_with(b"/.") => {
            Ok(fs::canonicalize(directory_of(path))?.join(name))
        }
        _ => Err(missing),
    }
}

/// Returns whether two outputs would write to the same file, pipe or terminal. Devices such as
/// `/dev/null` take any number of outputs.
pub fn same_file(one: &Path, other: &Path) -> bool {
    let metadata = |path: &Path| {
        if is_standard_output(path) {
            fs::metadata("/dev/stdout")
        } else {
            fs::metadata(path)
        }
    };
    let is_device = |file: &Metadata| {
        file.file_type().is_char_device() && !(is_standard_output(one) && is_standard_output(other))
    };
    match (metadata(one), metadata(other)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()) && !is_device(&a),
        (Err(_), Err(_)) => {
            canonical(one).is_ok_and(|one| canonical(other).is_ok_and(|b| one == b))
        }
        _ => false,
    }
}

pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_their_end() {
        let directory = tempfile::tempdir().unwrap();
        let directory = fs::canonicalize(directory.path()).unwrap();
        let at = |name: &str| directory.join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("file"), "").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("folder/nothing", at("dangling")).unwrap();
        symlink("../dangling", at("folder/back")).unwrap();
        symlink("circle", at("circle")).unwrap();
        symlink("nowhere/", at("slash")).unwrap();
        for (path, end) in [
            ("file", "file"),
            ("link", "file"),
            ("new", "new"),
            ("dangling", "folder/nothing"),
            ("folder/back", "folder/nothing"),
            ("folder/../1", "1"),
        ] {
            let found = Destination::of(Some(&at(path))).unwrap();
            assert_eq!(found, Destination::Replace(at(end)), "{path}");
        }
        for (path, errno) in [
            ("circle", libc::ELOOP),
            ("file/", libc::ENOTDIR),
            ("nowhere/", libc::ENOENT),
            ("nowhere/.", libc::ENOENT),
            ("nowhere/..", libc::ENOENT),
            ("nowhere/x", libc::ENOENT),
            ("slash", libc::ENOENT),
        ] {
            let error = Destination::of(Some(&at(path))).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(errno), "{path}");
        }
        let folder = Destination::of(Some(&at("folder/"))).unwrap();
        assert_eq!(folder, Destination::Write(at("folder/")));
    }
}
