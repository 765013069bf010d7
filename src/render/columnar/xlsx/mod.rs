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
use std::sync::Mutex;

use arrow_array::ArrayRef;
use arrow_schema::SchemaRef;

use self::sheet::{Cell, Sheet};
use super::sink::Sink;
use super::{ALONE, BATCH, GroupFile, Size};
use crate::error::Error;
use crate::render::Table;

/// The number of rows that decide how wide columns are.
const MEASURED: usize = 1000;

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// A workbook with a sheet of rows, whose batches are groups.
pub(super) struct XlsxFile<W: Write> {
    /// The columns of a batch.
    batch: Vec<Mutex<Option<ArrayRef>>>,
    sheet: Mutex<Sheet>,
    out: Mutex<W>,
}

/// Writes tables, each as a sheet.
///
/// # Errors
/// If a sheet can't hold its table, or the output fails.
pub(crate) fn write(tables: &[Box<dyn Table + '_>], out: &mut dyn Write) -> io::Result<()> {
    let mut sheets = Vec::new();
    for table in tables {
        let names = table.names().into_iter().map(str::to_owned).collect();
        let mut sheet = Sheet::new(names).map_err(io::Error::other)?;
        let measured = (0..table.len().min(MEASURED)).map(|nth| table.row(nth));
        sheet.begin(measured.map(|row| row.iter().map(|field| Cell::of(field).width()).collect()));
        for nth in 0..table.len() {
            let row = table.row(nth);
            let pushed = sheet.push(row.iter().map(Cell::of));
            pushed.map_err(io::Error::other)?;
        }
        sheets.push(sheet);
    }
    write_workbook(sheets, out).map_err(io::Error::other)
}

/// Writes a workbook of these sheets.
fn write_workbook(sheets: Vec<Sheet>, out: impl Write) -> Result<(), Error> {
    let sheets: Vec<_> = sheets.into_iter().map(Sheet::finish).collect();
    let sheets = sheets.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut sink = Sink::new(out);
    let written = workbook::write(sheets, &mut sink).and_then(|()| Ok(sink.flush()?));
    written.map_err(|error| sink.error(error))
}

impl<W: Write> XlsxFile<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Result<XlsxFile<W>, Error> {
        let fields = schema.fields().iter();
        let names = fields.clone().map(|field| field.name().clone());
        Ok(XlsxFile {
            batch: fields.map(|_| Mutex::default()).collect(),
            sheet: Mutex::new(Sheet::new(names.collect())?),
            out: Mutex::new(out),
        })
    }
}

impl<W: Write + Send> GroupFile for XlsxFile<W> {
    fn group_size(&self) -> Size {
        BATCH
    }

    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error> {
        *self.batch[column].lock().expect(ALONE) = Some(array);
        Ok(())
    }

    fn end_column(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn write_group(&self) -> Result<(), Error> {
        let columns = self.batch.iter();
        let columns = columns.filter_map(|column| column.lock().expect(ALONE).take());
        let columns: Vec<_> = columns.collect();
        let rows = columns.first().map_or(0, |column| column.len());
        let row = |nth| columns.iter().map(move |column| Cell::at(column, nth));
        let widths = |nth| row(nth).map(|cell| cell.width()).collect();
        let mut sheet = self.sheet.lock().expect(ALONE);
        if sheet.rows == 0 {
            sheet.begin((0..rows.min(MEASURED)).map(widths));
        }
        (0..rows).try_for_each(|nth| sheet.push(row(nth)))
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let mut sheet = self.sheet.into_inner().expect(ALONE);
        if sheet.rows == 0 {
            sheet.begin(std::iter::empty());
        }
        write_workbook(vec![sheet], self.out.into_inner().expect(ALONE))
    }
}
