//! Binds a query: what its clauses say, in terms of one table.

mod aggregate;
mod binder;
mod grouping;
mod items;

use sqlparser::ast::{
    self, Distinct, Expr, GroupByExpr, LimitClause, OrderByKind, OrderByOptions, OrderBySort,
    Query, SelectItem, SetExpr, Spanned, TableFactor,
};
use sqlparser::tokenizer::Span;

use self::binder::{Binder, Groups, place_of};
use self::grouping::GroupBy;
use self::items::{aliases, expanded, has_aggregate};
use super::bind;
use super::expression::{Expression, Node};
use super::messages::Wrong;
use super::parse::START;
use super::plan::{Body, Grouping, Plan};
use super::scope::ScopeTable;
use super::table::{Nulls, Order};

/// What FROM names.
#[derive(Clone, Debug)]
pub(super) struct From {
    /// A path, or a schema.
    pub(super) name: String,
    /// Whether it stands in quotes.
    pub(super) is_path: bool,
    pub(super) alias: Option<String>,
    pub(super) span: Span,
}

/// Returns what the one table of a query is.
pub(super) fn from(query: &Query) -> Result<From, Wrong> {
    let select = select_of(query)?;
    let table = match &select.from[..] {
        [] => {
            let span = select.projection.first().map_or(START, Spanned::span);
            return Err(Wrong::other(
                "the statement has no FROM",
                "write FROM 'FILE', or FROM indiv and the files behind the statement",
                span,
            ));
        }
        [table] if table.joins.is_empty() => &table.relation,
        [table, ..] => {
            let span = table
                .joins
                .first()
                .map_or(START, |join| join.relation.span());
            let instead = "by and export join files";
            return Err(Wrong::unsupported("a join", instead, span));
        }
    };
    match table {
        TableFactor::Table {
            name,
            alias,
            args: None,
            sample: None,
            ..
        } => {
            let span = name.span();
            let [part] = &name.0[..] else {
                return Err(Wrong::unsupported(
                    &name.to_string(),
                    "write FROM 'FILE' or FROM indiv",
                    span,
                ));
            };
            let ident = part.as_ident();
            let ident = ident.ok_or_else(|| Wrong::no_table(&name.to_string(), span))?;
            Ok(From {
                name: ident.value.clone(),
                is_path: ident.quote_style.is_some(),
                alias: alias.as_ref().map(|alias| alias.name.value.clone()),
                span,
            })
        }
        TableFactor::Derived { .. } => {
            let instead = "ask the inner question first, and read its result";
            Err(Wrong::unsupported("a query in FROM", instead, table.span()))
        }
        other => {
            let instead = "write FROM 'FILE' or FROM indiv";
            Err(Wrong::unsupported(
                &other.to_string(),
                instead,
                other.span(),
            ))
        }
    }
}

fn select_of(query: &Query) -> Result<&ast::Select, Wrong> {
    if let Some(with) = &query.with {
        let instead = "ask the inner question first, and read its result";
        return Err(Wrong::unsupported("WITH", instead, with.span()));
    }
    match &*query.body {
        SetExpr::Select(select) => Ok(select),
        SetExpr::Query(inner) => select_of(inner),
        SetExpr::SetOperation { op, .. } => Err(Wrong::unsupported(
            &op.to_string(),
            "ask one question after the other",
            query.body.span(),
        )),
        other => {
            let instead = "write SELECT ... FROM ...";
            Err(Wrong::unsupported(
                &other.to_string(),
                instead,
                other.span(),
            ))
        }
    }
}

/// Binds a query to its table.
pub(super) fn plan(query: &Query, table: &ScopeTable) -> Result<Plan, Wrong> {
    let select = select_of(query)?;
    refuse_others(query, select)?;
    let mut binder = Binder {
        table,
        aliases: aliases(&select.projection),
        read: Vec::new(),
        groups: None,
        clause: "WHERE",
        depth: 0,
    };
    let filter = select.selection.as_ref();
    let filter = filter
        .map(|tree| bind::condition(tree, "WHERE", &mut binder))
        .transpose()?;

    let items = expanded(select, table)?;
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
    let is_grouped = binder.groups.is_some();
    binder.clause = "SELECT";
    let mut bound = Vec::new();
    for (tree, _) in &items {
        bound.push(bind::expression(tree, &mut binder)?);
    }
    let having = select.having.as_ref();
    binder.clause = "HAVING";
    let having = having
        .map(|tree| bind::condition(tree, "HAVING", &mut binder))
        .transpose()?;
    let titles: Vec<_> = items.iter().map(|(_, title)| title.clone()).collect();
    binder.clause = "ORDER BY";
    let is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
    let shown = bound.len();
    let mut orders = binder.orders(query, &titles, &mut bound)?;
    if is_distinct && bound.len() > shown {
        let span = query.order_by.as_ref().map_or(START, Spanned::span);
        return Err(Wrong::unsupported(
            "an order of distinct rows by what is not selected",
            "add it to SELECT",
            span,
        ));
    }
    let (limit, offset) = limit(query)?;
    let Binder { read, groups, .. } = binder;
    let body = match groups {
        // Rows that differ are groups.
        None if is_distinct => {
            let select = bound.iter().enumerate();
            let select = select.map(|(nth, of)| Expression {
                of: Node::Column(nth),
                gives: of.gives,
            });
            Body::Groups(Grouping {
                select: select.collect(),
                sets: vec![(0..bound.len()).collect()],
                keys: bound,
                aggregates: Vec::new(),
                having: None,
            })
        }
        None => Body::Rows(bound),
        Some(Groups {
            keys, aggregates, ..
        }) => {
            // Equal groups keep the order of their keys.
            for (nth, key) in keys.iter().enumerate() {
                let column = Expression {
                    of: Node::Column(nth),
                    gives: key.gives,
                };
                let column = place_of(&mut bound, column);
                if orders.iter().all(|order| order.column != column) {
                    orders.push(Order {
                        column,
                        is_descending: false,
                        nulls: Nulls::Last,
                    });
                }
            }
            Body::Groups(Grouping {
                sets,
                keys,
                aggregates,
                having,
                select: bound,
            })
        }
    };
    Ok(Plan {
        schema: table.schema,
        read,
        filter,
        body,
        titles,
        orders,
        is_distinct: is_distinct && is_grouped,
        limit,
        offset,
    })
}

/// Refuses clauses that are not supported.
fn refuse_others(query: &Query, select: &ast::Select) -> Result<(), Wrong> {
    let clauses: [(&str, bool, &str); 8] = [
        ("FETCH", query.fetch.is_some(), "write LIMIT"),
        (
            "FOR",
            query.for_clause.is_some() || !query.locks.is_empty(),
            "leave it out",
        ),
        (
            "INTO",
            select.into.is_some(),
            "write the result with -o FILE",
        ),
        ("TOP", select.top.is_some(), "write LIMIT"),
        (
            "QUALIFY",
            select.qualify.is_some(),
            "write the groups with -o FILE and let DuckDB go on",
        ),
        (
            "WINDOW",
            !select.named_window.is_empty(),
            "write the groups with -o FILE and let DuckDB go on",
        ),
        (
            "LATERAL VIEW",
            !select.lateral_views.is_empty(),
            "leave it out",
        ),
        (
            "DISTINCT ON",
            matches!(select.distinct, Some(Distinct::On(_))),
            "write SELECT DISTINCT",
        ),
    ];
    match clauses.iter().find(|(_, is_there, _)| *is_there) {
        Some((clause, _, instead)) => Err(Wrong::unsupported(clause, instead, select.span())),
        None => Ok(()),
    }
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
    let mut all = items.chain(&select.having);
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
