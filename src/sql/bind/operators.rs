//! Operators: comparisons, arithmetic, AND and OR, IN, LIKE, CASE.

use std::sync::Arc;

use sqlparser::ast::{self, BinaryOperator, Expr, Spanned, UnaryOperator};
use sqlparser::tokenizer::Span;

use super::arithmetic::arithmetic;
use super::calls::call;
use super::intervals::shifted;
use super::types::{cast, cast_literal, comparable, in_common, in_type, is_text_literal};
use super::{Names, as_boolean, condition, expression, folded, not, not_if};
use crate::sql::expression::{Comparison, Expression, Node, OnFailure, Operator};
use crate::sql::messages::Wrong;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// Binds a comparison.
pub(in crate::sql) fn compare(
    comparison: Comparison,
    one: Expression,
    other: Expression,
    span: Span,
) -> Result<Expression, Wrong> {
    let (both, _) = comparable([one, other], span)?;
    let of = Node::Compare(comparison, Box::new(both));
    Ok(folded(Expression::boolean(of)))
}

/// The most values of a list after IN.
const LIST_MOST: usize = 20_000;

pub(in crate::sql) fn not_distinct(
    one: &Expr,
    other: &Expr,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let span = one.span();
    let (one, other) = (expression(one, names)?, expression(other, names)?);
    let (both, _) = comparable([one, other], span)?;
    let of = Node::IsNotDistinct(Box::new(both));
    Ok(folded(Expression::boolean(of)))
}

pub(in crate::sql) fn is_null(
    of: &Expr,
    wanted: bool,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let bound = expression(of, names)?;
    if names.is_never_null(&bound) {
        return Err(Wrong::never_null(&of.to_string(), wanted, of.span()));
    }
    let is_null = folded(Expression::boolean(Node::IsNull(Box::new(bound))));
    Ok(not_if(!wanted, is_null))
}

pub(in crate::sql) fn is_truth(
    of: &Expr,
    value: Value,
    wanted: bool,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let bound = as_boolean(expression(of, names)?, "IS TRUE", of.span())?;
    let both = Box::new([bound, Expression::literal(value, Type::Boolean)]);
    let is = folded(Expression::boolean(Node::IsNotDistinct(both)));
    Ok(not_if(!wanted, is))
}

pub(in crate::sql) fn in_list(
    of: Expression,
    list: &[Expr],
    negated: bool,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    if list.len() > LIST_MOST {
        let what = format!("a list of {} values", list.len());
        let instead = "lists have at most 20,000; join a file that has them";
        return Err(Wrong::unsupported(&what, instead, span));
    }
    let values = list.iter().map(|value| expression(value, names));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    if values.iter().any(|value| value.as_literal().is_none()) {
        let equal = values
            .into_iter()
            .map(|value| compare(Comparison::Equal, of.clone(), value, span));
        let any = Node::Or(equal.collect::<Result<Vec<_>, _>>()?);
        return Ok(not_if(negated, folded(Expression::boolean(any))));
    }
    let mut all = vec![of];
    all.extend(values);
    let (mut all, _) = in_type(all, Type::compared, span)?;
    let mut values: Vec<_> = all
        .drain(1..)
        .filter_map(|value| value.as_literal().cloned())
        .collect();
    let before = values.len();
    values.retain(|value| *value != Value::Null);
    let has_null = values.len() < before;
    values.sort_by(Value::compare);
    values.dedup_by(|one, other| one.compare(other).is_eq());
    let of = all.pop().expect("the first");
    let node = Node::In(Box::new(of), Arc::from(values), has_null);
    Ok(not_if(negated, folded(Expression::boolean(node))))
}

pub(in crate::sql) fn like(
    operator: &str,
    negated: bool,
    operands: [&Expr; 2],
    escape: Option<&Expr>,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    let all = operands
        .into_iter()
        .chain(escape)
        .map(|of| expression(of, names));
    Ok(not_if(
        negated,
        call(operator, all.collect::<Result<Vec<_>, _>>()?, span)?,
    ))
}

pub(in crate::sql) fn case(
    operand: Option<&Expr>,
    conditions: &[ast::CaseWhen],
    otherwise: Option<&Expr>,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    let operand = operand
        .map(|operand| expression(operand, names))
        .transpose()?;
    let (mut whens, mut results) = (Vec::new(), Vec::new());
    for ast::CaseWhen {
        condition: when,
        result,
    } in conditions
    {
        let span = when.span();
        whens.push(match &operand {
            None => condition(when, "WHEN", names)?,
            Some(operand) => {
                let value = expression(when, names)?;
                compare(Comparison::Equal, operand.clone(), value, span)?
            }
        });
        results.push(expression(result, names)?);
    }
    results.push(match otherwise {
        Some(otherwise) => expression(otherwise, names)?,
        None => Expression::literal(Value::Null, Type::Null),
    });
    let (mut results, gives) = in_common(results, span)?;
    let otherwise = results.pop().expect("the last");
    let branches = whens
        .into_iter()
        .zip(results)
        .map(|(when, result)| [when, result]);
    let of = Node::Case(branches.collect(), Box::new(otherwise));
    Ok(folded(Expression { of, gives }))
}

pub(in crate::sql) fn unary(
    op: &UnaryOperator,
    of: &Expr,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    let bound = expression(of, names)?;
    match op {
        UnaryOperator::Not => Ok(not(as_boolean(bound, "NOT", span)?)),
        UnaryOperator::Plus if bound.gives.is_number() => Ok(bound),
        UnaryOperator::Minus if bound.gives == Type::Null => {
            Ok(Expression::literal(Value::Null, Type::Integer))
        }
        UnaryOperator::Minus if bound.gives.is_number() => {
            // -2147483648 is a number of 32 bits, although 2147483648 is none.
            if let Some(Value::Whole(number)) = bound.as_literal() {
                let negative = -number;
                let of = match negative {
                    _ if i32::try_from(negative).is_ok() && bound.gives != Type::HugeInt => {
                        Type::Integer
                    }
                    _ if i64::try_from(negative).is_ok() => Type::BigInt,
                    _ => Type::HugeInt,
                };
                let of = if bound.gives == Type::Integer || of == Type::HugeInt {
                    of
                } else {
                    of.common(bound.gives).unwrap_or(of)
                };
                return Ok(Expression::literal(Value::Whole(negative), of));
            }
            let gives = bound.gives;
            let of = Node::Negate(Box::new(bound));
            Ok(folded(Expression { of, gives }))
        }
        UnaryOperator::Plus | UnaryOperator::Minus => {
            Err(Wrong::takes(&op.to_string(), "a number", bound.gives, span))
        }
        _ => Err(Wrong::unsupported(
            &format!("the operator {op}"),
            "docs/sql.md lists the operators",
            span,
        )),
    }
}

fn is_comparison(tree: &Expr) -> bool {
    matches!(tree, Expr::BinaryOp { op, .. } if comparison_of(op).is_some())
}

fn comparison_of(op: &BinaryOperator) -> Option<Comparison> {
    Some(match op {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::NotEq => Comparison::NotEqual,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::AtMost,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::AtLeast,
        _ => return None,
    })
}

pub(in crate::sql) fn binary(
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    if let Some(comparison) = comparison_of(op) {
        if is_comparison(left) || is_comparison(right) {
            return Err(Wrong::unsupported(
                "a comparison of comparisons",
                "connect them by AND",
                span,
            ));
        }
        let (one, other) = (expression(left, names)?, expression(right, names)?);
        return compare_titled(comparison, [one, other], [left, right], span);
    }
    if matches!(op, BinaryOperator::And | BinaryOperator::Or) {
        let mut trees = Vec::new();
        flatten(op, left, &mut trees);
        flatten(op, right, &mut trees);
        let all = trees.iter().map(|tree| operand(tree, &trees, op, names));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let node = if *op == BinaryOperator::And {
            Node::And(all)
        } else {
            Node::Or(all)
        };
        return Ok(folded(Expression::boolean(node)));
    }
    if let Some(day) = shifted(left, op, right, names, span)? {
        return Ok(day);
    }
    let (one, other) = (expression(left, names)?, expression(right, names)?);
    let operator = match op {
        BinaryOperator::Plus => Operator::Add,
        BinaryOperator::Minus => Operator::Subtract,
        BinaryOperator::Multiply => Operator::Multiply,
        BinaryOperator::Divide => Operator::Divide,
        BinaryOperator::DuckIntegerDivide => Operator::DivideWhole,
        BinaryOperator::Modulo => Operator::Remainder,
        BinaryOperator::StringConcat => return join_texts(one, other, span),
        BinaryOperator::PGRegexMatch => return call("~", vec![one, other], span),
        BinaryOperator::PGRegexNotMatch => return Ok(not(call("~", vec![one, other], span)?)),
        BinaryOperator::PGLikeMatch => return call("~~", vec![one, other], span),
        BinaryOperator::PGILikeMatch => return call("~~*", vec![one, other], span),
        BinaryOperator::PGNotLikeMatch => return Ok(not(call("~~", vec![one, other], span)?)),
        BinaryOperator::PGNotILikeMatch => return Ok(not(call("~~*", vec![one, other], span)?)),
        BinaryOperator::PGRegexIMatch | BinaryOperator::PGRegexNotIMatch => {
            let what = format!("the operator {op}");
            let instead = "write regexp_matches(x, '...', 'i')";
            return Err(Wrong::unsupported(&what, instead, span));
        }
        _ => {
            let what = format!("the operator {op}");
            return Err(Wrong::unsupported(
                &what,
                "docs/sql.md lists the operators",
                span,
            ));
        }
    };
    arithmetic(operator, one, other, &op.to_string(), span)
}

/// Adds the operands of a chain of AND, or of OR.
fn flatten<'e>(op: &BinaryOperator, tree: &'e Expr, all: &mut Vec<&'e Expr>) {
    match tree {
        Expr::BinaryOp {
            left,
            op: same,
            right,
        } if same == op => {
            flatten(op, left, all);
            flatten(op, right, all);
        }
        Expr::Nested(inner) if matches!(&**inner, Expr::BinaryOp { op: same, .. } if same == op) => {
            flatten(op, inner, all);
        }
        other => all.push(other),
    }
}

/// Binds an operand of AND, or of OR. `MEMO_CD IS NULL OR MEMO_CD <> 'X'` says by itself what an empty text is: IS NULL is false there.
fn operand(
    tree: &Expr,
    others: &[&Expr],
    op: &BinaryOperator,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let (of, is_null) = match tree {
        Expr::IsNull(of) => (of, true),
        Expr::IsNotNull(of) => (of, false),
        _ => return condition(tree, &op.to_string(), names),
    };
    let is_compared = others.iter().any(|other| match other {
        Expr::BinaryOp { left, op, .. } => comparison_of(op).is_some() && left == of,
        Expr::In { expr, .. } | Expr::Like { expr, .. } | Expr::ILike { expr, .. } => expr == of,
        _ => false,
    });
    let bound = expression(of, names)?;
    if is_compared && names.is_never_null(&bound) {
        return Ok(Expression::literal(Value::Boolean(!is_null), Type::Boolean));
    }
    condition(tree, &op.to_string(), names)
}

/// Binds a comparison whose errors name its sides as they are written.
fn compare_titled(
    comparison: Comparison,
    sides: [Expression; 2],
    trees: [&Expr; 2],
    span: Span,
) -> Result<Expression, Wrong> {
    for (nth, side) in sides.iter().enumerate() {
        let other = &sides[1 - nth];
        if is_text_literal(side) && !is_text_literal(other) && other.gives != Type::Null {
            let title = trees[1 - nth].to_string();
            cast_literal(side, other.gives, Some(&title), trees[nth].span())?;
        }
    }
    let [one, other] = sides;
    compare(comparison, one, other, span)
}

/// Binds `||`: NULL makes NULL, and numbers become texts.
fn join_texts(one: Expression, other: Expression, span: Span) -> Result<Expression, Wrong> {
    let as_text = |of: Expression| cast(of, Type::Varchar, OnFailure::Error, span);
    call("||", vec![as_text(one)?, as_text(other)?], span)
}
