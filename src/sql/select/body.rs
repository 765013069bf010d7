//! Makes plans of what the clauses of a SELECT say. Window functions take three steps: the rows or groups, their windows, and what is
//! selected of both.

use super::arrange::arrange;
use super::binder::{Groups, WINDOWS, place_of};
use super::joins::BoundJoin;
use super::queries::Queries;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::parse::using_sample::UsingSample;
use crate::sql::plan::{Body, Grouping, Plan, Source};
use crate::sql::run::steps::Step;
use crate::sql::run::window::Window;
use crate::sql::scope::{Scope, ScopeTable};
use crate::sql::table::Order;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// The rows or groups of a SELECT, before its windows.
pub(super) struct Base<'s> {
    pub(super) scope: &'s Scope,
    pub(super) joins: Vec<BoundJoin>,
    pub(super) read: Vec<Read>,
    pub(super) sample: Option<UsingSample>,
    pub(super) filter: Option<Expression>,
    pub(super) groups: Option<Groups>,
    /// The grouping sets.
    pub(super) sets: Vec<Vec<usize>>,
    pub(super) having: Option<Expression>,
}

/// What a SELECT makes of them.
pub(super) struct Rest {
    /// What is selected, and then what the rows are ordered by.
    pub(super) bound: Vec<Expression>,
    pub(super) titles: Vec<String>,
    pub(super) orders: Vec<Order>,
    pub(super) is_distinct: bool,
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
}

/// Lets all columns decide where others leave an order open, so that it is the same at any number of threads.
fn order_by_all(orders: &mut Vec<Order>, columns: usize) {
    for column in 0..columns {
        if orders.iter().all(|order| order.column != column) {
            orders.push(Order::ascending(column));
        }
    }
}

impl Base<'_> {
    /// Returns the plan of a SELECT without windows.
    pub(super) fn select(self, rest: Rest, queries: &mut Queries<'_>) -> Plan {
        let Rest {
            mut bound,
            titles,
            mut orders,
            is_distinct,
            limit,
            offset,
        } = rest;
        let is_grouped = self.groups.is_some();
        let body = match self.groups {
            // Rows that differ are groups.
            None if is_distinct => {
                order_by_all(&mut orders, bound.len());
                Body::Groups(Grouping {
                    select: columns(bound.iter().map(|of| of.gives)),
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
                for key in columns(keys.iter().map(|key| key.gives)) {
                    let column = place_of(&mut bound, key);
                    if orders.iter().all(|order| order.column != column) {
                        orders.push(Order::ascending(column));
                    }
                }
                Body::Groups(Grouping {
                    sets: self.sets,
                    keys,
                    aggregates,
                    having: self.having,
                    select: bound,
                })
            }
        };
        let mut plan = Plan {
            source: self.scope.tables[0].source,
            read: self.read,
            joins: Vec::new(),
            sample: self.sample,
            filter: self.filter,
            body,
            titles,
            orders,
            is_distinct: is_distinct && is_grouped,
            limit,
            offset,
        };
        if !self.joins.is_empty() {
            arrange(&mut plan, &self.scope.tables, &self.joins, queries);
        }
        plan
    }

    /// Adds the steps of windows. Returns the plan of what is selected of them.
    pub(super) fn with_windows(
        self,
        windows: Vec<Window>,
        qualify: Option<Expression>,
        rest: Rest,
        queries: &mut Queries<'_>,
    ) -> Plan {
        // All that windows and the selected expressions may name.
        let mut types: Vec<_> = match &self.groups {
            None => self.read.iter().map(|read| read.gives).collect(),
            Some(Groups {
                keys, aggregates, ..
            }) => {
                let keys = keys.iter().map(|key| key.gives);
                let aggregates = aggregates.iter().map(|aggregate| aggregate.gives());
                keys.chain(aggregates).collect()
            }
        };
        let mut bound = columns(types.iter().copied());
        if bound.is_empty() {
            // A table without columns would have no rows.
            bound.push(Expression::literal(Value::Boolean(true), Type::Boolean));
            types.push(Type::Boolean);
        }
        let titles = vec![String::new(); bound.len()];
        let base = Rest {
            bound,
            titles,
            orders: Vec::new(),
            is_distinct: false,
            limit: None,
            offset: 0,
        };
        let base = self.select(base, queries);
        let base = queries.push(Step::Select(Box::new(base)));
        let before = types.len();
        types.extend(windows.iter().map(|window| window.gives));
        let step = queries.push(Step::Windows(base, windows));
        let number = |nth: usize| nth.checked_sub(WINDOWS).map_or(nth, |nth| before + nth);
        let mut rest = rest;
        let mut filter = qualify;
        let all = rest.bound.iter_mut().chain(&mut filter);
        all.for_each(|of| of.each_column_mut(&mut |nth| *nth = number(*nth)));
        let read = types.iter().enumerate().map(|(place, &gives)| Read {
            table: 0,
            place,
            gives,
            has_line_breaks: false,
        });
        let scope = Scope {
            tables: vec![ScopeTable {
                bytes: 0,
                source: Source::Step(step),
                name: String::new(),
                title: String::new(),
                columns: Vec::new(),
                has_line_breaks: false,
                has_numbers: false,
            }],
            merged: Vec::new(),
        };
        let with_windows = Base {
            scope: &scope,
            joins: Vec::new(),
            read: read.collect(),
            sample: None,
            filter,
            groups: None,
            sets: Vec::new(),
            having: None,
        };
        with_windows.select(rest, queries)
    }
}

/// Returns the columns of these types.
fn columns(types: impl Iterator<Item = Type>) -> Vec<Expression> {
    let columns = types.enumerate().map(|(nth, gives)| Expression {
        of: Node::Column(nth),
        gives,
    });
    columns.collect()
}
