//! States of keys of any length, for as many keys as stay in a cache.

use ahash::RandomState;

use super::dense::{Dense, Hashed};
use super::short::Short;
use super::state::State;
use super::words::Seed;
use crate::scan::Cell;

/// The states of keys.
#[derive(Clone, Debug)]
pub(crate) struct Direct<T> {
    short: Short<T>,
    /// Longer keys, the empty one, and keys that begin with a zero byte.
    other: Dense<T>,
    seed: Seed,
}

impl<T: Default> Direct<T> {
    pub(crate) fn new(random: RandomState) -> Direct<T> {
        Direct {
            seed: Seed::new(&random),
            short: Short::new(random),
            other: Dense::default(),
        }
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> usize {
        self.short.len() + self.other.len()
    }

    /// Returns the state of a key, which is new perhaps.
    #[inline(always)]
    pub(crate) fn of(&mut self, key: Cell<'_>) -> &mut T {
        match key.wide_word() {
            Some(word) => self.short.of(word),
            None => self.of_other(key),
        }
    }

    #[inline(never)]
    fn of_other(&mut self, key: Cell<'_>) -> &mut T {
        self.other.of(Hashed::new(&self.seed, key))
    }

    /// Calls `see` with each key and its state.
    pub(crate) fn each(&self, mut see: impl FnMut(&[u8], &T)) {
        for (word, state) in self.short.iter() {
            let bytes = word.to_le_bytes();
            let zeros = word.trailing_zeros() as usize / 8;
            see(&bytes[zeros..], state);
        }
        self.other.each(see);
    }

    /// Does the same with states of which nothing remains here.
    pub(crate) fn into_each(self, mut see: impl FnMut(&[u8], T)) {
        for (word, state) in self.short.into_iter() {
            let bytes = word.to_le_bytes();
            let zeros = word.trailing_zeros() as usize / 8;
            see(&bytes[zeros..], state);
        }
        self.other.into_each(see);
    }

    /// Makes room for the keys of `other`.
    pub(crate) fn make_room_for(&mut self, other: &Direct<T>) {
        self.short.make_room_for(&other.short);
    }
}

impl<T: State> Direct<T> {
    /// Adds the groups of `other`, which has the same seed.
    pub(crate) fn merge(&mut self, other: &Direct<T>) {
        self.short.merge(&other.short);
        self.other.merge(&self.seed, &other.other);
    }
}
