//! Groups that are kept, not looked up: keys and states in lists.

use std::mem;

use super::digits::Digits;
use super::part::PartTable;
use super::state::State;
use super::words::Seed;
use crate::scan::Cell;

/// The first byte of a key whose length does not fit it.
const LONG: u8 = u8::MAX;

/// Groups in half the memory that a table takes, or less.
#[derive(Clone, Debug)]
pub(super) struct Settled<T> {
    /// The bytes of each key, after its length in one byte or in five.
    keys: Vec<u8>,
    states: Vec<T>,
    /// The same of keys of digits.
    numbers: Vec<(Digits, T)>,
    /// The number of groups that are known to differ: the first ones.
    distinct: usize,
    /// The bytes that these take.
    distinct_bytes: usize,
}

impl<T> Default for Settled<T> {
    fn default() -> Settled<T> {
        Settled {
            keys: Vec::new(),
            states: Vec::new(),
            numbers: Vec::new(),
            distinct: 0,
            distinct_bytes: 0,
        }
    }
}

impl<T: State> Settled<T> {
    /// Adds a group. It may be here already.
    pub(super) fn push(&mut self, key: &[u8], state: T) {
        if let Some(digits) = Digits::of(Cell::from(key)) {
            return self.numbers.push((digits, state));
        }
        match u8::try_from(key.len()) {
            Ok(length) if length != LONG => self.keys.push(length),
            _ => {
                self.keys.push(LONG);
                self.keys
                    .extend_from_slice(&(key.len() as u32).to_le_bytes());
            }
        }
        self.keys.extend_from_slice(key);
        self.states.push(state);
    }

    /// Adds the groups to a table.
    pub(super) fn group(&self, seed: &Seed, table: &mut PartTable<T>) {
        for (digits, state) in &self.numbers {
            let hash = seed.hash_digits(*digits);
            table.numbers.of(*digits, hash).merge(state);
        }
        let mut keys = &self.keys[..];
        for state in &self.states {
            let (&first, mut rest) = keys.split_first().expect("each state has a key");
            let mut length = usize::from(first);
            if first == LONG {
                let (four, key) = rest.split_first_chunk().expect("a length has four bytes");
                length = u32::from_le_bytes(*four) as usize;
                rest = key;
            }
            table.of_text(seed, Cell::new(rest, length)).merge(state);
            keys = &rest[length..];
        }
    }

    /// Takes the groups of a table, instead of those here.
    pub(super) fn refill(&mut self, table: &mut PartTable<T>) {
        let PartTable { texts, numbers } = table;
        self.keys.clear();
        self.states.clear();
        self.numbers.clear();
        self.keys.reserve_exact(texts.key_bytes() + texts.len());
        self.states.reserve_exact(texts.len());
        texts.each_mut(|key, state| self.push(key, mem::take(state)));
        self.numbers.reserve_exact(numbers.groups().len());
        let numbers = numbers.groups_mut().iter_mut();
        self.numbers
            .extend(numbers.map(|(digits, state)| (*digits, mem::take(state))));
        self.distinct = self.states.len() + self.numbers.len();
        self.distinct_bytes = self.bytes();
    }

    /// Returns the number of groups with keys of digits. Some may be the same.
    pub(super) fn numbers(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the number of groups with other keys. Some may be the same.
    pub(super) fn texts(&self) -> usize {
        self.states.len()
    }

    /// Returns the number of groups that are known to differ.
    pub(super) fn distinct(&self) -> usize {
        self.distinct
    }

    /// Returns the bytes of the groups that are known to differ.
    pub(super) fn distinct_bytes(&self) -> usize {
        self.distinct_bytes
    }

    /// Returns the bytes of all groups.
    pub(super) fn bytes(&self) -> usize {
        self.keys.len()
            + self.states.len() * size_of::<T>()
            + self.numbers.len() * size_of::<(Digits, T)>()
    }
}
