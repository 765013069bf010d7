//! Where a path leads to that something is to be written to.

use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// As many links are followed as Linux does.
const LINKS_MAX: usize = 40;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A descriptor of this process.
    Given(RawFd),
    /// A descriptor of another process: what it has open, whatever its path was.
    OpenElsewhere,
    /// The path at the end of all links.
    Path(PathBuf),
}

/// What would be written to by writing to `path`: what is at the end of all links, as by the shell's
/// `>`, whether there is something or not.
///
/// # Errors
/// If that can't be a file, or the links go round in a circle.
pub(super) fn destination(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let name = path.as_os_str().as_bytes();
        if path.file_name().is_none() || name.ends_with(b"/") || name.ends_with(b"/.") {
            fs::metadata(&path)?;
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        if let Some(descriptor) = descriptor(&path) {
            return Ok(descriptor);
        }
        match fs::read_link(&path) {
            // What a link leads to is told from the folder that it lies in.
            Ok(target) => path = directory_of(&path).join(target),
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINVAL | libc::ENOENT)) => {
                return Ok(Destination::Path(path));
            }
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// The descriptor that `path` is the name of, in the system's folder of those of this process or
/// another one; none if it is something else. Such a name looks like a link to a path, but the file
/// may have lost that path, or never had one.
fn descriptor(path: &Path) -> Option<Destination> {
    let name = path.file_name()?.to_str()?;
    let number: RawFd = name.parse().ok()?;
    let folder = fs::canonicalize(directory_of(path)).ok()?;
    let ours = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];
    let is_ours = ours
        .iter()
        .any(|ours| fs::canonicalize(ours).is_ok_and(|ours| ours == folder));
    if is_ours && number.to_string() == name {
        return Some(Destination::Given(number));
    }
    let elsewhere = folder.starts_with("/proc") && folder.ends_with("fd");
    elsewhere.then_some(Destination::OpenElsewhere)
}

/// The folder that `path` lies in.
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
    fn links_are_followed_to_where_they_lead() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("file"), "").unwrap();
        symlink("folder/nothing", at("dangling")).unwrap();
        symlink("../dangling", at("folder/back")).unwrap();
        symlink("circle", at("circle")).unwrap();
        symlink("nowhere/", at("slash")).unwrap();
        let errno = |name: &str| destination(&at(name)).unwrap_err().raw_os_error().unwrap();

        let leads_to = |path: &str, end: Destination| {
            assert_eq!(destination(&at(path)).unwrap(), end, "{path}");
        };
        let path = |name: &str| Destination::Path(at(name));
        leads_to("file", path("file"));
        leads_to("dangling", path("folder/nothing"));
        leads_to("folder/back", path("folder/../folder/nothing"));
        // A number elsewhere is a name like others.
        leads_to("1", path("1"));
        symlink("/dev/fd/7", at("given")).unwrap();
        leads_to("given", Destination::Given(7));
        assert_eq!(errno("circle"), libc::ELOOP);
        assert_eq!(errno("file/"), libc::ENOTDIR);
        assert_eq!(errno("folder/"), libc::EISDIR);
        assert_eq!(errno("folder/."), libc::EISDIR);
        assert_eq!(errno("folder/.."), libc::EISDIR);
        for name in ["nowhere/", "nowhere/.", "nowhere/..", "slash"] {
            assert_eq!(errno(name), libc::ENOENT, "{name}");
        }
        #[cfg(target_os = "linux")]
        for (name, end) in [
            ("/dev/stdout", Destination::Given(1)),
            ("/proc/self/fd/2", Destination::Given(2)),
            ("/proc/1/fd/2", Destination::OpenElsewhere),
        ] {
            assert_eq!(destination(Path::new(name)).unwrap(), end, "{name}");
        }
    }
}
