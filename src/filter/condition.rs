//! One condition: a column or a function of one, an operator, and values.

use regex::bytes::{Regex, RegexBuilder};

use super::days;
use super::hints::plain_number;
use super::operator::{OPERATORS, Operator, Takes, operator_at};
use super::predicate::{Compare, Predicate};
use super::sql;
use super::typed::{COMPARING, prefix, quoted, values};
use crate::error::Error;
use crate::expr::Key;
use crate::expr::functions::{ValueOrder, month_meant};
use crate::expr::list::{Role, outside_quotes, parse_key};
use crate::fec::date;
use crate::fec::number::Number;
use crate::fec::schema::{Kind, Schema};

/// A test of a column, or of a function of it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) key: Key,
    /// The operator and the text after it. Both are empty for `--contributions`.
    pub(super) operator: &'static Operator,
    pub(super) typed: String,
    pub(super) predicate: Predicate,
}

/// The most conditions of a filter, alternatives included.
pub(super) const CONDITIONS_MAX: usize = 1000;

/// The most of them that have a regular expression.
pub(super) const EXPRESSIONS_MAX: usize = 64;

/// The most memory of a compiled expression. All of them together take a quarter of a gigabyte, also if a partial of a few hundred
/// kilobytes has them.
const EXPRESSION_BYTES_MAX: usize = 4 << 20;

/// The most bytes of a condition.
const CONDITION_BYTES_MAX: usize = 16 << 20;

/// Separates alternatives.
const OR: &str = "||";

/// The characters of a condition that an error repeats.
const SHOWN_MAX: usize = 100;

impl Condition {
    /// Parses conditions with `||` between them. Blanks around it do not count. No value of a row has a `|`, so it needs no
    /// quotes.
    pub(super) fn alternatives(text: &str) -> Result<Vec<Condition>, Error> {
        Condition::parsed(text).map_err(|error| match sql::advice(text) {
            Some(options) => error.advise(format!("write {options}")),
            None => error,
        })
    }

    /// Parses conditions. An error has no advice on what other languages write.
    pub(super) fn parsed(text: &str) -> Result<Vec<Condition>, Error> {
        if text.len() > CONDITION_BYTES_MAX {
            let what = format!("has more than {} MiB", CONDITION_BYTES_MAX >> 20);
            return Err(wrong(text, &what));
        }
        if !text.contains(OR) {
            return Ok(vec![Condition::new(text)?]);
        }
        let mut conditions = Vec::new();
        for one in text.split(OR) {
            conditions.push(match one.trim() {
                "" => return Err(wrong(text, "lacks a condition beside ||")),
                one => Condition::new(one)?,
            });
            refuse_many(conditions.iter())?;
        }
        Ok(conditions)
    }

    fn new(text: &str) -> Result<Condition, Error> {
        let wrong = |what: &str| wrong(text, what);
        let (at, _) = outside_quotes(text)
            .find(|&(_, c)| "=!<>~^".contains(c))
            .ok_or_else(|| {
                let quote = "quote it, because the shell takes < and > for itself";
                wrong("has no operator").advise_first(quote)
            })?;
        let (key, rest) = text.split_at(at);
        let key = self::key(key.trim(), wrong)?;
        let (typed, operator) = operator_at(rest).ok_or_else(|| wrong("has no known operator"))?;
        if typed != operator.name {
            let ours = operator.name;
            return Err(wrong(&format!(
                "has the operator {typed}; here it is {ours}"
            )));
        }
        let value = &rest[operator.name.len()..];
        // A list refuses operators itself, and quotes make a text of anything.
        let may_hide = matches!(operator.takes, Takes::Expression | Takes::Prefix);
        let is_quoted = quoted(value.trim()).is_some();
        if let Some(and) = another_condition(value).filter(|_| may_hide && !is_quoted) {
            let what = format!("has another condition after {}", and.trim());
            return Err(wrong(&what).advise_first("repeat --where for each"));
        }
        let predicate = match (operator.takes, in_braces(value)) {
            // Braces in an expression count repetitions.
            (Takes::Expression, _) | (_, None) => {
                predicate(&key, operator.takes, value).map_err(|wrongly| {
                    let error = wrong(&wrongly.what);
                    match (operator.takes, wrongly.advice) {
                        (_, Some(advice)) => error.advise(advice),
                        (Takes::Values, None) if value.contains(COMPARING) => {
                            error.advise_first("for another condition, repeat --where")
                        }
                        (_, None) => error,
                    }
                })
            }
            (takes, Some(other)) => compared(takes, other, wrong),
        }?;
        Ok(Condition {
            key,
            operator,
            typed: value.to_owned(),
            predicate,
        })
    }

    /// Returns the key in braces that the condition compares with, if it does.
    pub(super) fn other(&self) -> Option<(Compare, &Key)> {
        match &self.predicate {
            Predicate::Key(compare, key) => Some((*compare, key)),
            _ => None,
        }
    }

    /// Returns the predicate for the column with this number.
    pub(super) fn bind(&self, schema: Schema, column: usize) -> Result<Predicate, Error> {
        let key = &self.key;
        let column = schema.column_at(column);
        let kind = column.map_or(Kind::Text, |column| column.kind);
        let kind = key.function.kind(kind);
        if kind == Kind::Number
            && matches!(self.predicate, Predicate::In(_))
            && let Some((number, true)) = self.number_with_commas()
        {
            let condition = format!("{}{}", self.name(), self.operator.name);
            let typed = format!("{condition}{}", self.typed);
            let error = wrong(&typed, "has commas in a number");
            return Err(error.advise(format!("write '{condition}{number}'")));
        }
        let holds_dates = kind == Kind::Date;
        let (what, advice) = match self.predicate {
            Predicate::Number(..) if holds_dates => (
                "holds dates, and is compared with a number",
                match days::meant(self.typed.trim()) {
                    Some(day) => format!("write {}", date::iso(day)),
                    None => "compare it with a date such as 2018-01-31".to_owned(),
                },
            ),
            Predicate::Date(..) if !holds_dates && kind != Kind::Untyped => (
                "holds no dates, and is compared with one",
                match schema.layout() {
                    Some(_) => schema.date_forms(),
                    None => {
                        "compare it with a number, or name a column of dates such as TRANSACTION_DT"
                    }
                }
                .to_owned(),
            ),
            _ => {
                let predicate = self.predicate.bind(kind);
                return Ok(if key.function.is_none() {
                    predicate
                } else {
                    Predicate::Derived(key.function.clone(), Box::new(predicate))
                });
            }
        };
        let name = key.name_of(column.map_or("", |column| column.name));
        Err(Error::usage(format!("{name} {what}")).advise(advice))
    }

    /// Returns the column or the function of it, as typed.
    pub(super) fn name(&self) -> String {
        self.key.name_of(&self.key.column)
    }
}

/// Refuses more conditions than a filter may have. Each is compiled, and tested on each row.
pub(super) fn refuse_many<'a>(
    conditions: impl Iterator<Item = &'a Condition>,
) -> Result<(), Error> {
    let (count, expressions) = conditions.fold((0, 0), |(count, expressions), condition| {
        let is_expression = matches!(condition.predicate, Predicate::Matches(_));
        (count + 1, expressions + usize::from(is_expression))
    });
    if count > CONDITIONS_MAX {
        let what = format!("there are more than {CONDITIONS_MAX} conditions");
        return Err(Error::usage(what).advise("list values with commas: 'STATE=CA,NY'"));
    }
    if expressions > EXPRESSIONS_MAX {
        let what = format!("more than {EXPRESSIONS_MAX} conditions have a regular expression");
        return Err(
            Error::usage(what).advise("make alternatives one expression: 'NAME~SMITH|JONES'")
        );
    }
    Ok(())
}

/// Returns the error of a condition, and how to write one.
fn wrong(text: &str, what: &str) -> Error {
    // A list of values may be as long as a shell permits.
    let shown = match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    };
    let what = format!("the condition '{shown}' {what}");
    let names = OPERATORS.each_ref().map(|operator| operator.name);
    Error::usage(what).advise(format!(
        "a condition is a column, one of {} and a value, as in 'STATE=CA,NY' or 'TRANSACTION_AMT>=1000'",
        names.join(" ")
    ))
}

/// Parses the column, or the function of one. `wrong` makes the error of the condition.
fn key(text: &str, wrong: impl Fn(&str) -> Error) -> Result<Key, Error> {
    let plain: String = outside_quotes(text).map(|(_, c)| c).collect();
    let is_balanced = plain.matches('(').count() == plain.matches(')').count();
    if !is_balanced || plain.contains(')') && !text.ends_with(')') || text.starts_with('(') {
        let what = "is neither on a column nor on a function of one, such as month(date)";
        return Err(wrong(what));
    }
    parse_key(text, Role::Condition).unwrap_or_else(|| Err(wrong("names no column")))
}

/// Parses the column in braces after an operator.
fn compared(takes: Takes, column: &str, wrong: impl Fn(&str) -> Error) -> Result<Predicate, Error> {
    let compare = match takes {
        Takes::Values => Compare::Equal,
        Takes::Value(compare) => compare,
        Takes::Prefix | Takes::Expression => {
            return Err(wrong(
                "compares the beginning with a column; = != < <= > >= do",
            ));
        }
    };
    let key = key(column, |what| Error::usage(what));
    let key = key.map_err(|error| {
        let outer = wrong(&format!("has braces around '{column}': {error}"));
        match error.advice() {
            Some(inner) => outer.advise_first(inner),
            None => outer,
        }
    });
    Ok(Predicate::Key(compare, key?))
}

/// Why a value can't be compared with, and what to write.
struct Wrong {
    what: String,
    advice: Option<String>,
}

impl From<String> for Wrong {
    fn from(what: String) -> Wrong {
        Wrong { what, advice: None }
    }
}

/// Parses what stands after an operator.
fn predicate(key: &Key, takes: Takes, value: &str) -> Result<Predicate, Wrong> {
    Ok(match takes {
        Takes::Values => Predicate::In(values(value)?),
        Takes::Prefix => Predicate::Begins(prefix(value)?.into_bytes().into()),
        Takes::Value(compare) => comparison(key, compare, value.trim())?,
        Takes::Expression => match literal_prefix(value.trim_start()) {
            Some(prefix) => Predicate::Begins(prefix.into()),
            None => Predicate::Matches(regular(value)?),
        },
    })
}

/// Returns what stands in braces, if nothing else does.
fn in_braces(value: &str) -> Option<&str> {
    let inner = value.trim().strip_prefix('{')?.strip_suffix('}')?;
    (!inner.contains(['{', '}'])).then(|| inner.trim())
}

fn comparison(key: &Key, compare: Compare, value: &str) -> Result<Predicate, Wrong> {
    let day = date::of_iso(value.as_bytes());
    let number = Number::of(value.as_bytes());
    let order = key.function.call().map(|call| call.function.order);
    match (order.unwrap_or(ValueOrder::Columns), day, number) {
        (ValueOrder::Texts, ..) if key.function.makes(value) => {
            Ok(Predicate::Text(compare, value.as_bytes().into()))
        }
        (ValueOrder::Numbers, None, Some(number)) => Ok(Predicate::Number(compare, number)),
        (ValueOrder::Texts | ValueOrder::Numbers, ..) => Err(no_value_of(key, value)),
        (_, Some(date), _) => Ok(Predicate::Date(compare, date)),
        (_, None, Some(number)) => Ok(Predicate::Number(compare, number)),
        (_, None, None) => Err(not_comparable(key, value)),
    }
}

/// Returns the reason why `<` can't compare what a function makes with `value`, and what to write.
fn no_value_of(Key { function, column }: &Key, value: &str) -> Wrong {
    let call = function.call().expect("columns compare with any value");
    let (name, form) = (call.function.name, call.function.form);
    let advice = match (call.function.meant)(value) {
        Some((other, meant)) if other == name => format!("write {meant}"),
        Some((other, _)) => {
            let of = call.of.name_of(column);
            format!("write {form}, or compare {other}({of})")
        }
        None => format!("write {form}"),
    };
    Wrong {
        what: format!("compares {name}s with '{value}'"),
        advice: Some(advice),
    }
}

/// Returns the reason why `<` can't compare with `value`, and what to write.
fn not_comparable(key: &Key, value: &str) -> Wrong {
    let column = key.name_of(&key.column);
    let (day, impossible) = (days::meant(value), days::impossible(value));
    let month = month_meant(value).filter(|_| day.is_none() && impossible.is_none());
    let number = plain_number(value);
    let advice = match (month, number, day) {
        (Some(month), ..) => Some(format!("compare months, as in 'month({column})>={month}'")),
        (_, Some(number), _) => Some(format!(
            "a number has no commas and no $, so write {number}"
        )),
        (_, _, Some(day)) => Some(format!("write {}", date::iso(day))),
        _ if impossible.is_some() => impossible,
        _ if value.contains(',') => Some("write one value".to_owned()),
        _ if !value.contains(|c: char| c.is_ascii_digit()) => {
            Some("texts have no order, ^= finds beginnings and ~ patterns".to_owned())
        }
        _ => None,
    };
    let what =
        "compares with a value that is neither a number such as 1000 nor a date such as 2018-01-31";
    Wrong {
        what: what.to_owned(),
        advice,
    }
}

/// Returns what SQL writes between two conditions, if `value` has it and then a condition on a column of the FEC's. An expression
/// with all of that in it would match no row.
fn another_condition(value: &str) -> Option<&'static str> {
    let lower = value.to_ascii_lowercase();
    ["&&", " and "].into_iter().find(|and| {
        lower.match_indices(and).any(|(at, _)| {
            let rest = lower[at + and.len()..].trim_start();
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            rest.trim_start()
                .starts_with(['=', '!', '<', '>', '~', '^'])
                && Schema::ALL
                    .iter()
                    .any(|schema| schema.named(name).is_some())
        })
    })
}

/// Returns the prefix that an expression such as `^GOOGLE` asks for, if it asks for nothing else.
fn literal_prefix(expression: &str) -> Option<&[u8]> {
    let prefix = expression.strip_prefix('^')?;
    let literal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b',' | b'_');
    prefix.bytes().all(literal).then_some(prefix.as_bytes())
}

fn regular(value: &str) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(value.trim_start());
    let builder = builder.unicode(false).size_limit(EXPRESSION_BYTES_MAX);
    let built = builder.build();
    // The first line of a syntax error draws a picture; the last line names the cause.
    built.map_err(|e| {
        let text = e.to_string();
        let last = text.lines().last().unwrap_or_default();
        let cause = last.trim_start_matches("error: ").trim_end_matches('.');
        format!("has a regular expression that fails: {cause}")
    })
}
