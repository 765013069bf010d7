//! SEMI JOIN and ANTI JOIN: conditions on rows that ask whether another table has their key.

use sqlparser::ast::{BinaryOperator, Expr, JoinConstraint};
use sqlparser::tokenizer::Span;

use super::binder::Binder;
use super::joins::column_of;
use crate::sql::bind::{self, Names};
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::messages::Wrong;
use crate::sql::plan::{Body, Plan};
use crate::sql::run::steps::Step;
use crate::sql::scope::Scope;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// A table that is asked for the keys of the rows before.
pub(super) struct SemiJoin<'a> {
    /// The number of the tables before, among those of FROM.
    pub(super) before: usize,
    /// The table alone.
    pub(super) of: Scope,
    pub(super) constraint: &'a JoinConstraint,
    /// Whether rows without a match stay.
    pub(super) is_anti: bool,
    pub(super) span: Span,
}

/// An expression of the table, and the columns that it reads.
struct Bound {
    of: Expression,
    read: Vec<Read>,
}

impl SemiJoin<'_> {
    /// Returns the condition on rows, whose tables are the binder's scope.
    pub(super) fn condition<'t>(
        &'t self,
        binder: &mut Binder<'t, '_>,
    ) -> Result<Expression, Wrong> {
        let (one, Bound { of, read }) = match self.constraint {
            JoinConstraint::Using(names) => {
                let [name] = &names[..] else {
                    return Err(self.of_other_keys());
                };
                let name = column_of(name)?;
                let one = binder.column(None, name)?;
                let other = self.within(binder, |binder| binder.column(None, name))?;
                (one, other)
            }
            JoinConstraint::On(tree) => self.equality(tree, binder)?,
            _ => return Err(self.of_other_keys()),
        };
        let ([one, key], gives) = bind::comparable([one, of], self.span)?;
        let step = binder.queries.push(Step::Select(Box::new(Plan {
            source: self.of.tables[0].source,
            read,
            joins: Vec::new(),
            sample: None,
            filter: None,
            body: Body::Rows(vec![key]),
            titles: vec![String::new()],
            orders: Vec::new(),
            is_distinct: false,
            limit: None,
            offset: 0,
        })));
        let is_in = bind::is_in(one, gives, step);
        if !self.is_anti {
            return Ok(is_in);
        }
        // A key that is NULL has no match, and keys that are NULL are none.
        let no = Expression::literal(Value::Boolean(false), Type::Boolean);
        let is_in = bind::coalesced(vec![is_in, no], self.span)?;
        Ok(Expression::boolean(Node::Not(Box::new(is_in))))
    }
    /// Binds `a.x = b.y`, of which one side is of the table.
    fn equality<'t>(
        &'t self,
        tree: &Expr,
        binder: &mut Binder<'t, '_>,
    ) -> Result<(Expression, Bound), Wrong> {
        let (left, right) = match tree {
            Expr::Nested(inner) => return self.equality(inner, binder),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } => (left, right),
            _ => return Err(self.of_other_keys()),
        };
        for (one, other) in [(left, right), (right, left)] {
            let of_table = self.within(binder, |binder| bind::expression(other, binder));
            if let Ok(of_table) = of_table
                && of_table.of.has_columns()
            {
                return Ok((bind::expression(one, binder)?, of_table));
            }
        }
        // The error names what is unknown.
        self.within(binder, |binder| bind::expression(right, binder))?;
        Err(self.of_other_keys())
    }

    /// Binds an expression of the table.
    fn within<'t>(
        &'t self,
        binder: &mut Binder<'t, '_>,
        bind: impl FnOnce(&mut Binder<'t, '_>) -> Result<Expression, Wrong>,
    ) -> Result<Bound, Wrong> {
        let before = (binder.scope, std::mem::take(&mut binder.read));
        binder.scope = &self.of;
        let bound = bind(binder);
        let read = std::mem::replace(&mut binder.read, before.1);
        binder.scope = before.0;
        Ok(Bound { of: bound?, read })
    }

    fn of_other_keys(&self) -> Wrong {
        let instead = "write ON a.x = b.y, or USING (x)";
        Wrong::unsupported("such a SEMI JOIN or ANTI JOIN", instead, self.span)
    }
}
