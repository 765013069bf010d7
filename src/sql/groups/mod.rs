//! Runs plans with groups: evaluates keys and aggregates of the rows of a block, and makes rows of the result from groups.

mod add;
mod batch;
mod bests;
mod chosen;
mod columns;
mod composed;
mod counts;
mod eager;
mod evaluated;
mod layout;
pub(super) mod numbers;
mod result;
mod room;
mod stored;
mod sums;
mod window;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use ahash::RandomState;

pub(super) use self::counts::Counts;
pub(super) use self::eager::EagerPlan;

use self::add::AddRows;
use self::bests::{Bests, ChunkParts};
use self::columns::Columns;
use self::composed::OF_ALL;
use self::eager::{Eager, Waiting};
use self::layout::Layout;
use self::room::Room;
use self::stored::InputPart;
use self::window::Scratch;
use super::table::batch::TableBatch;
use crate::error::Error;
use crate::fold::key_words::KEY_SEPARATOR;
use crate::fold::tables::{self, Limits, States};
use crate::fold::{self, ChunkPlace, Fold};
use crate::input::Part;
use crate::scan::{Need, ROWS, Rows};
use crate::sql::RunOptions;
use crate::sql::aggregates::Keeps;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::file::FileBatch;
use crate::sql::join::{HashedTable, each_joined, each_unmatched};
use crate::sql::keys::{KeyForm, push_part};
use crate::sql::plan::{Grouping, Plan};
use crate::sql::table::Table;
use crate::sql::vector::Values;

/// About what a group takes whose values lie beside the tables.
const BEST_BYTES: u64 = 64;

/// The batches of a table in memory after which groups are counted.
const BATCHES_OF_BLOCK: usize = 16;

/// Groups the rows of files, or of a table in memory, for a plan.
pub(super) struct GroupsFold<'p> {
    plan: &'p Plan,
    grouping: &'p Grouping,
    joined: &'p [HashedTable],
    /// Groups rows before they are joined.
    eager: Option<Box<Eager<'p>>>,
    keys: Vec<KeyForm>,
    layout: Layout,
    /// What rows of files are asked for, if groups need nothing but keys and numbers.
    columns: Option<Columns>,
    random: RandomState,
    options: RunOptions,
    room: Room,
    fault: OnceLock<Fault>,
    /// The rows of all partials that were read.
    rows_read: AtomicU64,
}

/// The groups of a worker.
pub(super) struct Partial {
    /// Those of each grouping set.
    sets: Vec<SetGroups>,
    pub(super) counts: Counts,
    /// The groups that wait to be joined, unless rows are joined one by one.
    waiting: Option<Box<Waiting>>,
    /// Where the chunks of the worker lie, if that decides between equal rows.
    chunks: ChunkParts,
    /// The parts of the inputs that chunks lie in.
    parts: BTreeMap<u64, InputPart>,
    /// The groups of merged partials when they were last counted.
    counted_at: u64,
    scratch: Vec<u8>,
    columns: Scratch,
}

/// The groups of a grouping set.
struct SetGroups {
    groups: tables::Table,
    distinct: Vec<tables::Table>,
    bests: Bests,
}

impl<'p> GroupsFold<'p> {
    pub(super) fn new(
        plan: &'p Plan,
        grouping: &'p Grouping,
        joined: &'p [HashedTable],
        eager: Option<&'p EagerPlan>,
        options: RunOptions,
    ) -> GroupsFold<'p> {
        let layout = || Layout::new(grouping, plan);
        let fold = GroupsFold::with_layout(plan, grouping, joined, layout(), options);
        GroupsFold {
            eager: eager.map(|plan| Box::new(Eager::new(plan, layout()))),
            ..fold
        }
    }

    /// Returns the fold of a plan that keeps this of groups.
    fn with_layout(
        plan: &'p Plan,
        grouping: &'p Grouping,
        joined: &'p [HashedTable],
        layout: Layout,
        options: RunOptions,
    ) -> GroupsFold<'p> {
        let keys = grouping.keys.iter();
        let keys: Vec<_> = keys.map(|key| KeyForm::of(key, plan)).collect();
        GroupsFold {
            columns: Columns::of(plan, grouping, &layout),
            keys,
            plan,
            grouping,
            joined,
            eager: None,
            layout,
            random: RandomState::new(),
            options,
            room: Room::new(options.max_groups),
            fault: OnceLock::new(),
            rows_read: AtomicU64::new(0),
        }
    }

    /// Adds the rows of a block of a file.
    fn add_rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Fault> {
        if self.add_to_waiting(rows, partial)? {
            return Ok(());
        }
        if let Some(columns) = &self.columns {
            partial.counts.kept += rows.len() as u64;
            return rows.dispatch(AddRows {
                rows,
                fold: self,
                columns,
                partial,
            });
        }
        for start in (0..rows.len()).step_by(ROWS) {
            let batch = FileBatch::new(rows, start, &self.plan.read);
            let added = self.each_joined(&batch, partial);
            batch.count_unread(&mut partial.counts.unread);
            added?;
        }
        Ok(())
    }

    /// Adds the rows that a batch makes with the joined tables.
    fn each_joined(&self, batch: &dyn Batch, partial: &mut Partial) -> Result<(), Fault> {
        let mut add = |joined: &dyn Batch| self.add(joined, partial);
        each_joined(&self.plan.joins, self.joined, batch, &mut add)
    }

    /// Adds the rows of a table in memory.
    pub(super) fn add_table(&self, table: &Table, partial: &mut Partial) {
        for (nth, batch) in TableBatch::all(table, &self.plan.read).enumerate() {
            if let Err(fault) = self.each_joined(&batch, partial) {
                self.fault.get_or_init(|| fault);
            }
            if self.is_over() {
                return;
            }
            if nth % BATCHES_OF_BLOCK == 0 {
                self.end_block(&mut partial.sets);
            }
        }
        partial.chunks.push(0);
    }

    /// Adds the rows of joined tables that are kept without a match.
    pub(super) fn add_unmatched(&self, partial: &mut Partial) {
        if self.joined.is_empty() {
            return;
        }
        // Merged partials take no rows.
        let mut unmatched = self.partial();
        let mut add = |batch: &dyn Batch| self.add(batch, &mut unmatched);
        if let Err(fault) = each_unmatched(&self.plan.joins, self.joined, &mut add) {
            self.fault.get_or_init(|| fault);
        }
        unmatched.chunks.push(u64::MAX);
        self.merge(partial, unmatched);
    }

    /// Counts the groups, of which there may be too many.
    fn end_block(&self, sets: &mut [SetGroups]) {
        let groups = sets.iter_mut().map(SetGroups::end_block).sum();
        self.room.count(groups);
        let mut sets = sets.iter();
        if sets.any(|set| set.groups.is_large() || set.distinct.iter().any(tables::Table::is_large))
        {
            self.room.watch();
        }
    }

    fn push_key(&self, values: &[Values<'_>], keys: &[usize], row: usize, out: &mut Vec<u8>) {
        if keys.is_empty() {
            out.push(OF_ALL);
        }
        for (place, &nth) in keys.iter().enumerate() {
            if place > 0 {
                out.push(KEY_SEPARATOR);
            }
            let gives = self.grouping.keys[nth].gives;
            push_part(&values[nth], gives, self.keys[nth], row, out);
        }
    }
}

impl Fold for GroupsFold<'_> {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        self.plan.need(part)
    }

    fn partial(&self) -> Partial {
        let limits = Limits::default();
        let table = |kept: &[(States, usize)], columns| {
            tables::Table::new(self.random.clone(), kept, columns, limits)
        };
        let layout = &self.layout;
        let sets = self.grouping.sets.iter().map(|_| SetGroups {
            groups: table(&layout.kept, layout.numbers.len()),
            distinct: layout.distinct.iter().map(|_| table(&[], 0)).collect(),
            bests: Bests::new(self.random.clone()),
        });
        Partial {
            sets: sets.collect(),
            counts: Counts::new(self.plan),
            waiting: self.eager.as_ref().map(|eager| eager.waiting()),
            chunks: ChunkParts::new(),
            parts: BTreeMap::new(),
            counted_at: 0,
            scratch: Vec::new(),
            columns: Scratch::default(),
        }
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        if self.is_over() {
            return Ok(());
        }
        match self.add_rows(rows, partial) {
            Ok(()) => self.end_block(&mut partial.sets),
            Err(fault) => {
                self.fault.get_or_init(|| fault);
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.room.is_over() || self.fault.get().is_some()
    }

    fn after_chunk(&self) -> Result<(), Error> {
        // Groups are copied once more when they are ordered.
        self.room.look(1, 2);
        Ok(())
    }

    /// Chunks end in the order of the input if that decides between equal rows.
    fn order(&self) -> fold::Order {
        let mut aggregates = self.grouping.aggregates.iter();
        if aggregates.any(|aggregate| matches!(aggregate.function.keeps, Keeps::Beside(_))) {
            fold::Order::Input
        } else {
            fold::Order::Any
        }
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        partial: &mut Partial,
    ) -> Result<ControlFlow<()>, Error> {
        let number = place.part_number as u64;
        partial.chunks.push(number);
        let part = || InputPart::of(place.part);
        partial.parts.entry(number).or_insert_with(part);
        Ok(ControlFlow::Continue(()))
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        let chunks = into.chunks.len() as u32;
        into.chunks.extend(from.chunks);
        into.parts.extend(from.parts);
        for (set, from) in into.sets.iter_mut().zip(from.sets) {
            set.groups.merge(from.groups);
            for (into, from) in set.distinct.iter_mut().zip(from.distinct) {
                into.merge(from);
            }
            let wanted: Vec<_> = self.layout.bests.iter().map(|best| best.1).collect();
            set.bests.merge(from.bests, &wanted, &into.chunks, chunks);
        }
        into.counts.merge(&from.counts);
        self.merge_waiting(into, from.waiting);
    }
}

impl SetGroups {
    /// Ends a block of rows. Returns the least number of groups that there are, as far as it is known, or that would take as much memory.
    fn end_block(&mut self) -> u64 {
        let tables = [&mut self.groups].into_iter().chain(&mut self.distinct);
        let groups: u64 = tables.map(tables::Table::end_block).sum();
        groups + self.bests.bytes as u64 / BEST_BYTES
    }
}
