//! Groups of rows: what `by` lists, and what all groups have together.

mod row_kinds;

use std::fmt;

pub use self::row_kinds::{CountKinds, RowKinds};
use crate::fec::texts::decoded;
use crate::fold::{FileLines, Folded};
use crate::sql::{AllGroups, GroupQuestion, ResultRows, Type, Value};

/// Stands for the empty value of a key, where people read it.
pub(crate) const EMPTY: &str = "(empty)";

/// Groups in their order, cut to [`GroupBy::top`](crate::GroupBy::top).
///
/// ```
/// let rows = fecscan::scan(["fixtures/generated.txt"]);
/// let top = rows.group_by("STATE")?.aggregate("max(amount)")?.top(1).run()?;
/// assert_eq!((top.lines, top.len()), (100, 1));
/// assert_eq!(top.aggregate_names(), ["max(amount)"]);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Grouped {
    pub(crate) question: GroupQuestion,
    /// The inputs, in the order given.
    pub files: Vec<FileLines>,
    /// The number of rows of all groups: lines that meet the conditions, once for each partner in joined files.
    pub lines: u64,
    /// The number of all lines, if a condition chose among them.
    pub lines_scanned: Option<u64>,
    /// The number of rows with another number of columns than the schema's, whose values may stand in other columns.
    pub odd_rows: u64,
    /// The refunds, conduit copies and memo rows among the rows, if they were counted.
    pub(crate) row_kinds: Option<RowKinds>,
    /// The keys, the count, and the aggregates of each group that is listed.
    pub(crate) rows: ResultRows,
    /// The lines of the inputs that the scan has kept, and all that it has seen if it chose.
    pub(crate) read: (u64, Option<u64>),
    all: AllGroups,
    rest: Option<Rest>,
}

/// What is known of the inputs of groups.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct Inputs {
    pub(crate) files: Vec<FileLines>,
    pub(crate) lines: u64,
    pub(crate) lines_scanned: Option<u64>,
    pub(crate) odd_rows: u64,
    pub(crate) row_kinds: Option<RowKinds>,
}

impl Inputs {
    pub fn of<P>(folded: &Folded<P>) -> Inputs {
        Inputs {
            files: folded.files.clone(),
            lines: folded.lines,
            lines_scanned: folded.lines_scanned,
            odd_rows: folded.odd_rows,
            row_kinds: None,
        }
    }
}

/// A group.
///
/// ```
/// use fecscan::Value;
/// let top = fecscan::scan(["fixtures/generated.txt"]).group_by("STATE")?.run()?;
/// let first = top.group(0);
/// assert_eq!((first.key(0), first.count()), (Value::from("CA"), 16));
/// assert_eq!(first.to_string(), "CA, count 16");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    grouped: &'a Grouped,
    nth: usize,
}

/// The groups that are not listed, as one.
///
/// ```
/// let top = fecscan::scan(["fixtures/generated.txt"]).group_by("STATE")?.top(1).run()?;
/// let rest = top.rest().expect("there are other states");
/// assert_eq!(rest.count, 84);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rest {
    /// The number of groups.
    pub groups: u64,
    /// The number of their rows.
    pub count: u64,
    /// The value of each aggregate over all of their rows, of sums and counts. Others can't be told from those of groups, and are NULL.
    pub values: Vec<Value>,
}

impl Grouped {
    #[doc(hidden)]
    pub fn new(question: GroupQuestion, inputs: Inputs, rows: ResultRows) -> Grouped {
        let all = rows.all_groups.clone().unwrap_or(AllGroups {
            groups: rows.len() as u64,
            sums: vec![None; rows.titles().len()],
            values: vec![0; rows.titles().len()],
        });
        let scanned = inputs.lines_scanned.unwrap_or(inputs.lines);
        let is_chosen = inputs.lines_scanned.is_some();
        let mut grouped = Grouped {
            lines: rows.kept,
            lines_scanned: (is_chosen || rows.kept != scanned).then_some(scanned),
            question,
            read: (inputs.lines, inputs.lines_scanned),
            files: inputs.files,
            odd_rows: inputs.odd_rows,
            // They were counted before rows were joined and chosen by joined columns.
            row_kinds: inputs.row_kinds.filter(|_| rows.kept == inputs.lines),
            rows,
            all,
            rest: None,
        };
        grouped.rest = grouped.make_rest();
        grouped
    }

    fn make_rest(&self) -> Option<Rest> {
        let groups = self.all.groups - self.len() as u64;
        if groups == 0 {
            return None;
        }
        let first = self.question.keys() + 1;
        let aggregates = 0..self.question.aggregates();
        let values = aggregates.map(|nth| {
            let column = first + nth;
            let values = |row: &usize| self.rows.value(*row, column) != Value::Null;
            let listed = (0..self.len()).filter(values).count() as u64;
            if self.all.values.get(column) == Some(&listed) {
                return Value::Null;
            }
            let all = self.total(nth);
            let listed = self.listed(column);
            match (all.zip(listed), self.rows.gives(column)) {
                (Some((all, listed)), Type::Decimal(_, scale)) => Value::Decimal {
                    units: all - listed,
                    scale,
                },
                (Some((all, listed)), _) => Value::Whole(all - listed),
                (None, _) => Value::Null,
            }
        });
        let count = self.iter().map(Group::count).sum::<u64>();
        Some(Rest {
            groups,
            count: self.lines.saturating_sub(count),
            values: values.collect(),
        })
    }

    /// Returns the sum of a column of the groups that are listed.
    fn listed(&self, column: usize) -> Option<i128> {
        (0..self.len()).try_fold(0_i128, |sum, row| {
            sum.checked_add(units(&self.rows.value(row, column)).unwrap_or(0))
        })
    }

    /// Returns the value of an aggregate over all rows, in units of its last decimal, if it adds up over groups.
    pub(crate) fn total(&self, nth: usize) -> Option<i128> {
        let column = self.question.keys() + 1 + nth;
        let total = self.all.sums[column];
        total.filter(|_| self.question.adds_up(nth))
    }

    /// Says whether the values of an aggregate are texts or the like, and no numbers.
    pub(crate) fn aligns_left(&self, nth: usize) -> bool {
        let of = self.rows.gives(self.question.keys() + 1 + nth);
        matches!(of, Type::Varchar | Type::Date | Type::Boolean | Type::Null)
    }

    /// Returns the number of groups, after the cut.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Says whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of all groups, cut or not.
    pub fn distinct_groups(&self) -> u64 {
        self.all.groups
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

    /// Returns the groups that are cut off, if there are any.
    pub fn rest(&self) -> Option<&Rest> {
        self.rest.as_ref()
    }

    /// Returns the names of the keys, such as `year(date)`.
    pub fn key_names(&self) -> &[String] {
        &self.rows.titles()[..self.question.keys()]
    }

    /// Returns the names of the aggregates, such as `sum(amount)`.
    pub fn aggregate_names(&self) -> &[String] {
        &self.rows.titles()[self.question.keys() + 1..]
    }
}

/// Returns an exact number in units of its last decimal.
pub(crate) fn units(value: &Value) -> Option<i128> {
    match *value {
        Value::Whole(number) => Some(number),
        Value::Decimal { units, .. } => Some(units),
        _ => None,
    }
}

impl Group<'_> {
    /// Returns the value of the key with this number.
    ///
    /// # Panics
    /// If the question has fewer keys.
    pub fn key(self, nth: usize) -> Value {
        assert!(nth < self.grouped.question.keys(), "there are fewer keys");
        self.grouped.rows.value(self.nth, nth)
    }

    /// Returns the number of rows.
    pub fn count(self) -> u64 {
        let count = self.grouped.question.keys();
        match self.grouped.rows.value(self.nth, count) {
            Value::Whole(count) => count as u64,
            _ => 0,
        }
    }

    /// Returns the value of the aggregate with this number. An aggregate of no values is NULL.
    ///
    /// # Panics
    /// If the question has fewer aggregates.
    pub fn value(self, nth: usize) -> Value {
        let column = self.grouped.question.keys() + 1 + nth;
        self.grouped.rows.value(self.nth, column)
    }
}

/// Shows the keys, the count, and the aggregates with their names: `CA, count 12, sum(amount) 3000.00`.
impl fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for nth in 0..self.grouped.question.keys() {
            match self.key(nth) {
                Value::Text(text) => write!(f, "{}, ", decoded(&text))?,
                other => write!(f, "{other}, ")?,
            }
        }
        write!(f, "count {}", self.count())?;
        for (nth, name) in self.grouped.aggregate_names().iter().enumerate() {
            write!(f, ", {name} {}", self.value(nth))?;
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
