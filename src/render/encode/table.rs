//! Rows as CSV and TSV: a line of column names, and a line for each row. The bytes of the data are kept.

use std::ops::Range;

use super::woven::{self, RowText};
use super::{Block, Encode};
use crate::fold::export::ExportColumns;
use crate::render::TableFormat;
use crate::scan::simd::{Ends, Level, Window};

/// CSV or TSV.
#[derive(Clone, Debug)]
pub struct Table {
    format: TableFormat,
    header: Vec<u8>,
    /// For rows that are copied.
    woven: Option<WovenTable>,
}

/// Rows of columns as they stand, with other bytes between them.
#[derive(Clone, Debug)]
struct WovenTable {
    format: TableFormat,
    /// At least two: a row of one empty column is written in another way.
    width: usize,
    between: u8,
}

impl Table {
    /// Returns an encoder for rows with these columns.
    pub fn new(format: TableFormat, columns: &ExportColumns) -> Table {
        let names: Vec<_> = columns.columns.iter().map(|c| c.name.as_str()).collect();
        let mut header = Vec::new();
        format.push_header(&mut header, &names);
        let between = match format {
            TableFormat::Csv => Some(b','),
            TableFormat::Tsv => Some(b'\t'),
            TableFormat::Markdown => None,
        };
        let is_copied = names.len() > 1 && columns.are_as_located();
        let woven = between.filter(|_| is_copied).map(|between| WovenTable {
            format,
            width: names.len(),
            between,
        });
        Table {
            format,
            header,
            woven,
        }
    }
}

impl Encode for Table {
    fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        if let Some(woven) = &self.woven
            && woven::push(woven, block.rows(), out)
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

impl RowText for WovenTable {
    fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    fn special<L: Level>(&self, level: L, window: &Window) -> u64 {
        let (second, third) = match self.between {
            b',' => (b'"', b'\r'),
            _ => (b'\\', b'\r'),
        };
        level.eq(window, self.between) | level.eq(window, second) | level.eq(window, third)
    }

    #[inline(always)]
    fn copy<L: Level>(
        &self,
        level: L,
        ends: &Ends<'_>,
        first: usize,
        columns: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        if columns.start > 0 {
            out.push(self.between);
        }
        let columns = first + columns.start..first + columns.end;
        ends.copy(level, columns, self.between, out);
    }

    fn value(&self, column: usize, value: &[u8], out: &mut Vec<u8>) {
        if column > 0 {
            out.push(self.between);
        }
        self.format.push_field(out, value);
    }

    #[inline(always)]
    fn special_value(&self, column: usize, value: &[u8], out: &mut Vec<u8>) {
        // A comma, mostly: names have one.
        match self.format == TableFormat::Csv && !value.contains(&b'"') {
            true => {
                let start: &[u8] = if column > 0 { b",\"" } else { b"\"" };
                out.extend_from_slice(start);
                out.extend_from_slice(value);
                out.push(b'"');
            }
            false => self.value(column, value, out),
        }
    }

    #[inline(always)]
    fn end(&self, out: &mut Vec<u8>) {
        out.push(b'\n');
    }
}
