//! Rows of tables in memory, as batches.

use crate::scan::ROWS;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::Expression;
use crate::sql::file::Read;
use crate::sql::table::Table;
use crate::sql::vector::{Values, each, first};

/// Up to [`ROWS`] rows of a table in memory.
pub(in crate::sql) struct TableBatch<'t> {
    table: &'t Table,
    /// The columns that expressions read, by their numbers there.
    read: &'t [Read],
    start: usize,
}

impl<'t> TableBatch<'t> {
    /// Returns all rows of a table.
    pub(in crate::sql) fn all(
        table: &'t Table,
        read: &'t [Read],
    ) -> impl Iterator<Item = TableBatch<'t>> + 't {
        let starts = (0..table.len()).step_by(ROWS);
        starts.map(move |start| TableBatch { table, read, start })
    }
}

impl Batch for TableBatch<'_> {
    fn rows(&self) -> usize {
        (self.table.len() - self.start).min(ROWS)
    }

    fn column(&self, nth: usize) -> Values<'_> {
        let column = &self.table.columns[self.read[nth].place];
        column.values(self.start..self.start + self.rows())
    }

    fn place(&self, row: usize) -> u64 {
        (self.start + row) as u64
    }
}

/// Returns a table with the values of expressions in all rows of a table, whose columns have their own numbers.
///
/// # Errors
/// If a value can't be known.
pub(in crate::sql) fn evaluated(table: &Table, all: &[Expression]) -> Result<Table, Fault> {
    let mut made = Table::new(all.iter().map(|of| of.gives));
    let read = table.read_all();
    for batch in TableBatch::all(table, &read) {
        let rows = first(batch.rows());
        let values = all.iter().map(|of| of.values(&batch, rows));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        each(rows, |row| made.push(&values, row));
    }
    Ok(made)
}
