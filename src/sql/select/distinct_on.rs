//! Binds DISTINCT ON: of rows with the same values, the first one in the order of ORDER BY.

use sqlparser::ast::{Expr, Spanned};

use super::binder::{Binder, WINDOWS};
use crate::sql::bind;
use crate::sql::expression::{Comparison, Expression};
use crate::sql::messages::Wrong;
use crate::sql::parse::START;
use crate::sql::run::window::{Bound, Frame, Function, Window};
use crate::sql::table::Order;
use crate::sql::types::Type;
use crate::sql::value::Value;

impl Binder<'_, '_> {
    /// Numbers the rows of each key. Returns the condition that keeps the first ones: `QUALIFY row_number() OVER (..) = 1`.
    pub(super) fn distinct_on(
        &mut self,
        keys: &[Expr],
        titles: &[String],
        bound: &mut Vec<Expression>,
        orders: &[Order],
    ) -> Result<Expression, Wrong> {
        let Some(first) = keys.first() else {
            let what = "DISTINCT ON without a key";
            return Err(Wrong::unsupported(what, "write SELECT DISTINCT", START));
        };
        let span = first.span();
        if !self.windows.is_empty() {
            let what = "DISTINCT ON beside window functions";
            let instead = "write QUALIFY row_number() OVER (PARTITION BY x ORDER BY y) = 1";
            return Err(Wrong::unsupported(what, instead, span));
        }
        self.clause = "DISTINCT ON";
        let orders = orders.iter().map(|order| {
            let of = bound[order.column].clone();
            (of, order.is_descending, order.nulls)
        });
        let orders = orders.collect();
        let before = bound.len();
        let mut partition = Vec::new();
        for key in keys {
            let column = self.ordered(key, titles, bound)?;
            partition.push(bound[column].clone());
        }
        bound.truncate(before);
        self.windows.push(Window {
            function: Function::RowNumber,
            partition,
            orders,
            frame: Frame {
                start: Bound::Unbounded,
                end: Bound::Peer,
            },
            gives: Type::BigInt,
        });
        let number = Expression::column(WINDOWS, Type::BigInt);
        let one = Expression::literal(Value::Whole(1), Type::BigInt);
        bind::compare(Comparison::Equal, number, one, span)
    }
}
