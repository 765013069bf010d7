//! Rows by the hashes of their keys: written down in partitions by many workers, then sorted.
//!
//! An entry is the key in all words but the last, and a fingerprint of the line in the last. The first word is evenly
//! distributed, so its upper bits choose the partition, and the bits after them a bucket of some four entries. Pages are sorted
//! in place: a table takes the memory of its entries, and five bytes in a hundred more.
//!
//! Rows of the new version wait until a partition has some hundreds of them, which are then looked up together: the table is larger
//! than the processor's tables of pages, a partition is not.

use std::mem;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::scan::simd::prefetch;
use crate::workers::{Workers, lock};

const PARTITION_BITS: u32 = 9;
const PARTITIONS: usize = 1 << PARTITION_BITS;

/// The number of entries of a page.
const PAGE: usize = 512;

/// The number of entries of a bucket, on average.
const BUCKET: usize = 4;

/// The number of entries of a partition that wait to be looked up.
const WAITING: usize = 256;

/// The number of entries that are compared one after the other.
const FEW: usize = 8;

/// The number of entries that are looked up together.
const BATCH: usize = 32;

/// The marks of entries in a word: two bits each.
const MARKED: usize = 32;

/// A row: its key, and a fingerprint.
pub(super) type Entry<const WORDS: usize> = [u64; WORDS];

/// Entries of each partition, in no order.
#[derive(Debug)]
pub(super) struct Lists<const WORDS: usize>(Vec<Pages<WORDS>>);

type Pages<const WORDS: usize> = Vec<Vec<Entry<WORDS>>>;

/// Entries by key. The table of no version has no partitions.
#[derive(Debug, Default)]
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

/// Entries of each partition that wait to be looked up.
#[derive(Debug)]
pub(super) struct Waiting<const WORDS: usize>(Vec<Vec<Entry<WORDS>>>);

/// Rows of the new version, by what the old one has of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) added: u64,
    pub(super) changed: u64,
    pub(super) equal: u64,
    /// Keys of the old version that were looked up twice.
    pub(super) double_keys: u64,
}

/// The marks of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks<'a> {
    word: &'a AtomicU64,
    /// The first mark. The second one is the bit above it.
    first: u64,
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

impl Counts {
    pub(super) fn add(&mut self, other: Counts) {
        self.added += other.added;
        self.changed += other.changed;
        self.equal += other.equal;
        self.double_keys += other.double_keys;
    }
}

impl<const WORDS: usize> Default for Waiting<WORDS> {
    fn default() -> Self {
        Waiting(vec![Vec::new(); PARTITIONS])
    }
}

impl<const WORDS: usize> Waiting<WORDS> {
    /// Has an entry wait. Looks up all of its partition in `table` once they are enough. Without a version to
    /// compare with, the entry is written down at once.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        entry: Entry<WORDS>,
        table: &Table<WORDS>,
        added: &mut Lists<WORDS>,
        counts: &mut Counts,
    ) {
        if table.0.is_empty() {
            return added.push(entry);
        }
        let list = &mut self.0[partition_of(entry[0])];
        if list.capacity() == 0 {
            list.reserve_exact(WAITING);
        }
        list.push(entry);
        if list.len() == WAITING {
            table.look_up(list, added, counts);
            list.clear();
        }
    }

    /// Looks up the entries that wait still.
    pub(super) fn flush(
        &mut self,
        table: &Table<WORDS>,
        added: &mut Lists<WORDS>,
        counts: &mut Counts,
    ) {
        for list in &mut self.0 {
            table.look_up(&mem::take(list), added, counts);
        }
    }
}

impl<const WORDS: usize> Table<WORDS> {
    pub(super) fn new(lists: Lists<WORDS>, workers: &Workers) -> Table<WORDS> {
        let lists: Vec<_> = lists.0.into_iter().map(Mutex::new).collect();
        Table(workers.each(PARTITIONS, |number| {
            Partition::new(mem::take(&mut *lock(&lists[number])))
        }))
    }

    /// Looks up entries of one partition, marks the keys that it has, and adds the other entries to `added`.
    ///
    /// One entry after the other would wait for memory three times. So a batch prefetches where its buckets begin, and then
    /// the buckets.
    fn look_up(&self, entries: &[Entry<WORDS>], added: &mut Lists<WORDS>, counts: &mut Counts) {
        let Some(first) = entries.first() else {
            return;
        };
        let partition = &self.0[partition_of(first[0])];
        for batch in entries.chunks(BATCH) {
            for entry in batch {
                prefetch(&partition.starts, partition.bucket(entry));
            }
            for entry in batch {
                let start = partition.starts[partition.bucket(entry)] as usize;
                if let Some(page) = partition.pages.get(start / PAGE) {
                    prefetch(page, start % PAGE);
                    prefetch(page, start % PAGE + BUCKET);
                    prefetch(&partition.marks, start / MARKED);
                }
            }
            for entry in batch {
                let Some((first, is_same)) = partition.find(entry) else {
                    counts.added += 1;
                    added.push(*entry);
                    continue;
                };
                counts.equal += u64::from(is_same);
                counts.changed += u64::from(!is_same);
                counts.double_keys += u64::from(partition.marks(first).mark());
            }
        }
    }

    /// Finds the key of an entry. Returns whether one of its entries has the fingerprint too, and its marks.
    #[inline(always)]
    pub(super) fn find(&self, entry: &Entry<WORDS>) -> Option<(bool, Marks<'_>)> {
        let partition = &self.0[partition_of(entry[0])];
        let (first, is_same) = partition.find(entry)?;
        Some((is_same, partition.marks(first)))
    }

    /// Clears the marks of keys that were looked up twice.
    pub(super) fn clear_second_marks(&self) {
        for word in self.0.iter().flat_map(|partition| &partition.marks) {
            word.fetch_and(u64::MAX / 3, Ordering::Relaxed);
        }
    }

    /// Says whether several entries have the key of an entry.
    pub(super) fn is_double(&self, entry: &Entry<WORDS>) -> bool {
        let partition = &self.0[partition_of(entry[0])];
        partition.find(entry).is_some_and(|(nth, _)| {
            nth + 1 < partition.len() && key(partition.at(nth + 1)) == key(partition.at(nth))
        })
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
    /// Distributes the entries to their buckets, which ascend, and sorts the few of each.
    fn new(mut pages: Pages<WORDS>) -> Partition<WORDS> {
        let len = pages.iter().map(Vec::len).sum();
        let buckets = len / BUCKET + 1;
        // `starts[b + 1]` is where bucket `b` begins, moves on with each of its entries, and so ends where the next one begins.
        let mut starts = vec![0; buckets + 2];
        for entry in pages.iter().flatten() {
            starts[bucket_of(entry[0], buckets) + 2] += 1;
        }
        let mut start = 0;
        for next in &mut starts {
            start += *next;
            *next = start;
        }
        let mut entries = vec![[0; WORDS]; len];
        for entry in pages.iter().flatten() {
            let next = &mut starts[bucket_of(entry[0], buckets) + 1];
            entries[*next as usize] = *entry;
            *next += 1;
        }
        starts.pop();
        for ends in starts.windows(2) {
            entries[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        // The same memory again: pages of other partitions lie between.
        let sorted = entries.chunks(PAGE);
        pages.truncate(sorted.len());
        for (page, sorted) in pages.iter_mut().zip(sorted) {
            page.clear();
            page.extend_from_slice(sorted);
        }
        let words = len.div_ceil(MARKED);
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

    /// Returns the marks of the key whose first entry this is.
    #[inline(always)]
    fn marks(&self, first: usize) -> Marks<'_> {
        Marks {
            word: &self.marks[first / MARKED],
            first: 1 << (2 * (first % MARKED)),
        }
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        let mut first = 0;
        while first < self.len() {
            let of_key = |&nth: &usize| key(self.at(nth)) == key(self.at(first));
            let rows = 1 + (first + 1..self.len()).take_while(of_key).count();
            if !self.marks(first).is_marked() {
                sums.unmarked += rows as u64;
            }
            sums.doubles += u64::from(rows > 1);
            first += rows;
        }
        sums
    }
}

impl Marks<'_> {
    /// Notes that the key is looked up. Returns whether this is the second time. The order of look-ups does not matter.
    #[inline(always)]
    fn mark(self) -> bool {
        self.word.fetch_or(self.first, Ordering::Relaxed) & self.first != 0 && !self.set_second()
    }

    /// Says whether the key was looked up.
    pub(super) fn is_marked(self) -> bool {
        self.word.load(Ordering::Relaxed) & self.first != 0
    }

    /// Sets the second mark. Returns whether it was set before.
    #[inline(always)]
    pub(super) fn set_second(self) -> bool {
        let second = self.first << 1;
        self.word.fetch_or(second, Ordering::Relaxed) & second != 0
    }

    /// Says whether the key has its second mark.
    pub(super) fn has_second(self) -> bool {
        self.word.load(Ordering::Relaxed) & self.first << 1 != 0
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
mod tests;
