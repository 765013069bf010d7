//! Groups of a partial as they are written down.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::ByFold;
use super::partial::{Partial, Tables};
use super::row_kinds::RowKinds;
use crate::coding::{Damaged, Put, Reader};
use crate::error::Error;
use crate::fold::tables::Keys;
use crate::fold::{FileLines, Fold, Origin, StoredFold};

impl StoredFold for ByFold {
    fn store(&self, _: &[FileLines], mut partial: Partial, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.has_too_many.load(Relaxed) {
            return Err(self.too_many_groups());
        }
        partial.row_kinds.store(out);
        match &mut partial.groups {
            Tables::Rows(table) => table.store(out),
            Tables::Sums(table) => table.store(out),
            Tables::Columns(table) => table.store(out),
        }
        partial.values.iter_mut().for_each(|table| table.store(out));
        Ok(())
    }

    fn load(&self, origin: &Origin<'_>, state: &Arc<Vec<u8>>) -> Result<Partial, Error> {
        let mut reader = Reader(state);
        for file in origin.files {
            let coverage = file.coverage.iter();
            for schema in coverage.flat_map(|coverage| &coverage.schemas) {
                self.begin(&file.path, *schema)?;
            }
        }
        // The keys of a group are columns of a row, or parts of them.
        let keys = self.key_map.get().map_or(1, |map| map.functions().len());
        let bytes = origin
            .files
            .iter()
            .map(|file| file.bytes.saturating_add(file.lines));
        let bytes = bytes.fold(0, u64::saturating_add);
        let mut keys = Keys {
            pipes: keys - 1,
            bytes_max: bytes.saturating_mul(keys as u64 + 1),
        };
        let mut partial = self.partial();
        partial.row_kinds = RowKinds::load(origin.lines, &mut reader)?;
        let rows = match &mut partial.groups {
            Tables::Rows(table) => table.load(keys, state, &mut reader)?,
            Tables::Sums(table) => table.load(keys, state, &mut reader)?,
            Tables::Columns(table) => table.load(keys, state, &mut reader)?,
        };
        let groups = match &partial.groups {
            Tables::Rows(table) => table.stored_groups(),
            Tables::Sums(table) => table.stored_groups(),
            Tables::Columns(table) => table.stored_groups(),
        };
        if groups > self.max_groups {
            return Err(self.too_many_groups());
        }
        // Each line is in one group, and has one value at most.
        if rows != origin.lines {
            return Err(Damaged.into());
        }
        keys.pipes += 1;
        for table in &mut partial.values {
            if table.load(keys, state, &mut reader)? > origin.lines {
                return Err(Damaged.into());
            }
        }
        reader.end()?;
        Ok(partial)
    }
}

impl RowKinds {
    fn store(&self, out: &mut Vec<u8>) {
        [self.refunds, self.copies, self.memo]
            .into_iter()
            .for_each(|rows| out.put_number(rows));
    }

    /// Reads the kinds of this number of `lines`.
    fn load(lines: u64, reader: &mut Reader<'_>) -> Result<RowKinds, Damaged> {
        let mut rows = || {
            reader
                .number()
                .ok()
                .filter(|rows| *rows <= lines)
                .ok_or(Damaged)
        };
        Ok(RowKinds {
            refunds: rows()?,
            copies: rows()?,
            memo: rows()?,
        })
    }
}
