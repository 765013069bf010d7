//! Rows and groups of a worker by the hash of their key, for millions of groups.
//!
//! ```text
//! row ──hash──▶ one of 512 partitions ──▶ its buffer, in a cache ──full──▶ a piece in the arena
//!
//! to compact a partition:     its pieces ──▶ an index, in a cache ──▶ its groups
//! at the end, one by one:     groups and pieces of all workers ──▶ one table, in a cache
//! ```
//!
//! A table of millions of keys is in no cache, and each row would wait for memory several times. Here the worker writes
//! rows down in the order of their coming, with the bytes of their key, while these are in the first-level cache. A
//! partition has so few keys that its index stays in a cache. The index is scratch memory, built anew for each partition.
//!
//! # When a partition is compacted
//! The worker compacts a partition when the rows that wait in it take more bytes than its groups and than `compact_above`,
//! which is one limit for all partitions. So each row is grouped once, and the groups looked up take no more bytes than
//! the rows did.
//!
//! Distinct keys would be compacted in vain: their groups take more than the rows. Partitions are alike, because a hash
//! with a random seed chose them. So when compacting made a few partitions little smaller, `compact_above` doubles for
//! all: a few of 512 partitions are compacted in vain, not all of them. A partition with a frequent key differs from the
//! rest, but its own bytes have it compacted.
//!
//! The result: a worker takes at most about three times the bytes of its groups, and no less than `compact_above`. Distributions
//! keep their numbers elsewhere, which these bytes do not include.

use std::mem;

use super::arena::CELL_BYTES;
use super::hash_index::HashIndex;
use super::pieces::Pieces;
use super::totals::{Numbers, Totals};
use super::words::{Seed, WORDS_BYTES};
use super::{Groups, Limits};
use crate::scan::{Cell, ROWS, Vector};

/// The number of partitions.
pub(super) const PARTITIONS_LOG2: u32 = 9;
pub(super) const PARTITIONS: usize = 1 << PARTITIONS_LOG2;

/// The longest key of an entry: its length is a byte.
const KEY_BYTES_MAX: usize = 255;

const NUMBER_BYTES: usize = 8;

/// The partitions to try before more bytes are let wait in all of them.
const COMPACTIONS_IN_VAIN: u32 = 8;

/// Returns the partition of keys with this hash.
#[inline(always)]
pub(super) fn partition_of(hash: u64) -> usize {
    (hash >> (u64::BITS - PARTITIONS_LOG2)) as usize % PARTITIONS
}

/// Memory for the groups of one partition after the other.
#[derive(Debug)]
pub(super) struct Scratch {
    index: HashIndex,
    pub(super) groups: Groups,
}

impl Scratch {
    pub(super) fn new(totals: &Totals) -> Scratch {
        Scratch {
            index: HashIndex::default(),
            groups: Groups::new(totals.alike()),
        }
    }

    /// Replaces the groups.
    pub(super) fn begin<'a>(&'a mut self, seed: &'a Seed, groups: &Groups) -> Indexed<'a> {
        self.groups.clear();
        self.groups.extend(groups);
        self.indexed(seed)
    }

    /// Makes the index of the groups, with room for a few more than there were in the partition before: partitions are alike.
    fn indexed<'a>(&'a mut self, seed: &'a Seed) -> Indexed<'a> {
        let Scratch { index, groups } = self;
        let before = index.len();
        index.clear_for(groups.len().max(before + before / 8));
        for (nth, key) in groups.keys.iter().enumerate() {
            index.insert_new(seed.hash_of(key), nth as u32);
        }
        Indexed {
            seed,
            index,
            groups,
        }
    }
}

/// Groups, and the index that finds them.
pub(super) struct Indexed<'a> {
    pub(super) seed: &'a Seed,
    pub(super) index: &'a mut HashIndex,
    pub(super) groups: &'a mut Groups,
}

impl Indexed<'_> {
    /// Adds groups. Groups of equal keys merge.
    pub(super) fn add_groups(&mut self, from: &Groups) {
        let mut groups = Vec::with_capacity(from.len());
        for key in from.keys.iter() {
            let hash = self.seed.hash_of(key);
            groups.push(self.index.number_of(key, hash, &mut self.groups.keys));
        }
        self.groups.add_states().merge(&groups, &from.totals);
    }

    /// Adds the entries in the first `length` of `bytes`, each with a number of each column.
    #[inline(always)]
    fn add_entries(&mut self, bytes: &[u8], length: usize, numbers: &mut Numbers) {
        let front = 1 + numbers.len() * NUMBER_BYTES;
        let mut start = 0;
        while start < length {
            let mut batch = [(Cell::from(&[][..]), 0); ROWS];
            let mut count = 0;
            while count < ROWS && start < length {
                let entry = &bytes[start..];
                let (stored, _) = entry[1..front].as_chunks();
                for (column, number) in numbers.iter_mut().zip(stored) {
                    column[count] = i64::from_le_bytes(*number);
                }
                let key = Cell::new(&entry[front..], usize::from(entry[0]));
                start += front + key.len();
                let hash = self.seed.hash_of(key);
                // The slots arrive while further entries are read.
                self.index.prefetch(hash);
                batch[count] = (key, hash);
                count += 1;
            }
            for &(_, hash) in &batch[..count] {
                self.groups.keys.prefetch_end(self.index.probable(hash));
            }
            for &(_, hash) in &batch[..count] {
                self.groups.keys.prefetch(self.index.probable(hash), 0);
            }
            let mut groups = [0; ROWS];
            for (group, &(key, hash)) in groups.iter_mut().zip(&batch[..count]) {
                *group = self.index.number_of(key, hash, &mut self.groups.keys);
            }
            self.groups.add_states().add(&groups[..count], numbers);
        }
    }
}

/// The groups of a partition. Its rows are in [`Pieces`].
#[derive(Debug)]
struct Partition {
    /// Groups that differ.
    groups: Groups,
    /// Groups, and rows of long keys, that wait as rows do.
    waiting: Groups,
}

/// The rows and groups of a worker, by partition.
#[derive(Debug)]
pub(super) struct Partitions {
    seed: Seed,
    /// The number of columns of numbers.
    columns: usize,
    /// Rows: the length of the key in a byte, the numbers, and the bytes of the key.
    rows: Pieces,
    partitions: Vec<Partition>,
    /// Memory to compact a partition in.
    scratch: Scratch,
    /// The number of groups that are known to differ: the least that there are.
    pub(super) compacted: u64,
    /// The bytes of a partition that wait, unless its groups take more.
    compact_above: usize,
    /// The most that these may become.
    compact_above_most: usize,
    /// The partitions that did not become much smaller, since the last time that more bytes were let wait.
    compactions_in_vain: u32,
}

impl Partitions {
    pub(super) fn new(seed: Seed, columns: usize, totals: &Totals, limits: Limits) -> Partitions {
        let partition = || Partition {
            groups: Groups::new(totals.alike()),
            waiting: Groups::new(totals.alike()),
        };
        Partitions {
            seed,
            columns,
            rows: Pieces::new(),
            partitions: (0..PARTITIONS).map(|_| partition()).collect(),
            scratch: Scratch::new(totals),
            compacted: 0,
            compact_above: limits.compact_above / PARTITIONS,
            compact_above_most: limits.compact_above_most / PARTITIONS,
            compactions_in_vain: 0,
        }
    }

    /// Adds the first rows of vectors.
    #[inline(always)]
    pub(super) fn add(&mut self, keys: &Vector<'_>, count: usize, numbers: &Numbers) {
        let front = 1 + numbers.len() * NUMBER_BYTES;
        let mut partitions = [0; ROWS];
        for (nth, partition) in partitions[..count].iter_mut().enumerate() {
            *partition = partition_of(self.seed.hash_of(keys.cell(nth)));
            self.rows.prefetch(*partition);
        }
        for (nth, &partition) in partitions[..count].iter().enumerate() {
            let key = keys.cell(nth);
            // The bytes after the key are noise, which the next entry covers.
            if key.len() <= WORDS_BYTES
                && let Some(bytes) = key.first_bytes::<WORDS_BYTES>()
                && let Some(entry) =
                    self.rows
                        .room(partition, front + key.len(), WORDS_BYTES - key.len())
            {
                entry[0] = key.len() as u8;
                put(numbers, nth, &mut entry[1..front]);
                entry[front..].copy_from_slice(bytes);
            } else {
                self.add_slowly(partition, key, numbers, nth);
            }
        }
    }

    /// Adds a row with a long key, or to a full buffer.
    #[cold]
    #[inline(never)]
    fn add_slowly(&mut self, partition: usize, key: Cell<'_>, numbers: &Numbers, nth: usize) {
        let front = 1 + numbers.len() * NUMBER_BYTES;
        let bytes = front + key.len();
        if key.len() > KEY_BYTES_MAX || bytes > CELL_BYTES {
            let waiting = &mut self.partitions[partition].waiting;
            let group = waiting.keys.push(key);
            waiting.add_states().add_row(group, numbers, nth);
            return self.compact_if_many(partition);
        }
        if !self.rows.has_room(partition, bytes) {
            self.rows.flush(partition);
            self.compact_if_many(partition);
        }
        let entry = self.rows.room(partition, bytes, 0).expect("it was emptied");
        entry[0] = key.len() as u8;
        put(numbers, nth, &mut entry[1..front]);
        entry[front..].copy_from_slice(key.bytes());
    }

    /// Adds this number of rows with a key.
    pub(super) fn count(&mut self, key: Cell<'_>, rows: u64) {
        let partition = partition_of(self.seed.hash_of(key));
        let waiting = &mut self.partitions[partition].waiting;
        let group = waiting.keys.push(key);
        waiting.add_states().add_rows(group, rows);
        self.compact_if_many(partition);
    }

    /// Adds a group of earlier rows.
    pub(super) fn add_group(&mut self, key: Cell<'_>, totals: &Totals, nth: usize) {
        let partition = partition_of(self.seed.hash_of(key));
        self.partitions[partition].waiting.push(key, totals, nth);
        self.compact_if_many(partition);
    }

    /// Adds groups of earlier rows.
    pub(super) fn add_groups(&mut self, groups: &Groups) {
        for (nth, key) in groups.keys.iter().enumerate() {
            self.add_group(key, &groups.totals, nth);
        }
    }

    /// Groups what waits in a partition, if it is much.
    fn compact_if_many(&mut self, partition: usize) {
        let Partition { groups, waiting } = &self.partitions[partition];
        let waits = self.rows.bytes(partition) + waiting.size();
        if waits > self.compact_above.max(groups.size()) {
            self.compact(partition);
        }
    }

    /// Groups what waits in a partition.
    #[cold]
    #[inline(never)]
    fn compact(&mut self, nth: usize) {
        let before = self.bytes_of(nth);
        let Partition { groups, waiting } = &mut self.partitions[nth];
        let totals = self.scratch.groups.totals.alike();
        let none = || Groups::new(totals.alike());
        let (mut known, waiting) = (mem::replace(groups, none()), mem::replace(waiting, none()));
        self.compacted -= known.len() as u64;
        // Groups that grow where they lie would be copied again and again, to pages that are new each time.
        self.scratch.groups.append(&mut known);
        let mut indexed = self.scratch.indexed(&self.seed);
        indexed.add_groups(&waiting);
        group(&self.rows, nth, self.columns, &mut indexed);
        groups.append(&mut self.scratch.groups);
        self.compacted += groups.len() as u64;
        self.rows.clear(nth);
        if self.bytes_of(nth) > before / 4 * 3 {
            self.compactions_in_vain += 1;
            if self.compactions_in_vain == COMPACTIONS_IN_VAIN {
                self.compactions_in_vain = 0;
                self.compact_above = (self.compact_above * 2).min(self.compact_above_most);
            }
        }
    }

    /// Returns the bytes of a partition, in the arena and as groups.
    fn bytes_of(&self, nth: usize) -> usize {
        let Partition { groups, waiting } = &self.partitions[nth];
        self.rows.bytes(nth) + groups.size() + waiting.size()
    }

    /// Returns the groups of a partition that differ.
    pub(super) fn groups(&self, nth: usize) -> &Groups {
        &self.partitions[nth].groups
    }

    /// Adds what waits in a partition to other groups.
    pub(super) fn group_waiting(&self, nth: usize, indexed: &mut Indexed<'_>) {
        indexed.add_groups(&self.partitions[nth].waiting);
        group(&self.rows, nth, self.columns, indexed);
    }

    /// Returns some totals of the groups.
    pub(super) fn totals(&self) -> &Totals {
        &self.partitions[0].groups.totals
    }

    /// Returns the bytes of all that waits, and of all groups.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        (0..PARTITIONS).map(|nth| self.bytes_of(nth)).sum()
    }
}

/// Adds the rows of a partition to groups.
fn group(rows: &Pieces, nth: usize, columns: usize, indexed: &mut Indexed<'_>) {
    match columns {
        0 => rows.each(nth, |bytes, length| {
            indexed.add_entries(bytes, length, &mut []);
        }),
        1 => {
            let mut numbers = [[0; ROWS]];
            rows.each(nth, |bytes, length| {
                indexed.add_entries(bytes, length, &mut numbers);
            });
        }
        _ => {
            let mut numbers = vec![[0; ROWS]; columns];
            rows.each(nth, |bytes, length| {
                indexed.add_entries(bytes, length, &mut numbers);
            });
        }
    }
}

/// Writes the numbers of a row into an entry.
#[inline(always)]
fn put(numbers: &Numbers, nth: usize, to: &mut [u8]) {
    let (to, _) = to.as_chunks_mut();
    for (to, column) in to.iter_mut().zip(numbers) {
        *to = column[nth].to_le_bytes();
    }
}
