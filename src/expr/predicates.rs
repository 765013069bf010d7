//! The tests of a filter, run on the columns of a block.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use ahash::RandomState;
use regex::bytes::Regex;

use super::cell_map::CellMap;
use super::head_tests::{ChooseByHeads, Head, HeadTest};
use super::ids::{ChooseById, IdTest, Ids};
use super::words::Words;
use crate::expr::{KeyFunction, append};
use crate::fec::date;
use crate::fec::schema::Schema;
use crate::scan::Cell;
use crate::scan::Rows;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{FilterCounts, ROWS, RowFilter, Vector};

/// A filter whose columns are known by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    columns: Vec<usize>,
    /// The tests that run first, each with the place of its column in `columns`.
    head_tests: Vec<(usize, HeadTest)>,
    /// The others, the cheapest first.
    tests: Vec<(usize, Test)>,
    /// The tests of identifiers, which run last.
    id_tests: Vec<IdTest>,
}

impl Predicates {
    /// Adds a test of `column`. Callers add cheap tests first.
    ///
    /// Before long values come tests of their heads: `CMTE_ID=C00401224` takes 0.9 of the time then, and
    /// a list of two 0.8.
    pub(super) fn push(&mut self, column: usize, test: Test) {
        let nth = self.place(column);
        self.head_tests
            .extend(test.of_heads().map(|test| (nth, test)));
        if !matches!(test, Test::OfHeads(_)) {
            self.tests.push((nth, test));
        }
    }

    /// Adds a test of the identifiers in `column`, which lead to the joined file of `schema`.
    pub(super) fn push_ids(&mut self, column: usize, ids: Ids, schema: Schema) {
        let nth = self.place(column);
        self.id_tests.push(IdTest::new(nth, ids, schema));
    }

    /// Returns the place of `column` in [`Predicates::columns`].
    fn place(&mut self, column: usize) -> usize {
        let known = self.columns.iter().position(|&known| known == column);
        known.unwrap_or_else(|| {
            self.columns.push(column);
            self.columns.len() - 1
        })
    }

    /// Returns the column of each test, in the order in which they run.
    #[cfg(test)]
    pub(super) fn tested_columns(&self) -> impl Iterator<Item = usize> {
        let of_heads = self.head_tests.iter().map(|(nth, _)| nth);
        let others = self.tests.iter().map(|(nth, _)| nth);
        of_heads.chain(others).map(|&nth| self.columns[nth])
    }
}

impl RowFilter for Predicates {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Counts the rows without a partner before the tests of identifiers drop any.
    ///
    /// Tests of heads run together on a few rows at a time. Each further test, the cheapest first, runs over the rows that
    /// are left, without a branch on an outcome.
    fn keep(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> FilterCounts {
        let mut are_all = true;
        if !self.head_tests.is_empty() {
            are_all = false;
            rows.dispatch(ChooseByHeads {
                rows,
                tests: &self.head_tests,
                kept,
            });
        }
        for (column, test) in &self.tests {
            let are_all = mem::take(&mut are_all);
            match test {
                Test::Made(function, test) => {
                    choose(rows, *column, &Made::new(*function, test), are_all, kept);
                }
                &Test::Number(compare, than) => {
                    choose(rows, *column, &Number { compare, than }, are_all, kept);
                }
                Test::In(values) => choose(rows, *column, values, are_all, kept),
                Test::NotIn(values) => choose(rows, *column, &Not(values), are_all, kept),
                test => choose(rows, *column, test, are_all, kept),
            }
        }
        if self.id_tests.is_empty() {
            return FilterCounts::default();
        }
        rows.dispatch(ChooseById {
            rows,
            tests: &self.id_tests,
            is_first: are_all,
            kept,
        })
    }
}

/// Chooses rows by one test: all of them, or those in `kept`.
fn choose<T: Holds>(rows: &Rows<'_>, column: usize, test: &T, are_all: bool, kept: &mut Vec<u32>) {
    rows.dispatch(Choose {
        rows,
        column,
        test,
        are_all,
        kept,
    });
}

struct Choose<'a, 'r, T> {
    rows: &'a Rows<'r>,
    column: usize,
    test: &'a T,
    are_all: bool,
    kept: &'a mut Vec<u32>,
}

impl<T: Holds> Kernel for Choose<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Choose {
            rows,
            column,
            test,
            are_all,
            kept,
        } = self;
        if are_all {
            kept.clear();
            kept.extend(0..rows.len() as u32);
        }
        let mut cells = Vector::new(&[]);
        let mut count = 0;
        for start in (0..kept.len()).step_by(ROWS) {
            let end = kept.len().min(start + ROWS);
            rows.read_some(column, &kept[start..end], &mut cells);
            for nth in start..end {
                kept[count] = kept[nth];
                count += usize::from(test.holds(cells.cell(nth - start)));
            }
        }
        kept.truncate(count);
    }
}

/// A test of a column. A trait, because the compiler does not inline closures with several callers.
pub(super) trait Holds {
    fn holds(&self, cell: Cell<'_>) -> bool;
}

/// What the bytes of a column must be.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// One of these values.
    In(Values),
    /// Any other value.
    NotIn(Values),
    /// What its first bytes decide.
    OfHeads(HeadTest),
    /// A value that begins so.
    Prefix(Box<[u8]>),
    /// A number in hundredths that compares so. Other text fails.
    Number(Compare, i128),
    /// A date that compares so.
    Date(Compare, u32),
    /// A text that compares so, byte by byte. An empty one fails.
    Text(Compare, Box<[u8]>),
    Matches(Regex),
    MatchesNot(Regex),
    /// What the function makes of the column passes this test.
    Made(KeyFunction, Box<Test>),
}

/// A list of values.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub(super) texts: Arc<[Box<[u8]>]>,
    /// The same texts, for one look-up a column: a list of 5,000 took 646 times the time of one value before.
    map: Arc<CellMap<()>>,
    /// The texts that are dates such as 2018-01-31. Only columns of dates have them.
    pub(super) days: HashSet<u32, RandomState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Test {
    /// Ranks tests, the cheapest lowest.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Test::OfHeads(_) => 0,
            Test::In(_) | Test::NotIn(_) | Test::Prefix(_) => 1,
            Test::Number(..) | Test::Date(..) | Test::Text(..) => 2,
            Test::Matches(_) | Test::MatchesNot(_) => 6,
            Test::Made(function, test) => {
                let cost = function.entry().map_or(0, |function| function.cost);
                cost + test.cost()
            }
        }
    }

    /// Returns a test of heads that passes all columns that this test passes, and perhaps more.
    fn of_heads(&self) -> Option<HeadTest> {
        match self {
            Test::In(values) => match &values.texts[..] {
                [text] if values.days.is_empty() => Head::of_long(text).map(HeadTest::Head),
                _ => Words::of_heads(values).map(HeadTest::OneOf),
            },
            Test::Prefix(bytes) => Head::before_long(bytes).map(HeadTest::Head),
            Test::OfHeads(test) => Some(test.clone()),
            _ => None,
        }
    }

    #[inline(never)]
    pub(super) fn hold(&self, bytes: &[u8]) -> bool {
        match self {
            Test::In(values) => values.holds(Cell::from(bytes)),
            Test::OfHeads(test) => test.holds(Cell::from(bytes)),
            Test::NotIn(values) => !values.holds(Cell::from(bytes)),
            Test::Prefix(prefix) => bytes.starts_with(prefix),
            &Test::Number(compare, than) => Number { compare, than }.holds(Cell::from(bytes)),
            Test::Date(compare, than) => {
                date::of_column(bytes).is_some_and(|date| compare.holds(date.cmp(than)))
            }
            Test::Text(compare, than) => !bytes.is_empty() && compare.holds(bytes.cmp(than)),
            Test::Matches(expression) => expression.is_match(bytes),
            Test::MatchesNot(expression) => !expression.is_match(bytes),
            Test::Made(function, test) => Made::new(*function, test).holds(Cell::from(bytes)),
        }
    }
}

impl Holds for Test {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        self.hold(&cell)
    }
}

/// A test of a number. A short one is read without a call: `TRANSACTION_AMT>=1000` takes 0.54 of the time.
struct Number {
    compare: Compare,
    than: i128,
}

impl Holds for Number {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let number = cell.hundredths();
        number.is_some_and(|number| self.compare.holds(number.0.cmp(&self.than)))
    }
}

/// A test of the value that a function makes.
struct Made<'t> {
    function: KeyFunction,
    test: &'t Test,
    /// Memory for the value, the same for all rows.
    value: RefCell<Vec<u8>>,
}

impl<'t> Made<'t> {
    fn new(function: KeyFunction, test: &'t Test) -> Made<'t> {
        Made {
            function,
            test,
            value: RefCell::default(),
        }
    }
}

impl Holds for Made<'_> {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let mut value = self.value.borrow_mut();
        value.clear();
        append(self.function, cell, &mut value);
        self.test.hold(&value)
    }
}

impl Values {
    pub(super) fn new(texts: impl IntoIterator<Item = Box<[u8]>>) -> Values {
        let texts: Arc<[_]> = texts.into_iter().collect();
        Values {
            map: Arc::new(CellMap::new(texts.iter().map(|text| (&**text, ())))),
            texts,
            days: HashSet::default(),
        }
    }

    /// Returns the same for a column that holds dates or does not.
    pub(super) fn of_column(&self, holds_dates: bool) -> Values {
        let texts = self.texts.iter().filter(|_| holds_dates);
        Values {
            days: texts.filter_map(|text| date::of_iso(text)).collect(),
            ..self.clone()
        }
    }
}

impl Holds for Values {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let is_day = || date::of_column(&cell).is_some_and(|day| self.days.contains(&day));
        self.map.get(cell).is_some() || !self.days.is_empty() && is_day()
    }
}

/// Any other value.
struct Not<'v>(&'v Values);

impl Holds for Not<'_> {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        !self.0.holds(cell)
    }
}

impl Compare {
    #[inline(always)]
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Compare::Less => ordering.is_lt(),
            Compare::AtMost => ordering.is_le(),
            Compare::Greater => ordering.is_gt(),
            Compare::AtLeast => ordering.is_ge(),
        }
    }
}
