//! The report's partial as it is written down.

use std::sync::Arc;

use super::{Partial, ReportFold};
use crate::coding::{Damaged, Put, Reader, check};
use crate::error::Error;
use crate::fec::month::Month;
use crate::fold::odd_rows::OddRows;
use crate::fold::{FileLines, Fold, Origin, StoredFold};

impl StoredFold for ReportFold {
    fn store(
        &self,
        files: &[FileLines],
        mut partial: Partial,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let months = partial.months.ascending();
        out.put_number(months.len() as u64);
        let mut before = 0;
        for (month, lines) in months {
            out.put_number(u64::from(month.number() - before));
            out.put_number(lines);
            before = month.number();
        }
        partial.first_names.store(out);
        partial.odd_rows.store(files, out);
        Ok(())
    }

    fn load(
        &self,
        origin: &Origin<'_>,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<Partial, Error> {
        let mut partial = self.partial();
        // Each line has one month and one first name at most.
        let (mut left, mut before) = (origin.lines, 0);
        reader.list(|reader| {
            before += reader.number()?.min(Month::COUNT as u64);
            let month = Month::of_number(before).ok_or(Damaged)?;
            partial.months.add(month, lines_of(reader, &mut left)?);
            Ok(())
        })?;
        partial.first_names.load(origin.lines, state, reader)?;
        partial.odd_rows = OddRows::load(origin, reader)?;
        Ok(partial)
    }
}

/// Reads a number of lines, and subtracts it from the lines left.
fn lines_of(reader: &mut Reader<'_>, left: &mut u64) -> Result<u64, Damaged> {
    let lines = reader.number()?;
    check(lines > 0)?;
    *left = left.checked_sub(lines).ok_or(Damaged)?;
    Ok(lines)
}
