//! The rows that a block makes with joined tables.

use std::ops::Range;
use std::sync::Arc;

use super::{ExportColumns, Tally};
use crate::error::Error;
use crate::scan::{ROWS, Rows, Vector};
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::file::FileBatch;
use crate::sql::join::JoinedRows;
use crate::sql::table::Table;
use crate::sql::vector::{Values, each};

/// The number of the first column of joined tables in expressions of rows that are written. Columns of the file have lower numbers.
pub(super) const JOINED: usize = usize::MAX / 2;

/// The joins of rows that are written.
#[derive(Clone, Debug)]
pub(super) struct JoinedColumns {
    pub(super) rows: Arc<JoinedRows>,
    /// For each column that keys and conditions read the number among the located columns, and its name.
    pub(super) read_from: Vec<(usize, String)>,
    /// The columns of joined tables that expressions read, by their numbers in the plan.
    pub(super) columns: Vec<usize>,
}

/// The joined rows of a block.
#[derive(Debug)]
pub(crate) struct JoinedBlock {
    /// For each the row that it is made of.
    rows: Vec<u32>,
    /// The same rows among the lines of the block.
    lines: Vec<u32>,
    /// The values of the columns of joined tables.
    table: Table,
}

impl Default for JoinedBlock {
    fn default() -> JoinedBlock {
        JoinedBlock {
            rows: Vec::new(),
            lines: Vec::new(),
            table: Table::new([]),
        }
    }
}

impl JoinedColumns {
    /// Returns a table of no rows with the columns of joined tables.
    fn empty(&self) -> Table {
        let columns = self.columns.iter();
        Table::new(columns.map(|nth| {
            let (table, place) = self.rows.column(*nth);
            table.columns[place].gives
        }))
    }

    /// Returns the bytes that the texts of joined tables in a row have at most.
    pub(super) fn longest(&self) -> usize {
        let longest = self.columns.iter().map(|nth| {
            let (table, place) = self.rows.column(*nth);
            let texts = (0..table.len()).map(|row| table.columns[place].text(row).len());
            texts.max().unwrap_or(0)
        });
        longest.fold(0, usize::saturating_add)
    }
}

impl JoinedBlock {
    /// Joins rows of a block, until there are `most` joined rows and perhaps some more. They take the place of those of the last call. After
    /// an error, the joined rows before the row that has it are there.
    ///
    /// # Errors
    /// If the value of a key or a condition can't be known.
    pub(crate) fn join(
        &mut self,
        columns: &ExportColumns,
        rows: &Rows<'_>,
        most: usize,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let Some(joined) = &columns.joined else {
            return Ok(());
        };
        self.rows.clear();
        self.table = joined.empty();
        for start in (0..rows.len()).step_by(ROWS) {
            let end = rows.len().min(start + ROWS);
            let before = self.rows.len();
            if before >= most {
                break;
            }
            if self.add(joined, rows, start..end, most, tally).is_ok() {
                continue;
            }
            // Of these rows, the ones before the fault are joined.
            self.truncate(before);
            for row in start..end {
                let before = self.rows.len();
                if let Err(fault) = self.add(joined, rows, row..row + 1, most, tally) {
                    self.truncate(before);
                    return Err(fault.error());
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        joined: &JoinedColumns,
        rows: &Rows<'_>,
        range: Range<usize>,
        most: usize,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let start = range.start;
        let cells = joined.read_from.iter().map(|(nth, _)| {
            let mut cells = Vector::new(&[]);
            rows.read(*nth, start, &mut cells);
            cells
        });
        let batch = FileBatch::of(cells.collect(), range.len(), &joined.rows.read);
        let (numbers, table) = (&mut self.rows, &mut self.table);
        joined.rows.each(&batch, &mut |made, kept| {
            // One row may have more matches than memory can hold.
            if numbers.len() >= most {
                return Ok(());
            }
            let values = joined.columns.iter().map(|nth| made.column(*nth));
            let values: Vec<Values<'_>> = values.collect();
            each(kept, |row| {
                numbers.push((start + made.scanned_row(row)) as u32);
                table.push(&values, row);
            });
            Ok(())
        })?;
        tally.unread_of_joins.resize(joined.read_from.len(), 0);
        batch.count_unread(&mut tally.unread_of_joins);
        Ok(())
    }

    fn truncate(&mut self, rows: usize) {
        self.keep(0..rows);
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Leaves out all other rows.
    pub(crate) fn keep(&mut self, range: Range<usize>) {
        if range == (0..self.rows.len()) {
            return;
        }
        let numbers: Vec<_> = range.clone().collect();
        self.table = self.table.rows(&numbers);
        self.rows = self.rows[range].to_vec();
    }

    /// Returns the rows of the block that joined rows are made of, one for each, and the values beside them.
    pub(crate) fn rows_of<'r>(&'r mut self, rows: &Rows<'r>) -> (Rows<'r>, BesideRows<'r>) {
        let rows = rows.chosen(&self.rows, &mut self.lines);
        (rows, BesideRows(&self.table))
    }
}

/// The values of joined tables, beside the rows that they are joined with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BesideRows<'t>(&'t Table);

/// Rows of a file with the values beside them.
pub(super) struct JoinedBatch<'b, 'f> {
    pub(super) of_file: &'b FileBatch<'f>,
    pub(super) beside: BesideRows<'b>,
    /// The number of the first row.
    pub(super) start: usize,
}

impl Batch for JoinedBatch<'_, '_> {
    fn rows(&self) -> usize {
        self.of_file.rows()
    }

    fn column(&self, nth: usize) -> Values<'_> {
        match nth.checked_sub(JOINED) {
            None => self.of_file.column(nth),
            Some(nth) => self.beside.0.columns[nth].values(self.start..self.start + self.rows()),
        }
    }
}
