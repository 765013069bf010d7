//! Rows by the hashes of their keys: written down in partitions by many workers, then sorted.
//!
//! An entry is the key in all words but the last, and a fingerprint of the line in the last. The first word is evenly
//! distributed, so its upper bits choose the partition, and the bits after them a bucket of some four entries. Pages are sorted
//! in place: a table takes the memory of its entries, and five bytes in a hundred more.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::scan::simd::prefetch;
use crate::workers::Workers;

const PARTITION_BITS: u32 = 9;
const PARTITIONS: usize = 1 << PARTITION_BITS;

/// The number of entries of a page.
const PAGE: usize = 512;

/// The number of entries of a bucket, on average.
const BUCKET: usize = 4;

/// The number of entries that are compared one after the other.
const FEW: usize = 8;

/// The marks of entries in a word: two bits each.
const MARKED: usize = 32;

/// A row: its key, and a fingerprint.
pub(super) type Entry<const WORDS: usize> = [u64; WORDS];

/// Entries of each partition, in no order.
#[derive(Debug)]
pub(super) struct Lists<const WORDS: usize>(Vec<Pages<WORDS>>);

type Pages<const WORDS: usize> = Vec<Vec<Entry<WORDS>>>;

/// Entries by key.
#[derive(Debug)]
pub(super) struct Table<const WORDS: usize>(Vec<Partition<WORDS>>);

#[derive(Debug)]
struct Partition<const WORDS: usize> {
    /// Entries in ascending order. All pages but the last are full.
    pages: Pages<WORDS>,
    /// The place of the first entry of each bucket, and the number of entries.
    starts: Vec<u32>,
    /// Whether the key of an entry was looked up, and whether it was looked up twice. The first entry of a key has its marks.
    marks: Vec<AtomicU64>,
}

/// A key that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where its first entry is.
    at: [usize; 2],
    /// Whether one of its entries has the fingerprint, too.
    pub(super) is_same: bool,
}

/// How often a key was looked up before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Never,
    Once,
    Often,
}

/// Numbers of rows and keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// Rows whose key was not looked up.
    pub(super) unmarked: u64,
    /// Keys of several rows.
    pub(super) doubles: u64,
}

impl<const WORDS: usize> Default for Lists<WORDS> {
    fn default() -> Self {
        Lists(vec![Vec::new(); PARTITIONS])
    }
}

impl<const WORDS: usize> Lists<WORDS> {
    #[inline(always)]
    pub(super) fn push(&mut self, entry: Entry<WORDS>) {
        let pages = &mut self.0[partition_of(entry[0])];
        if pages.last().is_none_or(|page| page.len() == PAGE) {
            pages.push(Vec::with_capacity(PAGE));
        }
        pages.last_mut().expect("one was pushed").push(entry);
    }

    /// Adds the entries of another list. Entries of pages that are not full move to others, so many small files leave few pages.
    pub(super) fn merge(&mut self, from: Lists<WORDS>) {
        for page in from.0.into_iter().flatten() {
            if page.len() < PAGE {
                page.into_iter().for_each(|entry| self.push(entry));
                continue;
            }
            let pages = &mut self.0[partition_of(page[0][0])];
            let last = pages.len().saturating_sub(1);
            pages.insert(last, page);
        }
    }
}

impl<const WORDS: usize> Table<WORDS> {
    pub(super) fn new(lists: Lists<WORDS>, workers: &Workers) -> Table<WORDS> {
        let lists: Vec<_> = lists.0.into_iter().map(Mutex::new).collect();
        Table(workers.each(PARTITIONS, |number| {
            let mut pages = lists[number].lock().unwrap_or_else(PoisonError::into_inner);
            Partition::new(std::mem::take(&mut *pages))
        }))
    }

    /// Prefetches where the bucket of an entry begins.
    #[inline(always)]
    pub(super) fn prefetch_bucket(&self, entry: &Entry<WORDS>) {
        let partition = &self.0[partition_of(entry[0])];
        prefetch(&partition.starts, partition.bucket(entry));
    }

    /// Prefetches the bucket of an entry, and its marks.
    #[inline(always)]
    pub(super) fn prefetch_entries(&self, entry: &Entry<WORDS>) {
        let partition = &self.0[partition_of(entry[0])];
        let start = partition.starts[partition.bucket(entry)] as usize;
        if let Some(page) = partition.pages.get(start / PAGE) {
            prefetch(page, start % PAGE);
            prefetch(page, start % PAGE + BUCKET);
            prefetch(&partition.marks, start / MARKED);
        }
    }

    /// Finds the key of an entry.
    #[inline(always)]
    pub(super) fn find(&self, entry: &Entry<WORDS>) -> Option<Found> {
        let number = partition_of(entry[0]);
        let (first, is_same) = self.0[number].find(entry)?;
        let at = [number, first];
        Some(Found { at, is_same })
    }

    /// Notes that a key is looked up. The order of look-ups does not matter.
    #[inline(always)]
    pub(super) fn mark(&self, found: Found) -> Before {
        let [partition, nth] = found.at;
        let word = &self.0[partition].marks[nth / MARKED];
        let once = 1 << (2 * (nth % MARKED));
        if word.fetch_or(once, Ordering::Relaxed) & once == 0 {
            return Before::Never;
        }
        let twice = once << 1;
        if word.fetch_or(twice, Ordering::Relaxed) & twice == 0 {
            Before::Once
        } else {
            Before::Often
        }
    }

    /// Says whether a key was looked up.
    pub(super) fn is_marked(&self, found: Found) -> bool {
        let [partition, nth] = found.at;
        self.0[partition].is_marked(nth)
    }

    /// Says whether a key has several entries.
    pub(super) fn is_double(&self, found: Found) -> bool {
        let [partition, nth] = found.at;
        let partition = &self.0[partition];
        nth + 1 < partition.len() && key(partition.at(nth + 1)) == key(partition.at(nth))
    }

    pub(super) fn sums(&self, workers: &Workers) -> Sums {
        let sums = workers.each(PARTITIONS, |number| self.0[number].sums());
        sums.into_iter().fold(Sums::default(), |all, sums| Sums {
            unmarked: all.unmarked + sums.unmarked,
            doubles: all.doubles + sums.doubles,
        })
    }
}

impl<const WORDS: usize> Partition<WORDS> {
    fn new(mut pages: Pages<WORDS>) -> Partition<WORDS> {
        let mut entries = pages.concat();
        entries.sort_unstable();
        // The same memory again: pages of other partitions lie between.
        let sorted = entries.chunks(PAGE);
        pages.truncate(sorted.len());
        for (page, sorted) in pages.iter_mut().zip(sorted) {
            page.clear();
            page.extend_from_slice(sorted);
        }
        let buckets = entries.len() / BUCKET + 1;
        let mut starts = vec![0; buckets + 1];
        for entry in &entries {
            starts[bucket_of(entry[0], buckets) + 1] += 1;
        }
        let mut start = 0;
        for next in &mut starts {
            start += *next;
            *next = start;
        }
        let words = entries.len().div_ceil(MARKED);
        Partition {
            pages,
            starts,
            marks: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    #[inline(always)]
    fn bucket(&self, entry: &Entry<WORDS>) -> usize {
        bucket_of(entry[0], self.starts.len() - 1)
    }

    fn len(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    #[inline(always)]
    fn at(&self, nth: usize) -> &Entry<WORDS> {
        &self.pages[nth / PAGE][nth % PAGE]
    }

    /// Returns the first of these places whose entry is not below `entry`; the end, if there is none.
    #[inline(always)]
    fn lower_bound(&self, mut range: Range<usize>, entry: &Entry<WORDS>) -> usize {
        while range.len() > FEW {
            let middle = range.start + range.len() / 2;
            if self.at(middle) < entry {
                range.start = middle + 1;
            } else {
                range.end = middle;
            }
        }
        let end = range.end;
        range.find(|&nth| self.at(nth) >= entry).unwrap_or(end)
    }

    #[inline(always)]
    fn find(&self, entry: &Entry<WORDS>) -> Option<(usize, bool)> {
        let bucket = self.bucket(entry);
        let (start, end) = (self.starts[bucket], self.starts[bucket + 1]);
        let range = start as usize..end as usize;
        let mut least = *entry;
        least[WORDS - 1] = 0;
        let first = self.lower_bound(range.clone(), &least);
        if first == range.end || key(self.at(first)) != key(entry) {
            return None;
        }
        if self.at(first) == entry {
            return Some((first, true));
        }
        let nth = self.lower_bound(first..range.end, entry);
        Some((first, nth < range.end && self.at(nth) == entry))
    }

    /// Says whether the key was looked up whose first entry this is.
    fn is_marked(&self, first: usize) -> bool {
        let marks = self.marks[first / MARKED].load(Ordering::Relaxed);
        marks >> (2 * (first % MARKED)) & 1 == 1
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        let mut first = 0;
        while first < self.len() {
            let of_key = |&nth: &usize| key(self.at(nth)) == key(self.at(first));
            let rows = 1 + (first + 1..self.len()).take_while(of_key).count();
            if !self.is_marked(first) {
                sums.unmarked += rows as u64;
            }
            sums.doubles += u64::from(rows > 1);
            first += rows;
        }
        sums
    }
}

#[inline(always)]
fn key<const WORDS: usize>(entry: &Entry<WORDS>) -> &[u64] {
    &entry[..WORDS - 1]
}

#[inline(always)]
fn partition_of(hash: u64) -> usize {
    (hash >> (u64::BITS - PARTITION_BITS)) as usize
}

/// Returns the bucket of a hash in its partition. Buckets ascend with the hashes.
#[inline(always)]
fn bucket_of(hash: u64, buckets: usize) -> usize {
    ((u128::from(hash << PARTITION_BITS) * buckets as u128) >> u64::BITS) as usize
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn table(entries: &[Entry<2>]) -> Table<2> {
        let mut lists = Lists::default();
        // Lists of many workers.
        for some in entries.chunks(700) {
            let mut more = Lists::default();
            some.iter().for_each(|entry| more.push(*entry));
            lists.merge(more);
        }
        Table::new(lists, &Workers::new(NonZeroUsize::MIN))
    }

    #[test]
    fn keys_are_found_whatever_their_number() {
        for keys in [0, 1, 5, 3000, 40_000_u64] {
            let hash = |key: u64| key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let entries: Vec<_> = (0..keys).map(|n| [hash(n), n]).collect();
            let table = table(&entries);
            for entry in &entries {
                let found = table.find(entry).unwrap();
                assert!(found.is_same && !table.is_double(found));
                assert!(!table.find(&[entry[0], entry[1] + 1]).unwrap().is_same);
                assert_eq!(table.mark(found), Before::Never);
                assert_eq!(table.mark(found), Before::Once);
                assert_eq!(table.mark(found), Before::Often);
            }
            assert_eq!(table.find(&[hash(keys), 0]), None);
            assert_eq!(
                table.sums(&Workers::new(NonZeroUsize::MIN)),
                Sums::default()
            );
        }
    }

    #[test]
    fn keys_may_have_many_rows() {
        let entries: Vec<_> = (0..30_000).map(|n| [(n % 3) << 62, n]).collect();
        let table = table(&entries);
        for entry in &entries {
            assert!(table.find(entry).unwrap().is_same);
        }
        let found = table.find(&[1 << 62, 0]).unwrap();
        assert!(!found.is_same && table.is_double(found));
        table.mark(found);
        let sums = Sums {
            unmarked: 20_000,
            doubles: 3,
        };
        assert_eq!(table.sums(&Workers::new(NonZeroUsize::MIN)), sums);
    }
}
