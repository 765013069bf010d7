//! Binds ORDER BY: names, numbers and expressions of SELECT.

use sqlparser::ast::{self, Expr, OrderByKind, OrderByOptions, OrderBySort, Query, Spanned};

use super::binder::{Binder, place_of};
use crate::sql::bind;
use crate::sql::expression::Expression;
use crate::sql::messages::Wrong;
use crate::sql::parse::START;
use crate::sql::table::{Nulls, Order};

impl Binder<'_, '_> {
    /// Binds ORDER BY. Expressions that are not selected become further columns.
    pub(super) fn orders(
        &mut self,
        query: &Query,
        titles: &[String],
        is_distinct: bool,
        bound: &mut Vec<Expression>,
    ) -> Result<Vec<Order>, Wrong> {
        self.clause = "ORDER BY";
        let Some(order_by) = &query.order_by else {
            return Ok(Vec::new());
        };
        let shown = titles.len();
        let mut orders = Vec::new();
        let expressions = match &order_by.kind {
            OrderByKind::All(options) => {
                let order = |column| order(column, options);
                return (0..shown).map(order).collect();
            }
            OrderByKind::Expressions(expressions) => expressions,
        };
        for ast::OrderByExpr {
            expr,
            options,
            with_fill: _,
        } in expressions
        {
            let column = self.ordered(expr, titles, bound)?;
            orders.push(order(column, options)?);
        }
        if is_distinct && bound.len() > shown {
            let what = "an order of distinct rows by what is not selected";
            let instead = "add it to SELECT";
            return Err(Wrong::unsupported(what, instead, order_by.span()));
        }
        Ok(orders)
    }

    /// Returns the column that ORDER BY or DISTINCT ON names. Another expression is added to `bound`.
    pub(super) fn ordered(
        &mut self,
        tree: &Expr,
        titles: &[String],
        bound: &mut Vec<Expression>,
    ) -> Result<usize, Wrong> {
        let (shown, tree) = (titles.len(), without_parentheses(tree));
        let name = match tree {
            Expr::Identifier(name) => Some(&name.value),
            _ => None,
        };
        let titled = name.and_then(|name| {
            self.aliases
                .iter()
                .find(|(alias, _)| alias.eq_ignore_ascii_case(name))?;
            titles
                .iter()
                .rposition(|title| title.eq_ignore_ascii_case(name))
        });
        match (signed_ordinal(tree), titled) {
            (Some(number), _) if (1..=shown as i128).contains(&number) => Ok(number as usize - 1),
            (Some(_), _) => Err(no_such_column(tree, shown)),
            (None, Some(column)) => Ok(column),
            (None, None) if is_literal(tree) => {
                let what = format!("a literal in {} has no effect", self.clause);
                let advice = "name a column, or its number";
                Err(Wrong::other(what, advice, tree.span()))
            }
            (None, None) => {
                let of = bind::expression(tree, self)?;
                Ok(place_of(bound, of))
            }
        }
    }
}

/// Returns the number of a column, if an expression is one.
pub(super) fn ordinal(tree: &Expr) -> Option<usize> {
    match tree {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, false) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn without_parentheses(tree: &Expr) -> &Expr {
    match tree {
        Expr::Nested(inner) => without_parentheses(inner),
        tree => tree,
    }
}

/// Returns the number of a column in GROUP BY and ORDER BY. Signs and parentheses are of the number, as in DuckDB: `-(-1)` is 1.
pub(super) fn signed_ordinal(tree: &Expr) -> Option<i128> {
    match without_parentheses(tree) {
        Expr::UnaryOp {
            op: ast::UnaryOperator::Minus,
            expr,
        } => Some(-signed_ordinal(expr)?),
        tree => Some(ordinal(tree)? as i128),
    }
}

/// Returns the order by a column.
pub(super) fn order(column: usize, options: &OrderByOptions) -> Result<Order, Wrong> {
    let is_descending = match options.sort {
        None | Some(OrderBySort::Asc) => false,
        Some(OrderBySort::Desc) => true,
        Some(_) => return Err(Wrong::unsupported("USING", "write ASC or DESC", START)),
    };
    let nulls = match options.nulls_first {
        Some(true) => Nulls::First,
        _ => Nulls::Last,
    };
    Ok(Order {
        column,
        is_descending,
        nulls,
    })
}

/// Says whether an expression is a literal, perhaps with a sign.
fn is_literal(tree: &Expr) -> bool {
    match tree {
        Expr::UnaryOp {
            op: ast::UnaryOperator::Minus | ast::UnaryOperator::Plus,
            expr,
        } => is_literal(without_parentheses(expr)),
        tree => matches!(tree, Expr::Value(_)),
    }
}

/// Returns the error for a number beyond the columns of SELECT.
pub(super) fn no_such_column(number: &Expr, columns: usize) -> Wrong {
    Wrong::other(
        format!("there is no column {number} in SELECT, which has {columns}"),
        "write a number from 1 on, or the expression",
        number.span(),
    )
}
