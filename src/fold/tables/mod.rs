//! Groups by key, for two of them or for millions.
//!
//! Keys apart from states: a key has a number, and [`Totals`] have a state with that number. A [`Table`] begins with an index that
//! fits a cache ([`key_index`]). When the keys become too many for that, it writes rows down by the hash of their key, and groups
//! them partition by partition ([`partitions`]). Where that makes them fewer, it does so long before the end: memory
//! follows groups, not rows. The table chooses by the rows that it has seen.

mod arena;
mod distinct;
mod distribution;
mod groups;
mod hash_index;
mod key_index;
mod key_store;
mod partitions;
mod pieces;
mod states;
mod stored;
#[cfg(test)]
mod tests;
mod totals;
mod word_index;
mod words;

use ahash::RandomState;

pub(crate) use self::distinct::DistinctCounts;
pub(crate) use self::groups::Groups;
pub(crate) use self::key_index::KeyIndex;
pub(crate) use self::key_store::KeyStore;
use self::partitions::{Indexed, PARTITIONS, Partitions, Scratch};
pub(crate) use self::states::{NO_NUMBER, Total};
use self::stored::StoredGroups;
pub(crate) use self::stored::{amounts_by_keys, separators_in};
pub(crate) use self::totals::{Numbers, StateList, States, Totals};
use self::words::Seed;
use crate::fold::key_words::KeyWords;
use crate::scan::{Cell, ROWS, Vector};
use crate::workers;

/// When a table changes its ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most keys of an index that fits a cache.
    pub(crate) near: usize,
    /// The same for long keys. Partitions copy the key of each row, so a larger index costs less.
    pub(crate) near_of_long: usize,
    /// The bytes of rows that wait in partitions, unless their groups take more.
    pub(crate) compact_above: usize,
    /// The most that these become when grouping rows saves little memory.
    pub(crate) compact_above_most: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            near: 1 << 15,
            near_of_long: 1 << 18,
            compact_above: 8 << 20,
            compact_above_most: 256 << 20,
        }
    }
}

/// The keys from this mean length on are long.
const LONG_BYTES: usize = 64;

/// The bytes of keys from which on a table is large, and those from which on it goes over to partitions.
const LARGE_BYTES: usize = 1 << 20;
const NEAR_BYTES_MOST: usize = 1 << 30;

/// Groups by key. Any bytes can be a key.
#[derive(Debug)]
pub(crate) struct Table {
    random: RandomState,
    limits: Limits,
    /// The number of columns of numbers of a row.
    columns: usize,
    mode: Mode,
}

/// Where the groups are.
#[derive(Debug)]
enum Mode {
    /// In a cache.
    Near(Near),
    /// By the hash of their keys: one entry a worker, once tables have merged.
    Partitioned(Vec<Partitions>),
    /// In partials that were read.
    Stored(Totals, Vec<StoredGroups>),
}

/// Groups, and the index that finds them.
#[derive(Debug)]
pub(crate) struct Near {
    index: KeyIndex,
    groups: Groups,
}

impl Near {
    fn new(random: &RandomState, totals: Totals) -> Near {
        Near {
            index: KeyIndex::new(random.clone()),
            groups: Groups::new(totals),
        }
    }

    /// Returns the number of a key, whose group has no states yet if it is new.
    #[inline(always)]
    pub(crate) fn number_of(&mut self, key: Cell<'_>) -> u32 {
        self.index.number_of(key, &mut self.groups.keys)
    }

    /// Adds the groups of `other`.
    fn merge(&mut self, other: &Groups) {
        let numbers: Vec<u32> = other.keys.iter().map(|key| self.number_of(key)).collect();
        self.groups.add_states().merge(&numbers, &other.totals);
    }
}

impl Table {
    /// Returns a table that keeps these states of rows with this many columns of numbers. Only tables of one `random` merge.
    pub(crate) fn new(
        random: RandomState,
        kept: &StateList,
        columns: usize,
        limits: Limits,
    ) -> Table {
        Table {
            mode: Mode::Near(Near::new(&random, Totals::new(kept))),
            limits,
            columns,
            random,
        }
    }

    /// Returns some totals of the table.
    fn totals(&self) -> &Totals {
        match &self.mode {
            Mode::Near(near) => &near.groups.totals,
            Mode::Partitioned(workers) => workers[0].totals(),
            Mode::Stored(totals, _) => totals,
        }
    }

    /// Says whether rows whose keys are words are best added as such.
    #[inline(always)]
    pub(crate) fn takes_words(&self) -> bool {
        matches!(self.mode, Mode::Near(_))
    }

    /// Adds the first `count` rows of vectors.
    #[inline(always)]
    pub(crate) fn add(&mut self, keys: &Vector<'_>, count: usize, numbers: &Numbers) {
        match &mut self.mode {
            Mode::Near(near) => {
                let Near { index, groups } = near;
                let mut found = [0; ROWS];
                index.numbers_of(keys, count, &mut groups.keys, &mut found);
                groups.add_states().add(&found[..count], numbers);
            }
            Mode::Partitioned(workers) => workers[0].add(keys, count, numbers),
            Mode::Stored(..) => unreachable!("partials take no rows"),
        }
    }

    /// Adds the first `count` rows of keys. `other` adds a key that is no word, and returns its number. The table takes words.
    #[inline(always)]
    pub(crate) fn add_words(
        &mut self,
        words: &KeyWords,
        count: usize,
        numbers: &Numbers,
        mut other: impl FnMut(usize, &mut Near) -> u32,
    ) {
        let Mode::Near(near) = &mut self.mode else {
            unreachable!("the table takes words");
        };
        let mut found = [0; ROWS];
        if words.without(count) == 0 {
            let keys = &mut near.groups.keys;
            near.index.words.numbers_of(words, count, keys, &mut found);
        } else {
            for (nth, number) in found[..count].iter_mut().enumerate() {
                *number = match words.get(nth) {
                    Some(word) => near.index.words.number_of(word, &mut near.groups.keys),
                    None => other(nth, near),
                };
            }
        }
        near.groups.add_states().add(&found[..count], numbers);
    }

    /// Adds this number of rows with a key, in a table that keeps nothing else of them.
    pub(crate) fn count(&mut self, key: Cell<'_>, rows: u64) {
        match &mut self.mode {
            Mode::Near(near) => {
                let group = near.number_of(key);
                near.groups.add_states().add_rows(group as usize, rows);
            }
            _ => self.partition()[0].count(key, rows),
        }
    }

    /// Adds a group of other totals, which keep the same states.
    pub(crate) fn add_group(&mut self, key: Cell<'_>, from: &Totals, nth: usize) {
        match &mut self.mode {
            Mode::Near(near) => {
                let group = near.number_of(key);
                near.groups
                    .add_states()
                    .merge_one(group as usize, from, nth);
            }
            _ => self.partition()[0].add_group(key, from, nth),
        }
    }

    /// Returns the groups of a table that has not ended a block, all of which are in one index.
    pub(crate) fn near(&self) -> &Groups {
        match &self.mode {
            Mode::Near(near) => &near.groups,
            _ => unreachable!("only the end of a block changes where groups are"),
        }
    }

    /// Ends a block of rows: decides how to go on. Returns the least number of groups that there are, as far
    /// as it is known.
    #[inline]
    pub(crate) fn end_block(&mut self) -> u64 {
        match &self.mode {
            Mode::Near(near) => {
                let (groups, bytes) = (near.groups.len(), near.groups.keys.bytes());
                if groups > self.limits.near || bytes > NEAR_BYTES_MOST {
                    self.partition_if_many();
                }
                groups as u64
            }
            Mode::Partitioned(workers) => workers[0].compacted,
            Mode::Stored(..) => 0,
        }
    }

    /// Says whether the table may take much memory.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        match &self.mode {
            Mode::Near(near) => near.groups.keys.bytes() > LARGE_BYTES,
            _ => true,
        }
    }

    /// Goes over to partitions, unless keys are long.
    #[cold]
    #[inline(never)]
    fn partition_if_many(&mut self) {
        if let Mode::Near(near) = &self.mode {
            let (keys, bytes) = (near.groups.len(), near.groups.keys.bytes());
            let are_long = bytes > keys * LONG_BYTES;
            if are_long && keys <= self.limits.near_of_long && bytes <= NEAR_BYTES_MOST {
                return;
            }
        }
        self.partition();
    }

    /// Goes over to partitions.
    fn partition(&mut self) -> &mut Vec<Partitions> {
        if let Mode::Near(near) = &self.mode {
            let seed = Seed::new(&self.random);
            let totals = &near.groups.totals;
            let mut partitions = Partitions::new(seed, self.columns, totals, self.limits);
            partitions.add_groups(&near.groups);
            self.mode = Mode::Partitioned(vec![partitions]);
        }
        match &mut self.mode {
            Mode::Partitioned(workers) => workers,
            _ => unreachable!("partials have no rows"),
        }
    }

    /// Adds the rows of `other`.
    pub(crate) fn merge(&mut self, other: Table) {
        match (&mut self.mode, other.mode) {
            (Mode::Near(near), Mode::Near(other)) => {
                near.merge(&other.groups);
                if near.groups.keys.bytes() > NEAR_BYTES_MOST {
                    self.partition();
                }
            }
            (Mode::Stored(_, stored), Mode::Stored(_, more)) => stored.extend(more),
            // A table of no rows.
            (Mode::Near(near), stored @ Mode::Stored(..)) if near.groups.len() == 0 => {
                self.mode = stored;
            }
            (Mode::Stored(..), Mode::Near(near)) if near.groups.len() == 0 => {}
            (Mode::Stored(_, stored), mode) => {
                // Rows that joined tables add after all partials.
                let rows = Table { mode, ..other };
                stored.push(rows.written());
            }
            (_, Mode::Partitioned(others)) => self.partition().extend(others),
            (Mode::Partitioned(workers), Mode::Near(other)) => {
                workers[0].add_groups(&other.groups);
            }
            _ => unreachable!("partials have no rows"),
        }
    }

    /// Finishes the states of all groups, so that `see` may ask for their values.
    pub(crate) fn finish(&mut self) {
        // Groups in partitions are finished when they are shown.
        if let Mode::Near(near) = &mut self.mode {
            near.groups.totals.finish();
        }
    }

    /// Groups all rows, and shows the groups to `see`, a part of them at a time. In a rayon pool, its threads
    /// share the parts. Returns what `see` made of each.
    pub(crate) fn each_part<R: Send>(&self, see: impl Fn(&Groups) -> R + Sync) -> Vec<R> {
        let made = self.states(|made: &mut Vec<_>, nth, groups| made.push((nth, see(groups))));
        let mut made: Vec<_> = made.into_iter().flatten().collect();
        made.sort_unstable_by_key(|&(nth, _)| nth);
        made.into_iter().map(|(_, made)| made).collect()
    }

    /// Does the same with the number of each part. A thread adds all that it sees to a state of its own. Returns the states.
    fn states<S: Default + Send>(&self, see: impl Fn(&mut S, usize, &Groups) + Sync) -> Vec<S> {
        let seed = Seed::new(&self.random);
        match &self.mode {
            Mode::Near(near) => {
                let mut state = S::default();
                see(&mut state, 0, &near.groups);
                vec![state]
            }
            Mode::Partitioned(workers) => self.each_partition(|state, nth, scratch| {
                let groups_of = |&worker: &usize| workers[worker].groups(nth).len();
                let most = (0..workers.len()).max_by_key(groups_of).unwrap_or(0);
                let mut indexed = scratch.begin(&seed, workers[most].groups(nth));
                for (at, worker) in workers.iter().enumerate() {
                    if at != most {
                        indexed.add_groups(worker.groups(nth));
                    }
                    worker.group_waiting(nth, &mut indexed);
                }
                scratch.groups.totals.finish();
                see(state, nth, &scratch.groups);
            }),
            Mode::Stored(_, stored) => self.each_partition(|state, nth, scratch| {
                merge_stored(&seed, stored, nth, scratch);
                scratch.groups.totals.finish();
                see(state, nth, &scratch.groups);
            }),
        }
    }

    /// Calls `work` for each partition, with the state of a thread, and memory that it may use again. Returns the states.
    fn each_partition<S: Default + Send>(
        &self,
        work: impl Fn(&mut S, usize, &mut Scratch) + Sync,
    ) -> Vec<S> {
        let totals = self.totals();
        let states = workers::states(PARTITIONS, |state: &mut (S, Option<Scratch>), nth| {
            let scratch = state.1.get_or_insert_with(|| Scratch::new(totals));
            work(&mut state.0, nth, scratch);
        });
        states.into_iter().map(|(state, _)| state).collect()
    }
}

/// Merges the groups that partials have in a partition.
fn merge_stored(seed: &Seed, stored: &[StoredGroups], nth: usize, scratch: &mut Scratch) {
    let none = Groups::new(scratch.groups.totals.alike());
    let indexed = scratch.begin(seed, &none);
    let Indexed { index, groups, .. } = indexed;
    for stored in stored {
        let merged = stored.each(nth, |key, reader| {
            let group = index.number_of(key, seed.hash_of(key), &mut groups.keys);
            groups.add_states().take(group as usize, reader)
        });
        merged.expect("the groups have been read before");
    }
}
