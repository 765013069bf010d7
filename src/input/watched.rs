//! Notices that a file is not as it was when it was opened.
//!
//! The answer for a file that changed meanwhile would be that of bytes that never existed together. So the
//! file is looked at before and after:
//!
//! - **Its size and time of modification.** Every write changes the time.
//! - **Its time of change**, which no program can set back. So it also shows a program that writes and
//!   then restores the time of modification, as `cp -p` onto the file does. But it changes with the file's
//!   names and rights too. Renaming, linking, unlinking and new rights leave the bytes, and so the answer.
//!   So a new time of change alone is a change of the file only if its name, links, mode and owner are the
//!   same.
//!
//! Its inode needs no look: the open file is asked, wherever its name leads by now.
//!
//! One call of `write` that began before the file was opened and ends after the run is not noticed: the
//! kernel notes the time when a call begins. Changes within one tick of the file system's clock (some
//! milliseconds, where the kernel has no finer times) are in doubt. So are changes through a writer's
//! own map, which the kernel notes once for each page and not for each write.

use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::{Error, ErrorKind};

/// The message for a file that was changed, and the advice.
pub(super) const CHANGED: (&str, &str) = (
    "was changed while it was read",
    "run again when nobody writes to it",
);

/// The message for a file whose end is gone, and the advice.
pub(super) const SHORTER: (&str, &str) = (
    "became shorter while it was read",
    "run again when it is complete",
);

/// A watched file.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) file: Arc<File>,
    /// Where in the file the input begins.
    offset: u64,
    /// The state of the file when it was opened.
    pub(super) before: FileState,
    /// The name by which the file is open, which follows renames.
    name: Option<PathBuf>,
}

/// The facts about a file that change with its bytes, or its names and rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) bytes: u64,
    pub(super) modified: (i64, i64),
    pub(super) changed: (i64, i64),
    /// Links, mode, owner and group.
    pub(super) identity: (u64, u32, u32, u32),
}

impl FileState {
    /// Returns the state of a file with this `metadata`.
    pub(super) fn of(metadata: &Metadata) -> FileState {
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

    /// Returns the time of modification. None where the system's times do not reach so far.
    pub(super) fn modified_time(&self) -> Option<SystemTime> {
        let (seconds, nanoseconds) = self.modified;
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let second = if seconds < 0 {
            UNIX_EPOCH.checked_sub(whole)
        } else {
            UNIX_EPOCH.checked_add(whole)
        };
        second?.checked_add(Duration::from_nanos(nanoseconds.try_into().ok()?))
    }

    /// Tells whether the bytes may have changed since `before`. A new name explains a new time of
    /// change.
    pub(super) fn may_have_other_bytes(&self, before: &FileState, renamed: bool) -> bool {
        let written = (self.bytes, self.modified) != (before.bytes, before.modified);
        let explained = renamed || self.identity != before.identity;
        written || (self.changed != before.changed && !explained)
    }
}

impl Watched {
    /// Watches `file` from `offset`. Also returns the metadata.
    pub(super) fn new(file: File, offset: u64) -> io::Result<(Arc<Watched>, Metadata)> {
        // A rename between the two is in the metadata, and so is no change during the run.
        let name = open_name(&file);
        let metadata = file.metadata()?;
        let watched = Watched {
            name,
            before: FileState::of(&metadata),
            offset,
            file: Arc::new(file),
        };
        Ok((Arc::new(watched), metadata))
    }

    /// Returns where in the file the input lies.
    pub(super) fn range(&self) -> Range<u64> {
        self.offset..self.before.bytes.max(self.offset)
    }

    /// Checks that the file is as it was.
    pub(super) fn check(&self) -> Result<(), Error> {
        let now = self.file.metadata();
        let now = now.map_err(|e| Error::io(ErrorKind::Input, "can't be checked", e))?;
        let now = FileState::of(&now);
        let renamed = now.changed != self.before.changed && open_name(&self.file) != self.name;
        let error = |(what, advice)| Error::input(what).advise(advice);
        if now.bytes < self.before.bytes {
            return Err(error(SHORTER).at_byte(now.bytes.saturating_sub(self.offset)));
        }
        if now.may_have_other_bytes(&self.before, renamed) {
            Err(error(CHANGED))
        } else {
            Ok(())
        }
    }
}

/// Returns the name under which `file` is open. None where the system does not tell it; a rename then
/// looks like a change.
fn open_name(file: &File) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}
