//! Workbooks for spreadsheets: xlsx, as ECMA-376 defines it.
//!
//! A sheet is compressed as its rows come, in memory and beyond 32 MiB in a temporary file. The workbook is written after
//! the last row, so a result that no sheet can hold leaves no bytes. No part tells when it was derived: equal results have equal bytes.
//!
//! Numbers and days are numbers with a format. A spreadsheet rounds numbers after fifteen digits, and knows no day before March
//! of 1900 for certain: such values stay text. So does every text, also one that begins like a formula.

mod sheet;
mod workbook;

use std::io::{self, Write};
use std::iter;

use arrow_array::ArrayRef;
use arrow_schema::SchemaRef;

use self::sheet::{Sheet, field_at, width_of};
use super::BatchFile;
use super::sink::{error_of, sink};
use crate::error::Error;
use crate::render::Table;

/// The number of rows that decide how wide columns are.
const MEASURED: usize = 1000;

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

pub(super) struct XlsxFile<W: Write> {
    sheet: Sheet,
    out: W,
}

/// Writes tables, each as a sheet. Fails if a sheet can't hold its table.
pub(crate) fn write(tables: &[Table<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut sheets = Vec::new();
    for table in tables {
        let names = table.names.iter().map(|&name| name.to_owned());
        let mut sheet = Sheet::new(names.collect()).map_err(io::Error::other)?;
        let measured = table.rows().take(MEASURED);
        sheet.begin(measured.map(|row| row.iter().map(width_of).collect()));
        for row in table.rows() {
            let pushed = sheet.push(row.into_iter());
            pushed.map_err(io::Error::other)?;
        }
        sheets.push(sheet);
    }
    write_workbook(sheets, out).map_err(io::Error::other)
}

fn write_workbook(sheets: Vec<Sheet>, out: impl Write) -> Result<(), Error> {
    let sheets: Vec<_> = sheets.into_iter().map(Sheet::finish).collect();
    let sheets = sheets.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut out = sink(out);
    let written = workbook::write(sheets, &mut out).and_then(|()| Ok(out.flush()?));
    written.map_err(|error| error_of(&mut out, error))
}

impl<W: Write> XlsxFile<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Result<XlsxFile<W>, Error> {
        let names = schema.fields().iter().map(|field| field.name().clone());
        let sheet = Sheet::new(names.collect())?;
        Ok(XlsxFile { sheet, out })
    }
}

impl<W: Write + Send> BatchFile for XlsxFile<W> {
    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), Error> {
        let rows = columns.first().map_or(0, |column| column.len());
        let row = |nth| columns.iter().map(move |column| field_at(column, nth));
        let widths = |nth| row(nth).map(|field| width_of(&field)).collect();
        if self.sheet.rows == 0 {
            self.sheet.begin((0..rows.min(MEASURED)).map(widths));
        }
        (0..rows).try_for_each(|nth| self.sheet.push(row(nth)))
    }

    fn finish(mut self) -> Result<(), Error> {
        if self.sheet.rows == 0 {
            self.sheet.begin(iter::empty());
        }
        write_workbook(vec![self.sheet], self.out)
    }
}
