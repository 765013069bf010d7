//! Rows of an export as bytes, one file a format.
//!
//! An [`Encode`] turns one [`Block`] after the other into bytes. Many workers
//! encode at the same time, and their bytes are put in order afterwards. So the bytes of a block depend on the
//! block alone, unless the encoder gets its blocks one after the other: [`Pace::InTurn`]. Aligned text needs that, because its
//! first rows decide the widths of all.
//!
//! [`RowEncoder`] writes the formats for programs, and [`Text`] that for people. The crate `rowjson` has the bytes of rows, and JSON.

mod escape;
mod rows;
mod template;
mod text;

pub use self::rows::RowEncoder;
pub use self::text::Text;
pub use rowjson::Buffer;

use crate::scan::{Cell, Row, Rows};
use crate::select::{DerivedValues, ExportColumn, ExportColumns, Source};

/// A format of rows.
pub trait Encode: Send + Sync {
    /// Appends what stands before the first row, such as a header.
    fn begin(&self, _out: &mut Buffer) {}

    /// Appends the rows of `block`. Rows of one document come in many blocks.
    fn block(&self, block: &Block<'_>, out: &mut Buffer);

    /// Appends what stands after the last of `rows` rows.
    fn end(&self, _rows: u64, _out: &mut Buffer) {}

    /// Returns the number of bytes with which every row begins that only separate it from the row
    /// before. The first row of the document loses them.
    fn separator_bytes(&self) -> usize {
        0
    }

    /// Returns whether blocks may be encoded before their turn.
    fn pace(&self) -> Pace {
        Pace::Ahead
    }
}

/// Whether blocks may be encoded before their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// In any order, by many workers at the same time. The bytes of a block depend on the block alone.
    Ahead,
    /// In the order of the input, one at a time. An encoder may keep what earlier blocks have told it.
    InTurn,
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

    /// Returns the value of `column` in `row`, the `nth` of the block. It is empty if the row lacks the column.
    #[inline(always)]
    pub fn cell(&self, nth: usize, row: Row<'a>, column: &ExportColumn) -> Cell<'a> {
        match column.source {
            Source::Row(located) => row.cell(located),
            Source::Derived(value) => self.derived.cell(nth, value),
        }
    }
}
