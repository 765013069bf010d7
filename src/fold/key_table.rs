//! A table of line counts by short keys.
//!
//! The key lies in its slot: counting one touches the cache line of the slot and nothing else. 97 of 100 first names have up
//! to eight bytes, and so slots of 16 bytes, four to a cache line.
//!
//! All slots of a cache line are compared at once. One after the other, the processor predicts the
//! slot, and one in five predictions fails: the comparison at once takes 0.97 of the report's time.

use std::cmp::Reverse;
use std::mem;

use crate::scan::simd::prefetch;

/// The number of slots of a bucket: a cache line of keys and counts.
const SLOTS_TOGETHER: usize = 4;

/// Keys and their lines. Slots are filled from the first one on.
///
/// A key is a number: zeros, and then its bytes. Its first byte is not zero, so keys of different lengths differ, and zero
/// is the sentinel of an empty slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket {
    keys: [u64; SLOTS_TOGETHER],
    lines: [u64; SLOTS_TOGETHER],
}

impl Bucket {
    /// Returns the slot of `key`, or a number beyond the slots. No branch depends on the slot.
    #[inline(always)]
    fn slot_of(&self, key: u64) -> usize {
        let is = |nth: usize| u32::from(self.keys[nth] == key) << nth;
        (is(0) | is(1) | is(2) | is(3)).trailing_zeros() as usize
    }

    /// Counts `lines` more lines with `key`, if it is here. Returns whether it is.
    #[inline(always)]
    fn add(&mut self, key: u64, lines: u64) -> bool {
        let slot = self.slot_of(key);
        let counter = self.lines.get_mut(slot);
        counter.map(|counter| *counter += lines).is_some()
    }

    /// Puts a new `key` here, if there is room. Returns whether there is.
    fn insert(&mut self, key: u64, lines: u64) -> bool {
        let empty = self.slot_of(0);
        let slot = self.keys.get_mut(empty).zip(self.lines.get_mut(empty));
        slot.map(|slot| (*slot.0, *slot.1) = (key, lines)).is_some()
    }

    /// Returns keys and their lines.
    fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let slots = self.keys.into_iter().zip(self.lines);
        slots.filter(|&(key, _)| key != 0)
    }
}

/// The first number of buckets: few, because files may be small and many.
const BUCKETS_LOG2: u32 = 8;

/// The most buckets whose keys are sorted when the table grows. Larger tables are read from one end to
/// the other, because memory is their cost.
const SORTED_BUCKETS: usize = 1 << 14;

/// The buckets of a full table: 8 MiB.
const BUCKETS_MAX: usize = 1 << 17;

/// Line counts by key: a hash table of buckets. A key without room in its bucket goes to the next.
#[derive(Debug)]
pub(super) struct KeyTable {
    /// A power of two, at most three quarters of the slots used.
    buckets: Vec<Bucket>,
    /// The shift that turns a hash into the index of a bucket.
    shift: u32,
    used: usize,
    /// Odd and random, so a file cannot make its keys collide.
    factor: u64,
}

impl KeyTable {
    /// Returns an empty table. `random` decides the places of keys.
    pub(super) fn new(random: u64) -> KeyTable {
        KeyTable {
            buckets: vec![Bucket::default(); 1 << BUCKETS_LOG2],
            shift: u64::BITS - BUCKETS_LOG2,
            used: 0,
            factor: random | 1,
        }
    }

    /// Returns the key of the first `length` of `bytes`, 1 to 8.
    #[inline(always)]
    pub(super) fn key(bytes: [u8; 8], length: usize) -> u64 {
        u64::from_le_bytes(bytes).wrapping_shl((8 * length as u32).wrapping_neg())
    }

    /// Prefetches the first place of `key`, and returns it.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) -> usize {
        let place = self.place(key);
        prefetch(&self.buckets, place);
        place
    }

    /// Counts `lines` more lines with `key`, whose first place was `place` a while ago.
    #[inline(always)]
    pub(super) fn add_near(&mut self, key: u64, place: usize, lines: u64) {
        let bucket = self.buckets.get_mut(place);
        if !bucket.is_some_and(|bucket| bucket.add(key, lines)) {
            self.add(key, lines);
        }
    }

    /// Counts `lines` more lines with `key`.
    #[cold]
    #[inline(never)]
    pub(super) fn add(&mut self, key: u64, lines: u64) {
        let mut place = self.place(key);
        let last = self.buckets.len() - 1;
        loop {
            let bucket = &mut self.buckets[place & last];
            if bucket.add(key, lines) {
                return;
            }
            if bucket.insert(key, lines) {
                break;
            }
            place += 1;
        }
        self.used += 1;
        if self.has_many() && !self.is_full() {
            self.grow();
        }
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Says whether the keys take more than three quarters of the slots.
    fn has_many(&self) -> bool {
        self.used > self.buckets.len() * SLOTS_TOGETHER / 4 * 3
    }

    /// Says whether the table has reached its size. A few more keys have room.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.buckets.len() >= BUCKETS_MAX && self.has_many()
    }

    /// Doubles the number of buckets.
    fn grow(&mut self) {
        let empty = vec![Bucket::default(); self.buckets.len() * 2];
        let buckets = mem::replace(&mut self.buckets, empty);
        self.shift -= 1;
        let mut keys: Vec<_> = buckets.iter().flat_map(Bucket::iter).collect();
        if buckets.len() <= SORTED_BUCKETS {
            // The most common keys get slots at their first places.
            keys.sort_unstable_by_key(|&(_, lines)| Reverse(lines));
        }
        let last = self.buckets.len() - 1;
        for (key, lines) in keys {
            let mut place = self.place(key);
            while !self.buckets[place & last].insert(key, lines) {
                place += 1;
            }
        }
    }

    /// Returns keys and their lines.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.buckets.iter().flat_map(Bucket::iter)
    }
}
