//! The groups of a question, ordered and cut.

use std::fmt;
use std::ops::Range;

use super::RowKinds;
use super::across::Across;
use super::bound::Reading;
use super::having::Having;
use super::partial::AggregateSource;
use super::question::GroupQuestion;
use super::ranked::Ranked;
use super::ranking::Order;
use super::term_name;
use crate::fec::amount::{DECIMALS_MAX, Decimal, Hundredths};
use crate::fec::date;
use crate::fec::schema::{AMOUNT_DECIMALS, Kind};
use crate::fec::texts::decoded;
use crate::fold::FileLines;
use crate::join::WithoutPartner;

/// Stands for the empty value of a key, where people read it.
pub(crate) const EMPTY: &str = "(empty)";

/// Groups in their order, cut to [`GroupBy::top`](crate::GroupBy::top).
///
/// ```
/// let rows = fecscan::scan(["fixtures/generated.txt"]);
/// let top = rows.group_by("STATE")?.max("amount")?.top(1).run()?;
/// assert_eq!((top.lines, top.len()), (100, 1));
/// assert_eq!(top.aggregate_names(), ["max(TRANSACTION_AMT)"]);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Grouped {
    /// The question.
    #[doc(hidden)]
    pub question: GroupQuestion,
    /// The inputs, in the order given.
    pub files: Vec<FileLines>,
    /// The number of lines that passed the filter. Each is in a group.
    pub lines: u64,
    /// The number of all lines, if a filter chose among them.
    pub lines_scanned: Option<u64>,
    /// The number of rows with another number of columns than the schema's, whose values may stand in other columns.
    pub odd_rows: u64,
    /// The number of all groups, cut or not.
    pub distinct_groups: u64,
    /// The number of groups that do not meet the conditions on groups.
    pub left_out: u64,
    /// The refunds, conduit copies and memo rows among the rows, if they were counted.
    #[doc(hidden)]
    pub row_kinds: Option<RowKinds>,
    /// The rows without a partner in a joined file whose columns are keys or values, if there are any.
    pub without_partner: Vec<WithoutPartner>,
    pub(super) key_names: Vec<String>,
    pub(super) aggregate_names: Vec<String>,
    pub(super) key_kinds: Vec<Kind>,
    pub(super) sources: Vec<AggregateSource>,
    pub(super) readings: Vec<Reading>,
    pub(super) groups: Ranked,
    /// For each column of numbers the rows without one.
    pub(super) without: Vec<u64>,
    /// The most decimals of numbers among these rows.
    pub(super) decimals: Vec<u64>,
    pub(super) rest: Option<Rest>,
    /// The values of a key as columns, after the aggregates.
    pub(super) across: Option<Across>,
}

/// A group.
///
/// ```
/// let top = fecscan::scan(["fixtures/generated.txt"]).group_by("STATE")?.run()?;
/// let first = top.group(0);
/// assert_eq!((first.key(0), first.count()), (&b"CA"[..], 16));
/// assert_eq!(first.to_string(), "CA, count 16");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    grouped: &'a Grouped,
    nth: usize,
}

/// The value of an aggregate.
///
/// ```
/// use fecscan::{Hundredths, Value};
/// let rows = fecscan::scan(["fixtures/plain.txt"]).filter("STATE = 'WA'")?;
/// let top = rows.group_by("STATE")?.sum("amount")?.distinct("NAME")?.run()?;
/// assert_eq!(top.group(0).value(0), Some(Value::Amount(Hundredths(5_000))));
/// assert_eq!(top.group(0).value(1), Some(Value::Count(1)));
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Value {
    /// An amount.
    Amount(Hundredths),
    /// A number of a column that has not two decimals.
    Decimal(Decimal),
    /// A day, `YYYYMMDD`.
    Date(u32),
    /// A number of distinct values.
    Count(u64),
}

impl Value {
    /// Returns the value that was read so.
    pub(crate) fn of(number: i128, reading: Reading) -> Value {
        match reading {
            Reading::Date => Value::Date(number as u32),
            Reading::Decimal(decimals) => Value::Decimal(Decimal {
                units: number,
                decimals,
            }),
            Reading::Whole => Value::Decimal(Decimal {
                units: number / 100,
                decimals: 0,
            }),
            Reading::Number | Reading::Untyped | Reading::Bytes => {
                Value::Amount(Hundredths(number))
            }
        }
    }

    /// Returns the value as a decimal number. A day has none.
    pub(crate) fn decimal(self) -> Option<Decimal> {
        let decimal = |units, decimals| Some(Decimal { units, decimals });
        match self {
            Value::Amount(Hundredths(hundredths)) => decimal(hundredths, 2),
            Value::Decimal(number) => Some(number),
            Value::Date(_) => None,
            Value::Count(count) => decimal(count.into(), 0),
        }
    }

    fn is_whole(self) -> bool {
        !matches!(self, Value::Amount(Hundredths(amount)) if amount % 100 != 0)
    }

    /// Returns the number by which values of one kind are ordered.
    pub(super) fn number(self) -> i128 {
        match self {
            Value::Amount(Hundredths(amount)) => amount,
            Value::Decimal(decimal) => decimal.units,
            Value::Date(date) => date.into(),
            Value::Count(count) => count.into(),
        }
    }
}

/// The groups that are not listed, as one.
///
/// ```
/// let top = fecscan::scan(["fixtures/generated.txt"]).group_by("STATE")?.top(1).run()?;
/// let rest = top.rest().expect("there are other states");
/// assert_eq!(rest.count, 84);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rest {
    /// The number of groups.
    pub groups: u64,
    /// The number of their rows.
    pub count: u64,
    /// The value of each aggregate over all of their rows. Numbers of distinct values can't be added up, so
    /// [`AggregateKind::Distinct`](super::AggregateKind::Distinct) has no value.
    pub values: Vec<Option<Value>>,
}

/// Shows the value as programs read it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Amount(amount) => amount.fmt(f),
            Value::Decimal(number) => number.fmt(f),
            Value::Date(day) => f.write_str(&date::iso(*day)),
            Value::Count(count) => count.fmt(f),
        }
    }
}

/// Shows the keys, the count, and the aggregates with their names: `CA, count 12, sum(TRANSACTION_AMT) 3000.00`.
impl fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for nth in 0..self.grouped.key_names.len() {
            write!(f, "{}, ", decoded(self.key(nth)))?;
        }
        write!(f, "count {}", self.count())?;
        for (nth, name) in self.grouped.aggregate_names.iter().enumerate() {
            match self.value(nth) {
                Some(value) => write!(f, ", {name} {value}")?,
                None => write!(f, ", {name} -")?,
            }
        }
        Ok(())
    }
}

impl<'a> IntoIterator for &'a Grouped {
    type Item = Group<'a>;
    type IntoIter = Box<dyn Iterator<Item = Group<'a>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl<'a> Group<'a> {
    /// Returns the bytes of the key with this number.
    ///
    /// # Panics
    /// If the question has fewer keys.
    pub fn key(self, nth: usize) -> &'a [u8] {
        let value = self.grouped.groups.values_of(self.nth).nth(nth);
        value.expect("the question has as many keys")
    }

    /// Returns the number of rows.
    pub fn count(self) -> u64 {
        self.grouped.groups.item(self.nth).rows()
    }

    /// Returns the value of the aggregate with this number. An aggregate of no numbers has no value, as in SQL.
    ///
    /// # Panics
    /// If the question has fewer aggregates.
    pub fn value(self, nth: usize) -> Option<Value> {
        let grouped = self.grouped;
        match (&grouped.across, nth.checked_sub(grouped.sources.len())) {
            (Some(across), Some(column)) => across.value(self.nth, column),
            _ => grouped.order().value(nth, grouped.groups.item(self.nth)),
        }
    }
}

impl Grouped {
    /// Returns the number of groups, after the cut.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Says whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the `nth` group in the final order.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn group(&self, nth: usize) -> Group<'_> {
        assert!(nth < self.len(), "there are fewer groups");
        Group { grouped: self, nth }
    }

    /// Returns the groups in the final order.
    pub fn iter(&self) -> impl Iterator<Item = Group<'_>> {
        (0..self.len()).map(|nth| self.group(nth))
    }

    /// Returns the groups that are cut off, or do not meet the conditions on groups, if there are any.
    pub fn rest(&self) -> Option<&Rest> {
        self.rest.as_ref()
    }

    /// Returns the names of the keys, such as `month(TRANSACTION_DT)`.
    pub fn key_names(&self) -> &[String] {
        &self.key_names
    }

    /// Returns the names of the aggregates, such as `sum(TRANSACTION_AMT)`. If a key goes across, its values follow.
    pub fn aggregate_names(&self) -> &[String] {
        &self.aggregate_names
    }

    /// Returns the name of the key that goes across, if one does.
    pub(crate) fn across_name(&self) -> Option<&str> {
        Some(self.across.as_ref()?.cells.key_names.last()?)
    }

    /// Returns the conditions on groups, such as `sum(TRANSACTION_AMT)>10000`.
    pub fn having(&self) -> Vec<String> {
        let shown = |having: &Having| {
            let name = term_name(having.measure, &self.key_names, &self.aggregate_names);
            having.shown(name)
        };
        self.question.having.iter().map(shown).collect()
    }

    /// Returns how to read the value of a group for the aggregate with this number, if an input was read.
    #[doc(hidden)]
    pub fn reading(&self, nth: usize) -> Option<Reading> {
        let reading = *self.readings.get(nth)?;
        let aggregate = self.question.aggregates.get(nth);
        Some(aggregate.map_or(reading, |aggregate| aggregate.kind.shown(reading).0))
    }

    /// Returns the number of rows whose value for this aggregate was no number, or no date. For
    /// [`AggregateKind::Distinct`](super::AggregateKind::Distinct) every value will do.
    pub fn without(&self, nth: usize) -> u64 {
        match self.sources.get(nth) {
            Some(&AggregateSource::States { column, .. }) => self.without[column],
            Some(AggregateSource::Distinct(_)) | None => 0,
        }
    }

    /// Returns the decimals of a type that reads all numbers of this aggregate. None if they are read, or if no type has so many decimals.
    pub(crate) fn decimals_needed(&self, nth: usize) -> Option<u64> {
        let read = match *self.readings.get(nth)? {
            Reading::Untyped | Reading::Whole => AMOUNT_DECIMALS,
            Reading::Decimal(decimals) => decimals,
            _ => return None,
        };
        let Some(&AggregateSource::States { column, .. }) = self.sources.get(nth) else {
            return None;
        };
        let needed = self.decimals[column];
        (u64::from(read) < needed && needed <= u64::from(DECIMALS_MAX)).then_some(needed)
    }

    /// Makes whole numbers of the values of columns without a type, where all values of an aggregate are. People then read `12`, not
    /// `12.00`. The columns of a key that goes across are one.
    pub fn shorten_whole_numbers(&mut self) {
        let (own, all) = (self.sources.len(), self.aggregate_names.len());
        let across = (own < all).then_some(own..all);
        for columns in (0..own).map(|nth| nth..nth + 1).chain(across) {
            if !self.are_shorter_whole(&columns) {
                continue;
            }
            let rest = self.rest.iter_mut();
            let rest = rest.flat_map(|rest| &mut rest.values[columns.clone()]);
            for value in rest.flatten() {
                *value = Value::of(value.number(), Reading::Whole);
            }
            match &mut self.across {
                Some(across) if columns.start == own => across.read(Reading::Whole),
                _ => self.readings[columns.start] = Reading::Whole,
            }
        }
    }

    /// Says whether columns without a type have whole numbers only.
    fn are_shorter_whole(&self, columns: &Range<usize>) -> bool {
        let rest = self.rest.iter();
        let mut rest = rest.flat_map(|rest| rest.values[columns.clone()].iter().flatten());
        let mut values = self
            .iter()
            .flat_map(|group| columns.clone().filter_map(move |nth| group.value(nth)));
        self.reading(columns.start) == Some(Reading::Untyped)
            && rest.all(|value| value.is_whole())
            && values.all(Value::is_whole)
    }

    pub(super) fn order(&self) -> Order<'_> {
        Order::new(self, &[])
    }
}
