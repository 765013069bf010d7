//! Predicates: what a value must be to pass, decided for one value, or for the rows of a vector.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use ahash::RandomState;
use regex::bytes::Regex;

use super::cell_map::CellMap;
use super::pair::Pair;
use super::prefix::{PrefixTest, Whole};
use super::unread::Unread;
use super::words::Words;
use crate::expr::{Key, KeyFunction, append};
use crate::fec::date;
use crate::fec::number::Number;
use crate::fec::schema::Kind;
use crate::scan::{Cell, FilterCounts, Needles, ROWS, Vector};

/// The cost of predicates of joined files. Sums of costs are no greater.
pub(super) const JOINED_COST: u32 = u32::MAX;

/// The fewest bytes that are searched for: shorter texts are in most blocks.
const REQUIRED_BYTES: usize = 3;

/// The most words that are searched for. Each takes as long as the first.
const REQUIRED_MAX: usize = 8;

/// What a value must be.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// One of these values.
    In(Values),
    /// One of few values of at most eight bytes, or one that begins like them.
    Short(Words),
    /// A value that begins so.
    Begins(Box<[u8]>),
    /// A value whose first eight bytes and length pass.
    Prefix(PrefixTest),
    /// A number that compares so. Other text fails.
    Number(Compare, Number),
    /// A date that compares so.
    Date(Compare, u32),
    /// A text that compares so, byte by byte. An empty one fails.
    Text(Compare, Box<[u8]>),
    /// A value in which the expression is found.
    Matches(Regex),
    /// One that compares so with what another key makes of the same row. Needs columns of a schema.
    Key(Compare, Key),
    /// The same, bound to a schema.
    Pair(Arc<Pair>),
    /// The function's value passes.
    Derived(KeyFunction, Box<Predicate>),
    /// An identifier that leads to a row which passes. The place of the joined file in [`FilterCounts`]; none if another predicate counts
    /// its rows without a partner.
    Joined(Arc<JoinedIds>, Option<usize>),
}

/// A list of values.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub(super) texts: Arc<[Box<[u8]>]>,
    /// The same texts, for one look-up a value: a list of 5,000 took 646 times the time of one value before.
    map: Arc<CellMap<()>>,
    /// The texts that are dates such as 2018-01-31. Only columns of dates have them.
    days: HashSet<u32, RandomState>,
    /// The texts that are whole numbers of hundredths. Only columns of numbers have them.
    hundredths: HashSet<i128, RandomState>,
    /// The texts that are other numbers.
    numbers: HashSet<Number, RandomState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The identifiers that have a row in a joined file. A condition on its columns is decided once for each.
#[derive(Debug)]
pub(super) struct JoinedIds {
    /// Makes the identifier of the column.
    pub(super) function: KeyFunction,
    /// Whether the row passes. None means that its value is no number or date.
    pub(super) verdicts: CellMap<Option<bool>>,
    /// Whether rows without a partner pass.
    pub(super) others: bool,
}

/// What predicates need besides values, from one vector of rows to the next.
#[derive(Default)]
pub(super) struct Evaluation {
    /// Memory for derived values.
    pub(super) value: Vec<u8>,
    pub(super) other: Vec<u8>,
    pub(super) counts: FilterCounts,
    pub(super) unread: Unread,
    /// The rows that fail only because a value is no number or date, as far as conditions have been tested.
    pub(super) doubtful: Vec<u32>,
}

impl Predicate {
    /// Ranks predicates, the cheapest lowest. Predicates on joined files come last, so that they count only rows that pass all
    /// others.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Predicate::Prefix(_) | Predicate::Short(_) => 0,
            Predicate::In(_) | Predicate::Begins(_) => 1,
            Predicate::Number(..) | Predicate::Date(..) | Predicate::Text(..) => 2,
            Predicate::Matches(_) => 6,
            Predicate::Key(..) => 7,
            Predicate::Pair(pair) if pair.is_joined() => JOINED_COST,
            Predicate::Pair(_) => 7,
            Predicate::Derived(function, predicate) => {
                let costs = function.calls().map(|call| call.function.cost);
                costs.sum::<u32>() + predicate.cost()
            }
            Predicate::Joined(..) => JOINED_COST,
        }
    }

    /// Returns the same for values of a kind, as a test of prefixes if these decide.
    pub(super) fn bind(&self, kind: Kind) -> Predicate {
        match self {
            Predicate::In(values) => {
                // `TRANSACTION_AMT=500` takes 0.7 of the instructions of a list.
                if kind == Kind::Number
                    && let [text] = &values.texts[..]
                    && let Some(number) = Number::of(text)
                {
                    return Predicate::Number(Compare::Equal, number);
                }
                let values = values.bind(kind);
                values.prefix(Whole::Value).unwrap_or(Predicate::In(values))
            }
            Predicate::Begins(bytes) if bytes.len() <= 8 => {
                Predicate::Prefix(PrefixTest::new(bytes, Whole::Prefix))
            }
            predicate => predicate.clone(),
        }
    }

    /// Returns a test of prefixes that passes all values that this long predicate passes, and few others.
    ///
    /// `CMTE_ID=C00401224` takes 0.9 of the time behind one, and a list of two 0.8.
    pub(super) fn prefix(&self) -> Option<Predicate> {
        match self {
            Predicate::In(values) => values.prefix(Whole::Prefix),
            Predicate::Begins(bytes) => {
                Some(Predicate::Prefix(PrefixTest::new(bytes, Whole::Prefix)))
            }
            _ => None,
        }
    }

    /// Returns words of which each line with a value that passes has one: those of an expression of letters, digits and blanks alone.
    pub(super) fn required(&self) -> Option<Needles> {
        let Predicate::Matches(expression) = self else {
            return None;
        };
        let text = expression.as_str();
        let words = text.strip_prefix("(?i)").unwrap_or(text).split('|');
        let is_plain = |word: &str| {
            let mut letters = word.bytes();
            word.len() >= REQUIRED_BYTES
                && letters.all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
        };
        let are_few = words.clone().count() <= REQUIRED_MAX;
        (are_few && words.clone().all(is_plain))
            .then(|| Needles::new(words.map(str::as_bytes), !text.starts_with("(?i)")))
    }

    /// Decides for one value. Returns `None` for a value that is no number or date, where the predicate reads one.
    #[inline(never)]
    pub(super) fn decide(&self, bytes: &[u8]) -> Option<bool> {
        let cell = Cell::from(bytes);
        Some(match self {
            Predicate::In(values) => values.holds(cell),
            Predicate::Short(words) => words.lookup().holds(cell),
            Predicate::Begins(prefix) => bytes.starts_with(prefix),
            Predicate::Prefix(prefix) => prefix.holds(cell.head()),
            Predicate::Number(compare, than) => return compare.decide_number(cell, than),
            Predicate::Date(compare, than) => compare.holds(date::of_column(bytes)?.cmp(than)),
            Predicate::Text(..) if bytes.is_empty() => return None,
            Predicate::Text(compare, than) => compare.holds(bytes.cmp(than)),
            Predicate::Matches(expression) => expression.is_match(bytes),
            Predicate::Derived(function, predicate) => {
                let mut value = Vec::new();
                append(function, cell, &mut value);
                return predicate.decide(&value);
            }
            Predicate::Joined(ids, _) => {
                let verdict = ids.verdict(cell, &mut Vec::new());
                return verdict.unwrap_or(Some(ids.others));
            }
            Predicate::Key(..) | Predicate::Pair(_) => {
                unreachable!("two values are compared by `Pair::hold`")
            }
        })
    }

    /// Decides for the first `rows` of a vector. Answers for further rows are noise.
    ///
    /// A short number is read without a call: `TRANSACTION_AMT>=1000` takes 0.54 of the time.
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
        let unread = &mut evaluation.unread;
        match self {
            Predicate::Prefix(prefix) => return prefix.hold(cells),
            Predicate::Short(words) => return words.lookup().hold(cells),
            Predicate::In(values) => {
                for (_, hold, cell) in each {
                    *hold = values.holds(cell);
                }
            }
            Predicate::Number(compare, than) => {
                for (nth, hold, cell) in each {
                    let holds = compare.decide_number(cell, than);
                    *hold = holds.unwrap_or_else(|| unread.add(nth));
                }
            }
            Predicate::Derived(function, predicate) => {
                let value = &mut evaluation.value;
                for (nth, hold, cell) in each {
                    value.clear();
                    append(function, cell, value);
                    *hold = match predicate.decide(value) {
                        // A value that is not listed is another one, unless there is no date.
                        Some(holds) if holds || !value.is_empty() || !function.is_of_dates() => {
                            holds
                        }
                        _ => unread.add(nth),
                    };
                }
            }
            Predicate::Joined(ids, counted) => {
                let mut without_partner = 0;
                for (nth, hold, cell) in each {
                    let verdict = ids.verdict(cell, &mut evaluation.value);
                    without_partner += u64::from(verdict.is_none());
                    let holds = verdict.unwrap_or(Some(ids.others));
                    *hold = holds.unwrap_or_else(|| unread.add(nth));
                }
                if let Some(nth) = *counted {
                    evaluation.counts.without_partner[nth] += without_partner;
                }
            }
            _ => {
                for (nth, hold, cell) in each {
                    *hold = self.decide(&cell).unwrap_or_else(|| unread.add(nth));
                }
            }
        }
        hold
    }
}

impl JoinedIds {
    /// Returns the verdict of the partner, if there is one. `id` is memory for the identifier.
    #[inline(always)]
    fn verdict(&self, cell: Cell<'_>, id: &mut Vec<u8>) -> Option<Option<bool>> {
        if self.function.is_none() {
            return self.verdicts.get(cell);
        }
        id.clear();
        append(&self.function, cell, id);
        self.verdicts.get(Cell::from(&id[..]))
    }
}

impl Values {
    pub(super) fn new(texts: impl IntoIterator<Item = Box<[u8]>>) -> Values {
        let texts: Arc<[_]> = texts.into_iter().collect();
        Values {
            map: Arc::new(CellMap::new(texts.iter().map(|text| (&**text, ())))),
            texts,
            days: HashSet::default(),
            hundredths: HashSet::default(),
            numbers: HashSet::default(),
        }
    }

    /// Returns the same for values of a kind.
    fn bind(&self, kind: Kind) -> Values {
        let mut values = self.clone();
        let texts = self.texts.iter();
        match kind {
            Kind::Date => values.days = texts.filter_map(|text| date::of_iso(text)).collect(),
            Kind::Number => {
                for number in texts.filter_map(|text| Number::of(text)) {
                    match number.hundredths {
                        Some(hundredths) => values.hundredths.insert(hundredths),
                        None => values.numbers.insert(number),
                    };
                }
            }
            _ => {}
        }
        values
    }

    /// Says whether a value is one of the numbers.
    fn has_number(&self, cell: Cell<'_>) -> bool {
        if let Some(number) = cell.hundredths() {
            return self.hundredths.contains(&number.0);
        }
        Number::of(&cell).is_some_and(|number| match number.hundredths {
            Some(hundredths) => self.hundredths.contains(&hundredths),
            None => self.numbers.contains(&number),
        })
    }

    /// Returns a test of the first eight bytes, or of whole values if none is longer. Many values, dates and numbers have no
    /// such test.
    fn prefix(&self, of: Whole) -> Option<Predicate> {
        let longest = match of {
            Whole::Value if self.texts.iter().all(|text| text.len() <= 8) => usize::MAX,
            Whole::Value => return None,
            Whole::Prefix => 8,
        };
        match &self.texts[..] {
            _ if !self.days.is_empty() || self.has_numbers() => None,
            [text] => Some(Predicate::Prefix(PrefixTest::new(text, Whole::Value))),
            texts => Words::new(texts, longest).map(Predicate::Short),
        }
    }

    fn has_numbers(&self) -> bool {
        !self.hundredths.is_empty() || !self.numbers.is_empty()
    }

    #[inline(always)]
    pub(super) fn holds(&self, cell: Cell<'_>) -> bool {
        let is_day = || date::of_column(&cell).is_some_and(|day| self.days.contains(&day));
        self.map.get(cell).is_some()
            || !self.days.is_empty() && is_day()
            || self.has_numbers() && self.has_number(cell)
    }
}

impl Compare {
    #[inline(always)]
    pub(super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Compare::Equal => ordering.is_eq(),
            Compare::Less => ordering.is_lt(),
            Compare::AtMost => ordering.is_le(),
            Compare::Greater => ordering.is_gt(),
            Compare::AtLeast => ordering.is_ge(),
        }
    }

    #[inline(always)]
    fn decide_number(self, cell: Cell<'_>, than: &Number) -> Option<bool> {
        match than.order_of(cell.hundredths().map(|number| number.0), &cell) {
            Some(ordering) => Some(self.holds(ordering)),
            // No text equals a number.
            None => (self == Compare::Equal).then_some(false),
        }
    }
}
