//! The inputs in the header of a partial: its files, and the bytes of each that the partial covers.

use std::ffi::OsString;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::coding::Damaged;
use crate::coding::json::name;
use crate::error::Note;
use crate::fold::FileLines;
use crate::input::{BlockLines, Coverage, Piece, Slice, slices_beginning_in};

/// An input of a partial.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[serde(with = "name")]
    path: OsString,
    /// The bytes of its lines, unpacked.
    bytes: u64,
    /// The size on disk, if it is compressed.
    stored_bytes: Option<u64>,
    notes: Vec<String>,
    coverage: Coverage,
}

impl Input {
    pub(super) fn of(file: &FileLines) -> Input {
        let coverage = file.coverage.clone();
        Input {
            path: file.path.clone(),
            bytes: file.bytes,
            stored_bytes: file.stored_bytes,
            notes: file.notes.iter().map(Note::with_advice).collect(),
            coverage: coverage.expect("the inputs of a partial have noted it"),
        }
    }

    /// Returns the input, if its numbers agree.
    pub(super) fn into_file(self) -> Result<FileLines, Damaged> {
        let Coverage {
            file_bytes,
            slices,
            pieces,
            ..
        } = &self.coverage;
        let slice_bytes = slices
            .iter()
            .try_fold(0_u64, |all, slice| all.checked_add(slice.bytes));
        let (ranges, extent) = match (self.stored_bytes, &slices[..]) {
            (None, []) => (Ranges::Lines, *file_bytes),
            (Some(_), []) => (Ranges::None, *file_bytes),
            (Some(_), slices) => (Ranges::Slices(slices), slice_bytes.ok_or(Damaged)?),
            (None, _) => return Err(Damaged),
        };
        pieces
            .iter()
            .try_for_each(|piece| check_piece(piece, extent, &ranges))?;
        let covered = pieces
            .iter()
            .try_fold(0_u64, |all, piece| all.checked_add(length(&piece.bytes)));
        let is_right = match ranges {
            Ranges::Lines | Ranges::Slices(_) => {
                covered == Some(self.bytes) && are_apart(pieces) && !pieces.is_empty()
            }
            Ranges::None => matches!(&pieces[..], [one] if one.bytes == (0..*file_bytes)),
        };
        let lines = pieces
            .iter()
            .try_fold(0_u64, |all, piece| all.checked_add(piece.lines));
        if !is_right || self.stored_bytes.is_some_and(|bytes| bytes != *file_bytes) {
            return Err(Damaged);
        }
        Ok(FileLines {
            path: self.path,
            bytes: self.bytes,
            lines: lines.ok_or(Damaged)?,
            stored_bytes: self.stored_bytes,
            modified: Some(time_of(self.coverage.modified)),
            notes: self.notes.into_iter().map(Note::new).collect(),
            range: None,
            coverage: Some(self.coverage),
        })
    }
}

/// What begins in the ranges of a file.
enum Ranges<'a> {
    Lines,
    /// Slices of an archive, which has these.
    Slices(&'a [Slice]),
    /// It is compressed, and read as a whole.
    None,
}

/// Checks a piece of a file, whose ranges tile `extent` bytes.
fn check_piece(piece: &Piece, extent: u64, ranges: &Ranges<'_>) -> Result<(), Damaged> {
    let Piece {
        asked,
        bytes,
        lines_scanned,
        lines,
        blocks,
        ..
    } = piece;
    if asked.start > asked.end || bytes.start > bytes.end {
        return Err(Damaged);
    }
    let sum = |of: fn(&BlockLines) -> u64| {
        blocks
            .iter()
            .try_fold(0_u64, |all, block| all.checked_add(of(block)))
    };
    // A line has at least a byte. Of a compressed file read as a whole, bytes are those on disk.
    let is_right = match ranges {
        Ranges::Lines => {
            bytes.start >= asked.start
                && (bytes.is_empty() || bytes.start < asked.end)
                && sum(|block| block.bytes) == Some(length(bytes))
                && sum(|block| block.lines) == Some(*lines)
                && *lines_scanned <= length(bytes)
        }
        Ranges::Slices(slices) => {
            blocks.is_empty()
                && *bytes == slices_beginning_in(slices, asked)
                && *lines_scanned <= length(bytes)
        }
        Ranges::None => blocks.is_empty() && *asked == (0..extent),
    };
    let is_inside = asked.end <= extent && bytes.end <= extent;
    (is_right && is_inside && lines <= lines_scanned)
        .then_some(())
        .ok_or(Damaged)
}

/// Returns the time of this number of nanoseconds since 1970.
fn time_of(nanoseconds: i64) -> SystemTime {
    let duration = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 {
        SystemTime::UNIX_EPOCH - duration
    } else {
        SystemTime::UNIX_EPOCH + duration
    }
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// Says whether pieces ascend, and no byte is in two of them.
fn are_apart(pieces: &[Piece]) -> bool {
    pieces.windows(2).all(|pair| {
        pair[0].asked.end <= pair[1].asked.start && pair[0].bytes.end <= pair[1].bytes.start
    })
}
