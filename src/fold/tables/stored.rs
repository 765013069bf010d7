//! Groups as they are written down: by the hash of their key, and sorted.
//!
//! ```text
//! 512 partitions: for each the number of its groups and of its bytes, then the bytes of all
//! a group: bytes shared with the key before ── further bytes ── these ── its state
//! ```
//!
//! Each writer puts a key into the same partition. So the partitions of many partials merge one after the
//! other, each in a cache, and by as many threads as there are.

use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use twox_hash::XxHash3_64;

use super::partitions::PARTITIONS_LOG2;
use super::totals::Totals;
use super::words::{Seed, WORDS_BYTES};
use super::{Groups, Mode, PARTITIONS, Table, merge_stored};
use crate::coding::{Damaged, Put, Reader, check};
use crate::fold::key_words::KEY_SEPARATOR;
use crate::scan::Cell;
use crate::workers::{self, lock};

/// The most bytes that a key shares with the one before. So keys take no more memory, and no more hashing, than a few
/// dozen times their bytes in the partial. In the FEC's files, beginnings are shorter.
const SHARED_MAX: usize = 127;

/// Groups that were read, in their partitions.
#[derive(Clone, Debug)]
pub(super) struct StoredGroups {
    /// The whole state of the partial.
    state: Arc<Vec<u8>>,
    /// For each partition its groups, and where its bytes are.
    partitions: Vec<(usize, Range<usize>)>,
}

/// A key, made from the beginning of the key before. More bytes always follow it, so that one load takes all of it.
#[derive(Default)]
struct Key {
    room: Vec<u8>,
    length: usize,
}

impl Key {
    fn cell(&self) -> Cell<'_> {
        Cell::new(&self.room, self.length)
    }

    /// Keeps the `shared` first bytes, and appends further ones.
    #[inline(always)]
    fn follow(&mut self, shared: usize, further: Cell<'_>) {
        self.length = shared + further.len();
        if self.room.len() < self.length + WORDS_BYTES {
            self.room.resize(self.length + WORDS_BYTES, 0);
        }
        let room = &mut self.room[shared..];
        match (further.first_bytes::<WORDS_BYTES>(), room.first_chunk_mut()) {
            // A copy of fixed size takes no loop.
            (Some(from), Some(to)) if further.len() <= WORDS_BYTES => *to = *from,
            _ => room[..further.len()].copy_from_slice(&further),
        }
    }
}

/// Returns the partition of a key, which is the same for each writer. A change makes older partials unreadable.
pub(super) fn stored_partition_of(key: &[u8]) -> usize {
    (XxHash3_64::oneshot(key) >> (u64::BITS - PARTITIONS_LOG2)) as usize
}

/// Says whether a group of a partial may be there, by its key and its totals.
pub(crate) type IsRight<'r> = dyn Fn(&[u8], &Totals) -> bool + Sync + 'r;

/// Accepts keys with this number of separators, and states of amounts.
pub(crate) fn amounts_by_keys(separators: usize) -> impl Fn(&[u8], &Totals) -> bool + Sync {
    move |key, totals| separators_in(key) == separators && totals.are_amounts()
}

/// Returns the number of separators of a key.
pub(crate) fn separators_in(key: &[u8]) -> usize {
    key.iter().filter(|&&byte| byte == KEY_SEPARATOR).count()
}

impl StoredGroups {
    /// Finds the groups that `reader` finds next in `state`. None is looked at yet.
    fn read(state: &Arc<Vec<u8>>, reader: &mut Reader<'_>) -> Result<StoredGroups, Damaged> {
        let (mut partitions, mut end) = (Vec::with_capacity(PARTITIONS), 0_usize);
        for _ in 0..PARTITIONS {
            let (groups, bytes) = (reader.length()?, reader.length()?);
            let start = end;
            end = end.checked_add(bytes).ok_or(Damaged)?;
            // Each group has several bytes, so a number that lies takes no memory.
            check(groups <= bytes)?;
            partitions.push((groups, start..end));
        }
        // Their bytes begin where the reader stands.
        let first = state.len() - reader.0.len();
        reader.take(end)?;
        for (_, bytes) in &mut partitions {
            *bytes = first + bytes.start..first + bytes.end;
        }
        Ok(StoredGroups {
            state: Arc::clone(state),
            partitions,
        })
    }

    /// Calls `see` with each key of a partition, in ascending order, and with a reader of its states.
    pub(super) fn each<'s>(
        &'s self,
        partition: usize,
        mut see: impl FnMut(Cell<'_>, &mut Reader<'s>) -> Result<u64, Damaged>,
    ) -> Result<u64, Damaged> {
        let mut rows = 0_u64;
        let (groups, bytes) = self.partitions[partition].clone();
        let mut reader = Reader(&self.state[bytes]);
        let mut key = Key::default();
        for nth in 0..groups {
            let shared = reader.length()?;
            let length = reader.length()?;
            let rest = reader.0;
            let further = reader.take(length)?;
            let before = key.cell();
            // Where a key leaves the one before, it is greater or longer.
            let ascends = match before.get(shared) {
                Some(byte) if shared < SHARED_MAX => further.first() > Some(byte),
                Some(_) => further > &before[shared..],
                None => shared == before.len() && (nth == 0 || !further.is_empty()),
            };
            check(ascends && shared <= SHARED_MAX)?;
            key.follow(shared, Cell::new(rest, length));
            rows = rows.saturating_add(see(key.cell(), &mut reader)?);
        }
        reader.end()?;
        Ok(rows)
    }

    /// Returns the number of rows, once all groups have been looked at. A wrong group ends the check.
    fn check(&self, totals: &Totals, is_right: &IsRight<'_>) -> Result<u64, Damaged> {
        let is_wrong = AtomicBool::new(false);
        let rows = workers::each(PARTITIONS, |partition| {
            let mut group = totals.alike();
            let rows = self.each(partition, |key, reader| {
                let has_place = stored_partition_of(&key) == partition;
                check(has_place && !is_wrong.load(Relaxed))?;
                group.resize(0);
                group.resize(1);
                let rows = group.take(0, reader)?;
                check(is_right(&key, &group)).map(|()| rows)
            });
            is_wrong.fetch_or(rows.is_err(), Relaxed);
            rows
        });
        rows.into_iter()
            .try_fold(0_u64, |all, rows| all.checked_add(rows?).ok_or(Damaged))
    }
}

impl Table {
    /// Writes all groups down. The bytes depend on the groups alone.
    pub(crate) fn store(&self, out: &mut Vec<u8>) {
        // Keys and states are written down by partition at first, and sorted when all are there.
        let unsorted: Vec<Mutex<Vec<u8>>> = (0..PARTITIONS).map(|_| Mutex::default()).collect();
        self.each_part(|groups| distribute(groups, &unsorted));
        let sorted = workers::each(PARTITIONS, |partition| {
            sorted(&mem::take(&mut *lock(&unsorted[partition])))
        });
        for (groups, bytes) in &sorted {
            out.put_number(*groups);
            out.put_number(bytes.len() as u64);
        }
        sorted
            .iter()
            .for_each(|(_, bytes)| out.extend_from_slice(bytes));
    }

    /// Adds groups that were written down, and that `reader` finds next in `state`. `is_right` judges each group by its key and by
    /// totals of this group alone. Returns the number of their rows.
    pub(crate) fn load(
        &mut self,
        is_right: &IsRight<'_>,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<u64, Damaged> {
        let stored = StoredGroups::read(state, reader)?;
        let totals = self.totals().alike();
        let rows = stored.check(&totals, is_right)?;
        self.mode = Mode::Stored(totals, vec![stored]);
        Ok(rows)
    }

    /// Returns the groups as a partial would have them.
    pub(super) fn written(&self) -> StoredGroups {
        let mut state = Vec::new();
        self.store(&mut state);
        let state = Arc::new(state);
        StoredGroups::read(&state, &mut Reader(&state)).expect("the groups were written here")
    }
    /// Returns the number of groups of all partials together, before groups of the same key are merged.
    pub(crate) fn stored_groups(&self) -> u64 {
        let Mode::Stored(_, stored) = &self.mode else {
            return 0;
        };
        let partitions = stored.iter().flat_map(|stored| &stored.partitions);
        partitions.map(|(groups, _)| *groups as u64).sum()
    }

    /// Returns the number of groups of merged partials. Stops counting once there are more than `most`.
    pub(crate) fn merged_groups(&self, most: u64) -> u64 {
        let Mode::Stored(_, stored) = &self.mode else {
            return 0;
        };
        let seed = Seed::new(&self.random);
        let counted = AtomicU64::new(0);
        self.each_partition(|(), partition, scratch| {
            if counted.load(Relaxed) <= most {
                merge_stored(&seed, stored, partition, scratch);
                counted.fetch_add(scratch.groups.len() as u64, Relaxed);
            }
        });
        counted.into_inner()
    }
}

/// Writes groups down in their partitions, in any order.
fn distribute(groups: &Groups, partitions: &[Mutex<Vec<u8>>]) {
    let mut bytes = Vec::new();
    let mut places = Vec::with_capacity(groups.len());
    for (nth, key) in groups.keys.iter().enumerate() {
        let start = bytes.len();
        bytes.put_bytes(&key);
        let state_at = bytes.len();
        groups.totals.put(nth, &mut bytes);
        // The state's length, so that it is skipped and copied without being read.
        let length = bytes.len() - state_at;
        bytes.put_number(length as u64);
        let moved = bytes.len() - state_at - length;
        bytes[state_at..].rotate_right(moved);
        places.push((stored_partition_of(&key), start..bytes.len()));
    }
    places.sort_unstable_by_key(|(partition, place)| (*partition, place.start));
    for places in places.chunk_by(|(one, _), (other, _)| one == other) {
        let mut partition = lock(&partitions[places[0].0]);
        places
            .iter()
            .for_each(|(_, place)| partition.extend_from_slice(&bytes[place.clone()]));
    }
}

/// Returns the number of groups, and their bytes, sorted by key.
fn sorted(unsorted: &[u8]) -> (u64, Vec<u8>) {
    let mut reader = Reader(unsorted);
    let mut groups = Vec::new();
    while let (Ok(key), Ok(state)) = (reader.bytes(), reader.bytes()) {
        // Eight bytes decide most comparisons without a call.
        groups.push((first_bytes(key), key, state));
    }
    groups.sort_unstable();
    let mut out = Vec::with_capacity(unsorted.len());
    let mut before: &[u8] = &[];
    for (_, key, state) in &groups {
        let shared = before
            .iter()
            .zip(*key)
            .take(SHARED_MAX)
            .take_while(|(one, other)| one == other)
            .count();
        out.put_number(shared as u64);
        out.put_bytes(&key[shared..]);
        out.extend_from_slice(state);
        before = key;
    }
    (groups.len() as u64, out)
}

/// Returns the first eight bytes of a key, zeros where it has none. Numbers compare as the bytes do.
fn first_bytes(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(bytes.len());
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}
