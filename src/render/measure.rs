//! What tables and charts of groups show of each group: a measure, and its share.

use std::iter;

use super::numbers::{grouped as with_commas, grouped_amount};
use crate::grouped::{Group, Grouped, units};
use crate::sql::Value;

/// The number that bars show: the aggregate by which groups are sorted, if it is a number, else the count. A chart over time, and groups
/// in the order of a key, show the first aggregate that is a number.
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
        let is_number = |&nth: &usize| {
            let values = grouped.iter().map(|group| group.value(nth));
            let mut values = values.filter(|value| *value != Value::Null);
            values.next().is_some_and(|value| number(&value).is_some())
        };
        let first = || (0..grouped.aggregate_names().len()).find(is_number);
        let nth = match sorted_by(grouped) {
            Sorted::Count => None,
            Sorted::Aggregate(nth) => Some(nth).filter(is_number),
            Sorted::Other => first(),
        };
        nth.map_or(Measure::Count, Measure::Aggregate)
    }

    /// Returns the name of the column that has it.
    pub(super) fn name(self, grouped: &Grouped) -> &str {
        match self {
            Measure::Count => "count",
            Measure::Aggregate(nth) => &grouped.aggregate_names()[nth],
        }
    }

    pub(super) fn value(self, group: Group<'_>) -> Value {
        match self {
            Measure::Count => Value::Whole(group.count().into()),
            Measure::Aggregate(nth) => group.value(nth),
        }
    }

    /// Returns the length of a group's bar, in millionths.
    pub(super) fn length(self, group: Group<'_>) -> u128 {
        let value = number(&self.value(group)).unwrap_or(0.0);
        (value.max(0.0) * 1e6) as u128
    }
}

/// What groups are sorted by first.
enum Sorted {
    Count,
    Aggregate(usize),
    Other,
}

/// Returns the name of the aggregate by which groups are sorted, if bars can't show it.
pub(super) fn unshown(grouped: &Grouped) -> Option<&str> {
    let Sorted::Aggregate(nth) = sorted_by(grouped) else {
        return None;
    };
    let is_shown = grouped.is_empty() || Measure::of(grouped) == Measure::Aggregate(nth);
    (!is_shown).then(|| &*grouped.aggregate_names()[nth])
}

fn sorted_by(grouped: &Grouped) -> Sorted {
    let count = grouped.question.keys();
    match grouped.question.sorted_by() {
        Some(column) if column == count => Sorted::Count,
        Some(column) if column > count => {
            let nth = column - count - 1;
            if nth < grouped.question.aggregates() {
                Sorted::Aggregate(nth)
            } else {
                Sorted::Other
            }
        }
        _ => Sorted::Other,
    }
}

/// Returns a number as one with a binary exponent; none of other values.
pub(super) fn number(value: &Value) -> Option<f64> {
    match *value {
        Value::Whole(number) => Some(number as f64),
        Value::Decimal { units, scale } => Some(units as f64 / 10_f64.powi(scale.into())),
        Value::Double(number) => Some(number).filter(|number| number.is_finite()),
        _ => None,
    }
}

/// The unit of a chart over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Month,
    Year,
}

/// Returns the unit of time that the only key is, if all groups are listed.
pub(super) fn time_unit(grouped: &Grouped) -> Option<TimeUnit> {
    if grouped.question.keys() != 1 || grouped.rest().is_some() {
        return None;
    }
    let key = grouped.question.key(0).to_lowercase();
    let is_month = |format: &str| key.starts_with("strftime(") && key.contains(format);
    if key.starts_with("year(") || key.starts_with("date_trunc('year'") || is_month("'%y'") {
        Some(TimeUnit::Year)
    } else if key.starts_with("date_trunc('month'") || is_month("'%y-%m'") {
        Some(TimeUnit::Month)
    } else {
        None
    }
}

impl Share {
    /// Chooses the total: that of the sum by which groups are sorted, if it is positive, else all rows.
    pub(super) fn of(grouped: &Grouped) -> Share {
        let by_sum = || {
            let Sorted::Aggregate(nth) = sorted_by(grouped) else {
                return None;
            };
            let total = grouped
                .total(nth)
                .filter(|_| grouped.question.is_sum(nth))?;
            (total > 0).then_some(Share::Sum(nth, total))
        };
        by_sum().unwrap_or(Share::Rows(grouped.lines))
    }

    /// Returns the place of the share among the numbers of a group: after the count or the sum that it belongs to.
    pub(super) fn place(self) -> usize {
        match self {
            Share::Rows(_) => 1,
            Share::Sum(nth, _) => 2 + nth,
        }
    }

    /// Returns the names of the numbers of a group.
    pub(super) fn names(self, grouped: &Grouped) -> Vec<&str> {
        let aggregates = grouped.aggregate_names().iter().map(String::as_str);
        let mut names: Vec<_> = iter::once("count").chain(aggregates).collect();
        names.insert(self.place(), "share");
        names
    }

    /// Returns the count, the aggregates and the share, as they are shown.
    pub(super) fn numbers(self, count: u64, values: &[Value]) -> Vec<String> {
        let values_shown = values.iter().map(shown);
        let mut numbers: Vec<_> = iter::once(with_commas(count)).chain(values_shown).collect();
        numbers.insert(self.place(), self.shown(count, values));
        numbers
    }

    pub(super) fn shown(self, count: u64, values: &[Value]) -> String {
        match self {
            Share::Rows(all) => percentage(count as f64, all.max(1) as f64),
            Share::Sum(nth, all) => units(&values[nth]).map_or_else(
                || "-".to_owned(),
                |amount| percentage(amount as f64, all as f64),
            ),
        }
    }
}

fn percentage(part: f64, all: f64) -> String {
    format!("{:.2} %", 100.0 * (part / all))
}

pub(super) fn values(grouped: &Grouped, group: Group<'_>) -> Vec<Value> {
    let aggregates = 0..grouped.aggregate_names().len();
    aggregates.map(|nth| group.value(nth)).collect()
}

/// Returns the value of an aggregate as people read it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        // A year or the like is no amount.
        Value::Whole(number) if number.unsigned_abs() < 10_000 => number.to_string(),
        Value::Whole(_) | Value::Decimal { .. } => grouped_amount(value),
        // People compare hundredths.
        Value::Double(number) if number.abs() < 1e15 => grouped_amount(format!("{number:.2}")),
        other => other.to_string(),
    }
}

/// Returns the text of a key as people read it.
pub(super) fn key_bytes(key: &Value) -> std::borrow::Cow<'_, [u8]> {
    match key.bytes() {
        None => b"NULL"[..].into(),
        Some(text) if text.is_empty() => crate::grouped::EMPTY.as_bytes().into(),
        Some(text) => text,
    }
}
