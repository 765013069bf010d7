//! Rows that are set aside until lines have numbers.
//!
//! A worker that finds a row does not know its line: that depends on chunks before it that others
//! may still be scanning. And a row of an input that fails must not be seen at all. So rows go to
//! an unnamed temporary file, in any order, and what is kept in memory is where in that file the
//! rows of each chunk are. Even if every row of a huge file is set aside, that is some bytes for
//! each megabyte; the price is that these rows are written twice.

use std::fs::File;
use std::io;
use std::mem;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, ErrorKind};

/// A worker that has this many bytes of rows writes them.
const PIECE_BYTES: usize = 1 << 20;

/// The bytes of the numbers that stand before a row: three, and the length of its text.
const HEAD_BYTES: usize = 4 * 8;

/// A file of rows.
#[derive(Debug)]
pub struct Spool {
    file: File,
    end: AtomicU64,
    /// The first failure to write. Workers go on: the result does not depend on it.
    failed: Mutex<Option<io::Error>>,
}

/// A piece of a spool: rows of one chunk, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where in the input the first of its rows begins.
    pub first_byte: u64,
    /// Where in the spool it lies.
    place: Range<u64>,
}

/// A row that was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpooledRow<'a> {
    /// Where in the input it begins.
    pub byte: u64,
    /// Its number in its chunk, counted from zero.
    pub nth: u64,
    /// How many columns it has.
    pub columns: u64,
    /// The row, without its line end.
    pub text: &'a [u8],
}

impl Spool {
    /// An empty spool, in `directory`.
    ///
    /// # Errors
    /// If no file can be made there.
    pub fn new(directory: &Path) -> Result<Spool, Error> {
        let file = tempfile::tempfile_in(directory).map_err(not_set_aside)?;
        Ok(Spool {
            file,
            end: AtomicU64::new(0),
            failed: Mutex::default(),
        })
    }

    /// Appends `rows`, and answers where they are.
    fn append(&self, rows: &[u8]) -> Range<u64> {
        let bytes = rows.len() as u64;
        let start = self.end.fetch_add(bytes, Ordering::Relaxed);
        if let Err(error) = self.file.write_all_at(rows, start) {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(error);
        }
        start..start + bytes
    }

    /// Whether all rows could be set aside.
    ///
    /// # Errors
    /// If the disk is full, say.
    pub fn check(&self) -> Result<(), Error> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take().map_or(Ok(()), |e| Err(not_set_aside(e)))
    }

    /// Shows `see` the rows of `piece`, in their order, until that fails.
    ///
    /// # Errors
    /// If they can't be read, or `see` fails.
    pub fn rows(
        &self,
        piece: &Piece,
        mut see: impl FnMut(SpooledRow<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut bytes = vec![0; (piece.place.end - piece.place.start) as usize];
        self.file
            .read_exact_at(&mut bytes, piece.place.start)
            .map_err(not_set_aside)?;
        let mut rest = &bytes[..];
        while let Some((head, after)) = rest.split_first_chunk::<HEAD_BYTES>() {
            let (numbers, _) = head.as_chunks();
            let number = |nth: usize| u64::from_le_bytes(numbers[nth]);
            let (text, after) = after.split_at(number(3) as usize);
            see(SpooledRow {
                byte: number(0),
                nth: number(1),
                columns: number(2),
                text,
            })?;
            rest = after;
        }
        Ok(())
    }
}

fn not_set_aside(error: io::Error) -> Error {
    Error::io(ErrorKind::Output, "rows can't be set aside", error)
}

/// What a worker sets aside.
#[derive(Debug, Default)]
pub(super) struct Spooling {
    spool: Option<Arc<Spool>>,
    /// Rows that are not written yet, all of one chunk.
    rows: Vec<u8>,
    /// Where the first of these begins in the input.
    first_byte: u64,
    pieces: Vec<Piece>,
}

impl Spooling {
    /// Sets rows aside in `spool`; not at all, if there is none.
    pub(super) fn new(spool: Option<Arc<Spool>>) -> Spooling {
        Spooling {
            spool,
            ..Spooling::default()
        }
    }

    /// Sets the row at `byte` of the input aside, the `nth` of its chunk.
    pub(super) fn add(&mut self, byte: u64, nth: u64, columns: u64, text: &[u8]) {
        if self.spool.is_none() {
            return;
        }
        if self.rows.is_empty() {
            self.first_byte = byte;
        }
        for number in [byte, nth, columns, text.len() as u64] {
            self.rows.extend_from_slice(&number.to_le_bytes());
        }
        self.rows.extend_from_slice(text);
        if self.rows.len() >= PIECE_BYTES {
            self.flush();
        }
    }

    /// Writes what was set aside so far.
    pub(super) fn flush(&mut self) {
        let Some(spool) = self.spool.as_ref().filter(|_| !self.rows.is_empty()) else {
            return;
        };
        self.pieces.push(Piece {
            first_byte: self.first_byte,
            place: spool.append(&self.rows),
        });
        self.rows.clear();
    }

    /// Adds the pieces of `other`, which has been flushed.
    pub(super) fn merge(&mut self, other: Spooling) {
        self.pieces.extend(other.pieces);
    }

    /// The pieces, in the order of the input.
    pub(super) fn take_pieces(&mut self) -> Vec<Piece> {
        self.pieces.sort_unstable_by_key(|piece| piece.first_byte);
        mem::take(&mut self.pieces)
    }
}
