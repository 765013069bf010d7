//! The numbers of keys of up to sixteen bytes. The key lies in its slot, two of which share a line of the cache.

use ahash::RandomState;

use super::key_store::KeyStore;
use crate::fold::key_words::{KeyWords, joined};
use crate::scan::simd::prefetch;
use crate::scan::{Cell, ROWS};

/// The first number of slots.
const SLOTS: usize = 64;

/// Up to this number of keys each lies at its own place: the table is large for so few, and its hash is
/// changed until no two collide.
const FEW: usize = 128;

/// The number of slots for each of a few keys.
const SLOTS_FOR_FEW: usize = 32;

/// Up to this number of keys the table is large, so that few lie behind their places: groups by month and state took 0.94
/// to 0.97 of the processor's time.
const SOME: usize = 2048;

/// The number of slots for each of some keys, and of many.
const SLOTS_FOR_SOME: usize = 8;
const SLOTS_FOR_MANY: usize = 2;

/// Up to this number of keys, the lines that hold them stay in a near cache. Rows wait for other lines together. With some 700 dates for
/// keys, waiting takes 1.1 times as long.
const KEYS_NEAR: usize = 1 << 12;

/// The number of hashes that are tried for a few keys.
const TRIES: u64 = 16;

/// The numbers of keys of one to sixteen bytes that do not begin with a zero.
#[derive(Clone, Debug)]
pub(super) struct WordIndex {
    /// The slots, a power of two, at most half of them used. A key lies at its place, beside it in the line, or in the next line with room.
    lines: Vec<Line>,
    used: usize,
    random: RandomState,
    hash: Hash,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Zeros, and then the bytes of the key. Zero if the slot is empty.
    word: u128,
    number: u32,
}

/// The slots of a line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line([Slot; SLOTS_OF_LINE]);

const SLOTS_OF_LINE: usize = 2;

impl Line {
    /// Returns the number of a key that lies here. No branch tells the slots apart.
    #[inline(always)]
    fn number_of(&self, word: u128) -> Option<u32> {
        let [one, other] = &self.0;
        let (is_one, is_other) = (one.word == word, other.word == word);
        let number = if is_one { one.number } else { other.number };
        (is_one | is_other).then_some(number)
    }
}

impl WordIndex {
    pub(super) fn new(random: RandomState) -> WordIndex {
        WordIndex {
            lines: lines(SLOTS),
            used: 0,
            hash: Hash::new(&random, 0),
            random,
        }
    }

    /// Returns the number of a key. A new one is added to `keys`.
    #[inline(always)]
    pub(super) fn number_of(&mut self, word: u128, keys: &mut KeyStore) -> u32 {
        let slot = self.slot(self.place(word));
        if slot.word == word {
            slot.number
        } else {
            self.number_elsewhere(word, keys)
        }
    }

    #[inline(always)]
    fn slot(&self, place: usize) -> &Slot {
        &self.lines[place / SLOTS_OF_LINE].0[place % SLOTS_OF_LINE]
    }

    #[inline(always)]
    fn slots(&self) -> usize {
        self.lines.len() * SLOTS_OF_LINE
    }

    /// Does the same for the words of some rows.
    #[inline(always)]
    pub(super) fn numbers_of(
        &mut self,
        words: &KeyWords,
        count: usize,
        keys: &mut KeyStore,
        numbers: &mut [u32; ROWS],
    ) {
        let (hash, shift) = (self.hash, shift(self.slots()));
        let (low, high) = words.halves();
        let mut places = [0; ROWS];
        for nth in 0..ROWS {
            places[nth] = hash.of(low[nth], high[nth]) >> shift;
        }
        if self.used > KEYS_NEAR {
            return self.numbers_of_far(words, &places[..count], keys, numbers);
        }
        // The compiler knows that slices of the same length end together.
        let halves = low[..count].iter().zip(&high[..count]);
        let keyed = places[..count].iter().zip(halves);
        for ((&place, (&low, &high)), number) in keyed.zip(&mut numbers[..count]) {
            let word = joined(low, high);
            // The table may have grown since.
            let line = self.lines.get(place as usize / SLOTS_OF_LINE);
            *number = match line.map(|line| line.0[place as usize % SLOTS_OF_LINE]) {
                Some(slot) if slot.word == word => slot.number,
                _ => self.number_elsewhere(word, keys),
            };
        }
    }

    /// Does the same for words whose slots are in no near cache: asks for all lines before it looks at one, and at both slots of each. Groups of 100,000
    /// zip codes take 0.9 of the time.
    #[inline(never)]
    fn numbers_of_far(
        &mut self,
        words: &KeyWords,
        places: &[u64],
        keys: &mut KeyStore,
        numbers: &mut [u32; ROWS],
    ) {
        for &place in places {
            prefetch(&self.lines, place as usize / SLOTS_OF_LINE);
        }
        let (low, high) = words.halves();
        let halves = low.iter().zip(high);
        for ((&place, (&low, &high)), number) in places.iter().zip(halves).zip(numbers) {
            let word = joined(low, high);
            let line = self.lines.get(place as usize / SLOTS_OF_LINE);
            *number = match line.and_then(|line| line.number_of(word)) {
                Some(number) => number,
                None => self.number_elsewhere(word, keys),
            };
        }
    }

    /// Returns the number of a key that is new, or lies in another slot than its first.
    #[cold]
    #[inline(never)]
    fn number_elsewhere(&mut self, word: u128, keys: &mut KeyStore) -> u32 {
        let mut place = self.find(word);
        if self.slot(place).word == 0 {
            let zeros = word.trailing_zeros() as usize / 8;
            let number = keys.push(Cell::from(&word.to_le_bytes()[zeros..])) as u32;
            self.used += 1;
            let is_alone = place == self.place(word);
            self.make_room();
            place = self.find(word);
            *self.slot_mut(place) = Slot { word, number };
            if !is_alone && self.used <= FEW {
                self.spread();
                place = self.find(word);
            }
        }
        self.slot(place).number
    }

    fn slot_mut(&mut self, place: usize) -> &mut Slot {
        &mut self.lines[place / SLOTS_OF_LINE].0[place % SLOTS_OF_LINE]
    }

    #[inline(always)]
    fn place(&self, word: u128) -> usize {
        self.hash.place(word, self.slots())
    }

    /// Returns the slot of a key, or the empty one where it belongs.
    fn find(&self, word: u128) -> usize {
        let last = self.slots() - 1;
        let mut place = self.place(word);
        loop {
            for place in [place, place ^ 1] {
                let found = self.slot(place).word;
                if found == word || found == 0 {
                    return place;
                }
            }
            place = (place + SLOTS_OF_LINE) & last;
        }
    }

    /// Makes the table larger, if it has too few slots for its keys.
    fn make_room(&mut self) {
        let needed = match self.used {
            ..=FEW => self.used * SLOTS_FOR_FEW,
            used if used <= SOME => used * SLOTS_FOR_SOME,
            used => used * SLOTS_FOR_MANY,
        };
        if needed > self.slots() {
            self.rebuild(self.slots() * 2);
        }
    }

    /// Looks for a hash that gives each key a place of its own.
    fn spread(&mut self) {
        let all = self.lines.iter().flat_map(|line| line.0);
        let used = all.filter(|slot| slot.word != 0);
        let words: Vec<u128> = used.map(|slot| slot.word).collect();
        let slots = self.slots();
        for nth in 1..=TRIES {
            let hash = Hash::new(&self.random, nth * slots as u64 + words.len() as u64);
            let mut places: Vec<_> = words.iter().map(|&word| hash.place(word, slots)).collect();
            places.sort_unstable();
            if places.is_sorted_by(|one, next| one < next) {
                self.hash = hash;
                return self.rebuild(slots);
            }
        }
    }

    fn rebuild(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.lines, lines(slots));
        let old = old.into_iter().flat_map(|line| line.0);
        for slot in old.filter(|slot| slot.word != 0) {
            let place = self.find(slot.word);
            *self.slot_mut(place) = slot;
        }
    }
}

/// Returns this number of empty slots.
fn lines(slots: usize) -> Vec<Line> {
    vec![Line::default(); slots / SLOTS_OF_LINE]
}

/// A hash of keys of sixteen bytes, by random numbers. Vectors of any level work it out.
///
/// It is the function NH of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway, 1999): for any two keys, one pair of seeds in
/// 2^32 gives the same sum. So no file can make its keys collide. A multiplication by an odd number then spreads sums over
/// the upper bits. Keys that differ in two bytes only, whichever these are, lie hardly further from their places than random
/// numbers would.
#[derive(Clone, Copy, Debug)]
struct Hash {
    seeds: [u64; 2],
    odd: u64,
}

impl Hash {
    /// Returns the hash with a number.
    fn new(random: &RandomState, nth: u64) -> Hash {
        let [one, other, odd] = [0, 1, 2].map(|part| random.hash_one((nth, part)));
        Hash {
            seeds: [one, other],
            odd: odd | 1,
        }
    }

    #[inline(always)]
    fn of(self, low: u64, high: u64) -> u64 {
        let [one, other] = self.seeds;
        let sum = product(low, one).wrapping_add(product(high, other));
        // The upper bits of the next product depend on all of these.
        (sum ^ sum >> 32).wrapping_mul(self.odd)
    }

    #[inline(always)]
    fn place(self, word: u128, slots: usize) -> usize {
        (self.of(word as u64, (word >> 64) as u64) >> shift(slots)) as usize
    }
}

/// Adds a seed to both halves of a number, and multiplies them.
#[inline(always)]
fn product(number: u64, seed: u64) -> u64 {
    let low = number.wrapping_add(seed) & 0xffff_ffff;
    let high = (number >> 32).wrapping_add(seed >> 32) & 0xffff_ffff;
    low.wrapping_mul(high)
}

/// Returns the shift that turns a hash into a place.
#[inline(always)]
fn shift(slots: usize) -> u32 {
    u64::BITS - slots.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that differ in two bytes, for all pairs of bytes: each has a hash of its own, and lies near its place. Random numbers lie
    /// half a slot behind their places on average, in a table that is half full.
    #[test]
    fn keys_that_differ_in_any_two_bytes_do_not_collide() {
        const VALUES: u8 = 181;
        const SLOTS: usize = 1 << 16;
        let hash = Hash::new(&RandomState::new(), 0);
        for one in 0..16 {
            for other in 0..one {
                let keys = (0..VALUES).flat_map(|first| {
                    (0..VALUES).map(move |second| {
                        let mut key = *b"C0040122ABCDEFGH";
                        (key[one], key[other]) = (first, second);
                        u128::from_le_bytes(key)
                    })
                });
                let mut hashes: Vec<_> = keys
                    .map(|key| hash.of(key as u64, (key >> 64) as u64))
                    .collect();
                hashes.sort_unstable();
                let (mut next, mut behind) = (0, 0);
                for hash in &hashes {
                    let place = (hash >> shift(SLOTS)) as usize;
                    behind += next.max(place) - place;
                    next = next.max(place) + 1;
                }
                assert!(behind < 2 * hashes.len(), "{one} {other}: {behind}");
                hashes.dedup();
                assert_eq!(hashes.len(), usize::from(VALUES).pow(2), "{one} {other}");
            }
        }
    }
}
