//! Binds UNION, INTERSECT and EXCEPT, and the ORDER BY and LIMIT after them.

use sqlparser::ast::{Expr, OrderByKind, Query, SetExpr, SetOperator, SetQuantifier, Spanned};
use sqlparser::tokenizer::Span;

use super::limit;
use super::order_by::{order, signed_ordinal, without_parentheses};
use super::queries::Queries;
use super::relation::{Relation, RelationColumn};
use crate::sql::messages::Wrong;
use crate::sql::plan::{Body, Plan, Source};
use crate::sql::run::steps::Step;
use crate::sql::table::Order;
use crate::sql::table::set_operation::{KeptRows, SetOperation};

impl Queries<'_> {
    /// Binds what stands where a query has its SELECT. Returns the titles of the other side of a union, too.
    pub(super) fn set(&mut self, body: &SetExpr) -> Result<(Relation, Vec<String>), Wrong> {
        let (op, left, right, quantifier) = match body {
            SetExpr::Query(query) => return Ok((self.query(query)?, Vec::new())),
            SetExpr::Select(_) => return Ok((self.query(&bare(body.clone()))?, Vec::new())),
            SetExpr::SetOperation {
                op,
                set_quantifier,
                left,
                right,
            } => (op, left, right, set_quantifier),
            other => {
                let instead = "write SELECT ... FROM ...";
                return Err(Wrong::unsupported(
                    &other.to_string(),
                    instead,
                    other.span(),
                ));
            }
        };
        let is_distinct = matches!(quantifier, SetQuantifier::Distinct | SetQuantifier::None);
        let keeps = match (op, quantifier) {
            (SetOperator::Union, SetQuantifier::All) => KeptRows::UnionAll,
            (SetOperator::Union, _) if is_distinct => KeptRows::Union,
            (SetOperator::Intersect, _) if is_distinct => KeptRows::Intersect,
            (SetOperator::Except, _) if is_distinct => KeptRows::Except,
            (SetOperator::Union, other) => {
                let what = format!("UNION {other}");
                let instead = "select the columns in the same order";
                return Err(Wrong::unsupported(&what, instead, right.span()));
            }
            (op, other) => {
                let what = format!("{op} {other}");
                let instead = if *other == SetQuantifier::All {
                    "leave out ALL, or number the rows with row_number()"
                } else {
                    "write UNION, INTERSECT or EXCEPT, and select the columns in one order"
                };
                return Err(Wrong::unsupported(what.trim(), instead, right.span()));
            }
        };
        let (one, mut others) = self.set(left)?;
        let (other, more) = self.set(right)?;
        let span = right.span();
        if one.columns.len() != other.columns.len() {
            let what = format!(
                "{op} has {} columns on one side, and {} on the other",
                one.columns.len(),
                other.columns.len()
            );
            return Err(Wrong::other(what, "select as many on both sides", span));
        }
        let columns = one.columns.iter().zip(&other.columns);
        let gives = columns.map(|(one, other)| {
            let common = one.gives.common(other.gives);
            common.ok_or_else(|| Wrong::no_common_type(one.gives, other.gives, span))
        });
        let gives = gives.collect::<Result<Vec<_>, _>>()?;
        others.extend(more);
        others.extend(other.titles());
        let columns = one.columns.into_iter().zip(&gives);
        let columns = columns.map(|(column, &gives)| RelationColumn { gives, ..column });
        let columns = columns.collect();
        let step = self.push(Step::Set(SetOperation {
            of: [one.step, other.step],
            gives,
            keeps,
        }));
        let relation = Relation {
            step,
            columns,
            hidden: one.hidden,
        };
        Ok((relation, others))
    }

    /// Adds ORDER BY and LIMIT to what a union or a query in parentheses makes. `others` are the titles of the other sides.
    pub(super) fn ordered(
        &mut self,
        query: &Query,
        relation: Relation,
        others: &[String],
    ) -> Result<Relation, Wrong> {
        let orders = orders(query, &relation, others)?;
        let (limit, offset) = limit(query)?;
        if orders.is_empty() && limit.is_none() && offset == 0 {
            return Ok(relation);
        }
        let step = self.push(Step::Select(Box::new(Plan {
            source: Source::Step(relation.step),
            read: relation.read(),
            joins: Vec::new(),
            sample: None,
            filter: None,
            body: Body::Rows(relation.select()),
            titles: relation.titles(),
            orders,
            is_distinct: false,
            limit,
            offset,
        })));
        Ok(Relation { step, ..relation })
    }
}

/// Makes a query of one SELECT.
fn bare(body: SetExpr) -> Query {
    Query {
        with: None,
        body: Box::new(body),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    }
}

/// Returns the orders of a union: by its columns, or their numbers.
fn orders(query: &Query, relation: &Relation, others: &[String]) -> Result<Vec<Order>, Wrong> {
    let Some(order_by) = &query.order_by else {
        return Ok(Vec::new());
    };
    let columns = relation.columns.len();
    let expressions = match &order_by.kind {
        OrderByKind::All(options) => {
            return (0..columns).map(|column| order(column, options)).collect();
        }
        OrderByKind::Expressions(expressions) => expressions,
    };
    let mut orders = Vec::new();
    for by in expressions {
        let span = by.expr.span();
        let column = match (without_parentheses(&by.expr), signed_ordinal(&by.expr)) {
            (_, Some(number)) if (1..=columns as i128).contains(&number) => number as usize - 1,
            (Expr::Identifier(name), _) => titled(&name.value, relation, others, span)?,
            (other, _) => {
                let what = format!("an order by {other} behind UNION or parentheses");
                let instead = "order by a column of the first SELECT, or by its number";
                return Err(Wrong::unsupported(&what, instead, span));
            }
        };
        orders.push(order(column, &by.options)?);
    }
    Ok(orders)
}

/// Returns the number of the column with a name, which no other column of a side of a union may have.
fn titled(name: &str, relation: &Relation, others: &[String], span: Span) -> Result<usize, Wrong> {
    let is_it = |title: &&String| title.eq_ignore_ascii_case(name);
    let titles = relation.titles();
    let count = relation.columns.len();
    let places = titles.iter().chain(others).enumerate();
    let mut places = places.filter(|(_, title)| is_it(title));
    let Some((first, _)) = places.next().filter(|(place, _)| *place < count) else {
        let instead = "order by a column of the first SELECT, or by its number";
        let what = format!("an order by {name}, which the first SELECT has not,");
        return Err(Wrong::unsupported(&what, instead, span));
    };
    if places.any(|(place, _)| place % count != first) {
        let what = format!("{name} is the name of two columns");
        return Err(Wrong::other(
            what,
            "order by the number of the column",
            span,
        ));
    }
    Ok(first)
}
