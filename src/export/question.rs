//! What to export: columns, types, the number of rows.

use crate::error::Error;
use crate::sql::projection::{SelectList, Types};

/// What to export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportQuestion {
    /// The columns, in their order; none for all columns of the schema.
    pub columns: SelectList,
    /// Which values have types, and which are text.
    pub types: Types,
    /// The number of rows to export; all of them by default. Nothing is read after them.
    pub head: Option<u64>,
}

impl ExportQuestion {
    /// Parses columns such as `NAME, year(date) AS year`, and adds them.
    ///
    /// # Errors
    /// A usage error if they are no select list of SQL. The error names the line and the column.
    pub fn add_columns(&mut self, columns: &str) -> Result<(), Error> {
        self.columns.add(columns)
    }
}
