//! Numbers of keys, in a table that stays in a cache. The keys lie elsewhere.

use ahash::RandomState;

use super::hash_index::HashIndex;
use super::key_store::KeyStore;
use super::word_index::WordIndex;
use super::words::Seed;
use crate::scan::{Cell, ROWS, Vector};

/// The most longer keys whose memory is not awaited: these are in a near cache.
const NEAR: usize = 1 << 12;

/// Numbers of different keys, from zero on, in the order of their coming. Any bytes can be a key.
#[derive(Clone, Debug)]
pub(crate) struct KeyIndex {
    /// Keys of one to sixteen bytes that do not begin with a zero.
    pub(super) words: WordIndex,
    others: HashIndex,
    seed: Seed,
}

impl KeyIndex {
    pub(crate) fn new(random: RandomState) -> KeyIndex {
        KeyIndex {
            others: HashIndex::default(),
            seed: Seed::new(&random),
            words: WordIndex::new(random),
        }
    }

    /// Returns the number of a key. A new one is added to `store`.
    #[inline(always)]
    pub(crate) fn number_of(&mut self, key: Cell<'_>, store: &mut KeyStore) -> u32 {
        match key.wide_word() {
            Some(word) => self.words.number_of(word, store),
            None => self.number_of_other(key, store),
        }
    }

    #[inline(never)]
    fn number_of_other(&mut self, key: Cell<'_>, store: &mut KeyStore) -> u32 {
        let hash = self.seed.hash_of(key);
        self.others.number_of(key, hash, store)
    }

    /// Stores the numbers of the first keys of a vector.
    #[inline(always)]
    pub(super) fn numbers_of(
        &mut self,
        keys: &Vector<'_>,
        count: usize,
        store: &mut KeyStore,
        numbers: &mut [u32; ROWS],
    ) {
        if self.others.len() > NEAR {
            return self.numbers_of_far(keys, count, store, numbers);
        }
        for (nth, number) in numbers[..count].iter_mut().enumerate() {
            *number = self.number_of(keys.cell(nth), store);
        }
    }

    /// Does the same. Keys wait for memory together: first for the slots, then for the ends and the bytes of known keys.
    #[inline(always)]
    fn numbers_of_far(
        &mut self,
        keys: &Vector<'_>,
        count: usize,
        store: &mut KeyStore,
        numbers: &mut [u32; ROWS],
    ) {
        let mut hashes = [0; ROWS];
        for (nth, hash) in hashes[..count].iter_mut().enumerate() {
            *hash = self.seed.hash_of(keys.cell(nth));
            self.others.prefetch(*hash);
        }
        for hash in &hashes[..count] {
            store.prefetch_end(self.others.probable(*hash));
        }
        for (nth, &hash) in hashes[..count].iter().enumerate() {
            store.prefetch(self.others.probable(hash), keys.cell(nth).len());
        }
        for (nth, number) in numbers[..count].iter_mut().enumerate() {
            let key = keys.cell(nth);
            *number = match key.wide_word() {
                Some(word) => self.words.number_of(word, store),
                None => self.others.number_of(key, hashes[nth], store),
            };
        }
    }
}
