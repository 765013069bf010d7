//! Groups of a partial as they are written down.

use std::sync::atomic::Ordering::Relaxed;

use super::ByFold;
use super::partial::{Partial, Tables};
use super::row_kinds::RowKinds;
use crate::coding::{Damaged, Put, Reader};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{FileLines, Fold, Origin, StoredFold};

impl ByFold {
    /// Returns the schemas of the parts of a file.
    fn schemas_of_file(&self, file: &FileLines) -> Vec<Schema> {
        self.schemas_of(std::slice::from_ref(file))
    }
}

impl StoredFold for ByFold {
    fn store(
        &self,
        files: &[FileLines],
        mut partial: Partial,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        if self.has_too_many.load(Relaxed) {
            return Err(self.too_many_groups());
        }
        for file in files {
            let schemas = self.schemas_of_file(file);
            out.put_number(schemas.len() as u64);
            schemas
                .iter()
                .for_each(|schema| out.put_bytes(schema.name().as_bytes()));
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

    fn load(&self, origin: &Origin<'_>, bytes: &[u8]) -> Result<Partial, Error> {
        let mut reader = Reader(bytes);
        for file in origin.files {
            for name in reader.list(Reader::text)? {
                let schema = Schema::ALL.into_iter().find(|schema| schema.name() == name);
                self.begin(&file.path, schema.ok_or(Damaged)?)?;
            }
        }
        let mut partial = self.partial();
        partial.row_kinds = RowKinds::load(origin.lines, &mut reader)?;
        let rows = match &mut partial.groups {
            Tables::Rows(table) => table.load(&mut reader)?,
            Tables::Sums(table) => table.load(&mut reader)?,
            Tables::Columns(table) => table.load(&mut reader)?,
        };
        // Each line is in one group, and has one value at most.
        if rows != origin.lines {
            return Err(Damaged.into());
        }
        for table in &mut partial.values {
            if table.load(&mut reader)? > origin.lines {
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
