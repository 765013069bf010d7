//! A table of keys of any length. Keys and states lie side by side in the order of their first rows.

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

    /// The bits of the hash that a slot holds. The highest bits decide the part of a key, so they are not
    /// among them.
    #[inline(always)]
    fn tag(&self) -> u32 {
        tag(self.hash)
    }
}

#[inline(always)]
fn tag(hash: u64) -> u32 {
    (hash >> 16) as u32
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
    /// A power of two of slots, at most half of them used: the tag of a key in the high half, and
    /// the number of its group plus one in the low half; zero if the slot is empty.
    slots: Vec<u64>,
    groups: Vec<Group<T>>,
    /// What the keys have after their first 32 bytes.
    rests: Vec<u8>,
}

/// The first number of slots.
const SLOTS: usize = 64;

/// Returns the number of slots for this number of groups.
fn slots_for(groups: usize) -> usize {
    (groups * 2 + 1).next_power_of_two().max(SLOTS)
}

impl<T> Default for Dense<T> {
    fn default() -> Dense<T> {
        Dense {
            slots: vec![0; SLOTS],
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
        // As many groups as before, or one for each row.
        let slots = slots_for(rows.min(self.groups.len() + self.groups.len() / 4 + SLOTS));
        self.slots.clear();
        self.slots.resize(slots, 0);
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
        prefetch(&self.slots, self.place(tag(hash)));
    }

    /// Prefetches the group of keys with this hash.
    #[inline(always)]
    pub(super) fn prefetch_group(&self, hash: u64) {
        let nth = self.probable(hash);
        // A group is seldom in one cache line.
        prefetch(&self.groups, nth);
        prefetch(&self.groups, nth + 1);
    }

    /// Prefetches what the group of a long key with this hash holds of it elsewhere.
    #[inline(always)]
    pub(super) fn prefetch_rest(&self, key: Cell<'_>, hash: u64) {
        if key.len() > WORDS_BYTES
            && let Some(group) = self.groups.get(self.probable(hash))
        {
            (0..key.len() - WORDS_BYTES)
                .step_by(WINDOW_BYTES)
                .for_each(|place| prefetch(&self.rests, group.rest + place));
        }
    }

    /// Returns the number of the group in the first slot of a hash; any if there is none.
    #[inline(always)]
    fn probable(&self, hash: u64) -> usize {
        let slot = self.slots[self.place(tag(hash)) & (self.slots.len() - 1)];
        (slot as u32).saturating_sub(1) as usize
    }

    /// Returns the state of a key, which is new perhaps.
    #[inline(always)]
    pub(super) fn of(&mut self, key: Hashed<'_>) -> &mut T {
        let tag = key.tag();
        let last = self.slots.len() - 1;
        let mut place = self.place(tag);
        loop {
            let slot = self.slots[place & last];
            if slot == 0 {
                break;
            }
            let nth = (slot as u32 - 1) as usize;
            if (slot >> 32) as u32 == tag && self.is(nth, &key) {
                return &mut self.groups[nth].state;
            }
            place += 1;
        }
        self.insert(key, place & last)
    }

    #[inline(always)]
    fn place(&self, tag: u32) -> usize {
        let bits = self.slots.len().trailing_zeros();
        (u64::from(tag) << 32 >> (u64::BITS - bits)) as usize
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

    /// Inserts a new key, whose slot is at `place`.
    #[inline(always)]
    fn insert(&mut self, key: Hashed<'_>, place: usize) -> &mut T {
        self.slots[place] = u64::from(key.tag()) << 32 | (self.groups.len() as u64 + 1);
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
        if self.groups.len() > self.slots.len() / 2 {
            self.grow();
        }
        let last = self.groups.len() - 1;
        &mut self.groups[last].state
    }

    #[cold]
    fn grow(&mut self) {
        let empty = vec![0; self.slots.len() * 2];
        let slots = std::mem::replace(&mut self.slots, empty);
        let last = self.slots.len() - 1;
        for slot in slots.into_iter().filter(|&slot| slot != 0) {
            let mut place = self.place((slot >> 32) as u32);
            while self.slots[place & last] != 0 {
                place += 1;
            }
            self.slots[place & last] = slot;
        }
    }

    /// Returns the state of a key that is here.
    pub(super) fn get(&self, key: Hashed<'_>) -> Option<&T> {
        let last = self.slots.len() - 1;
        let mut place = self.place(key.tag());
        loop {
            let slot = self.slots[place & last];
            let nth = (slot as u32).checked_sub(1)? as usize;
            if (slot >> 32) as u32 == key.tag() && self.is(nth, &key) {
                return Some(&self.groups[nth].state);
            }
            place += 1;
        }
    }
}

impl<T: State> Dense<T> {
    /// Adds the groups of `other`.
    pub(super) fn merge(&mut self, seed: &Seed, other: &Dense<T>) {
        other.each(|key, state| self.of(Hashed::new(seed, Cell::from(key))).merge(state));
    }
}
