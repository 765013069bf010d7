//! Places of groups by the hash of their key.

use crate::scan::simd::prefetch;

/// The first number of slots.
const SLOTS: usize = 64;

/// A power of two of slots, at most half of them used. Each has the tag of a key in the high half, and
/// the number of its group plus one in the low half. It is zero if the slot is empty.
#[derive(Clone, Debug)]
pub(super) struct Slots(Vec<u64>);

/// Returns the bits of a hash that a slot holds. The highest bits decide the part of a key, so they are not
/// among them.
#[inline(always)]
fn tag(hash: u64) -> u32 {
    (hash >> 16) as u32
}

impl Default for Slots {
    fn default() -> Slots {
        Slots(vec![0; SLOTS])
    }
}

impl Slots {
    /// Removes all groups, `before` of them. Makes room for those of this number of rows.
    pub(super) fn clear_for(&mut self, rows: usize, before: usize) {
        // As many groups as before, or one for each row.
        let groups = rows.min(before + before / 4 + SLOTS);
        let slots = (groups * 2 + 1).next_power_of_two().max(SLOTS);
        self.0.clear();
        self.0.resize(slots, 0);
    }

    /// Prefetches the slot of keys with this hash.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&self.0, self.place(tag(hash)));
    }

    /// Returns the number of the group in the first slot of a hash. Without a group, the number is noise.
    #[inline(always)]
    pub(super) fn probable(&self, hash: u64) -> usize {
        let slot = self.0[self.place(tag(hash)) & (self.0.len() - 1)];
        (slot as u32).saturating_sub(1) as usize
    }

    /// Returns the number of the group of a key with this hash, or else the slot where it belongs.
    #[inline(always)]
    pub(super) fn find(&self, hash: u64, is: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let tag = tag(hash);
        let last = self.0.len() - 1;
        let mut place = self.place(tag);
        loop {
            let slot = self.0[place & last];
            if slot == 0 {
                return Err(place & last);
            }
            let nth = (slot as u32 - 1) as usize;
            if (slot >> 32) as u32 == tag && is(nth) {
                return Ok(nth);
            }
            place += 1;
        }
    }

    /// Inserts the group with this number, which is the last one, into an empty slot.
    #[inline(always)]
    pub(super) fn insert(&mut self, hash: u64, place: usize, nth: usize) {
        self.0[place] = u64::from(tag(hash)) << 32 | (nth as u64 + 1);
        if nth >= self.0.len() / 2 {
            self.grow();
        }
    }

    #[inline(always)]
    fn place(&self, tag: u32) -> usize {
        let bits = self.0.len().trailing_zeros();
        (u64::from(tag) << 32 >> (u64::BITS - bits)) as usize
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let empty = vec![0; self.0.len() * 2];
        let slots = std::mem::replace(&mut self.0, empty);
        let last = self.0.len() - 1;
        for slot in slots.into_iter().filter(|&slot| slot != 0) {
            let mut place = self.place((slot >> 32) as u32);
            while self.0[place & last] != 0 {
                place += 1;
            }
            self.0[place & last] = slot;
        }
    }
}
