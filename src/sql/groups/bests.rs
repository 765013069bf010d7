//! The values of groups that are no numbers: the least text, the value beside the greatest amount.
//!
//! Tables keep states of numbers alone. These values lie beside them, by the same keys.

use std::cmp::Ordering;
use std::collections::HashMap;

use ahash::RandomState;

use crate::sql::expression::Comparison;
use crate::sql::types::Type;
use crate::sql::value::Value;
use crate::sql::vector::{Data, Mask, Values};

/// For each group the best row of some aggregates.
pub(super) struct Bests {
    groups: HashMap<Box<[u8]>, GroupBests, RandomState>,
    /// About how many bytes of memory the groups take.
    pub(super) bytes: usize,
}

/// The best row for each aggregate, if a row has values.
type GroupBests = Box<[Option<Best>]>;

/// The row that compares best, so far.
#[derive(Clone, Debug)]
struct Best {
    by: Value,
    /// The value beside it, or NULL if `by` itself is asked for.
    of: Value,
    /// The number of its chunk among those of the worker.
    chunk: u32,
}

/// The values of an aggregate in some rows.
pub(super) struct Candidates<'v> {
    pub(super) wanted: Comparison,
    pub(super) by: (Values<'v>, Type),
    pub(super) of: Option<(Values<'v>, Type)>,
    /// The rows that have values.
    pub(super) rows: Mask,
}

/// Where each chunk of a worker lies among those of the run.
pub(super) type ChunkPlaces = Vec<u128>;

impl Bests {
    pub(super) fn new(random: RandomState) -> Bests {
        Bests {
            groups: HashMap::with_hasher(random),
            bytes: 0,
        }
    }

    /// Adds a row of the chunk at hand. The first of equal rows stays.
    pub(super) fn offer(
        &mut self,
        key: &[u8],
        row: usize,
        candidates: &[Candidates<'_>],
        chunk: u32,
    ) {
        if !self.groups.contains_key(key) {
            let none: GroupBests = vec![None; candidates.len()].into();
            self.bytes += key.len() + size_of_val(&*none);
            self.groups.insert(key.into(), none);
        }
        let Some(bests) = self.groups.get_mut(key) else {
            return;
        };
        for (best, candidates) in bests.iter_mut().zip(candidates) {
            let (by, of_by) = &candidates.by;
            let is_better = candidates.rows >> row & 1 == 1
                && best.as_ref().is_none_or(|best| {
                    let order = compare(by, *of_by, row, &best.by);
                    candidates.wanted.holds(order)
                });
            if is_better {
                let of = candidates.of.as_ref();
                let new = Best {
                    by: by.get(row, *of_by),
                    of: of.map_or(Value::Null, |(of, gives)| of.get(row, *gives)),
                    chunk,
                };
                self.bytes += new.text_bytes();
                self.bytes -= best.replace(new).map_or(0, |old| old.text_bytes());
            }
        }
    }

    /// Returns the value of a group.
    pub(super) fn get(&self, key: &[u8], nth: usize) -> Option<&Value> {
        let best = self.groups.get(key)?[nth].as_ref()?;
        Some(match &best.of {
            Value::Null => &best.by,
            of => of,
        })
    }

    /// Adds the groups of another worker, whose chunks follow those of this one in `places`.
    pub(super) fn merge(
        &mut self,
        from: Bests,
        wanted: &[Comparison],
        places: &ChunkPlaces,
        chunks: u32,
    ) {
        let place = |chunk: u32| places.get(chunk as usize).copied();
        self.bytes += from.bytes;
        for (key, others) in from.groups {
            let moved = others.into_iter().map(|best| {
                best.map(|best| Best {
                    chunk: best.chunk + chunks,
                    ..best
                })
            });
            let Some(bests) = self.groups.get_mut(&key) else {
                self.groups.insert(key, moved.collect());
                continue;
            };
            for ((best, other), wanted) in bests.iter_mut().zip(moved).zip(wanted) {
                let (Some(known), Some(new)) = (&best, &other) else {
                    *best = best.take().or(other);
                    continue;
                };
                let order = new.by.compare(&known.by);
                let is_earlier = place(new.chunk) < place(known.chunk);
                if wanted.holds(order) || order.is_eq() && is_earlier {
                    *best = other;
                }
            }
        }
    }
}

impl Best {
    fn text_bytes(&self) -> usize {
        let bytes = |value: &Value| match value {
            Value::Text(text) => text.len(),
            _ => 0,
        };
        bytes(&self.by) + bytes(&self.of)
    }
}

/// Compares the value of a row with another one. No text is copied.
fn compare(values: &Values<'_>, of: Type, row: usize, other: &Value) -> Ordering {
    match (&values.data, other) {
        (Data::Text(texts), Value::Text(other)) => texts.get(row).cmp(other),
        _ => values.get(row, of).compare(other),
    }
}
