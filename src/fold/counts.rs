//! How often each key occurs.
//!
//! Keys of up to eight bytes, nearly all first names, are counted in a [`KeyTable`] of at most 8 MiB. Other keys, and all of a table
//! that is full, are in a [`Table`] of groups: longer ones, the empty one, and keys that begin with a zero byte.

use std::mem;
use std::sync::Arc;

use ahash::RandomState;

use super::key_table::KeyTable;
use super::most_common::MostCommon;
use super::tables::{Limits, Table, amounts_by_keys};
use crate::coding::{Damaged, Reader, check};
use crate::fec::word;
use crate::scan::Cell;

/// The most keys that are pending: enough for their slots to arrive meanwhile.
const PENDING: usize = 16;

/// Keys that wait to be counted while the memory fetches their slots.
///
/// A table of 50,000 keys fills most of the second-level cache. Counting a key at once would make the
/// processor wait for its slot.
#[derive(Debug, Default)]
struct Pending {
    keys: [u64; PENDING],
    /// The first place of each key.
    places: [usize; PENDING],
    length: usize,
}

/// Line counts by key. Any bytes can be a key.
///
/// ```
/// use fecscan::Counts;
/// let mut names = Counts::default();
/// for name in [&b"MARY"[..], b"JOHN", b"ANN", b"A-NAME-OF-MORE-THAN-8-BYTES", b"JOHN"] {
///     names.add(name, 1);
/// }
/// let ranking = names.most_common(2);
/// assert_eq!((ranking.distinct, ranking.lines), (4, 5));
/// assert_eq!(ranking.into_vec(), [(b"JOHN".to_vec(), 2), (b"A-NAME-OF-MORE-THAN-8-BYTES".to_vec(), 1)]);
/// ```
#[derive(Debug)]
pub struct Counts {
    short: KeyTable,
    others: Table,
    /// Whether `others` may have keys that are in `short`, too.
    are_mixed: bool,
    pending: Pending,
    random: RandomState,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts::with_seed(RandomState::new())
    }
}

impl Counts {
    /// Returns counts without keys. Only counts of the same seed merge in parts.
    pub(crate) fn with_seed(random: RandomState) -> Counts {
        Counts {
            short: KeyTable::new(random.hash_one(0)),
            others: Table::new(random.clone(), &[], 0, Limits::default()),
            are_mixed: false,
            pending: Pending::default(),
            random,
        }
    }

    /// Counts one more line. Its key is the first `length` of `bytes`, at least one, and does not begin
    /// with a zero. Returns false for a key of more than 16 bytes, which it does not count. A short
    /// key becomes pending, and its slot is prefetched.
    #[inline(always)]
    pub(crate) fn add_soon(&mut self, bytes: &[u8; 16], length: usize) -> bool {
        if length > size_of::<u64>() {
            return self.add_medium(bytes, length);
        }
        let key = KeyTable::key(*bytes.first_chunk().unwrap_or(&[0; 8]), length);
        let place = self.short.prefetch(key);
        if self.pending.length == PENDING {
            self.add_pending();
        }
        let pending = &mut self.pending;
        pending.keys[pending.length] = key;
        pending.places[pending.length] = place;
        pending.length += 1;
        true
    }

    #[cold]
    #[inline(never)]
    fn add_medium(&mut self, bytes: &[u8; 16], length: usize) -> bool {
        let key = bytes.get(..length);
        key.map(|key| self.add_other(key, 1)).is_some()
    }

    /// Counts the pending keys.
    #[inline(always)]
    fn add_pending(&mut self) {
        let keys = self.pending.keys.iter().zip(&self.pending.places);
        for (&key, &place) in keys.take(self.pending.length) {
            self.short.add_near(key, place, 1);
        }
        self.pending.length = 0;
        if self.short.is_full() {
            self.empty_short();
        }
    }

    /// Counts `lines` more lines with this `key`.
    #[inline]
    pub fn add(&mut self, key: &[u8], lines: u64) {
        match (key, word(key)) {
            ([1..=255, ..], Some(word)) => self.add_short(word, lines),
            _ => self.add_other(key, lines),
        }
    }

    #[inline]
    fn add_short(&mut self, key: u64, lines: u64) {
        let place = self.short.prefetch(key);
        self.short.add_near(key, place, lines);
        if self.short.is_full() {
            self.empty_short();
        }
    }

    fn add_other(&mut self, key: &[u8], lines: u64) {
        self.others.count(Cell::from(key), lines);
        self.others.end_block();
    }

    /// Moves the short keys to the others.
    #[cold]
    #[inline(never)]
    fn empty_short(&mut self) {
        let short = KeyTable::new(self.random.hash_one(0));
        for (key, lines) in mem::replace(&mut self.short, short).iter() {
            self.others
                .count(Cell::from(without_zeros(&key.to_le_bytes())), lines);
            self.others.end_block();
        }
        self.are_mixed = true;
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, mut other: Counts) {
        self.add_pending();
        other.add_pending();
        // Keys come by ascending places, which would fill the first groups of a small table.
        if self.short.len() < other.short.len() {
            mem::swap(&mut self.short, &mut other.short);
        }
        for (key, lines) in other.short.iter() {
            self.add_short(key, lines);
        }
        self.others.merge(other.others);
        self.others.end_block();
        self.are_mixed |= other.are_mixed;
    }

    /// Returns the `count` most common keys, their number, and the number of their lines. In a
    /// rayon pool, its threads share the work.
    pub fn most_common(&mut self, count: usize) -> MostCommon {
        self.add_pending();
        if self.are_mixed {
            self.empty_short();
        }
        let mut ranking = MostCommon::default();
        for (key, lines) in self.short.iter() {
            ranking.offer(count, without_zeros(&key.to_le_bytes()), lines);
        }
        let parts = self.others.each_part(|part| {
            let mut ranking = MostCommon::default();
            for (nth, key) in part.keys.iter().enumerate() {
                ranking.offer(count, &key, part.totals.rows(nth));
            }
            ranking
        });
        parts
            .into_iter()
            .fold(ranking, |one, other| one.joined(count, other))
    }

    /// Writes all keys and their lines down.
    pub(crate) fn store(&mut self, out: &mut Vec<u8>) {
        self.add_pending();
        self.empty_short();
        self.others.store(out);
    }

    /// Reads what was written down, into counts without keys: those of at most this number of lines.
    pub(crate) fn load(
        &mut self,
        lines: u64,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<(), Damaged> {
        let counted = self.others.load(&amounts_by_keys(0), state, reader)?;
        check(counted <= lines)
    }
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|&&b| b == 0).count();
    &bytes[zeros..]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn short_keys_are_those_of_the_table() {
        for length in 1..=8 {
            let mut bytes = [0x80, 1, 0xfe, 3, 0x7c, 5, 0, 0xff];
            let key = word(&bytes[..length]).unwrap();
            bytes[length..].fill(0x55);
            assert_eq!(key, KeyTable::key(bytes, length), "{length}");
        }
    }

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

    /// A pending key of any bytes is counted as a key that is counted at once.
    #[test]
    fn both_ways_lead_to_the_same_place() {
        for length in 1..=16 {
            for byte in (b' '..=0xff).filter(|&b| b != b' ' && b != b',') {
                let mut names = Counts::default();
                let mut bytes = [b'|'; 16];
                bytes[..length].fill(b'A');
                bytes[length / 2] = byte;
                assert!(names.add_soon(&bytes, length));
                names.add(&bytes[..length], 1);
                let expected = [(bytes[..length].to_vec(), 2)];
                assert_eq!(names.most_common(2).into_vec(), expected, "byte {byte}");
            }
        }
    }

    /// A table grows while names that were looked for in the smaller one are pending.
    #[test]
    fn names_that_are_pending_while_the_table_grows_are_counted_once() {
        let mut names = Counts::default();
        for number in (0..30_000).map(|number| number % 10_000) {
            let name = format!("{number:08}||||||||");
            let bytes = name.as_bytes().first_chunk().unwrap();
            assert!(names.add_soon(bytes, 8));
        }
        let ranking = names.most_common(10_000);
        assert_eq!((ranking.distinct, ranking.lines), (10_000, 30_000));
        assert!(ranking.into_vec().iter().all(|(_, lines)| *lines == 3));
    }

    #[test]
    fn names_are_counted_and_merged_as_a_map_would() {
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut tables = [Counts::default(), Counts::default(), Counts::default()];
        for (i, name) in names().chain(names().step_by(3)).enumerate() {
            *expected.entry(name.clone()).or_default() += 1 + i as u64 % 5;
            tables[i % 3].add(&name, 1 + i as u64 % 5);
        }
        let [mut all, second, third] = tables;
        all.merge(second);
        all.merge(third);

        assert_ranked(&mut all, &expected, "three tables");
    }

    /// Asserts that `names` rank as `expected`.
    fn assert_ranked(names: &mut Counts, expected: &BTreeMap<Vec<u8>, u64>, what: &str) {
        let lines = expected.values().sum::<u64>();
        let mut ranked: Vec<_> = expected
            .iter()
            .map(|(name, n)| (name.clone(), *n))
            .collect();
        ranked.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
        for count in [0, 100, ranked.len() + 1] {
            let found = names.most_common(count);
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

    /// Workers count some names in common, in tables that are small, have grown, or are in parts.
    #[test]
    fn workers_whose_tables_are_of_any_size_come_to_what_a_map_would() {
        const LARGE: u32 = 450_000;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap();
        let cases: [(usize, &[u32]); 5] = [
            (8, &[LARGE, LARGE + 100, 3, LARGE]),
            (8, &[LARGE; 6]),
            (8, &[LARGE, 10]),
            (8, &[60_000, 60_000]),
            (16, &[LARGE, LARGE]),
        ];
        for (length, sizes) in cases {
            let random = RandomState::new();
            let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            let mut merged = Counts::with_seed(random.clone());
            for (worker, &size) in (0..).zip(sizes) {
                let mut names = Counts::with_seed(random.clone());
                // Each worker shares half of its names with the one before.
                for nth in (0..size).map(|nth| nth + worker * LARGE / 2) {
                    let name = nth_name(nth, length);
                    names.add(&name, 1);
                    if nth % 1000 < 3 {
                        names.add(&name, u64::from(nth));
                    }
                    let lines = 1 + if nth % 1000 < 3 { u64::from(nth) } else { 0 };
                    *expected.entry(name).or_default() += lines;
                }
                merged.merge(names);
            }
            let what = format!("{sizes:?}, {length} bytes");
            assert_ranked(&mut merged, &expected, &what);
            pool.install(|| assert_ranked(&mut merged, &expected, &what));
        }
    }
}
