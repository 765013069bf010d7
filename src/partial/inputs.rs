//! The inputs in the header of a partial: its files, and the bytes of each that the partial covers.

use std::ffi::OsString;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::coding::json::name;
use crate::coding::{Damaged, check};
use crate::error::Note;
use crate::fold::FileLines;
use crate::input::{Coverage, Piece, Slice, slices_beginning_in};

pub(super) fn serialize<S: Serializer>(files: &[FileLines], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(files.iter().map(Input::of))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FileLines>, D::Error> {
    let inputs = Vec::<Input>::deserialize(from)?.into_iter();
    let files = inputs.map(Input::into_file).collect::<Result<_, _>>();
    files.map_err(|Damaged| D::Error::custom("numbers that disagree"))
}

/// An input of a partial.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
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
    fn of(file: &FileLines) -> Input {
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
    fn into_file(self) -> Result<FileLines, Damaged> {
        let Coverage {
            file_bytes,
            slices,
            pieces,
            ..
        } = &self.coverage;
        let slice_bytes = sum(slices.iter().map(|slice| slice.bytes));
        let (ranges, extent) = match (self.stored_bytes, &slices[..]) {
            (None, []) => (Ranges::Lines, *file_bytes),
            (Some(_), []) => (Ranges::None, *file_bytes),
            (Some(_), slices) => (Ranges::Slices(slices), slice_bytes?),
            (None, _) => return Err(Damaged),
        };
        pieces
            .iter()
            .try_for_each(|piece| check_piece(piece, extent, &ranges))?;
        let covered = sum(pieces.iter().map(|piece| length(&piece.bytes)));
        let is_right = match ranges {
            Ranges::Lines | Ranges::Slices(_) => {
                covered == Ok(self.bytes) && are_apart(pieces) && !pieces.is_empty()
            }
            Ranges::None => matches!(&pieces[..], [one] if one.bytes == (0..*file_bytes)),
        };
        let lines = sum(pieces.iter().map(|piece| piece.lines))?;
        // Rows are read by a schema.
        let is_read = !self.coverage.schemas.is_empty();
        check(is_read || pieces.iter().all(|piece| piece.lines_scanned == 0))?;
        check(is_right && self.stored_bytes.is_none_or(|bytes| bytes == *file_bytes))?;
        Ok(FileLines {
            path: self.path,
            bytes: self.bytes,
            lines,
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
    check(asked.start <= asked.end && bytes.start <= bytes.end)?;
    let block_bytes = sum(blocks.iter().map(|block| block.bytes));
    let block_lines = sum(blocks.iter().map(|block| block.lines));
    // A line has at least a byte. Of a compressed file read as a whole, bytes are those on disk.
    let is_right = match ranges {
        Ranges::Lines => {
            bytes.start >= asked.start
                && (bytes.is_empty() || bytes.start < asked.end)
                && block_bytes == Ok(length(bytes))
                && block_lines == Ok(*lines)
                && *lines_scanned <= length(bytes)
        }
        Ranges::Slices(slices) => {
            blocks.is_empty()
                && *bytes == slices_beginning_in(slices, asked)
                && *lines_scanned <= length(bytes)
        }
        // Lines take bytes on disk, but nothing tells how many.
        Ranges::None => {
            blocks.is_empty() && *asked == (0..extent) && (extent > 0 || *lines_scanned == 0)
        }
    };
    let is_inside = asked.end <= extent && bytes.end <= extent;
    check(is_right && is_inside)
}

/// Adds up numbers that may lie.
pub(super) fn sum(numbers: impl IntoIterator<Item = u64>) -> Result<u64, Damaged> {
    let mut numbers = numbers.into_iter();
    let sum = numbers.try_fold(0, u64::checked_add);
    sum.ok_or(Damaged)
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
