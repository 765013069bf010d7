//! Makes the rows of the result from the groups.

use std::cell::OnceCell;
use std::sync::{Arc, Mutex};

use super::batch::{GroupBatch, NoRows};
use super::{Counts, GroupsFold, Partial, SetGroups};
use crate::error::Error;
use crate::fold::tables::{self, DistinctCounts};
use crate::scan::ROWS;
use crate::sql::AllGroups;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::Expression;
use crate::sql::table::Table;
use crate::sql::vector::{Mask, Values, each, first};

/// The rows of a result that are not cut, however few are wanted.
const ROWS_UNCUT: usize = 64;

/// The most rows that all threads know together: each part copies and orders them. Of 160,000 groups, the first 5,000 took 17 times as long as the
/// first 50.
const SHARED_MOST: usize = 128;

/// The row of a result behind which no row is wanted.
#[derive(Clone, Copy)]
enum Bound<'t> {
    /// The row of the table at hand with this number.
    Own(usize),
    /// The last row of a table that other groups have made.
    Other(&'t Table),
}

/// The columns of a batch that are selected, each of which is evaluated once.
pub(super) struct Selected<'b> {
    pub(super) select: &'b [Expression],
    batch: &'b dyn Batch,
    values: Vec<OnceCell<Values<'b>>>,
}

impl<'b> Selected<'b> {
    fn new(select: &'b [Expression], batch: &'b dyn Batch) -> Selected<'b> {
        Selected {
            select,
            batch,
            values: select.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// Returns the values of a column in rows that are `active` whenever it is asked for.
    pub(super) fn values(&self, nth: usize, active: Mask) -> Result<&Values<'b>, Fault> {
        if let Some(known) = self.values[nth].get() {
            return Ok(known);
        }
        let values = self.select[nth].values(self.batch, active)?;
        Ok(self.values[nth].get_or_init(|| values))
    }

    /// Returns the values of all columns.
    fn all(self, active: Mask) -> Result<Vec<Values<'b>>, Fault> {
        for nth in 0..self.select.len() {
            self.values(nth, active)?;
        }
        let values = self.values.into_iter();
        Ok(values.filter_map(OnceCell::into_inner).collect())
    }
}

/// The first rows of the result that are known so far, for all threads. Of two million groups a hundred are copied before the ten first ones
/// are known, instead of a hundred of each part.
#[derive(Default)]
struct FirstRows(Mutex<Option<Arc<Table>>>);

impl FirstRows {
    /// Returns them once there are as many as are wanted.
    fn get(&self, most: Option<usize>) -> Option<Arc<Table>> {
        let known = self.0.lock().expect("no thread panics");
        let known = known.as_ref().filter(|known| Some(known.len()) == most)?;
        Some(Arc::clone(known))
    }

    /// Adds rows. `cut` leaves out those that are not wanted.
    fn add(&self, rows: &Table, cut: impl Fn(&Table) -> Table) {
        if rows.len() == 0 {
            return;
        }
        let mut known = self.0.lock().expect("no thread panics");
        let mut all = rows.clone();
        if let Some(known) = &*known {
            all.append(known);
        }
        *known = Some(Arc::new(cut(&all)));
    }
}

impl GroupsFold<'_> {
    /// Says whether there are many groups, so that workers share the rest of the work.
    pub(in crate::sql) fn has_many(partial: &Partial) -> bool {
        let mut sets = partial.sets.iter();
        sets.any(|set| set.groups.is_large() || set.distinct.iter().any(tables::Table::is_large))
    }

    /// Returns the rows of the result, before their order is final.
    ///
    /// # Errors
    /// If a value of a group can't be known, or there were too many groups.
    pub(in crate::sql) fn finish(
        &self,
        mut partial: Partial,
    ) -> Result<(Table, Counts, Option<AllGroups>), Error> {
        self.check()?;
        let joined = self.join_waiting(&mut partial);
        joined.map_err(|fault| fault.error())?;
        self.check()?;
        let counts = partial.counts;
        let mut all = Table::new(self.plan.types());
        let mut all_groups = self.all_groups();
        let first_rows = FirstRows::default();
        for (set, keys) in partial.sets.iter_mut().zip(&self.grouping.sets) {
            if keys.is_empty() && counts.kept == 0 {
                // Without keys, there is one group, of no rows perhaps.
                let added = self.push_batch(&NoRows(self), &mut all, None, &mut all_groups);
                added.map_err(|fault| fault.error())?;
                continue;
            }
            set.groups.finish();
            let distinct: Vec<_> = set.distinct.iter().map(DistinctCounts::of).collect();
            let pieces = set
                .groups
                .each_part(|groups| self.result_of(groups, keys, set, &distinct, &first_rows));
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
        first_rows: &FirstRows,
    ) -> Result<(Table, Option<AllGroups>), Fault> {
        let mut table = Table::new(self.plan.types());
        let mut all_groups = self.all_groups();
        self.room.look(3, 4);
        if self.room.is_over() {
            return Ok((table, all_groups));
        }
        let most = self.plan.most().filter(|_| !self.plan.is_distinct);
        let cut = |table: &Table, most| table.rows(&table.sorted(&self.plan.orders, Some(most)));
        let may_leave_out = most.is_some_and(|most| most > 0) && self.may_leave_out();
        let is_shared = may_leave_out && most.is_some_and(|most| most <= SHARED_MOST);
        let known = first_rows.get(most.filter(|_| is_shared));
        let mut bound = known.as_deref().map(Bound::Other);
        for start in (0..groups.len()).step_by(ROWS) {
            let batch = GroupBatch {
                fold: self,
                keys,
                set,
                groups,
                distinct,
                start,
            };
            self.push_batch(&batch, &mut table, bound, &mut all_groups)?;
            // The rows that can't be among the first ones go, now and then.
            if let Some(most) = most
                && table.len() > most.saturating_mul(2).max(ROWS_UNCUT)
            {
                table = cut(&table, most);
                bound = may_leave_out.then_some(Bound::Own(most.saturating_sub(1)));
            }
        }
        let Some(most) = most else {
            return Ok((table, all_groups));
        };
        if most < table.len() {
            table = cut(&table, most);
        }
        if is_shared {
            first_rows.add(&table, |all| cut(all, most));
        }
        Ok((table, all_groups))
    }

    /// Says whether groups that come after others need no values: none of them may be unknowable.
    fn may_leave_out(&self) -> bool {
        let mut select = self.grouping.select.iter();
        !self.plan.orders.is_empty() && !select.any(Expression::may_fail)
    }

    /// Adds the rows of the result of some groups, but for those behind a bound.
    fn push_batch(
        &self,
        batch: &dyn Batch,
        table: &mut Table,
        bound: Option<Bound<'_>>,
        all_groups: &mut Option<AllGroups>,
    ) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let mut kept = match &self.grouping.having {
            None => rows,
            Some(having) => having.values(batch, rows)?.is_true() & rows,
        };
        let selected = Selected::new(&self.grouping.select, batch);
        if let Some(all) = all_groups {
            all.add(&selected, self.grouping.keys.len(), kept)?;
        }
        if let Some(bound) = bound {
            let (of, last) = match bound {
                Bound::Own(last) => (&*table, last),
                Bound::Other(other) => (other, other.len() - 1),
            };
            // Most groups come after it, and the first orders tell.
            let (mut before, mut equal) = (0, kept);
            for order in &self.plan.orders {
                if equal == 0 {
                    break;
                }
                let values = selected.values(order.column, kept)?;
                let [more, tied] = of.before_and_equal(last, order, values, equal);
                (before, equal) = (before | more, tied);
            }
            // Of equal rows those that come first stay. Rows of another part may come after all of these.
            kept = match bound {
                Bound::Own(_) => before,
                Bound::Other(_) => before | equal,
            };
        }
        if kept == 0 {
            return Ok(());
        }
        let values = selected.all(kept)?;
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
