//! Adds the rows of a block of a file to the groups, 32 at a time. Keys of up to sixteen bytes stay in registers, and expressions are
//! evaluated only where columns will not do.

use std::cell::OnceCell;

use super::columns::{Columns, DistinctColumn, KeyColumn};
use super::composed::OF_ALL;
use super::evaluated::chosen_values;
use super::window::{MadeKey, Scratch, Window};
use super::{GroupsFold, Partial, SetGroups};
use crate::fold::key_words::{KEY_SEPARATOR, KeyWords, Place, ValueWords, WordStep};
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Cell, ROWS, Rows, Vector};
use crate::sql::evaluate::Fault;
use crate::sql::keys::push_row;
use crate::sql::vector::first;

/// The number of blocks whose keys are made as bytes, after one that had too few words.
const BLOCKS_WITHOUT_WORDS: u32 = 15;

/// Adds the rows of a block to the groups, with the level's instructions at hand.
pub(super) struct AddRows<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) fold: &'a GroupsFold<'a>,
    pub(super) columns: &'a Columns,
    pub(super) partial: &'a mut Partial,
}

impl Kernel for AddRows<'_, '_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Result<(), Fault> {
        let AddRows {
            rows,
            fold,
            columns,
            partial,
        } = self;
        let Partial {
            sets,
            counts,
            columns: scratch,
            ..
        } = partial;
        let keys_of_sets = &fold.grouping.sets[..];
        scratch.begin(columns, sets.len());
        let mut words = KeyWords::default();
        let mut cells = KeyCells::default();
        for start in (0..rows.len()).step_by(ROWS) {
            let window = Window {
                rows: *rows,
                start,
                count: ROWS.min(rows.len() - start),
                fold,
                columns,
                batch: OnceCell::new(),
            };
            scratch.made.iter_mut().for_each(|key| key.is_made = false);
            window.read_numbers(scratch, &mut counts.unread, &mut cells.one)?;
            for (nth, (set, keys)) in sets.iter_mut().zip(keys_of_sets).enumerate() {
                let may_be_words = scratch.without_words[nth] == 0 && set.groups.takes_words();
                if may_be_words {
                    window.push_words(level, keys, &mut words, scratch, &mut cells.one)?;
                    if words.without(window.count) <= ROWS / 4 {
                        window.add_words(keys, set, &words, scratch, &mut cells)?;
                        continue;
                    }
                    scratch.without_words[nth] = 1 + BLOCKS_WITHOUT_WORDS;
                }
                window.add_bytes(keys, set, scratch, &mut cells)?;
            }
            if !columns.distinct.is_empty() {
                window.add_distinct(sets, keys_of_sets, scratch, &mut cells)?;
            }
            if let Some(batch) = window.batch.get() {
                batch.count_unread(&mut counts.unread);
            }
        }
        for blocks in &mut scratch.without_words {
            *blocks = blocks.saturating_sub(1);
        }
        Ok(())
    }
}

/// The columns of rows that keys are made of.
struct KeyCells<'r> {
    /// One of them.
    one: Vector<'r>,
    /// For each key that is a column as it stands, its values in the rows at hand, if keys are made as bytes.
    all: Vec<Vector<'r>>,
}

impl Default for KeyCells<'_> {
    fn default() -> Self {
        KeyCells {
            one: Vector::new(&[]),
            all: Vec::new(),
        }
    }
}

impl<'w> Window<'w> {
    /// Makes the keys of a set as words.
    #[inline(always)]
    fn push_words<L: Level>(
        &self,
        level: L,
        keys: &[usize],
        words: &mut KeyWords,
        scratch: &mut Scratch,
        cells: &mut Vector<'w>,
    ) -> Result<(), Fault> {
        if keys.is_empty() {
            words.push_values(Place::Alone, &ValueWords::same(OF_ALL));
        }
        for (place, &nth) in keys.iter().enumerate() {
            let place = Place::of(place, keys.len());
            let made;
            let column = match &self.columns.keys[nth] {
                KeyColumn::Plain(column) => {
                    self.rows.read(*column, self.start, cells);
                    &*cells
                }
                KeyColumn::Steps(column, steps) => {
                    self.rows.read(*column, self.start, cells);
                    let mut values = ValueWords::of_steps(level, steps, cells, self.count);
                    if values.lacks_some(self.count) {
                        let others = self.made_key(nth, scratch)?.vector();
                        values = values.completed_by(self.count, &others);
                    }
                    words.push_values(place, &values);
                    continue;
                }
                KeyColumn::Evaluated => {
                    made = self.made_key(nth, scratch)?.vector();
                    &made
                }
            };
            words.push(place, column);
        }
        Ok(())
    }

    /// Adds rows most of whose keys are words.
    #[inline(always)]
    fn add_words(
        &self,
        keys: &[usize],
        set: &mut SetGroups,
        words: &KeyWords,
        scratch: &mut Scratch,
        cells: &mut KeyCells<'w>,
    ) -> Result<(), Fault> {
        if words.without(self.count) > 0 && !scratch.made.is_empty() {
            self.compose(keys, scratch, cells)?;
            let others = scratch.composed.vector();
            let (count, numbers) = (self.count, &scratch.numbers);
            set.groups.add_words(words, count, numbers, |nth, table| {
                table.number_of(others.cell(nth))
            });
            return Ok(());
        }
        let Scratch {
            composed, numbers, ..
        } = scratch;
        set.groups
            .add_words(words, self.count, numbers, |nth, table| {
                let row = self.rows.row(self.start + nth);
                let cells = keys.iter().map(|key| match self.columns.keys[*key] {
                    KeyColumn::Plain(column) => row.cell(column),
                    _ => Cell::from(&[][..]),
                });
                table.number_of(composed.one(cells))
            });
        Ok(())
    }

    /// Adds rows whose keys are bytes.
    #[inline(always)]
    fn add_bytes(
        &self,
        keys: &[usize],
        set: &mut SetGroups,
        scratch: &mut Scratch,
        cells: &mut KeyCells<'w>,
    ) -> Result<(), Fault> {
        let made;
        let vector = match *keys {
            [nth] => match &self.columns.keys[nth] {
                KeyColumn::Plain(column) => {
                    self.rows.read(*column, self.start, &mut cells.one);
                    &cells.one
                }
                KeyColumn::Steps(column, steps)
                    if steps[..] == [WordStep::Whole]
                        && self.reads_canonical(*column, &mut cells.one) =>
                {
                    &cells.one
                }
                _ => {
                    self.made_key(nth, scratch)?;
                    made = scratch.made[nth].bytes.vector();
                    &made
                }
            },
            _ => {
                self.compose(keys, scratch, cells)?;
                made = scratch.composed.vector();
                &made
            }
        };
        set.groups.add(vector, self.count, &scratch.numbers);
        Ok(())
    }

    /// Adds the values of each `count(DISTINCT ..)` to their tables, behind the keys.
    #[inline(always)]
    fn add_distinct(
        &self,
        sets: &mut [SetGroups],
        keys_of_sets: &[Vec<usize>],
        scratch: &mut Scratch,
        cells: &mut KeyCells<'w>,
    ) -> Result<(), Fault> {
        let all = first(self.count);
        for (place, column) in self.columns.distinct.iter().enumerate() {
            let (evaluated, types);
            let (values, rows) = match *column {
                DistinctColumn::Plain(column) => {
                    self.rows.read(column, self.start, &mut cells.one);
                    (None, all)
                }
                DistinctColumn::Evaluated(nth) => {
                    let aggregate = &self.fold.grouping.aggregates[nth];
                    let batch = self.batch(&scratch.numbers, &scratch.further);
                    let chosen = chosen_values(aggregate, batch, all)?;
                    evaluated = chosen.0;
                    types = aggregate.of.iter().map(|of| of.gives);
                    (Some(evaluated.iter().zip(types)), chosen.1)
                }
            };
            for (set, keys) in sets.iter_mut().zip(keys_of_sets) {
                self.read_keys(keys, scratch, cells)?;
                let Scratch { composed, made, .. } = &mut *scratch;
                composed.make(rows, |row, out| {
                    self.push_key(keys, made, cells, row, out);
                    out.push(KEY_SEPARATOR);
                    match &values {
                        None => cells.one.cell(row).append_to(out),
                        Some(values) => push_row(values.clone(), row, out),
                    }
                });
                let pairs = rows.count_ones() as usize;
                set.distinct[place].add(&composed.vector(), pairs, &[]);
            }
        }
        Ok(())
    }

    /// Puts the keys of a set together.
    #[inline(always)]
    fn compose(
        &self,
        keys: &[usize],
        scratch: &mut Scratch,
        cells: &mut KeyCells<'w>,
    ) -> Result<(), Fault> {
        self.read_keys(keys, scratch, cells)?;
        let Scratch { composed, made, .. } = scratch;
        composed.make(first(self.count), |row, out| {
            self.push_key(keys, made, cells, row, out);
        });
        Ok(())
    }

    /// Reads or makes the keys of a set.
    #[inline(always)]
    fn read_keys(
        &self,
        keys: &[usize],
        scratch: &mut Scratch,
        cells: &mut KeyCells<'w>,
    ) -> Result<(), Fault> {
        let columns = &self.columns.keys;
        cells.all.resize(columns.len(), Vector::new(&[]));
        for &nth in keys {
            match columns[nth] {
                KeyColumn::Plain(column) => {
                    self.rows.read(column, self.start, &mut cells.all[nth]);
                }
                _ => {
                    self.made_key(nth, scratch)?;
                }
            }
        }
        Ok(())
    }

    /// Appends the key of a row, whose parts have been read or made.
    #[inline(always)]
    fn push_key(
        &self,
        keys: &[usize],
        made: &[MadeKey],
        cells: &KeyCells<'w>,
        row: usize,
        out: &mut Vec<u8>,
    ) {
        if keys.is_empty() {
            out.push(OF_ALL);
        }
        for (place, &nth) in keys.iter().enumerate() {
            if place > 0 {
                out.push(KEY_SEPARATOR);
            }
            let cell = match self.columns.keys[nth] {
                KeyColumn::Plain(_) => cells.all[nth].cell(row),
                _ => made[nth].bytes.cell(row),
            };
            cell.append_to(out);
        }
    }
}
