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
    /// The last of the best on top.
    best: BinaryHeap<(Reverse<u64>, Vec<u8>)>,
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
        self.rank(count, key, lines);
    }

    /// Joins two rankings without a common key.
    pub(crate) fn joined(mut self, count: usize, other: MostCommon) -> MostCommon {
        self.distinct += other.distinct;
        self.lines += other.lines;
        for (Reverse(lines), key) in other.best {
            self.rank(count, key, lines);
        }
        self
    }

    /// Returns the keys and their lines, most common first.
    pub fn into_vec(self) -> Vec<(Vec<u8>, u64)> {
        let best = self.best.into_sorted_vec().into_iter();
        best.map(|(Reverse(lines), key)| (key, lines)).collect()
    }

    /// Adds a key that ranks. Copies no other one.
    fn rank(&mut self, count: usize, key: impl AsRef<[u8]> + Into<Vec<u8>>, lines: u64) {
        let is_before = |(least, last): &(Reverse<u64>, Vec<u8>)| {
            // The first byte decides most ties, without a call.
            let (key, last) = (key.as_ref(), &last[..]);
            (Reverse(lines), key.first(), key) < (*least, last.first(), last)
        };
        if self.best.len() < count || self.best.peek().is_some_and(is_before) {
            self.best.push((Reverse(lines), key.into()));
            if self.best.len() > count {
                self.best.pop();
            }
        }
    }
}
