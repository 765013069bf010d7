//! Temporary files that have a name, for handlers to remove.

use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The number of files that can be noted at the same time. There are two at the most, and each for
/// a moment only, where the file system has files without a name.
const REMNANTS_MAX: usize = 8;

static REMNANTS: [AtomicPtr<c_char>; REMNANTS_MAX] =
    [const { AtomicPtr::new(ptr::null_mut()) }; REMNANTS_MAX];

/// A file that is removed if a signal ends the process while this is there. If there is no place to
/// note it, it would be left.
#[derive(Debug)]
pub(crate) struct Remnant(Option<&'static AtomicPtr<c_char>>);

impl Remnant {
    /// Notes the file at `path`, or about to be there.
    pub(crate) fn new(path: &Path) -> Remnant {
        let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
            return Remnant(None);
        };
        let path = path.into_raw();
        let free = |slot: &&AtomicPtr<c_char>| {
            slot.compare_exchange(ptr::null_mut(), path, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        let slot = REMNANTS.iter().find(free);
        if slot.is_none() {
            // SAFETY: `path` was made by `CString::into_raw`, and nobody else has seen it.
            drop(unsafe { CString::from_raw(path) });
        }
        Remnant(slot)
    }
}

impl Drop for Remnant {
    fn drop(&mut self) {
        let taken = self
            .0
            .map(|slot| slot.swap(ptr::null_mut(), Ordering::SeqCst));
        if let Some(path) = taken.filter(|path| !path.is_null()) {
            // SAFETY: `path` was made by `CString::into_raw`. Whoever takes it out of the table has
            // it alone; if a handler had, it would not have been there.
            drop(unsafe { CString::from_raw(path) });
        }
    }
}

/// Removes all files that are noted. For a handler.
pub(super) fn remove_all() {
    for slot in &REMNANTS {
        let path = slot.swap(ptr::null_mut(), Ordering::SeqCst);
        if !path.is_null() {
            // SAFETY: what is in the table was made by `CString::into_raw`, and is now ours alone.
            // It is not freed: a handler can't.
            unsafe { libc::unlink(CStr::from_ptr(path).as_ptr()) };
        }
    }
}
