//! States by key, for two groups or for millions.
//!
//! A [`Table`] begins with a table that fits a cache ([`direct`]). When the keys become too many for that, it
//! writes rows down by the hash of their key ([`streams`]), and groups them part by part ([`dense`]). Where
//! that makes them fewer, it does so long before the end, and keeps the groups ([`settled`]): memory follows
//! groups, not rows. What is seen decides.

mod arena;
mod dense;
mod digits;
mod direct;
mod numbered;
mod part;
mod pieces;
mod settled;
mod short;
mod slots;
mod state;
mod stored;
mod streams;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;
use std::mem;

use ahash::RandomState;

use self::dense::{Dense, Hashed};
pub(crate) use self::digits::{DIGITS_MAX, Digits};
pub(crate) use self::direct::Direct;
use self::part::{Groups, PartTable};
pub(crate) use self::part::{Key, Part};
#[cfg(test)]
use self::state::Numbers;
pub(crate) use self::state::{Columns, NO_NUMBER, State, Sum, Total};
use self::stored::{PARTITIONS, Stored, partition_of};
use self::streams::{PARTS, Streams, part_of};
use self::words::Seed;
use crate::engine::share;
use crate::keys::word::KeyWords;
use crate::scan::{Cell, ROWS};

/// When a table changes its ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most keys of a table that fits a cache.
    pub(crate) direct: usize,
    /// The same for long keys. Streams copy the key of each row, so a larger table costs less.
    pub(crate) direct_of_long: usize,
    /// The bytes of rows that wait in streams, unless their groups take more.
    pub(crate) waiting: usize,
    /// The most that these become when grouping rows saves little memory.
    pub(crate) waiting_most: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            direct: 1 << 15,
            direct_of_long: 1 << 18,
            waiting: 8 << 20,
            waiting_most: 256 << 20,
        }
    }
}

/// Long keys make a table large from this many bytes on, without the first 32 of each key.
const LARGE_BYTES: usize = 1 << 20;

/// Rows with very long keys.
type OddRows<T> = HashMap<Box<[u8]>, T, RandomState>;

/// What decides the part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    /// The whole key.
    All,
    /// What it has before its last pipe.
    BeforeLastPipe,
}

impl Front {
    #[inline(always)]
    fn of(self, key: Cell<'_>) -> Cell<'_> {
        match self {
            Front::All => key,
            Front::BeforeLastPipe => key.before_last(b'|'),
        }
    }
}

/// States by key. Any bytes can be a key.
#[derive(Debug)]
pub(crate) struct Table<T> {
    random: RandomState,
    seed: Seed,
    front: Front,
    limits: Limits,
    /// The number of values of a row.
    values: usize,
    direct: Direct<T>,
    /// The rows of this worker, and of others that were merged.
    streams: Vec<Streams<T>>,
    odd: OddRows<T>,
    /// Groups of partials. A table that has any has no rows.
    stored: Vec<Stored>,
}

impl<T: State> Table<T> {
    /// Returns a table for rows of this number of values. Only tables of the same seed merge.
    pub(crate) fn new(
        random: RandomState,
        front: Front,
        values: usize,
        limits: Limits,
    ) -> Table<T> {
        Table {
            seed: Seed::new(&random),
            front,
            limits,
            direct: Direct::new(random.clone()),
            streams: Vec::new(),
            odd: HashMap::with_hasher(random.clone()),
            stored: Vec::new(),
            values,
            random,
        }
    }

    /// Returns an empty table for the same rows.
    pub(crate) fn alike(&self) -> Table<T> {
        Table::new(self.random.clone(), self.front, self.values, self.limits)
    }

    /// Adds a row.
    #[inline(always)]
    pub(crate) fn add(&mut self, key: Cell<'_>, values: &[i64]) {
        match self.streams.first_mut() {
            None => self.direct.of(key).add(values),
            Some(streams) => {
                if !streams.add(key, values) {
                    self.add_odd(key, values);
                }
            }
        }
    }

    /// Says whether rows with keys of a few bytes are added by these bytes as a number.
    #[inline(always)]
    pub(crate) fn takes_words(&self) -> bool {
        self.streams.is_empty()
    }

    /// Returns the places of keys in a table that takes words.
    #[inline(always)]
    pub(crate) fn places(&self, keys: &KeyWords) -> [u64; ROWS] {
        self.direct.places(keys)
    }

    /// Adds a row whose key has this place, and is the one that [`Cell::wide_word`] returns. The table takes words.
    #[inline(always)]
    pub(crate) fn add_word(&mut self, place: u64, word: u128, values: &[i64]) {
        debug_assert!(self.takes_words(), "the table has streams");
        self.direct.of_word(place, word).add(values);
    }

    /// Adds the same, with one value, which is a number.
    #[inline(always)]
    pub(crate) fn add_number(&mut self, place: u64, word: u128, number: i64) {
        debug_assert!(self.takes_words(), "the table has streams");
        self.direct.of_word(place, word).add_number(number);
    }

    /// Adds a row with any key to a table that takes words.
    pub(crate) fn add_directly(&mut self, key: Cell<'_>, values: &[i64]) {
        debug_assert!(self.takes_words(), "the table has streams");
        self.direct.of(key).add(values);
    }

    /// Says whether rows are better added many at a time, because their groups are in memory.
    #[inline(always)]
    pub(crate) fn awaits_groups(&self) -> bool {
        self.streams.is_empty() && self.direct.awaits_groups()
    }

    /// Adds rows.
    #[inline(always)]
    pub(crate) fn add_all<'a, const N: usize>(
        &mut self,
        rows: impl Iterator<Item = (Cell<'a>, [i64; N])>,
    ) {
        let Some(streams) = self.streams.first_mut() else {
            return self.direct.add_all(rows);
        };
        for (key, values) in rows {
            if !streams.add(key, &values) {
                odd(&mut self.odd, key).add(&values);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn add_odd(&mut self, key: Cell<'_>, values: &[i64]) {
        odd(&mut self.odd, key).add(values);
    }

    /// Adds the rows of a group.
    pub(crate) fn add_group(&mut self, key: &[u8], state: &T) {
        match self.streams.first_mut() {
            None => self.direct.of(Cell::from(key)).merge(state),
            Some(streams) => streams.settle(key, state.clone()),
        }
    }

    /// Ends a block of rows: decides how to go on. Returns the least number of groups that there are, as far
    /// as it is known.
    #[inline]
    pub(crate) fn end_block(&mut self) -> u64 {
        if self.direct.len() > self.limits.direct {
            self.stream_if_many();
        }
        let groups = match self.streams.first_mut() {
            None => self.direct.len() as u64,
            Some(streams) => streams.settled_groups(),
        };
        // Some may be in both.
        groups.max(self.odd.len() as u64)
    }

    /// Says whether the table may take much memory.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        !self.streams.is_empty() || self.direct.rest_bytes() > LARGE_BYTES
    }

    /// Goes over to streams, unless keys are long.
    #[cold]
    #[inline(never)]
    fn stream_if_many(&mut self) {
        if self.direct.has_long_keys() && self.direct.len() <= self.limits.direct_of_long {
            return;
        }
        let direct = mem::replace(&mut self.direct, Direct::new(self.random.clone()));
        let mut streams = Streams::new(self.seed, self.front, self.values, self.limits);
        direct.into_each(|key, state| streams.settle(key, state));
        self.streams.push(streams);
    }

    /// Adds the rows of `other`.
    pub(crate) fn merge(&mut self, mut other: Table<T>) {
        for (key, state) in other.odd.drain() {
            self.odd.entry(key).or_default().merge(&state);
        }
        self.direct.merge(&other.direct);
        self.streams.append(&mut other.streams);
        self.stored.append(&mut other.stored);
    }

    /// Groups all rows, and shows the groups to `see`, a part of them at a time. In a rayon pool, its threads
    /// share the parts. Returns what `see` made of each.
    pub(crate) fn each_part<R: Send>(&mut self, see: impl Fn(&Part<'_, T>) -> R + Sync) -> Vec<R> {
        if !self.stored.is_empty() {
            return self.each_stored(see);
        }
        let odd = mem::take(&mut self.odd);
        let Some(first) = self.streams.first_mut() else {
            for (key, state) in odd {
                self.direct.of(Cell::from(&key[..])).merge(&state);
            }
            return vec![see(&Part(Groups::Direct(&self.direct)))];
        };
        let direct = mem::replace(&mut self.direct, Direct::new(self.random.clone()));
        direct.into_each(|key, state| first.settle(key, state));
        odd.into_iter()
            .for_each(|(key, state)| first.settle(&key, state));
        let streams = &self.streams;
        let group = |table: &mut PartTable<T>, part: usize| {
            let numbers = streams.iter().map(|streams| streams.numbers_of(part));
            let texts = streams.iter().map(|streams| streams.texts_of(part));
            table.clear_for(numbers.sum(), texts.sum());
            streams
                .iter()
                .for_each(|streams| streams.group(part, table));
            see(&Part(Groups::Part(table)))
        };
        share::each_with(PARTS, group)
    }

    /// Does the same with the groups of partials, by partition.
    fn each_stored<R: Send>(&self, see: impl Fn(&Part<'_, T>) -> R + Sync) -> Vec<R> {
        share::each_with(PARTITIONS, |table: &mut PartTable<T>, partition| {
            self.merge_stored(partition, &mut table.texts);
            see(&Part(Groups::Part(table)))
        })
    }

    /// Merges the groups that partials have in a partition.
    fn merge_stored(&self, partition: usize, groups: &mut Dense<T>) {
        groups.clear_for(self.stored.iter().map(|stored| stored.len(partition)).sum());
        for stored in &self.stored {
            let merged = stored.each(partition, self.values, |key, state| {
                groups.of(Hashed::new(&self.seed, key)).merge(&state);
                Ok(())
            });
            merged.expect("the groups have been read before");
        }
    }
}

/// Returns the state of a key. It is copied if it is new.
fn odd<'t, T: State>(groups: &'t mut OddRows<T>, key: Cell<'_>) -> &'t mut T {
    if !groups.contains_key(key.bytes()) {
        groups.insert(key.bytes().into(), T::default());
    }
    groups.get_mut(key.bytes()).expect("it was inserted")
}

/// How many keys begin with each front.
#[derive(Debug)]
pub(crate) struct FrontCounts {
    /// The number of keys.
    pub(crate) keys: u64,
    seed: Seed,
    /// One for each part, or one for all.
    parts: Vec<Dense<u64>>,
    /// Says which part has a front with this hash, or this one.
    part_of: fn(u64, &[u8]) -> usize,
}

impl FrontCounts {
    /// Counts the keys of a table by what they have before their last pipe.
    pub(crate) fn of<T: State>(table: &mut Table<T>) -> FrontCounts {
        let seed = table.seed;
        let part_of: fn(u64, &[u8]) -> usize = if table.stored.is_empty() {
            |hash, _| part_of(hash)
        } else {
            |_, front| partition_of(front)
        };
        let parts = table.each_part(|part| {
            let mut counts = Dense::<u64>::default();
            part.each(|key, _| {
                let front = Front::BeforeLastPipe.of(Cell::from(key));
                *counts.of(Hashed::new(&seed, front)) += 1;
            });
            (part.len() as u64, counts)
        });
        let (keys, parts): (Vec<_>, _) = parts.into_iter().unzip();
        FrontCounts {
            keys: keys.into_iter().sum(),
            seed,
            parts,
            part_of,
        }
    }

    /// Returns how many keys begin with this front.
    pub(crate) fn get(&self, front: &[u8]) -> u64 {
        let front = Hashed::new(&self.seed, Cell::from(front));
        let part = match self.parts.len() {
            1 => 0,
            _ => (self.part_of)(front.hash, &front.key),
        };
        self.parts[part].get(front).copied().unwrap_or(0)
    }
}
