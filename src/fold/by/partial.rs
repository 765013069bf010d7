//! The groups of a worker: a table of the states that the question needs.

use ahash::RandomState;

use super::bound::Reading;
use super::question::{AggregateKind, GroupQuestion, RowKindPolicy};
use super::row_kinds::RowKinds;
use super::values::{WIDE, append, number_of, wide_number_of};
use crate::fold::tables::{Columns, Front, Limits, State, Sum, Table};
use crate::keys::KeyFunction;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Cell, Column, Row, Rows};

/// The bytes that may be read after a key: so short keys take no comparison with the end.
const BEHIND: [u8; 32] = [0; 32];

/// The groups of a worker, or of all of them.
#[derive(Debug)]
pub struct Partial {
    pub(super) groups: Tables,
    /// For each count of different values, a table of keys: group and value, with a pipe between them.
    pub(super) values: Vec<Table<u64>>,
    pub(super) row_kinds: RowKinds,
    /// The groups of merged partials when they were last counted.
    pub(super) counted_at: u64,
    scratch: Vec<u8>,
}

/// Groups, with the states that the question needs and no more.
#[derive(Debug)]
pub(super) enum Tables {
    Rows(Table<u64>),
    Sums(Table<Sum>),
    Columns(Table<Columns>),
}

/// Where the values of the aggregates come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The column of numbers with this number.
    Numbers(usize),
    /// The table of values with this number.
    Different(usize),
}

/// The columns to read of each row, and the tables that take their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// For each aggregate.
    pub(super) sources: Vec<Source>,
    /// For each column of numbers the first aggregate of it.
    numbers: Vec<usize>,
    /// For each table of values its aggregate.
    values: Vec<usize>,
    has_extremes: bool,
}

impl Steps {
    pub(super) fn new(question: &GroupQuestion) -> Steps {
        let mut steps = Steps::default();
        for (nth, aggregate) in question.aggregates.iter().enumerate() {
            steps.sources.push(match aggregate.kind {
                AggregateKind::Distinct => {
                    steps.values.push(nth);
                    Source::Different(steps.values.len() - 1)
                }
                kind => {
                    steps.has_extremes |= matches!(kind, AggregateKind::Min | AggregateKind::Max);
                    let is_same = |&other: &usize| {
                        let other = &question.aggregates[other].column;
                        other.eq_ignore_ascii_case(&aggregate.column)
                    };
                    let known = steps.numbers.iter().position(is_same);
                    Source::Numbers(known.unwrap_or_else(|| {
                        steps.numbers.push(nth);
                        steps.numbers.len() - 1
                    }))
                }
            });
        }
        steps
    }

    /// Returns a partial without rows.
    pub(super) fn partial(&self, random: &RandomState, limits: Limits) -> Partial {
        let random = || random.clone();
        let columns = self.numbers.len();
        let groups = match columns {
            0 => Tables::Rows(Table::new(random(), Front::All, 0, limits)),
            1 if !self.has_extremes => Tables::Sums(Table::new(random(), Front::All, 1, limits)),
            _ => Tables::Columns(Table::new(random(), Front::All, columns, limits)),
        };
        let table = |_: &usize| Table::new(random(), Front::BeforeLastPipe, 0, limits);
        Partial {
            groups,
            values: self.values.iter().map(table).collect(),
            row_kinds: RowKinds::default(),
            counted_at: 0,
            scratch: Vec::new(),
        }
    }
}

impl Partial {
    /// Adds the rows of a block. Returns the least number of groups that there are, as far as it is known.
    pub(super) fn add(
        &mut self,
        rows: &Rows<'_>,
        question: &GroupQuestion,
        functions: &[KeyFunction],
        steps: &Steps,
        readings: &[Reading],
    ) -> u64 {
        let block = Block {
            rows,
            question,
            functions,
            steps,
            readings,
        };
        let Partial {
            groups,
            values,
            row_kinds,
            scratch,
            ..
        } = self;
        let (values, row_kinds) = (&mut values[..], row_kinds);
        macro_rules! group {
            ($table:expr, $numbers:expr) => {
                rows.dispatch(Grouping {
                    block,
                    table: $table,
                    numbers: $numbers,
                    values,
                    row_kinds,
                    scratch,
                })
            };
        }
        match groups {
            Tables::Rows(table) => group!(table, []),
            Tables::Sums(table) => group!(table, [0]),
            Tables::Columns(table) => group!(table, vec![0; steps.numbers.len()]),
        }
    }

    /// Adds the rows of `from`.
    pub(super) fn merge(&mut self, from: Partial) {
        match (&mut self.groups, from.groups) {
            (Tables::Rows(into), Tables::Rows(from)) => into.merge(from),
            (Tables::Sums(into), Tables::Sums(from)) => into.merge(from),
            (Tables::Columns(into), Tables::Columns(from)) => into.merge(from),
            _ => unreachable!("partials of one question have the same states"),
        }
        for (into, from) in self.values.iter_mut().zip(from.values) {
            into.merge(from);
        }
        self.row_kinds.merge(from.row_kinds);
    }
}

/// The rows of a block, and the question.
struct Block<'a, 'r> {
    rows: &'a Rows<'r>,
    question: &'a GroupQuestion,
    /// The function of each row key.
    functions: &'a [KeyFunction],
    steps: &'a Steps,
    readings: &'a [Reading],
}

/// Adds the rows of a block, with the level's instructions at hand.
struct Grouping<'a, 'r, T, V> {
    block: Block<'a, 'r>,
    table: &'a mut Table<T>,
    /// Memory for the numbers of a row.
    numbers: V,
    values: &'a mut [Table<u64>],
    row_kinds: &'a mut RowKinds,
    scratch: &'a mut Vec<u8>,
}

impl<T: State, V: AsMut<[i64]>> Kernel for Grouping<'_, '_, T, V> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, _: L) -> u64 {
        let Grouping {
            block,
            table,
            numbers,
            values,
            row_kinds,
            scratch,
        } = self;
        let groups = block.group(table, numbers, values, scratch);
        if block.question.row_kinds == RowKindPolicy::Count {
            block.count_kinds(row_kinds);
        }
        groups
    }
}

impl Block<'_, '_> {
    /// Adds the rows to the tables.
    #[inline(always)]
    fn group<T: State, V: AsMut<[i64]>>(
        &self,
        table: &mut Table<T>,
        mut numbers: V,
        values: &mut [Table<u64>],
        scratch: &mut Vec<u8>,
    ) -> u64 {
        let numbers = numbers.as_mut();
        match self.functions {
            [KeyFunction::Bytes] if values.is_empty() => {
                self.group_columns(table, numbers);
            }
            _ => self.group_made(table, numbers, values, scratch),
        }
        values.iter_mut().for_each(|table| {
            table.end_block();
        });
        table.end_block()
    }

    /// Adds the rows, whose key is a column as it stands.
    #[inline(always)]
    fn group_columns<T: State>(&self, table: &mut Table<T>, numbers: &mut [i64]) {
        match self.steps.numbers[..] {
            [] => {
                if let Some(keys) = self.rows.columns([0]) {
                    return table.add_all(keys.map(|[key]| (key, [])));
                }
            }
            [aggregate]
                if table.awaits_groups() && self.group_column_and_number(table, aggregate) =>
            {
                return;
            }
            [aggregate] => {
                if let Some(columns) = self.rows.columns([0, 1 + aggregate]) {
                    let reading = self.readings[aggregate];
                    for (nth, [key, cell]) in columns.enumerate() {
                        match number_of(cell, reading) {
                            WIDE => self.add_wide(self.rows.row(nth), key, table),
                            number => table.add(key, &[number]),
                        }
                    }
                    return;
                }
            }
            _ => {}
        }
        let fixed = self.number_columns();
        for (nth, row) in self.rows.iter().enumerate() {
            self.add(nth, row, row.cell(0), fixed.as_deref(), table, numbers);
        }
    }

    /// Adds the rows, whose key is a column and whose value another, in batches. Returns false without adding
    /// any if a row lacks one of the columns.
    ///
    /// A function of its own: beside the loop for small tables it would take that loop's registers.
    #[inline(never)]
    fn group_column_and_number<T: State>(&self, table: &mut Table<T>, aggregate: usize) -> bool {
        let Some(columns) = self.rows.columns([0, 1 + aggregate]) else {
            return false;
        };
        let mut wide = Vec::new();
        table.add_all(columns.enumerate().filter_map(|(nth, [key, cell])| {
            let number = number_of(cell, self.readings[aggregate]);
            if number == WIDE {
                wide.push(nth);
                return None;
            }
            Some((key, [number]))
        }));
        for row in wide.into_iter().map(|nth| self.rows.row(nth)) {
            self.add_wide(row, row.cell(0), table);
        }
        true
    }

    /// Adds the rows, whose keys are made first.
    ///
    /// In two passes, because a key that has just been written in pieces can't be loaded at once.
    #[inline(always)]
    fn group_made<T: State>(
        &self,
        table: &mut Table<T>,
        numbers: &mut [i64],
        values: &mut [Table<u64>],
        scratch: &mut Vec<u8>,
    ) {
        scratch.clear();
        let mut ends = Vec::with_capacity(self.rows.len());
        let keys: Option<Vec<_>> = (0..self.functions.len())
            .map(|key| self.rows.column(key))
            .collect();
        for (nth, row) in self.rows.iter().enumerate() {
            for (key, function) in self.functions.iter().enumerate() {
                if key > 0 {
                    scratch.push(b'|');
                }
                let cell = match &keys {
                    Some(keys) => keys[key].cell(nth),
                    None => row.cell(key),
                };
                append(*function, cell, scratch);
            }
            ends.push(scratch.len());
        }
        scratch.extend_from_slice(&BEHIND);
        let mut start = 0;
        let mut whole = Vec::new();
        let fixed = self.number_columns();
        for (nth, (row, end)) in self.rows.again().zip(ends).enumerate() {
            let key = Cell::new(&scratch[start..], end - start);
            self.add(nth, row, key, fixed.as_deref(), table, numbers);
            for (table, &aggregate) in values.iter_mut().zip(&self.steps.values) {
                let value = row.cell(self.functions.len() + aggregate);
                if !value.is_empty() {
                    whole.clear();
                    append(KeyFunction::Bytes, key, &mut whole);
                    whole.push(b'|');
                    append(KeyFunction::Bytes, value, &mut whole);
                    let length = whole.len();
                    whole.extend_from_slice(&BEHIND);
                    table.add(Cell::new(&whole, length), &[]);
                }
            }
            start = end;
        }
    }

    /// Returns the columns of numbers, if all rows have them.
    fn number_columns(&self) -> Option<Vec<Column<'_>>> {
        let columns = self.steps.numbers.iter();
        columns
            .map(|aggregate| self.rows.column(self.functions.len() + aggregate))
            .collect()
    }

    /// Adds the `nth` row to the table of groups. Its numbers are in the columns `fixed`, if there are these.
    #[inline(always)]
    fn add<T: State>(
        &self,
        nth: usize,
        row: Row<'_>,
        key: Cell<'_>,
        fixed: Option<&[Column<'_>]>,
        table: &mut Table<T>,
        numbers: &mut [i64],
    ) {
        let keys = self.functions.len();
        let mut is_wide = false;
        for (place, &aggregate) in self.steps.numbers.iter().enumerate() {
            let cell = match fixed {
                Some(fixed) => fixed[place].cell(nth),
                None => row.cell(keys + aggregate),
            };
            let number = &mut numbers[place];
            *number = number_of(cell, self.readings[aggregate]);
            is_wide |= *number == WIDE;
        }
        match is_wide {
            false => table.add(key, numbers),
            true => self.add_wide(row, key, table),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_wide<T: State>(&self, row: Row<'_>, key: Cell<'_>, table: &mut Table<T>) {
        let number = |&aggregate: &usize| {
            let cell = row.cell(self.functions.len() + aggregate);
            wide_number_of(&cell, self.readings[aggregate])
        };
        let numbers: Vec<_> = self.steps.numbers.iter().map(number).collect();
        table.add_wide(key, &numbers);
    }

    #[inline(always)]
    fn count_kinds(&self, row_kinds: &mut RowKinds) {
        let first = self.functions.len() + self.readings.len();
        match self.rows.columns_again([first, first + 1]) {
            Some(columns) => columns.for_each(|[kind, memo]| row_kinds.add(kind, memo)),
            None => {
                let rows = self.rows.again();
                rows.for_each(|row| row_kinds.add(row.cell(first), row.cell(first + 1)));
            }
        }
    }
}
