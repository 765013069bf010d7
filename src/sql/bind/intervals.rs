//! Binds a day and a literal interval: `date + INTERVAL 1 MONTH`.

use sqlparser::ast::{self, BinaryOperator, DateTimeField, Expr, Spanned};
use sqlparser::tokenizer::Span;

use super::{Names, expression, folded, whole};
use crate::sql::expression::{Expression, Node, Operator};
use crate::sql::messages::Wrong;
use crate::sql::types::Type;

/// Binds a sum or a difference of a day and an interval. None for other operands.
pub(super) fn shifted(
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    names: &mut dyn Names,
    span: Span,
) -> Result<Option<Expression>, Wrong> {
    let (day, interval, sign) = match (interval_of(left), op, interval_of(right)) {
        (None, BinaryOperator::Plus, Some(interval)) => (left, interval, 1),
        (Some(interval), BinaryOperator::Plus, None) => (right, interval, 1),
        (None, BinaryOperator::Minus, Some(interval)) => (left, interval, -1),
        _ => return Ok(None),
    };
    let day = expression(day, names)?;
    if day.gives != Type::Date {
        let title = format!("{op} INTERVAL");
        return Err(Wrong::takes(&title, "a DATE", day.gives, span));
    }
    let (operator, number) =
        parts(interval).ok_or_else(|| Wrong::interval(interval.value.span()))?;
    let operands = Box::new([day, whole(sign * number)]);
    let of = Node::Arithmetic(operator, operands);
    let gives = Type::Date;
    Ok(Some(folded(Expression { of, gives })))
}

fn interval_of(tree: &Expr) -> Option<&ast::Interval> {
    match tree {
        Expr::Nested(inner) => interval_of(inner),
        Expr::Interval(interval) => Some(interval),
        _ => None,
    }
}

/// Returns the operator and the number of an interval: `INTERVAL 2 WEEK` adds 14 days.
fn parts(interval: &ast::Interval) -> Option<(Operator, i128)> {
    let ast::Interval {
        value,
        leading_field,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    } = interval
    else {
        return None;
    };
    let (number, unit) = match leading_field {
        Some(field) => (text_of(value)?, unit_of(field)?),
        None => {
            let text = text_of(value)?;
            let (number, unit) = text.trim().split_once(char::is_whitespace)?;
            let unit = unit.trim().to_ascii_uppercase();
            (number.to_owned(), unit)
        }
    };
    // A number beyond 32 bits would lead out of the years 1 to 9999.
    let number = number.trim();
    let number = i128::from(
        number
            .parse::<i32>()
            .ok()
            .filter(|_| !number.starts_with('+'))?,
    );
    let (operator, times) = match unit.strip_suffix('S').unwrap_or(&unit) {
        "DAY" => (Operator::AddDays, 1),
        "WEEK" => (Operator::AddDays, 7),
        "MONTH" => (Operator::AddMonths, 1),
        "QUARTER" => (Operator::AddMonths, 3),
        "YEAR" => (Operator::AddMonths, 12),
        _ => return None,
    };
    Some((operator, times * number))
}

fn unit_of(field: &DateTimeField) -> Option<String> {
    let is_known = matches!(
        field,
        DateTimeField::Day
            | DateTimeField::Days
            | DateTimeField::Week(None)
            | DateTimeField::Weeks
            | DateTimeField::Month
            | DateTimeField::Months
            | DateTimeField::Quarter
            | DateTimeField::Year
            | DateTimeField::Years
    );
    is_known.then(|| field.to_string().to_ascii_uppercase())
}

/// Returns the text of a literal number or text. A number in parentheses may have a sign.
fn text_of(tree: &Expr) -> Option<String> {
    match tree {
        Expr::Nested(inner) => match &**inner {
            Expr::UnaryOp {
                op: ast::UnaryOperator::Minus,
                expr,
            } if is_number(expr) => Some(format!("-{expr}")),
            inner => text_of(inner),
        },
        tree if is_number(tree) => Some(tree.to_string()),
        Expr::Value(value) => value.value.clone().into_string(),
        _ => None,
    }
}

fn is_number(tree: &Expr) -> bool {
    matches!(tree, Expr::Value(value) if matches!(value.value, ast::Value::Number(_, false)))
}
