//! Which rows are written, counted in the order of the input.

use std::ops::Range;

/// The rows that an OFFSET leaves out, and then those that a LIMIT takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limit {
    pub(super) skipped: u64,
    /// None for all.
    pub(super) taken: Option<u64>,
}

impl Limit {
    /// Returns the number of rows behind which none is wanted.
    pub(super) fn most(&self) -> usize {
        let taken = self.taken.map(|taken| taken.saturating_add(self.skipped));
        taken.map_or(usize::MAX, |most| {
            usize::try_from(most).unwrap_or(usize::MAX)
        })
    }

    /// Returns which of the next rows are wanted, and expects them.
    pub(super) fn take(&mut self, rows: usize) -> Range<usize> {
        let most = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let start = rows.min(most(self.skipped));
        self.skipped -= start as u64;
        let Some(taken) = &mut self.taken else {
            return start..rows;
        };
        let count = (rows - start).min(most(*taken));
        *taken -= count as u64;
        start..start + count
    }
}
