//! Looks up the mapped file that an address belongs to, for a handler.
//!
//! A handler may look at the list of notes at any moment, and so without a lock. Notes are never freed:
//! each mapped file leaves some 200 bytes and its name.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::super::watched::{CHANGED, FileState, SHORTER, Watched};
use super::write_to_standard_error;
use crate::error::escaped;
use crate::workers::lock;

/// The pages of a file come and go whole. They are at least this large.
const PAGE_BYTES: u64 = 4096;

/// More bytes than the text after the name of a file has.
const REST_BYTES_MAX: usize = 256;

const READ_ERROR_ADVICE: &str = "the disk, or the way to it, may be failing";

/// The latest note; each leads to the one before. Locked to add one.
static NOTES: Mutex<Option<&Note>> = Mutex::new(None);

/// The latest note, for handlers.
static LATEST: AtomicPtr<Note> = AtomicPtr::new(ptr::null_mut());

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
#[derive(Debug)]
pub(super) struct Note {
    addresses: Range<usize>,
    /// Open as long as the map exists.
    file: RawFd,
    /// Where in the file the map begins.
    offset: u64,
    before: FileState,
    /// The beginning of the line that reports a fault.
    line: String,
    is_mapped: AtomicBool,
    previous: Option<&'static Note>,
}

/// A map that a handler knows, and its file.
#[derive(Debug)]
pub(crate) struct Noted(Option<(&'static Note, Arc<File>)>);

impl Noted {
    /// Notes that `bytes` are a map of the `watched` file from `offset`, which messages call `name`.
    pub(in super::super) fn new(
        bytes: &[u8],
        watched: &Watched,
        offset: u64,
        name: &[u8],
    ) -> Noted {
        let Some(start) = LINE_START.get() else {
            return Noted(None);
        };
        let addresses = bytes.as_ptr_range();
        let mut latest = lock(&NOTES);
        let note: &Note = Box::leak(Box::new(Note {
            addresses: addresses.start as usize..addresses.end as usize,
            file: watched.file.as_raw_fd(),
            offset,
            before: watched.before,
            line: format!("{start}{}", escaped(name)),
            is_mapped: AtomicBool::new(true),
            previous: *latest,
        }));
        *latest = Some(note);
        LATEST.store(ptr::from_ref(note).cast_mut(), Ordering::Release);
        Noted(Some((note, Arc::clone(&watched.file))))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some((note, _)) = self.0 {
            note.is_mapped.store(false, Ordering::Release);
        }
    }
}

/// Returns the note of the map that `address` lies in.
pub(super) fn at(address: usize) -> Option<&'static Note> {
    // SAFETY: the pointer is null, or that of a note. Notes are never freed.
    let latest = unsafe { LATEST.load(Ordering::Acquire).as_ref() };
    iter::successors(latest, |note| note.previous)
        .filter(|note| note.is_mapped.load(Ordering::Acquire))
        .find(|note| note.addresses.contains(&address))
}

impl Note {
    /// Writes a line to standard error that reports a fault at `address`.
    ///
    /// # Safety
    /// The thread must hold the map borrowed.
    pub(super) unsafe fn report(&self, address: usize) {
        let at = self.offset + (address - self.addresses.start) as u64;
        let page = at - at % PAGE_BYTES;
        // SAFETY: a map has its file open, and the file is not closed here.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(self.file) });
        let (what, byte, advice) = match file.metadata().as_ref().map(FileState::of) {
            Ok(now) if now.bytes <= page => (SHORTER.0, now.bytes, SHORTER.1),
            // It may be whole again by now.
            Ok(now) if now.may_have_other_bytes(&self.before, true) => (CHANGED.0, at, CHANGED.1),
            _ => ("read error: Input/output error", page, READ_ERROR_ADVICE),
        };
        let byte = byte.saturating_sub(self.offset);
        let mut space = [0; REST_BYTES_MAX];
        let mut rest = &mut space[..];
        // There is room for it, and nothing is allocated.
        let _ = writeln!(rest, ": {what} (byte {byte}); {advice}");
        let left = rest.len();
        write_to_standard_error(self.line.as_bytes());
        write_to_standard_error(&space[..REST_BYTES_MAX - left]);
    }
}
