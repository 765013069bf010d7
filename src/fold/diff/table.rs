//! Rows by the hashes of their keys: written down in partitions by many workers, then sorted.
//!
//! An entry is the key in all words but the last, and a fingerprint of the line in the last. The first word is evenly
//! distributed, so its upper bits choose the partition, and the bits after them a bucket of some four entries. Pages are sorted
//! in place: a table takes the memory of its entries, and five bytes in a hundred more.
//!
//! Rows of the new version wait until a partition has some hundreds of them, which are then looked up together: the table is larger
//! than the processor's tables of pages, a partition is not.

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

/// A key that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where its first entry is.
    at: [usize; 2],
    /// Whether one of its entries has the fingerprint, too.
    pub(super) is_same: bool,
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
    /// Has an entry wait. Returns all of its partition once they are enough; the caller looks them up, and empties the list.
    #[inline(always)]
    pub(super) fn push(&mut self, entry: Entry<WORDS>) -> Option<&mut Vec<Entry<WORDS>>> {
        let list = &mut self.0[partition_of(entry[0])];
        if list.capacity() == 0 {
            list.reserve_exact(WAITING);
        }
        list.push(entry);
        (list.len() == WAITING).then_some(list)
    }

    /// Takes the entries that wait still, a partition at a time.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Vec<Entry<WORDS>>> + use<'_, WORDS> {
        let lists = self.0.iter_mut().map(std::mem::take);
        lists.filter(|list| !list.is_empty())
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

    /// Looks up entries of one partition, marks the keys that it has, and adds the other entries to `added`.
    ///
    /// One entry after the other would wait for memory three times. So a batch prefetches where its buckets begin, and then
    /// the buckets.
    pub(super) fn look_up(
        &self,
        entries: &[Entry<WORDS>],
        added: &mut Lists<WORDS>,
        counts: &mut Counts,
    ) {
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
                counts.double_keys += u64::from(partition.mark(first));
            }
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

    /// Says whether a key was looked up.
    pub(super) fn is_marked(&self, found: Found) -> bool {
        let [partition, nth] = found.at;
        self.0[partition].is_marked(nth)
    }

    /// Clears the marks of keys that were looked up twice.
    pub(super) fn clear_second_marks(&self) {
        for word in self.0.iter().flat_map(|partition| &partition.marks) {
            word.fetch_and(u64::MAX / 3, Ordering::Relaxed);
        }
    }

    /// Sets the second mark of a key, if the table has it.
    pub(super) fn set_second_mark(&self, entry: &Entry<WORDS>) {
        if let Some((word, mark)) = self.second_mark(entry) {
            word.fetch_or(mark, Ordering::Relaxed);
        }
    }

    /// Says whether a key has its second mark.
    pub(super) fn has_second_mark(&self, entry: &Entry<WORDS>) -> bool {
        let place = self.second_mark(entry);
        place.is_some_and(|(word, mark)| word.load(Ordering::Relaxed) & mark != 0)
    }

    fn second_mark(&self, entry: &Entry<WORDS>) -> Option<(&AtomicU64, u64)> {
        let [partition, nth] = self.find(entry)?.at;
        let mark = 2 << (2 * (nth % MARKED));
        Some((&self.0[partition].marks[nth / MARKED], mark))
    }

    /// Says whether several entries have the key of an entry.
    pub(super) fn is_double(&self, entry: &Entry<WORDS>) -> bool {
        self.find(entry).is_some_and(|found| {
            let [partition, nth] = found.at;
            let partition = &self.0[partition];
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

    /// Notes that a key is looked up. Returns whether this is the second time. The order of look-ups does not matter.
    #[inline(always)]
    fn mark(&self, first: usize) -> bool {
        let word = &self.marks[first / MARKED];
        let once = 1 << (2 * (first % MARKED));
        if word.fetch_or(once, Ordering::Relaxed) & once == 0 {
            return false;
        }
        let twice = once << 1;
        word.fetch_or(twice, Ordering::Relaxed) & twice == 0
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

    /// Looks up entries as a worker does. Returns how many are added, changed and equal, and how many keys were marked twice.
    fn look_up(table: &Table<2>, entries: &[Entry<2>]) -> [u64; 4] {
        let mut waiting = Waiting::default();
        let mut added = Lists::default();
        let mut counts = Counts::default();
        for &entry in entries {
            if let Some(list) = waiting.push(entry) {
                table.look_up(list, &mut added, &mut counts);
                list.clear();
            }
        }
        for list in waiting.take() {
            table.look_up(&list, &mut added, &mut counts);
        }
        let listed: usize = added.0.iter().flatten().map(Vec::len).sum();
        assert_eq!(listed as u64, counts.added);
        [
            counts.added,
            counts.changed,
            counts.equal,
            counts.double_keys,
        ]
    }

    #[test]
    fn keys_are_found_whatever_their_number() {
        for keys in [0, 1, 5, 3000, 40_000_u64] {
            let hash = |key: u64| key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let entries: Vec<_> = (0..keys).map(|n| [hash(n), n]).collect();
            let table = table(&entries);
            for entry in &entries {
                let found = table.find(entry).unwrap();
                assert!(found.is_same && !table.is_double(entry));
                assert!(!table.find(&[entry[0], entry[1] + 1]).unwrap().is_same);
            }
            assert_eq!(look_up(&table, &entries), [0, 0, keys, 0]);
            assert!(!entries.iter().any(|entry| table.has_second_mark(entry)));
            let changed: Vec<_> = entries.iter().map(|[key, n]| [*key, n + 1]).collect();
            assert_eq!(look_up(&table, &changed), [0, keys, 0, keys]);
            assert!(entries.iter().all(|entry| table.has_second_mark(entry)));
            assert_eq!(look_up(&table, &entries), [0, 0, keys, 0]);
            assert_eq!(table.find(&[hash(keys), 0]), None);
            assert_eq!(look_up(&table, &[[hash(keys), 0]]), [1, 0, 0, 0]);
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
        let entry = [1 << 62, 0];
        assert!(!table.find(&entry).unwrap().is_same && table.is_double(&entry));
        assert_eq!(look_up(&table, &[entry]), [0, 1, 0, 0]);
        let sums = Sums {
            unmarked: 20_000,
            doubles: 3,
        };
        assert_eq!(table.sums(&Workers::new(NonZeroUsize::MIN)), sums);
    }
}
