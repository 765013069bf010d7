//! The last of the first groups, as a bar for the others.

use std::ops::Range;

use super::question::{Direction, GroupQuestion, Sort};
use crate::fold::tables::{Digits, Key};

/// Excludes most groups that come after the last of the first ones, and no others. That takes two comparisons, so most
/// of millions of groups are looked at no closer.
///
/// A group is excluded by a smaller count, or by the same and a key of digits that comes later. Without bits of the
/// count, only keys matter.
#[derive(Debug, Default)]
pub(super) struct Bar {
    /// The bits of the count that matter.
    counts: u64,
    /// The bits of the count to change: all, if small ones come first.
    changed: u64,
    /// The count of the last group, by these bits.
    least: u64,
    /// The numbers of keys as long as its own that come later.
    keys: Range<u64>,
}

impl Bar {
    /// Returns a bar by the last of the first groups, if its question has one: an order by count or by key.
    pub(super) fn of(question: &GroupQuestion, key: &[u8], count: u64) -> Bar {
        let (counts, changed) = match (question.sort, question.direction) {
            (Sort::Count, Direction::Descending) => (u64::MAX, 0),
            (Sort::Count, Direction::Ascending) => (u64::MAX, u64::MAX),
            (Sort::Key, _) => (0, 0),
            (Sort::Aggregate(_), _) => return Bar::default(),
        };
        let bar = Bar {
            counts,
            changed,
            least: 0,
            keys: Digits::of_key(key).map_or(0..0, Digits::after),
        };
        Bar {
            least: bar.rank(count),
            ..bar
        }
    }

    #[inline(always)]
    fn rank(&self, count: u64) -> u64 {
        count & self.counts ^ self.changed
    }

    /// Says whether the group of this key and count comes later. If not, it may.
    #[inline(always)]
    pub(super) fn excludes(&self, key: Key<'_>, count: u64) -> bool {
        let rank = self.rank(count);
        let is_later = matches!(key, Key::Digits(digits) if self.keys.contains(&digits.number()));
        rank < self.least || rank == self.least && is_later
    }
}
