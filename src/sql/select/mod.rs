//! Binds queries: what their clauses say, in terms of tables. Each becomes steps.

mod aggregate;
mod arrange;
mod binder;
mod body;
mod distinct_on;
mod grouping;
mod items;
mod joins;
mod order_by;
mod ordered;
mod queries;
mod relation;
mod semi_join;
mod sets;
mod tables;
mod window;

use sqlparser::ast::{
    self, Distinct, Expr, GroupByExpr, LimitClause, OrderByKind, Query, SelectItem, Spanned,
};

use self::binder::Binder;
use self::body::{Base, Rest};
pub(super) use self::items::{excluded, title_of};
use self::items::{expanded, has_aggregate, has_wildcard};
pub(super) use self::items::{has_window, title_of_item};
use self::joins::BoundFrom;
use self::order_by::ordinal;
use self::ordered::Parts;
pub(super) use self::queries::Queries;
use self::relation::{Relation, RelationColumn};
pub(super) use self::tables::{TableName, tables};
use super::messages::Wrong;
use super::parse::START;
use super::parse::refused;
use super::plan::all_of;
use super::run::steps::Step;

/// Binds a SELECT of a query, with ORDER BY and LIMIT. Returns what its last step makes.
fn select(
    query: &Query,
    select: &ast::Select,
    queries: &mut Queries<'_>,
) -> Result<Relation, Wrong> {
    refused::of_query(query)?;
    refused::of_select(select)?;
    let from = queries.from(select)?;
    let scope = from.scope();
    let mut binder = Binder::new(select, scope, queries);
    let BoundFrom { joins, conditions } = from.bind(select.selection.as_ref(), &mut binder)?;
    let has_joins = !(joins.is_empty() && conditions.is_empty());
    let sample = binder.sample(select, has_joins)?;
    let filter = binder.condition("WHERE", select.selection.as_ref())?;
    let filter = all_of(conditions.into_iter().chain(filter).collect());
    let items = expanded(select, scope)?;
    let sets = if is_grouped(query, select) {
        binder.group_by(query, select, &items)?
    } else {
        Vec::new()
    };
    let mut bound = binder.items(&items)?;
    let having = binder.condition("HAVING", select.having.as_ref())?;
    let qualify = binder.qualify(select.qualify.as_ref())?;
    let titles: Vec<_> = items.iter().map(|item| item.title.clone()).collect();
    let is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
    let orders = binder.orders(query, &titles, is_distinct, &mut bound)?;
    let qualify = match &select.distinct {
        Some(Distinct::On(keys)) => Some(binder.distinct_on(keys, &titles, &mut bound, &orders)?),
        _ => qualify,
    };
    let parts = Parts {
        filter: filter.as_ref(),
        groups: binder.groups.as_ref(),
        having: having.as_ref(),
        select: &bound,
        orders: &orders,
        windows: &binder.windows,
    };
    let ordered = parts.ordered_texts();
    let ordered = ordered.iter().filter_map(|nth| binder.read.get(*nth));
    binder.queries.see_ordered(scope, ordered);
    let columns = bound.iter().zip(items).map(|(of, item)| RelationColumn {
        title: item.title,
        alias: item.alias,
        gives: of.gives,
    });
    let columns = columns.collect();
    let hidden = if has_wildcard(select) {
        scope.hidden()
    } else {
        Vec::new()
    };
    let (limit, offset) = limit(query)?;
    let Binder {
        read,
        groups,
        windows,
        ..
    } = binder;
    let base = Base {
        scope,
        joins,
        read,
        sample,
        filter,
        groups,
        sets,
        having,
    };
    let rest = Rest {
        bound,
        titles,
        orders,
        is_distinct,
        limit,
        offset,
    };
    let plan = if windows.is_empty() {
        base.select(rest, queries)
    } else {
        base.with_windows(windows, qualify, rest, queries)
    };
    let step = queries.push(Step::Select(Box::new(plan)));
    Ok(Relation {
        step,
        columns,
        hidden,
    })
}

/// Says whether a query makes groups: it names keys, or has an aggregate.
fn is_grouped(query: &Query, select: &ast::Select) -> bool {
    let has_keys = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
    };
    has_keys || !has_no_aggregate(query, select)
}

/// Says whether no clause behind GROUP BY has an aggregate, and there is no HAVING.
fn has_no_aggregate(query: &Query, select: &ast::Select) -> bool {
    let items = select.projection.iter().filter_map(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    });
    let mut all = items.chain(&select.having).chain(&select.qualify);
    let orders = match query.order_by.as_ref().map(|order| &order.kind) {
        Some(OrderByKind::Expressions(orders)) => &orders[..],
        _ => &[],
    };
    select.having.is_none()
        && !all.any(has_aggregate)
        && !orders.iter().any(|order| has_aggregate(&order.expr))
}

/// Returns LIMIT and OFFSET.
fn limit(query: &Query) -> Result<(Option<usize>, usize), Wrong> {
    let number = |tree: &Expr| match ordinal(tree) {
        Some(number) => Ok(number),
        None => Err(Wrong::other(
            "LIMIT and OFFSET take a whole number",
            "write LIMIT 10",
            tree.span(),
        )),
    };
    match &query.limit_clause {
        None => Ok((None, 0)),
        Some(LimitClause::LimitOffset {
            limit,
            offset,
            limit_by,
        }) if limit_by.is_empty() => {
            let limit = limit.as_ref().map(number).transpose()?;
            let offset = offset
                .as_ref()
                .map(|offset| number(&offset.value))
                .transpose()?;
            Ok((limit, offset.unwrap_or(0)))
        }
        Some(other) => {
            let instead = "write LIMIT 10 OFFSET 20";
            Err(Wrong::unsupported(&other.to_string(), instead, START))
        }
    }
}
