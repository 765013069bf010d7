//! The numbers of keys of up to sixteen bytes. The key lies in its slot.

use ahash::RandomState;

use super::key_store::KeyStore;
use crate::expr::word::{KeyWords, joined};
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

/// The number of hashes that are tried for a few keys.
const TRIES: u64 = 16;

/// The numbers of keys of one to sixteen bytes that do not begin with a zero.
#[derive(Clone, Debug)]
pub(super) struct WordIndex {
    /// A power of two, at most half of them used. A key lies at its place or after it.
    slots: Vec<Slot>,
    used: usize,
    random: RandomState,
    factors: [u64; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Zeros, and then the bytes of the key. Zero if the slot is empty.
    word: u128,
    number: u32,
}

impl WordIndex {
    pub(super) fn new(random: RandomState) -> WordIndex {
        WordIndex {
            slots: vec![Slot::default(); SLOTS],
            used: 0,
            factors: factors(&random, 0),
            random,
        }
    }

    /// Returns the number of a key. A new one is added to `keys`.
    #[inline(always)]
    pub(super) fn number_of(&mut self, word: u128, keys: &mut KeyStore) -> u32 {
        // No check remains of this: a place is smaller than the number of slots.
        let slot = &self.slots[self.place(word)];
        if slot.word == word {
            slot.number
        } else {
            self.number_elsewhere(word, keys)
        }
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
        let ([one, other], shift) = (self.factors, shift(self.slots.len()));
        let (low, high) = words.halves();
        let mut places = [0; ROWS];
        for nth in 0..ROWS {
            places[nth] = hash(low[nth], high[nth], one, other) >> shift;
        }
        // The compiler knows that slices of the same length end together.
        let halves = low[..count].iter().zip(&high[..count]);
        let keyed = places[..count].iter().zip(halves);
        for ((&place, (&low, &high)), number) in keyed.zip(&mut numbers[..count]) {
            let word = joined(low, high);
            // The table may have grown since.
            *number = match self.slots.get(place as usize) {
                Some(slot) if slot.word == word => slot.number,
                _ => self.number_elsewhere(word, keys),
            };
        }
    }

    /// Returns the number of a key that is new, or lies in another slot than its first.
    #[cold]
    #[inline(never)]
    fn number_elsewhere(&mut self, word: u128, keys: &mut KeyStore) -> u32 {
        let mut place = self.find(word);
        if self.slots[place].word == 0 {
            let zeros = word.trailing_zeros() as usize / 8;
            let number = keys.push(Cell::from(&word.to_le_bytes()[zeros..])) as u32;
            self.used += 1;
            let is_alone = place == self.place(word);
            self.make_room();
            place = self.find(word);
            self.slots[place] = Slot { word, number };
            if !is_alone && self.used <= FEW {
                self.spread();
                place = self.find(word);
            }
        }
        self.slots[place].number
    }

    #[inline(always)]
    fn place(&self, word: u128) -> usize {
        place(word, self.factors, self.slots.len())
    }

    /// Returns the slot of a key, or the empty one where it belongs.
    fn find(&self, word: u128) -> usize {
        let last = self.slots.len() - 1;
        let mut place = self.place(word);
        while !matches!(self.slots[place].word, found if found == word || found == 0) {
            place = (place + 1) & last;
        }
        place
    }

    /// Makes the table larger, if it has too few slots for its keys.
    fn make_room(&mut self) {
        let needed = match self.used {
            ..=FEW => self.used * SLOTS_FOR_FEW,
            used if used <= SOME => used * SLOTS_FOR_SOME,
            used => used * SLOTS_FOR_MANY,
        };
        if needed > self.slots.len() {
            self.rebuild(self.slots.len() * 2);
        }
    }

    /// Looks for a hash that gives each key a place of its own.
    fn spread(&mut self) {
        let used = self.slots.iter().filter(|slot| slot.word != 0);
        let words: Vec<u128> = used.map(|slot| slot.word).collect();
        let slots = self.slots.len();
        for nth in 1..=TRIES {
            let factors = factors(&self.random, nth * slots as u64 + words.len() as u64);
            let mut places: Vec<_> = words
                .iter()
                .map(|&word| place(word, factors, slots))
                .collect();
            places.sort_unstable();
            if places.is_sorted_by(|one, next| one < next) {
                self.factors = factors;
                return self.rebuild(slots);
            }
        }
    }

    fn rebuild(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); slots]);
        for slot in old.into_iter().filter(|slot| slot.word != 0) {
            let place = self.find(slot.word);
            self.slots[place] = slot;
        }
    }
}

fn factors(random: &RandomState, nth: u64) -> [u64; 2] {
    [0, 1].map(|half| random.hash_one((nth, half)) | 1)
}

#[inline(always)]
fn place(word: u128, [one, other]: [u64; 2], slots: usize) -> usize {
    let (low, high) = (word as u64, (word >> 64) as u64);
    (hash(low, high, one, other) >> shift(slots)) as usize
}

#[inline(always)]
fn hash(low: u64, high: u64, one: u64, other: u64) -> u64 {
    (low.wrapping_mul(one) ^ high).wrapping_mul(other)
}

/// Returns the shift that turns a hash into a place.
#[inline(always)]
fn shift(slots: usize) -> u32 {
    u64::BITS - slots.trailing_zeros()
}
