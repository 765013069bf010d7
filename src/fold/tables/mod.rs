//! States by key, for two groups or for millions.
//!
//! A [`Table`] begins with a table that fits a cache ([`direct`]). When the keys become too many for that, it
//! writes rows down by the hash of their key ([`streams`]), and groups them part by part ([`dense`]). Which
//! of both is decided by what is seen.

mod arena;
mod dense;
mod direct;
mod short;
mod state;
mod streams;
mod words;

use std::collections::HashMap;

use ahash::RandomState;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use self::dense::Dense;
pub(crate) use self::direct::Direct;
pub(crate) use self::state::{Columns, NO_NUMBER, Numbers, Overflow, State};
use self::streams::{PARTS, Streams};
use self::words::Seed;
use crate::scan::Cell;

/// The most keys of a table that fits a cache.
const DIRECT_MAX: usize = 1 << 15;

/// States by key. Any bytes can be a key.
#[derive(Debug)]
pub(crate) struct Table<T> {
    random: RandomState,
    seed: Seed,
    /// The number of values of a row.
    values: usize,
    direct: Direct<T>,
    /// The rows of this worker, and of others that were merged.
    streams: Vec<Streams<T>>,
    /// Rows with very long keys, or with values beyond 64 bits.
    odd: HashMap<Box<[u8]>, T, RandomState>,
}

impl<T: State> Table<T> {
    /// Returns a table for rows of this number of values. Only tables of the same seed merge.
    pub(crate) fn new(random: RandomState, values: usize) -> Table<T> {
        Table {
            seed: Seed::new(&random),
            direct: Direct::new(random.clone()),
            streams: Vec::new(),
            odd: HashMap::with_hasher(random.clone()),
            values,
            random,
        }
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

    #[cold]
    #[inline(never)]
    fn add_odd(&mut self, key: Cell<'_>, values: &[i64]) {
        self.odd.entry(key.bytes().into()).or_default().add(values);
    }

    /// Adds a row with values of any size.
    #[cold]
    #[inline(never)]
    pub(crate) fn add_wide(
        &mut self,
        key: Cell<'_>,
        values: &[Option<i128>],
    ) -> Result<(), Overflow> {
        self.odd
            .entry(key.bytes().into())
            .or_default()
            .add_wide(values)
    }

    /// Ends a block of rows: decides how to go on.
    #[inline]
    pub(crate) fn end_block(&mut self) {
        if self.direct.len() > DIRECT_MAX {
            self.stream();
        }
    }

    /// Goes over to streams.
    #[cold]
    fn stream(&mut self) {
        let direct = std::mem::replace(&mut self.direct, Direct::new(self.random.clone()));
        let mut streams = Streams::new(self.seed, self.values);
        streams.settle(&direct);
        self.streams.push(streams);
    }

    /// Adds the rows of `other`.
    pub(crate) fn merge(&mut self, mut other: Table<T>) -> Result<(), Overflow> {
        for (key, state) in other.odd.drain() {
            self.odd.entry(key).or_default().merge(&state)?;
        }
        self.direct.merge(&other.direct)?;
        self.streams.append(&mut other.streams);
        Ok(())
    }

    /// Groups all rows, and shows the groups to `see`, a part of them at a time. In a rayon pool, its threads
    /// share the parts.
    pub(crate) fn each_part<R: Send>(
        &mut self,
        see: impl Fn(&Part<'_, T>) -> R + Sync,
    ) -> Result<Vec<R>, Overflow> {
        if self.streams.is_empty() {
            for (key, state) in self.odd.drain() {
                self.direct.of(Cell::from(&key[..])).merge(&state)?;
            }
            return Ok(vec![see(&Part::Direct(&self.direct))]);
        }
        if self.direct.len() > 0 || !self.odd.is_empty() {
            let direct = std::mem::replace(&mut self.direct, Direct::new(self.random.clone()));
            self.streams[0].settle(&direct);
            for (key, state) in self.odd.drain() {
                self.streams[0].settle_one(&key, &state);
            }
        }
        let group = |dense: &mut Dense<T>, part: usize| {
            let rows: usize = self
                .streams
                .iter()
                .map(|streams| streams.entries_of(part))
                .sum();
            dense.clear_for(rows);
            for streams in &self.streams {
                streams.group(part, dense)?;
            }
            Ok(see(&Part::Dense(dense)))
        };
        (0..PARTS)
            .into_par_iter()
            .map_init(Dense::default, group)
            .collect()
    }
}

/// Some of the groups.
pub(crate) enum Part<'a, T> {
    Direct(&'a Direct<T>),
    Dense(&'a Dense<T>),
}

impl<T: State> Part<'_, T> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Part::Direct(direct) => direct.len(),
            Part::Dense(dense) => dense.len(),
        }
    }

    /// Calls `see` with each key and its state.
    pub(crate) fn each(&self, see: impl FnMut(&[u8], &T)) {
        match self {
            Part::Direct(direct) => direct.each(see),
            Part::Dense(dense) => dense.each(see),
        }
    }
}
