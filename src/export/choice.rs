//! Which rows are exported, beyond those that pass the filter.

use crate::error::Error;
use crate::input::Part;
use crate::scan::Row;

/// Chooses rows.
pub(crate) trait Choice: Send + Sync {
    /// Begins a part. Parts follow each other. Returns the columns that decide.
    ///
    /// # Errors
    /// If the part lacks one.
    fn begin(&self, part: &Part) -> Result<Vec<usize>, Error>;

    /// Returns the label of a row with the columns that decide; none if the row is not exported.
    fn choose(&self, row: &Row<'_>) -> Option<&'static str>;

    /// Returns the name of the column of labels, which stands before the others; none if labels are not exported.
    fn label_name(&self) -> Option<&'static str>;
}
