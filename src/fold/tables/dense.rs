//! A table of keys of any length. Keys and states lie side by side in the order of their first rows.

use super::slots::Slots;
use super::state::State;
use super::words::{Seed, WORDS_BYTES, Words};
use crate::scan::Cell;
use crate::scan::simd::{WINDOW_BYTES, prefetch};

/// A key, with all that is needed to look it up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed<'a> {
    pub(super) key: Cell<'a>,
    pub(super) words: Words,
    pub(super) hash: u64,
}

impl<'a> Hashed<'a> {
    #[inline(always)]
    pub(super) fn new(seed: &Seed, key: Cell<'a>) -> Hashed<'a> {
        Hashed::again(key, seed.hash_of(key))
    }

    /// Returns the key of this hash. The words are loaded anew: to store them in pieces, and to load them as a
    /// whole soon after, takes longer.
    #[inline(always)]
    pub(super) fn again(key: Cell<'a>, hash: u64) -> Hashed<'a> {
        let words = Words::of_cell(key);
        Hashed { key, words, hash }
    }
}

/// A group: its key and its state.
#[derive(Clone, Debug)]
struct Group<T> {
    /// The first 32 bytes of the key.
    words: Words,
    length: u32,
    /// Where the further bytes of a longer key begin.
    rest: usize,
    state: T,
}

impl<T> Group<T> {
    /// Returns what the key has after its first 32 bytes.
    fn rest<'r>(&self, rests: &'r [u8]) -> &'r [u8] {
        let length = (self.length as usize).saturating_sub(WORDS_BYTES);
        &rests[self.rest..][..length]
    }

    /// Puts the key together in `room`.
    fn key<'r>(&self, rests: &[u8], room: &'r mut Vec<u8>) -> &'r [u8] {
        room.clear();
        room.extend_from_slice(&self.words.bytes());
        room.truncate(self.length as usize);
        room.extend_from_slice(self.rest(rests));
        room
    }
}

/// The states of keys.
#[derive(Clone, Debug)]
pub(super) struct Dense<T> {
    slots: Slots,
    groups: Vec<Group<T>>,
    /// What the keys have after their first 32 bytes.
    rests: Vec<u8>,
}

impl<T> Default for Dense<T> {
    fn default() -> Dense<T> {
        Dense {
            slots: Slots::default(),
            groups: Vec::new(),
            rests: Vec::new(),
        }
    }
}

impl<T: Default> Dense<T> {
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Removes all groups, and makes room for the groups of this number of rows. Keeps the memory.
    pub(super) fn clear_for(&mut self, rows: usize) {
        self.slots.clear_for(rows, self.groups.len());
        self.groups.clear();
        self.rests.clear();
    }

    /// Calls `see` with each key and its state, in the order of their first rows.
    pub(super) fn each(&self, mut see: impl FnMut(&[u8], &T)) {
        let mut room = Vec::new();
        for group in &self.groups {
            see(group.key(&self.rests, &mut room), &group.state);
        }
    }

    /// Does the same with states of which nothing remains here.
    pub(super) fn into_each(self, mut see: impl FnMut(&[u8], T)) {
        let mut room = Vec::new();
        for group in self.groups {
            let key = group.key(&self.rests, &mut room);
            see(key, group.state);
        }
    }

    /// Does the same with states that may be taken.
    pub(super) fn each_mut(&mut self, mut see: impl FnMut(&[u8], &mut T)) {
        let mut room = Vec::new();
        for group in &mut self.groups {
            let key = group.key(&self.rests, &mut room);
            see(key, &mut group.state);
        }
    }

    /// Returns the bytes of all keys.
    pub(super) fn key_bytes(&self) -> usize {
        let lengths = self.groups.iter().map(|group| group.length as usize);
        lengths.sum()
    }

    /// Returns the bytes that keys have after their first 32.
    pub(super) fn rest_bytes(&self) -> usize {
        self.rests.len()
    }

    /// Prefetches the slot of keys with this hash.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        self.slots.prefetch(hash);
    }

    /// Prefetches the group of keys with this hash.
    #[inline(always)]
    pub(super) fn prefetch_group(&self, hash: u64) {
        let nth = self.slots.probable(hash);
        // A group is seldom in one cache line.
        prefetch(&self.groups, nth);
        prefetch(&self.groups, nth + 1);
    }

    /// Prefetches what the group of a long key with this hash holds of it elsewhere.
    #[inline(always)]
    pub(super) fn prefetch_rest(&self, key: Cell<'_>, hash: u64) {
        if key.len() > WORDS_BYTES
            && let Some(group) = self.groups.get(self.slots.probable(hash))
        {
            (0..key.len() - WORDS_BYTES)
                .step_by(WINDOW_BYTES)
                .for_each(|place| prefetch(&self.rests, group.rest + place));
        }
    }

    /// Returns the state of a key, which is new perhaps.
    #[inline(always)]
    pub(super) fn of(&mut self, key: Hashed<'_>) -> &mut T {
        let nth = match self.slots.find(key.hash, |nth| self.is(nth, &key)) {
            Ok(nth) => nth,
            Err(place) => self.insert(key, place),
        };
        &mut self.groups[nth].state
    }

    /// Says whether the group with this number has this key.
    #[inline(always)]
    fn is(&self, nth: usize, key: &Hashed<'_>) -> bool {
        let group = &self.groups[nth];
        let length = key.key.len();
        let is_alike = group.words.are(key.words) & (group.length as usize == length);
        is_alike && (length <= WORDS_BYTES || self.is_long(group, key.key))
    }

    #[cold]
    #[inline(never)]
    fn is_long(&self, group: &Group<T>, key: Cell<'_>) -> bool {
        group.rest(&self.rests) == &key[WORDS_BYTES..]
    }

    /// Inserts a new key, whose slot is at `place`. Returns the number of its group.
    #[inline(always)]
    fn insert(&mut self, key: Hashed<'_>, place: usize) -> usize {
        let nth = self.groups.len();
        let rest = self.rests.len();
        let length = key.key.len();
        if length > WORDS_BYTES {
            self.rests.extend_from_slice(&key.key[WORDS_BYTES..]);
        }
        self.groups.push(Group {
            words: key.words,
            length: length as u32,
            rest,
            state: T::default(),
        });
        self.slots.insert(key.hash, place, nth);
        nth
    }

    /// Returns the state of a key that is here.
    pub(super) fn get(&self, key: Hashed<'_>) -> Option<&T> {
        let nth = self.slots.find(key.hash, |nth| self.is(nth, &key));
        nth.ok().map(|nth| &self.groups[nth].state)
    }
}

impl<T: State> Dense<T> {
    /// Adds the groups of `other`.
    pub(super) fn merge(&mut self, seed: &Seed, other: &Dense<T>) {
        other.each(|key, state| self.of(Hashed::new(seed, Cell::from(key))).merge(state));
    }
}
