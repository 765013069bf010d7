//! How often each first name occurs.
//!
//! A name of up to 15 bytes, which is all but a few, is a [`Key`]: its bytes and its length in 16
//! bytes, compared and hashed without a look at its length. The key is stored in the table beside
//! its count, so that counting a name touches one cache line of the table and nothing else. Longer
//! names go to an ordinary hash map.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use ahash::RandomState;

use crate::scan::simd::Level;

/// The longest name that a key holds.
pub const KEY_NAME_BYTES: usize = 15;

/// A name of 1 to 15 bytes: the bytes, zeros, and in the last byte the length, which tells `A` from
/// `A\0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u64; 2]);

impl Key {
    /// The key of the name that the first `length` of `bytes` are, if a key can hold it. The other
    /// bytes are ignored.
    ///
    /// ```
    /// use fecscan::fold::first_names::Key;
    /// assert_eq!(Key::new(b"JOHN A|WASHINGTO", 4), Key::new(b"JOHN|SEATTLE|WA|", 4));
    /// assert_ne!(Key::new(b"JOHN A|WASHINGTO", 4), Key::new(b"JOHN A|WASHINGTO", 5));
    /// assert_eq!(Key::new(b"ABCDEFGHIJKLMNOP", 16), None);
    /// ```
    #[inline(always)]
    pub fn new(bytes: &[u8; 16], length: usize) -> Option<Key> {
        /// For each length, the bytes that belong to the name.
        const MASKS: [[u64; 2]; KEY_NAME_BYTES + 1] = {
            let mut masks = [[0; 2]; KEY_NAME_BYTES + 1];
            let mut length = 0;
            while length <= KEY_NAME_BYTES {
                let mask = (1_u128 << (8 * length)) - 1;
                masks[length] = [mask as u64, (mask >> 64) as u64];
                length += 1;
            }
            masks
        };
        let [low_mask, high_mask] = MASKS.get(length)?;
        let bytes = u128::from_le_bytes(*bytes);
        Some(Key([
            bytes as u64 & low_mask,
            (bytes >> 64) as u64 & high_mask | (length as u64) << 56,
        ]))
    }

    fn of(name: &[u8]) -> Option<Key> {
        let mut bytes = [0; 16];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        Key::new(&bytes, name.len())
    }

    fn bytes(&self) -> [u8; 16] {
        (u128::from(self.0[0]) | u128::from(self.0[1]) << 64).to_le_bytes()
    }
}

/// A place in the table. No count, no name. Aligned so that none lies across two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Slot {
    key: Key,
    lines: u64,
}

const EMPTY: Slot = Slot {
    key: Key([0; 2]),
    lines: 0,
};

/// How many slots a table begins with: 32 KiB, which cost little where files are small and many.
const SLOTS: usize = 1024;

/// How many names are pending at most: enough for their slots to arrive meanwhile.
const PENDING: usize = 16;

/// Names that are about to be counted, while the memory fetches their slots.
///
/// A table of 50,000 names is larger than the second-level cache. A name that is counted at once makes the processor
/// wait for its slot.
#[derive(Clone, Debug)]
pub struct Pending {
    keys: [(Key, usize); PENDING],
    length: usize,
}

impl Default for Pending {
    fn default() -> Pending {
        Pending {
            keys: [(Key([0; 2]), 0); PENDING],
            length: 0,
        }
    }
}

/// Line counts by first name.
#[derive(Clone, Debug)]
pub struct FirstNames {
    /// Open addressing, at most half full. The number of slots is a power of two.
    slots: Vec<Slot>,
    used: usize,
    long: HashMap<Box<[u8]>, u64, RandomState>,
    /// Random, so that no file can be made whose names all fall on one slot.
    seeds: [u64; 2],
}

impl Default for FirstNames {
    fn default() -> FirstNames {
        let random = RandomState::new();
        let seeds = [random.hash_one(0), random.hash_one(1)];
        FirstNames {
            slots: vec![EMPTY; SLOTS],
            used: 0,
            long: HashMap::with_hasher(random),
            seeds,
        }
    }
}

impl FirstNames {
    /// Counts one more line with the name that `key` is, but not at once: it joins those in `pending`, and its
    /// slot is asked for.
    #[inline(always)]
    pub fn add_soon<L: Level>(&mut self, level: L, key: Key, pending: &mut Pending) {
        let hash = self.hash(key);
        level.prefetch(&self.slots[hash & (self.slots.len() - 1)]);
        pending.keys[pending.length] = (key, hash);
        pending.length += 1;
        if pending.length == PENDING {
            self.add_pending(pending);
        }
    }

    /// Counts the names in `pending`, and empties it.
    #[inline(always)]
    pub fn add_pending(&mut self, pending: &mut Pending) {
        for &(key, hash) in &pending.keys[..pending.length] {
            self.add_key(key, hash, 1);
        }
        pending.length = 0;
    }

    /// Counts `lines` more lines with the name that `key` is, whose hash is `hash`.
    #[inline(always)]
    fn add_key(&mut self, key: Key, hash: usize, lines: u64) {
        let last = self.slots.len() - 1;
        let mut place = hash & last;
        loop {
            let slot = &mut self.slots[place];
            if slot.key == key {
                slot.lines += lines;
                return;
            }
            if slot.lines == 0 {
                return self.insert(place, key, lines);
            }
            place = (place + 1) & last;
        }
    }

    /// Counts `lines` more lines with this `name`, which is not empty.
    pub fn add(&mut self, name: &[u8], lines: u64) {
        if let Some(key) = Key::of(name) {
            self.add_key(key, self.hash(key), lines);
        } else if let Some(counter) = self.long.get_mut(name) {
            *counter += lines;
        } else {
            self.long.insert(name.into(), lines);
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, mut other: FirstNames) {
        if self.used < other.used {
            std::mem::swap(self, &mut other);
        }
        for slot in other.slots.iter().filter(|slot| slot.lines > 0) {
            self.add_key(slot.key, self.hash(slot.key), slot.lines);
        }
        for (name, lines) in other.long {
            *self.long.entry(name).or_default() += lines;
        }
    }

    /// Where to look for `key` first, modulo the number of slots.
    #[inline(always)]
    fn hash(&self, key: Key) -> usize {
        // The high half of the product depends on all bits of the key; the low half is mixed in
        // because either factor may be even.
        let product = u128::from(key.0[0] ^ self.seeds[0]) * u128::from(key.0[1] ^ self.seeds[1]);
        (product >> 64) as usize ^ product as usize
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, place: usize, key: Key, lines: u64) {
        self.slots[place] = Slot { key, lines };
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            let last = self.slots.len() * 2 - 1;
            for slot in std::mem::replace(&mut self.slots, vec![EMPTY; last + 1]) {
                if slot.lines > 0 {
                    let mut place = self.hash(slot.key) & last;
                    while self.slots[place].lines > 0 {
                        place = (place + 1) & last;
                    }
                    self.slots[place] = slot;
                }
            }
        }
    }

    /// How many different names there are.
    pub fn distinct(&self) -> u64 {
        (self.used + self.long.len()) as u64
    }

    /// The number of lines with a first name.
    pub fn lines(&self) -> u64 {
        self.slots.iter().map(|slot| slot.lines).sum::<u64>() + self.long.values().sum::<u64>()
    }

    /// The `count` most common names and their lines, most common first; of equally common ones,
    /// those whose bytes come first.
    ///
    /// ```
    /// use fecscan::fold::first_names::FirstNames;
    /// let mut names = FirstNames::default();
    /// for name in [&b"MARY"[..], b"JOHN", b"ANN", b"A-NAME-OF-MORE-THAN-15-BYTES", b"JOHN"] {
    ///     names.add(name, 1);
    /// }
    /// assert_eq!(names.most_common(2), [(b"JOHN".to_vec(), 2), (b"A-NAME-OF-MORE-THAN-15-BYTES".to_vec(), 1)]);
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
        for slot in self.slots.iter().filter(|slot| slot.lines > 0) {
            let bytes = slot.key.bytes();
            consider(slot.lines, &bytes[..usize::from(bytes[KEY_NAME_BYTES])]);
        }
        for (name, &lines) in &self.long {
            consider(lines, name);
        }
        best.into_sorted_vec()
            .into_iter()
            .map(|Reverse((lines, Reverse(name)))| (name, lines))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Names of every length around the limits, with zeros and other bytes where padding might hide
    /// them.
    fn names() -> impl Iterator<Item = Vec<u8>> {
        let lengths = (1..=17).chain([64, 4000]);
        let of_length = |length: usize| {
            let fills = [b'A', 0, 0xff, 15].map(|byte| vec![byte; length]);
            let last = [b'A', 0, 0xff].map(|byte| [vec![b'B'; length - 1], vec![byte]].concat());
            fills.into_iter().chain(last)
        };
        let numbered = (0..20_000).map(|i| format!("N{i}").into_bytes());
        lengths.flat_map(of_length).chain(numbered)
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
