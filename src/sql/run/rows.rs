//! Runs plans without groups: evaluates what is selected, and keeps the rows that may be among those wanted.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, ErrorKind};
use crate::fold::{self, ChunkPlace, Fold};
use crate::input::Part;
use crate::memory::available as available_memory;
use crate::scan::{Need, ROWS, Rows};
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::Expression;
use crate::sql::file::FileBatch;
use crate::sql::groups::Counts;
use crate::sql::join::{HashedTable, each_joined, each_unmatched};
use crate::sql::plan::Plan;
use crate::sql::table::batch::TableBatch;
use crate::sql::table::{Column, Order, Table};
use crate::sql::types::Type;
use crate::sql::value::Value;
use crate::sql::vector::{each, first};

/// Selects rows of files, or of a table in memory, for a plan.
pub(in crate::sql) struct RowsFold<'p> {
    plan: &'p Plan,
    select: &'p [Expression],
    joined: &'p [HashedTable],
    /// The orders of the plan, and then the order of the input.
    orders: Vec<Order>,
    fault: OnceLock<Fault>,
    /// The bytes that kept rows take, and the most that they may: they are sorted and cut as a copy.
    bytes: AtomicUsize,
    bytes_most: usize,
}

/// The joined rows of a chunk after which their bytes are checked, and the bytes that they may take in any case.
const PENDING_ROWS: usize = 1 << 16;
const PENDING_BYTES: usize = 64 << 20;

/// The batches of a table in memory after which rows that are not wanted go.
const BATCHES_OF_CHUNK: usize = 512;

/// The rows of a worker.
pub(in crate::sql) struct Partial {
    /// Those of chunks that have ended. The last column has their places in the input.
    kept: Table,
    /// Those of the chunk at hand.
    pending: Table,
    /// The bytes of kept rows that are counted.
    counted: usize,
    pub(in crate::sql) counts: Counts,
}

impl<'p> RowsFold<'p> {
    pub(in crate::sql) fn new(
        plan: &'p Plan,
        select: &'p [Expression],
        joined: &'p [HashedTable],
    ) -> RowsFold<'p> {
        let mut orders = plan.orders.clone();
        orders.push(Order::ascending(select.len()));
        RowsFold {
            plan,
            select,
            joined,
            orders,
            fault: OnceLock::new(),
            bytes: AtomicUsize::new(0),
            bytes_most: usize::try_from(available_memory() / 3).unwrap_or(usize::MAX),
        }
    }

    fn add(&self, batch: &dyn Batch, partial: &mut Partial) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let kept = match &self.plan.filter {
            None => rows,
            Some(filter) => filter.values(batch, rows)?.is_true() & rows,
        };
        partial.counts.kept += u64::from(kept.count_ones());
        if kept == 0 {
            return Ok(());
        }
        let select = self.select.iter();
        let values = select
            .map(|of| of.values(batch, kept))
            .collect::<Result<Vec<_>, _>>()?;
        each(kept, |row| partial.pending.push(&values, row));
        self.check_pending(&partial.pending)
    }

    /// Adds the rows that a batch makes with the joined tables.
    fn each_joined(&self, batch: &dyn Batch, partial: &mut Partial) -> Result<(), Fault> {
        let mut add = |joined: &dyn Batch| self.add(joined, partial);
        each_joined(&self.plan.joins, self.joined, batch, &mut add)
    }

    /// Refuses joins of which a few rows make more than memory has room for: only the end of a chunk counts those that are kept.
    fn check_pending(&self, pending: &Table) -> Result<(), Fault> {
        let is_checked = !self.joined.is_empty() && pending.len() % PENDING_ROWS < ROWS;
        if is_checked && pending.bytes() > (self.bytes_most / 16).max(PENDING_BYTES) {
            return Err(Fault::Refused(
                "a join makes more rows than memory has room for",
            ));
        }
        Ok(())
    }

    /// Adds the rows of a table in memory.
    pub(in crate::sql) fn add_table(&self, table: &Table, partial: &mut Partial) {
        let mut place = 0;
        for (nth, batch) in TableBatch::all(table, &self.plan.read).enumerate() {
            let added = self.each_joined(&batch, partial);
            if let Err(fault) = added {
                self.fault.get_or_init(|| fault);
            }
            if self.is_over() {
                return;
            }
            if nth % BATCHES_OF_CHUNK == BATCHES_OF_CHUNK - 1 {
                let added = partial.pending.len();
                if self.keep(place, partial).is_break() {
                    return;
                }
                place += added as i128;
            }
        }
        let _ = self.keep(place, partial);
    }

    /// Adds the rows of joined tables that are kept without a match, behind all others.
    pub(in crate::sql) fn add_unmatched(&self, partial: &mut Partial) {
        if self.joined.is_empty() || self.is_over() {
            return;
        }
        let mut add = |batch: &dyn Batch| self.add(batch, partial);
        if let Err(fault) = each_unmatched(&self.plan.joins, self.joined, &mut add) {
            self.fault.get_or_init(|| fault);
        }
        let _ = self.keep(1 << 120, partial);
    }

    /// Keeps the pending rows, the first of which has a place in the input. Breaks if there are enough.
    fn keep(&self, first: i128, partial: &mut Partial) -> ControlFlow<()> {
        let empty = Table::new(self.plan.types());
        let mut pending = std::mem::replace(&mut partial.pending, empty);
        let mut places = Column::new(Type::HugeInt);
        for nth in 0..pending.len() {
            places.push_value(&Value::Whole(first + nth as i128));
        }
        pending.columns.push(places);
        partial.kept.append(&pending);
        self.prune(&mut partial.kept, 4096);
        let bytes = partial.kept.bytes();
        let more = bytes.saturating_sub(partial.counted);
        self.bytes.fetch_add(more, Ordering::Relaxed);
        let less = partial.counted.saturating_sub(bytes);
        self.bytes.fetch_sub(less, Ordering::Relaxed);
        partial.counted = bytes;
        let wants_first = self.order() == fold::Order::Beginning;
        let most = self.plan.most().filter(|_| wants_first);
        if most.is_some_and(|most| partial.kept.len() >= most) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Says whether the rows take more memory than they may.
    pub(in crate::sql) fn has_too_many(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.bytes_most
    }

    /// Leaves out rows that can't be among those wanted.
    fn prune(&self, table: &mut Table, slack: usize) {
        if let Some(most) = self.plan.most()
            && table.len() > most.saturating_mul(4).saturating_add(slack)
        {
            let best = table.sorted(&self.orders, Some(most));
            *table = table.rows(&best);
        }
    }

    /// Returns the rows in their order.
    ///
    /// # Errors
    /// If a value of a row can't be known.
    pub(in crate::sql) fn finish(&self, partial: Partial) -> Result<(Table, Counts), Error> {
        if let Some(fault) = self.fault.get() {
            return Err(fault.error());
        }
        if self.has_too_many() {
            let what = "the result has more rows than memory has room for";
            return Err(Error::new(ErrorKind::Input, what)
                .advise("add LIMIT or WHERE, group first, or write the rows with export"));
        }
        let Partial { kept, counts, .. } = partial;
        let numbers = kept.sorted(&self.orders, self.plan.most());
        let mut table = kept.rows(&numbers);
        table.columns.pop();
        Ok((table, counts))
    }
}

impl Fold for RowsFold<'_> {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        self.plan.need(part)
    }

    fn partial(&self) -> Partial {
        let types = || self.plan.types();
        Partial {
            kept: Table::new(types().chain([Type::HugeInt])),
            pending: Table::new(types()),
            counted: 0,
            counts: Counts::new(self.plan),
        }
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        for start in (0..rows.len()).step_by(ROWS) {
            let batch = FileBatch::new(rows, start, &self.plan.read);
            let added = self.each_joined(&batch, partial);
            batch.count_unread(&mut partial.counts.unread);
            if let Err(fault) = added {
                self.fault.get_or_init(|| fault);
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.fault.get().is_some() || self.has_too_many()
    }

    fn order(&self) -> fold::Order {
        if self.plan.orders.is_empty() && self.plan.limit.is_some() {
            fold::Order::Beginning
        } else {
            fold::Order::Input
        }
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        partial: &mut Partial,
    ) -> Result<ControlFlow<()>, Error> {
        let first = (place.part_number as i128) << 96 | i128::from(place.first_line) << 32;
        Ok(self.keep(first, partial))
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        into.kept.append(&from.kept);
        into.counted += from.counted;
        into.counts.merge(&from.counts);
        self.prune(&mut into.kept, 4096);
    }
}
