//! Adds the rows of a block to the groups, 32 at a time: reads the columns, makes the keys, and adds the numbers.

use std::slice;

use super::bound::Reading;
use super::joined::KeyMap;
use super::partial::{Partial, Steps};
use super::question::{GroupQuestion, RowKindPolicy};
use super::row_kinds::RowKinds;
use super::values::{most_decimals, numbers_of};
use crate::expr::word::{KeyWords, Place, has_words};
use crate::expr::{KEY_SEPARATOR, KeyFunction, append};
use crate::fold::tables::NO_NUMBER;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Cell, ROWS, Rows, Vector};

/// The number of blocks whose keys are made as bytes, after one that had too few words.
const BLOCKS_WITHOUT_WORDS: u32 = 15;

/// The bytes of one copy, for values of any shorter length. So many bytes may be read after a key.
const COPIED_BYTES: usize = 32;

/// What a worker keeps from one block to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    keys: Composed,
    numbers: Vec<[i64; ROWS]>,
    /// The number of next blocks whose keys are not tried as words.
    without_words: u32,
}

/// Adds the rows of a block, with the level's instructions at hand.
pub(super) struct Grouping<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    /// What the rows are grouped by.
    pub(super) key_map: &'a KeyMap,
    pub(super) steps: &'a Steps,
    pub(super) readings: &'a [Reading],
    pub(super) question: &'a GroupQuestion,
    pub(super) partial: &'a mut Partial,
}

impl Kernel for Grouping<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let Grouping {
            rows,
            key_map,
            steps,
            readings,
            question,
            partial,
        } = self;
        let functions = key_map.functions();
        let Partial {
            groups,
            values,
            without,
            decimals,
            row_kinds: kinds,
            scratch,
            ..
        } = partial;
        let keys = functions.len();
        scratch.numbers.resize(steps.numbers.len(), [0; ROWS]);
        let has_words = scratch.without_words == 0 && functions.iter().all(has_words);
        let mut has_words = has_words && groups.takes_words();
        scratch.without_words = scratch.without_words.saturating_sub(1);
        let mut words = KeyWords::default();
        let mut column = Vector::new(&[]);
        let mut columns = Vec::new();
        for start in (0..rows.len()).step_by(ROWS) {
            let mut count = 0;
            for (place, &nth) in steps.numbers.iter().enumerate() {
                count = rows.read(keys + nth, start, &mut column);
                let function = &question.aggregates[nth].of.function;
                let numbers = if function.is_none() {
                    numbers_of(&column, readings[nth], count)
                } else {
                    let made = scratch.keys.all(
                        slice::from_ref(function),
                        slice::from_ref(&column),
                        count,
                    );
                    numbers_of(&made, readings[nth], count)
                };
                let is_none = |number: &&i64| **number == NO_NUMBER;
                let lacking = numbers[..count].iter().filter(is_none).count() as u64;
                without[place] += lacking;
                if lacking > 0 && function.is_none() {
                    decimals[place] =
                        most_decimals(&column, &numbers[..count]).max(decimals[place]);
                }
                scratch.numbers[place] = numbers;
            }
            if has_words {
                for (nth, function) in functions.iter().enumerate() {
                    count = rows.read(nth, start, &mut column);
                    words.push(level, Place::of(nth, keys), function, &column, count);
                }
                has_words = words.without(count) <= ROWS / 4;
                scratch.without_words = if has_words { 0 } else { BLOCKS_WITHOUT_WORDS };
            }
            if !has_words || !values.is_empty() {
                columns.resize(keys + 1, Vector::new(&[]));
                for (nth, column) in columns[..keys].iter_mut().enumerate() {
                    count = rows.read(nth, start, column);
                }
            }
            if has_words {
                let scratch_keys = &mut scratch.keys;
                groups.add_words(&words, count, &scratch.numbers, |nth, table| {
                    let row = rows.row(start + nth);
                    let cells = (0..keys).map(|nth| row.cell(nth));
                    table.number_of(scratch_keys.one(functions.iter().zip(cells)))
                });
            } else if functions.len() == 1 && functions[0].is_none() {
                groups.add(&columns[0], count, &scratch.numbers);
            } else {
                let composed = scratch.keys.all(functions, &columns[..keys], count);
                groups.add(&composed, count, &scratch.numbers);
            }
            for (place, (table, &nth)) in values.iter_mut().zip(&steps.values).enumerate() {
                rows.read(keys + nth, start, &mut columns[keys]);
                let made = key_map.value_function(place);
                let (pairs, count) = scratch.keys.pairs(functions, &columns, made, count);
                table.add(&pairs, count, &[]);
            }
        }
        if question.row_kinds == RowKindPolicy::Count {
            count_kinds(rows, keys + readings.len(), kinds);
        }
    }
}

#[inline(always)]
fn count_kinds(rows: &Rows<'_>, first: usize, row_kinds: &mut RowKinds) {
    let (mut kinds, mut memos) = (Vector::new(&[]), Vector::new(&[]));
    for start in (0..rows.len()).step_by(ROWS) {
        rows.read(first, start, &mut kinds);
        let count = rows.read(first + 1, start, &mut memos);
        for nth in 0..count {
            row_kinds.add(kinds.cell(nth), memos.cell(nth));
        }
    }
}

/// Keys of several columns, with separators between them, or of functions.
#[derive(Debug, Default)]
struct Composed {
    /// The bytes of the keys.
    bytes: Vec<u8>,
}

impl Composed {
    /// Returns the key of one row.
    fn one<'c>(&mut self, cells: impl Iterator<Item = (&'c KeyFunction, Cell<'c>)>) -> Cell<'_> {
        self.bytes.clear();
        for (nth, (function, cell)) in cells.enumerate() {
            if nth > 0 {
                self.bytes.push(KEY_SEPARATOR);
            }
            self.push(function, cell);
        }
        let used = self.bytes.len();
        self.bytes.extend_from_slice(&[0; COPIED_BYTES]);
        Cell::new(&self.bytes, used)
    }

    /// Returns the keys of rows.
    #[inline(always)]
    fn all(
        &mut self,
        functions: &[KeyFunction],
        columns: &[Vector<'_>],
        count: usize,
    ) -> Vector<'_> {
        let mut spans = [[0; 2]; ROWS];
        self.bytes.clear();
        for (row, span) in spans[..count].iter_mut().enumerate() {
            let start = self.bytes.len();
            self.push_key(functions, columns, row);
            *span = [start as u32, self.bytes.len() as u32];
        }
        self.vector(&spans[..count])
    }

    /// Returns the keys of rows, each with the value of `value_function` of one more column behind it, and their number. Rows
    /// without a value there have no key.
    #[inline(always)]
    fn pairs(
        &mut self,
        functions: &[KeyFunction],
        columns: &[Vector<'_>],
        value_function: &KeyFunction,
        count: usize,
    ) -> (Vector<'_>, usize) {
        let mut spans = [[0; 2]; ROWS];
        let mut pairs = 0;
        self.bytes.clear();
        let values = &columns[functions.len()];
        for row in 0..count {
            let value = values.cell(row);
            if value.is_empty() && value_function.is_none() {
                continue;
            }
            let start = self.bytes.len();
            self.push_key(functions, columns, row);
            self.bytes.push(KEY_SEPARATOR);
            let before = self.bytes.len();
            self.push(value_function, value);
            if self.bytes.len() == before {
                self.bytes.truncate(start);
                continue;
            }
            spans[pairs] = [start as u32, self.bytes.len() as u32];
            pairs += 1;
        }
        (self.vector(&spans[..pairs]), pairs)
    }

    #[inline(always)]
    fn push_key(&mut self, functions: &[KeyFunction], columns: &[Vector<'_>], row: usize) {
        for (nth, (function, column)) in functions.iter().zip(columns).enumerate() {
            if nth > 0 {
                self.bytes.push(KEY_SEPARATOR);
            }
            self.push(function, column.cell(row));
        }
    }

    /// Appends the value of a function of a column.
    #[inline(always)]
    fn push(&mut self, function: &KeyFunction, cell: Cell<'_>) {
        match cell.first_bytes::<COPIED_BYTES>() {
            // A copy of fixed length, whose noise goes.
            Some(bytes) if function.is_none() && cell.len() <= COPIED_BYTES => {
                let end = self.bytes.len() + cell.len();
                self.bytes.extend_from_slice(bytes);
                self.bytes.truncate(end);
            }
            _ => append(function, cell, &mut self.bytes),
        }
    }

    /// Returns the vector of keys, once all are written: a key that has just been written in pieces can't be loaded at once.
    #[inline(always)]
    fn vector(&mut self, spans: &[[u32; 2]]) -> Vector<'_> {
        self.bytes.extend_from_slice(&[0; COPIED_BYTES]);
        let mut vector = Vector::new(&self.bytes);
        for (nth, &span) in spans.iter().enumerate() {
            vector.set(nth, span);
        }
        vector
    }
}
