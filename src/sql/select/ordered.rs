//! The texts of files that a SELECT puts in order: `ORDER BY n`, `max(n)`, `n > '9'`. Where the texts are numbers, somebody may expect the order of numbers.

use super::binder::Groups;
use crate::sql::aggregates::Keeps;
use crate::sql::expression::{Comparison, Expression, Node};
use crate::sql::run::window::Window;
use crate::sql::table::Order;
use crate::sql::types::Type;

/// The parts of a SELECT that may put values in order.
pub(super) struct Parts<'s> {
    pub(super) filter: Option<&'s Expression>,
    pub(super) groups: Option<&'s Groups>,
    /// Of the rows, or of the groups if there are some.
    pub(super) having: Option<&'s Expression>,
    pub(super) select: &'s [Expression],
    pub(super) orders: &'s [Order],
    pub(super) windows: &'s [Window],
}

impl Parts<'_> {
    /// Returns the numbers of the columns that are read and are such texts.
    pub(super) fn ordered_texts(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let of_aggregates = self.groups.iter().flat_map(|groups| &groups.aggregates);
        for aggregate in of_aggregates.clone() {
            let ordered = match aggregate.function.keeps {
                Keeps::Extreme(_) if aggregate.function.names != ["any_value"] => {
                    aggregate.of.first()
                }
                Keeps::Beside(_) => aggregate.of.get(1),
                _ => None,
            };
            found.extend(ordered.and_then(text_of));
        }
        let keys = self.groups.iter().flat_map(|groups| &groups.keys);
        let of_rows = of_aggregates.flat_map(|aggregate| aggregate.expressions());
        for of in self.filter.into_iter().chain(keys).chain(of_rows) {
            compared(of, &mut |of| found.extend(text_of(of)));
        }
        // What follows is of the rows, or of the keys of groups.
        let mut see = |of: &Expression| {
            let keys = self.groups.map(|groups| &groups.keys);
            let of = match (&of.of, keys) {
                (Node::Column(nth), Some(keys)) => keys.get(*nth),
                _ => Some(of),
            };
            found.extend(of.and_then(text_of));
        };
        for of in self.having.into_iter().chain(self.select) {
            compared(of, &mut see);
        }
        for order in self.orders {
            see(&self.select[order.column]);
        }
        for (of, ..) in self.windows.iter().flat_map(|window| &window.orders) {
            see(of);
        }
        found
    }
}

/// Returns the number of a column, if an expression is a text of one.
fn text_of(of: &Expression) -> Option<usize> {
    match of.of {
        Node::Column(nth) if of.gives == Type::Varchar => Some(nth),
        _ => None,
    }
}

/// Calls `see` with each expression whose values are compared in an order.
fn compared(of: &Expression, see: &mut dyn FnMut(&Expression)) {
    match &of.of {
        Node::Compare(Comparison::Equal | Comparison::NotEqual, _) => {}
        Node::Compare(_, operands) => operands.iter().for_each(&mut *see),
        Node::Extreme(_, all) => all.iter().for_each(&mut *see),
        _ => {}
    }
    of.parts().into_iter().for_each(|part| compared(part, see));
}
