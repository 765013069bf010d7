//! What a filter of rows is to the scan.

use std::fmt::Debug;

use super::{Needles, Rows};
use crate::error::Error;

/// Chooses rows of a block.
pub(crate) trait RowFilter: Debug + Send + Sync {
    /// Returns the columns that the filter reads, counted from zero.
    fn columns(&self) -> &[usize];

    /// Stores in `kept` which of `rows` pass, in their order, a row perhaps several times. The rows' columns are
    /// [`RowFilter::columns`]. A column that the line does not have counts as empty. Returns how many rows fail only because a condition is NULL
    /// for them.
    ///
    /// # Errors
    /// If a condition has no value for a row, not even NULL.
    fn keep(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> Result<u64, Error>;

    /// Returns words of which each line that passes has one, and that all bytes are searched for in less time than columns.
    fn required(&self) -> Option<&Needles> {
        None
    }
}
