//! The number of rows that are wanted.

/// Counts down to the last row that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// The number of rows left to take; none if all are wanted.
    left: Option<u64>,
}

impl Head {
    pub(super) fn new(rows: Option<u64>) -> Head {
        Head { left: rows }
    }

    /// Returns how many of the next `rows` are wanted, and expects them.
    pub(super) fn take(&mut self, rows: usize) -> usize {
        let Some(left) = &mut self.left else {
            return rows;
        };
        let taken = usize::try_from(*left).map_or(rows, |left| left.min(rows));
        *left -= taken as u64;
        taken
    }

    /// Says whether no more rows are wanted.
    pub(super) fn has_all(&self) -> bool {
        self.left == Some(0)
    }
}
