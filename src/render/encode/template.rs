//! Templates of rows: what stands around the values, and each value as it is or escaped.

use rowjson::{Buffer, Literal, Text, Value};

use super::Block;
use super::escape::{Escape, Leveled, PushText, SPECIAL_COLUMNS_MAX, first_bits};
use crate::scan::simd::{Kernel, Level, WINDOW_BYTES, Window};
use crate::scan::{Cell, Row, chunk_at};
use crate::sql::projection::{ExportColumn, ExportColumns, Source};

#[derive(Clone, Debug)]
pub(super) struct RowTemplate {
    fields: Vec<Field>,
    /// What stands after a row, and after one that is copied.
    after: [Literal; 2],
    /// What stands in a row that would have no bytes: many readers skip blank lines.
    pub(super) blank: &'static [u8],
    escape: Escape,
    /// What is laid over the bytes before each value. It begins with the quote that ends the value before, unless some values have no
    /// quotes. Empty if the columns are not located in their order.
    overlays: Vec<Overlay>,
    /// Whether some values have no quotes. Then each ends with its own quote, if it has one.
    has_bare: bool,
    /// A bit for each column whose values are not copied from the line, the first one lowest.
    derived: u64,
    /// The byte between values, if literals are no more. Then a line of just these columns is a row.
    pub(super) between: Option<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    /// What stands before its values. A key of JSON ends with the quote of a text.
    pub(super) before: Literal,
    pub(super) form: Form,
}

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As a text without quotes of its own.
    Bare,
    /// As a text of JSON.
    Text,
    /// As a text of JSON, or null.
    TextOrNull,
    /// As a number or a truth value of JSON, or null.
    NumberOrNull,
    /// The same for numbers of which some are infinite or none, which JSON does not have: null.
    DoubleOrNull,
}

/// Bytes to be laid over the window that ends with a value.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Overlay {
    before: Literal,
    /// All bits of the other bytes of the window.
    others: Window,
}

/// The byte between the columns of lines that are copied. Others may be special in a format.
const DELIMITER: u8 = b'|';

impl Overlay {
    fn new(before: &[u8]) -> Overlay {
        let mut others = [0; WINDOW_BYTES];
        others[before.len().min(WINDOW_BYTES)..].fill(u8::MAX);
        Overlay {
            before: Literal::new(before),
            others,
        }
    }

    /// Returns the window with the bytes in place of its first.
    #[inline(always)]
    fn over(&self, window: &Window) -> Window {
        let mut both = *window;
        let overlay = self.others.iter().zip(self.before.window());
        for (byte, (others, first)) in both.iter_mut().zip(overlay) {
            *byte = *byte & others | first;
        }
        both
    }
}

/// Appends rows as copies of their lines, or some of them value by value. If some values have no quotes, each ends with its own.
///
/// A kernel of its own: the loop needs the registers.
struct CopyRows<'a, 'r, const BARE: bool>(&'a RowTemplate, &'a Block<'r>, &'a mut Buffer);

impl<const BARE: bool> Kernel for CopyRows<'_, '_, BARE> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let CopyRows(template, block, out) = self;
        let rows = block.rows();
        let between = template.between.filter(|_| rows.delimiter() == DELIMITER);
        for (nth, row) in rows.iter().enumerate() {
            if !row.has_columns(rows.width()) {
                level.run(PushRow(template, block, (nth, row), out));
                continue;
            }
            let start = out.len();
            match between {
                Some(between) if template.push_line(level, row, between, out) => {}
                _ => template.push_copied::<L, BARE>(level, block, (nth, row), out),
            }
            template.end_row(start, 1, out);
        }
    }
}

/// Appends rows value by value.
struct PushRows<'a, 'r>(&'a RowTemplate, &'a Block<'r>, &'a mut Buffer);

impl Kernel for PushRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushRows(template, block, out) = self;
        for row in block.rows().iter().enumerate() {
            PushRow(template, block, row, out).run(level);
        }
    }
}

/// Appends a row value by value.
struct PushRow<'a, 'r>(
    &'a RowTemplate,
    &'a Block<'r>,
    (usize, Row<'r>),
    &'a mut Buffer,
);

impl Kernel for PushRow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushRow(template, block, (nth, row), out) = self;
        let start = out.len();
        for (field, column) in template.fields.iter().zip(block.columns()) {
            let value = FieldValue::of(block, nth, row, column);
            PushField(&template.escape, field, value, out).run(level);
        }
        template.end_row(start, 0, out);
    }
}

/// A value, which may be null.
struct FieldValue<'a> {
    text: Text<'a>,
    is_null: bool,
}

impl<'a> FieldValue<'a> {
    #[inline(always)]
    fn of(block: &Block<'a>, nth: usize, row: Row<'a>, column: &ExportColumn) -> FieldValue<'a> {
        let text: Text<'a> = block.cell(nth, row, column).into();
        // One of some bytes is none.
        let is_null = text.bytes().is_empty() && block.is_null(nth, column);
        FieldValue { text, is_null }
    }
}

/// Appends the value of a column, and what stands before it.
struct PushField<'a>(&'a Escape, &'a Field, FieldValue<'a>, &'a mut Buffer);

impl Kernel for PushField<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushField(escape, field, FieldValue { text, is_null }, out) = self;
        let escape = Leveled(level, escape);
        let value = match field.form {
            Form::Bare => {
                out.push_literal(&field.before);
                return out.push_text(escape, text);
            }
            Form::Text => Value::Text(text),
            _ if is_null => Value::Null,
            Form::TextOrNull => Value::Text(text),
            // inf, nan
            Form::DoubleOrNull if text.bytes().ends_with(b"f") => Value::Null,
            Form::DoubleOrNull if text.bytes().ends_with(b"n") => Value::Null,
            Form::NumberOrNull | Form::DoubleOrNull => Value::Raw(text),
        };
        out.push_value(escape, &field.before, value);
    }
}

/// Appends a value that is not copied with the bytes before it.
struct PushColumn<'a, 'r>(
    &'a RowTemplate,
    &'a Block<'r>,
    (usize, Row<'r>),
    usize,
    &'a mut Buffer,
);

impl Kernel for PushColumn<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushColumn(template, block, (nth, row), column, out) = self;
        let value = FieldValue::of(block, nth, row, &block.columns()[column]);
        if template.has_bare {
            PushField(&template.escape, &template.fields[column], value, out).run(level);
        } else {
            out.push_literal(&template.overlays[column].before);
            PushText(&template.escape, value.text, out).run(level);
        }
    }
}

impl RowTemplate {
    pub(super) fn new(fields: Vec<Field>, after: &[u8], escape: Escape) -> RowTemplate {
        RowTemplate {
            fields,
            after: [Literal::new(after), Literal::new(after)],
            blank: b"",
            escape,
            overlays: Vec::new(),
            has_bare: false,
            derived: 0,
            between: None,
        }
    }

    /// Has rows copied if their columns are located in their order.
    pub(super) fn copy_columns(&mut self, columns: &ExportColumns) {
        let width = self.fields.len();
        let sources = columns.columns.iter().map(|column| column.source);
        for (nth, source) in sources.enumerate().take(SPECIAL_COLUMNS_MAX) {
            self.derived |= u64::from(source != Source::Row(nth)) << nth;
        }
        if self.derived != 0 {
            self.between = None;
        }
        let is_derived = |column: &ExportColumn| matches!(column.source, Source::Derived(_));
        let derived = columns.columns.iter().filter(|column| is_derived(column));
        let are_in_order = derived.count() == self.derived.count_ones() as usize;
        if columns.located.len() != width || width > SPECIAL_COLUMNS_MAX || !are_in_order {
            return;
        }
        let has_quotes = |form| matches!(form, Form::Bare | Form::Text);
        self.has_bare = !self.fields.iter().all(|field| has_quotes(field.form));
        let mut quote: &[u8] = b"";
        for field in &self.fields {
            let before = [quote, field.before.bytes()].concat();
            self.overlays.push(Overlay::new(&before));
            if field.form == Form::Text && !self.has_bare {
                quote = b"\"";
            }
        }
        self.after[1] = Literal::new(&[quote, self.after[0].bytes()].concat());
    }

    pub(super) fn push(&self, block: &Block<'_>, out: &mut Buffer) {
        let rows = block.rows();
        // Other blocks may have located no more than the columns that the fold named.
        if self.overlays.is_empty() || !rows.are_first_columns() {
            rows.dispatch(PushRows(self, block, out));
        } else if self.has_bare {
            rows.dispatch(CopyRows::<true>(self, block, out));
        } else {
            rows.dispatch(CopyRows::<false>(self, block, out));
        }
    }

    /// Appends what stands after a row that began at `start`.
    #[inline(always)]
    fn end_row(&self, start: usize, after: usize, out: &mut Buffer) {
        if out.len() == start {
            out.extend_from_slice(self.blank);
        }
        out.push_literal(&self.after[after]);
    }

    /// Appends the values of a row that has the located columns. Most values are copied with the bytes before them as one window, and the overlay
    /// is laid over these on the way. Value by value, NDJSON into a pipe took 1.4 of the time.
    #[inline(always)]
    fn push_copied<L: Level, const BARE: bool>(
        &self,
        level: L,
        block: &Block<'_>,
        (nth, row): (usize, Row<'_>),
        out: &mut Buffer,
    ) {
        let haystack = row.haystack();
        let (ends, line_end) = row.column_ends();
        let spans = ends.iter().zip(&ends[1..]);
        // The lowest bit is that of the next column.
        let mut special = Leveled(level, &self.escape).special_columns(row) | self.derived;
        let (mut spare, mut used) = (out.spare(), 0);
        for (column, (overlay, (&before, &end))) in self.overlays.iter().zip(spans).enumerate() {
            let start = before.wrapping_add(1) as usize;
            // Any number, if a changed byte has turned the last column round.
            let len = (end.min(line_end) as usize).wrapping_sub(start);
            let front = overlay.before.bytes().len();
            let size = len.wrapping_add(front).wrapping_add(usize::from(BARE));
            let around = chunk_at(haystack, start.wrapping_sub(front));
            let to: Option<&mut Window> = spare
                .get_mut(used..)
                .and_then(|spare| spare.first_chunk_mut());
            match (around, to) {
                (Some(window), Some(to)) if size <= WINDOW_BYTES && special & 1 == 0 => {
                    *to = overlay.over(window);
                    if BARE {
                        to[size.wrapping_sub(1) % WINDOW_BYTES] = b'"';
                    }
                    used += size;
                }
                _ => {
                    out.advance(used);
                    level.run(PushColumn(self, block, (nth, row), column, out));
                    (spare, used) = (out.spare(), 0);
                }
            }
            special >>= 1;
        }
        out.advance(used);
    }

    /// Appends the values of a row as a copy of its line with the byte `between` in place of delimiters. Only values with special bytes are
    /// written by themselves. Returns false, and appends nothing, if the line has fewer columns, or too few bytes follow it.
    ///
    /// By columns, an export as CSV into memory took 1.2 of the time.
    #[inline(always)]
    fn push_line<L: Level>(&self, level: L, row: Row<'_>, between: u8, out: &mut Buffer) -> bool {
        let (start, haystack) = (out.len(), row.haystack());
        let last = self.fields.len() - 1;
        let (Some([next, _]), Some([_, end])) = (row.span(0), row.span(last)) else {
            return false;
        };
        let (mut next, end) = (next as usize, end as usize);
        while next < end {
            let Some(window) = chunk_at(haystack, next) else {
                out.truncate(start);
                return false;
            };
            let copy = window.map(|byte| if byte == DELIMITER { between } else { byte });
            let special = Leveled(level, &self.escape).special(window) & first_bits(end - next);
            if special == 0 {
                out.push_window(&copy, WINDOW_BYTES.min(end - next));
                next += WINDOW_BYTES;
                continue;
            }
            let place = next + special.trailing_zeros() as usize;
            let span = row.span(row.column_at(place)).unwrap_or_default();
            let field = span[0] as usize;
            // The value may begin in a window before.
            out.push_window(&copy, field.saturating_sub(next).min(WINDOW_BYTES));
            out.truncate(out.len() - next.saturating_sub(field).min(out.len() - start));
            level.run(PushText(&self.escape, Cell::at(haystack, span).into(), out));
            // Not from the end itself: in a file that changes, the delimiter can be special by now.
            next = (span[1] as usize).max(place + 1);
        }
        true
    }
}
