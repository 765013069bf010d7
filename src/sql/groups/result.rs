//! Makes the rows of the result from the groups.

use super::batch::{GroupBatch, NoRows};
use super::{Counts, GroupsFold, Partial, SetGroups};
use crate::error::Error;
use crate::fold::tables::{self, DistinctCounts};
use crate::scan::ROWS;
use crate::sql::AllGroups;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::Expression;
use crate::sql::table::Table;
use crate::sql::vector::{each, first};

/// The rows of a result that are not cut, however few are wanted.
const ROWS_UNCUT: usize = 64;

impl GroupsFold<'_> {
    /// Returns the rows of the result, before their order is final.
    ///
    /// # Errors
    /// If a value of a group can't be known, or there were too many groups.
    pub(in crate::sql) fn finish(
        &self,
        mut partial: Partial,
    ) -> Result<(Table, Counts, Option<AllGroups>), Error> {
        self.check()?;
        let counts = partial.counts;
        let mut all = Table::new(self.plan.types());
        let mut all_groups = self.all_groups();
        for (set, keys) in partial.sets.iter_mut().zip(&self.grouping.sets) {
            if keys.is_empty() && counts.kept == 0 {
                // Without keys, there is one group, of no rows perhaps.
                let added = self.push_batch(&NoRows(self), None, &mut all, &mut all_groups);
                added.map_err(|fault| fault.error())?;
                continue;
            }
            set.groups.finish();
            let distinct: Vec<_> = set.distinct.iter().map(DistinctCounts::of).collect();
            let pieces = set
                .groups
                .each_part(|groups| self.result_of(groups, keys, set, &distinct));
            for piece in pieces {
                let (rows, of_piece) = piece.map_err(|fault| fault.error())?;
                all.append(&rows);
                let both = all_groups.iter_mut().zip(&of_piece);
                both.for_each(|(all, piece)| all.merge(piece));
            }
            self.check()?;
        }
        Ok((all, counts, all_groups))
    }

    fn all_groups(&self) -> Option<AllGroups> {
        let columns = self.grouping.select.len();
        self.options.adds_up.then(|| AllGroups::new(columns))
    }

    /// Makes the rows of the result of some groups of a set.
    fn result_of(
        &self,
        groups: &tables::Groups,
        keys: &[usize],
        set: &SetGroups,
        distinct: &[DistinctCounts],
    ) -> Result<(Table, Option<AllGroups>), Fault> {
        let mut table = Table::new(self.plan.types());
        let mut all_groups = self.all_groups();
        self.room.look(3, 4);
        if self.room.is_over() {
            return Ok((table, all_groups));
        }
        let most = self.plan.most().filter(|_| !self.plan.is_distinct);
        let cut = |table: &Table, most| table.rows(&table.sorted(&self.plan.orders, Some(most)));
        // The last row of those that are first so far.
        let mut last = None;
        for start in (0..groups.len()).step_by(ROWS) {
            let batch = GroupBatch {
                fold: self,
                keys,
                set,
                groups,
                distinct,
                start,
            };
            self.push_batch(&batch, last, &mut table, &mut all_groups)?;
            // The rows that can't be among the first ones go, now and then.
            if let Some(most) = most
                && table.len() > most.saturating_mul(2).max(ROWS_UNCUT)
            {
                table = cut(&table, most);
                last = most.checked_sub(1).filter(|_| self.may_leave_out());
            }
        }
        let table = match most {
            Some(most) if most < table.len() => cut(&table, most),
            _ => table,
        };
        Ok((table, all_groups))
    }

    /// Says whether groups that come after others need no values: none of them may be unknowable.
    fn may_leave_out(&self) -> bool {
        let mut select = self.grouping.select.iter();
        !self.plan.orders.is_empty() && !select.any(Expression::may_fail)
    }

    /// Adds the rows of the result of some groups, but for those that come after the row of the table with the number `last`.
    fn push_batch(
        &self,
        batch: &dyn Batch,
        last: Option<usize>,
        table: &mut Table,
        all_groups: &mut Option<AllGroups>,
    ) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let mut kept = match &self.grouping.having {
            None => rows,
            Some(having) => having.values(batch, rows)?.is_true() & rows,
        };
        let select = &self.grouping.select[..];
        if let Some(all) = all_groups {
            all.add(select, self.grouping.keys.len(), batch, kept)?;
        }
        if let Some(last) = last {
            // Most groups come after it, and the first orders tell.
            let (mut before, mut equal) = (0, kept);
            for order in &self.plan.orders {
                if equal == 0 {
                    break;
                }
                let values = select[order.column].values(batch, equal)?;
                let [more, tied] = table.before_and_equal(last, order, &values, equal);
                (before, equal) = (before | more, tied);
            }
            // Of equal rows those that come first stay.
            kept = before;
        }
        if kept == 0 {
            return Ok(());
        }
        let values = select
            .iter()
            .map(|of| of.values(batch, kept))
            .collect::<Result<Vec<_>, _>>()?;
        each(kept, |row| table.push(&values, row));
        Ok(())
    }

    /// Returns the error for which there is no result.
    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(fault) = self.fault.get() {
            return Err(fault.error());
        }
        self.room.check()
    }
}
