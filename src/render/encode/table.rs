//! Rows as CSV and TSV: a line of column names, and a line for each row. The bytes of the data are kept.

use super::copied::CopiedTable;
use super::{Block, Encode};
use crate::fold::export::ExportColumns;
use crate::render::TableFormat;

/// CSV or TSV.
#[derive(Clone, Debug)]
pub struct Table {
    format: TableFormat,
    header: Vec<u8>,
    /// For rows that are copied as they stand.
    copied: Option<CopiedTable>,
}

impl Table {
    /// Returns an encoder for rows with these columns.
    pub fn new(format: TableFormat, columns: &ExportColumns) -> Table {
        let names: Vec<_> = columns.columns.iter().map(|c| c.name.as_str()).collect();
        let mut header = Vec::new();
        format.push_header(&mut header, &names);
        let copied = match columns.are_as_located() {
            true => CopiedTable::new(format, names.len()),
            false => None,
        };
        Table {
            format,
            header,
            copied,
        }
    }
}

impl Encode for Table {
    fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        if let Some(copied) = &self.copied
            && copied.push(block.rows(), out)
        {
            return;
        }
        let mut fields = Vec::with_capacity(block.columns().len());
        for (nth, row) in block.rows().iter().enumerate() {
            let columns = block.columns().iter();
            fields.clear();
            fields.extend(columns.map(|column| block.value(nth, row, column)));
            self.format.push_row(out, &fields);
        }
    }
}
