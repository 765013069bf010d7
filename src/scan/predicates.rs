//! The tests of a filter, run on the columns of a block.

use std::cmp::Ordering;

use regex::bytes::Regex;

use super::cell::Cell;
use super::rows::Rows;
use crate::fec::amount::hundredths;
use crate::fec::date;

/// A filter whose columns are known by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    columns: Vec<usize>,
    /// The tests, the cheapest first, each with the place of its column in `columns`.
    tests: Vec<(usize, Test)>,
}

impl Predicates {
    /// Adds a test of `column`. Callers add cheap tests first.
    pub(super) fn push(&mut self, column: usize, test: Test) {
        let known = self.columns.iter().position(|&known| known == column);
        let nth = known.unwrap_or_else(|| {
            self.columns.push(column);
            self.columns.len() - 1
        });
        self.tests.push((nth, test));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Stores in `kept` which of `rows` pass all tests. The columns located are
    /// [`Predicates::columns`]. A column that the line does not have counts as empty.
    ///
    /// The cheapest test runs over all rows, with no branch on its outcome, and the others over the rows
    /// that are left.
    pub(super) fn keep(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) {
        let Some(((column, first), others)) = self.tests.split_first() else {
            return;
        };
        match first {
            Test::OneOf(words) => match words.0[..] {
                [word] => choose(rows, *column, kept, |cell| word == Word::of(cell)),
                _ => choose(rows, *column, kept, |cell| words.hold(cell)),
            },
            test => choose(rows, *column, kept, |cell| test.holds(&cell)),
        }
        if !others.is_empty() {
            kept.retain(|&nth| {
                let row = rows.row(nth as usize);
                let holds = |(column, test): &(usize, Test)| {
                    test.holds(row.column(*column).unwrap_or_default())
                };
                others.iter().all(holds)
            });
        }
    }
}

/// Stores in `kept` for which of `rows` the `column` is as it should be.
#[inline]
fn choose(rows: &Rows<'_>, column: usize, kept: &mut Vec<u32>, holds: impl Fn(Cell<'_>) -> bool) {
    kept.resize(rows.len(), 0);
    let mut count = 0;
    for (nth, row) in rows.iter().enumerate() {
        kept[count] = nth as u32;
        count += usize::from(holds(row.cell(column)));
    }
    kept.truncate(count);
}

/// What the bytes of a column must be.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// One of these values.
    In(Values),
    /// One of these short values.
    OneOf(Words),
    /// Any other value.
    NotIn(Values),
    Prefix(Box<[u8]>),
    /// A number in hundredths that compares so. Other text fails.
    Number(Compare, i128),
    /// A date that compares so.
    Date(Compare, u32),
    Matches(Regex),
    MatchesNot(Regex),
}

/// A list of values.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) texts: Vec<Box<[u8]>>,
    /// The texts that are dates such as 2018-01-31. Only columns of dates have them.
    pub(super) days: Vec<u32>,
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
            Test::Prefix(_) | Test::OneOf(_) => 0,
            Test::In(_) | Test::NotIn(_) => 1,
            Test::Number(..) | Test::Date(..) => 2,
            Test::Matches(_) | Test::MatchesNot(_) => 3,
        }
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        match self {
            Test::In(values) => values.hold(bytes),
            Test::OneOf(words) => words.hold(Cell::from(bytes)),
            Test::NotIn(values) => !values.hold(bytes),
            Test::Prefix(prefix) => bytes.starts_with(prefix),
            Test::Number(compare, than) => {
                hundredths(bytes).is_some_and(|number| compare.holds(number.cmp(than)))
            }
            Test::Date(compare, than) => {
                date::of_column(bytes).is_some_and(|date| compare.holds(date.cmp(than)))
            }
            Test::Matches(expression) => expression.is_match(bytes),
            Test::MatchesNot(expression) => !expression.is_match(bytes),
        }
    }
}

impl Values {
    pub(super) fn with_days(&self) -> Values {
        let days = self.texts.iter().filter_map(|text| date::of_iso(text));
        Values {
            texts: self.texts.clone(),
            days: days.collect(),
        }
    }

    #[inline(always)]
    fn hold(&self, bytes: &[u8]) -> bool {
        let is_day = || date::of_column(bytes).is_some_and(|day| self.days.contains(&day));
        self.texts.iter().any(|text| **text == *bytes) || !self.days.is_empty() && is_day()
    }
}

impl Compare {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Compare::Less => ordering.is_lt(),
            Compare::AtMost => ordering.is_le(),
            Compare::Greater => ordering.is_gt(),
            Compare::AtLeast => ordering.is_ge(),
        }
    }
}

/// Values of at most eight bytes.
#[derive(Clone, Debug)]
pub(super) struct Words(Vec<Word>);

/// A value of at most eight bytes as a number, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    word: u64,
    length: usize,
}

impl Word {
    /// Returns the value in a cell. A longer one equals no other.
    #[inline(always)]
    fn of(cell: Cell<'_>) -> Word {
        Word {
            word: cell.word().unwrap_or(0),
            length: cell.len(),
        }
    }
}

impl Words {
    /// Returns the values, if all of them are short, and none is a date.
    pub(super) fn new(values: &Values) -> Option<Words> {
        let are_short = values.texts.iter().all(|text| text.len() <= 8);
        let is_short = are_short && values.days.is_empty();
        let words = values
            .texts
            .iter()
            .map(|text| Word::of(Cell::from(&text[..])));
        is_short.then(|| Words(words.collect()))
    }

    #[inline(always)]
    fn hold(&self, cell: Cell<'_>) -> bool {
        let found = Word::of(cell);
        let known = self.0.iter();
        known.fold(false, |any, known| any | (*known == found))
    }
}
