//! Binds queries: what their clauses say, in terms of tables. Each becomes steps.

mod aggregate;
mod arrange;
mod binder;
mod body;
mod grouping;
mod items;
mod joins;
mod ordered;
mod queries;
mod relation;
mod semi_join;
mod sets;
mod tables;
mod window;

use sqlparser::ast::{
    self, Distinct, Expr, GroupByExpr, LimitClause, OrderByKind, OrderByOptions, OrderBySort,
    Query, SelectItem, Spanned,
};

use self::binder::{Binder, Groups};
use self::body::{Base, Rest};
use self::grouping::GroupBy;
use self::items::{aliases, expanded, has_aggregate, has_wildcard};
pub(super) use self::items::{excluded, title_of};
pub(super) use self::items::{has_window, title_of_item};
use self::joins::BoundFrom;
use self::ordered::Parts;
pub(super) use self::queries::Queries;
use self::relation::{Relation, RelationColumn};
pub(super) use self::tables::{TableName, tables};
use super::bind;
use super::messages::Wrong;
use super::parse::START;
use super::plan::all_of;
use super::refused;
use super::steps::Step;
use super::table::{Nulls, Order};

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
    let mut binder = Binder {
        queries,
        scope,
        aliases: aliases(&select.projection),
        read: Vec::new(),
        groups: None,
        windows: Vec::new(),
        named_windows: &select.named_window,
        is_in_aggregate: false,
        clause: "",
        depth: 0,
    };
    let BoundFrom { joins, conditions } = from.bind(select.selection.as_ref(), &mut binder)?;
    let sample = binder.queries.sample_of(select);
    let has_joins = !(joins.is_empty() && conditions.is_empty());
    if let Some(sample) = sample.filter(|_| has_joins) {
        let instead = "join a sample of one table: FROM (FROM indiv USING SAMPLE 1%) i JOIN cm USING (CMTE_ID)";
        return Err(Wrong::unsupported(
            "a sample of joined rows",
            instead,
            sample.span,
        ));
    }
    binder.clause = "WHERE";
    let filter = select.selection.as_ref();
    let filter = filter
        .map(|tree| bind::condition(tree, "WHERE", &mut binder))
        .transpose()?;
    let filter = all_of(conditions.into_iter().chain(filter).collect());

    let items = expanded(select, scope)?;
    let is_grouped = is_grouped(query, select);
    let mut sets = Vec::new();
    if is_grouped {
        let group_by = GroupBy {
            binder: &mut binder,
            items: &items,
            keys: Vec::new(),
            trees: Vec::new(),
            is_twice: false,
        };
        let are_all = matches!(select.group_by, GroupByExpr::All(_));
        let (keys, all) = group_by.bind(&select.group_by)?;
        sets = all;
        // ALL is nothing where all is constant.
        if !(are_all && keys.is_empty() && has_no_aggregate(query, select)) {
            binder.groups = Some(Groups {
                are_named: !keys.is_empty() && !are_all,
                keys,
                aggregates: Vec::new(),
            });
        }
    }
    binder.clause = "SELECT";
    let mut bound = Vec::new();
    for item in &items {
        bound.push(bind::expression(&item.tree, &mut binder)?);
    }
    let having = select.having.as_ref();
    binder.clause = "HAVING";
    let having = having
        .map(|tree| bind::condition(tree, "HAVING", &mut binder))
        .transpose()?;
    binder.clause = "QUALIFY";
    let qualify = select.qualify.as_ref();
    let qualify = qualify
        .map(|tree| bind::condition(tree, "QUALIFY", &mut binder))
        .transpose()?;
    if let Some(tree) = select
        .qualify
        .as_ref()
        .filter(|_| binder.windows.is_empty())
    {
        let what = "QUALIFY without a window function";
        let instead = "write WHERE, or HAVING for groups";
        return Err(Wrong::unsupported(what, instead, tree.span()));
    }
    let titles: Vec<_> = items.iter().map(|item| item.title.clone()).collect();
    binder.clause = "ORDER BY";
    let is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
    let shown = bound.len();
    let orders = binder.orders(query, &titles, &mut bound)?;
    if is_distinct && bound.len() > shown {
        let span = query.order_by.as_ref().map_or(START, Spanned::span);
        return Err(Wrong::unsupported(
            "an order of distinct rows by what is not selected",
            "add it to SELECT",
            span,
        ));
    }
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

/// Returns the number of a column, if an expression is one.
fn ordinal(tree: &Expr) -> Option<usize> {
    match tree {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, false) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn order(column: usize, options: &OrderByOptions) -> Result<Order, Wrong> {
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
