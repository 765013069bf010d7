//! A table of keys of digits. Keys and states lie side by side in the order of their first rows.

use super::digits::Digits;
use super::slots::Slots;

/// The states of keys of digits.
#[derive(Clone, Debug)]
pub(super) struct Numbered<T> {
    slots: Slots,
    groups: Vec<(Digits, T)>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered {
            slots: Slots::default(),
            groups: Vec::new(),
        }
    }
}

impl<T: Default> Numbered<T> {
    /// Removes all groups, and makes room for the groups of this number of rows. Keeps the memory.
    pub(super) fn clear_for(&mut self, rows: usize) {
        self.slots.clear_for(rows, self.groups.len());
        self.groups.clear();
    }

    /// Returns keys and states, in the order of their first rows.
    pub(super) fn groups(&self) -> &[(Digits, T)] {
        &self.groups
    }

    /// Returns the same with states that may be taken.
    pub(super) fn groups_mut(&mut self) -> &mut [(Digits, T)] {
        &mut self.groups
    }

    /// Prefetches the slot of keys with this hash.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        self.slots.prefetch(hash);
    }

    /// Returns the state of a key, which is new perhaps.
    #[inline(always)]
    pub(super) fn of(&mut self, key: Digits, hash: u64) -> &mut T {
        let nth = match self.slots.find(hash, |nth| self.groups[nth].0 == key) {
            Ok(nth) => nth,
            Err(place) => {
                let nth = self.groups.len();
                self.groups.push((key, T::default()));
                self.slots.insert(hash, place, nth);
                nth
            }
        };
        &mut self.groups[nth].1
    }
}
