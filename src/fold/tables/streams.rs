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

use std::{array, mem};

use super::Front;
use super::arena::{Arena, Piece};
use super::dense::{Dense, Hashed};
use super::state::{NO_NUMBER, State};
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
    buffers: Vec<[u8; BUFFER_BYTES]>,
    /// For each part the bytes used of its buffer.
    used: [u16; PARTS],
    /// For each part its full buffers, in the arena.
    pieces: Vec<Vec<Piece>>,
    arena: Arena,
    /// For each part the groups of earlier rows.
    settled: Vec<Dense<T>>,
    /// The number of settled groups, and an estimate of their bytes, as of the last time that rows settled.
    settled_groups: u64,
    settled_bytes: usize,
}

impl<T: State> Streams<T> {
    pub(super) fn new(seed: Seed, front: Front, values: usize) -> Streams<T> {
        Streams {
            seed,
            front,
            values,
            buffers: vec![[0; BUFFER_BYTES]; PARTS],
            used: [0; PARTS],
            pieces: vec![Vec::new(); PARTS],
            arena: Arena::default(),
            settled: vec![Dense::default(); PARTS],
            settled_groups: 0,
            settled_bytes: 0,
        }
    }

    /// Adds a row. Returns false if its key is too long for an entry.
    #[inline(always)]
    pub(super) fn add(&mut self, key: Cell<'_>, values: &[i64]) -> bool {
        let part = part_of(Hashed::new(&self.seed, self.front.of(key)).hash);
        let start = usize::from(self.used[part]);
        let end = start + 1 + values.len() * VALUE_BYTES;
        // The bytes after the key are noise, which the next entry covers.
        if key.len() <= WORDS_BYTES
            && let Some(bytes) = key.first_bytes::<WORDS_BYTES>()
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
        let length = key.len();
        let bytes = 1 + values.len() * VALUE_BYTES + length;
        if length > KEY_BYTES_MAX || bytes > BUFFER_BYTES {
            return false;
        }
        if usize::from(self.used[part]) + bytes > BUFFER_BYTES {
            self.flush(part);
        }
        let start = usize::from(self.used[part]);
        let mut entry = vec![length as u8];
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

    /// Adds a group of earlier rows.
    pub(super) fn settle(&mut self, key: &[u8], state: &T) {
        let key = Cell::from(key);
        let part = part_of(Hashed::new(&self.seed, self.front.of(key)).hash);
        self.settled[part]
            .of(Hashed::new(&self.seed, key))
            .merge(state);
    }

    /// Groups the rows that wait.
    #[cold]
    pub(super) fn settle_rows(&mut self) {
        for part in 0..PARTS {
            let mut groups = mem::take(&mut self.settled[part]);
            self.group_rows(part, &mut groups);
            self.settled[part] = groups;
            self.pieces[part].clear();
        }
        self.used = [0; PARTS];
        self.arena = Arena::default();
        self.settled_groups = self.settled.iter().map(|groups| groups.len() as u64).sum();
        self.settled_bytes = self.settled.iter().map(Dense::bytes).sum();
    }

    /// Adds the rows of a part to `groups`.
    pub(super) fn group(&self, part: usize, groups: &mut Dense<T>) {
        groups.merge(&self.seed, &self.settled[part]);
        self.group_rows(part, groups);
    }

    fn group_rows(&self, part: usize, groups: &mut Dense<T>) {
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

    /// Returns the number of rows of a part, or a little more; of settled ones the groups.
    pub(super) fn rows_of(&self, part: usize) -> usize {
        let shortest = 1 + self.values * VALUE_BYTES;
        self.settled[part].len() + (self.pieces[part].len() + 1) * (BUFFER_BYTES / shortest)
    }

    /// Returns the bytes of rows that wait in the arena.
    pub(super) fn waiting(&self) -> usize {
        self.arena.bytes()
    }

    /// Returns an estimate of the bytes of settled groups.
    pub(super) fn settled_bytes(&self) -> usize {
        self.settled_bytes
    }

    /// Returns the least number of groups that there are.
    pub(super) fn settled_groups(&self) -> u64 {
        self.settled_groups
    }
}
