//! Whether a file is still as it was when it was opened.
//!
//! The answer to a file that changed meanwhile would be one to bytes that never stood there
//! together, so the file is looked at before and after. What tells:
//!
//! - **Its size and time of modification.** Whoever writes to a file changes the latter.
//! - **Its time of change**, which nobody can set back, and so tells also of a program that writes
//!   and then restores the time of modification, as `cp -p` onto the file does. But it changes with
//!   the file's names and rights too, and a file that is renamed, replaced by a rename, linked,
//!   unlinked, or given to somebody else is still the file that was opened: its bytes are the same,
//!   and so is the answer. So a new time of change alone is a change of the file only if neither
//!   its name, its links, its mode nor its owner explain it.
//!
//! Its inode needs no look: it is the open file that is asked, whatever its name leads to by now.
//!
//! Not noticed is a single call to `write` that began before the file was opened and goes on until
//! after the run: the kernel notes the time when a call begins. In doubt is what happens within one
//! tick of the file system's clock (some milliseconds, where the kernel has no finer times), and a
//! writer that writes through a map of its own, which the kernel notes once for each page and not
//! for each write.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::error::{Error, ErrorKind};

/// What is said of a file that was changed, and what to do about it.
pub(super) const CHANGED: (&str, &str) = (
    "was changed while it was read",
    "run again when nobody writes to it",
);

/// The same for one whose end is gone.
pub(super) const SHORTER: (&str, &str) = (
    "became shorter while it was read",
    "run again when it is complete",
);

/// A file that is watched.
#[derive(Debug)]
pub(super) struct Watched {
    file: File,
    before: FileState,
    /// The name by which the file is open, which follows renames.
    name: Option<PathBuf>,
}

/// What changes when the bytes of a file do, or its names and rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) bytes: u64,
    pub(super) modified: (i64, i64),
    pub(super) changed: (i64, i64),
    /// Links, mode, owner and group.
    pub(super) identity: (u64, u32, u32, u32),
}

impl FileState {
    fn of(metadata: &Metadata) -> FileState {
        FileState {
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            identity: (
                metadata.nlink(),
                metadata.mode(),
                metadata.uid(),
                metadata.gid(),
            ),
        }
    }

    /// Whether the bytes may be others than at the time of `before`, unless a new name explains why
    /// the time of change is another.
    pub(super) fn may_have_other_bytes(&self, before: &FileState, renamed: bool) -> bool {
        let written = (self.bytes, self.modified) != (before.bytes, before.modified);
        let explained = renamed || self.identity != before.identity;
        written || (self.changed != before.changed && !explained)
    }
}

impl Watched {
    /// Watches `file`, whose `metadata` are those that it had when it was opened.
    pub(super) fn new(file: &File, metadata: &Metadata) -> io::Result<Watched> {
        let file = file.try_clone()?;
        Ok(Watched {
            name: open_name(&file),
            before: FileState::of(metadata),
            file,
        })
    }

    /// Checks that the file is as it was.
    pub(super) fn check(&self, name: &OsStr) -> Result<(), Error> {
        let now = self
            .file
            .metadata()
            .map_err(|e| Error::io(ErrorKind::Input, "can't be checked", e).about(name))?;
        let now = FileState::of(&now);
        let renamed = now.changed != self.before.changed && open_name(&self.file) != self.name;
        match now.may_have_other_bytes(&self.before, renamed) {
            false => Ok(()),
            true => Err(Error::new(ErrorKind::Input, CHANGED.0)
                .about(name)
                .advise(CHANGED.1)),
        }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn before(&self) -> FileState {
        self.before
    }
}

/// The name by which the system knows that `file` is open; none where it does not tell. Then a
/// rename looks like a change.
fn open_name(file: &File) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: FileState = FileState {
        bytes: 10,
        modified: (5, 5),
        changed: (6, 6),
        identity: (1, 0o100_644, 0, 0),
    };

    #[test]
    fn bytes_may_be_others_if_size_or_times_are_and_nothing_harmless_explains_it() {
        let changed = FileState {
            changed: (7, 0),
            ..BEFORE
        };
        let linked = FileState {
            identity: (2, 0o100_644, 0, 0),
            ..changed
        };
        let cases = [
            (BEFORE, false, false),
            (FileState { bytes: 9, ..BEFORE }, false, true),
            (FileState { bytes: 9, ..linked }, true, true),
            (
                FileState {
                    modified: (5, 6),
                    ..linked
                },
                true,
                true,
            ),
            (changed, false, true),
            (changed, true, false),
            (linked, false, false),
        ];
        for (now, renamed, other_bytes) in cases {
            assert_eq!(
                now.may_have_other_bytes(&BEFORE, renamed),
                other_bytes,
                "{now:?}, renamed: {renamed}"
            );
        }
    }
}
