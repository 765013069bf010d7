//! How often each first name occurs.
//!
//! Names of up to 8 and up to 16 bytes, which is all but a few, are in [`NameTable`]s. Longer ones,
//! and those with control characters in them, go to an ordinary hash map.

use std::collections::HashMap;
use std::mem;

use ahash::RandomState;

use super::most_common::MostCommon;
use super::name_table::{Key, NameTable, fold_all};
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
    /// Counts of other workers, in large tables, that are part of these: nothing is aside of
    /// them, and they have no other names.
    aside: Vec<FirstNames>,
    /// Whether all of a part of an input has been counted.
    part_ended: bool,
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
            aside: Vec::new(),
            part_ended: false,
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
    ///
    /// Large tables of two workers are not merged, but put aside until [`FirstNames::ranking`] asks for them:
    /// a table of both takes fresh memory, and one thread to fill it. There are no more of those than
    /// workers, because they are not put aside any more once [`FirstNames::end_part`] has been called.
    pub fn merge(&mut self, mut other: FirstNames) {
        if self.own() < other.own() {
            mem::swap(self, &mut other);
        }
        let aside = mem::take(&mut other.aside);
        for mut from in aside.into_iter().chain([other]) {
            for (name, lines) in from.other.drain() {
                *self.other.entry(name).or_default() += lines;
            }
            let large = from.short.is_in_parts() || from.medium.is_in_parts();
            if large && !self.part_ended {
                self.aside.push(from);
            } else {
                self.short.merge(from.short);
                self.medium.merge(from.medium);
            }
        }
    }

    /// Says that these are the names of a whole part of an input.
    pub fn end_part(&mut self) {
        self.part_ended = true;
    }

    fn settle(&mut self) {
        self.short.settle();
        self.medium.settle();
        self.aside.iter_mut().for_each(FirstNames::settle);
    }

    /// How many names the tables have, without those aside and those that wait.
    fn own(&self) -> usize {
        self.short.distinct() + self.medium.distinct()
    }

    /// The `count` most common names; how many different names there are, and how many lines they have.
    /// In a pool, its threads share the work.
    ///
    /// ```
    /// use fecscan::fold::first_names::FirstNames;
    /// let mut names = FirstNames::default();
    /// for name in [&b"MARY"[..], b"JOHN", b"ANN", b"A-NAME-OF-MORE-THAN-16-BYTES", b"JOHN"] {
    ///     names.add(name, 1);
    /// }
    /// let ranking = names.ranking(2);
    /// assert_eq!((ranking.distinct, ranking.lines), (4, 5));
    /// assert_eq!(ranking.into_vec(), [(b"JOHN".to_vec(), 2), (b"A-NAME-OF-MORE-THAN-16-BYTES".to_vec(), 1)]);
    /// ```
    pub fn ranking(&mut self, count: usize) -> MostCommon {
        self.settle();
        let mut other = MostCommon::default();
        for (name, &lines) in &self.other {
            other.consider(count, name, lines);
        }
        let all = || [&*self].into_iter().chain(&self.aside);
        let short: Vec<_> = all().map(|names| &names.short).collect();
        let medium: Vec<_> = all().map(|names| &names.medium).collect();
        other
            .joined(count, ranking(count, &short))
            .joined(count, ranking(count, &medium))
    }
}

/// The same of the names in `tables`, which are settled.
fn ranking<K: Key>(count: usize, tables: &[&NameTable<K>]) -> MostCommon {
    let consider = |best: &mut MostCommon, name: K, lines| {
        best.consider(count, without_zeros(name.bytes().as_ref()), lines);
    };
    fold_all(tables, consider, |one, other| one.joined(count, other))
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
                assert_eq!(names.ranking(2).into_vec(), expected, "byte {byte}");
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
        let ranking = names.ranking(10_000);
        assert_eq!((ranking.distinct, ranking.lines), (10_000, 30_000));
        assert!(ranking.into_vec().iter().all(|(_, lines)| *lines == 3));
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

        assert_ranked(&mut all, &expected, "three tables");
    }

    /// Asserts that `names` are those that are `expected`.
    fn assert_ranked(names: &mut FirstNames, expected: &BTreeMap<Vec<u8>, u64>, what: &str) {
        let lines = expected.values().sum::<u64>();
        let mut ranked: Vec<_> = expected
            .iter()
            .map(|(name, n)| (name.clone(), *n))
            .collect();
        ranked.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
        for count in [0, 100, ranked.len() + 1] {
            let found = names.ranking(count);
            let distinct = ranked.len() as u64;
            assert_eq!((found.distinct, found.lines), (distinct, lines), "{what}");
            // Not by assert_eq, which would print all names.
            let same = found.into_vec() == ranked[..count.min(ranked.len())];
            assert!(same, "{what}: the first {count}");
        }
    }

    /// The nth of many names of `length` bytes, which lie all over the table.
    fn nth_name(nth: u32, length: usize) -> Vec<u8> {
        let number = nth.wrapping_mul(2_654_435_761);
        format!("{number:0length$x}").into_bytes()
    }

    /// Workers have counted so many names each, some of them the same: in tables that are small, that have
    /// grown, and that are in parts.
    #[test]
    fn workers_whose_tables_are_of_any_size_come_to_what_a_map_would() {
        const LARGE: u32 = 450_000;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap();
        let cases: [(usize, bool, &[u32]); 5] = [
            (8, false, &[LARGE, LARGE + 100, 3, LARGE]),
            (8, true, &[LARGE, LARGE]),
            (8, false, &[LARGE, 10]),
            (8, false, &[60_000, 60_000]),
            (16, false, &[LARGE, LARGE]),
        ];
        for (length, part_ended, sizes) in cases {
            let random = RandomState::new();
            let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            let mut merged = FirstNames::new(random.clone());
            for (worker, &size) in (0..).zip(sizes) {
                let mut names = FirstNames::new(random.clone());
                // Half of them are those of the worker before, too.
                for nth in (0..size).map(|nth| nth + worker * LARGE / 2) {
                    let name = nth_name(nth, length);
                    names.add(&name, 1);
                    if nth % 1000 < 3 {
                        names.add(&name, u64::from(nth));
                    }
                    let lines = 1 + if nth % 1000 < 3 { u64::from(nth) } else { 0 };
                    *expected.entry(name).or_default() += lines;
                }
                if part_ended {
                    names.end_part();
                }
                merged.merge(names);
            }
            let what = format!("{sizes:?}, {length} bytes, part ended: {part_ended}");
            pool.install(|| assert_ranked(&mut merged.clone(), &expected, &what));
            assert_ranked(&mut merged, &expected, &what);
        }
    }

    /// What several workers have made of an input each, merged in either order.
    #[test]
    fn inputs_with_tables_aside_come_to_what_a_map_would() {
        const LARGE: u32 = 420_000;
        let random = RandomState::new();
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut total = |first: u32, workers: u32| {
            let mut total = FirstNames::new(random.clone());
            for worker in 0..workers {
                let mut names = FirstNames::new(random.clone());
                for nth in (0..LARGE + worker).map(|nth| first + worker * LARGE + nth) {
                    let name = nth_name(nth, 8);
                    names.add(&name, 1);
                    *expected.entry(name).or_default() += 1;
                }
                total.merge(names);
            }
            total.end_part();
            assert_eq!(total.aside.len() as u32, workers - 1);
            total
        };
        let (small, large) = (total(0, 2), total(LARGE, 3));
        for (mut into, from) in [(small.clone(), large.clone()), (large, small)] {
            into.merge(from);
            assert_ranked(&mut into, &expected, "two inputs");
        }
    }
}
