//! The most common of many names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most common names of those that have been considered, and how many these are.
#[derive(Clone, Debug, Default)]
pub struct MostCommon {
    /// The least of the best on top.
    best: BinaryHeap<Reverse<(u64, Reverse<Vec<u8>>)>>,
    /// How many different names have been considered.
    pub distinct: u64,
    /// How many lines they have.
    pub lines: u64,
}

impl MostCommon {
    /// Considers `name`, which has not been considered before, to be among the `count` most common. Of
    /// equally common names those are more common whose bytes come first.
    pub(crate) fn consider(&mut self, count: usize, name: &[u8], lines: u64) {
        self.distinct += 1;
        self.lines += lines;
        if !self.may_add(count, name, lines) {
            return;
        }
        // Names are made only for those that may belong there.
        self.add(count, name.to_vec(), lines);
    }

    /// What comes of the names of both, of which none is in both.
    pub(crate) fn joined(self, count: usize, other: MostCommon) -> MostCommon {
        let (mut into, from) = match self.best.len() < other.best.len() {
            true => (other, self),
            false => (self, other),
        };
        into.distinct += from.distinct;
        into.lines += from.lines;
        for Reverse((lines, Reverse(name))) in from.best {
            if into.may_add(count, &name, lines) {
                into.add(count, name, lines);
            }
        }
        into
    }

    /// The names and their lines, most common first.
    pub fn into_vec(self) -> Vec<(Vec<u8>, u64)> {
        let best = self.best.into_sorted_vec().into_iter();
        best.map(|Reverse((lines, Reverse(name)))| (name, lines))
            .collect()
    }

    fn may_add(&self, count: usize, name: &[u8], lines: u64) -> bool {
        if self.best.len() < count {
            return true;
        }
        self.best
            .peek()
            .is_some_and(|Reverse((least, Reverse(last)))| {
                // Of names that are equally common, the first byte tells most apart, without a call.
                let first = |name: &[u8]| name.first().copied();
                let last = last.as_slice();
                (lines, first(last), last) > (*least, first(name), name)
            })
    }

    fn add(&mut self, count: usize, name: Vec<u8>, lines: u64) {
        self.best.push(Reverse((lines, Reverse(name))));
        if self.best.len() > count {
            self.best.pop();
        }
    }
}
