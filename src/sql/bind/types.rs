//! Casts: those that are written, and those to the type that operands have in common.

use sqlparser::ast;
use sqlparser::tokenizer::Span;

use super::folded;
use crate::sql::expression::{Expression, Node, OnFailure};
use crate::sql::messages::Wrong;
use crate::sql::types::Type;
use crate::sql::value::NoCast;

/// Says whether an expression is a text in quotes, which may be of any type.
pub(in crate::sql) fn is_text_literal(of: &Expression) -> bool {
    of.gives == Type::Varchar && of.as_literal().is_some()
}

/// Returns a literal as one of another type, as an operator takes it.
pub(in crate::sql) fn cast_literal(
    of: &Expression,
    to: Type,
    title: Option<&str>,
    span: Span,
) -> Result<Expression, Wrong> {
    let value = of.as_literal().expect("a literal");
    match value.cast(to) {
        Ok(value) => Ok(Expression::literal(value, to)),
        Err(NoCast::Unreadable | NoCast::OutOfRange) => Err(Wrong::no_cast(value, to, title, span)),
    }
}

/// Returns an expression as one of another type that values of its type have in common with others.
pub(in crate::sql) fn widened(of: Expression, to: Type, span: Span) -> Result<Expression, Wrong> {
    if of.gives == to {
        return Ok(of);
    }
    if of.as_literal().is_some() {
        return cast_literal(&of, to, None, span);
    }
    Ok(Expression {
        of: Node::Cast(Box::new(of), OnFailure::Error),
        gives: to,
    })
}

/// Returns expressions in the type that they have in common.
pub(in crate::sql) fn in_common(
    all: Vec<Expression>,
    span: Span,
) -> Result<(Vec<Expression>, Type), Wrong> {
    let mut common = Type::Null;
    for of in all.iter().filter(|of| !is_text_literal(of)) {
        let next = common.common(of.gives);
        common = next.ok_or_else(|| Wrong::no_common_type(common, of.gives, span))?;
    }
    if common == Type::Null && all.iter().any(is_text_literal) {
        common = Type::Varchar;
    }
    let title = all
        .iter()
        .any(|of| !is_text_literal(of))
        .then(|| "the other side".to_owned());
    let all = all.into_iter().map(|of| {
        if is_text_literal(&of) {
            cast_literal(&of, common, title.as_deref(), span)
        } else {
            widened(of, common, span)
        }
    });
    Ok((all.collect::<Result<Vec<_>, _>>()?, common))
}

pub(in crate::sql) fn pair(
    one: Expression,
    other: Expression,
    span: Span,
) -> Result<(Box<[Expression; 2]>, Type), Wrong> {
    let (both, common) = in_common(vec![one, other], span)?;
    let both: [Expression; 2] = both.try_into().expect("two");
    Ok((Box::new(both), common))
}

/// Binds a cast that is written.
pub(in crate::sql) fn cast(
    of: Expression,
    to: Type,
    on_failure: OnFailure,
    span: Span,
) -> Result<Expression, Wrong> {
    let is_possible = match (of.gives, to) {
        (one, other) if one == other => return Ok(of),
        (Type::Null | Type::Varchar, _) | (_, Type::Varchar) => true,
        (one, other) => {
            let is_plain = |of: Type| of.is_number() || of == Type::Boolean;
            is_plain(one) && is_plain(other)
        }
    };
    if !is_possible {
        return Err(Wrong::no_common_type(of.gives, to, span));
    }
    let is_literal = of.as_literal().is_some();
    if is_literal && on_failure == OnFailure::Error {
        return cast_literal(&of, to, None, span);
    }
    let node = Node::Cast(Box::new(of), on_failure);
    Ok(folded(Expression {
        of: node,
        gives: to,
    }))
}

/// Returns a type that is written.
pub(in crate::sql) fn data_type(written: &ast::DataType, span: Span) -> Result<Type, Wrong> {
    use ast::{DataType, ExactNumberInfo};
    Ok(match written {
        DataType::Boolean | DataType::Bool => Type::Boolean,
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) | DataType::Int32 => {
            Type::Integer
        }
        DataType::BigInt(None) | DataType::Int8(None) | DataType::Int64 => Type::BigInt,
        DataType::HugeInt | DataType::Int128 => Type::HugeInt,
        DataType::Double(ExactNumberInfo::None)
        | DataType::DoublePrecision
        | DataType::Float8
        | DataType::Float64 => Type::Double,
        DataType::Date => Type::Date,
        DataType::Varchar(None)
        | DataType::Text
        | DataType::String(None)
        | DataType::Char(None) => Type::Varchar,
        DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => match info {
            ExactNumberInfo::None => Type::Decimal(3),
            ExactNumberInfo::Precision(1..=38) => Type::Decimal(0),
            ExactNumberInfo::PrecisionAndScale(digits @ 1..=38, scale)
                if (0..=*digits as i64).contains(scale) =>
            {
                Type::Decimal(*scale as u8)
            }
            _ => {
                return Err(Wrong::unsupported(
                    &written.to_string(),
                    "write DECIMAL(14,2), with at most 38 digits",
                    span,
                ));
            }
        },
        other => {
            let instead = "types are BOOLEAN, INTEGER, BIGINT, HUGEINT, DECIMAL(14,2), DOUBLE, DATE and VARCHAR";
            return Err(Wrong::unsupported(&other.to_string(), instead, span));
        }
    })
}
