//! Rows whose number of columns is not the schema's.
//!
//! All are counted, the first are listed, and a sink may receive each of them. A worker does not
//! know the numbers of its lines until its chunk's turn comes; until then the rows wait in its
//! partial.

use std::ffi::OsString;
use std::mem;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use memchr::memchr_iter;

use super::report::OddRowSink;
use super::{ChunkPlace, FileLines, Origin};
use crate::coding::{Damaged, Put, Reader, check};
use crate::error::Error;
use crate::scan::Rows;

/// The number of odd rows that are listed one by one.
pub(crate) const LISTED: usize = 20;

/// A row that breaks the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OddRow {
    /// The input, as its path was given.
    pub input: OsString,
    /// The same, and the member of an archive.
    pub path: OsString,
    /// The line in the input, counted from one.
    pub line: u64,
    /// The byte of the input at which the line begins, counted from zero.
    pub byte: u64,
    /// The number of columns of the row.
    pub columns: u64,
    /// The number of columns of the schema.
    pub expected: u64,
}

/// The odd rows of one or more chunks: the first of them, and the number of all.
#[derive(Debug, Default)]
pub(crate) struct OddRows {
    pub(crate) total: u64,
    /// The first of them, each with the number of its part in the run.
    listed: Vec<(u64, OddRow)>,
    /// The rows of the current chunk, numbered in it from zero, with their text if a sink wants it.
    waiting: Vec<(OddRow, Box<[u8]>)>,
    /// The number of lines before the range.
    lines_before: u64,
}

impl OddRows {
    /// Returns no rows yet of a range with this number of lines before it.
    pub(crate) fn after(lines_before: u64) -> OddRows {
        OddRows {
            lines_before,
            ..OddRows::default()
        }
    }

    /// Keeps the rows with a wrong number of columns, with their text if a sink wants it.
    pub(crate) fn check(&mut self, rows: &Rows<'_>, keep_text: bool) {
        for row in rows.iter() {
            let columns = match row.line() {
                b"" => 0,
                line => memchr_iter(rows.delimiter(), line).count() as u64 + 1,
            };
            let expected = rows.width() as u64;
            // A line with several matches is as many rows.
            let last = self.waiting.last();
            let is_known = last.is_some_and(|(last, _)| last.byte == row.byte());
            if columns != expected && !is_known {
                self.total += 1;
                let text = if keep_text { row.line() } else { &[] };
                let row = OddRow {
                    input: OsString::new(),
                    path: OsString::new(),
                    line: row.number_in_chunk(),
                    byte: row.byte(),
                    columns,
                    expected,
                };
                self.waiting.push((row, text.into()));
            }
        }
    }

    /// Numbers the rows of a chunk whose turn has come, lists the first of them, and hands all to
    /// `sink`.
    pub(crate) fn end_chunk(
        &mut self,
        place: &ChunkPlace<'_>,
        sink: Option<&OddRowSink>,
    ) -> Result<(), Error> {
        for (row, text) in mem::take(&mut self.waiting) {
            let wanted = self.listed.len() < LISTED;
            if !wanted && sink.is_none() {
                break;
            }
            let row = OddRow {
                input: place.part.input_path().to_owned(),
                path: place.part.path(),
                line: self.lines_before + place.first_line + row.line + 1,
                ..row
            };
            if let Some(sink) = sink {
                sink(&row, &text)?;
            }
            if wanted {
                self.listed.push((place.part_number as u64, row));
            }
        }
        Ok(())
    }

    /// Adds the rows of `other`.
    pub(crate) fn merge(&mut self, other: OddRows) {
        self.total += other.total;
        self.listed.extend(other.listed);
        self.listed.sort_by_key(|(part, row)| (*part, row.byte));
        self.listed.truncate(LISTED);
    }

    /// Writes the rows down. Their lines are counted from the beginning of the piece that was read.
    pub(crate) fn store(&self, files: &[FileLines], out: &mut Vec<u8>) {
        out.put_number(self.total);
        out.put_number(self.listed.len() as u64);
        for (part, row) in &self.listed {
            let mut places = files.iter();
            let input = places.position(|file| file.path == row.input);
            let input = input.expect("rows are of the inputs that were read");
            out.put_number(input as u64);
            // The upper half is the place of the input in a merge.
            out.put_number(*part & u64::from(u32::MAX));
            out.put_bytes(row.path.as_bytes());
            out.put_number(row.line - self.lines_before);
            out.put_number(row.byte);
            out.put_number(row.columns);
            out.put_number(row.expected);
        }
    }

    pub(crate) fn load(origin: &Origin<'_>, reader: &mut Reader<'_>) -> Result<OddRows, Damaged> {
        let total = reader.number()?;
        // More would be looked up in vain, each among all pieces of its file.
        let mut rows = 0;
        let listed = reader.list(|reader| {
            rows += 1;
            check(rows <= LISTED)?;
            let (input, part) = (reader.length()?, reader.number()?);
            let file = origin.files.get(input).ok_or(Damaged)?;
            let path = reader.bytes()?;
            let (line, byte) = (reader.number()?, reader.number()?);
            let place = (origin.place)(input, byte);
            // Members of an archive have bytes of their own. A plain file, and an archive by slices, may come in several
            // partials.
            let member = path.strip_prefix(file.path.as_bytes()).ok_or(Damaged)?;
            let part = match (file.is_plain(), file.slices()) {
                (true, _) => 0,
                (false, []) => u32::try_from(part).map_err(|_| Damaged)?.into(),
                (false, slices) => {
                    let mut names = slices.iter().map(|slice| slice.name.as_bytes());
                    let place = names.position(|name| member.strip_prefix(b": ") == Some(name));
                    place.ok_or(Damaged)? as u64
                }
            };
            let row = OddRow {
                input: place.path.to_owned(),
                path: OsString::from_vec([place.path.as_bytes(), member].concat()),
                line: line.checked_add(place.lines_before).ok_or(Damaged)?,
                byte,
                columns: reader.number()?,
                expected: reader.number()?,
            };
            Ok(((place.input as u64) << 32 | part, row))
        })?;
        check(listed.len() as u64 == total.min(LISTED as u64) && total <= origin.lines)?;
        Ok(OddRows {
            total,
            listed,
            ..OddRows::default()
        })
    }

    /// Returns the first rows, in the order of the inputs.
    pub(crate) fn into_listed(self) -> Vec<OddRow> {
        self.listed.into_iter().map(|(_, row)| row).collect()
    }
}
