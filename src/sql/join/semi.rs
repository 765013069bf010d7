//! Semi-joins: which rows of files a condition on a joined table leaves out, decided once for each key of the table, before rows are joined.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::HashedTable;
use super::batch::{Joined, Pair};
use super::texts::with_joined_text;
use crate::scan::ROWS;
use crate::sql::evaluate::Fault;
use crate::sql::expression::{Expression, Node};
use crate::sql::filter::{Filter, SemiJoin, SemiJoined, conjuncts};
use crate::sql::keys::{KeyForm, decode};
use crate::sql::plan::{Join, Plan, all_of};
use crate::sql::types::Type;
use crate::sql::vector::first;

/// Adds to the filter of the scan what the conditions of a plan on each of its joined tables leave out. Where every key is that of one row, that
/// decides the conditions; a table of which nothing else is asked is joined no longer. Without such conditions, a text of the file may be
/// compared with a joined one.
pub(in crate::sql) fn with_semi_joins(
    plan: &mut Plan,
    tables: &[HashedTable],
    mut filter: Filter,
) -> Filter {
    if plan.joins.iter().any(|join| join.keeps[1]) {
        return filter;
    }
    let mut has_semi_joins = false;
    for (nth, table) in tables.iter().enumerate() {
        let join = &plan.joins[nth];
        let Some(column) = text_key(join, plan) else {
            continue;
        };
        let conditions = plan.filter.as_ref().map_or(Vec::new(), conjuncts);
        let (own, others): (Vec<_>, Vec<_>) = conditions
            .into_iter()
            .partition(|of| is_of(of, join, table));
        if own.is_empty() {
            continue;
        }
        let Some(semi_join) = table.semi_join(join, &own) else {
            continue;
        };
        filter = filter.with_semi_join(column, semi_join);
        has_semi_joins = true;
        if table.has_one_row_a_key() {
            let others = others.into_iter().cloned().collect();
            let columns = table.columns(join);
            plan.filter = all_of(others);
            plan.joins[nth].is_decided = !plan.reads(&columns);
        }
    }
    if has_semi_joins {
        // The rows that they leave out would count in their tables twice.
        return filter;
    }
    with_joined_text(plan, tables, filter)
}

/// Says whether a condition is known of all rows of a joined table, and has no other columns.
fn is_of(condition: &Expression, join: &Join, table: &HashedTable) -> bool {
    let (own, mut is_own) = (table.columns(join), true);
    condition.each_column(&mut |nth| is_own &= own.contains(&nth));
    is_own && !condition.may_fail()
}

/// Returns the place of the column of texts of the file that alone leads to the table.
pub(super) fn text_key(join: &Join, plan: &Plan) -> Option<usize> {
    match &join.keys[0][..] {
        [
            Expression {
                of: Node::Column(nth),
                ..
            },
        ] if join.condition.is_none() => {
            let read = plan.read.get(*nth).filter(|read| read.is_plain())?;
            Some(read.place)
        }
        _ => None,
    }
}

impl HashedTable {
    /// Returns the numbers that the columns have in a plan.
    pub(super) fn columns(&self, join: &Join) -> Range<usize> {
        let first = join.before.len();
        first..first + self.table.columns.len()
    }

    pub(super) fn has_one_row_a_key(&self) -> bool {
        self.ends.values().all(|[head, last]| head == last)
    }

    /// Returns which keys lead to a row of which all conditions are true. Returns none if they are true of rows without a match.
    fn semi_join(&self, join: &Join, conditions: &[&Expression]) -> Option<SemiJoin> {
        let nothing = self
            .are_true(join, conditions, &[Pair::new(None, None)])
            .ok()?;
        if join.keeps[0] && nothing[0] {
            return None;
        }
        let rows: Vec<_> = (0..self.table.len() as u32).collect();
        let mut are_true = Vec::with_capacity(rows.len());
        for rows in rows.chunks(ROWS) {
            let pairs = rows.iter().map(|row| Pair::new(None, Some(*row)));
            let pairs: Vec<_> = pairs.collect();
            are_true.extend(self.are_true(join, conditions, &pairs).ok()?);
        }
        let mut keys = HashMap::with_capacity(self.ends.len());
        for (key, [head, last]) in &self.ends {
            let (_, part) = key.split_last()?;
            let values = decode([part].into_iter(), Type::Varchar, KeyForm::Escaped);
            let mut at = Some(*head);
            let mut passes = false;
            while let Some(row) = at {
                passes |= are_true[row as usize];
                at = self.next[row as usize];
            }
            let key: Box<[u8]> = values.text(0).into();
            keys.insert(key, SemiJoined::new(passes, head != last));
        }
        let counts = Arc::clone(&self.counts);
        Some(SemiJoin::new(&keys, counts))
    }

    /// Says of each pair whether all conditions are true.
    fn are_true(
        &self,
        join: &Join,
        conditions: &[&Expression],
        pairs: &[Pair],
    ) -> Result<Vec<bool>, Fault> {
        let joined = Joined::new(None, join, &self.table, pairs);
        let mut hold = first(pairs.len());
        for condition in conditions {
            hold &= condition.values(&joined, first(pairs.len()))?.is_true();
        }
        Ok((0..pairs.len()).map(|nth| hold >> nth & 1 == 1).collect())
    }
}
