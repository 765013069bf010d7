//! Puts what queries within expressions find in their places.

use super::errors;
use super::steps::Runner;
use crate::error::Error;
use crate::sql::RunFold;
use crate::sql::evaluate::Fault;
use crate::sql::expression::{Expression, Node, Outcome};
use crate::sql::plan::Plan;
use crate::sql::table::batch::evaluated;
use crate::sql::table::set_operation::cast_to;
use crate::sql::table::{Order, Table};
use crate::sql::value::Value;

impl<R: RunFold> Runner<'_, R> {
    /// Returns a plan with the outcomes of queries within its expressions, if all have one.
    pub(in crate::sql) fn filled(&mut self, plan: &Plan) -> Result<Option<Plan>, Error> {
        let mut plan = plan.clone();
        let are_known = self.fill_all(&mut plan.expressions_mut().into_iter())?;
        Ok(are_known.then_some(plan))
    }

    /// Puts the outcomes of queries within expressions in their places. Says whether all have one.
    pub(super) fn fill_all(
        &mut self,
        all: &mut dyn Iterator<Item = &mut Expression>,
    ) -> Result<bool, Error> {
        for of in all {
            if !self.fill(of)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fill(&mut self, of: &mut Expression) -> Result<bool, Error> {
        if !self.fill_all(&mut of.parts_mut().into_iter())? {
            return Ok(false);
        }
        let made = match &of.of {
            Node::Subquery(step, _) | Node::InSubquery(_, step) => self.table(*step)?,
            _ => return Ok(true),
        };
        let Some(table) = made else { return Ok(false) };
        of.of = match std::mem::replace(&mut of.of, Node::Literal(Value::Null)) {
            Node::Subquery(_, Outcome::Exists) => Node::Literal(Value::Boolean(table.len() > 0)),
            Node::Subquery(_, Outcome::Value) => match table.len() {
                0 => Node::Literal(Value::Null),
                1 => Node::Literal(table.columns[0].get(0)),
                rows => return Err(errors::several_rows(rows)),
            },
            Node::InSubquery(operand, _) => {
                let made = self.shared(table.len(), || is_in(operand, &table));
                made.map_err(|fault| fault.error())?
            }
            other => other,
        };
        Ok(true)
    }
}

/// Returns whether a value is in the column of a table.
fn is_in(operand: Box<Expression>, table: &Table) -> Result<Node, Fault> {
    if table.len() == 0 {
        // Not even NULL is in no rows.
        return Ok(Node::Literal(Value::Boolean(false)));
    }
    let column = cast_to(0, table.columns[0].gives, operand.gives);
    let table = evaluated(table, &[column])?;
    // NULL is last, and equal to nothing.
    let numbers = table.sorted(&[Order::ascending(0)], None);
    let values = numbers.iter().map(|row| table.columns[0].get(*row));
    let mut values: Vec<_> = values.take_while(|value| *value != Value::Null).collect();
    let has_null = values.len() < table.len();
    values.dedup_by(|one, other| one.compare(other).is_eq());
    Ok(Node::In(operand, values.into(), has_null))
}
