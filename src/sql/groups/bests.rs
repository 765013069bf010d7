//! The values of groups that are no numbers: the least text, the value beside the greatest amount.
//!
//! Tables keep states of numbers alone. These values lie beside them, by the same keys.

use std::cmp::Ordering;
use std::collections::HashMap;

use ahash::RandomState;

use crate::coding::{Damaged, Put, Reader, check};
use crate::sql::expression::Comparison;
use crate::sql::keys::{KeyForm, push_value, value_of};
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
    /// Its place in the part of the input that has the chunk.
    place: u64,
}

/// The values of an aggregate in some rows.
pub(super) struct Candidates<'v> {
    pub(super) wanted: Comparison,
    pub(super) by: (Values<'v>, Type),
    pub(super) of: Option<(Values<'v>, Type)>,
    /// The rows that have values.
    pub(super) rows: Mask,
}

/// The part of the inputs that has each chunk of a worker, by its number in the run.
pub(super) type ChunkParts = Vec<u64>;

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
        place: impl Fn() -> u64,
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
                    place: place(),
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

    /// Adds the groups of another worker, whose chunks follow those of this one in `parts`.
    pub(super) fn merge(
        &mut self,
        from: Bests,
        wanted: &[Comparison],
        parts: &ChunkParts,
        chunks: u32,
    ) {
        let place = |best: &Best| (parts.get(best.chunk as usize).copied(), best.place);
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
                let is_earlier = place(new) < place(known);
                if wanted.holds(order) || order.is_eq() && is_earlier {
                    *best = other;
                }
            }
        }
    }
}

/// The types of the values of an aggregate: what is compared, and what stands beside it.
pub(super) type BestTypes = (Type, Option<Type>);

impl Bests {
    /// Writes the groups down, in the order of their keys. `place` returns where a part of the run's inputs is, if that decides between
    /// equal rows.
    pub(super) fn store(
        &self,
        types: &[BestTypes],
        place: Option<&dyn Fn(u32) -> [u64; 2]>,
        out: &mut Vec<u8>,
    ) {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_unstable_by_key(|(key, _)| *key);
        out.put_number(groups.len() as u64);
        for (key, bests) in groups {
            out.put_bytes(key);
            for (best, (by, of)) in bests.iter().zip(types) {
                let Some(best) = best else {
                    out.put_number(0);
                    continue;
                };
                out.put_number(1);
                put_value(&best.by, *by, out);
                if let Some(of) = of {
                    put_value(&best.of, *of, out);
                }
                if let Some(place) = place {
                    let [input, part] = place(best.chunk);
                    [input, part, best.place]
                        .into_iter()
                        .for_each(|number| out.put_number(number));
                }
            }
        }
    }

    /// Reads groups into bests of none. `chunk` returns the number of the chunk that stands for a part of the inputs, if places were written.
    pub(super) fn load(
        &mut self,
        types: &[BestTypes],
        mut chunk: Option<&mut dyn FnMut([u64; 2]) -> Result<u32, Damaged>>,
        reader: &mut Reader<'_>,
    ) -> Result<(), Damaged> {
        let mut before: Option<&[u8]> = None;
        for _ in 0..reader.number()? {
            let key = reader.bytes()?;
            check(before.is_none_or(|before| before < key))?;
            before = Some(key);
            let bests = types.iter().map(|(by, of)| {
                if reader.number()? == 0 {
                    return Ok(None);
                }
                let by = take_value(*by, reader)?;
                let of = of.map(|of| take_value(of, reader)).transpose()?;
                let (chunk, place) = match &mut chunk {
                    None => (0, 0),
                    Some(chunk) => {
                        let part = [reader.number()?, reader.number()?];
                        (chunk(part)?, reader.number()?)
                    }
                };
                let of = of.unwrap_or(Value::Null);
                Ok(Some(Best {
                    by,
                    of,
                    chunk,
                    place,
                }))
            });
            let bests: GroupBests = bests.collect::<Result<_, Damaged>>()?;
            let texts = bests.iter().flatten().map(Best::text_bytes);
            self.bytes += key.len() + size_of_val(&*bests) + texts.sum::<usize>();
            self.groups.insert(key.into(), bests);
        }
        Ok(())
    }
}

/// Writes down a value that is not NULL. Keys have one zero and one NaN, and these values have their own.
fn put_value(value: &Value, of: Type, out: &mut Vec<u8>) {
    match value {
        Value::Double(number) => out.put_number(number.to_bits()),
        value => {
            let mut part = Vec::new();
            push_value(value, of, &mut part);
            out.put_bytes(&part);
        }
    }
}

fn take_value(of: Type, reader: &mut Reader<'_>) -> Result<Value, Damaged> {
    if of == Type::Double {
        return Ok(Value::Double(f64::from_bits(reader.number()?)));
    }
    let value = value_of(reader.bytes()?, of, KeyForm::Escaped);
    value.filter(|value| *value != Value::Null).ok_or(Damaged)
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
