//! What to export: columns, types, the number of rows.

use super::sample::Sample;
use crate::error::Error;
use crate::expr::Key;
use crate::expr::list::{self, Role};
use crate::select::Types;

/// What to export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportQuestion {
    /// The columns, in their order; none for all columns of the schema.
    pub columns: Vec<Key>,
    /// Whether values are text as it stands, or have types.
    pub types: Types,
    /// The number of rows to export; all of them by default. Nothing is read after them.
    pub head: Option<u64>,
    /// The random sample whose rows are exported; all rows by default. `head` counts rows of the sample.
    pub sample: Option<Sample>,
}

impl ExportQuestion {
    /// Parses columns such as `NAME,month(TRANSACTION_DT)`, and adds them. Names match in any case.
    ///
    /// # Errors
    /// A usage error for an empty name, an unknown function, or parentheses that do not match.
    pub fn add_columns(&mut self, columns: &str) -> Result<(), Error> {
        let columns = list::parse(columns, Role::Export)?;
        self.columns.extend(columns);
        Ok(())
    }
}
