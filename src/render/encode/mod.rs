//! Rows of an export as bytes, one file a format.
//!
//! An `Encoder` turns one [`Block`] after the other into bytes. Many workers
//! encode at the same time, and their bytes are put in order afterwards. So the bytes of a block depend on the
//! block alone, unless the encoder gets its blocks one after the other. Aligned text needs that, because its
//! first rows decide the widths of all.
//!
//! `RowEncoder` writes the formats for programs, and `Text` that for people. The crate `rowjson` has the bytes of rows, and JSON.

mod escape;
mod rows;
mod template;
mod text;

use self::rows::RowEncoder;
use self::text::Text;
pub use rowjson::Buffer;

use crate::render::page::Look;
use crate::render::{Format, TableFormat};
use crate::scan::{Cell, Row, Rows};
use crate::sql::projection::{DerivedValues, ExportColumn, ExportColumns, Source};

/// Rows as bytes in a format.
#[derive(Debug)]
pub(crate) enum Encoder {
    Rows(Box<RowEncoder>),
    Text(Text),
}

impl Encoder {
    pub(crate) fn new(format: Format, columns: &ExportColumns, look: Look) -> Encoder {
        let rows = match format {
            Format::Ndjson => RowEncoder::objects(columns, false),
            Format::Json => RowEncoder::objects(columns, true),
            Format::Csv => RowEncoder::table(TableFormat::Csv, columns),
            Format::Tsv => RowEncoder::table(TableFormat::Tsv, columns),
            _ => return Encoder::Text(Text::new(columns, look)),
        };
        Encoder::Rows(Box::new(rows))
    }

    /// Returns what stands before the first row, such as a header.
    pub(crate) fn header(&self) -> &[u8] {
        match self {
            Encoder::Rows(rows) => &rows.begin,
            Encoder::Text(_) => b"",
        }
    }

    /// Appends the rows of `block`. Rows of one document come in many blocks.
    pub(crate) fn block(&self, block: &Block<'_>, out: &mut Buffer) {
        match self {
            Encoder::Rows(rows) => rows.template.push(block, out),
            Encoder::Text(text) => text.block(block, out),
        }
    }

    /// Returns what stands after the last of `rows` rows.
    pub(crate) fn footer(&self, rows: u64) -> Vec<u8> {
        match self {
            Encoder::Rows(encoder) => encoder.end[usize::from(rows == 0)].to_vec(),
            Encoder::Text(text) => text.end(),
        }
    }

    /// Returns the number of bytes with which every row begins that only separate it from the row
    /// before. The first row of the document loses them.
    pub(crate) fn separator_bytes(&self) -> usize {
        match self {
            Encoder::Rows(rows) => rows.separator_bytes,
            Encoder::Text(_) => 0,
        }
    }

    /// Says whether blocks come in the order of the input, one at a time.
    pub(crate) fn is_in_turn(&self) -> bool {
        matches!(self, Encoder::Text(_))
    }
}

/// Rows to be encoded, and their columns.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub(crate) rows: &'a Rows<'a>,
    pub(crate) columns: &'a ExportColumns,
    pub(crate) derived: &'a DerivedValues,
}

impl<'a> Block<'a> {
    /// Returns the rows.
    pub fn rows(&self) -> &'a Rows<'a> {
        self.rows
    }

    /// Returns the columns.
    pub fn columns(&self) -> &'a [ExportColumn] {
        &self.columns.columns
    }

    /// Returns the value of `column` in `row`, the `nth` of the block. It is empty if the row lacks the column, or if it is NULL.
    #[inline(always)]
    pub fn cell(&self, nth: usize, row: Row<'a>, column: &ExportColumn) -> Cell<'a> {
        match column.source {
            Source::Row(located) => row.cell(located),
            Source::Derived(value) => self.derived.cell(nth, value),
            Source::Label => self.derived.label(),
        }
    }

    /// Says whether the value of `column` in the `nth` row is NULL.
    #[inline(always)]
    pub(crate) fn is_null(&self, nth: usize, column: &ExportColumn) -> bool {
        match column.source {
            Source::Derived(value) => self.derived.is_null(nth, value),
            Source::Row(_) | Source::Label => false,
        }
    }
}
