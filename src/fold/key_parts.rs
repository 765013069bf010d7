//! A table of names that has become large, in parts by their hashes.
//!
//! A name of a large table is hardly ever in a cache, nor is the page that it is in among those that the processor
//! knows the addresses of. So names wait until many of the same part are to be counted, and the part is fetched for
//! all of them. Parts grow one by one, in a cache, and what one leaves behind is memory for the next:
//! memory that is fresh from the system costs more than all that is done with it.

use std::hint::black_box;

use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

use super::key_table::{Key, KeyTable, in_pool};

/// How many parts there are. Each writes to a cache line of its own, and these must be in the second-level cache.
const PARTS_LOG2: u32 = 8;

/// How many names of a part wait at most: 4 KiB of short ones, which are as many as there are pages in a part of
/// some ten thousand names.
const WAITING: usize = 1024;

/// Makes another factor of one, so that names of the same part are at different places of its table.
const NEXT_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Line counts by name, in parts.
#[derive(Clone, Debug)]
pub(super) struct KeyParts<K> {
    parts: Vec<Part<K>>,
    factor: u64,
}

#[derive(Clone, Debug)]
struct Part<K> {
    table: KeyTable<K>,
    /// Names to be counted, each for one line.
    waiting: Vec<K>,
}

impl<K: Key> KeyParts<K> {
    /// No names yet. `factor` is odd and random; it decides which part a name is in.
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

    /// Counts `lines` more lines with `name`.
    pub(super) fn add(&mut self, name: K, lines: u64) {
        let part = self.place(name);
        let part = &mut self.parts[part];
        if lines != 1 {
            return part.table.add_or_insert(name, lines);
        }
        part.waiting.push(name);
        if part.waiting.len() == WAITING {
            part.settle();
        }
    }

    /// The lines with `name`, if it is here and settled.
    pub(super) fn lines(&self, name: K) -> Option<u64> {
        self.parts[self.place(name)].table.lines(name)
    }

    /// Counts the names that wait. In a pool, its threads share the work.
    pub(super) fn settle(&mut self) {
        match in_pool() {
            true => self.parts.par_iter_mut().for_each(Part::settle),
            false => self.parts.iter_mut().for_each(Part::settle),
        }
    }

    /// The tables of the parts, which have no parts themselves.
    pub(super) fn tables(&self) -> impl Iterator<Item = &KeyTable<K>> {
        self.parts.iter().map(|part| &part.table)
    }

    fn place(&self, name: K) -> usize {
        (name.hash(self.factor) >> (u64::BITS - PARTS_LOG2)) as usize
    }
}

impl<K: Key> Part<K> {
    fn settle(&mut self) {
        // These reads depend on nothing, so that memory has many of them under way. If names were counted
        // at once, the processor would wait for each that it did not guess the way of.
        let touched = self.waiting.iter().map(|&name| self.table.touch(name));
        black_box(touched.fold(0, u64::wrapping_add));
        for name in self.waiting.drain(..) {
            self.table.add_or_insert(name, 1);
        }
    }
}
