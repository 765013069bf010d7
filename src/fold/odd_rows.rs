//! Rows whose number of columns is not the schema's.
//!
//! All are counted, the first are listed, and a sink may receive each of them. A worker does not
//! know the numbers of its lines until its chunk's turn comes; until then the rows wait in its
//! partial.

use std::ffi::OsString;
use std::mem;

use memchr::memchr_iter;

use super::ChunkPlace;
use super::report::OddRowSink;
use crate::error::Error;
use crate::scan::Rows;

/// The number of odd rows that are listed one by one.
pub(crate) const LISTED: usize = 20;

/// A row that breaks the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OddRow {
    /// The input, as its path was given, and the member of an archive.
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
    listed: Vec<(usize, OddRow)>,
    /// The rows of the current chunk.
    waiting: Vec<Waiting>,
}

/// The columns of a row, until its chunk ends.
#[derive(Debug)]
struct Waiting {
    byte: u64,
    number_in_chunk: u64,
    columns: u64,
    expected: u64,
    text: Box<[u8]>,
}

impl OddRows {
    /// Keeps the rows with a wrong number of columns, with their text if a sink wants it.
    pub(crate) fn check(&mut self, rows: &Rows<'_>, keep_text: bool) {
        for row in rows.iter() {
            let columns = match row.line() {
                b"" => 0,
                line => memchr_iter(b'|', line).count() as u64 + 1,
            };
            let expected = rows.width() as u64;
            if columns != expected {
                self.total += 1;
                self.waiting.push(Waiting {
                    byte: row.byte(),
                    number_in_chunk: row.number_in_chunk(),
                    columns,
                    expected,
                    text: if keep_text {
                        row.line().into()
                    } else {
                        Box::default()
                    },
                });
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
        for waiting in mem::take(&mut self.waiting) {
            let wanted = self.listed.len() < LISTED;
            if !wanted && sink.is_none() {
                break;
            }
            let row = OddRow {
                path: place.part.path(),
                line: place.first_line + waiting.number_in_chunk + 1,
                byte: waiting.byte,
                columns: waiting.columns,
                expected: waiting.expected,
            };
            if let Some(sink) = sink {
                sink(&row, &waiting.text)?;
            }
            if wanted {
                self.listed.push((place.part_number, row));
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

    /// Returns the first rows, in the order of the inputs.
    pub(crate) fn into_listed(self) -> Vec<OddRow> {
        self.listed.into_iter().map(|(_, row)| row).collect()
    }
}
