//! Rows that do not have as many columns as their schema says.

use std::ffi::OsString;

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
#[derive(Clone, Debug, Default)]
pub struct OddRows {
    /// The first [`LISTED`], in the order of the input, once lines have numbers.
    pub listed: Vec<OddRow>,
    /// The number of all.
    pub total: u64,
    /// Found by a worker, whose chunks ascend: where the line begins, its number in its chunk, its
    /// columns.
    found: Vec<(u64, u64, u64)>,
}

impl OddRows {
    /// Notes the row at `byte` of the input, the `nth` of its chunk, with this number of columns.
    #[cold]
    pub fn add(&mut self, byte: u64, nth: u64, columns: u64) {
        self.total += 1;
        if self.found.len() < LISTED {
            self.found.push((byte, nth, columns));
        }
    }

    /// Adds those of `other`, of the same input or a later one.
    pub fn merge(&mut self, other: OddRows) {
        self.total += other.total;
        self.found.extend(other.found);
        self.listed.extend(other.listed);
        self.listed.truncate(LISTED);
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
    }
}
