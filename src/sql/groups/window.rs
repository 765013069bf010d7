//! Rows of a block, and what is read and evaluated of them before they are added to groups.

use std::cell::OnceCell;

use super::GroupsFold;
use super::columns::{Columns, KeyColumn, NumberColumn};
use super::composed::Composed;
use super::evaluated::numbers_of_rows;
use crate::fec::amount::is_canonical;
use crate::fec::trimmed;
use crate::fold::key_words::{ValueWords, WordStep};
use crate::fold::tables::NO_NUMBER;
use crate::scan::simd::Portable;
use crate::scan::{ROWS, Rows, Vector};
use crate::sql::evaluate::Fault;
use crate::sql::file::FileBatch;
use crate::sql::file::columns::numbers_of as numbers_of_column;
use crate::sql::keys::push_part;
use crate::sql::vector::{Mask, Values, each, first};

/// What a worker keeps from one block to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) numbers: Vec<[i64; ROWS]>,
    /// Those of the columns that only expressions read.
    pub(super) further: Vec<[i64; ROWS]>,
    /// The keys that are no columns as they stand.
    pub(super) made: Vec<MadeKey>,
    pub(super) composed: Composed,
    /// For each grouping set the number of next blocks whose keys are not tried as words.
    pub(super) without_words: Vec<u32>,
}

/// The bytes of a key in the rows at hand.
#[derive(Debug, Default)]
pub(super) struct MadeKey {
    pub(super) bytes: Composed,
    pub(super) is_made: bool,
}

/// Up to [`ROWS`] rows of a block.
pub(super) struct Window<'w> {
    pub(super) rows: Rows<'w>,
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) fold: &'w GroupsFold<'w>,
    pub(super) columns: &'w Columns,
    /// What expressions read.
    pub(super) batch: OnceCell<FileBatch<'w>>,
}

impl Scratch {
    pub(super) fn begin(&mut self, columns: &Columns, sets: usize) {
        self.numbers
            .resize(columns.numbers.len(), [NO_NUMBER; ROWS]);
        self.further
            .resize(columns.further.len(), [NO_NUMBER; ROWS]);
        self.without_words.resize(sets, 0);
        let are_plain = |key: &KeyColumn| matches!(key, KeyColumn::Plain(_));
        if !columns.keys.iter().all(are_plain) {
            self.made.resize_with(columns.keys.len(), MadeKey::default);
        }
    }
}

impl<'w> Window<'w> {
    /// Returns the batch of the rows. It takes the numbers that have been read, so that none is counted twice that is no number.
    pub(super) fn batch(&self, numbers: &[[i64; ROWS]], further: &[[i64; ROWS]]) -> &FileBatch<'w> {
        self.batch.get_or_init(|| {
            let batch = FileBatch::new(&self.rows, self.start, &self.fold.plan.read);
            for (column, numbers) in self.columns.numbers.iter().zip(numbers) {
                if let NumberColumn::Read(nth, _) = column {
                    batch.take(*nth, numbers);
                }
            }
            for ((nth, _), numbers) in self.columns.further.iter().zip(further) {
                batch.take(*nth, numbers);
            }
            batch
        })
    }

    /// Reads the columns of numbers. What expressions read of numbers is read here, too, with the level's instructions.
    #[inline(always)]
    pub(super) fn read_numbers(
        &self,
        scratch: &mut Scratch,
        unread: &mut [u64],
        cells: &mut Vector<'w>,
    ) -> Result<(), Fault> {
        let Scratch {
            numbers, further, ..
        } = scratch;
        let columns = self.columns.numbers.iter().map(|column| match column {
            NumberColumn::Read(column, reading) => Some((*column, *reading)),
            _ => None,
        });
        let of_numbers = numbers.iter_mut().zip(columns);
        let of_further = further.iter_mut().zip(&self.columns.further);
        let of_further = of_further.map(|(numbers, column)| (numbers, Some(*column)));
        for (numbers, column) in of_numbers.chain(of_further) {
            let Some((column, reading)) = column else {
                continue;
            };
            self.rows.read(column, self.start, cells);
            *numbers = numbers_of_column(cells, reading, self.count);
            let read = &numbers[..self.count];
            if read.contains(&NO_NUMBER) {
                unread[column] += unread_of(cells, read);
            }
        }
        for (place, column) in self.columns.numbers.iter().enumerate() {
            match column {
                NumberColumn::Same(known) => numbers[place] = numbers[*known],
                NumberColumn::Chosen(chosen) => numbers[place] = chosen.of(numbers, further),
                _ => {}
            }
        }
        if self.columns.has_evaluated {
            self.evaluate_all(numbers, further)?;
        }
        Ok(())
    }

    /// Evaluates the arguments of aggregates that are no columns.
    #[inline(never)]
    fn evaluate_all(
        &self,
        numbers: &mut [[i64; ROWS]],
        further: &[[i64; ROWS]],
    ) -> Result<(), Fault> {
        let batch = self.batch(numbers, further);
        for (column, numbers) in self.columns.numbers.iter().zip(numbers) {
            if let NumberColumn::Evaluated(nth) = column {
                let aggregate = &self.fold.grouping.aggregates[*nth];
                *numbers = numbers_of_rows(aggregate, batch, first(self.count))?;
            }
        }
        Ok(())
    }

    /// Reads a column. Says whether all its values are whole numbers as keys have them.
    #[inline(always)]
    pub(super) fn reads_canonical(&self, column: usize, cells: &mut Vector<'w>) -> bool {
        self.rows.read(column, self.start, cells);
        (0..self.count).all(|row| is_canonical(cells.cell(row).bytes()))
    }

    /// Returns the bytes of a key that is no column as it stands.
    #[inline(never)]
    pub(super) fn made_key<'s>(
        &self,
        nth: usize,
        scratch: &'s mut Scratch,
    ) -> Result<&'s Composed, Fault> {
        let made = &mut scratch.made[nth];
        if made.is_made {
            return Ok(&made.bytes);
        }
        let (of, form) = (&self.fold.grouping.keys[nth], self.fold.keys[nth]);
        let rows = first(self.count);
        let batch = || self.batch(&scratch.numbers, &scratch.further);
        if let KeyColumn::Steps(column, steps) = &self.columns.keys[nth] {
            let mut cells = Vector::new(&[]);
            self.rows.read(*column, self.start, &mut cells);
            let words = ValueWords::of_steps(Portable, steps, &cells, self.count);
            let mut missing = words.missing(self.count);
            let mut are_cells = 0;
            if steps[..] == [WordStep::Whole] {
                each(missing, |row| {
                    let is_cell = is_canonical(cells.cell(row).bytes());
                    are_cells |= Mask::from(is_cell) << row;
                });
                missing &= !are_cells;
            }
            let values = match missing {
                0 => Values::null(),
                _ => of.values(batch(), missing)?,
            };
            made.bytes.make(rows, |row, out| match 1 << row {
                bit if missing & bit != 0 => push_part(&values, of.gives, form, row, out),
                bit if are_cells & bit != 0 => cells.cell(row).append_to(out),
                _ => words.append_to(row, out),
            });
        } else {
            let values = of.values(batch(), rows)?;
            made.bytes.take(values, of.gives, form, rows);
        }
        made.is_made = true;
        Ok(&made.bytes)
    }
}

/// Returns how many of the values that are no numbers are not empty.
#[cold]
#[inline(never)]
fn unread_of(column: &Vector<'_>, numbers: &[i64]) -> u64 {
    let none = numbers.iter().enumerate();
    let none = none.filter(|(_, number)| **number == NO_NUMBER);
    let unread = none.filter(|(nth, _)| !trimmed(column.cell(*nth).bytes()).is_empty());
    unread.count() as u64
}
