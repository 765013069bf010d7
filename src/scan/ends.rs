//! Where columns end.

use std::ops::Range;

use super::simd::{Level, PLACES_COMPARED};

/// Lines whose columns follow each other among [`Ends`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The number of the first column.
    pub(crate) first: usize,
    /// The number of lines.
    pub(crate) count: usize,
    /// The number of columns of each line.
    pub(crate) step: usize,
}

/// The ends of columns in a haystack: the proof that they ascend and lie inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<'a> {
    haystack: &'a [u8],
    /// The byte before the first column, and then the byte after each.
    ends: &'a [u32],
}

impl<'a> Ends<'a> {
    /// Returns the `ends`, if they ascend within the haystack. The first is the byte before the first column,
    /// which may be one before the haystack: 2^32 - 1.
    #[inline(always)]
    pub(crate) fn new(haystack: &'a [u8], ends: &'a [u32]) -> Option<Ends<'a>> {
        let (before, inside) = ends.split_first()?;
        let last = *inside.last()? as usize;
        // No search that stops early: the compiler makes vectors of this, and of a loop with the level's
        // instructions.
        let mut falls = false;
        for (end, next) in inside.iter().zip(&inside[1..]) {
            falls |= end >= next;
        }
        let ascend = !falls && before.wrapping_add(1) <= inside[0];
        (ascend && last <= haystack.len()).then_some(Ends { haystack, ends })
    }

    /// Returns the haystack.
    #[inline(always)]
    pub(crate) fn haystack(&self) -> &'a [u8] {
        self.haystack
    }

    /// Returns the place of the column with this number in the haystack.
    ///
    /// # Panics
    /// If there are fewer columns.
    #[inline(always)]
    pub(crate) fn column(&self, nth: usize) -> Range<usize> {
        self.ends[nth].wrapping_add(1) as usize..self.ends[nth + 1] as usize
    }

    /// Returns where the column with this number ends. Returns none if there are fewer columns.
    #[inline(always)]
    pub(crate) fn end(&self, nth: usize) -> Option<usize> {
        self.ends.get(nth + 1).map(|&end| end as usize)
    }

    /// Returns the end before each column from `first` on, and the end of each.
    ///
    /// # Panics
    /// If there are fewer columns.
    #[inline(always)]
    pub(crate) fn from(&self, first: usize) -> &'a [u32] {
        &self.ends[first..]
    }

    /// Returns the number, counted from `first`, of the column in which the byte at `place` of the haystack
    /// stands.
    ///
    /// # Panics
    /// If there is no column with the number `first`.
    #[inline(always)]
    pub(crate) fn column_at<L: Level>(&self, level: L, first: usize, place: usize) -> usize {
        let ends = &self.ends[first + 1..];
        let is_before = |&&end: &&u32| (end as usize) < place;
        // A comparison with all of them instead of a search: two vectors, and no branch.
        match ends.first_chunk::<PLACES_COMPARED>() {
            Some(near) if near[PLACES_COMPARED - 1] as usize >= place => {
                level.count_below(near, place as u32)
            }
            _ => ends.iter().take_while(is_before).count(),
        }
    }
}
