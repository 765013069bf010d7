//! Which lines a fold gets to see: conditions on columns, tested on bytes.
//!
//! A [`Filter`] is a list of conditions by column name, as typed after `--where`. [`Filter::bind`]
//! resolves the names for a schema, which gives the [`Predicates`] that the scanner tests. Cheap
//! tests come first. Lines that fail cost no other column.

use std::cmp::Ordering;

use regex::bytes::{Regex, RegexBuilder};

use super::Row;
use crate::error::{Error, ErrorKind};
use crate::fec::amount::hundredths;
use crate::fec::date;
use crate::fec::schema::{CONTRIBUTION_TYPES, Schema};

/// Conditions on columns. All must hold.
///
/// ```
/// use fecscan::scan::Filter;
/// use fecscan::{Counts, Engine, by_row};
///
/// # fn main() -> Result<(), fecscan::error::Error> {
/// let filter = Filter::new(["STATE=CA,NY", "amount>=1000"])?;
/// let engine = Engine::default().with_filter(filter);
/// let states = by_row(["STATE"], Counts::default, |states, row| states.add(row.column(0).unwrap_or_default(), 1), Counts::merge);
/// let result = engine.scan(&states, ["fixtures/generated.txt"])?;
/// assert!(Some(result.lines) < result.lines_scanned);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter {
    conditions: Vec<Condition>,
}

/// A test of the column of this name.
#[derive(Clone, Debug)]
struct Condition {
    column: String,
    test: Test,
}

/// What the bytes of a column must be.
#[derive(Clone, Debug)]
enum Test {
    /// One of these values.
    In(Vec<Box<[u8]>>),
    /// Any other value.
    NotIn(Vec<Box<[u8]>>),
    Prefix(Box<[u8]>),
    /// A number in hundredths that compares so. Other text fails.
    Number(Compare, i128),
    /// A date that compares so.
    Date(Compare, u32),
    Matches(Regex),
    MatchesNot(Regex),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The operators. Longer ones precede their prefixes.
const OPERATORS: [&str; 9] = ["!=", "!~", "^=", "<=", ">=", "=", "<", ">", "~"];

impl Filter {
    /// Parses conditions such as `STATE=CA,NY`, `TRANSACTION_AMT>=1000`, `TRANSACTION_DT<2018-02-01`,
    /// `EMPLOYER~(?i)google` and `ZIP_CODE^=900`.
    ///
    /// # Errors
    /// If one has no column, no operator, or a value that does not fit the operator.
    pub fn new<T: AsRef<str>>(conditions: impl IntoIterator<Item = T>) -> Result<Filter, Error> {
        let conditions = conditions
            .into_iter()
            .map(|text| Condition::new(text.as_ref()));
        Ok(Filter {
            conditions: conditions.collect::<Result<_, _>>()?,
        })
    }

    /// Adds the condition that a row is an individual contribution by the FEC's own rule: its
    /// TRANSACTION_TP is one of [`CONTRIBUTION_TYPES`].
    pub fn with_contributions(mut self) -> Filter {
        self.conditions.push(Condition {
            column: "TRANSACTION_TP".to_owned(),
            test: Test::In(
                CONTRIBUTION_TYPES
                    .map(|kind| kind.as_bytes().into())
                    .to_vec(),
            ),
        });
        self
    }

    /// Says whether every line passes.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Resolves the names of the columns for `schema`.
    ///
    /// # Errors
    /// If the schema does not have one.
    pub(crate) fn bind(&self, schema: Schema) -> Result<Predicates, Error> {
        let mut predicates = Predicates::default();
        let mut conditions: Vec<_> = self.conditions.iter().collect();
        conditions.sort_by_key(|condition| condition.test.cost());
        for Condition { column, test } in conditions {
            let column = schema.column(column)?;
            let known = predicates.columns.iter().position(|&known| known == column);
            let nth = known.unwrap_or_else(|| {
                predicates.columns.push(column);
                predicates.columns.len() - 1
            });
            predicates.tests.push((nth, test.clone()));
        }
        Ok(predicates.ascending())
    }
}

impl Condition {
    fn new(text: &str) -> Result<Condition, Error> {
        let wrong = |what: &str| {
            Error::new(ErrorKind::Usage, format!("the condition '{text}' {what}")).advise(
                "write COLUMN, an operator and a value: STATE=CA,NY or 'TRANSACTION_AMT>=1000'; \
                 the operators are = != < <= > >= ~ !~ ^=",
            )
        };
        let at = text
            .find(|c| "=!<>~^".contains(c))
            .ok_or_else(|| wrong("has no operator"))?;
        let (column, rest) = text.split_at(at);
        let column = column.trim();
        if column.is_empty() {
            return Err(wrong("names no column"));
        }
        let operator = OPERATORS
            .into_iter()
            .find(|&operator| rest.starts_with(operator))
            .ok_or_else(|| wrong("has no known operator"))?;
        let value = &rest[operator.len()..];
        let values = || {
            value
                .split(',')
                .map(|value| value.as_bytes().into())
                .collect()
        };
        let compare = |compare| {
            Test::compare(compare, value).ok_or_else(|| {
                wrong(
                    "compares with a value that is neither a number nor a date such as 2018-01-31",
                )
            })
        };
        let expression = || {
            expression(value)
                .map_err(|e| wrong(&format!("has a regular expression that fails: {e}")))
        };
        let test = match operator {
            "=" => Test::In(values()),
            "!=" => Test::NotIn(values()),
            "^=" => Test::Prefix(value.as_bytes().into()),
            "<" => compare(Compare::Less)?,
            "<=" => compare(Compare::AtMost)?,
            ">" => compare(Compare::Greater)?,
            ">=" => compare(Compare::AtLeast)?,
            "~" => match literal_prefix(value) {
                Some(prefix) => Test::Prefix(prefix.into()),
                None => Test::Matches(expression()?),
            },
            _ => Test::MatchesNot(expression()?),
        };
        Ok(Condition {
            column: column.to_owned(),
            test,
        })
    }
}

/// Returns the prefix that an expression such as `^GOOGLE` asks for, if it asks for nothing else.
fn literal_prefix(expression: &str) -> Option<&[u8]> {
    let prefix = expression.strip_prefix('^')?;
    let literal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b',' | b'_');
    prefix.bytes().all(literal).then_some(prefix.as_bytes())
}

fn expression(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(text).unicode(false).build();
    // The first line of a syntax error draws a picture; the last line names the cause.
    built.map_err(|e| {
        let text = e.to_string();
        let last = text.lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_owned()
    })
}

impl Test {
    fn compare(compare: Compare, value: &str) -> Option<Test> {
        match date::of_iso(value.as_bytes()) {
            Some(date) => Some(Test::Date(compare, date)),
            None => hundredths(value.as_bytes()).map(|number| Test::Number(compare, number)),
        }
    }

    /// Ranks tests, the cheapest lowest.
    fn cost(&self) -> u32 {
        match self {
            Test::Prefix(_) => 0,
            Test::In(_) | Test::NotIn(_) => 1,
            Test::Number(..) | Test::Date(..) => 2,
            Test::Matches(_) | Test::MatchesNot(_) => 3,
        }
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        match self {
            Test::In(values) => values.iter().any(|value| **value == *bytes),
            Test::NotIn(values) => values.iter().all(|value| **value != *bytes),
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

/// A filter whose columns are known by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    /// Ascending.
    columns: Vec<usize>,
    /// The tests, the cheapest first, each with the place of its column in `columns`.
    tests: Vec<(usize, Test)>,
}

impl Predicates {
    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Says whether all tests hold for `row`, whose columns are [`Predicates::columns`]. A column
    /// that the line does not have counts as empty.
    #[inline(always)]
    pub(super) fn hold(&self, row: &Row<'_>) -> bool {
        self.tests
            .iter()
            .all(|(nth, test)| test.holds(row.column(*nth).unwrap_or_default()))
    }

    /// Puts the columns in ascending order, in which they are located fastest.
    fn ascending(mut self) -> Predicates {
        let unsorted = self.columns.clone();
        self.columns.sort_unstable();
        for (nth, _) in &mut self.tests {
            let place = self.columns.binary_search(&unsorted[*nth]);
            *nth = place.expect("sorting keeps all columns");
        }
        self
    }
}
