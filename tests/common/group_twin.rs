//! The slow twin of `by`: groups as the contract words them, by regular expressions, ordered maps and
//! numbers in two halves. All rows are of indiv.

use std::collections::{BTreeMap, BTreeSet};

use fecscan::fec::amount::Hundredths;
use fecscan::fold::by::{AggregateKind, Direction, GroupQuestion, Grouped, RowKindPolicy, Value};

use super::condition::{self, Condition};
use super::function_twin::{called, column, key};
use super::twin::lines_of;

/// A question, in the twin's own words. Columns are counted from one.
#[derive(Clone, Debug, Default)]
pub struct AskedGroups {
    /// The name of a function, or none, and the column.
    pub keys: Vec<(&'static str, usize)>,
    /// The name of an aggregate, or a call such as `quantile(0.9:len(@))`, and the column.
    pub aggregates: Vec<(&'static str, usize)>,
    pub sort: SortedBy,
    pub ascending: bool,
    /// Further orders, each with its direction.
    pub then: Vec<(SortedBy, Option<bool>)>,
    /// Conditions: the count or the aggregate with this number, an operator, and hundredths or a date.
    pub having: Vec<(Option<usize>, &'static str, i128)>,
    pub top: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
pub enum SortedBy {
    #[default]
    Count,
    Key,
    /// The key with this number, modulo their number.
    KeyColumn(usize),
    /// The aggregate with this number, modulo their number.
    Aggregate(usize),
}

/// The result, every value as text.
#[derive(Debug, PartialEq, Eq)]
pub struct Groups {
    pub rows: Vec<(Vec<Vec<u8>>, u64, Vec<String>)>,
    /// Groups, rows and values after the cut.
    pub rest: Option<(u64, u64, Vec<String>)>,
    pub distinct_groups: u64,
    pub left_out: u64,
    pub lines: u64,
    pub lines_scanned: Option<u64>,
    pub without: Vec<u64>,
    /// Refunds, copies, memo rows.
    pub kinds: (u64, u64, u64),
}

const NO_VALUE: &str = "-";

impl AskedGroups {
    /// Returns the question as a user types it.
    pub fn typed(&self) -> GroupQuestion {
        let key = |(function, column): &(&str, usize)| match *function {
            "" => format!("#{column}"),
            function => called(function, &format!("#{column}")),
        };
        let keys: Vec<_> = self.keys.iter().map(key).collect();
        let mut question = GroupQuestion::new(&keys.join(",")).unwrap();
        for (name, column) in &self.aggregates {
            let (name, share, function) = parts(name);
            let kind = AggregateKind::named(name).unwrap();
            let share = share.map_or(String::new(), |share| format!("{share}:"));
            let of = key(&(function, *column));
            question.add_aggregate(kind, &(share + &of)).unwrap();
        }
        let aggregate = |nth: usize| {
            let (call, column) = &self.aggregates[nth];
            called(call, &format!("#{column}"))
        };
        for (sort, descending) in [(self.sort, None)].iter().chain(&self.then) {
            let order = match self.resolved(*sort) {
                SortedBy::Aggregate(nth) => aggregate(nth),
                SortedBy::KeyColumn(nth) => key(&self.keys[nth]),
                SortedBy::Key => "key".to_owned(),
                SortedBy::Count => "count".to_owned(),
            };
            let direction = descending.map_or("", |down| if down { " DESC" } else { " asc" });
            question.sort_by(&format!("{order}{direction}")).unwrap();
        }
        for (measure, operator, limit) in &self.having {
            let is_day = measure.is_some_and(|nth| has_days(&self.aggregates[nth]));
            let limit = match limit.to_string() {
                day if is_day => format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]),
                _ => Hundredths(*limit).to_string(),
            };
            let measure = measure.map_or("count".to_owned(), aggregate);
            question
                .add_having(&format!("{measure}{operator}{limit}"))
                .unwrap();
        }
        if self.ascending {
            question.direction = Direction::Ascending;
        }
        question.top = self.top;
        question.row_kinds = RowKindPolicy::Count;
        question
    }

    /// Returns the order by an aggregate or a key that there is.
    fn resolved(&self, sort: SortedBy) -> SortedBy {
        match sort {
            SortedBy::Aggregate(_) if self.aggregates.is_empty() => SortedBy::Count,
            SortedBy::Aggregate(nth) => SortedBy::Aggregate(nth % self.aggregates.len()),
            SortedBy::KeyColumn(nth) => SortedBy::KeyColumn(nth % self.keys.len()),
            other => other,
        }
    }
}

/// Returns what the program found, in the twin's words.
pub fn of(grouped: &Grouped) -> Groups {
    let keys = grouped.key_names().len();
    let aggregates = grouped.aggregate_names().len();
    let shown = |value: Option<Value>| match value {
        None => NO_VALUE.to_owned(),
        Some(Value::Amount(Hundredths(hundredths))) => hundredths.to_string(),
        // Of functions that make whole numbers.
        Some(Value::Decimal(number)) if number.decimals() == 0 => {
            (number.units() * 100).to_string()
        }
        Some(Value::Date(day)) => format!("day {day}"),
        Some(Value::Count(count)) => format!("{count} values"),
        Some(other) => panic!("{other:?}"),
    };
    let row = |nth| {
        let group = grouped.group(nth);
        let keys = (0..keys).map(|nth| group.key(nth).to_vec());
        let values = (0..aggregates).map(|nth| shown(group.value(nth)));
        (keys.collect(), group.count(), values.collect())
    };
    let kinds = grouped
        .row_kinds
        .map(|kinds| (kinds.refunds, kinds.copies, kinds.memo));
    Groups {
        rows: (0..grouped.len()).map(row).collect(),
        rest: grouped.rest().map(|rest| {
            let values = rest.values.iter().map(|value| shown(*value));
            (rest.groups, rest.count, values.collect())
        }),
        distinct_groups: grouped.distinct_groups,
        left_out: grouped.left_out,
        lines: grouped.lines,
        lines_scanned: grouped.lines_scanned,
        without: (0..aggregates).map(|nth| grouped.without(nth)).collect(),
        kinds: kinds.expect("the kinds of rows were asked for"),
    }
}

impl AskedGroups {
    /// Returns keys as they are ordered: ranges by their lower bound, and others by their bytes. An order by keys has dates as in the
    /// calendar, and amounts and lengths by value, after all other values.
    fn placed(&self, key: &[Vec<u8>], by_keys: bool) -> Vec<(i128, Option<Vec<i64>>, Vec<u8>)> {
        let placed = self
            .keys
            .iter()
            .zip(key)
            .map(|((function, column), value)| {
                let text = String::from_utf8_lossy(value);
                let bound = || {
                    let bound = text.split(" to ").next()?;
                    condition::decimal(bound.trim_start_matches(">=").as_bytes())
                };
                let place = match value.first() {
                    _ if function.is_empty() && *column == 14 && by_keys => {
                        condition::date(value).map_or(0, |day| day.parse().unwrap())
                    }
                    _ if !function.starts_with("bin(") => 0,
                    None => i128::MIN,
                    Some(b'<') => i128::MIN + 1,
                    Some(_) => bound().unwrap().parse().unwrap(),
                };
                let is_amount = function.is_empty() && *column == 15;
                let is_number = (is_amount || parts(function).0 == "len") && by_keys;
                let amount = is_number.then(|| condition::number(value)).flatten();
                (place, amount, value.clone())
            });
        placed.collect()
    }
}

/// Returns the groups of the lines of `files` for which all `conditions` hold.
pub fn groups(files: &[&[u8]], asked: &AskedGroups, conditions: &[Condition]) -> Groups {
    let all: Vec<_> = files.iter().flat_map(|bytes| lines_of(bytes)).collect();
    let holds = |line: &&[u8]| conditions.iter().all(|condition| condition.holds(line));
    let lines: Vec<_> = all.iter().copied().filter(holds).collect();
    let mut by_key: BTreeMap<Vec<Vec<u8>>, Vec<&[u8]>> = BTreeMap::new();
    for line in &lines {
        let part = |(function, number): &(&str, usize)| key(function, column(line, *number));
        let keys = asked.keys.iter().map(part).collect();
        by_key.entry(keys).or_default().push(line);
    }
    let mut rows = Vec::new();
    for (key, lines) in by_key {
        let values = asked
            .aggregates
            .iter()
            .map(|asked| aggregate(asked, &lines));
        let values: Vec<_> = values.collect();
        rows.push((key, lines, values));
    }
    rows.sort_by_key(|(key, ..)| asked.placed(key, false));
    // The sort is stable, so equal groups keep the order of their keys, and the last order comes first.
    for (sort, descending) in [(asked.sort, None)].iter().chain(&asked.then).rev() {
        let sign = |by_default: bool| {
            if descending.unwrap_or(by_default) {
                -1
            } else {
                1
            }
        };
        let number_sign = sign(!asked.ascending);
        match asked.resolved(*sort) {
            SortedBy::Aggregate(nth) => rows.sort_by(|(_, _, one), (_, _, other)| {
                let (one, other) = (&one[nth].0, &other[nth].0);
                let directed =
                    |number: &Option<i128>| number.map(|number| Descending(number, number_sign));
                one.is_none()
                    .cmp(&other.is_none())
                    .then(directed(one).cmp(&directed(other)))
            }),
            SortedBy::Count => rows.sort_by_key(|(_, lines, _)| number_sign * lines.len() as i64),
            SortedBy::Key => rows.sort_by(|(one, ..), (other, ..)| {
                let (one, other) = (asked.placed(one, true), asked.placed(other, true));
                if sign(false) > 0 {
                    one.cmp(&other)
                } else {
                    other.cmp(&one)
                }
            }),
            SortedBy::KeyColumn(nth) => rows.sort_by(|(one, ..), (other, ..)| {
                let (one, other) = (
                    &asked.placed(one, true)[nth],
                    &asked.placed(other, true)[nth],
                );
                if sign(false) > 0 {
                    one.cmp(other)
                } else {
                    other.cmp(one)
                }
            }),
        }
    }
    let distinct_groups = rows.len() as u64;
    let holds = |lines: &[&[u8]], values: &[(Option<i128>, String)]| {
        asked.having.iter().all(|(measure, operator, limit)| {
            let value = match measure {
                None => Some(100 * lines.len() as i128),
                Some(nth) if parts(asked.aggregates[*nth].0).0 == "distinct" => {
                    values[*nth].0.map(|n| 100 * n)
                }
                Some(nth) => values[*nth].0,
            };
            value.is_some_and(|value| match *operator {
                "=" => value == *limit,
                "!=" => value != *limit,
                "<" => value < *limit,
                "<=" => value <= *limit,
                ">" => value > *limit,
                ">=" => value >= *limit,
                other => panic!("{other} is no operator"),
            })
        })
    };
    let (mut rows, mut cut): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|(_, lines, values)| holds(lines, values));
    let left_out = cut.len() as u64;
    cut.extend(rows.split_off(asked.top.unwrap_or(usize::MAX).min(rows.len())));
    let rest_lines: Vec<_> = cut.iter().flat_map(|(_, lines, _)| lines.clone()).collect();
    let rest_values = asked.aggregates.iter().map(|asked| match parts(asked.0).0 {
        "distinct" => NO_VALUE.to_owned(),
        _ => aggregate(asked, &rest_lines).1,
    });
    let rest_values = rest_values.collect();
    let of_kind = |number: usize, kinds: &str| {
        let is_one = |line: &&&[u8]| {
            let found = column(line, number);
            kinds.split(' ').any(|kind| kind.as_bytes() == found)
        };
        lines.iter().filter(is_one).count() as u64
    };
    let texts = |values: Vec<(Option<i128>, String)>| values.into_iter().map(|(_, text)| text);
    Groups {
        rows: rows
            .into_iter()
            .map(|(key, lines, values)| (key, lines.len() as u64, texts(values).collect()))
            .collect(),
        rest: (!cut.is_empty()).then_some((cut.len() as u64, rest_lines.len() as u64, rest_values)),
        distinct_groups,
        left_out,
        lines: lines.len() as u64,
        lines_scanned: (!conditions.is_empty()).then_some(all.len() as u64),
        without: asked
            .aggregates
            .iter()
            .map(|asked| without(asked, &lines))
            .collect(),
        kinds: (
            of_kind(6, "20Y 21Y 22Y 22Z 23Y 28L 40Y 40Z 41Y 41Z 42Y 42Z"),
            of_kind(6, "24I 24T"),
            of_kind(19, "X"),
        ),
    }
}

/// A number that compares in a direction, without its negative, which may not exist.
#[derive(PartialEq, Eq)]
struct Descending(i128, i64);

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Descending) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Descending) -> std::cmp::Ordering {
        if self.1 > 0 {
            self.0.cmp(&other.0)
        } else {
            other.0.cmp(&self.0)
        }
    }
}

/// Amounts have fourteen digits at most.
const MOST: i128 = 100_000_000_000_000;

/// Splits an aggregate: its name, the share of a quantile, and the function of the column.
fn parts(call: &'static str) -> (&'static str, Option<&'static str>, &'static str) {
    let Some((name, of)) = call.split_once('(') else {
        return (call, None, "");
    };
    let of = of.strip_suffix(')').unwrap();
    let (share, of) = match of.split_once(':') {
        Some((share, of)) => (Some(share), of),
        None => (None, of),
    };
    (name, share, if of == "@" { "" } else { of })
}

/// Says whether the values of an aggregate are days.
pub fn has_days((call, column): &(&'static str, usize)) -> bool {
    let (name, _, function) = parts(call);
    name != "distinct" && *column == 14 && function.is_empty()
}

/// What an aggregate is of, in a line.
fn made((call, column_number): &(&'static str, usize), line: &[u8]) -> Vec<u8> {
    key(parts(call).2, column(line, *column_number))
}

/// The numbers of an aggregate: hundredths, or days.
fn numbers(asked: &(&'static str, usize), lines: &[&[u8]]) -> Vec<i128> {
    let number = |line: &&[u8]| {
        let value = made(asked, line);
        if has_days(asked) {
            condition::date(&value)?.parse().ok()
        } else {
            condition::decimal(&value)?.parse().ok()
        }
    };
    let numbers = lines.iter().filter_map(number);
    numbers
        .filter(|number: &i128| number.abs() < MOST)
        .collect()
}

fn without(asked: &(&'static str, usize), lines: &[&[u8]]) -> u64 {
    match parts(asked.0).0 {
        "distinct" => 0,
        _ => (lines.len() - numbers(asked, lines).len()) as u64,
    }
}

/// An aggregate to be sorted by and as text.
fn aggregate(asked: &(&'static str, usize), lines: &[&[u8]]) -> (Option<i128>, String) {
    let numbers = numbers(asked, lines);
    let sum = || numbers.iter().sum::<i128>();
    let (name, share, _) = parts(asked.0);
    let value = match name {
        "distinct" => {
            let values: BTreeSet<_> = lines.iter().map(|line| made(asked, line)).collect();
            let count = values.iter().filter(|value| !value.is_empty()).count();
            return (Some(count as i128), format!("{count} values"));
        }
        "sum" if !numbers.is_empty() => Some(sum()),
        "mean" if !numbers.is_empty() => {
            let (sum, count) = (sum(), numbers.len() as i128);
            let (whole, rest) = (sum.div_euclid(count), sum.rem_euclid(count));
            // Up from one half on; below zero from more than one half on.
            let up = if sum < 0 {
                2 * rest > count
            } else {
                2 * rest >= count
            };
            Some(whole + i128::from(up))
        }
        "median" if !numbers.is_empty() => {
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            let (one, other) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
            // Away from zero, as integers are cut towards it.
            let both = one + other;
            Some((both + both.signum()) / 2)
        }
        "min" => numbers.iter().min().copied(),
        "max" => numbers.iter().max().copied(),
        "quantile" if !numbers.is_empty() => {
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            // The first number that so many are not above.
            let reached = |nth: &usize| (nth + 1) as f64 / sorted.len() as f64;
            let least: f64 = share.unwrap().parse().unwrap();
            let nth = (0..sorted.len()).find(|nth| reached(nth) >= least - 1e-12);
            Some(sorted[nth.unwrap()])
        }
        "sum" | "mean" | "median" | "quantile" => None,
        other => panic!("{other} is no aggregate"),
    };
    let text = match value {
        None => NO_VALUE.to_owned(),
        Some(day) if has_days(asked) => format!("day {day}"),
        Some(number) => number.to_string(),
    };
    (value, text)
}
