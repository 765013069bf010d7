//! Groups of a partial as they are written down.

use std::sync::Arc;

use super::ByFold;
use super::partial::Partial;
use super::row_kinds::RowKinds;
use crate::coding::{Damaged, Put, Reader, check};
use crate::error::Error;
use crate::fold::tables::{Table, amounts_by_keys};
use crate::fold::{Fold, Origin};

impl ByFold {
    /// Writes down what a run has made.
    pub(super) fn store(&self, partial: &Partial, out: &mut Vec<u8>) -> Result<(), Error> {
        self.check_room()?;
        self.refuse_too_many_merged(partial)?;
        partial.row_kinds.store(out);
        let numbers = partial.without.iter().chain(&partial.decimals);
        numbers.for_each(|number| out.put_number(*number));
        partial.tables().for_each(|table| table.store(out));
        Ok(())
    }

    /// Counts the merged groups each time that the groups of all partials have doubled. So all counts together look at a
    /// group of a partial twice on average, and a merge of too many partials ends early.
    pub(super) fn check_merged(&self, merged: &mut Partial) -> Result<(), Error> {
        let groups = merged.stored_groups();
        if groups > merged.counted_at.saturating_mul(2).max(self.max_groups) {
            merged.counted_at = groups;
            self.refuse_too_many_merged(merged)?;
        }
        Ok(())
    }

    /// Reads what a run has made, from the bytes of `state` that `reader` has before it.
    pub(super) fn load(
        &self,
        origin: &Origin<'_>,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<Partial, Error> {
        for file in origin.files {
            let coverage = file.coverage.iter();
            for schema in coverage.flat_map(|coverage| &coverage.schemas) {
                self.begin(&file.path, *schema)?;
            }
        }
        // The keys of a group are columns of a row, or parts of them.
        let keys = self.key_map.get().map_or(1, |map| map.functions().len());
        let separators = keys - 1;
        let mut partial = self.partial();
        partial.row_kinds = RowKinds::load(origin.lines, reader)?;
        for rows in &mut partial.without {
            *rows = rows_of(origin.lines, reader)?;
        }
        for decimals in &mut partial.decimals {
            *decimals = reader.number()?;
        }
        let rows = partial
            .groups
            .load(&amounts_by_keys(separators), state, reader)?;
        // Each line is in one group, and has one value at most.
        check(rows == origin.lines)?;
        for table in &mut partial.values {
            let is_right = amounts_by_keys(separators + 1);
            check(table.load(&is_right, state, reader)? <= origin.lines)?;
        }
        self.refuse_more_than_most(partial.stored_groups())?;
        Ok(partial)
    }

    /// Refuses partials whose groups, merged, are too many. They are counted in little memory, a few partitions at a time.
    pub(super) fn refuse_too_many_merged(&self, partial: &Partial) -> Result<(), Error> {
        let most = self.max_groups;
        if partial.stored_groups() <= most {
            return Ok(());
        }
        self.refuse_more_than_most(partial.merged_groups(most))
    }
}

impl Partial {
    /// Returns the number of groups and distinct values of all partials, before equal keys are merged.
    fn stored_groups(&self) -> u64 {
        self.tables().map(Table::stored_groups).sum()
    }

    /// Returns the number of groups and distinct values of merged partials. If there are more than `most`, some number
    /// above it.
    fn merged_groups(&self, most: u64) -> u64 {
        self.tables()
            .fold(0, |counted, table| match most.checked_sub(counted) {
                None => counted,
                Some(left) => counted + table.merged_groups(left),
            })
    }
}

/// Reads a number of rows among these `lines`.
fn rows_of(lines: u64, reader: &mut Reader<'_>) -> Result<u64, Damaged> {
    let rows = reader.number()?;
    check(rows <= lines).map(|()| rows)
}

impl RowKinds {
    fn store(&self, out: &mut Vec<u8>) {
        [self.refunds, self.copies, self.memo]
            .into_iter()
            .for_each(|rows| out.put_number(rows));
    }

    /// Reads the kinds of this number of `lines`.
    fn load(lines: u64, reader: &mut Reader<'_>) -> Result<RowKinds, Damaged> {
        let mut rows = || rows_of(lines, reader);
        Ok(RowKinds {
            refunds: rows()?,
            copies: rows()?,
            memo: rows()?,
        })
    }
}
