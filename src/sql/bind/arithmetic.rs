//! Binds operators of numbers and of days: the types of operands and results.

use sqlparser::tokenizer::Span;

use super::folded;
use super::types::widened;
use crate::sql::expression::{Expression, Node, Operator};
use crate::sql::messages::Wrong;
use crate::sql::types::{Type, WIDTH_MAX, WORD_DIGITS};

/// Binds an operator of two numbers, or of days.
pub(super) fn arithmetic(
    operator: Operator,
    one: Expression,
    other: Expression,
    title: &str,
    span: Span,
) -> Result<Expression, Wrong> {
    let node = |operator, one, other, gives| {
        let of = Node::Arithmetic(operator, Box::new([one, other]));
        Ok(folded(Expression { of, gives }))
    };
    match (operator, one.gives, other.gives) {
        (Operator::Add, Type::Date, whole) if whole.is_whole() => {
            return node(Operator::AddDays, one, other, Type::Date);
        }
        (Operator::Add, whole, Type::Date) if whole.is_whole() => {
            return node(Operator::AddDays, other, one, Type::Date);
        }
        (Operator::Subtract, Type::Date, whole) if whole.is_whole() => {
            return node(Operator::SubtractDays, one, other, Type::Date);
        }
        (Operator::Subtract, Type::Date, Type::Date) => {
            return node(Operator::DaysBetween, one, other, Type::BigInt);
        }
        _ => {}
    }
    for of in [&one, &other] {
        if !of.gives.is_number() && of.gives != Type::Null {
            return Err(Wrong::takes(title, "numbers", of.gives, span));
        }
    }
    let common = one.gives.compared(other.gives);
    let common = common.ok_or_else(|| Wrong::no_common_type(one.gives, other.gives, span))?;
    let common = if common == Type::Null {
        Type::Integer
    } else {
        common
    };
    let (gives, operands) = match operator {
        Operator::Divide => (Type::Double, Type::Double),
        Operator::DivideWhole if !common.is_whole() => (Type::Double, Type::Double),
        _ if matches!(common, Type::Decimal(..)) => {
            let gives = decimal_type(operator, typed(&one, common), typed(&other, common));
            let Some(gives) = gives else {
                let what = format!("a product with more than {WIDTH_MAX} digits behind the point");
                let instead = "cast a factor: CAST(x AS DOUBLE)";
                return Err(Wrong::unsupported(&what, instead, span));
            };
            if operator == Operator::Multiply {
                return node(operator, one, other, gives);
            }
            (gives, gives)
        }
        _ => (common, common),
    };
    node(
        operator,
        widened(one, operands, span)?,
        widened(other, operands, span)?,
        gives,
    )
}

/// Returns the type of an operand. NULL takes any type.
fn typed(of: &Expression, or: Type) -> Type {
    if of.gives == Type::Null { or } else { of.gives }
}

/// Returns the type of a sum, a difference, a product or a remainder of exact numbers, one of them a decimal. A product may have too many decimals for
/// any type.
fn decimal_type(operator: Operator, one: Type, other: Type) -> Option<Type> {
    let (front, scale) = one.digits_with(other)?;
    let digits = front + scale;
    match operator {
        Operator::Multiply => {
            let (width, other_width) = (one.width()?, other.width()?);
            let scale = one.scale()? + other.scale()?;
            // DuckDB keeps products of two numbers of 64 bits in 64 bits.
            let is_short = width.max(other_width) <= WORD_DIGITS && scale < WORD_DIGITS;
            let most = if is_short { WORD_DIGITS } else { WIDTH_MAX };
            (scale <= most).then(|| Type::Decimal(most.min(width + other_width), scale))
        }
        Operator::Remainder if digits > WIDTH_MAX => Some(Type::Double),
        Operator::Remainder => Some(Type::Decimal(digits, scale)),
        _ => Some(Type::Decimal(WIDTH_MAX.min(digits + 1), scale)),
    }
}
