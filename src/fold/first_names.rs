//! How often each first name occurs.
//!
//! Names of up to 8 and up to 16 bytes, which is all but a few, are in [`NameTable`]s. Longer ones,
//! and those with control characters in them, go to an ordinary hash map.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use ahash::RandomState;

use super::name_table::{Key, NameTable};
use crate::fec::is_control;
use crate::scan::simd::Level;

/// How many names are pending at most: enough for their slots to arrive meanwhile.
const PENDING: usize = 16;

/// Names that are about to be counted, while the memory fetches their slots.
///
/// A table of 50,000 names fills most of the second-level cache. A name that is counted at once makes the
/// processor wait for its slot.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    names: [u64; PENDING],
    /// Where they are looked for first.
    places: [usize; PENDING],
    length: usize,
}

/// Line counts by first name.
#[derive(Clone, Debug)]
pub struct FirstNames {
    short: NameTable<u64>,
    medium: NameTable<u128>,
    other: HashMap<Box<[u8]>, u64, RandomState>,
}

impl Default for FirstNames {
    fn default() -> FirstNames {
        FirstNames::new(RandomState::new())
    }
}

impl FirstNames {
    /// No names yet. Counts that are to be merged merge fastest if they have the same `random` state.
    pub fn new(random: RandomState) -> FirstNames {
        FirstNames {
            short: NameTable::new(random.hash_one(0)),
            medium: NameTable::new(random.hash_one(1)),
            other: HashMap::with_hasher(random),
        }
    }

    /// Counts one more line with a `name` without control characters. Short names are not counted at
    /// once: they join those in `pending`, and their slots are asked for.
    #[inline(always)]
    pub fn add_soon<L: Level>(
        &mut self,
        level: L,
        bytes: &[u8; 16],
        length: usize,
        pending: &mut Pending,
    ) -> bool {
        if length > u64::BYTES {
            return self.add_medium(bytes, length);
        }
        let name = u64::new(*bytes.first_chunk().unwrap_or(&[0; 8]), length);
        let place = self.short.prefetch(level, name);
        if pending.length == PENDING {
            self.add_pending(level, pending);
        }
        pending.names[pending.length] = name;
        pending.places[pending.length] = place;
        pending.length += 1;
        true
    }

    #[cold]
    #[inline(never)]
    fn add_medium(&mut self, bytes: &[u8; 16], length: usize) -> bool {
        if length > u128::BYTES {
            return false;
        }
        self.medium.add(u128::new(*bytes, length), 1);
        true
    }

    /// Counts the names in `pending`, and empties it.
    #[inline(always)]
    pub fn add_pending<L: Level>(&mut self, level: L, pending: &mut Pending) {
        let names = pending.names.iter().zip(&pending.places);
        for (&name, &place) in names.take(pending.length) {
            self.short.add_near(level, name, place, 1);
        }
        pending.length = 0;
    }

    /// Counts `lines` more lines with this `name`, which is not empty.
    pub fn add(&mut self, name: &[u8], lines: u64) {
        let plain = !name.iter().any(|&b| is_control(b));
        if let Some(name) = key(name).filter(|_| plain) {
            self.short.add(name, lines);
        } else if let Some(name) = key(name).filter(|_| plain) {
            self.medium.add(name, lines);
        } else if let Some(counter) = self.other.get_mut(name) {
            *counter += lines;
        } else {
            self.other.insert(name.into(), lines);
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, mut other: FirstNames) {
        if self.distinct() < other.distinct() {
            std::mem::swap(self, &mut other);
        }
        self.short.merge(&other.short);
        self.medium.merge(&other.medium);
        for (name, lines) in other.other {
            *self.other.entry(name).or_default() += lines;
        }
    }

    /// How many different names there are.
    pub fn distinct(&self) -> u64 {
        (self.short.distinct() + self.medium.distinct() + self.other.len()) as u64
    }

    /// The number of lines with a first name.
    pub fn lines(&self) -> u64 {
        let short: u64 = self.short.iter().map(|(_, lines)| lines).sum();
        let medium: u64 = self.medium.iter().map(|(_, lines)| lines).sum();
        short + medium + self.other.values().sum::<u64>()
    }

    /// The `count` most common names and their lines, most common first; of equally common ones,
    /// those whose bytes come first.
    ///
    /// ```
    /// use fecscan::fold::first_names::FirstNames;
    /// let mut names = FirstNames::default();
    /// for name in [&b"MARY"[..], b"JOHN", b"ANN", b"A-NAME-OF-MORE-THAN-16-BYTES", b"JOHN"] {
    ///     names.add(name, 1);
    /// }
    /// assert_eq!(names.most_common(2), [(b"JOHN".to_vec(), 2), (b"A-NAME-OF-MORE-THAN-16-BYTES".to_vec(), 1)]);
    /// ```
    pub fn most_common(&self, count: usize) -> Vec<(Vec<u8>, u64)> {
        // The least of the best on top. Names are made only for those that may belong there.
        let mut best: BinaryHeap<Reverse<(u64, Reverse<Vec<u8>>)>> = BinaryHeap::new();
        let mut consider = |lines: u64, name: &[u8]| {
            let full = best.len() == count;
            if full
                && best.peek().is_none_or(|Reverse((least, Reverse(last)))| {
                    (lines, last.as_slice()) <= (*least, name)
                })
            {
                return;
            }
            best.push(Reverse((lines, Reverse(name.to_vec()))));
            if full {
                best.pop();
            }
        };
        for (name, lines) in self.short.iter() {
            consider(lines, without_zeros(name.bytes().as_ref()));
        }
        for (name, lines) in self.medium.iter() {
            consider(lines, without_zeros(name.bytes().as_ref()));
        }
        for (name, &lines) in &self.other {
            consider(lines, name);
        }
        best.into_sorted_vec()
            .into_iter()
            .map(|Reverse((lines, Reverse(name)))| (name, lines))
            .collect()
    }
}

/// The key of `name`, if it is not too long for one.
fn key<K: Key>(name: &[u8]) -> Option<K> {
    let mut bytes = [0; 16];
    bytes.get_mut(..name.len())?.copy_from_slice(name);
    let bytes = K::Bytes::try_from(&bytes[..K::BYTES]).ok()?;
    (name.len() <= K::BYTES).then(|| K::new(bytes, name.len()))
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|&&b| b == 0).count();
    &bytes[zeros..]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::scan::simd::Portable;

    /// Names of every length around the limits, with zeros and other bytes where padding might hide
    /// them.
    fn names() -> impl Iterator<Item = Vec<u8>> {
        let lengths = (1..=17).chain([64, 4000]);
        let of_length = |length: usize| {
            let fills = [b'A', 0, 0xff, 15, 0x7f].map(|byte| vec![byte; length]);
            let last = [b'A', 0, 0xff].map(|byte| [vec![b'B'; length - 1], vec![byte]].concat());
            fills.into_iter().chain(last)
        };
        let numbered = (0..20_000).map(|i| format!("N{i}").into_bytes());
        lengths.flat_map(of_length).chain(numbered)
    }

    /// A name that is added soon and one that is added at once are the same name, whatever is in it.
    #[test]
    fn both_ways_lead_to_the_same_place() {
        for length in 1..=16 {
            for byte in (b' '..=0xff).filter(|&b| b != b' ' && b != b',') {
                let mut names = FirstNames::default();
                let mut pending = Pending::default();
                let mut bytes = [b'|'; 16];
                bytes[..length].fill(b'A');
                bytes[length / 2] = byte;
                assert!(names.add_soon(Portable, &bytes, length, &mut pending));
                names.add_pending(Portable, &mut pending);
                names.add(&bytes[..length], 1);
                let expected = [(bytes[..length].to_vec(), 2)];
                assert_eq!(names.most_common(2), expected, "byte {byte}");
            }
        }
    }

    /// A table grows while names that were looked for in the smaller one are pending.
    #[test]
    fn names_that_are_pending_while_the_table_grows_are_counted_once() {
        let (mut names, mut pending) = (FirstNames::default(), Pending::default());
        for number in (0..30_000).map(|number| number % 10_000) {
            let name = format!("{number:08}||||||||");
            let bytes = name.as_bytes().first_chunk().unwrap();
            assert!(names.add_soon(Portable, bytes, 8, &mut pending));
        }
        names.add_pending(Portable, &mut pending);
        assert_eq!((names.distinct(), names.lines()), (10_000, 30_000));
        assert!(
            names
                .most_common(10_000)
                .iter()
                .all(|(_, lines)| *lines == 3)
        );
    }

    #[test]
    fn names_are_counted_and_merged_as_a_map_would() {
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut tables = [
            FirstNames::default(),
            FirstNames::default(),
            FirstNames::default(),
        ];
        for (i, name) in names().chain(names().step_by(3)).enumerate() {
            *expected.entry(name.clone()).or_default() += 1 + i as u64 % 5;
            tables[i % 3].add(&name, 1 + i as u64 % 5);
        }
        let [mut all, second, third] = tables;
        all.merge(second);
        all.merge(third);

        assert_eq!(all.distinct(), expected.len() as u64);
        assert_eq!(all.lines(), expected.values().sum::<u64>());
        let mut ranked: Vec<_> = expected.into_iter().collect();
        ranked.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
        for count in [0, 1, 2, 100, ranked.len(), ranked.len() + 1] {
            assert_eq!(
                all.most_common(count),
                ranked[..count.min(ranked.len())],
                "the first {count}"
            );
        }
    }
}
