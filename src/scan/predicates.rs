//! The tests of a filter, run on the columns of a block.

use std::cmp::Ordering;

use regex::bytes::Regex;

use super::cell::Cell;
use super::ids::{ChooseById, IdTest, Ids};
use super::rows::Rows;
use super::simd::{Kernel, Level};
use crate::fec::amount::hundredths;
use crate::fec::date;
use crate::fec::schema::Schema;
use crate::join::RowsWithoutPartner;

/// A filter whose columns are known by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    columns: Vec<usize>,
    /// The tests, the cheapest first, each with the place of its column in `columns`.
    tests: Vec<(usize, Test)>,
    /// The tests of identifiers, which run last.
    id_tests: Vec<IdTest>,
}

impl Predicates {
    /// Adds a test of `column`. Callers add cheap tests first.
    pub(super) fn push(&mut self, column: usize, test: Test) {
        let nth = self.place(column);
        self.tests.push((nth, test));
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

    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.id_tests.is_empty()
    }

    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Stores in `kept` which of `rows` pass all tests. The columns located are
    /// [`Predicates::columns`]. A column that the line does not have counts as empty. Counts the rows without
    /// a partner before the tests of identifiers drop any.
    ///
    /// The cheapest test runs over all rows, and each further one over the rows that are left. No branch
    /// depends on an outcome.
    pub(super) fn keep(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> RowsWithoutPartner {
        let rows = rows.located();
        for (nth, (column, test)) in self.tests.iter().enumerate() {
            rows.simd.dispatch(Choose {
                rows: &rows,
                column: *column,
                test,
                is_first: nth == 0,
                kept,
            });
        }
        if self.id_tests.is_empty() {
            return RowsWithoutPartner::default();
        }
        rows.simd.dispatch(ChooseById {
            rows: &rows,
            tests: &self.id_tests,
            is_first: self.tests.is_empty(),
            kept,
        })
    }
}

/// Chooses rows by one test.
struct Choose<'a, 'r> {
    rows: &'a Rows<'r>,
    column: usize,
    test: &'a Test,
    /// All rows are tested, not those in `kept`.
    is_first: bool,
    kept: &'a mut Vec<u32>,
}

impl Kernel for Choose<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        match self.test {
            Test::OneOf(words) => self.choose(words),
            Test::Prefix(prefix) => self.choose(prefix),
            test => self.choose(test),
        }
    }
}

impl Choose<'_, '_> {
    #[inline(always)]
    fn choose(self, test: &impl Holds) {
        let Choose {
            rows,
            column,
            is_first,
            kept,
            ..
        } = self;
        let mut count = 0;
        if !is_first {
            for place in 0..kept.len() {
                let nth = kept[place];
                kept[count] = nth;
                let cell = rows.located_row(nth as usize).cell(column);
                count += usize::from(test.holds(cell));
            }
        } else {
            kept.resize(rows.len(), 0);
            if let Some(cells) = rows.columns([column]) {
                for (nth, [cell]) in cells.enumerate() {
                    kept[count] = nth as u32;
                    count += usize::from(test.holds(cell));
                }
            } else {
                for (nth, row) in rows.iter().enumerate() {
                    kept[count] = nth as u32;
                    count += usize::from(test.holds(row.cell(column)));
                }
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
    /// One of these short values.
    OneOf(Words),
    /// Any other value.
    NotIn(Values),
    Prefix(Prefix),
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

    #[inline(never)]
    pub(super) fn hold(&self, bytes: &[u8]) -> bool {
        match self {
            Test::In(values) => values.hold(bytes),
            Test::OneOf(words) => words.holds(Cell::from(bytes)),
            Test::NotIn(values) => !values.hold(bytes),
            Test::Prefix(prefix) => prefix.holds(Cell::from(bytes)),
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

impl Holds for Test {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        self.hold(&cell)
    }
}

/// What a column begins with.
#[derive(Clone, Debug)]
pub(super) struct Prefix {
    bytes: Box<[u8]>,
    /// The first bytes as a number, and a mask of their bits.
    word: u64,
    mask: u64,
}

impl Prefix {
    pub(super) fn new(bytes: &[u8]) -> Prefix {
        let mut word = [0; 8];
        let length = bytes.len().min(word.len());
        word[..length].copy_from_slice(&bytes[..length]);
        Prefix {
            bytes: bytes.into(),
            word: u64::from_le_bytes(word),
            mask: u64::MAX.checked_shr(64 - 8 * length as u32).unwrap_or(0),
        }
    }
}

impl Holds for Prefix {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let length = self.bytes.len();
        match cell.first_bytes() {
            Some(first) => {
                let is_alike = u64::from_le_bytes(*first) & self.mask == self.word;
                is_alike & (cell.len() >= length) && (length <= 8 || cell.starts_with(&self.bytes))
            }
            None => cell.starts_with(&self.bytes),
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

/// Values of at most eight bytes, in a table in which each has its own place. To test a column takes one
/// comparison, however many values there are.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// A power of two.
    slots: Vec<Word>,
    factor: u64,
}

/// A value of at most eight bytes as a number, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    word: u64,
    length: usize,
}

/// No column is like this.
const NO_WORD: Word = Word {
    word: 0,
    length: usize::MAX,
};

/// The most slots, and the number of factors that are tried for each number of slots.
const SLOTS_MAX: usize = 1 << 14;
const FACTORS: u64 = 64;

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
    /// Returns the values, if all of them are short, not too many, and none is a date.
    pub(super) fn new(values: &Values) -> Option<Words> {
        let are_short = values.texts.iter().all(|text| text.len() <= 8);
        if !are_short || !values.days.is_empty() {
            return None;
        }
        let words = values.texts.iter();
        let mut words: Vec<_> = words.map(|text| Word::of(Cell::from(&text[..]))).collect();
        words.sort_unstable_by_key(|word| (word.word, word.length));
        words.dedup();
        let mut slots = words.len().next_power_of_two().max(2);
        while slots <= SLOTS_MAX {
            for nth in 0..FACTORS {
                // Any odd numbers will do, the same in all runs.
                let factor = (2 * nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                if let Some(words) = Words::with(&words, slots, factor) {
                    return Some(words);
                }
            }
            slots *= 2;
        }
        None
    }

    /// Returns the table, if no two words have the same place.
    fn with(words: &[Word], slots: usize, factor: u64) -> Option<Words> {
        let mut table = Words {
            slots: vec![NO_WORD; slots],
            factor,
        };
        for &word in words {
            let place = table.place(word.word);
            if table.slots[place] != NO_WORD {
                return None;
            }
            table.slots[place] = word;
        }
        Some(table)
    }

    #[inline(always)]
    fn place(&self, word: u64) -> usize {
        let bits = self.slots.len().trailing_zeros();
        (word.wrapping_mul(self.factor) >> (u64::BITS - bits)) as usize
    }
}

impl Holds for Words {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let word = Word::of(cell);
        self.slots[self.place(word.word)] == word
    }
}
