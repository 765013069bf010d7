//! A value for each key, such as a sum for each state.

use std::collections::HashMap;
use std::mem;

use ahash::RandomState;

use crate::fec::amount::Hundredths;
use crate::scan::Cell;

/// The first number of slots. Half of them can be used.
const SLOTS_LOG2: u32 = 10;

/// A value for each key. Any bytes can be a key.
///
/// Keys of up to eight bytes lie in a table, as numbers. Other keys go to an ordinary hash map: longer ones,
/// the empty one, and keys that begin with a zero byte.
///
/// ```
/// use fecscan::{Groups, Sum};
/// let mut states: Groups<Sum> = Groups::default();
/// for (state, amount) in [(&b"CA"[..], &b"250"[..]), (b"NY", b"-17.5"), (b"CA", b"1"), (b"NY", b"?")] {
///     states.of(state).add(amount);
/// }
/// let sums = states.ascending().into_iter().map(|(state, Sum { rows, sum, .. })| (state, rows, sum.to_string()));
/// assert!(sums.eq([(b"CA".to_vec(), 2, "251.00".to_owned()), (b"NY".to_vec(), 2, "-17.50".to_owned())]));
/// ```
#[derive(Clone, Debug)]
pub struct Groups<T> {
    /// A power of two, at most half of them used. A key lies at its place or after it.
    slots: Vec<Slot<T>>,
    /// The shift that turns a hash into a place.
    shift: u32,
    used: usize,
    /// Odd and random, so a file cannot make its keys collide.
    factor: u64,
    other: HashMap<Box<[u8]>, T, RandomState>,
}

#[derive(Clone, Debug, Default)]
struct Slot<T> {
    /// Zero if the slot is empty.
    key: u64,
    value: T,
}

impl<T: Default> Default for Groups<T> {
    fn default() -> Groups<T> {
        let random = RandomState::new();
        Groups {
            slots: empty(SLOTS_LOG2),
            shift: u64::BITS - SLOTS_LOG2,
            used: 0,
            factor: random.hash_one(0) | 1,
            other: HashMap::with_hasher(random),
        }
    }
}

fn empty<T: Default>(log2: u32) -> Vec<Slot<T>> {
    (0..1 << log2).map(|_| Slot::default()).collect()
}

impl<T: Default> Groups<T> {
    /// Returns the value of `key`, which is new perhaps.
    #[inline]
    pub fn of<'a>(&mut self, key: impl Into<Cell<'a>>) -> &mut T {
        let key = key.into();
        match key.word() {
            Some(word) if !key.begins_with_zero() => self.of_word(word),
            _ => self.of_other(&key),
        }
    }

    #[inline]
    fn of_word(&mut self, key: u64) -> &mut T {
        let place = self.place(key);
        if self.slots[place].key != key {
            return self.of_word_elsewhere(key);
        }
        &mut self.slots[place].value
    }

    /// Returns the value of a key that is not at its place, or new.
    #[cold]
    #[inline(never)]
    fn of_word_elsewhere(&mut self, key: u64) -> &mut T {
        let mut place = self.find(key);
        if self.slots[place].key == 0 {
            if 2 * self.used == self.slots.len() {
                self.grow();
                place = self.find(key);
            }
            self.used += 1;
            self.slots[place].key = key;
        }
        &mut self.slots[place].value
    }

    #[cold]
    #[inline(never)]
    fn of_other(&mut self, key: &[u8]) -> &mut T {
        if !self.other.contains_key(key) {
            self.other.insert(key.into(), T::default());
        }
        self.other.get_mut(key).expect("the key is there")
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Returns the slot of `key`, or the empty one where it belongs.
    fn find(&self, key: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut place = self.place(key);
        while !matches!(self.slots[place].key, found if found == key || found == 0) {
            place = (place + 1) & last;
        }
        place
    }

    fn grow(&mut self) {
        self.shift -= 1;
        let slots = mem::replace(&mut self.slots, empty(u64::BITS - self.shift));
        for slot in slots.into_iter().filter(|slot| slot.key != 0) {
            let place = self.find(slot.key);
            self.slots[place] = slot;
        }
    }

    /// Adds the groups of `other`: `join` makes one of two values of a key.
    pub fn merge_with(&mut self, other: Groups<T>, join: impl Fn(&mut T, T)) {
        for slot in other.slots.into_iter().filter(|slot| slot.key != 0) {
            join(self.of_word(slot.key), slot.value);
        }
        for (key, value) in other.other {
            join(self.of_other(&key), value);
        }
    }

    /// Returns the keys, ascending, and their values.
    pub fn ascending(self) -> Vec<(Vec<u8>, T)> {
        let slots = self.slots.into_iter().filter(|slot| slot.key != 0);
        let short = slots.map(|slot| {
            let bytes = slot.key.to_le_bytes();
            let zeros = bytes.iter().take_while(|&&b| b == 0).count();
            (bytes[zeros..].to_vec(), slot.value)
        });
        let other = self.other.into_iter();
        let mut all: Vec<_> = short
            .chain(other.map(|(key, value)| (key.into_vec(), value)))
            .collect();
        all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        all
    }
}

impl Groups<Sum> {
    /// Adds the sums of `other`.
    pub fn merge(&mut self, other: Groups<Sum>) {
        self.merge_with(other, Sum::merge);
    }
}

/// A number of rows, and the exact sum of their amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// All rows.
    pub rows: u64,
    /// The sum of the amounts.
    pub sum: Hundredths,
    /// The rows without an amount, or with one that is no number. They add nothing to the sum.
    pub without: u64,
}

impl Sum {
    /// Adds a row with this amount.
    #[inline]
    pub fn add<'a>(&mut self, amount: impl Into<Cell<'a>>) {
        self.rows += 1;
        match amount.into().hundredths() {
            Some(amount) => self.sum.0 += amount.0,
            None => self.without += 1,
        }
    }

    /// Adds the rows of `other`.
    pub fn merge(&mut self, other: Sum) {
        self.rows += other.rows;
        self.sum.0 += other.sum.0;
        self.without += other.without;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Keys of all lengths, with zeros where padding might hide them, and more than the first table has
    /// room for.
    fn keys() -> impl Iterator<Item = Vec<u8>> {
        let of_length = |length| [b'A', 0, 0xff].map(|byte: u8| vec![byte; length]);
        let numbered = (0..3000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes().to_vec());
        (0..20).flat_map(of_length).chain(numbered)
    }

    #[test]
    fn groups_are_those_of_a_map_in_one_table_and_in_two() {
        let mut expected: BTreeMap<Vec<u8>, Sum> = BTreeMap::new();
        let (mut one, mut other) = (Groups::<Sum>::default(), Groups::<Sum>::default());
        for (nth, key) in keys().chain(keys().step_by(3)).enumerate() {
            let amount = [format!("-{nth}.25"), "x".to_owned()][usize::from(nth % 7 == 0)].clone();
            let group = expected.entry(key.clone()).or_default();
            group.rows += 1;
            match nth % 7 {
                0 => group.without += 1,
                _ => group.sum.0 -= nth as i128 * 100 + 25,
            }
            let groups = if nth % 2 == 0 { &mut one } else { &mut other };
            groups.of(&key[..]).add(amount.as_bytes());
        }
        one.merge(other);
        assert!(one.ascending().into_iter().eq(expected));
    }
}
