//! States of keys of any length, for as many keys as stay in a cache.

use ahash::RandomState;

use super::dense::{Dense, Hashed};
use super::short::Short;
use super::state::{NO_NUMBER, State};
use super::words::{Seed, WORDS_BYTES};
use crate::keys::word::KeyWords;
use crate::scan::{Cell, ROWS};

/// The keys whose groups are awaited together.
const BATCH: usize = 32;

/// The most keys whose groups need not be awaited: these are in a near cache.
const NEAR: usize = 1 << 12;

/// The keys from this mean length on are long.
const LONG_BYTES: usize = 64;

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

    /// Returns the bytes that long keys have after their first 32.
    pub(crate) fn rest_bytes(&self) -> usize {
        self.other.rest_bytes()
    }

    /// Says whether most keys are so long that to copy that of a row costs more than to look it up.
    pub(crate) fn has_long_keys(&self) -> bool {
        self.other.rest_bytes() > self.len() * (LONG_BYTES - WORDS_BYTES)
    }

    /// Says whether the groups of longer keys are in no near cache.
    #[inline(always)]
    pub(crate) fn awaits_groups(&self) -> bool {
        self.other.len() > NEAR
    }

    /// Returns the state of a key, which is new perhaps.
    #[inline(always)]
    pub(crate) fn of(&mut self, key: Cell<'_>) -> &mut T {
        match key.wide_word() {
            Some(word) => self.short.of(word),
            None => self.of_other(key),
        }
    }

    /// Returns the places of keys in the table of short ones.
    #[inline(always)]
    pub(crate) fn places(&self, keys: &KeyWords) -> [u64; ROWS] {
        self.short.places(keys)
    }

    /// Returns the state of a key with this place, given as [`Cell::wide_word`] returns it.
    #[inline(always)]
    pub(crate) fn of_word(&mut self, place: u64, word: u128) -> &mut T {
        self.short.of_at(place, word)
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
    /// Adds rows.
    #[inline(always)]
    pub(crate) fn add_all<'a, const N: usize>(
        &mut self,
        rows: impl Iterator<Item = (Cell<'a>, [i64; N])>,
    ) {
        if self.awaits_groups() {
            return self.add_batches(rows);
        }
        // Not `for_each`, which is not compiled for the level.
        for (key, values) in rows {
            self.of(key).add(&values);
        }
    }

    /// Adds rows. Those with longer keys wait for memory together: first for the slots, then for the groups.
    #[inline(always)]
    fn add_batches<'a, const N: usize>(
        &mut self,
        rows: impl Iterator<Item = (Cell<'a>, [i64; N])>,
    ) {
        let mut batch = [(Cell::from(&[][..]), 0, [NO_NUMBER; N]); BATCH];
        let mut count = 0;
        for (key, values) in rows {
            if let Some(word) = key.wide_word() {
                self.short.of(word).add(&values);
                continue;
            }
            let hash = self.seed.hash_of(key);
            self.other.prefetch(hash);
            batch[count] = (key, hash, values);
            count += 1;
            if count == BATCH {
                self.add_batch(&batch);
                count = 0;
            }
        }
        self.add_batch(&batch[..count]);
    }

    #[inline(always)]
    fn add_batch<const N: usize>(&mut self, batch: &[(Cell<'_>, u64, [i64; N])]) {
        for &(_, hash, _) in batch {
            self.other.prefetch_group(hash);
        }
        for &(key, hash, _) in batch {
            self.other.prefetch_rest(key, hash);
        }
        for &(key, hash, ref values) in batch {
            self.other.of(Hashed::again(key, hash)).add(values);
        }
    }

    /// Adds the groups of `other`, which has the same seed.
    pub(crate) fn merge(&mut self, other: &Direct<T>) {
        self.short.merge(&other.short);
        self.other.merge(&self.seed, &other.other);
    }
}
