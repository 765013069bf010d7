//! A table of keys of up to sixteen bytes. Key and state share a slot.

use ahash::RandomState;

use super::state::State;
use crate::keys::word::KeyWords;
use crate::scan::ROWS;

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

/// The states of keys of one to sixteen bytes that do not begin with a zero.
#[derive(Clone, Debug)]
pub(super) struct Short<T> {
    /// A power of two, at most half of them used. A key lies at its place or after it.
    slots: Vec<Slot<T>>,
    used: usize,
    random: RandomState,
    factors: [u64; 2],
}

#[derive(Clone, Debug, Default)]
struct Slot<T> {
    /// Zeros, and then the bytes of the key. Zero if the slot is empty.
    key: u128,
    state: T,
}

impl<T: Default> Short<T> {
    pub(super) fn new(random: RandomState) -> Short<T> {
        Short {
            slots: empty(SLOTS),
            used: 0,
            factors: factors(&random, 0),
            random,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Returns the state of a key, which is new perhaps.
    #[inline(always)]
    pub(super) fn of(&mut self, key: u128) -> &mut T {
        let place = place(key, self.factors, self.slots.len());
        // No check remains of this: a place is smaller than the number of slots.
        if self.slots[place].key != key {
            return self.of_elsewhere(key);
        }
        &mut self.slots[place].state
    }

    /// Returns the places of keys.
    #[inline(always)]
    pub(super) fn places(&self, keys: &KeyWords) -> [u64; ROWS] {
        let ([one, other], shift) = (self.factors, shift(self.slots.len()));
        let (low, high) = keys.halves();
        let mut places = [0; ROWS];
        for nth in 0..ROWS {
            places[nth] = hash(low[nth], high[nth], one, other) >> shift;
        }
        places
    }

    /// Returns the state of a key, which is new perhaps. Its place is the one that [`Short::places`] returned.
    #[inline(always)]
    pub(super) fn of_at(&mut self, place: u64, key: u128) -> &mut T {
        // The table may have grown since.
        match self.slots.get(place as usize) {
            Some(slot) if slot.key == key => &mut self.slots[place as usize].state,
            _ => self.of_elsewhere(key),
        }
    }

    /// Returns the state of a key that is not at its place, or new.
    #[cold]
    #[inline(never)]
    fn of_elsewhere(&mut self, key: u128) -> &mut T {
        let mut place = self.find(key);
        if self.slots[place].key == 0 {
            self.used += 1;
            let is_alone = place == self.place(key);
            self.make_room();
            place = self.find(key);
            self.slots[place].key = key;
            if !is_alone && self.used <= FEW {
                self.spread();
                place = self.find(key);
            }
        }
        &mut self.slots[place].state
    }

    fn place(&self, key: u128) -> usize {
        place(key, self.factors, self.slots.len())
    }

    /// Returns the slot of `key`, or the empty one where it belongs.
    fn find(&self, key: u128) -> usize {
        let last = self.slots.len() - 1;
        let mut place = self.place(key);
        while !matches!(self.slots[place].key, found if found == key || found == 0) {
            place = (place + 1) & last;
        }
        place
    }

    /// Makes the table larger, if it has too few slots for its keys and one more.
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
        let keys: Vec<u128> = self.iter().map(|(key, _)| key).collect();
        let slots = self.slots.len();
        for nth in 1..=TRIES {
            let factors = factors(&self.random, nth * slots as u64 + keys.len() as u64);
            let mut places: Vec<_> = keys.iter().map(|&key| place(key, factors, slots)).collect();
            places.sort_unstable();
            if places.is_sorted_by(|one, next| one < next) {
                self.factors = factors;
                return self.rebuild(slots);
            }
        }
    }

    fn rebuild(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, empty(slots));
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            let place = self.find(slot.key);
            self.slots[place] = slot;
        }
    }

    /// Makes room for the keys of `other`. With the same hash they come in the order of their places, and
    /// would crowd at the beginning of a small table.
    pub(super) fn make_room_for(&mut self, other: &Short<T>) {
        while self.slots.len() < 2 * (self.used + other.used) {
            self.rebuild(self.slots.len() * 2);
        }
    }

    /// Returns keys and their states.
    pub(super) fn into_iter(self) -> impl Iterator<Item = (u128, T)> {
        let used = self.slots.into_iter().filter(|slot| slot.key != 0);
        used.map(|slot| (slot.key, slot.state))
    }

    /// Returns keys and their states.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u128, &T)> {
        let used = self.slots.iter().filter(|slot| slot.key != 0);
        used.map(|slot| (slot.key, &slot.state))
    }
}

impl<T: State> Short<T> {
    /// Adds the groups of `other`.
    pub(super) fn merge(&mut self, other: &Short<T>) {
        self.make_room_for(other);
        other
            .iter()
            .for_each(|(key, state)| self.of(key).merge(state));
    }
}

fn empty<T: Default>(slots: usize) -> Vec<Slot<T>> {
    (0..slots).map(|_| Slot::default()).collect()
}

fn factors(random: &RandomState, nth: u64) -> [u64; 2] {
    [0, 1].map(|half| random.hash_one((nth, half)) | 1)
}

#[inline(always)]
fn place(key: u128, [one, other]: [u64; 2], slots: usize) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
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
