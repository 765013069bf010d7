//! A large table of keys, cut into parts by hash.
//!
//! The slot of a key is hardly ever in a cache, and its page hardly ever in the TLB. Therefore keys wait
//! until many keys of one part can be counted together. Parts grow one by one, in a cache, and each
//! leaves its old memory to the next. Fresh memory from the system costs more than all work on it.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use super::key_table::{Key, KeyTable};
use crate::engine::share;

/// The number of parts. Each writes to a cache line of its own, and these fit the second-level cache.
const PARTS_LOG2: u32 = 8;

/// The most keys of a part that wait: 8 KiB of short ones.
const WAITING: usize = 1024;

/// Makes the factor of a part, so that its keys have different places in its table.
const NEXT_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Line counts by key, in parts.
#[derive(Clone, Debug)]
pub(super) struct KeyParts<K> {
    parts: Vec<Part<K>>,
    factor: u64,
}

#[derive(Clone, Debug)]
struct Part<K> {
    table: KeyTable<K>,
    /// Keys to be counted, each for one line.
    waiting: Vec<K>,
}

impl<K: Key> KeyParts<K> {
    /// Returns parts without keys. The odd and random `factor` decides the part of a key.
    pub(super) fn new(factor: u64) -> KeyParts<K> {
        let part = Part {
            table: KeyTable::without_parts(factor.wrapping_mul(NEXT_FACTOR)),
            waiting: Vec::new(),
        };
        KeyParts {
            parts: vec![part; 1 << PARTS_LOG2],
            factor,
        }
    }

    /// Counts `lines` more lines with `key`.
    pub(super) fn add(&mut self, key: K, lines: u64) {
        let part = self.place(key);
        let part = &mut self.parts[part];
        if lines != 1 {
            return part.table.add_or_insert(key, lines);
        }
        part.waiting.push(key);
        if part.waiting.len() == WAITING {
            part.settle();
        }
    }

    /// Returns the lines with `key`, if it is here and settled.
    pub(super) fn lines(&self, key: K) -> Option<u64> {
        self.parts[self.place(key)].table.lines(key)
    }

    /// Counts the keys that wait. In a rayon pool, its threads share the work.
    pub(super) fn settle(&mut self) {
        let parts: Vec<_> = self.parts.iter_mut().map(Mutex::new).collect();
        share::each(parts.len(), |nth| {
            let mut part = parts[nth].lock().unwrap_or_else(PoisonError::into_inner);
            part.settle();
        });
    }

    /// Returns the tables of the parts.
    pub(super) fn tables(&self) -> impl Iterator<Item = &KeyTable<K>> {
        self.parts.iter().map(|part| &part.table)
    }

    fn place(&self, key: K) -> usize {
        (key.hash(self.factor) >> (u64::BITS - PARTS_LOG2)) as usize
    }
}

impl<K: Key> Part<K> {
    fn settle(&mut self) {
        // These reads are independent, so the memory has many of them under way. Counting at once would
        // wait for every mispredicted key.
        let touched = self.waiting.iter().map(|&key| self.table.touch(key));
        black_box(touched.fold(0, u64::wrapping_add));
        for key in self.waiting.drain(..) {
            self.table.add_or_insert(key, 1);
        }
    }
}
