//! Runs plans with groups: evaluates keys and aggregates of the rows of a block, and makes rows of the result from groups.

mod batch;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ahash::RandomState;

use crate::error::{Error, ErrorKind};
use crate::expr::KEY_SEPARATOR;
use crate::fold::Fold;
use crate::fold::by::available_memory;
use crate::fold::tables::{self, DistinctCounts, Limits, NO_NUMBER, States};
use crate::input::Part;
use crate::scan::{Need, ROWS, Rows, Vector};
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::file::FileBatch;
use crate::sql::keys::{KeyForm, push_part};
use crate::sql::plan::{Aggregate, Grouping, Kind, Plan};
use crate::sql::table::Table;
use crate::sql::types::Type;
use crate::sql::vector::{Data, Mask, Texts, Values, each, first};

use self::batch::{GroupBatch, NoRows};

/// About what a group takes at least.
const GROUP_BYTES: u64 = 64;

/// Groups the rows of files for a plan.
pub(super) struct GroupsFold<'p> {
    plan: &'p Plan,
    grouping: &'p Grouping,
    keys: Vec<KeyForm>,
    /// For each aggregate where its value comes from.
    sources: Vec<Source>,
    /// The states to keep of each column of numbers.
    kept: Vec<(States, usize)>,
    /// The aggregate whose values each column of numbers has.
    numbers: Vec<usize>,
    /// The aggregate of each table of distinct values.
    distinct: Vec<usize>,
    random: RandomState,
    groups_most: u64,
    is_over: AtomicBool,
    fault: OnceLock<Fault>,
}

/// Where the value of an aggregate comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The number of rows.
    Rows,
    /// The state with this number.
    State(usize),
    /// The table of distinct values with this number.
    Distinct(usize),
}

/// The groups of a worker.
pub(super) struct Partial {
    groups: tables::Table,
    distinct: Vec<tables::Table>,
    pub(super) counts: Counts,
    scratch: Vec<u8>,
}

/// What is counted besides groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// The rows that the filter keeps.
    pub(super) kept: u64,
    /// For each column the values that are none of its type.
    pub(super) unread: Vec<u64>,
}

impl Counts {
    pub(super) fn new(plan: &Plan) -> Counts {
        Counts {
            kept: 0,
            unread: vec![0; plan.read.len()],
        }
    }

    pub(super) fn merge(&mut self, other: &Counts) {
        self.kept += other.kept;
        for (count, more) in self.unread.iter_mut().zip(&other.unread) {
            *count += more;
        }
    }
}

impl<'p> GroupsFold<'p> {
    pub(super) fn new(plan: &'p Plan, grouping: &'p Grouping) -> GroupsFold<'p> {
        let (mut sources, mut kept, mut numbers, mut distinct) =
            (Vec::new(), Vec::new(), Vec::<usize>::new(), Vec::new());
        for (nth, aggregate) in grouping.aggregates.iter().enumerate() {
            let states = match (aggregate.kind, &aggregate.of) {
                (Kind::Count, None) => {
                    sources.push(Source::Rows);
                    continue;
                }
                (Kind::CountDistinct, _) => {
                    sources.push(Source::Distinct(distinct.len()));
                    distinct.push(nth);
                    continue;
                }
                (Kind::Count | Kind::Sum | Kind::Average, _) => States::Total(Vec::new()),
                (Kind::Least, _) => States::Least(Vec::new()),
                (Kind::Greatest, _) => States::Greatest(Vec::new()),
                (Kind::QuantileContinuous(_) | Kind::QuantileDiscrete(_), _) => {
                    States::Distribution(Vec::new())
                }
            };
            // A count only asks whether there are values, of any type.
            let is_same = |other: &usize| {
                let other = &grouping.aggregates[*other];
                other.of == aggregate.of
                    && (other.kind == Kind::Count) == (aggregate.kind == Kind::Count)
            };
            let column = numbers.iter().position(is_same);
            let column = column.unwrap_or_else(|| {
                numbers.push(nth);
                numbers.len() - 1
            });
            let is_kept = |(known, of): &(States, usize)| {
                *of == column && std::mem::discriminant(known) == std::mem::discriminant(&states)
            };
            let state = kept.iter().position(is_kept);
            sources.push(Source::State(state.unwrap_or(kept.len())));
            if state.is_none() {
                kept.push((states, column));
            }
        }
        GroupsFold {
            keys: grouping
                .keys
                .iter()
                .map(|key| KeyForm::of(key, &plan.read))
                .collect(),
            plan,
            grouping,
            sources,
            kept,
            numbers,
            distinct,
            random: RandomState::new(),
            groups_most: available_memory() / GROUP_BYTES,
            is_over: AtomicBool::new(false),
            fault: OnceLock::new(),
        }
    }

    /// Adds the rows of a batch.
    fn add(&self, batch: &FileBatch<'_>, partial: &mut Partial) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let kept = match &self.plan.filter {
            None => rows,
            Some(filter) => filter.values(batch, rows)?.is_true() & rows,
        };
        if kept == 0 {
            return Ok(());
        }
        partial.counts.kept += u64::from(kept.count_ones());
        let keys = self.grouping.keys.iter().map(|key| key.values(batch, kept));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let mut numbers = Vec::with_capacity(self.numbers.len());
        for &nth in &self.numbers {
            let aggregate = &self.grouping.aggregates[nth];
            let of = aggregate.of.as_ref().expect("it is of something");
            let values = of.values(batch, kept)?;
            numbers.push(numbers_of(&values, aggregate, of.gives, kept)?);
        }
        let count = kept.count_ones() as usize;
        // Rows that are kept move together.
        if kept != rows {
            for column in &mut numbers {
                let mut to = 0;
                each(kept, |row| {
                    column[to] = column[row];
                    to += 1;
                });
            }
        }
        if let (
            [KeyForm::Plain],
            [
                Values {
                    data: Data::Text(Texts::Cells(cells)),
                    ..
                },
            ],
            true,
        ) = (&self.keys[..], &keys[..], kept == rows)
        {
            partial.groups.add(cells, count, &numbers);
        } else {
            let mut spans = [[0; 2]; ROWS];
            partial.scratch.clear();
            let mut nth = 0;
            each(kept, |row| {
                let start = partial.scratch.len();
                self.push_key(&keys, row, &mut partial.scratch);
                spans[nth] = [start as u32, partial.scratch.len() as u32];
                nth += 1;
            });
            let made = vector_of(&mut partial.scratch, &spans[..nth]);
            partial.groups.add(&made, count, &numbers);
        }
        for (table, &nth) in partial.distinct.iter_mut().zip(&self.distinct) {
            let of = self.grouping.aggregates[nth]
                .of
                .as_ref()
                .expect("it is of something");
            let values = of.values(batch, kept)?;
            let mut spans = [[0; 2]; ROWS];
            let mut pairs = 0;
            partial.scratch.clear();
            each(kept & values.valid, |row| {
                let start = partial.scratch.len();
                self.push_key(&keys, row, &mut partial.scratch);
                partial.scratch.push(KEY_SEPARATOR);
                push_part(
                    &values,
                    of.gives,
                    KeyForm::Escaped,
                    row,
                    &mut partial.scratch,
                );
                spans[pairs] = [start as u32, partial.scratch.len() as u32];
                pairs += 1;
            });
            let made = vector_of(&mut partial.scratch, &spans[..pairs]);
            table.add(&made, pairs, &[]);
        }
        Ok(())
    }

    fn push_key(&self, keys: &[Values<'_>], row: usize, out: &mut Vec<u8>) {
        let forms = self.keys.iter().zip(&self.grouping.keys);
        for (nth, (values, (form, key))) in keys.iter().zip(forms).enumerate() {
            if nth > 0 {
                out.push(KEY_SEPARATOR);
            }
            push_part(values, key.gives, *form, row, out);
        }
    }

    /// Returns the rows of the result, before their order is final.
    ///
    /// # Errors
    /// If a value of a group can't be known, or there were too many groups.
    pub(super) fn finish(&self, mut partial: Partial) -> Result<(Table, Counts), Error> {
        self.check()?;
        let counts = partial.counts;
        if self.grouping.keys.is_empty() && counts.kept == 0 {
            // Without keys, there is one group, of no rows perhaps.
            let mut table = Table::new(self.plan.types());
            self.push_empty(&mut table).map_err(|fault| fault.error())?;
            return Ok((table, counts));
        }
        partial.groups.finish();
        let distinct: Vec<_> = partial.distinct.iter().map(DistinctCounts::of).collect();
        let pieces = partial
            .groups
            .each_part(|groups| self.result_of(groups, &distinct));
        let mut all = Table::new(self.plan.types());
        for piece in pieces {
            all.append(&piece.map_err(|fault| fault.error())?);
        }
        Ok((all, counts))
    }

    /// Makes the rows of the result of some groups.
    fn result_of(
        &self,
        groups: &tables::Groups,
        distinct: &[DistinctCounts],
    ) -> Result<Table, Fault> {
        let mut table = Table::new(self.plan.types());
        let most = self.plan.most().filter(|_| !self.plan.is_distinct);
        for start in (0..groups.len()).step_by(ROWS) {
            let batch = GroupBatch {
                fold: self,
                groups,
                distinct,
                start,
            };
            self.push_batch(&batch, &mut table)?;
            // The rows that can't be among the first ones go, now and then.
            if let Some(most) = most
                && table.len() > 4 * most + 4096
            {
                let best = table.sorted(&self.plan.orders, Some(most));
                table = table.rows(&best);
            }
        }
        Ok(table)
    }

    fn push_batch(&self, batch: &dyn Batch, table: &mut Table) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let kept = match &self.grouping.having {
            None => rows,
            Some(having) => having.values(batch, rows)?.is_true() & rows,
        };
        let select = self.grouping.select.iter();
        let values = select
            .map(|of| of.values(batch, kept))
            .collect::<Result<Vec<_>, _>>()?;
        each(kept, |row| table.push(&values, row));
        Ok(())
    }

    fn push_empty(&self, table: &mut Table) -> Result<(), Fault> {
        self.push_batch(&NoRows(&self.grouping.aggregates), table)
    }

    fn check(&self) -> Result<(), Error> {
        if let Some(fault) = self.fault.get() {
            return Err(fault.error());
        }
        if self.is_over.load(Ordering::Relaxed) {
            let what = format!(
                "there are more than {} groups, for which memory has no room",
                self.groups_most
            );
            return Err(Error::new(ErrorKind::Input, what)
                .advise("group by fewer columns, or choose rows with WHERE"));
        }
        Ok(())
    }
}

/// Returns numbers as states take them.
fn numbers_of(
    values: &Values<'_>,
    aggregate: &Aggregate,
    of: Type,
    rows: Mask,
) -> Result<[i64; ROWS], Fault> {
    let mut numbers = [NO_NUMBER; ROWS];
    let there = values.valid & rows;
    if aggregate.kind == Kind::Count {
        each(there, |row| numbers[row] = 0);
        return Ok(numbers);
    }
    match &values.data {
        Data::Boolean(mask) => each(there, |row| numbers[row] = i64::from(mask >> row & 1)),
        Data::Double(doubles) => each(there, |row| numbers[row] = order_of_double(doubles[row])),
        Data::Text(_) => {}
        _ => {
            let mut fault = None;
            each(there, |row| match i64::try_from(values.wide(row)) {
                Ok(number) if number != NO_NUMBER => numbers[row] = number,
                _ => fault = Some(Fault::OutOfRange(of)),
            });
            return fault.map_or(Ok(numbers), Err);
        }
    }
    Ok(numbers)
}

/// Returns a whole number in the order of numbers with a binary exponent.
fn order_of_double(number: f64) -> i64 {
    // Any NaN is the greatest.
    if number.is_nan() {
        return i64::MAX;
    }
    let bits = number.to_bits().cast_signed();
    if bits < 0 { !bits ^ i64::MIN } else { bits }
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
        Partial {
            groups: table(&self.kept, self.numbers.len()),
            distinct: self.distinct.iter().map(|_| table(&[], 0)).collect(),
            counts: Counts::new(self.plan),
            scratch: Vec::new(),
        }
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        if self.is_over() {
            return Ok(());
        }
        for start in (0..rows.len()).step_by(ROWS) {
            let batch = FileBatch::new(rows, start, &self.plan.read);
            let added = self.add(&batch, partial);
            batch.count_unread(&mut partial.counts.unread);
            if let Err(fault) = added {
                self.fault.get_or_init(|| fault);
                return Ok(());
            }
        }
        let tables = [&mut partial.groups]
            .into_iter()
            .chain(&mut partial.distinct);
        if tables.map(tables::Table::end_block).sum::<u64>() > self.groups_most {
            self.is_over.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.fault.get().is_some()
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        into.groups.merge(from.groups);
        for (into, from) in into.distinct.iter_mut().zip(from.distinct) {
            into.merge(from);
        }
        into.counts.merge(&from.counts);
    }
}
