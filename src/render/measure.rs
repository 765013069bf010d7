//! What tables and charts of groups show of each group: a measure, and its share.

use super::numbers::{grouped as with_commas, grouped_amount};
use crate::fec::date;
use crate::fold::by::{AggregateKind, Group, Grouped, Sort, Value};

/// The number that bars show: the aggregate by which groups are sorted, if it is a number, else the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Count,
    Aggregate(usize),
}

/// What shares are shares of.
#[derive(Clone, Copy)]
pub(super) enum Share {
    /// All rows.
    Rows(u64),
    /// The total of the sum with this number, by which groups are sorted.
    Sum(usize, i128),
}

impl Measure {
    pub(super) fn of(grouped: &Grouped) -> Measure {
        let Sort::Aggregate(nth) = grouped.question.sort() else {
            return Measure::Count;
        };
        let mut values = grouped.iter().map(|group| group.value(nth));
        if values.any(|value| matches!(value, Some(Value::Date(_)))) {
            Measure::Count
        } else {
            Measure::Aggregate(nth)
        }
    }

    /// Returns the name of the column that has it.
    pub(super) fn name(self, grouped: &Grouped) -> &str {
        match self {
            Measure::Count => "count",
            Measure::Aggregate(nth) => &grouped.aggregate_names()[nth],
        }
    }

    pub(super) fn value(self, group: Group<'_>) -> Option<Value> {
        match self {
            Measure::Count => Some(Value::Count(group.count())),
            Measure::Aggregate(nth) => group.value(nth),
        }
    }

    /// Returns the length of a group's bar, in units of the last decimal.
    pub(super) fn length(self, group: Group<'_>) -> u128 {
        let units = units(self.value(group)).unwrap_or(0);
        u128::try_from(units).unwrap_or(0)
    }
}

impl Share {
    /// Chooses the total: that of the sum by which groups are sorted, if it is positive, else all rows.
    pub(super) fn of(grouped: &Grouped) -> Share {
        let by_sum = || {
            let Sort::Aggregate(nth) = grouped.question.sort() else {
                return None;
            };
            let aggregate = grouped.question.aggregates.get(nth)?;
            if aggregate.kind != AggregateKind::Sum {
                return None;
            }
            let rest = grouped.rest().and_then(|rest| rest.values[nth]);
            let mut values = grouped.iter().map(|group| group.value(nth)).chain([rest]);
            let add = |sum: i128, value| sum.checked_add(units(value).unwrap_or(0));
            let total = values.try_fold(0, add)?;
            (total > 0).then_some(Share::Sum(nth, total))
        };
        by_sum().unwrap_or(Share::Rows(grouped.lines))
    }

    pub(super) fn shown(self, count: u64, value: impl Fn(usize) -> Option<Value>) -> String {
        match self {
            Share::Rows(all) => percentage(count as f64, all.max(1) as f64),
            Share::Sum(nth, all) => units(value(nth)).map_or_else(
                || "-".to_owned(),
                |amount| percentage(amount as f64, all as f64),
            ),
        }
    }
}

fn percentage(part: f64, all: f64) -> String {
    format!("{:.2} %", 100.0 * (part / all))
}

/// Returns a number in units of its last decimal.
fn units(value: Option<Value>) -> Option<i128> {
    Some(value?.decimal()?.units)
}

pub(super) fn shown(value: Option<Value>) -> String {
    match value {
        None => "-".to_owned(),
        Some(Value::Amount(amount)) => grouped_amount(amount),
        // A year or the like is no amount.
        Some(Value::Decimal(number)) if number.decimals == 0 && number.units.abs() < 10_000 => {
            number.to_string()
        }
        Some(Value::Decimal(number)) => grouped_amount(number),
        Some(Value::Date(day)) => date::iso(day),
        Some(Value::Count(count)) => with_commas(count),
    }
}
