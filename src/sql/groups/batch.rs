//! Groups as rows of columns: their keys, and the values of their aggregates.

use std::iter;

use super::layout::Source;
use super::{GroupsFold, SetGroups};
use crate::fold::key_words::KEY_SEPARATOR;
use crate::fold::tables::{self, DistinctCounts};
use crate::scan::ROWS;
use crate::sql::aggregates::{Keeps, Runs};
use crate::sql::evaluate::{self, Batch};
use crate::sql::groups::numbers::value_of;
use crate::sql::keys::decode;
use crate::sql::types::Type;
use crate::sql::value::Value;
use crate::sql::vector::{Data, Mask, Texts, Values};

/// The one group of no rows, of a set without keys.
pub(super) struct NoRows<'g>(pub(super) &'g GroupsFold<'g>);

impl Batch for NoRows<'_> {
    fn rows(&self) -> usize {
        1
    }

    fn column(&self, nth: usize) -> Values<'_> {
        let fold = self.0;
        let Some(nth) = nth.checked_sub(fold.keys.len()) else {
            return column_of(iter::empty(), fold.grouping.keys[nth].gives);
        };
        let aggregate = &fold.grouping.aggregates[nth];
        let number = match &fold.layout.sources[nth] {
            Source::Set(keys) => Some(set_number(keys, &[])),
            Source::Distinct(_) | Source::Rows => Some(0),
            Source::State(_) if aggregate.is_count() => Some(0),
            _ => None,
        };
        column_of(iter::once(number.map(Value::Whole)), aggregate.gives())
    }
}

/// Up to [`ROWS`] groups of a set, whose columns are the keys and then the aggregates.
pub(super) struct GroupBatch<'g> {
    pub(super) fold: &'g GroupsFold<'g>,
    /// The keys of the set.
    pub(super) keys: &'g [usize],
    pub(super) set: &'g SetGroups,
    pub(super) groups: &'g tables::Groups,
    pub(super) distinct: &'g [DistinctCounts],
    pub(super) start: usize,
}

impl Batch for GroupBatch<'_> {
    fn rows(&self) -> usize {
        (self.groups.len() - self.start).min(ROWS)
    }

    fn column(&self, nth: usize) -> Values<'_> {
        match nth.checked_sub(self.fold.keys.len()) {
            None => self.key(nth),
            Some(nth) => self.aggregate(nth),
        }
    }
}

impl GroupBatch<'_> {
    fn key(&self, nth: usize) -> Values<'_> {
        let gives = self.fold.grouping.keys[nth].gives;
        let Some(place) = self.keys.iter().position(|key| *key == nth) else {
            // The set has no such key.
            return column_of(iter::empty(), gives);
        };
        let keys = (0..self.rows()).map(|row| {
            let key = self.groups.keys.get(self.start + row).bytes();
            if self.keys.len() == 1 {
                return key;
            }
            key.split(|byte| *byte == KEY_SEPARATOR)
                .nth(place)
                .unwrap_or_default()
        });
        decode(keys, gives, self.fold.keys[nth])
    }

    fn aggregate(&self, nth: usize) -> Values<'_> {
        let aggregate = &self.fold.grouping.aggregates[nth];
        let totals = &self.groups.totals;
        let value = |row: usize| -> Option<Value> {
            let group = self.start + row;
            let key = self.groups.keys.get(group);
            let state = match &self.fold.layout.sources[nth] {
                Source::Rows => return Some(Value::Whole(totals.rows(group).into())),
                Source::Distinct(table) => {
                    return Some(Value::Whole(self.distinct[*table].get(key).into()));
                }
                Source::Best(best) => return self.set.bests.get(key.bytes(), *best).cloned(),
                Source::Set(keys) => return Some(Value::Whole(set_number(keys, self.keys))),
                Source::State(state) => *state,
            };
            match aggregate.function.keeps {
                Keeps::Count => Some(Value::Whole(totals.numbers(state, group).into())),
                Keeps::Total(value) => {
                    let sum = totals.value(state, group)?;
                    Some(value(aggregate, sum, totals.numbers(state, group)))
                }
                Keeps::Distribution(value) => value(aggregate, &Runs(totals.runs(state, group))),
                _ => Some(value_of(totals.value(state, group)?, aggregate.of_type())),
            }
        };
        column_of((0..self.rows()).map(value), aggregate.gives())
    }
}

/// Returns the number of `grouping`: a bit for each of some keys, the last one lowest, which is set where a set has no such key.
fn set_number(keys: &[usize], set: &[usize]) -> i128 {
    let bits = keys.iter().map(|key| i128::from(!set.contains(key)));
    bits.fold(0, |number, bit| number << 1 | bit)
}

/// Puts values side by side.
fn column_of(values: impl Iterator<Item = Option<Value>>, gives: Type) -> Values<'static> {
    let (mut valid, mut mask) = (0, 0);
    let (mut numbers, mut doubles) = ([0; ROWS], [0.0; ROWS]);
    let (mut bytes, mut spans) = (Vec::new(), [[0; 2]; ROWS]);
    for (row, value) in values.enumerate() {
        let Some(value) = value else { continue };
        valid |= 1 << row;
        match value {
            Value::Boolean(is) => mask |= Mask::from(is) << row,
            Value::Whole(number) => numbers[row] = number,
            Value::Decimal { units, .. } => numbers[row] = units,
            Value::Date(day) => numbers[row] = day.into(),
            Value::Double(number) => doubles[row] = number,
            Value::Text(text) => {
                let start = bytes.len() as u32;
                bytes.extend_from_slice(&text);
                spans[row] = [start, bytes.len() as u32];
            }
            Value::Null => valid &= !(1 << row),
        }
    }
    let data = match gives {
        Type::Boolean | Type::Null => Data::Boolean(mask),
        Type::Double => Data::Double(doubles),
        Type::Varchar => Data::Text(Texts::Made(bytes, spans)),
        gives => evaluate::numbers_of(numbers, gives),
    };
    Values { valid, data }
}
