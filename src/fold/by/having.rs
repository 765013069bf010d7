//! Conditions on groups.

use super::days;
use super::grouped::Value;
use super::operator::Operator;
use super::question::Sort;
use crate::error::Error;
use crate::expr::list::outside_quotes;
use crate::fec::amount::{DECIMALS_MAX, Decimal, decimal};
use crate::fec::date;

/// A condition on groups, such as `count>=5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Having {
    /// The count or an aggregate.
    pub(crate) measure: Sort,
    operator: &'static Operator,
    /// A number or a date.
    limit: Value,
}

impl Having {
    /// Splits a condition before its operator.
    pub(super) fn split(condition: &str) -> Result<(&str, &str), Error> {
        let at = outside_quotes(condition).find(|(_, c)| "=!<>".contains(*c));
        let (at, _) = at.ok_or_else(|| wrong(condition, "has no operator"))?;
        let (term, test) = condition.split_at(at);
        Ok((term.trim(), test))
    }

    /// Parses the operator and the value of `condition`, which are its `test`.
    pub(super) fn new(condition: &str, measure: Sort, test: &str) -> Result<Having, Error> {
        let operator =
            Operator::at(test).ok_or_else(|| wrong(condition, "has no known operator"))?;
        let value = test[operator.name.len()..].trim().as_bytes();
        let number = decimal(value, DECIMALS_MAX).filter(|number| number.billionths().is_some());
        let limit = match (date::of_iso(value), number) {
            (Some(day), _) => Value::Date(day),
            (None, Some(number)) => Value::Decimal(number),
            (None, None) => {
                let what =
                    "needs a number with at most nine decimals, or a date, after its operator";
                let day = str::from_utf8(value).ok().and_then(days::meant);
                let error = wrong(condition, what);
                return Err(match day {
                    Some(day) => error.advise(format!("write {}", date::iso(day))),
                    None => error,
                });
            }
        };
        let having = Having {
            measure,
            operator,
            limit,
        };
        if measure == Sort::Count {
            having.check(condition, false)?;
        }
        Ok(having)
    }

    /// Refuses to compare a number with a date.
    pub(super) fn check(&self, condition: &str, dates: bool) -> Result<(), Error> {
        match (self.limit, dates) {
            (Value::Date(_), false) => Err(wrong(condition, "compares a number with a date")),
            (Value::Decimal(_), true) => Err(wrong(condition, "compares a date with a number")),
            _ => Ok(()),
        }
    }

    /// Says whether a value meets the condition. None does not.
    pub(super) fn holds(&self, value: Option<Value>) -> bool {
        let than = comparable(self.limit);
        value.is_some_and(|value| self.operator.holds(comparable(value).cmp(&than)))
    }

    /// Returns the condition in one way of writing, on the count or the aggregate called `name`.
    pub(crate) fn shown(&self, name: &str) -> String {
        let limit = match self.limit {
            Value::Date(day) => date::iso(day),
            other => plain(&Decimal {
                units: comparable(other),
                decimals: DECIMALS_MAX,
            }),
        };
        format!("{name}{}{limit}", self.operator.name)
    }
}

/// Returns a number as all numbers are compared, in billionths, or a date. A sum beyond that is greater or less than all of them.
fn comparable(value: Value) -> i128 {
    let Some(number) = value.decimal() else {
        return value.number();
    };
    let beyond = if number.units < 0 {
        i128::MIN
    } else {
        i128::MAX
    };
    number.billionths().unwrap_or(beyond)
}

/// Returns a number with two decimals, or as few or many as it needs.
fn plain(number: &Decimal) -> String {
    let text = number.to_string();
    let text = text.trim_end_matches('0');
    match text.strip_suffix('.') {
        Some(whole) => whole.to_owned(),
        None if text.as_bytes()[text.len() - 2] == b'.' => format!("{text}0"),
        None => text.to_owned(),
    }
}

fn wrong(condition: &str, what: &str) -> Error {
    Error::usage(format!("the condition '{condition}' {what}")).advise(
        "write count or an aggregate, an operator and a value, in quotes: 'count>=5' or 'sum(amount)>10000'; the operators \
         are = != < <= > >=",
    )
}
