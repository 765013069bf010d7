//! What a filter of rows is to the scan.

use std::fmt::Debug;
use std::ops::AddAssign;

use super::{Needles, Rows};
use crate::error::Error;

/// Chooses rows of a block.
pub(crate) trait RowFilter: Debug + Send + Sync {
    /// Returns the columns that the filter reads, counted from zero.
    fn columns(&self) -> &[usize];

    /// Stores in `kept` which of `rows` pass, in their order. The rows' columns are
    /// [`RowFilter::columns`]. A column that the line does not have counts as empty.
    ///
    /// # Errors
    /// If a condition has no value for a row, not even NULL.
    fn keep(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> Result<FilterCounts, Error>;

    /// Returns words of which each line that passes has one, and that all bytes are searched for in less time than columns.
    fn required(&self) -> Option<&Needles> {
        None
    }
}

/// Numbers of rows that a filter counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilterCounts {
    /// The rows without a partner in each joined table, whether they pass or not.
    pub(crate) without_partner: [u64; FilterCounts::COUNTS],
    /// The rows that fail only because a condition is NULL for them.
    pub(crate) unread: u64,
}

impl FilterCounts {
    pub(crate) const COUNTS: usize = 16;
}

impl AddAssign for FilterCounts {
    fn add_assign(&mut self, more: FilterCounts) {
        let counts = self.without_partner.iter_mut();
        for (count, more) in counts.zip(more.without_partner) {
            *count += more;
        }
        self.unread += more.unread;
    }
}
