//! Finds expressions of one column whose values are words: made in registers, of many rows side by side.

use crate::fec::schema::AMOUNT_DECIMALS;
use crate::fold::key_words::{DayPart, WordStep};
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::functions::Prepared;
use crate::sql::functions::dates::Part;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// The most characters of a prefix that is a word.
const PREFIX_MOST: i128 = 8;

/// Returns the number of the column that an expression is.
pub(in crate::sql) fn column_of(of: &Expression) -> Option<usize> {
    match of.of {
        Node::Column(nth) => Some(nth),
        _ => None,
    }
}

/// Returns the number of the column of texts that an expression is.
pub(in crate::sql) fn plain_column(of: &Expression, read: &[Read]) -> Option<usize> {
    column_of(of).filter(|&nth| read[nth].is_plain())
}

/// Returns the column of texts of which steps make the value, and the steps.
pub(in crate::sql) fn text_steps(of: &Expression, read: &[Read]) -> Option<(usize, Vec<WordStep>)> {
    let mut steps = Vec::new();
    let column = push_steps(of, read, &mut steps)?;
    Some((column, steps))
}

fn push_steps(of: &Expression, read: &[Read], steps: &mut Vec<WordStep>) -> Option<usize> {
    let Node::Call(function, arguments, _) = &of.of else {
        return plain_column(of, read);
    };
    let column = push_steps(arguments.first()?, read, steps)?;
    let number = |nth: usize| match arguments.get(nth)?.as_literal()? {
        Value::Whole(number) => Some(*number),
        _ => None,
    };
    let prefix = |most: i128| {
        let is_short = (1..=PREFIX_MOST).contains(&most);
        is_short.then_some(WordStep::Prefix(most as u64))
    };
    steps.push(match (function.names[0], arguments.len()) {
        ("upper", 1) => WordStep::Upper,
        ("lower", 1) => WordStep::Lower,
        ("left", 2) => prefix(number(1)?)?,
        ("substr", 3) if number(1) == Some(1) => prefix(number(2)?)?,
        ("zip5", 1) if steps.is_empty() => WordStep::Zip5,
        ("first_name", 1) if steps.is_empty() => WordStep::FirstName,
        _ => return None,
    });
    Some(column)
}

/// Returns the column of whole numbers or amounts that an expression is, and the step that writes them.
pub(in crate::sql) fn number_steps(
    of: &Expression,
    read: &[Read],
) -> Option<(usize, Vec<WordStep>)> {
    let column = column_of(of)?;
    let step = match read[column].gives {
        Type::BigInt => WordStep::Whole,
        Type::Decimal(_, AMOUNT_DECIMALS) => WordStep::Amount,
        _ => return None,
    };
    Some((column, vec![step]))
}

/// Returns the column of dates of which an expression takes a part, and the step that makes it.
pub(in crate::sql) fn day_steps(of: &Expression, read: &[Read]) -> Option<(usize, Vec<WordStep>)> {
    let (column, part) = day_part(of, read)?;
    Some((column, vec![WordStep::Day(part)]))
}

fn day_part(of: &Expression, read: &[Read]) -> Option<(usize, DayPart)> {
    let days = |of: &Expression| column_of(of).filter(|&nth| read[nth].gives == Type::Date);
    let Node::Call(function, arguments, prepared) = &of.of else {
        return Some((days(of)?, DayPart::Day));
    };
    let format = arguments.get(1).and_then(Expression::as_literal);
    Some(match (function.names[0], &arguments[..], prepared) {
        ("year", [of], _) => (days(of)?, DayPart::Year),
        ("month", [of], _) => (days(of)?, DayPart::Month),
        ("date_trunc", [_, of], Prepared::Part(Part::Month)) => (days(of)?, DayPart::FirstOfMonth),
        ("date_trunc", [_, of], Prepared::Part(Part::Year)) => (days(of)?, DayPart::FirstOfYear),
        ("strftime", [of, _], _) if format == Some(&Value::text(b"%Y-%m")) => {
            (days(of)?, DayPart::YearAndMonth)
        }
        _ => return None,
    })
}
