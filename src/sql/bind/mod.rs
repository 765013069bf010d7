//! Binds expressions: finds columns and functions, gives each part its type, casts operands, and folds constants.

mod arithmetic;
mod calls;
mod intervals;
mod operators;
mod subqueries;
mod types;

use sqlparser::ast::{self, CastKind, Expr, InTarget, Spanned, TrimWhereField};
use sqlparser::tokenizer::Span;

pub(super) use self::calls::{REWRITTEN, arguments_of};
use self::calls::{access_of, call, call_tree, extract};
pub(super) use self::operators::compare;
use self::operators::{binary, case, in_list, is_null, is_truth, like, not_distinct, unary};
pub(super) use self::subqueries::is_in;
use self::subqueries::{exists, in_subquery, scalar};
pub(super) use self::types::{cast, comparable, in_common};
use self::types::{cast_literal, data_type};
use super::expression::{Comparison, Expression, Node, OnFailure};
use super::messages::Wrong;
use super::types::{Type, WIDTH_MAX};
use super::value::Value;

/// Says what a name, an aggregate or a whole expression means where it stands.
pub(super) trait Names {
    /// Returns the column with a name, perhaps of a named table.
    fn column(&mut self, table: Option<&str>, name: &ast::Ident) -> Result<Expression, Wrong>;

    /// Returns what an expression means as a whole, if it is known: a key of groups.
    fn whole(&mut self, _: &Expr) -> Result<Option<Expression>, Wrong> {
        Ok(None)
    }

    /// Returns the value of an aggregate.
    fn aggregate(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong>;

    /// Returns the value of a window function.
    fn window(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong> {
        Err(Wrong::window_here(
            &call.name.to_string(),
            "such a condition",
            span,
        ))
    }

    /// Binds a query within an expression. Returns the number of its step, and the types of its columns.
    fn subquery(&mut self, query: &ast::Query) -> Result<(usize, Vec<Type>), Wrong> {
        let instead = "ask the inner question first, and write its values in a list";
        Err(Wrong::unsupported("a query here", instead, query.span()))
    }

    /// Returns how many expressions stand within each other so far.
    fn depth(&mut self) -> &mut usize;

    /// Says whether an expression is a text of a file, which is never NULL.
    fn is_never_null(&self, _: &Expression) -> bool {
        false
    }
}

/// The most expressions within each other: evaluating one takes some kilobytes of a worker's stack.
const DEPTH_MOST: usize = 64;

/// Binds an expression.
pub(super) fn expression(tree: &Expr, names: &mut dyn Names) -> Result<Expression, Wrong> {
    if *names.depth() >= DEPTH_MOST {
        return Err(Wrong::too_deep(DEPTH_MOST, tree.span()));
    }
    *names.depth() += 1;
    let bound = bound(tree, names);
    *names.depth() -= 1;
    bound
}

fn bound(tree: &Expr, names: &mut dyn Names) -> Result<Expression, Wrong> {
    if let Some(known) = names.whole(tree)? {
        return Ok(known);
    }
    let span = tree.span();
    match tree {
        Expr::Nested(inner) => expression(inner, names),
        Expr::Identifier(name) => names.column(None, name),
        Expr::CompoundIdentifier(parts) => match &parts[..] {
            [table, name] => names.column(Some(&table.value), name),
            _ => Err(Wrong::unsupported(
                &tree.to_string(),
                "a column has a name, or TABLE.NAME",
                span,
            )),
        },
        Expr::Value(value) => literal(&value.value, span),
        Expr::TypedString(typed) => {
            let to = data_type(&typed.data_type, span)?;
            let text = typed.value.clone().into_string().unwrap_or_default();
            let text = Expression::literal(Value::text(text.as_bytes()), Type::Varchar);
            cast_literal(&text, to, None, span)
        }
        Expr::UnaryOp { op, expr } => unary(op, expr, names, span),
        Expr::BinaryOp { left, op, right } => binary(left, op, right, names, span),
        Expr::IsNull(of) => is_null(of, true, names),
        Expr::IsNotNull(of) => is_null(of, false, names),
        Expr::IsTrue(of) => is_truth(of, Value::Boolean(true), true, names),
        Expr::IsNotTrue(of) => is_truth(of, Value::Boolean(true), false, names),
        Expr::IsFalse(of) => is_truth(of, Value::Boolean(false), true, names),
        Expr::IsNotFalse(of) => is_truth(of, Value::Boolean(false), false, names),
        Expr::IsDistinctFrom(one, other) => Ok(not(not_distinct(one, other, names)?)),
        Expr::IsNotDistinctFrom(one, other) => not_distinct(one, other, names),
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } => {
            let of = expression(expr, names)?;
            let bounds = [(low, Comparison::AtLeast), (high, Comparison::AtMost)];
            let bounds = bounds.into_iter().map(|(bound, comparison)| {
                let bound = expression(bound, names)?;
                compare(comparison, of.clone(), bound, span)
            });
            let both = bounds.collect::<Result<Vec<_>, _>>()?;
            Ok(not_if(
                *negated,
                folded(Expression::boolean(Node::And(both))),
            ))
        }
        Expr::In {
            expr,
            target: InTarget::List(list),
            negated,
            ..
        } => {
            let of = expression(expr, names)?;
            in_list(of, list, *negated, names, span)
        }
        Expr::Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        } => like(
            "~~",
            *negated,
            [expr, pattern],
            escape_char.as_deref(),
            names,
            span,
        ),
        Expr::ILike {
            negated,
            any: false,
            expr,
            pattern,
            escape_char,
        } => like(
            "~~*",
            *negated,
            [expr, pattern],
            escape_char.as_deref(),
            names,
            span,
        ),
        Expr::Cast {
            kind,
            expr,
            data_type: to,
            format: None,
        } => {
            let to = data_type(to, span)?;
            let on_failure = match kind {
                CastKind::SafeCast => {
                    return Err(Wrong::unsupported("SAFE_CAST", "write TRY_CAST", span));
                }
                CastKind::TryCast => OnFailure::Null,
                CastKind::Cast | CastKind::DoubleColon => OnFailure::Error,
            };
            cast(expression(expr, names)?, to, on_failure, span)
        }
        Expr::Case {
            operand,
            conditions,
            else_result,
            ..
        } => case(
            operand.as_deref(),
            conditions,
            else_result.as_deref(),
            names,
            span,
        ),
        Expr::Function(function) => call_tree(function, names, span),
        Expr::Substring {
            expr,
            substring_from,
            substring_for,
            ..
        } => {
            let parts = [Some(expr), substring_from.as_ref(), substring_for.as_ref()];
            let arguments = parts
                .into_iter()
                .flatten()
                .map(|part| expression(part, names));
            let mut arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            if arguments.len() == 2 && substring_from.is_none() {
                arguments.insert(1, whole(1));
            }
            call("substr", arguments, span)
        }
        Expr::Position { expr, r#in } => {
            let arguments = vec![expression(r#in, names)?, expression(expr, names)?];
            call("strpos", arguments, span)
        }
        Expr::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters,
        } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "ltrim",
                Some(TrimWhereField::Trailing) => "rtrim",
                _ => "trim",
            };
            let more = trim_characters.iter().flatten().chain(trim_what.as_deref());
            let all = [&**expr].into_iter().chain(more);
            let arguments = all.map(|part| expression(part, names));
            call(name, arguments.collect::<Result<Vec<_>, _>>()?, span)
        }
        Expr::Extract { field, expr, .. } => {
            let of = expression(expr, names)?;
            extract(&field.to_string(), of, span)
        }
        Expr::Floor {
            expr,
            field: ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime),
        } => call("floor", vec![expression(expr, names)?], span),
        Expr::Ceil {
            expr,
            field: ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime),
        } => call("ceil", vec![expression(expr, names)?], span),
        Expr::CompoundFieldAccess { root, access_chain } => {
            let mut of = expression(root, names)?;
            for access in access_chain {
                of = access_of(of, access, names, span)?;
            }
            Ok(of)
        }
        Expr::Subquery(query) => scalar(query, names),
        Expr::Exists { subquery, negated } => exists(subquery, *negated, names),
        Expr::In {
            expr,
            target: InTarget::Subquery(query),
            negated,
            ..
        } => in_subquery(expr, query, *negated, names),
        Expr::Interval(_) => Err(Wrong::interval(span)),
        Expr::Array(_) => Err(Wrong::unsupported(
            "a list",
            "write a call for each value",
            span,
        )),
        Expr::SimilarTo { .. } => Err(Wrong::unsupported("SIMILAR TO", "write x ~ '^...$'", span)),
        other => Err(Wrong::unsupported(
            &other.to_string(),
            "docs/sql.md lists what expressions may have",
            span,
        )),
    }
}

/// Binds an expression that is true or false.
pub(super) fn condition(
    tree: &Expr,
    clause: &str,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let of = expression(tree, names)?;
    as_boolean(of, clause, tree.span())
}

fn as_boolean(of: Expression, operator: &str, span: Span) -> Result<Expression, Wrong> {
    match of.gives {
        Type::Boolean => Ok(of),
        Type::Null => Ok(Expression::literal(Value::Null, Type::Boolean)),
        found => Err(Wrong::takes(operator, "a condition", found, span)),
    }
}

fn literal(value: &ast::Value, span: Span) -> Result<Expression, Wrong> {
    Ok(match value {
        ast::Value::Number(digits, false) => number(digits, span)?,
        ast::Value::SingleQuotedString(text)
        | ast::Value::EscapedStringLiteral(text)
        | ast::Value::UnicodeStringLiteral(text) => {
            Expression::literal(Value::text(text.as_bytes()), Type::Varchar)
        }
        ast::Value::DollarQuotedString(text) => {
            Expression::literal(Value::text(text.value.as_bytes()), Type::Varchar)
        }
        ast::Value::Boolean(is) => Expression::literal(Value::Boolean(*is), Type::Boolean),
        ast::Value::Null => Expression::literal(Value::Null, Type::Null),
        other => {
            let instead = "numbers, texts in single quotes, TRUE, FALSE and NULL are";
            return Err(Wrong::unsupported(&other.to_string(), instead, span));
        }
    })
}

/// Returns a literal number: whole in the least type that has it, exact with a point, else with a binary exponent.
fn number(digits: &str, span: Span) -> Result<Expression, Wrong> {
    let plain = digits.replace('_', "");
    let no_number = || Wrong::no_cast(&Value::text(digits.as_bytes()), Type::Double, None, span);
    if !plain.contains(['.', 'e', 'E'])
        && let Ok(number) = plain.parse::<i128>()
    {
        let of = match number {
            _ if i32::try_from(number).is_ok() => Type::Integer,
            _ if i64::try_from(number).is_ok() => Type::BigInt,
            _ => Type::HugeInt,
        };
        return Ok(Expression::literal(Value::Whole(number), of));
    }
    if let Some((front, behind)) = plain
        .split_once('.')
        .filter(|_| !plain.contains(['e', 'E']))
    {
        let all = front.len() + behind.len();
        if all <= usize::from(WIDTH_MAX) {
            let of = Type::Decimal(all as u8, behind.len() as u8);
            let value = Value::text(plain.as_bytes()).cast(of);
            return value
                .map(|value| Expression::literal(value, of))
                .map_err(|_| no_number());
        }
    }
    let number = plain.parse().map_err(|_| no_number())?;
    Ok(Expression::literal(Value::Double(number), Type::Double))
}

fn whole(number: i128) -> Expression {
    Expression::literal(Value::Whole(number), Type::Integer)
}

/// Returns the value of an expression that is the same in all rows, unless it has none.
pub(super) fn folded(of: Expression) -> Expression {
    if of.as_literal().is_some() || !of.is_constant() {
        return of;
    }
    match of.constant() {
        Ok(value) => Expression::literal(value, of.gives),
        // A branch of CASE may never be reached.
        Err(_) => of,
    }
}

/// Returns the first value that is not NULL.
pub(super) fn coalesced(all: Vec<Expression>, span: Span) -> Result<Expression, Wrong> {
    let (mut all, gives) = in_common(all, span)?;
    let last = all.pop().expect("one at least");
    if all.is_empty() {
        return Ok(last);
    }
    let branches = all.into_iter().map(|of| {
        let is_null = Expression::boolean(Node::IsNull(Box::new(of.clone())));
        [not(is_null), of]
    });
    let of = Node::Case(branches.collect(), Box::new(last));
    Ok(folded(Expression { of, gives }))
}

fn not(of: Expression) -> Expression {
    folded(Expression::boolean(Node::Not(Box::new(of))))
}

fn not_if(negated: bool, of: Expression) -> Expression {
    if negated { not(of) } else { of }
}
