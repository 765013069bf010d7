//! Rows that do not have as many columns as their schema says.
//!
//! All are counted, the first are listed, and if somebody wants them all, each is set aside in a
//! [`Spool`].

use std::ffi::OsString;
use std::sync::Arc;

use super::spool::{Piece, Spool, Spooling};
use crate::engine::LineNumbers;
use crate::fec::schema::Schema;
use crate::input::Part;

/// What becomes of rows that break the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// They are lines like any others.
    #[default]
    Any,
    /// They are lines like any others, and noted. The schema is this, or the one that the input's
    /// name tells, or `indiv`.
    OfSchema(Option<Schema>),
}

impl Rows {
    /// How many columns a row of `part` must have; none if it may have any number.
    pub fn columns(self, part: &Part) -> Option<u64> {
        match self {
            Rows::Any => None,
            Rows::OfSchema(schema) => {
                let schema = schema.or_else(|| part.file_names().find_map(Schema::of_file_name));
                Some(schema.unwrap_or(Schema::Indiv).columns_on_disk() as u64)
            }
        }
    }
}

/// How many odd rows are listed one by one. All are counted.
pub const LISTED: usize = 20;

/// A row that breaks the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddRow {
    /// The input, as its path was given.
    pub path: OsString,
    /// The line in the input, counted from one.
    pub line: u64,
    /// Where in the input the line begins, counted from zero.
    pub byte: u64,
    /// How many columns the row has.
    pub columns: u64,
    /// How many it should have.
    pub expected: u64,
}

/// The odd rows of one or more inputs: the first of them, and how many there are.
#[derive(Debug, Default)]
pub struct OddRows {
    /// The first [`LISTED`], in the order of the input, once lines have numbers.
    pub listed: Vec<OddRow>,
    /// The number of all.
    pub total: u64,
    /// Where all of them are in the spool, in the order of the inputs, once lines have numbers;
    /// nowhere if there is no spool.
    pub spooled: Vec<SpooledRows>,
    /// Found by a worker, whose chunks ascend: where the line begins, its number in its chunk, its
    /// columns.
    found: Vec<(u64, u64, u64)>,
    spooling: Spooling,
}

/// The odd rows of an input in the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpooledRows {
    /// The input, as its path was given.
    pub path: OsString,
    /// The pieces of the spool, in the order of the input, each with the number of the first line
    /// of its chunk, counted from zero.
    pub pieces: Vec<(Piece, u64)>,
}

impl OddRows {
    /// No rows yet. They will be set aside in `spool`, if there is one.
    pub fn new(spool: Option<Arc<Spool>>) -> OddRows {
        OddRows {
            spooling: Spooling::new(spool),
            ..OddRows::default()
        }
    }

    /// Notes the row at `byte` of the input, the `nth` of its chunk, with this number of columns
    /// and this text.
    #[cold]
    pub fn add(&mut self, byte: u64, nth: u64, columns: u64, text: &[u8]) {
        self.total += 1;
        if self.found.len() < LISTED {
            self.found.push((byte, nth, columns));
        }
        self.spooling.add(byte, nth, columns, text);
    }

    /// Notes that a chunk ends here: what comes next has another first line.
    pub fn end_chunk(&mut self) {
        self.spooling.flush();
    }

    /// Adds those of `other`, of the same input or a later one.
    pub fn merge(&mut self, other: OddRows) {
        self.total += other.total;
        self.found.extend(other.found);
        self.listed.extend(other.listed);
        self.listed.truncate(LISTED);
        self.spooled.extend(other.spooled);
        self.spooling.merge(other.spooling);
    }

    /// Lists what was found in `input`, now that its lines have numbers.
    pub fn number_lines(&mut self, path: &OsString, expected: u64, numbers: &LineNumbers) {
        self.found.sort_unstable();
        let listed = self
            .found
            .drain(..)
            .take(LISTED)
            .map(|(byte, nth, columns)| {
                let line = numbers.first_line_of_chunk_at(byte) + nth + 1;
                OddRow {
                    path: path.clone(),
                    line,
                    byte,
                    columns,
                    expected,
                }
            });
        self.listed.extend(listed);

        let pieces = self.spooling.take_pieces().into_iter();
        let pieces: Vec<_> = pieces
            .map(|piece| {
                let first_line = numbers.first_line_of_chunk_at(piece.first_byte);
                (piece, first_line)
            })
            .collect();
        if !pieces.is_empty() {
            self.spooled.push(SpooledRows {
                path: path.clone(),
                pieces,
            });
        }
    }
}
