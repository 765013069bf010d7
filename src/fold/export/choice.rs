//! Which rows are exported, beyond those that pass the filter.

use crate::scan::Row;

/// Chooses rows.
pub(crate) trait Choice: Send + Sync {
    /// Begins a part. Parts follow each other.
    fn begin(&self);

    /// Says whether a row is exported.
    fn chooses(&self, row: &Row<'_>) -> bool;
}
