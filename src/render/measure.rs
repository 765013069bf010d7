//! What tables and charts of groups show of each group: a measure, and its share.

use std::iter;

use super::numbers::{grouped as with_commas, grouped_amount};
use crate::fec::date;
use crate::fold::by::{AggregateKind, Group, Grouped, Sort, Value};

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
            let mut values = grouped.iter().filter_map(|group| group.value(nth));
            values
                .next()
                .is_some_and(|value| !matches!(value, Value::Date(_)))
        };
        let first = || (0..grouped.aggregate_names().len()).find(is_number);
        let question = &grouped.question;
        let nth = match question.sort() {
            _ if question.chosen_sort().is_none() && time_unit(grouped).is_some() => first(),
            Sort::Aggregate(nth) => Some(nth).filter(is_number),
            Sort::Key | Sort::KeyColumn(_) => first(),
            Sort::Count => None,
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

/// Returns the function that makes the times of a chart: `month` or `year`, if all times are listed and nothing else is a key.
pub(super) fn time_unit(grouped: &Grouped) -> Option<&'static str> {
    let [key] = &grouped.question.keys[..] else {
        return None;
    };
    let name = key.function.name();
    name.filter(|name| matches!(*name, "month" | "year") && grouped.rest().is_none())
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
    pub(super) fn numbers(self, count: u64, values: &[Option<Value>]) -> Vec<String> {
        let values_shown = values.iter().copied().map(shown);
        let mut numbers: Vec<_> = iter::once(with_commas(count)).chain(values_shown).collect();
        numbers.insert(self.place(), self.shown(count, values));
        numbers
    }

    pub(super) fn shown(self, count: u64, values: &[Option<Value>]) -> String {
        match self {
            Share::Rows(all) => percentage(count as f64, all.max(1) as f64),
            Share::Sum(nth, all) => units(values[nth]).map_or_else(
                || "-".to_owned(),
                |amount| percentage(amount as f64, all as f64),
            ),
        }
    }
}

fn percentage(part: f64, all: f64) -> String {
    format!("{:.2} %", 100.0 * (part / all))
}

pub(super) fn values(grouped: &Grouped, group: Group<'_>) -> Vec<Option<Value>> {
    let aggregates = 0..grouped.aggregate_names().len();
    aggregates.map(|nth| group.value(nth)).collect()
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
        Some(Value::Decimal(number))
            if number.decimals == 0 && number.units.unsigned_abs() < 10_000 =>
        {
            number.to_string()
        }
        Some(Value::Decimal(number)) => grouped_amount(number),
        Some(Value::Date(day)) => date::iso(day),
        Some(Value::Count(count)) => with_commas(count),
    }
}
