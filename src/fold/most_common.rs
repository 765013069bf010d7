//! The most common of many keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A ranking of keys by their lines.
///
/// ```
/// let mut states = fecscan::Counts::default();
/// states.add(b"CA", 3);
/// states.add(b"NY", 1);
/// assert_eq!(states.most_common(1).into_vec(), [(b"CA".to_vec(), 3)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MostCommon {
    /// The lowest of the best on top.
    best: BinaryHeap<Reverse<(u64, Reverse<Vec<u8>>)>>,
    /// The number of all keys.
    pub distinct: u64,
    /// The number of their lines.
    pub lines: u64,
}

impl MostCommon {
    /// Ranks a new `key` among the `count` most common. Equal counts are ordered by bytes.
    pub(crate) fn offer(&mut self, count: usize, key: &[u8], lines: u64) {
        self.distinct += 1;
        self.lines += lines;
        if !self.may_add(count, key, lines) {
            return;
        }
        // A copy is made only of keys that rank.
        self.add(count, key.to_vec(), lines);
    }

    /// Joins two rankings without a common key.
    pub(crate) fn joined(self, count: usize, other: MostCommon) -> MostCommon {
        let (mut into, from) = if self.best.len() < other.best.len() {
            (other, self)
        } else {
            (self, other)
        };
        into.distinct += from.distinct;
        into.lines += from.lines;
        for Reverse((lines, Reverse(key))) in from.best {
            if into.may_add(count, &key, lines) {
                into.add(count, key, lines);
            }
        }
        into
    }

    /// Returns the keys and their lines, most common first.
    pub fn into_vec(self) -> Vec<(Vec<u8>, u64)> {
        let best = self.best.into_sorted_vec().into_iter();
        best.map(|Reverse((lines, Reverse(key)))| (key, lines))
            .collect()
    }

    fn may_add(&self, count: usize, key: &[u8], lines: u64) -> bool {
        if self.best.len() < count {
            return true;
        }
        self.best
            .peek()
            .is_some_and(|Reverse((least, Reverse(last)))| {
                // The first byte decides most ties, without a call.
                let first = |key: &[u8]| key.first().copied();
                let last = last.as_slice();
                (lines, first(last), last) > (*least, first(key), key)
            })
    }

    fn add(&mut self, count: usize, key: Vec<u8>, lines: u64) {
        self.best.push(Reverse((lines, Reverse(key))));
        if self.best.len() > count {
            self.best.pop();
        }
    }
}
