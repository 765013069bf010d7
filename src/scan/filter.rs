//! Which lines a fold gets to see: conditions on columns, tested on bytes.
//!
//! A [`Filter`] is a list of conditions by column name, as typed after `--where`. [`Filter::bind`]
//! resolves the names for a schema, which gives the [`Predicates`] that the scanner tests.

use regex::bytes::{Regex, RegexBuilder};

use super::ids::{Ids, Verdict};
use super::predicates::{Compare, Predicates, Prefix, Test, Values, Words};
use super::slips::plain_number;
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::amount::hundredths;
use crate::fec::date;
use crate::fec::schema::{CONTRIBUTION_TYPES, Kind, Schema};
use crate::join::{Found, JoinedColumn, Partners, RowsWithoutPartner, WithoutPartner};

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
    pub(super) conditions: Vec<Condition>,
    pub(super) partners: Partners,
}

/// A test of the column of this name.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) column: String,
    /// The operator and the text after it. Both are empty for `--contributions`.
    pub(super) operator: &'static str,
    pub(super) typed: String,
    pub(super) test: Test,
}

/// The operators. Longer ones precede their prefixes.
const OPERATORS: [&str; 9] = ["!=", "!~", "^=", "<=", ">=", "=", "<", ">", "~"];

/// What other languages write, and what to write here.
const FOREIGN_OPERATORS: [(&str, &str); 5] = [
    ("==", "="),
    ("=~", "~"),
    ("=>", ">="),
    ("=<", "<="),
    ("<>", "!="),
];

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
            partners: Partners::default(),
        })
    }

    /// Returns the same filter, whose conditions may name columns of joined files. [`Partners`] has an
    /// example.
    pub fn with_partners(self, partners: Partners) -> Filter {
        Filter { partners, ..self }
    }

    /// Adds the condition that a row is an individual contribution by the FEC's own rule: its
    /// TRANSACTION_TP is one of [`CONTRIBUTION_TYPES`].
    pub fn with_contributions(mut self) -> Filter {
        self.conditions.push(Condition {
            column: "TRANSACTION_TP".to_owned(),
            operator: "",
            typed: String::new(),
            test: Test::In(Values {
                texts: CONTRIBUTION_TYPES
                    .map(|kind| kind.as_bytes().into())
                    .to_vec(),
                days: Vec::new(),
            }),
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
    /// If neither the schema nor a joined file has one, or it is compared with a number and holds dates, or
    /// the other way round.
    pub(crate) fn bind(&self, schema: Schema) -> Result<Predicates, Error> {
        let mut predicates = Predicates::default();
        let mut own = Vec::new();
        for Condition { column, test, .. } in &self.conditions {
            match self.partners.column(schema, column)? {
                Found::Own(place) => own.push((place, test.bind(schema, place)?)),
                Found::Joined { id, column } => {
                    let test = test.bind(column.schema, column.column)?;
                    predicates.push_ids(id, self.verdicts(&column, &test), column.schema);
                }
            }
        }
        own.sort_by_key(|(_, test)| test.cost());
        own.into_iter()
            .for_each(|(column, test)| predicates.push(column, test));
        Ok(predicates)
    }

    /// Returns the rows that conditions on joined files have tested without a partner.
    pub(crate) fn without_partner(&self, rows: &RowsWithoutPartner) -> Vec<WithoutPartner> {
        self.partners.without_partner(rows)
    }

    /// Returns whether the partner of each identifier passes `test`. An empty value decides for rows without
    /// a partner.
    fn verdicts(&self, column: &JoinedColumn, test: &Test) -> Ids {
        let verdict = |value: &[u8]| match test.hold(value) {
            true => Verdict::Pass,
            false => Verdict::Fail,
        };
        let verdicts = self.partners.ids(column).filter_map(|id| {
            let value = self.partners.value(column, id)?;
            Some((id, verdict(value)))
        });
        Ids::new(verdicts, verdict(b""))
    }
}

impl Condition {
    fn new(text: &str) -> Result<Condition, Error> {
        let wrong = |what: &str| {
            let what = escaped(format!("the condition '{text}' {what}").as_bytes());
            Error::new(ErrorKind::Usage, what).advise(
                "write COLUMN, an operator and a value, in quotes as far as the shell is concerned: \
                 'STATE=CA,NY' or 'TRANSACTION_AMT>=1000'; the operators are = != < <= > >= ~ !~ ^=",
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
        let foreign = FOREIGN_OPERATORS.iter();
        if let Some((foreign, ours)) = foreign.clone().find(|(known, _)| rest.starts_with(known)) {
            return Err(wrong(&format!(
                "has the operator {foreign}; here it is {ours}"
            )));
        }
        let operator = OPERATORS
            .into_iter()
            .find(|&operator| rest.starts_with(operator))
            .ok_or_else(|| wrong("has no known operator"))?;
        let value = &rest[operator.len()..];
        let values = || values(value).map_err(|what| wrong(&what));
        let prefix = || {
            let prefix = match quoted(value.trim()) {
                None => value.trim_start().to_owned(),
                Some(Ok((prefix, ""))) => prefix,
                Some(Ok(_)) => return Err(wrong("has something after its value in quotes")),
                Some(Err(what)) => return Err(wrong(what)),
            };
            Ok(Test::Prefix(Prefix::new(prefix.as_bytes())))
        };
        let compare = |compare| {
            let value = value.trim();
            Test::compare(compare, value).ok_or_else(|| wrong(&not_comparable(value)))
        };
        let expression = || {
            expression(value.trim_start())
                .map_err(|e| wrong(&format!("has a regular expression that fails: {e}")))
        };
        let test = match operator {
            "=" => Test::In(values()?),
            "!=" => Test::NotIn(values()?),
            "^=" => prefix()?,
            "<" => compare(Compare::Less)?,
            "<=" => compare(Compare::AtMost)?,
            ">" => compare(Compare::Greater)?,
            ">=" => compare(Compare::AtLeast)?,
            "~" => match literal_prefix(value.trim_start()) {
                Some(prefix) => Test::Prefix(Prefix::new(prefix)),
                None => Test::Matches(expression()?),
            },
            _ => Test::MatchesNot(expression()?),
        };
        Ok(Condition {
            column: column.to_owned(),
            operator,
            typed: value.to_owned(),
            test,
        })
    }
}

/// Returns the reason why `<` can't compare with `value`, and what to write.
fn not_comparable(value: &str) -> String {
    let why =
        "compares with a value that is neither a number such as 1000 nor a date such as 2018-01-31";
    match (plain_number(value), date::of_column(value.as_bytes())) {
        (Some(number), _) => format!("{why}: a number has no commas and no $, so write {number}"),
        (None, Some(day)) => format!("{why}: write {}", date::iso(day)),
        (None, None) => why.to_owned(),
    }
}

/// Parses values with commas between them. Blanks around a value do not count. In quotes a value may hold
/// anything: `"SMITH, JOHN"`.
fn values(list: &str) -> Result<Values, String> {
    let mut values = Values::default();
    let mut rest = list;
    loop {
        let value;
        (value, rest) = match quoted(rest.trim_start()) {
            Some(quoted) => {
                let (value, after) = quoted?;
                (value, after.trim_start())
            }
            None => {
                let (value, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                if value.contains(['=', '<', '>']) {
                    let value = value.trim();
                    return Err(format!(
                        "has the value '{value}'; for another condition, repeat --where; a value with = < > needs quotes: \"{value}\""
                    ));
                }
                (value.trim().to_owned(), after)
            }
        };
        values.texts.push(value.into_bytes().into());
        rest = match rest.strip_prefix(',') {
            Some(rest) => rest,
            None if rest.is_empty() => return Ok(values),
            None => return Err(format!("has '{rest}' after a value in quotes")),
        };
    }
}

/// Parses the value in quotes that `text` begins with, if it does, and returns what follows. Two quotes
/// stand for one.
fn quoted(text: &str) -> Option<Result<(String, &str), &'static str>> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut value = String::new();
    let mut rest = &text[1..];
    loop {
        let Some((part, after)) = rest.split_once(quote) else {
            return Some(Err("has a quote without its partner"));
        };
        value.push_str(part);
        match after.strip_prefix(quote) {
            Some(after) => {
                value.push(quote);
                rest = after;
            }
            None => return Some(Ok((value, after))),
        }
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

    /// Returns the test for the column with this number, which holds dates or does not.
    fn bind(&self, schema: Schema, column: usize) -> Result<Test, Error> {
        let column = schema.columns().get(column);
        let name = column.map_or("", |column| column.name);
        let holds_dates = column.is_some_and(|column| column.kind == Kind::Date);
        let wrong = |what: &str, advice: &str| {
            Err(Error::new(ErrorKind::Usage, format!("{name} {what}")).advise(advice))
        };
        match self {
            Test::Number(..) if holds_dates => wrong(
                "holds dates, and is compared with a number",
                "compare it with a date such as 2018-01-31",
            ),
            Test::Date(..) if !holds_dates => wrong(
                "holds no dates, and is compared with one",
                "compare it with a number, or name a column of dates such as TRANSACTION_DT",
            ),
            Test::In(values) if holds_dates => Ok(Test::In(values.with_days())),
            Test::In(values) => Ok(Words::new(values).map_or_else(|| self.clone(), Test::OneOf)),
            Test::NotIn(values) if holds_dates => Ok(Test::NotIn(values.with_days())),
            test => Ok(test.clone()),
        }
    }
}
