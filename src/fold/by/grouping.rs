//! The steps for the rows of a block: keys, numbers, and the tables that take them.

use super::bound::Reading;
use super::partial::Steps;
use super::question::{GroupQuestion, RowKindPolicy};
use super::row_kinds::RowKinds;
use super::values::{append, number_of};
use super::words::GroupWords;
use crate::fold::tables::{State, Table};
use crate::keys::KeyFunction;
use crate::keys::word::has_words;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Cell, Column, Row, Rows};

/// The bytes that may be read after a key: so short keys take no comparison with the end.
const BEHIND: [u8; 32] = [0; 32];

/// The number of blocks whose keys are made as bytes, after one that had too few words.
const BLOCKS_WITHOUT_WORDS: u32 = 15;

/// What a worker keeps from one block to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Memory for keys that are no words.
    bytes: Vec<u8>,
    /// The number of next blocks whose keys are not tried as words.
    without_words: u32,
}

/// The rows of a block, and the question.
#[derive(Clone, Copy)]
pub(super) struct Block<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) question: &'a GroupQuestion,
    /// The function of each row key.
    pub(super) functions: &'a [KeyFunction],
    pub(super) steps: &'a Steps,
    pub(super) readings: &'a [Reading],
}

/// Adds the rows of a block, with the level's instructions at hand.
pub(super) struct Grouping<'a, 'r, T, V> {
    pub(super) block: Block<'a, 'r>,
    pub(super) table: &'a mut Table<T>,
    /// Memory for the numbers of a row.
    pub(super) numbers: V,
    pub(super) values: &'a mut [Table<u64>],
    pub(super) row_kinds: &'a mut RowKinds,
    pub(super) scratch: &'a mut Scratch,
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
        scratch: &mut Scratch,
    ) -> u64 {
        let numbers = numbers.as_mut();
        let has_words = values.is_empty()
            && table.takes_words()
            && self.functions.iter().all(|&function| has_words(function));
        let added = if has_words {
            self.group_words(table, numbers, scratch)
        } else {
            0
        };
        if added < self.rows.len() {
            let rows = &self.rows.slice(added..self.rows.len());
            let others = Block { rows, ..*self };
            match self.functions {
                [KeyFunction::Bytes] if values.is_empty() => others.group_columns(table, numbers),
                _ => others.group_made(table, numbers, values, &mut scratch.bytes),
            }
        }
        let values = values.iter_mut().map(Table::end_block);
        values.sum::<u64>() + table.end_block()
    }

    /// Adds the rows, whose key is a column as it stands.
    #[inline(always)]
    fn group_columns<T: State>(&self, table: &mut Table<T>, numbers: &mut [i64]) {
        match self.steps.numbers[..] {
            [] if !T::HAS_VALUES => {
                if let Some(keys) = self.rows.columns([0]) {
                    return table.add_all(keys.map(|[key]| (key, [])));
                }
            }
            [aggregate]
                if T::HAS_VALUES
                    && table.awaits_groups()
                    && self.group_column_and_number(table, aggregate) =>
            {
                return;
            }
            [aggregate] if T::HAS_VALUES => {
                if let Some(columns) = self.rows.columns([0, 1 + aggregate]) {
                    let reading = self.readings[aggregate];
                    for [key, cell] in columns {
                        table.add(key, &[number_of(cell, reading)]);
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
        table.add_all(columns.map(|[key, cell]| {
            let number = number_of(cell, self.readings[aggregate]);
            (key, [number])
        }));
        true
    }

    /// Adds the first rows, as far as keys have a few bytes. Returns how many were added.
    #[inline(always)]
    fn group_words<T: State>(
        &self,
        table: &mut Table<T>,
        numbers: &mut [i64],
        scratch: &mut Scratch,
    ) -> usize {
        if scratch.without_words > 0 {
            scratch.without_words -= 1;
            return 0;
        }
        let added = self.rows.dispatch(GroupWords {
            block: self,
            table,
            numbers,
            bytes: &mut scratch.bytes,
        });
        if added < self.rows.len() {
            scratch.without_words = BLOCKS_WITHOUT_WORDS;
        }
        added
    }

    /// Adds a row whose key is no word.
    #[cold]
    #[inline(never)]
    pub(super) fn add_unusual<T: State>(
        &self,
        row: Row<'_>,
        numbers: &[i64],
        bytes: &mut Vec<u8>,
        table: &mut Table<T>,
    ) {
        bytes.clear();
        for (key, &function) in self.functions.iter().enumerate() {
            bytes.extend((key > 0).then_some(b'|'));
            append(function, row.cell(key), bytes);
        }
        let length = bytes.len();
        bytes.extend_from_slice(&BEHIND);
        table.add_directly(Cell::new(bytes, length), numbers);
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
        let keys = self.key_columns();
        for (nth, row) in self.rows.iter().enumerate() {
            for (key, &function) in self.functions.iter().enumerate() {
                if key > 0 {
                    scratch.push(b'|');
                }
                let cell = match &keys {
                    Some(keys) => keys[key].cell(nth),
                    None => row.cell(key),
                };
                append(function, cell, scratch);
            }
            ends.push(scratch.len());
        }
        scratch.extend_from_slice(&BEHIND);
        let mut start = 0;
        let mut whole = Vec::new();
        let fixed = self.number_columns();
        for (nth, (row, end)) in self.rows.iter().zip(ends).enumerate() {
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

    /// Returns the columns of the keys, if all rows have them.
    fn key_columns(&self) -> Option<Vec<Column<'_>>> {
        let keys = 0..self.functions.len();
        keys.map(|key| self.rows.column(key)).collect()
    }

    /// Returns the columns of numbers, if all rows have them.
    pub(super) fn number_columns(&self) -> Option<Vec<Column<'_>>> {
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
        self.take_numbers(nth, row, fixed, numbers);
        table.add(key, numbers);
    }

    /// Reads the numbers of the `nth` row. They are in the columns `fixed`, if there are these.
    #[inline(always)]
    pub(super) fn take_numbers(
        &self,
        nth: usize,
        row: Row<'_>,
        fixed: Option<&[Column<'_>]>,
        numbers: &mut [i64],
    ) {
        for (place, &aggregate) in self.steps.numbers.iter().enumerate() {
            let cell = match fixed {
                Some(fixed) => fixed[place].cell(nth),
                None => row.cell(self.functions.len() + aggregate),
            };
            numbers[place] = number_of(cell, self.readings[aggregate]);
        }
    }

    #[inline(always)]
    fn count_kinds(&self, row_kinds: &mut RowKinds) {
        let first = self.functions.len() + self.readings.len();
        match self.rows.columns([first, first + 1]) {
            Some(columns) => columns.for_each(|[kind, memo]| row_kinds.add(kind, memo)),
            None => {
                let rows = self.rows.iter();
                rows.for_each(|row| row_kinds.add(row.cell(first), row.cell(first + 1)));
            }
        }
    }
}
