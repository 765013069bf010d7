//! The step for rows whose keys have a few bytes: many side by side.

use std::mem;

use super::grouping::Block;
use super::values::{are_numbers, numbers_of};
use crate::fold::tables::{State, Table};
use crate::keys::word::{KeyWords, Place, joined};
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
            if keys.without(count) > ROWS / 4 {
                return start;
            }
            let numbers = number.map(|(column, reading)| {
                rows.read_heads(&column, start, &mut heads);
                numbers_of(&heads, reading, count, |row| column.cell(start + row))
            });
            self.add(start, count, &keys, numbers.as_ref());
        }
        rows.len()
    }
}

impl<T: State> GroupWords<'_, '_, '_, T> {
    /// Adds the rows from `start` on, which have these keys, and perhaps the numbers of an only column of them.
    #[inline(always)]
    fn add(&mut self, start: usize, count: usize, keys: &KeyWords, numbers: Option<&[i64; ROWS]>) {
        let are_usual = match numbers {
            Some(numbers) => keys.without(count) == 0 && are_numbers(numbers),
            None => keys.without(count) == 0 && !T::HAS_VALUES,
        };
        if are_usual {
            self.add_usual(count, keys, numbers);
        } else {
            self.add_others(start, count, keys, numbers);
        }
    }

    /// Adds rows whose keys are words, and that have numbers, if any. Months and states take 0.97 of the processor's time
    /// that they took with tests of each row.
    #[inline(always)]
    fn add_usual(&mut self, count: usize, keys: &KeyWords, numbers: Option<&[i64; ROWS]>) {
        let places = self.table.places(keys);
        let (first, last) = keys.halves();
        // The compiler knows that slices of the same length end together.
        let halves = first[..count].iter().zip(&last[..count]);
        let keyed = places[..count].iter().zip(halves);
        match numbers {
            Some(numbers) if T::HAS_VALUES => {
                for ((&place, (&low, &high)), &number) in keyed.zip(&numbers[..count]) {
                    self.table.add_number(place, joined(low, high), number);
                }
            }
            _ => {
                for (&place, (&low, &high)) in keyed {
                    self.table.add_word(place, joined(low, high), &[]);
                }
            }
        }
    }

    /// Adds rows with any keys and numbers.
    #[inline(always)]
    fn add_others(
        &mut self,
        start: usize,
        count: usize,
        keys: &KeyWords,
        numbers: Option<&[i64; ROWS]>,
    ) {
        let places = self.table.places(keys);
        let fixed = self.block.number_columns();
        let (block, values) = (self.block, mem::take(&mut self.numbers));
        for (nth, &place) in places[..count].iter().enumerate() {
            let row = block.rows.row(start + nth);
            match numbers {
                Some(numbers) => values[0] = numbers[nth],
                None => block.take_numbers(start + nth, row, fixed.as_deref(), values),
            }
            match keys.get(nth) {
                Some(word) => self.table.add_word(place, word, values),
                None => block.add_unusual(row, values, self.bytes, self.table),
            }
        }
        self.numbers = values;
    }
}

#[cfg(test)]
mod tests;
