//! Groups as rows of columns: their keys, and the values of their aggregates.

use super::{GroupsFold, Source};
use crate::expr::KEY_SEPARATOR;
use crate::fold::tables::{self, DistinctCounts};
use crate::scan::ROWS;
use crate::sql::evaluate::{self, Batch};
use crate::sql::keys::decode;
use crate::sql::plan::{Aggregate, Kind};
use crate::sql::types::Type;
use crate::sql::value::{Value, double_of};
use crate::sql::vector::{Data, Mask, Values};

/// The one group of no rows.
pub(super) struct NoRows<'p>(pub(super) &'p [Aggregate]);

impl Batch for NoRows<'_> {
    fn rows(&self) -> usize {
        1
    }

    fn column(&self, nth: usize) -> Values<'_> {
        match self.0[nth].kind {
            Kind::Count | Kind::CountDistinct => Values {
                valid: 1,
                data: Data::Whole([0; ROWS]),
            },
            _ => Values::null(),
        }
    }
}

/// Up to [`ROWS`] groups, whose columns are the keys and then the aggregates.
pub(super) struct GroupBatch<'g> {
    pub(super) fold: &'g GroupsFold<'g>,
    pub(super) groups: &'g tables::Groups,
    pub(super) distinct: &'g [DistinctCounts],
    pub(super) start: usize,
}

impl Batch for GroupBatch<'_> {
    fn rows(&self) -> usize {
        (self.groups.len() - self.start).min(ROWS)
    }

    fn column(&self, nth: usize) -> Values<'_> {
        let keys = self.fold.grouping.keys.len();
        match nth.checked_sub(keys) {
            None => self.key(nth),
            Some(nth) => self.aggregate(nth),
        }
    }
}

impl GroupBatch<'_> {
    fn key(&self, nth: usize) -> Values<'_> {
        let gives = self.fold.grouping.keys[nth].gives;
        let (form, parts) = (self.fold.keys[nth], self.fold.keys.len());
        let keys = (0..self.rows()).map(|row| {
            let key = self.groups.keys.get(self.start + row).bytes();
            if parts == 1 {
                return key;
            }
            key.split(|byte| *byte == KEY_SEPARATOR)
                .nth(nth)
                .unwrap_or_default()
        });
        decode(keys, gives, form)
    }

    fn aggregate(&self, nth: usize) -> Values<'_> {
        let aggregate = &self.fold.grouping.aggregates[nth];
        let of = aggregate.of.as_ref().map_or(Type::BigInt, |of| of.gives);
        let totals = &self.groups.totals;
        let rows = 0..self.rows();
        let value = |row: usize| -> Option<Value> {
            let group = self.start + row;
            let state = match self.fold.sources[nth] {
                Source::Rows => return Some(Value::Whole(totals.rows(group).into())),
                Source::Distinct(table) => {
                    let count = self.distinct[table].get(self.groups.keys.get(group));
                    return Some(Value::Whole(count.into()));
                }
                Source::State(state) => state,
            };
            match aggregate.kind {
                Kind::Count => Some(Value::Whole(totals.numbers(state, group).into())),
                Kind::Average => {
                    let sum = totals.value(state, group)?;
                    let count = totals.numbers(state, group);
                    let sum = double_of(sum, of.scale().unwrap_or(0));
                    Some(Value::Double(sum / count as f64))
                }
                Kind::QuantileDiscrete(share) => {
                    let rank = |count: u64| rank_of(share, count);
                    value_of(totals.quantile(state, group, rank)?, of)
                }
                Kind::QuantileContinuous(share) => {
                    let count = totals.numbers(state, group);
                    let place = share * count.checked_sub(1)? as f64;
                    let number = |rank: u64| totals.quantile(state, group, |_| rank + 1);
                    let low = number(place.floor() as u64)?;
                    let high = number(place.ceil() as u64)?;
                    if place.fract() == 0.0 {
                        return match value_of(low, of)? {
                            Value::Whole(number) => Some(Value::Double(number as f64)),
                            value => Some(value),
                        };
                    }
                    between(low, high, place - place.floor(), of)
                }
                _ => value_of(totals.value(state, group)?, of),
            }
        };
        column_of(rows.map(value), aggregate.gives())
    }
}

/// Returns the rank, counted from one, of the least value up to which a share of `count` values lies.
fn rank_of(share: f64, count: u64) -> u64 {
    let rank = count as f64 - (count as f64 - share * count as f64).floor();
    (rank as u64).clamp(1, count.max(1))
}

/// Returns the value between two, as DuckDB interpolates.
fn between(low: i128, high: i128, share: f64, of: Type) -> Option<Value> {
    let low_value = value_of(low, of)?;
    match of {
        // DuckDB rounds once, with the instruction for that.
        whole if whole.is_whole() => {
            let high = high as f64 * share;
            Some(Value::Double((low as f64).mul_add(1.0 - share, high)))
        }
        Type::Decimal(scale) => {
            let units = ((high - low) as f64).mul_add(share, low as f64);
            Some(Value::Decimal {
                units: units as i128,
                scale,
            })
        }
        Type::Double => {
            let (low, high) = (ordered_double(low as i64), ordered_double(high as i64));
            Some(Value::Double(low.mul_add(1.0 - share, high * share)))
        }
        _ => Some(low_value),
    }
}

/// Returns the value that a number of a state stands for.
fn value_of(number: i128, of: Type) -> Option<Value> {
    Some(match of {
        Type::Null => return None,
        Type::Boolean => Value::Boolean(number != 0),
        Type::Date => Value::Date(number as u32),
        Type::Decimal(scale) => Value::Decimal {
            units: number,
            scale,
        },
        Type::Double => Value::Double(ordered_double(number as i64)),
        _ => Value::Whole(number),
    })
}

/// Puts values side by side.
fn column_of(values: impl Iterator<Item = Option<Value>>, gives: Type) -> Values<'static> {
    let (mut valid, mut mask) = (0, 0);
    let (mut numbers, mut doubles) = ([0; ROWS], [0.0; ROWS]);
    for (row, value) in values.enumerate() {
        let Some(value) = value else { continue };
        valid |= 1 << row;
        match value {
            Value::Boolean(is) => mask |= Mask::from(is) << row,
            Value::Whole(number) => numbers[row] = number,
            Value::Decimal { units, .. } => numbers[row] = units,
            Value::Date(day) => numbers[row] = day.into(),
            Value::Double(number) => doubles[row] = number,
            Value::Null | Value::Text(_) => valid &= !(1 << row),
        }
    }
    let data = match gives {
        Type::Boolean | Type::Null => Data::Boolean(mask),
        Type::Double => Data::Double(doubles),
        gives => evaluate::numbers_of(numbers, gives),
    };
    Values { valid, data }
}

/// Returns the number that has a place in the order.
fn ordered_double(order: i64) -> f64 {
    let bits = if order < 0 {
        !(order ^ i64::MIN)
    } else {
        order
    };
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::super::order_of_double;
    use super::*;

    #[test]
    fn doubles_keep_their_order() {
        let ascending = [
            f64::NEG_INFINITY,
            -1e300,
            -1.5,
            -1e-300,
            0.0,
            1e-300,
            1.5,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for pair in ascending.windows(2) {
            assert!(
                order_of_double(pair[0]) < order_of_double(pair[1]),
                "{pair:?}"
            );
        }
        for number in ascending {
            let back = ordered_double(order_of_double(number));
            assert!(back.to_bits() == number.to_bits() || back.is_nan() && number.is_nan());
        }
        // 0/0 makes a NaN with a sign.
        assert_eq!(order_of_double(-f64::NAN), order_of_double(f64::NAN));
    }

    #[test]
    fn ranks_are_those_of_duckdb() {
        assert_eq!(
            [0.0, 0.5, 0.51, 1.0].map(|share| rank_of(share, 2)),
            [1, 1, 2, 2]
        );
        assert_eq!([0.25, 0.3, 0.9].map(|share| rank_of(share, 8)), [2, 3, 8]);
        assert_eq!(rank_of(0.5, 1), 1);
    }
}
