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

/// Casts an expression to a wider type. A decimal of fewer digits stays as it is, because its units do not change.
pub(in crate::sql) fn widened(of: Expression, to: Type, span: Span) -> Result<Expression, Wrong> {
    if of.gives == to {
        return Ok(of);
    }
    if of.as_literal().is_some() {
        return cast_literal(&of, to, None, span);
    }
    let has_room = matches!((of.gives, to), (Type::Decimal(from, one), Type::Decimal(to, other)) if one == other && from <= to);
    Ok(if has_room { of } else { retyped(of, to) })
}

/// Casts an expression to a type that has all its values.
pub(super) fn retyped(of: Expression, to: Type) -> Expression {
    if of.gives == to {
        return of;
    }
    Expression {
        of: Node::Cast(Box::new(of), OnFailure::Error),
        gives: to,
    }
}

/// Casts expressions to the type that CASE and UNION give them.
pub(in crate::sql) fn in_common(
    all: Vec<Expression>,
    span: Span,
) -> Result<(Vec<Expression>, Type), Wrong> {
    in_type(all, Type::common, span)
}

/// Casts two expressions to the type in which they are compared.
pub(in crate::sql) fn comparable(
    both: [Expression; 2],
    span: Span,
) -> Result<([Expression; 2], Type), Wrong> {
    let (both, of) = in_type(both.into(), Type::compared, span)?;
    Ok((both.try_into().expect("two"), of))
}

/// Casts expressions to one type, which `rule` finds for two types at a time.
pub(super) fn in_type(
    all: Vec<Expression>,
    rule: fn(Type, Type) -> Option<Type>,
    span: Span,
) -> Result<(Vec<Expression>, Type), Wrong> {
    let mut common = Type::Null;
    for of in all.iter().filter(|of| !is_text_literal(of)) {
        let next = rule(common, of.gives);
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
            ExactNumberInfo::None => Type::Decimal(18, 3),
            ExactNumberInfo::Precision(digits @ 1..=38) => Type::Decimal(*digits as u8, 0),
            ExactNumberInfo::PrecisionAndScale(digits @ 1..=38, scale)
                if (0..=*digits as i64).contains(scale) =>
            {
                Type::Decimal(*digits as u8, *scale as u8)
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
