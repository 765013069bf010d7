//! Runs plans with groups: evaluates keys and aggregates of the rows of a block, and makes rows of the result from groups.

mod add;
mod batch;
mod bests;
mod columns;
mod composed;
mod counts;
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

use self::add::AddRows;
use self::bests::{Bests, Candidates, ChunkParts};
use self::columns::Columns;
use self::composed::OF_ALL;
use self::layout::Layout;
use self::numbers::{numbers_of, presence_of};
use self::room::Room;
use self::stored::InputPart;
use self::window::Scratch;
use crate::error::Error;
use crate::expr::KEY_SEPARATOR;
use crate::fold::tables::{self, Limits, States};
use crate::fold::{self, ChunkPlace, Fold};
use crate::input::Part;
use crate::scan::{Need, ROWS, Rows, Vector};
use crate::sql::RunOptions;
use crate::sql::aggregates::Keeps;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::file::FileBatch;
use crate::sql::join::{HashedTable, each_joined, each_unmatched};
use crate::sql::keys::{KeyForm, push_part, push_row};
use crate::sql::plan::{Aggregate, Grouping, Plan};
use crate::sql::table::Table;
use crate::sql::table_batch::TableBatch;
use crate::sql::vector::{Data, Mask, Texts, Values, each, first};

/// About what a group takes whose values lie beside the tables.
const BEST_BYTES: u64 = 64;

/// The batches of a table in memory after which groups are counted.
const BATCHES_OF_BLOCK: usize = 16;

/// Groups the rows of files, or of a table in memory, for a plan.
pub(super) struct GroupsFold<'p> {
    plan: &'p Plan,
    grouping: &'p Grouping,
    joined: &'p [HashedTable<'p>],
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

/// The rows of a batch that are kept, evaluated.
struct Evaluated<'b> {
    kept: Mask,
    /// The values of all keys.
    keys: Vec<Values<'b>>,
    /// The columns of numbers. Rows that are kept have moved together.
    numbers: Vec<[i64; ROWS]>,
    /// The values of each `count(DISTINCT ..)`, and the rows that have some.
    distinct: Vec<(Vec<Values<'b>>, Mask)>,
    bests: Vec<Candidates<'b>>,
}

impl<'p> GroupsFold<'p> {
    pub(super) fn new(
        plan: &'p Plan,
        grouping: &'p Grouping,
        joined: &'p [HashedTable<'p>],
        options: RunOptions,
    ) -> GroupsFold<'p> {
        let keys = grouping.keys.iter();
        let keys: Vec<_> = keys.map(|key| KeyForm::of(key, plan)).collect();
        let layout = Layout::new(grouping, plan);
        GroupsFold {
            columns: Columns::of(plan, grouping, &layout),
            keys,
            plan,
            grouping,
            joined,
            layout,
            random: RandomState::new(),
            options,
            room: Room::new(options.max_groups),
            fault: OnceLock::new(),
            rows_read: AtomicU64::new(0),
        }
    }

    /// Adds the rows of a batch.
    fn add(&self, batch: &dyn Batch, partial: &mut Partial) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let kept = match &self.plan.filter {
            None => rows,
            Some(filter) => filter.values(batch, rows)?.is_true() & rows,
        };
        if kept == 0 {
            return Ok(());
        }
        partial.counts.kept += u64::from(kept.count_ones());
        let evaluated = self.evaluate(batch, kept)?;
        let Partial {
            sets,
            scratch,
            chunks,
            ..
        } = partial;
        for (set, keys) in sets.iter_mut().zip(&self.grouping.sets) {
            if let [nth] = keys[..]
                && self.keys[nth] == KeyForm::Plain
                && kept == rows
                && let Data::Text(Texts::Cells(cells)) = &evaluated.keys[nth].data
            {
                set.groups.add(cells, batch.rows(), &evaluated.numbers);
            } else {
                let made = self.made_keys(&evaluated, keys, scratch);
                let count = kept.count_ones() as usize;
                set.groups.add(&made, count, &evaluated.numbers);
            }
            self.add_distinct(&evaluated, keys, set, scratch);
            let chunk = chunks.len() as u32;
            self.add_bests(batch, &evaluated, keys, set, scratch, chunk);
        }
        Ok(())
    }

    /// Evaluates keys and aggregates in the rows of a mask.
    fn evaluate<'b>(&'b self, batch: &'b dyn Batch, kept: Mask) -> Result<Evaluated<'b>, Fault> {
        let keys = self.grouping.keys.iter().map(|key| key.values(batch, kept));
        let mut evaluated = Evaluated {
            kept,
            keys: keys.collect::<Result<Vec<_>, _>>()?,
            numbers: Vec::with_capacity(self.layout.numbers.len()),
            distinct: Vec::with_capacity(self.layout.distinct.len()),
            bests: Vec::with_capacity(self.layout.bests.len()),
        };
        for &nth in &self.layout.numbers {
            let aggregate = &self.grouping.aggregates[nth];
            let (values, rows) = chosen_values(aggregate, batch, kept)?;
            let mut column = match &values[..] {
                [values] if !aggregate.is_count() => numbers_of(values, aggregate.of_type(), rows)?,
                _ => presence_of(rows),
            };
            if kept != first(batch.rows()) {
                let mut to = 0;
                each(kept, |row| {
                    column[to] = column[row];
                    to += 1;
                });
            }
            evaluated.numbers.push(column);
        }
        for &nth in &self.layout.distinct {
            let aggregate = &self.grouping.aggregates[nth];
            let chosen = chosen_values(aggregate, batch, kept)?;
            evaluated.distinct.push(chosen);
        }
        for &(nth, wanted) in &self.layout.bests {
            let aggregate = &self.grouping.aggregates[nth];
            let (values, rows) = chosen_values(aggregate, batch, kept)?;
            let types = aggregate.of.iter().map(|of| of.gives);
            let mut typed = values.into_iter().zip(types).rev();
            evaluated.bests.push(Candidates {
                wanted,
                by: typed.next().expect("it is of something"),
                of: typed.next(),
                rows,
            });
        }
        Ok(evaluated)
    }

    /// Returns the keys of a set in the rows that are kept.
    fn made_keys<'s>(
        &self,
        evaluated: &Evaluated<'_>,
        keys: &[usize],
        scratch: &'s mut Vec<u8>,
    ) -> Vector<'s> {
        let (mut spans, mut count) = ([[0; 2]; ROWS], 0);
        scratch.clear();
        each(evaluated.kept, |row| {
            let start = scratch.len();
            self.push_key(&evaluated.keys, keys, row, scratch);
            spans[count] = [start as u32, scratch.len() as u32];
            count += 1;
        });
        vector_of(scratch, &spans[..count])
    }

    fn add_distinct(
        &self,
        evaluated: &Evaluated<'_>,
        keys: &[usize],
        set: &mut SetGroups,
        scratch: &mut Vec<u8>,
    ) {
        let aggregates = evaluated.distinct.iter().zip(&self.layout.distinct);
        for (table, ((values, rows), &nth)) in set.distinct.iter_mut().zip(aggregates) {
            let types = self.grouping.aggregates[nth].of.iter().map(|of| of.gives);
            let (mut spans, mut pairs) = ([[0; 2]; ROWS], 0);
            scratch.clear();
            each(*rows, |row| {
                let start = scratch.len();
                self.push_key(&evaluated.keys, keys, row, scratch);
                scratch.push(KEY_SEPARATOR);
                push_row(values.iter().zip(types.clone()), row, scratch);
                spans[pairs] = [start as u32, scratch.len() as u32];
                pairs += 1;
            });
            let made = vector_of(scratch, &spans[..pairs]);
            table.add(&made, pairs, &[]);
        }
    }

    fn add_bests(
        &self,
        batch: &dyn Batch,
        evaluated: &Evaluated<'_>,
        keys: &[usize],
        set: &mut SetGroups,
        scratch: &mut Vec<u8>,
        chunk: u32,
    ) {
        let rows = evaluated.bests.iter();
        let rows = rows.fold(0, |rows, candidates| rows | candidates.rows);
        each(rows, |row| {
            scratch.clear();
            self.push_key(&evaluated.keys, keys, row, scratch);
            let place = || batch.place(row);
            set.bests
                .offer(scratch, row, &evaluated.bests, chunk, place);
        });
    }

    /// Adds the rows of a table in memory.
    pub(super) fn add_table(&self, table: &Table, partial: &mut Partial) {
        for (nth, batch) in TableBatch::all(table, &self.plan.read).enumerate() {
            let added = each_joined(self.joined, &batch, &mut |batch| self.add(batch, partial));
            if let Err(fault) = added {
                self.fault.get_or_init(|| fault);
            }
            if self.is_over() {
                return;
            }
            if nth % BATCHES_OF_BLOCK == 0 {
                self.end_block(partial);
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
        if let Err(fault) = each_unmatched(self.joined, &mut add) {
            self.fault.get_or_init(|| fault);
        }
        unmatched.chunks.push(u64::MAX);
        self.merge(partial, unmatched);
    }

    /// Counts the groups, of which there may be too many.
    fn end_block(&self, partial: &mut Partial) {
        let sets = partial.sets.iter_mut();
        self.room.count(sets.map(SetGroups::end_block).sum());
        let mut sets = partial.sets.iter();
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

/// Returns the arguments of an aggregate, and the rows of a mask whose arguments are values. A row of several columns is one.
fn chosen_values<'b>(
    aggregate: &'b Aggregate,
    batch: &'b dyn Batch,
    kept: Mask,
) -> Result<(Vec<Values<'b>>, Mask), Fault> {
    let chosen = match &aggregate.filter {
        None => kept,
        Some(filter) => filter.values(batch, kept)?.is_true() & kept,
    };
    let values = aggregate.of.iter().map(|of| of.values(batch, chosen));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let is_row = matches!(aggregate.function.keeps, Keeps::Distinct) && values.len() > 1;
    let rows = if is_row {
        chosen
    } else {
        let valid = values.iter().map(|values| values.valid);
        valid.fold(chosen, |rows, valid| rows & valid)
    };
    Ok((values, rows))
}

/// Returns vectors of made keys. Bytes follow the last of them.
fn vector_of<'b>(bytes: &'b mut Vec<u8>, spans: &[[u32; 2]]) -> Vector<'b> {
    bytes.extend_from_slice(&[0; ROWS]);
    let mut vector = Vector::new(bytes);
    for (nth, span) in spans.iter().enumerate() {
        vector.set(nth, *span);
    }
    vector
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
        if let Some(columns) = &self.columns {
            partial.counts.kept += rows.len() as u64;
            let added = rows.dispatch(AddRows {
                rows,
                fold: self,
                columns,
                partial,
            });
            if let Err(fault) = added {
                self.fault.get_or_init(|| fault);
                return Ok(());
            }
            self.end_block(partial);
            return Ok(());
        }
        for start in (0..rows.len()).step_by(ROWS) {
            let batch = FileBatch::new(rows, start, &self.plan.read);
            let added = each_joined(self.joined, &batch, &mut |batch| self.add(batch, partial));
            batch.count_unread(&mut partial.counts.unread);
            if let Err(fault) = added {
                self.fault.get_or_init(|| fault);
                return Ok(());
            }
        }
        self.end_block(partial);
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
