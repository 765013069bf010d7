//! The step for rows whose keys have a few bytes: many side by side.

use std::mem;

use super::grouping::Block;
use super::values::{WIDE, numbers_of};
use crate::fold::tables::{State, Table};
use crate::keys::word::{KeyWords, Place};
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Heads, ROWS};

/// Adds rows, whose keys are made and have a few bytes, some at a time: columns, keys and numbers are read and made one
/// after the other, without branches.
///
/// Ends before rows of which some lack a column, or too many have long keys. Returns the number of those before.
///
/// A kernel of its own: beside the other loops it would have fewer registers.
pub(super) struct GroupWords<'a, 'b, 'r, T> {
    pub(super) block: &'a Block<'b, 'r>,
    pub(super) table: &'a mut Table<T>,
    /// Memory for the numbers of a row.
    pub(super) numbers: &'a mut [i64],
    /// Memory for a key.
    pub(super) bytes: &'a mut Vec<u8>,
}

impl<T: State> Kernel for GroupWords<'_, '_, '_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Level>(mut self, _: L) -> usize {
        let Block {
            rows,
            functions,
            steps,
            readings,
            ..
        } = *self.block;
        let number = match steps.numbers[..] {
            [aggregate] if T::HAS_VALUES => {
                let column = rows.column(functions.len() + aggregate);
                column.map(|column| (column, readings[aggregate]))
            }
            _ => None,
        };
        let mut keys = KeyWords::default();
        let mut heads = Heads::default();
        // A filter has prefetched, perhaps.
        let prefetches = rows.begins_first_walk();
        for start in (0..rows.len()).step_by(ROWS) {
            let count = ROWS.min(rows.len() - start);
            for (nth, &function) in functions.iter().enumerate() {
                let Some(column) = rows.column(nth) else {
                    return start;
                };
                rows.read_heads(&column, start, &mut heads);
                let place = Place::of(nth, functions.len());
                let cell = |row| column.cell(start + row);
                keys.push(place, function, &heads, count, cell);
            }
            if keys.without(count) > count / 4 {
                return start;
            }
            let number = number.map(|(column, reading)| {
                rows.read_heads(&column, start, &mut heads);
                numbers_of(&heads, reading, count, |row| column.cell(start + row))
            });
            match prefetches {
                true => self.add::<true>(start, count, &keys, number),
                false => self.add::<false>(start, count, &keys, number),
            }
        }
        rows.len()
    }
}

impl<T: State> GroupWords<'_, '_, '_, T> {
    /// Adds the rows from `start` on, which have these keys, and perhaps the numbers of an only column of them.
    #[inline(always)]
    fn add<const PREFETCH: bool>(
        &mut self,
        start: usize,
        count: usize,
        keys: &KeyWords,
        numbers: Option<[i64; ROWS]>,
    ) {
        let places = self.table.places(keys);
        let places = places[..count].iter().enumerate();
        if !T::HAS_VALUES {
            for (nth, &place) in places {
                self.add_row::<PREFETCH>(start + nth, place, keys.get(nth), &[]);
            }
        } else if let Some(numbers) = numbers {
            for (nth, &place) in places {
                self.add_row::<PREFETCH>(start + nth, place, keys.get(nth), &[numbers[nth]]);
            }
        } else {
            let fixed = self.block.number_columns();
            let numbers = mem::take(&mut self.numbers);
            for (nth, &place) in places {
                let row = self.block.rows.row(start + nth);
                let block = self.block;
                block.take_numbers(start + nth, row, fixed.as_deref(), numbers);
                self.add_row::<PREFETCH>(start + nth, place, keys.get(nth), numbers);
            }
            self.numbers = numbers;
        }
    }

    /// Adds a row with this key, and the place of it.
    #[inline(always)]
    fn add_row<const PREFETCH: bool>(
        &mut self,
        nth: usize,
        place: u64,
        key: Option<u128>,
        numbers: &[i64],
    ) {
        if PREFETCH {
            self.block.rows.prefetch(nth);
        }
        match key {
            Some(word) if !numbers.contains(&WIDE) => self.table.add_word(place, word, numbers),
            _ => {
                let row = self.block.rows.row(nth);
                self.block.add_unusual(row, numbers, self.bytes, self.table);
            }
        }
    }
}
