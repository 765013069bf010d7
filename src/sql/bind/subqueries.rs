//! Queries within expressions: scalar ones, EXISTS and IN.

use sqlparser::ast::{Expr, Query, Spanned};

use super::types::{in_common, retyped};
use super::{Names, expression, not_if};
use crate::sql::expression::{Expression, Node, Outcome};
use crate::sql::messages::Wrong;
use crate::sql::types::Type;

/// Binds a query whose one value counts.
pub(super) fn scalar(query: &Query, names: &mut dyn Names) -> Result<Expression, Wrong> {
    let (step, gives) = one_column(query, names)?;
    let of = Node::Subquery(step, Outcome::Value);
    Ok(Expression { of, gives })
}

/// Binds EXISTS.
pub(super) fn exists(
    query: &Query,
    negated: bool,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let (step, _) = names.subquery(query)?;
    let of = Expression::boolean(Node::Subquery(step, Outcome::Exists));
    Ok(not_if(negated, of))
}

/// Binds IN with a query, whose values are cast to the type that both sides have in common.
pub(super) fn in_subquery(
    of: &Expr,
    query: &Query,
    negated: bool,
    names: &mut dyn Names,
) -> Result<Expression, Wrong> {
    let span = of.span();
    let of = expression(of, names)?;
    let (step, gives) = one_column(query, names)?;
    let column = Expression::column(0, gives);
    let (mut both, common) = in_common(vec![of, column], span)?;
    let of = is_in(both.swap_remove(0), common, step);
    Ok(not_if(negated, of))
}

/// Binds the test whether the one column of a table has a value, both of them as one type.
pub(in crate::sql) fn is_in(of: Expression, in_type: Type, step: usize) -> Expression {
    let of = Box::new(retyped(of, in_type));
    Expression::boolean(Node::InSubquery(of, step))
}

fn one_column(query: &Query, names: &mut dyn Names) -> Result<(usize, Type), Wrong> {
    let (step, columns) = names.subquery(query)?;
    match columns[..] {
        [gives] => Ok((step, gives)),
        _ => Err(Wrong::columns_of_subquery(columns.len(), query.span())),
    }
}
