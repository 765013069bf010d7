//! The rows of a file that lead to a row of a joined table for which its conditions are true.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cell_map::CellMap;
use crate::scan::{ROWS, Vector};

/// Decides for the keys of a joined table. Rows that are left out count where the others do.
#[derive(Debug)]
pub(in crate::sql) struct SemiJoin {
    keys: CellMap<SemiJoined>,
    counts: Arc<MatchCounts>,
}

/// What is known of a key.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sql) struct SemiJoined {
    passes: bool,
    /// Whether several rows of the table have the key.
    is_several: bool,
}

/// The rows of the other side of a join that have several matches, and those that have none.
#[derive(Debug, Default)]
pub(in crate::sql) struct MatchCounts {
    several: AtomicU64,
    lacking: AtomicU64,
}

thread_local! {
    /// Whether the thread reads rows that it, or another one, has counted.
    static IS_READING_AGAIN: Cell<bool> = const { Cell::new(false) };
}

/// Reads rows a second time. Their matches stay counted once.
pub(crate) fn uncounted<R>(read: impl FnOnce() -> R) -> R {
    let before = IS_READING_AGAIN.replace(true);
    let done = read();
    IS_READING_AGAIN.set(before);
    done
}

impl SemiJoined {
    pub(in crate::sql) fn new(passes: bool, is_several: bool) -> SemiJoined {
        SemiJoined { passes, is_several }
    }
}

impl MatchCounts {
    /// Returns the rows that were counted since the last call: those with several matches, and those without one.
    pub(in crate::sql) fn take(&self) -> [u64; 2] {
        [&self.several, &self.lacking].map(|count| count.swap(0, Ordering::Relaxed))
    }

    /// Adds rows, unless the thread reads them [a second time](uncounted).
    pub(in crate::sql) fn add(&self, several: u64, lacking: u64) {
        if IS_READING_AGAIN.get() {
            return;
        }
        if several > 0 {
            self.several.fetch_add(several, Ordering::Relaxed);
        }
        if lacking > 0 {
            self.lacking.fetch_add(lacking, Ordering::Relaxed);
        }
    }
}

impl SemiJoin {
    pub(in crate::sql) fn new(
        keys: &HashMap<Box<[u8]>, SemiJoined>,
        counts: Arc<MatchCounts>,
    ) -> SemiJoin {
        let keys = keys.iter().map(|(key, joined)| (&**key, *joined));
        SemiJoin {
            keys: CellMap::new(keys),
            counts,
        }
    }

    /// Decides for the first `rows` of the column that leads to the table.
    #[inline(always)]
    pub(super) fn hold(&self, cells: &Vector<'_>, rows: usize) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        let (mut several, mut lacking) = (0, 0);
        for (nth, hold) in hold[..rows].iter_mut().enumerate() {
            let joined = self.keys.get(cells.cell(nth));
            lacking += u64::from(joined.is_none());
            let SemiJoined { passes, is_several } = joined.unwrap_or_default();
            several += u64::from(is_several & !passes);
            *hold = passes;
        }
        self.counts.add(several, lacking);
        hold
    }
}
