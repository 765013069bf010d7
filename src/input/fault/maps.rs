//! Looks up the mapped file that an address belongs to, for a handler.
//!
//! The table holds a pointer for each map. A handler may look at it at any moment, and so without a lock.
//! Two facts make that sound. First, the map of the address outlives the handler: the thread that touched
//! it runs the handler, and holds the map borrowed. Second, other maps are not freed once a handler runs.
//! `Noted::drop` takes its pointer out of the table and then loads `FAULTED`; the handler sets `FAULTED` and
//! then looks at the table. So at least one of them sees the other's write. A map that is not freed
//! then is lost, but the process is about to end.

use std::cell::UnsafeCell;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

use super::super::watched::{CHANGED, FileState, SHORTER, Watched};
use super::{FAULTED, write_to_standard_error};
use crate::error::escaped;

/// The number of files that can be mapped at the same time, and be reported if they are cut.
const MAPS_MAX: usize = 64;

/// The pages of a file come and go whole. They are at least this large.
const PAGE_BYTES: u64 = 4096;

/// The room for the text of a line that follows the file's name.
const REST_BYTES_MAX: usize = 256;

static MAPS: [AtomicPtr<Map>; MAPS_MAX] = [const { AtomicPtr::new(ptr::null_mut()) }; MAPS_MAX];

/// The beginning of lines on standard error. Unset if maps are not noted.
static LINE_START: OnceLock<String> = OnceLock::new();

/// Makes maps be noted, for lines that begin with the name of `program`.
pub(super) fn note_for(program: &str) {
    // There may be a progress bar on a terminal.
    let clear = if io::stderr().is_terminal() {
        "\r\x1b[K"
    } else {
        ""
    };
    LINE_START.get_or_init(|| format!("{clear}{program}: "));
}

/// A map, as a handler sees it.
pub(super) struct Map {
    addresses: Range<usize>,
    file: Arc<File>,
    /// Where in the file the map begins.
    offset: u64,
    before: FileState,
    /// The beginning of the line that reports a fault, and room for the rest of it.
    line: UnsafeCell<Line>,
}

/// The place of a map in the table.
#[derive(Debug)]
pub(crate) struct Noted(Option<&'static AtomicPtr<Map>>);

impl Noted {
    /// Notes that `bytes` are a map of the `watched` file from `offset`, which messages call `name`.
    ///
    /// # Errors
    /// If the table is full: the file should then be read.
    pub(in super::super) fn new(
        bytes: &[u8],
        watched: &Watched,
        offset: u64,
        name: &[u8],
    ) -> io::Result<Noted> {
        let Some(start) = LINE_START.get() else {
            return Ok(Noted(None));
        };
        let addresses = bytes.as_ptr_range();
        let map = Box::into_raw(Box::new(Map {
            addresses: addresses.start as usize..addresses.end as usize,
            file: Arc::clone(watched.file()),
            offset,
            before: watched.before(),
            line: UnsafeCell::new(Line::beginning_with(&format!("{start}{}", escaped(name)))),
        }));
        let free = |slot: &&AtomicPtr<Map>| {
            slot.compare_exchange(ptr::null_mut(), map, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        match MAPS.iter().find(free) {
            Some(slot) => Ok(Noted(Some(slot))),
            None => {
                // SAFETY: `map` was made by `Box::into_raw`, and no other pointer to it exists.
                drop(unsafe { Box::from_raw(map) });
                Err(io::ErrorKind::QuotaExceeded.into())
            }
        }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        let Some(slot) = self.0 else { return };
        let map = slot.swap(ptr::null_mut(), Ordering::SeqCst);
        if !map.is_null() && !FAULTED.load(Ordering::SeqCst) {
            // SAFETY: `map` was made by `Box::into_raw`, and is freed only by the thread that takes it
            // out of the table. A handler that looks at the table from now on does not find it, and
            // none looked before, or FAULTED would be set.
            drop(unsafe { Box::from_raw(map) });
        }
    }
}

/// Returns the map that `address` lies in.
///
/// # Safety
/// FAULTED must be set, and never be cleared.
pub(super) unsafe fn at(address: usize) -> Option<&'static Map> {
    let maps = MAPS.iter().map(|slot| slot.load(Ordering::SeqCst));
    // SAFETY: a pointer in the table is that of a valid `Map`. It is not freed, because FAULTED is set.
    maps.filter_map(|map| unsafe { map.as_ref() })
        .find(|map| map.addresses.contains(&address))
}

impl Map {
    /// Writes the line that reports a fault at `address` to standard error.
    ///
    /// # Safety
    /// To be called once in the life of the process.
    pub(super) unsafe fn report(&self, address: usize) {
        // SAFETY: this is called once, so no other reference into `line` exists.
        let line = unsafe { &mut *self.line.get() };
        let at = self.offset + (address - self.addresses.start) as u64;
        let page = at - at % PAGE_BYTES;
        let (what, byte, advice) = match self.state() {
            Some(now) if now.bytes <= page => (SHORTER.0, now.bytes, SHORTER.1),
            // It may be whole again by now.
            Some(now) if now.may_have_other_bytes(&self.before, true) => (CHANGED.0, at, CHANGED.1),
            _ => ("read error: Input/output error", page, READ_ERROR_ADVICE),
        };
        line.push(b": ");
        line.push(what.as_bytes());
        line.push(b" (byte ");
        line.push_number(byte.saturating_sub(self.offset));
        line.push(b"); ");
        line.push(advice.as_bytes());
        line.push(b"\n");
        write_to_standard_error(line.bytes());
    }

    /// Returns the present state of the file.
    fn state(&self) -> Option<FileState> {
        let mut stat = MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: fstat takes any descriptor, and fills `stat`, which is valid in any case.
        let stat = unsafe {
            if libc::fstat(self.file.as_raw_fd(), stat.as_mut_ptr()) != 0 {
                return None;
            }
            stat.assume_init()
        };
        Some(FileState {
            bytes: stat.st_size as u64,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
            // The types differ between systems.
            identity: (
                stat.st_nlink as u64,
                stat.st_mode as u32,
                stat.st_uid,
                stat.st_gid,
            ),
        })
    }
}

const READ_ERROR_ADVICE: &str = "the disk, or the way to it, may be failing";

/// A line of text that grows without allocating.
struct Line {
    memory: Box<[u8]>,
    filled: usize,
}

impl Line {
    fn beginning_with(text: &str) -> Line {
        let mut memory = vec![0; text.len() + REST_BYTES_MAX].into_boxed_slice();
        memory[..text.len()].copy_from_slice(text.as_bytes());
        Line {
            memory,
            filled: text.len(),
        }
    }

    fn bytes(&self) -> &[u8] {
        self.memory.get(..self.filled).unwrap_or_default()
    }

    /// Appends `text`, as far as there is room.
    fn push(&mut self, text: &[u8]) {
        let room = self.memory.get_mut(self.filled..).unwrap_or_default();
        for (place, &byte) in room.iter_mut().zip(text) {
            *place = byte;
            self.filled += 1;
        }
    }

    fn push_number(&mut self, number: u64) {
        let mut digits = [b'0'; 20];
        let mut rest = number;
        let mut first = digits.len() - 1;
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            first = place;
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(first..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_take_numbers_and_text_up_to_their_room() {
        let mut line = Line::beginning_with("a");
        for number in [0, 7, 10, 4096, u64::MAX] {
            line.push(b" ");
            line.push_number(number);
        }
        assert_eq!(line.bytes(), b"a 0 7 10 4096 18446744073709551615");
        line.push(&[b'x'; 2 * REST_BYTES_MAX]);
        assert_eq!(line.bytes().len(), 1 + REST_BYTES_MAX);
    }
}
