//! A choice among the rows that pass the filter.

use crate::error::Error;
use crate::input::Part;
use crate::scan::Row;

pub(crate) trait Choice: Send + Sync {
    /// Begins a part. Parts follow each other. Returns the columns that decide; an error if the part lacks one.
    fn begin(&self, part: &Part) -> Result<Vec<usize>, Error>;

    /// Returns the label of a row with the deciding columns, if the row is exported.
    fn choose(&self, row: &Row<'_>) -> Option<&'static str>;

    /// Returns the name of the column of labels, which stands first, if labels are exported.
    fn label_name(&self) -> Option<&'static str>;
}
