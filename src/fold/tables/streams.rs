//! Rows by the hash of their key, waiting to be grouped.
//!
//! ```text
//! row ──hash──▶ one of 512 parts ──▶ its buffer, in a cache ──full──▶ a piece in the arena
//!
//! a part has many pieces:  its groups so far + its pieces ──▶ one table, in a cache ──▶ its groups
//! at the end, part by part:  groups and pieces of all workers ──▶ one table, in a cache ──▶ groups
//! ```
//!
//! A table of millions of keys is in no cache, and each row would wait for memory several times. Here rows are
//! written down in the order of their coming, with the bytes of their key, while these are in the
//! first-level cache. A part holds so few keys that its table stays in a cache.
//!
//! # When a part settles
//! A part settles when its rows wait in more bytes than its groups take, and than `waiting`, the same for all
//! parts. So every row is grouped once, and no more bytes of groups are copied than rows took.
//!
//! Keys that differ would settle for nothing: their groups take more than the rows. Parts are alike, because
//! a hash with a random seed chose them. So if a few parts did not become much smaller, `waiting` doubles for
//! all: a few of 512 parts settle in vain, not all of them. A part with a frequent key is not like the
//! others, but it settles by itself.
//!
//! The result: a worker takes at most about three times the bytes of its groups, and no less than `waiting`.

use std::{array, mem};

use super::arena::CELL_BYTES;
use super::dense::{Dense, Hashed};
use super::digits::Digits;
use super::numbered::Numbered;
use super::part::PartTable;
use super::pieces::Pieces;
use super::settled::Settled;
use super::state::{NO_NUMBER, State};
use super::words::{Seed, WORDS_BYTES};
use super::{Front, Limits};
use crate::scan::Cell;

/// The number of parts.
pub(super) const PARTS_LOG2: u32 = 9;
pub(super) const PARTS: usize = 1 << PARTS_LOG2;

/// The longest key of an entry: its length is a byte.
const KEY_BYTES_MAX: usize = 255;

const VALUE_BYTES: usize = 8;

/// The entries that are grouped at a time.
const BATCH: usize = 32;

/// The parts to try before more bytes are let wait in all parts.
const FAILURES: u32 = 8;

/// Returns the part of keys with this hash.
#[inline(always)]
pub(super) fn part_of(hash: u64) -> usize {
    (hash >> (u64::BITS - PARTS_LOG2)) as usize % PARTS
}

/// The rows of a worker, by part.
#[derive(Debug)]
pub(super) struct Streams<T> {
    seed: Seed,
    front: Front,
    /// The number of values of a row.
    values: usize,
    /// Rows with keys of digits: the number of the key, and the values.
    numbers: Pieces,
    /// Rows with other keys: their length in a byte, the values, and the bytes of the key.
    texts: Pieces,
    /// For each part the groups of earlier rows.
    settled: Vec<Settled<T>>,
    /// The number of groups that are known to differ.
    settled_groups: u64,
    /// Groups the rows of one part after the other.
    table: PartTable<T>,
    /// The bytes of a part that wait, unless its groups take more.
    waiting: usize,
    /// The most that these may become.
    waiting_most: usize,
    /// The parts that grouping did not make much smaller, since the last time that more bytes were let wait.
    failures: u32,
}

impl<T: State> Streams<T> {
    pub(super) fn new(seed: Seed, front: Front, values: usize, limits: Limits) -> Streams<T> {
        Streams {
            seed,
            front,
            values,
            numbers: Pieces::new(),
            texts: Pieces::new(),
            settled: vec![Settled::default(); PARTS],
            settled_groups: 0,
            table: PartTable::default(),
            waiting: limits.waiting / PARTS,
            waiting_most: limits.waiting_most / PARTS,
            failures: 0,
        }
    }

    /// Adds a row. Returns false if its key is too long for an entry.
    #[inline(always)]
    pub(super) fn add(&mut self, key: Cell<'_>, values: &[i64]) -> bool {
        if let Some(digits) = Digits::of(key) {
            return self.add_digits(digits, values);
        }
        let part = part_of(self.seed.hash_of(self.front.of(key)));
        let front = 1 + values.len() * VALUE_BYTES;
        // The bytes after the key are noise, which the next entry covers.
        if key.len() <= WORDS_BYTES
            && let Some(bytes) = key.first_bytes::<WORDS_BYTES>()
            && let Some(entry) = self
                .texts
                .room(part, front + key.len(), WORDS_BYTES - key.len())
        {
            entry[0] = key.len() as u8;
            put(values, &mut entry[1..front]);
            entry[front..].copy_from_slice(bytes);
            return true;
        }
        self.add_slowly(part, key.bytes(), values)
    }

    /// Adds a row with a long key, or to a full buffer.
    #[cold]
    #[inline(never)]
    fn add_slowly(&mut self, part: usize, key: &[u8], values: &[i64]) -> bool {
        let front = 1 + values.len() * VALUE_BYTES;
        let bytes = front + key.len();
        if key.len() > KEY_BYTES_MAX || bytes > CELL_BYTES {
            return false;
        }
        if !self.texts.has_room(part, bytes) {
            self.texts.flush(part);
            self.settle_if_many(part);
        }
        let Some(entry) = self.texts.room(part, bytes, 0) else {
            return false;
        };
        entry[0] = key.len() as u8;
        put(values, &mut entry[1..front]);
        entry[front..].copy_from_slice(key);
        true
    }

    #[inline(always)]
    fn add_digits(&mut self, digits: Digits, values: &[i64]) -> bool {
        let part = part_of(self.seed.hash_digits(digits));
        let bytes = (1 + values.len()) * VALUE_BYTES;
        match self.numbers.room(part, bytes, 0) {
            Some(entry) => put_digits(digits, values, entry),
            None => return self.add_digits_slowly(part, digits, values),
        }
        true
    }

    /// Adds a row to a full buffer.
    #[cold]
    #[inline(never)]
    fn add_digits_slowly(&mut self, part: usize, digits: Digits, values: &[i64]) -> bool {
        let bytes = (1 + values.len()) * VALUE_BYTES;
        if bytes > CELL_BYTES {
            return false;
        }
        self.numbers.flush(part);
        self.settle_if_many(part);
        let Some(entry) = self.numbers.room(part, bytes, 0) else {
            return false;
        };
        put_digits(digits, values, entry);
        true
    }

    /// Adds a group of earlier rows.
    pub(super) fn settle(&mut self, key: &[u8], state: T) {
        let key_cell = Cell::from(key);
        let hash = match Digits::of(key_cell) {
            Some(digits) => self.seed.hash_digits(digits),
            None => self.seed.hash_of(self.front.of(key_cell)),
        };
        let part = part_of(hash);
        self.settled[part].push(key, state);
        self.settle_if_many(part);
    }

    /// Groups what waits in a part, if it is much.
    fn settle_if_many(&mut self, part: usize) {
        let distinct = self.settled[part].distinct_bytes();
        if self.bytes_of(part) - distinct > self.waiting.max(distinct) {
            self.settle_part(part);
        }
    }

    /// Groups what waits in a part, and keeps one entry for each group.
    #[cold]
    #[inline(never)]
    fn settle_part(&mut self, part: usize) {
        let before = self.bytes_of(part);
        let mut table = mem::take(&mut self.table);
        table.clear_for(self.numbers_of(part), self.texts_of(part));
        self.group(part, &mut table);
        self.numbers.clear(part);
        self.texts.clear(part);
        let settled = &mut self.settled[part];
        let known = settled.distinct();
        settled.refill(&mut table);
        self.settled_groups += (settled.distinct() - known) as u64;
        self.table = table;
        if self.bytes_of(part) > before / 4 * 3 {
            self.failures += 1;
            if self.failures == FAILURES {
                self.failures = 0;
                self.waiting = (self.waiting * 2).min(self.waiting_most);
            }
        }
    }

    /// Returns the bytes of a part, in the arena and as groups.
    fn bytes_of(&self, part: usize) -> usize {
        self.numbers.bytes(part) + self.texts.bytes(part) + self.settled[part].bytes()
    }

    /// Adds the rows of a part to `groups`.
    pub(super) fn group(&self, part: usize, groups: &mut PartTable<T>) {
        self.settled[part].group(&self.seed, groups);
        let numbers = &mut groups.numbers;
        self.numbers.each(part, |bytes, length| match self.values {
            0 => self.numbers::<0>(&bytes[..length], numbers),
            1 => self.numbers::<1>(&bytes[..length], numbers),
            _ => self.numbers_of_many(&bytes[..length], numbers),
        });
        let texts = &mut groups.texts;
        self.texts.each(part, |bytes, length| {
            self.group_entries(bytes, length, texts);
        });
    }

    /// Groups the entries of rows with keys of digits and `N` values, a few at a time.
    #[inline(always)]
    fn numbers<const N: usize>(&self, bytes: &[u8], groups: &mut Numbered<T>) {
        let (words, _) = bytes.as_chunks::<VALUE_BYTES>();
        let hash = |entry: &[[u8; VALUE_BYTES]]| {
            let digits = Digits(u64::from_le_bytes(entry[0]));
            (digits, self.seed.hash_digits(digits))
        };
        for batch in words.chunks((1 + N) * BATCH) {
            batch
                .chunks_exact(1 + N)
                .for_each(|entry| groups.prefetch(hash(entry).1));
            for entry in batch.chunks_exact(1 + N) {
                let (digits, hash) = hash(entry);
                let values: [i64; N] = array::from_fn(|nth| i64::from_le_bytes(entry[1 + nth]));
                groups.of(digits, hash).add(&values);
            }
        }
    }

    fn numbers_of_many(&self, bytes: &[u8], groups: &mut Numbered<T>) {
        let (words, _) = bytes.as_chunks::<VALUE_BYTES>();
        let mut values = Vec::with_capacity(self.values);
        for entry in words.chunks_exact(1 + self.values) {
            let digits = Digits(u64::from_le_bytes(entry[0]));
            values.clear();
            values.extend(entry[1..].iter().map(|value| i64::from_le_bytes(*value)));
            let hash = self.seed.hash_digits(digits);
            groups.of(digits, hash).add(&values);
        }
    }

    fn group_entries(&self, bytes: &[u8], length: usize, groups: &mut Dense<T>) {
        match self.values {
            0 => self.entries::<0>(bytes, length, groups),
            1 => self.entries::<1>(bytes, length, groups),
            _ => self.entries_of_many(bytes, length, groups),
        }
    }

    /// Groups the entries of rows with `N` values, a few at a time: their slots arrive meanwhile.
    #[inline(always)]
    fn entries<const N: usize>(&self, bytes: &[u8], length: usize, groups: &mut Dense<T>) {
        let mut start = 0;
        let mut batch = [(Cell::from(&[][..]), 0, [NO_NUMBER; N]); BATCH];
        while start < length {
            let mut count = 0;
            for place in &mut batch {
                if start >= length {
                    break;
                }
                let entry = &bytes[start..];
                let (values, _) = entry[1..].as_chunks::<VALUE_BYTES>();
                let values = array::from_fn(|nth| i64::from_le_bytes(values[nth]));
                let key = Cell::new(&entry[1 + N * VALUE_BYTES..], usize::from(entry[0]));
                start += 1 + N * VALUE_BYTES + key.len();
                let hash = self.seed.hash_of(key);
                groups.prefetch(hash);
                *place = (key, hash, values);
                count += 1;
            }
            for &(key, hash, ref values) in &batch[..count] {
                groups.of(Hashed::again(key, hash)).add(values);
            }
        }
    }

    fn entries_of_many(&self, bytes: &[u8], length: usize, groups: &mut Dense<T>) {
        let mut values = vec![NO_NUMBER; self.values];
        let mut start = 0;
        while start < length {
            let entry = &bytes[start..];
            let (stored, _) = entry[1..].as_chunks::<VALUE_BYTES>();
            for (value, stored) in values.iter_mut().zip(stored) {
                *value = i64::from_le_bytes(*stored);
            }
            let front = 1 + values.len() * VALUE_BYTES;
            let key = Cell::new(&entry[front..], usize::from(entry[0]));
            groups.of(Hashed::new(&self.seed, key)).add(&values);
            start += front + key.len();
        }
    }

    /// Returns the number of rows of a part with keys of digits, or a little more; of settled ones the groups.
    pub(super) fn numbers_of(&self, part: usize) -> usize {
        let entries = self.numbers.entries(part, (1 + self.values) * VALUE_BYTES);
        self.settled[part].numbers() + entries
    }

    /// Returns the same for other keys.
    pub(super) fn texts_of(&self, part: usize) -> usize {
        let entries = self.texts.entries(part, 1 + self.values * VALUE_BYTES);
        self.settled[part].texts() + entries
    }

    /// Returns the least number of groups that there are.
    pub(super) fn settled_groups(&self) -> u64 {
        self.settled_groups
    }

    /// Returns the bytes of rows that wait in the arena, and of the groups of others.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        (0..PARTS).map(|part| self.bytes_of(part)).sum()
    }
}

/// Writes values into an entry.
#[inline(always)]
fn put(values: &[i64], to: &mut [u8]) {
    let (to, _) = to.as_chunks_mut();
    for (to, value) in to.iter_mut().zip(values) {
        *to = value.to_le_bytes();
    }
}

#[inline(always)]
fn put_digits(digits: Digits, values: &[i64], entry: &mut [u8]) {
    let (key, to) = entry.split_at_mut(VALUE_BYTES);
    key.copy_from_slice(&digits.0.to_le_bytes());
    put(values, to);
}
