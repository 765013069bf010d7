//! A value for each key, such as a sum for each state.

use ahash::RandomState;

use super::tables::{KeyIndex, KeyStore, Total};
use crate::fec::amount::Hundredths;
use crate::scan::Cell;

/// A value for each key. Any bytes can be a key.
///
/// The table is made for keys that fit a cache, some ten thousands. All keys together have less than 4 GiB.
///
/// ```
/// use fecscan::{Groups, Sum};
/// let mut states: Groups<Sum> = Groups::default();
/// for (state, amount) in [(&b"CA"[..], &b"250"[..]), (b"NY", b"-17.5"), (b"CA", b"1"), (b"NY", b"?")] {
///     states.get_or_insert(state).add(amount);
/// }
/// let mut sums = Vec::new();
/// for (state, sum) in states.ascending() {
///     sums.push((state, sum.rows, sum.sum().to_string()));
/// }
/// assert_eq!(sums, [(b"CA".to_vec(), 2, "251.00".to_owned()), (b"NY".to_vec(), 2, "-17.50".to_owned())]);
/// ```
#[derive(Clone, Debug)]
pub struct Groups<T> {
    index: KeyIndex,
    keys: KeyStore,
    values: Vec<T>,
}

impl<T: Default> Default for Groups<T> {
    fn default() -> Groups<T> {
        Groups {
            index: KeyIndex::new(RandomState::new()),
            keys: KeyStore::default(),
            values: Vec::new(),
        }
    }
}

impl<T: Default> Groups<T> {
    /// Returns the value of `key`, which is new perhaps.
    #[inline]
    pub fn get_or_insert<'a>(&mut self, key: impl Into<Cell<'a>>) -> &mut T {
        let nth = self.index.number_of(key.into(), &mut self.keys) as usize;
        if nth == self.values.len() {
            self.values.push(T::default());
        }
        &mut self.values[nth]
    }

    /// Adds the groups of `other`: `join` makes one of two values of a key.
    pub fn merge_with(&mut self, other: Groups<T>, join: impl Fn(&mut T, T)) {
        let groups = other.keys.iter().zip(other.values);
        groups.for_each(|(key, value)| join(self.get_or_insert(key), value));
    }

    /// Returns the keys, ascending, and their values.
    pub fn ascending(self) -> Vec<(Vec<u8>, T)> {
        let keys = self.keys.iter().map(|key| key.to_vec());
        let mut all: Vec<_> = keys.zip(self.values).collect();
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
///
/// ```
/// let mut sum = fecscan::Sum::default();
/// sum.add(&b"250"[..]);
/// sum.add(&b"?"[..]);
/// assert_eq!((sum.rows, sum.without, sum.sum().to_string()), (2, 1, "250.00".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// All rows.
    pub rows: u64,
    /// The rows whose amount is empty, no number, or has more than fourteen digits. They add nothing to the sum.
    pub without: u64,
    total: Total,
}

impl Sum {
    /// Adds a row with this amount.
    #[inline]
    pub fn add<'a>(&mut self, amount: impl Into<Cell<'a>>) {
        self.rows += 1;
        match amount.into().hundredths().and_then(Hundredths::amount) {
            Some(amount) => self.total.add_number(amount),
            None => self.without += 1,
        }
    }

    /// Adds the rows of `other`.
    pub fn merge(&mut self, other: Sum) {
        self.rows += other.rows;
        self.without += other.without;
        self.total.add_total(other.total);
    }

    /// Returns the sum; zero without amounts.
    pub fn sum(&self) -> Hundredths {
        Hundredths(self.total.sum().unwrap_or(0))
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
                _ => group.total.add_number(-(nth as i64 * 100 + 25)),
            }
            let groups = if nth % 2 == 0 { &mut one } else { &mut other };
            groups.get_or_insert(&key[..]).add(amount.as_bytes());
        }
        one.merge(other);
        assert!(one.ascending().into_iter().eq(expected));
    }

    #[test]
    fn numbers_of_more_than_fourteen_digits_are_no_amounts() {
        let mut sum = Sum::default();
        for amount in ["999999999999.99", "1000000000000", "-999999999999", "-1e3"] {
            sum.add(amount.as_bytes());
        }
        assert_eq!((sum.rows, sum.without, sum.sum()), (4, 2, Hundredths(99)));
    }

    /// Clones have the same hash, so the keys of one come in the order of their places in the other.
    #[test]
    fn clones_merge() {
        let mut one = Groups::<Sum>::default();
        let mut other = one.clone();
        for nth in 0..50_000_u32 {
            other.get_or_insert(nth.to_string().as_bytes()).rows += 1;
        }
        one.merge(other.clone());
        one.merge(other);
        assert!(one.ascending().into_iter().all(|(_, sum)| sum.rows == 2));
    }
}
