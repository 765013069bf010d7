//! Lines that become rows of CSV or TSV: copied as they stand, but for what is between their columns.
//!
//! ```text
//! line   C00990405|A|ROE, ANN|OR|…
//! row    C00990405,A,"ROE, ANN",OR,…
//! ```
//!
//! Only columns with bytes that the format quotes or escapes are written by themselves. Whatever lies
//! between two of them is one copy, over the ends of lines as well.

use std::ops::Range;

use super::specials::Specials;
use crate::render::TableFormat;
use crate::scan::Rows;
use crate::scan::simd::{Ends, Kernel, Level, Piece, Room, WINDOW_BYTES, Window};

/// A table whose columns are the first ones of lines.
#[derive(Clone, Debug)]
pub(super) struct CopiedTable {
    format: TableFormat,
    /// At least two: a row of one empty column is written in another way.
    width: usize,
    between: u8,
    quote: Piece,
}

impl CopiedTable {
    /// Returns the table with so many columns, if the format has rows that can be copied.
    pub(super) fn new(format: TableFormat, width: usize) -> Option<CopiedTable> {
        let between = match format {
            TableFormat::Csv => b',',
            TableFormat::Tsv => b'\t',
            TableFormat::Markdown => return None,
        };
        (width > 1).then_some(CopiedTable {
            format,
            width,
            between,
            quote: Piece::new(b"\"")?,
        })
    }

    /// Appends `rows`, if the table has all of their columns in their order. Else returns false, and
    /// appends nothing.
    pub(super) fn push(&self, rows: &Rows<'_>, out: &mut Vec<u8>) -> bool {
        rows.dispatch(PushRows {
            table: self,
            rows,
            out,
        })
    }

    /// Returns the two bytes besides the carriage return that a value cannot have as it stands.
    #[inline(always)]
    fn special(&self) -> [u8; 2] {
        let other = match self.format {
            TableFormat::Csv => b'"',
            _ => b'\\',
        };
        [self.between, other]
    }

    /// Appends a row that has not the columns of its schema.
    #[cold]
    fn push_odd_row(&self, rows: &Rows<'_>, nth: usize, out: &mut Vec<u8>) {
        let row = rows.row(nth);
        let cells: Vec<_> = (0..self.width).map(|nth| row.cell(nth)).collect();
        let values: Vec<&[u8]> = cells.iter().map(|cell| &**cell).collect();
        self.format.push_row(out, &values);
    }
}

struct PushRows<'a, 'r> {
    table: &'a CopiedTable,
    rows: &'a Rows<'r>,
    out: &'a mut Vec<u8>,
}

impl Kernel for PushRows<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> bool {
        let PushRows { table, rows, out } = self;
        let Some(ends) = rows.all_ends() else {
            return false;
        };
        let mut specials = Specials::default();
        // Not read from the table for each window: the places of the last one might lie there, as the compiler sees it.
        let [between, other] = table.special();
        let special = |window: &Window| {
            level.eq(window, between) | level.eq(window, other) | level.eq(window, b'\r')
        };
        let lines = rows.all_lines();
        if let Some(lines) = lines.clone() {
            specials.find(level, ends.haystack(), lines, special);
        }
        let mut copy = Copy {
            table,
            ends,
            room: Room::of(out),
            due: 0..0,
            quoted: 0,
        };
        for nth in 0..rows.len() {
            let Some(first) = rows.first_end(nth) else {
                copy.flush(level);
                copy.room.vector(|out| table.push_odd_row(rows, nth, out));
                continue;
            };
            let line = ends.column(first).start..ends.column(first + table.width - 1).end;
            if lines.is_none() {
                specials.find(level, ends.haystack(), line.clone(), special);
            }
            copy.push_line(level, first, line, &mut specials);
        }
        copy.flush(level);
        true
    }
}

/// A copy of lines under way.
struct Copy<'a, 'r> {
    table: &'a CopiedTable,
    ends: Ends<'r>,
    room: Room<'a>,
    /// The bytes of the haystack to be copied next.
    due: Range<usize>,
    /// The number of the last column with special bytes. That of the next line is mostly the same: NAME.
    quoted: usize,
}

impl Copy<'_, '_> {
    /// Copies what is due.
    #[inline(always)]
    fn flush<L: Level>(&mut self, level: L) {
        let due = self.due.clone();
        let between = self.table.between;
        self.room
            .copy(level, self.ends.haystack(), due, b'|', between);
        self.due.start = self.due.end;
    }

    /// Appends the columns in `line`, the first of which has the number `first`, and a newline.
    #[inline(always)]
    fn push_line<L: Level>(
        &mut self,
        level: L,
        first: usize,
        line: Range<usize>,
        specials: &mut Specials,
    ) {
        if self.due.end != line.start {
            self.flush(level);
            self.due = line.start..line.start;
        }
        let mut special = specials.next_from(line.start);
        while special < line.end {
            let (column, field) = self.field_at(level, first, special);
            self.due.end = field.start;
            self.flush(level);
            self.push_field(level, field.clone(), column);
            self.due = field.end..field.end;
            // Not from the end itself: in a file that changes it can be special by now, and would come again.
            special = specials.next_from(field.end + 1);
        }
        self.due.end = line.end;
        match self.ends.haystack().get(line.end) {
            Some(b'\n') => self.due.end += 1,
            _ => {
                self.flush(level);
                self.room.reserve(1);
                self.room.push_byte(b'\n');
            }
        }
    }

    /// Returns the number, counted from `first`, and the place of the column in which `special` stands.
    #[inline(always)]
    fn field_at<L: Level>(
        &mut self,
        level: L,
        first: usize,
        special: usize,
    ) -> (usize, Range<usize>) {
        let field = self.ends.column(first + self.quoted);
        if field.contains(&special) {
            return (self.quoted, field);
        }
        self.quoted = self.ends.column_at(level, first, special);
        (self.quoted, self.ends.column(first + self.quoted))
    }

    /// Appends a column with special bytes.
    #[inline(always)]
    fn push_field<L: Level>(&mut self, level: L, field: Range<usize>, column: usize) {
        let is_last = column + 1 == self.table.width;
        // A comma, mostly: names have one. The byte before leaves room for the quote.
        let before = field.start.wrapping_sub(1);
        if self.table.format == TableFormat::Csv
            && !is_last
            && field.len() < WINDOW_BYTES
            && let Some(rest) = self.ends.haystack().get(before..)
            && let Some(window) = rest.first_chunk()
        {
            let bytes = !(u64::MAX << field.len()) << 1;
            if level.eq(window, b'"') & bytes == 0 {
                self.room.reserve(WINDOW_BYTES + 1);
                let quoted = level.pieced(window, &self.table.quote);
                self.room.push(&quoted, 1 + field.len());
                self.room.push_byte(b'"');
                return;
            }
        }
        let haystack = self.ends.haystack();
        let mut value = &haystack[field.clone()];
        // A line may end with a carriage return too, which is no part of its last column.
        if is_last && haystack.get(field.end).is_none_or(|&byte| byte == b'\n') {
            value = value.strip_suffix(b"\r").unwrap_or(value);
        }
        let format = self.table.format;
        self.room.vector(|out| format.push_field(out, value));
    }
}
