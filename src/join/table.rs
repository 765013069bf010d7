//! The rows of joined files, by their keys.

use std::collections::HashMap;
use std::iter;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use ahash::RandomState;

use super::on::On;
use crate::error::Error;
use crate::fec::date::is_day_first;
use crate::fec::schema::Schema;
use crate::scan::Row;

/// The memory that the rows of a schema may take: 1 GiB. The FEC's committees of all years take less than
/// a tenth.
const BYTES_MAX: usize = 1 << 30;

/// The memory of a row besides its columns and its key: an entry of the index and an allocation.
const ROW_BYTES: usize = 64;

/// The rows of all joined files of one schema, or of one file under a name. A later row replaces an earlier one with the same key.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) schema: Schema,
    /// The name of the table, and how rows lead to it. None by the FEC's own keys.
    pub(crate) on: Option<On>,
    /// The place of the column by which rows are found.
    key: usize,
    /// The names of the files, safe to print.
    pub(crate) files: Vec<String>,
    /// Whether a key or a condition has named a column.
    pub(crate) is_used: AtomicBool,
    /// A key of scanned rows and one of the table, if the first rows all lack a partner.
    pub(super) unlike_keys: OnceLock<[String; 2]>,
    rows: Columns,
    /// The last row of each key.
    index: HashMap<Box<[u8]>, u32, RandomState>,
    /// The row before each with the same key.
    before: Vec<Option<u32>>,
    /// The number of rows from files before the present one.
    pub(super) earlier: usize,
    /// What became of the rows of the present file.
    pub(crate) counts: RowCounts,
}

/// Columns of rows, one after the other. Rows have the columns of the schema: missing ones are empty, and
/// more are left out.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    bytes: Vec<u8>,
    /// Where each column ends in `bytes`.
    ends: Vec<u32>,
}

/// What became of the rows of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowCounts {
    /// Rows with an empty key. They are left out.
    pub(crate) without_key: u64,
    /// Rows that a later row of the same file replaced.
    pub(crate) repeated: u64,
    /// Rows of earlier files that a row replaced.
    pub(crate) replaced: u64,
}

impl Columns {
    /// Adds the columns of `row` that the fold named.
    pub(crate) fn push(&mut self, row: Row<'_>) {
        row.each_cell(|cell| self.push_column(&cell));
    }

    pub(crate) fn push_column(&mut self, column: &[u8]) {
        self.bytes.extend_from_slice(column);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Returns the `nth` of all columns.
    fn column(&self, nth: usize) -> &[u8] {
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[nth] as usize]
    }

    /// Says for each column of rows with `width` columns whether a day stands before its month there, as in 31/12/2018.
    pub(crate) fn day_first(&self, width: usize) -> Vec<bool> {
        let mut day_first = vec![false; width];
        for nth in 0..self.ends.len() {
            day_first[nth % width] |= is_day_first(self.column(nth));
        }
        day_first
    }

    /// Returns the memory that the columns take.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.len() + size_of_val(&self.ends[..])
    }
}

/// Refuses rows that take too much memory.
pub(crate) fn check_memory(bytes: usize) -> Result<(), Error> {
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    let what = format!("has more than {} MiB of rows to join", BYTES_MAX >> 20);
    Err(Error::input(what).advise("join one cycle of cm, cn or ccl; their rows stay in memory"))
}

impl Table {
    /// Returns a table of no rows, which are found by the column at the place `key`.
    pub(crate) fn new(schema: Schema, key: usize, on: Option<On>) -> Table {
        Table {
            schema,
            on,
            key,
            files: Vec::new(),
            is_used: AtomicBool::new(false),
            unlike_keys: OnceLock::new(),
            rows: Columns::default(),
            index: HashMap::default(),
            before: Vec::new(),
            earlier: 0,
            counts: RowCounts::default(),
        }
    }

    /// Begins the next file.
    pub(crate) fn begin_file(&mut self) {
        self.earlier = self.before.len();
        self.counts = RowCounts::default();
    }

    /// Returns the number of the row with this key. No row has an empty key.
    pub(crate) fn row(&self, key: &[u8]) -> Option<u32> {
        self.index.get(key).copied()
    }

    /// Returns the numbers of all rows with this key, the last first.
    pub(crate) fn rows(&self, key: &[u8]) -> impl Iterator<Item = u32> {
        iter::successors(self.row(key), |&row| self.before[row as usize])
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.before.len()
    }

    /// Returns a column of the row with this number.
    pub(crate) fn column(&self, row: u32, column: usize) -> &[u8] {
        // The column at the end of rows of oppexp has no name. Joined schemas have none.
        self.rows.column(row as usize * self.width() + column)
    }

    /// Returns the bytes of the longest value of a column.
    pub(super) fn longest(&self, column: usize) -> usize {
        let rows = 0..self.before.len() as u32;
        let lengths = rows.map(|row| self.column(row, column).len());
        lengths.max().unwrap_or(0)
    }

    /// Returns the name of the column by which rows are found.
    pub(crate) fn key_name(&self) -> &'static str {
        self.schema.columns()[self.key].name
    }

    /// Returns the key of the first row.
    pub(super) fn first_key(&self) -> Option<&[u8]> {
        (!self.before.is_empty()).then(|| self.column(0, self.key))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.index.keys().map(|key| &**key)
    }

    /// Adds `rows` of the present file, and counts what becomes of them.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn add(&mut self, rows: &Columns) -> Result<(), Error> {
        let width = self.width();
        let together = self.before.len() + rows.ends.len() / width;
        check_memory(self.rows.memory() + rows.memory() + ROW_BYTES * together)?;
        for first in (0..rows.ends.len()).step_by(width) {
            let id = rows.column(first + self.key);
            let number = self.before.len() as u32;
            let former = if id.is_empty() {
                // It is a row of the table, and no partner.
                self.counts.without_key += 1;
                None
            } else {
                self.index.insert(id.into(), number)
            };
            self.before.push(former);
            match former {
                None => {}
                Some(former) if former as usize >= self.earlier => self.counts.repeated += 1,
                Some(_) => self.counts.replaced += 1,
            }
            for nth in first..first + width {
                self.rows.push_column(rows.column(nth));
            }
        }
        Ok(())
    }

    pub(super) fn width(&self) -> usize {
        self.schema.columns().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_rows_are_refused_with_advice() {
        let mut rows = Columns::default();
        rows.push_column(b"C00000001");
        assert_eq!((rows.column(0), rows.memory()), (&b"C00000001"[..], 13));
        assert!(check_memory(BYTES_MAX).is_ok());
        let error = check_memory(BYTES_MAX + 1).unwrap_err();
        assert_eq!(
            error.with_advice(),
            "has more than 1024 MiB of rows to join; join one cycle of cm, cn or ccl; their rows stay in memory"
        );
    }
}
