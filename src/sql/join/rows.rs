//! The rows that the rows of files make with joined tables, batch by batch, where no groups and no table in memory take them.

use std::sync::Arc;

use super::{HashedTable, each_joined};
use crate::fold::Matches;
use crate::scan::Vector;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::Expression;
use crate::sql::file::{FileBatch, Read};
use crate::sql::filter::JoinRows;
use crate::sql::plan::{Join, Plan};
use crate::sql::table::Table;
use crate::sql::vector::{Mask, each, first};

/// The joins of a plan, and its conditions on the rows that they make. The columns of the file are numbered first, and then the columns of
/// each table.
#[derive(Debug)]
pub(in crate::sql) struct JoinedRows {
    joins: Vec<Join>,
    tables: Vec<HashedTable>,
    filter: Option<Expression>,
    /// The names of tables whose columns nothing reads.
    unused: Vec<String>,
    /// The columns of the file that keys and conditions read.
    pub(in crate::sql) read: Vec<Read>,
}

impl JoinedRows {
    /// Takes the joins and the conditions of a plan. The join with a table is dropped if nothing reads its columns and each
    /// key has one row.
    pub(in crate::sql) fn of(plan: &mut Plan, tables: Vec<HashedTable>) -> JoinedRows {
        let mut unused = Vec::new();
        for (nth, table) in tables.iter().enumerate() {
            let join = &plan.joins[nth];
            if join.is_decided || plan.reads(&table.columns(join)) {
                continue;
            }
            if join.keeps == [true, false] && table.has_one_row_a_key() {
                unused.push(join.names[1].clone());
                plan.joins[nth].is_decided = true;
            }
        }
        JoinedRows {
            joins: plan.joins.clone(),
            tables,
            filter: plan.filter.take(),
            unused,
            read: plan.read.clone(),
        }
    }

    /// Sees the joined rows of a batch for which the conditions are true: batches, and the masks of their rows.
    ///
    /// # Errors
    /// If a value can't be known.
    pub(in crate::sql) fn each(
        &self,
        batch: &FileBatch<'_>,
        see: &mut dyn FnMut(&dyn Batch, Mask) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut see = |joined: &dyn Batch| {
            let all = first(joined.rows());
            let kept = match &self.filter {
                None => all,
                Some(filter) => filter.values(joined, all)?.is_true() & all,
            };
            if kept == 0 { Ok(()) } else { see(joined, kept) }
        };
        each_joined(&self.joins, &self.tables, batch, &mut see)
    }

    /// Returns the column of a table with a number of the plan.
    pub(in crate::sql) fn column(&self, number: usize) -> (&Arc<Table>, usize) {
        let mut tables = self.joins.iter().zip(&self.tables);
        let found = tables.find_map(|(join, table)| {
            let place = number.checked_sub(join.before.len())?;
            (place < table.table.columns.len()).then_some((&table.table, place))
        });
        found.expect("the column is one of a joined table")
    }

    /// Returns about how many joined rows a row makes at most.
    pub(in crate::sql) fn most(&self) -> usize {
        let joins = self.joins.iter().zip(&self.tables);
        let joins = joins.filter(|(join, _)| !join.is_decided);
        let most = joins.map(|(_, table)| table.most_of_a_key());
        most.fold(1, usize::saturating_mul)
    }
}

impl JoinRows for JoinedRows {
    fn read(&self) -> &[Read] {
        &self.read
    }

    fn are_decided(&self) -> bool {
        self.filter.is_none() && self.joins.iter().all(|join| join.is_decided)
    }

    fn each_row(
        &self,
        columns: Vec<Vector<'_>>,
        rows: usize,
        see: &mut dyn FnMut(usize),
    ) -> Result<(), Fault> {
        let batch = FileBatch::of(columns, rows, &self.read);
        self.each(&batch, &mut |joined, kept| {
            each(kept, |row| see(joined.scanned_row(row)));
            Ok(())
        })
    }

    fn take_matches(&self) -> Vec<Matches> {
        let joins = self.joins.iter().zip(&self.tables);
        let matches = joins.map(|(join, table)| table.take_matches(join));
        matches.flatten().collect()
    }

    fn unused(&self) -> &[String] {
        &self.unused
    }
}
