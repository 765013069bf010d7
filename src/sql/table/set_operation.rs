//! UNION, INTERSECT and EXCEPT of tables in memory.

use super::batch::evaluated;
use crate::sql::evaluate::Fault;
use crate::sql::expression::{Expression, Node, OnFailure};
use crate::sql::table::{Order, Table};
use crate::sql::types::Type;

/// Rows of two tables, whose columns are cast to these types.
#[derive(Clone, Debug)]
pub(in crate::sql) struct SetOperation {
    pub(in crate::sql) of: [usize; 2],
    pub(in crate::sql) gives: Vec<Type>,
    pub(in crate::sql) keeps: KeptRows,
}

/// The rows that a set operation keeps. All but UNION ALL keep each row once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) enum KeptRows {
    UnionAll,
    Union,
    Intersect,
    Except,
}

impl SetOperation {
    pub(in crate::sql) fn table(&self, one: &Table, other: &Table) -> Result<Table, Fault> {
        let as_types = |table: &Table| {
            let columns = table.columns.iter().zip(&self.gives).enumerate();
            let columns = columns.map(|(nth, (column, to))| cast_to(nth, column.gives, *to));
            evaluated(table, &columns.collect::<Vec<_>>())
        };
        let mut all = as_types(one)?;
        all.append(&as_types(other)?);
        if self.keeps == KeptRows::UnionAll {
            return Ok(all);
        }
        let columns: Vec<_> = (0..all.columns.len()).map(Order::ascending).collect();
        let sorted = all.sorted(&columns, None);
        let are_equal = |one: &usize, next: &usize| all.compare(&columns, *one, *next).is_eq();
        let is_of_one = |row: usize| row < one.len();
        let kept = sorted.chunk_by(are_equal).filter_map(|equal| {
            // Equal rows are in the order of the tables.
            let (first, last) = (equal[0], equal[equal.len() - 1]);
            let is_kept = match self.keeps {
                KeptRows::UnionAll | KeptRows::Union => true,
                KeptRows::Intersect => is_of_one(first) && !is_of_one(last),
                KeptRows::Except => is_of_one(last),
            };
            is_kept.then_some(first)
        });
        let mut kept: Vec<_> = kept.collect();
        kept.sort_unstable();
        Ok(all.rows(&kept))
    }
}

/// Returns a column of one type as one of another.
pub(in crate::sql) fn cast_to(nth: usize, from: Type, to: Type) -> Expression {
    let column = Expression::column(nth, from);
    if from == to {
        return column;
    }
    Expression {
        of: Node::Cast(Box::new(column), OnFailure::Error),
        gives: to,
    }
}
