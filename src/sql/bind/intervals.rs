//! `date + INTERVAL 1 MONTH`: literal intervals, next to a day.

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
    let (day, interval, sign) = match (left, op, right) {
        (day, BinaryOperator::Plus, Expr::Interval(interval)) => (day, interval, 1),
        (Expr::Interval(interval), BinaryOperator::Plus, day) => (day, interval, 1),
        (day, BinaryOperator::Minus, Expr::Interval(interval)) => (day, interval, -1),
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

/// Returns what is added to a day, and how many: `INTERVAL 2 WEEK` is 14 days.
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
    // A number of more digits leads beyond the years that there are.
    let number = i128::from(number.trim().parse::<i32>().ok()?);
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
    let unit = field.to_string();
    (is_known || unit.eq_ignore_ascii_case("quarters")).then(|| unit.to_ascii_uppercase())
}

/// Returns the text of a literal number or text. In parentheses, it may have a sign.
fn text_of(tree: &Expr) -> Option<String> {
    match tree {
        Expr::Nested(inner) => match &**inner {
            Expr::UnaryOp {
                op: ast::UnaryOperator::Minus,
                expr,
            } => Some(format!("-{}", text_of(expr)?)),
            inner => text_of(inner),
        },
        Expr::Value(value) => match &value.value {
            ast::Value::Number(text, false) | ast::Value::SingleQuotedString(text) => {
                Some(text.clone())
            }
            _ => None,
        },
        _ => None,
    }
}
