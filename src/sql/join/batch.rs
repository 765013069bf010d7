//! Joined rows as batches.

use crate::scan::ROWS;
use crate::sql::evaluate::{Batch, nulls};
use crate::sql::plan::Join;
use crate::sql::table::Table;
use crate::sql::vector::{Data, Mask, Values};

/// A joined row: one of a batch and one of a table, or one without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) before: Option<u32>,
    pub(super) table: Option<u32>,
}

impl Pair {
    pub(super) fn new(before: Option<usize>, table: Option<u32>) -> Pair {
        let before = before.map(|row| row as u32);
        Pair { before, table }
    }
}

/// Up to [`ROWS`] joined rows. Their columns are those of the batch, and then those of the table.
pub(super) struct Joined<'j> {
    before: Option<&'j dyn Batch>,
    join: &'j Join,
    table: &'j Table,
    pairs: &'j [Pair],
}

impl<'j> Joined<'j> {
    pub(super) fn new(
        before: Option<&'j dyn Batch>,
        join: &'j Join,
        table: &'j Table,
        pairs: &'j [Pair],
    ) -> Joined<'j> {
        debug_assert!(pairs.len() <= ROWS);
        Joined {
            before,
            join,
            table,
            pairs,
        }
    }
}

impl Batch for Joined<'_> {
    fn rows(&self) -> usize {
        self.pairs.len()
    }

    fn column(&self, nth: usize) -> Values<'_> {
        let before = &self.join.before;
        match nth.checked_sub(before.len()) {
            None => match self.before {
                None => nulls(before[nth]),
                Some(batch) => gathered(batch.column(nth), self.pairs),
            },
            Some(nth) => {
                let rows = self.pairs.iter().map(|pair| pair.table);
                self.table.columns[nth].values_of(rows)
            }
        }
    }

    fn place(&self, row: usize) -> u64 {
        let before = self.before.zip(self.pairs[row].before);
        before.map_or(0, |(batch, row)| batch.place(row as usize))
    }

    fn scanned_row(&self, row: usize) -> usize {
        let before = self.before.zip(self.pairs[row].before);
        before.map_or(0, |(batch, row)| batch.scanned_row(row as usize))
    }

    fn multiplicity(&self, row: usize) -> u64 {
        let before = self.before.zip(self.pairs[row].before);
        before.map_or(1, |(batch, row)| batch.multiplicity(row as usize))
    }
}

/// Returns the values of the rows of a batch that pairs have.
fn gathered<'v>(values: Values<'v>, pairs: &[Pair]) -> Values<'v> {
    let Values { valid, data } = values;
    let rows = pairs.iter().map(|pair| pair.before.map(|row| row as usize));
    let rows = || rows.clone().enumerate();
    let mask = |bits: Mask| {
        rows().fold(0, |mask: Mask, (nth, row)| {
            let bit = row.map_or(0, |row| bits >> row & 1);
            mask | bit << nth
        })
    };
    let data = match data {
        Data::Boolean(bits) => Data::Boolean(mask(bits)),
        Data::Whole(list) => {
            let mut made = [0; ROWS];
            rows().for_each(|(nth, row)| made[nth] = list[row.unwrap_or(0)]);
            Data::Whole(made)
        }
        Data::Wide(list) => {
            let mut made = [0; ROWS];
            rows().for_each(|(nth, row)| made[nth] = list[row.unwrap_or(0)]);
            Data::Wide(Box::new(made))
        }
        Data::Double(list) => {
            let mut made = [0.0; ROWS];
            rows().for_each(|(nth, row)| made[nth] = list[row.unwrap_or(0)]);
            Data::Double(made)
        }
        Data::Text(texts) => Data::Text(texts.gathered(rows())),
    };
    let valid = mask(valid);
    Values { valid, data }
}
