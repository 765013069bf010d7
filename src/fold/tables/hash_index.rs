//! The numbers of keys by their hash. The keys lie elsewhere.

use super::key_store::KeyStore;
use super::words::Words;
use crate::scan::Cell;
use crate::scan::simd::prefetch;

/// The first number of slots.
const SLOTS: usize = 64;

/// A power of two of slots, at most half of them used. Each has the tag of a key in the high half, and
/// the number of the key plus one in the low half. It is zero if the slot is empty.
#[derive(Clone, Debug)]
pub(super) struct HashIndex {
    slots: Vec<u64>,
    used: usize,
}

/// Returns the bits of a hash that a slot holds. The highest bits decide the part of a key, so they are not
/// among them.
#[inline(always)]
fn tag(hash: u64) -> u32 {
    (hash >> 16) as u32
}

impl Default for HashIndex {
    fn default() -> HashIndex {
        HashIndex {
            slots: vec![0; SLOTS],
            used: 0,
        }
    }
}

impl HashIndex {
    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Removes all keys. Makes room for this number of them.
    pub(super) fn clear_for(&mut self, keys: usize) {
        self.slots.clear();
        self.slots
            .resize((keys * 2 + 1).next_power_of_two().max(SLOTS), 0);
        self.used = 0;
    }

    /// Returns the number of a key with this hash. A new one is added to `keys`.
    #[inline(always)]
    pub(super) fn number_of(&mut self, key: Cell<'_>, hash: u64, keys: &mut KeyStore) -> u32 {
        match self.find(key, hash, keys) {
            Ok(nth) => nth,
            Err(place) => {
                let nth = keys.push(key) as u32;
                self.insert(hash, place, nth);
                nth
            }
        }
    }

    /// Returns the number of a key with this hash, if it is here.
    pub(super) fn get(&self, key: Cell<'_>, hash: u64, keys: &KeyStore) -> Option<u32> {
        self.find(key, hash, keys).ok()
    }

    /// Returns the number of a key, or else the slot where it belongs.
    #[inline(always)]
    fn find(&self, key: Cell<'_>, hash: u64, keys: &KeyStore) -> Result<u32, usize> {
        // Loaded here: to store them in pieces, and to load them as a whole soon after, takes longer.
        let words = Words::of_cell(key);
        let tag = tag(hash);
        let last = self.slots.len() - 1;
        let mut place = self.place(tag);
        loop {
            let slot = self.slots[place & last];
            if slot == 0 {
                return Err(place & last);
            }
            let nth = slot as u32 - 1;
            if (slot >> 32) as u32 == tag && keys.key_matches(nth as usize, key, words) {
                return Ok(nth);
            }
            place += 1;
        }
    }

    /// Adds the key with this number, which is in no slot.
    #[inline(always)]
    pub(super) fn insert_new(&mut self, hash: u64, nth: u32) {
        let place = self.empty_after(tag(hash));
        self.insert(hash, place, nth);
    }

    #[inline(always)]
    fn insert(&mut self, hash: u64, place: usize, nth: u32) {
        self.slots[place] = u64::from(tag(hash)) << 32 | (u64::from(nth) + 1);
        self.used += 1;
        if self.used > self.slots.len() / 2 {
            self.grow();
        }
    }

    #[inline(always)]
    fn empty_after(&self, tag: u32) -> usize {
        let last = self.slots.len() - 1;
        let mut place = self.place(tag);
        while self.slots[place & last] != 0 {
            place += 1;
        }
        place & last
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let empty = vec![0; self.slots.len() * 2];
        let slots = std::mem::replace(&mut self.slots, empty);
        for slot in slots.into_iter().filter(|&slot| slot != 0) {
            let place = self.empty_after((slot >> 32) as u32);
            self.slots[place] = slot;
        }
    }

    #[inline(always)]
    fn place(&self, tag: u32) -> usize {
        let bits = self.slots.len().trailing_zeros();
        (u64::from(tag) << 32 >> (u64::BITS - bits)) as usize
    }

    /// Prefetches the slot of keys with this hash.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&self.slots, self.place(tag(hash)));
    }

    /// Returns the number of the key in the first slot of a hash. Without a key, the number is noise.
    #[inline(always)]
    pub(super) fn probable(&self, hash: u64) -> usize {
        let slot = self.slots[self.place(tag(hash)) & (self.slots.len() - 1)];
        (slot as u32).saturating_sub(1) as usize
    }
}
