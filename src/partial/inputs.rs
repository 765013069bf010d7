//! Inputs as they are written down: which bytes of which file a partial covers.

use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, SystemTime};

use crate::coding::{Damaged, Put, Reader};
use crate::fec::schema::Schema;
use crate::fold::FileLines;
use crate::input::{BlockLines, Coverage, Piece, Slice, slices_beginning_in};

pub(super) fn put_file(file: &FileLines, out: &mut Vec<u8>) {
    let coverage = file
        .coverage
        .as_ref()
        .expect("the inputs of a partial have noted it");
    out.put_bytes(file.path.as_bytes());
    out.put_number(coverage.file_bytes);
    out.extend_from_slice(&coverage.samples.to_le_bytes());
    out.put_signed(coverage.modified);
    out.put_option(file.stored_bytes);
    out.put_number(file.bytes);
    out.put_number(coverage.schemas.len() as u64);
    for schema in &coverage.schemas {
        out.put_bytes(schema.name().as_bytes());
    }
    out.put_number(coverage.slices.len() as u64);
    for slice in &coverage.slices {
        out.put_bytes(slice.name.as_bytes());
        out.put_number(slice.bytes);
    }
    out.put_number(file.notes.len() as u64);
    file.notes
        .iter()
        .for_each(|note| out.put_bytes(note.as_bytes()));
    out.put_number(coverage.pieces.len() as u64);
    for piece in &coverage.pieces {
        out.put_range(&piece.asked);
        piece
            .around
            .iter()
            .for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()));
        out.put_range(&piece.bytes);
        out.put_number(piece.lines_scanned);
        out.put_number(piece.lines);
        out.put_number(piece.blocks.len() as u64);
        for block in &piece.blocks {
            out.put_number(block.bytes);
            out.put_number(block.lines);
        }
    }
}

pub(super) fn take_file(reader: &mut Reader<'_>) -> Result<FileLines, Damaged> {
    let path = OsStr::from_bytes(reader.bytes()?).to_owned();
    let file_bytes = reader.number()?;
    let samples = reader.take(16)?.try_into().map_err(|_| Damaged)?;
    let modified = reader.signed()?;
    let stored_bytes = reader.option()?;
    let bytes = reader.number()?;
    let schemas = reader.list(take_schema)?;
    let slices = reader.list(|reader| {
        let name = OsStr::from_bytes(reader.bytes()?).to_owned();
        Ok(Slice::new(name, reader.number()?))
    })?;
    let slice_bytes = slices
        .iter()
        .try_fold(0_u64, |all, slice| all.checked_add(slice.bytes));
    let notes = reader.list(Reader::text)?;
    let ranges = match (stored_bytes, &slices[..]) {
        (None, []) => Ranges::Lines,
        (Some(_), []) => Ranges::None,
        (Some(_), slices) => Ranges::Slices(slices),
        (None, _) => return Err(Damaged),
    };
    let extent = match ranges {
        Ranges::Slices(_) => slice_bytes.ok_or(Damaged)?,
        Ranges::Lines | Ranges::None => file_bytes,
    };
    let pieces = reader.list(|reader| take_piece(reader, extent, &ranges))?;
    let is_one = |pieces: &[Piece]| matches!(pieces, [one] if one.bytes == (0..file_bytes));
    let covered = pieces
        .iter()
        .try_fold(0_u64, |all, piece| all.checked_add(length(&piece.bytes)));
    let is_right = match ranges {
        Ranges::Lines | Ranges::Slices(_) => {
            covered == Some(bytes) && are_apart(&pieces) && !pieces.is_empty()
        }
        Ranges::None => is_one(&pieces),
    };
    let is_right = is_right && stored_bytes.is_none_or(|bytes| bytes == file_bytes);
    let lines = pieces
        .iter()
        .try_fold(0_u64, |all, piece| all.checked_add(piece.lines));
    if is_right {
        Ok(FileLines {
            path,
            bytes,
            lines: lines.ok_or(Damaged)?,
            stored_bytes,
            modified: Some(time_of(modified)),
            notes,
            range: None,
            coverage: Some(Coverage {
                file_bytes,
                samples: u128::from_le_bytes(samples),
                modified,
                schemas,
                slices,
                pieces,
            }),
        })
    } else {
        Err(Damaged)
    }
}

/// Reads the name of a schema.
pub(super) fn take_schema(reader: &mut Reader<'_>) -> Result<Schema, Damaged> {
    let name = reader.text()?;
    let mut schemas = Schema::ALL.into_iter();
    schemas.find(|schema| schema.name() == name).ok_or(Damaged)
}

/// What begins in the ranges of a file.
enum Ranges<'a> {
    Lines,
    /// Slices of an archive, which has these.
    Slices(&'a [Slice]),
    /// It is compressed, and read as a whole.
    None,
}

/// Reads a piece of a file, whose ranges tile `extent` bytes.
fn take_piece(reader: &mut Reader<'_>, extent: u64, ranges: &Ranges<'_>) -> Result<Piece, Damaged> {
    let asked = reader.range()?;
    let mut hash = || {
        let bytes = reader.take(8)?.try_into().map_err(|_| Damaged)?;
        Ok(u64::from_le_bytes(bytes))
    };
    let around = [hash()?, hash()?];
    let bytes = reader.range()?;
    let (lines_scanned, lines) = (reader.number()?, reader.number()?);
    let blocks = reader.list(|reader| {
        let (bytes, lines) = (reader.number()?, reader.number()?);
        Ok(BlockLines { bytes, lines })
    })?;
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
                && sum(|block| block.bytes) == Some(length(&bytes))
                && sum(|block| block.lines) == Some(lines)
                && lines_scanned <= length(&bytes)
        }
        Ranges::Slices(slices) => {
            blocks.is_empty()
                && bytes == slices_beginning_in(slices, &asked)
                && lines_scanned <= length(&bytes)
        }
        Ranges::None => blocks.is_empty() && asked == (0..extent),
    };
    let is_inside = asked.end <= extent && bytes.end <= extent;
    if is_right && is_inside && lines <= lines_scanned {
        Ok(Piece {
            asked,
            around,
            bytes,
            lines_scanned,
            lines,
            blocks,
        })
    } else {
        Err(Damaged)
    }
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
