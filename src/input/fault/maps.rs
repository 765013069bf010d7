//! Looks up the mapped file that an address belongs to, for a handler.
//!
//! The table holds a pointer for each map. A handler may look at it at any moment, and so without a
//! lock. Two facts make that sound. First, the map of the address outlives the handler: the thread that
//! touched it runs the handler, and holds the map borrowed. Second, other maps are not freed once a
//! handler runs. `Noted::drop` takes its pointer out of the table and then loads `FAULTED`; the handler
//! sets `FAULTED` and then looks at the table. So at least one of them sees the other's write. In doubt
//! a map is not freed. The process is about to end.

use std::cell::UnsafeCell;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
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

/// More bytes than the text after the file's name has.
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
    /// The beginning of the line that reports a fault, with room for the rest of it.
    line: UnsafeCell<Vec<u8>>,
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
        let mut line = format!("{start}{}", escaped(name)).into_bytes();
        line.reserve(REST_BYTES_MAX);
        let map = Box::into_raw(Box::new(Map {
            addresses: addresses.start as usize..addresses.end as usize,
            file: Arc::clone(&watched.file),
            offset,
            before: watched.before,
            line: UnsafeCell::new(line),
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
        let (what, byte, advice) = match self.file.metadata().as_ref().map(FileState::of) {
            Ok(now) if now.bytes <= page => (SHORTER.0, now.bytes, SHORTER.1),
            // It may be whole again by now.
            Ok(now) if now.may_have_other_bytes(&self.before, true) => (CHANGED.0, at, CHANGED.1),
            _ => ("read error: Input/output error", page, READ_ERROR_ADVICE),
        };
        let byte = byte.saturating_sub(self.offset);
        // `line` has room for it, so nothing is allocated.
        let _ = writeln!(line, ": {what} (byte {byte}); {advice}");
        write_to_standard_error(line);
    }
}

const READ_ERROR_ADVICE: &str = "the disk, or the way to it, may be failing";
