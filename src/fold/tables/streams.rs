//! Rows by the hash of their key, waiting to be grouped.
//!
//! ```text
//! row ──hash──▶ one of 512 parts ──▶ its buffer, in a cache ──full──▶ a piece in the arena
//!
//! later, part by part:  pieces of all workers ──▶ one table, in a cache ──▶ groups
//! ```
//!
//! A table of millions of keys is in no cache, and each row would wait for memory several times. Here rows are
//! written down in the order of their coming, with the bytes of their key, while these are in the
//! first-level cache. A part holds so few keys that its table stays in a cache.

use std::array;

use super::arena::{Arena, Piece};
use super::dense::{Dense, Hashed};
use super::direct::Direct;
use super::state::{NO_NUMBER, Overflow, State};
use super::words::{Seed, WORDS_BYTES};
use crate::scan::Cell;
use crate::scan::simd::{WINDOW_BYTES, prefetch};

/// The number of parts.
pub(super) const PARTS_LOG2: u32 = 9;
pub(super) const PARTS: usize = 1 << PARTS_LOG2;

/// The bytes of a buffer. All of them fit the second-level cache.
const BUFFER_BYTES: usize = 1024;

/// The longest key of an entry: its length is a byte.
const KEY_BYTES_MAX: usize = 255;

const VALUE_BYTES: usize = 8;

/// The entries that are grouped at a time.
const BATCH: usize = 32;

/// The rows of a worker, by part.
#[derive(Debug)]
pub(super) struct Streams<T> {
    seed: Seed,
    /// The number of values of a row.
    values: usize,
    buffers: Vec<[u8; BUFFER_BYTES]>,
    /// For each part the bytes used of its buffer.
    used: [u16; PARTS],
    pieces: Vec<Vec<Piece>>,
    arena: Arena,
    /// Groups of earlier rows.
    settled: Vec<Dense<T>>,
}

impl<T: State> Streams<T> {
    pub(super) fn new(seed: Seed, values: usize) -> Streams<T> {
        Streams {
            seed,
            values,
            buffers: vec![[0; BUFFER_BYTES]; PARTS],
            used: [0; PARTS],
            pieces: vec![Vec::new(); PARTS],
            arena: Arena::default(),
            settled: Vec::new(),
        }
    }

    /// Adds a row. Returns false if its key is too long for an entry.
    #[inline(always)]
    pub(super) fn add(&mut self, key: Cell<'_>, values: &[i64]) -> bool {
        let hashed = Hashed::new(&self.seed, key);
        let part = (hashed.hash >> (u64::BITS - PARTS_LOG2)) as usize % PARTS;
        let start = usize::from(self.used[part]);
        let end = start + 1 + values.len() * VALUE_BYTES;
        if let Some(bytes) = key.first_bytes::<WORDS_BYTES>()
            && key.len() <= WORDS_BYTES
            && let Some(entry) = self.buffers[part].get_mut(start..end + WORDS_BYTES)
        {
            entry[0] = key.len() as u8;
            let (to, _) = entry[1..].as_chunks_mut();
            for (to, value) in to.iter_mut().zip(values) {
                *to = value.to_le_bytes();
            }
            entry[1 + values.len() * VALUE_BYTES..].copy_from_slice(bytes);
            self.used[part] = (end + key.len()) as u16;
            return true;
        }
        self.add_slowly(part, key, values)
    }

    /// Adds a row with a long key, or to a full buffer.
    #[cold]
    #[inline(never)]
    fn add_slowly(&mut self, part: usize, key: Cell<'_>, values: &[i64]) -> bool {
        if key.len() > KEY_BYTES_MAX {
            return false;
        }
        let bytes = 1 + values.len() * VALUE_BYTES + key.len();
        if usize::from(self.used[part]) + bytes > BUFFER_BYTES - WORDS_BYTES {
            self.flush(part);
        }
        let start = usize::from(self.used[part]);
        let mut entry = vec![key.len() as u8];
        entry.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        entry.extend_from_slice(&key);
        self.buffers[part][start..start + bytes].copy_from_slice(&entry);
        self.used[part] += bytes as u16;
        true
    }

    fn flush(&mut self, part: usize) {
        let used = usize::from(self.used[part]);
        let piece = self.arena.push(&self.buffers[part][..used]);
        self.pieces[part].push(piece);
        self.used[part] = 0;
    }

    /// Adds groups of earlier rows.
    pub(super) fn settle(&mut self, direct: &Direct<T>) {
        direct.each(|key, state| self.settle_one(key, state));
    }

    /// Adds a group of earlier rows.
    pub(super) fn settle_one(&mut self, key: &[u8], state: &T) {
        if self.settled.is_empty() {
            self.settled.resize_with(PARTS, Dense::default);
        }
        let key = Hashed::new(&self.seed, Cell::from(key));
        let part = (key.hash >> (u64::BITS - PARTS_LOG2)) as usize % PARTS;
        let _ = self.settled[part].of(key).merge(state);
    }

    /// Adds the rows of a part to `groups`.
    pub(super) fn group(&self, part: usize, groups: &mut Dense<T>) -> Result<(), Overflow> {
        if let Some(settled) = self.settled.get(part) {
            groups.merge(&self.seed, settled)?;
        }
        let pieces = &self.pieces[part];
        for (nth, &piece) in pieces.iter().enumerate() {
            if let Some(&next) = pieces.get(nth + 1) {
                let (bytes, length) = self.arena.piece(next);
                (0..length)
                    .step_by(WINDOW_BYTES)
                    .for_each(|place| prefetch(bytes, place));
            }
            let (bytes, length) = self.arena.piece(piece);
            self.group_entries(bytes, length, groups);
        }
        self.group_entries(&self.buffers[part], usize::from(self.used[part]), groups);
        Ok(())
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
        let empty = Hashed::new(&self.seed, Cell::from(&[][..]));
        let mut batch = [(empty, [NO_NUMBER; N]); BATCH];
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
                let key = Hashed::new(&self.seed, key);
                groups.prefetch(&key);
                *place = (key, values);
                count += 1;
            }
            for (key, values) in &batch[..count] {
                groups.of(*key).add(values);
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

    /// Returns an estimate of the entries of a part.
    pub(super) fn entries_of(&self, part: usize) -> usize {
        let settled = self.settled.get(part).map_or(0, Dense::len);
        settled + self.pieces[part].len() * (BUFFER_BYTES / 20)
    }

    /// Returns the bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.arena.bytes()
    }
}
