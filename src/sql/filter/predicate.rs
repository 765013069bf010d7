//! Predicates: what the values of a row must be to pass, decided for the rows of a vector.

use std::sync::Arc;

use super::cell_map::CellMap;
use super::joined_text::JoinedText;
use super::prefix::{PrefixTest, Whole};
use super::required::Words;
use super::semi_join::SemiJoin;
use super::word_test::WordTest;
use super::words::Words as ShortTexts;
use regex::bytes::Regex;

use crate::fec::amount::integer;
use crate::fec::texts;
use crate::fold::tables::NO_NUMBER;
use crate::scan::{ROWS, Vector};
use crate::sql::evaluate::Fault;
use crate::sql::expression::{Comparison, Expression};
use crate::sql::file::columns::Reading;
use crate::sql::file::columns::numbers_of;
use crate::sql::file::{FileBatch, Read};
use crate::sql::functions::like::Like;
use crate::sql::vector::{Mask, each};

/// The cost of semi-joins and joined texts. Sums of costs are no greater.
pub(super) const JOINED_COST: u32 = u32::MAX;

/// That of expressions that may fail: all others choose the rows for them.
const FAILING_COST: u32 = 1000;

/// What the values of a row must be.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// One of these texts.
    In(Values),
    /// One of few texts of at most eight bytes, or one that begins like them.
    Short(ShortTexts),
    /// A text that begins so.
    Begins(Box<[u8]>),
    /// A text whose first eight bytes and length pass.
    Prefix(PrefixTest),
    /// A number or a day between two, both included.
    Range(Reading, [i64; 2]),
    /// A whole number of 64 bits between two, both included. Each of them is one, so none is left to stand for NULL.
    WholeRange([i64; 2]),
    /// A text that compares so, byte by byte.
    Text(Comparison, Box<[u8]>),
    /// A text that matches a pattern of LIKE, or a regular expression.
    Pattern(Arc<Pattern>),
    /// A key that leads to a row of a joined table for which conditions are true.
    SemiJoin(Arc<SemiJoin>),
    /// A key that leads to a text that another column equals, or differs from.
    JoinedText(Arc<JoinedText>),
    /// The expression is true.
    Expression(Arc<Truth>),
}

/// An expression of a row that must be true.
#[derive(Debug)]
pub(super) struct Truth {
    pub(super) expression: Expression,
    /// The columns that it reads, by their numbers in it.
    pub(super) read: Vec<Read>,
    /// Whether its value may be unknowable, as in a division by zero.
    pub(super) may_fail: bool,
    /// What decides most rows before the expression is evaluated.
    pub(super) test: Option<WordTest>,
}

/// What texts must be like.
#[derive(Debug)]
pub(super) struct Pattern {
    test: Test,
    /// Each text that passes contains one of these words.
    pub(super) words: Option<Words>,
}

#[derive(Debug)]
enum Test {
    Like(Like),
    /// In letters of either case.
    Ilike(Like),
    Regex(Regex),
}

/// A list of texts.
#[derive(Clone, Debug)]
pub(super) struct Values {
    texts: Arc<[Box<[u8]>]>,
    /// The same texts, for one look-up a value: a list of 5,000 took 646 times the time of one value before.
    map: Arc<CellMap<()>>,
}

/// What predicates need besides values, from one vector of rows to the next.
#[derive(Default)]
pub(super) struct Evaluation {
    /// Memory for texts in small letters.
    text: Vec<u8>,
    /// The rows that fail only because a condition is NULL.
    pub(super) unread: u64,
    /// The places in the vector for which a predicate is NULL.
    unknown: Vec<usize>,
    /// The rows that fail only because a predicate is NULL, as far as conditions have been tested.
    pub(super) doubtful: Vec<u32>,
    /// Why the value of a row can't be known.
    pub(super) fault: Option<Fault>,
}

impl Predicate {
    /// Ranks predicates, the cheapest lowest. Semi-joins come last, so that they count only rows that pass all others.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Predicate::Prefix(_) | Predicate::Short(_) => 0,
            Predicate::In(_) | Predicate::Begins(_) => 1,
            Predicate::Range(..) | Predicate::Text(..) => 2,
            Predicate::WholeRange(_) => 3,
            Predicate::Pattern(_) => 4,
            Predicate::Expression(truth) if truth.may_fail => FAILING_COST,
            Predicate::Expression(truth) => 5 + truth.expression.size(),
            Predicate::SemiJoin(_) | Predicate::JoinedText(_) => JOINED_COST,
        }
    }

    /// Returns the predicate of texts, as a test of prefixes if these decide.
    pub(super) fn of_texts(texts: impl IntoIterator<Item = Box<[u8]>>) -> Predicate {
        let values = Values::new(texts);
        values.prefix(Whole::Value).unwrap_or(Predicate::In(values))
    }

    /// Returns the predicate of texts that begin so.
    pub(super) fn beginning(bytes: &[u8]) -> Predicate {
        if bytes.len() <= 8 {
            Predicate::Prefix(PrefixTest::new(bytes, Whole::Prefix))
        } else {
            Predicate::Begins(bytes.into())
        }
    }

    /// Returns a test of prefixes that passes all values that this long predicate passes, and few others.
    ///
    /// `CMTE_ID = 'C00401224'` takes 0.9 of the time behind one, and a list of two 0.8.
    pub(super) fn prefix(&self) -> Option<Predicate> {
        match self {
            Predicate::In(values) => values.prefix(Whole::Prefix),
            Predicate::Begins(bytes) => {
                Some(Predicate::Prefix(PrefixTest::new(bytes, Whole::Prefix)))
            }
            _ => None,
        }
    }

    /// Decides for the first `rows` of the column that the predicate reads. Answers for further rows are noise. What reads several
    /// columns decides itself: [`Truth::decide`] and [`JoinedText::hold`].
    #[inline(always)]
    pub(super) fn hold(
        &self,
        cells: &Vector<'_>,
        rows: usize,
        evaluation: &mut Evaluation,
    ) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        let each = hold[..rows].iter_mut().enumerate();
        let each = each.map(|(nth, hold)| (nth, hold, cells.cell(nth)));
        match self {
            Predicate::Prefix(prefix) => return prefix.hold(cells),
            Predicate::SemiJoin(semi_join) => return semi_join.hold(cells, rows),
            Predicate::Short(words) => return words.lookup().hold(cells),
            Predicate::Range(reading, [least, most]) => {
                let numbers = numbers_of(cells, *reading, rows);
                let mut are_read = true;
                for (hold, number) in hold.iter_mut().zip(&numbers) {
                    *hold = (number >= least) & (number <= most);
                    are_read &= *number != NO_NUMBER;
                }
                if !are_read {
                    evaluation.add_unread(&numbers[..rows]);
                }
            }
            Predicate::WholeRange([least, most]) => {
                for (nth, hold, cell) in each {
                    match integer(cell.bytes()) {
                        Some(number) => *hold = (least <= &number) & (&number <= most),
                        None => evaluation.unknown.push(nth),
                    }
                }
            }
            Predicate::In(values) => {
                for (_, hold, cell) in each {
                    *hold = values.map.get(cell).is_some();
                }
            }
            Predicate::Begins(prefix) => {
                for (_, hold, cell) in each {
                    *hold = cell.bytes().starts_with(prefix);
                }
            }
            Predicate::Pattern(pattern) => {
                for (_, hold, cell) in each {
                    *hold = pattern.holds(cell.bytes(), &mut evaluation.text);
                }
            }
            Predicate::Text(compare, than) => {
                for (_, hold, cell) in each {
                    *hold = compare.holds(cell.bytes().cmp(than));
                }
            }
            Predicate::JoinedText(_) | Predicate::Expression(_) => {
                unreachable!("it decides for several columns")
            }
        }
        hold
    }
}

impl Pattern {
    pub(super) fn like(like: Like) -> Predicate {
        let words = Words::of_like(&like, false);
        let test = Test::Like(like);
        Predicate::Pattern(Arc::new(Pattern { test, words }))
    }

    pub(super) fn ilike(like: Like) -> Predicate {
        let words = Words::of_like(&like, true);
        let test = Test::Ilike(like);
        Predicate::Pattern(Arc::new(Pattern { test, words }))
    }

    pub(super) fn regex(regex: Regex, may_ignore_case: bool) -> Predicate {
        let words = Words::of_regex(regex.as_str(), may_ignore_case);
        let test = Test::Regex(regex);
        Predicate::Pattern(Arc::new(Pattern { test, words }))
    }

    /// Decides for a text. `small` is memory for its small letters.
    #[inline(never)]
    fn holds(&self, text: &[u8], small: &mut Vec<u8>) -> bool {
        match &self.test {
            Test::Like(like) => like.is_met_by(text),
            Test::Ilike(like) => {
                small.clear();
                texts::lower(text, small);
                like.is_met_by(small)
            }
            Test::Regex(regex) => regex.is_match(text),
        }
    }
}

impl Truth {
    /// Decides for the rows of a mask, of the first `rows` of the columns that the expression reads.
    #[inline(never)]
    pub(super) fn decide(
        &self,
        columns: Vec<Vector<'_>>,
        rows: usize,
        all: Mask,
        hold: &mut [bool; ROWS],
        evaluation: &mut Evaluation,
    ) {
        let batch = FileBatch::of(columns, rows, &self.read);
        match self.expression.values(&batch, all) {
            Ok(values) => {
                each(values.is_true() & all, |row| hold[row] = true);
                each(!values.valid & all, |row| {
                    evaluation.unknown.push(row);
                });
            }
            Err(fault) => evaluation.fault = Some(fault),
        }
    }
}

impl Evaluation {
    /// Adds the places of values that are no numbers.
    #[cold]
    #[inline(never)]
    fn add_unread(&mut self, numbers: &[i64]) {
        let unread = numbers.iter().enumerate();
        let unread = unread.filter(|(_, number)| **number == NO_NUMBER);
        self.unknown.extend(unread.map(|(nth, _)| nth));
    }

    /// Says whether some rows need [`Evaluation::settle`].
    #[inline(always)]
    pub(super) fn has_unknown(&self) -> bool {
        self.unknown.len() + self.doubtful.len() > 0
    }

    /// Lets rows whose condition is NULL pass until the last condition, which fails and counts them. So the count does not depend on the order of
    /// conditions. `row` returns the number of a row in the block.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(
        &mut self,
        hold: &[bool],
        one_holds: &mut [bool; ROWS],
        row: &dyn Fn(usize) -> u32,
        is_last: bool,
    ) {
        for place in self.unknown.drain(..) {
            if !one_holds[place] {
                one_holds[place] = true;
                self.doubtful.push(row(place));
            }
        }
        if !is_last {
            return;
        }
        for (place, (hold, one_holds)) in hold.iter().zip(one_holds).enumerate() {
            if *hold && *one_holds && self.doubtful.contains(&row(place)) {
                *one_holds = false;
                self.unread += 1;
            }
        }
        self.doubtful.clear();
    }
}

impl Values {
    fn new(texts: impl IntoIterator<Item = Box<[u8]>>) -> Values {
        let texts: Arc<[_]> = texts.into_iter().collect();
        Values {
            map: Arc::new(CellMap::new(texts.iter().map(|text| (&**text, ())))),
            texts,
        }
    }

    /// Returns a test of the first eight bytes, or of whole values if none is longer. Many values have no such test.
    fn prefix(&self, of: Whole) -> Option<Predicate> {
        let longest = match of {
            Whole::Value if self.texts.iter().all(|text| text.len() <= 8) => usize::MAX,
            Whole::Value => return None,
            Whole::Prefix => 8,
        };
        match &self.texts[..] {
            [text] => Some(Predicate::Prefix(PrefixTest::new(text, Whole::Value))),
            texts => ShortTexts::new(texts, longest).map(Predicate::Short),
        }
    }
}
