//! Templates of rows: what stands around the values, and each value as it is or escaped.

use super::Block;
use super::escape::{Escape, PushValue, SPECIAL_COLUMNS_MAX, first_bits};
use super::row_bytes::RowBytes;
use crate::scan::simd::{Kernel, Level, WINDOW_BYTES, Window};
use crate::scan::{Cell, Row, chunk_at};
use crate::select::{ExportColumns, Source, Types};

#[derive(Clone, Debug)]
pub(super) struct RowTemplate {
    fields: Vec<Field>,
    after: Variants,
    /// What stands in a row that would have no bytes: many readers skip blank lines.
    pub(super) blank: &'static [u8],
    escape: Escape,
    /// What stands before each value, if all are the bytes of located columns in their order. Empty otherwise.
    literals: Vec<Literal>,
    /// The byte between values, if literals are no more. Then a line of just these columns is a row.
    pub(super) between: Option<u8>,
}

/// What stands before the values of a column.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) before: Variants,
    /// What stands there instead of an empty value, if that is null.
    pub(super) null: Option<Variants>,
    /// Whether the value stands in quotes. The bytes after it begin with the closing quote.
    pub(super) is_quoted: bool,
}

/// Bytes that every row repeats, after a value without quotes and after one in quotes.
pub(super) type Variants = [Literal; 2];

#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Literal {
    /// The first bytes, and zeros.
    window: Window,
    /// All bits of the other bytes of the window.
    others: Window,
    bytes: Box<[u8]>,
}

/// The byte between the columns of lines that are copied. Others may be special in a format.
const DELIMITER: u8 = b'|';

impl Literal {
    fn new(bytes: &[u8]) -> Literal {
        let (mut window, mut others) = ([0; WINDOW_BYTES], [0; WINDOW_BYTES]);
        let count = bytes.len().min(WINDOW_BYTES);
        window[..count].copy_from_slice(&bytes[..count]);
        others[count..].fill(u8::MAX);
        Literal {
            bytes: bytes.into(),
            window,
            others,
        }
    }

    /// Returns `bytes`, which follow a quote in the second variant.
    pub(super) fn variants(bytes: &[u8]) -> Variants {
        [Literal::new(bytes), Literal::new(&[b"\"", bytes].concat())]
    }

    /// Returns the window with the bytes in place of its first.
    #[inline(always)]
    fn over(&self, window: &Window) -> Window {
        let mut both = *window;
        let literal = self.others.iter().zip(&self.window);
        for (byte, (others, first)) in both.iter_mut().zip(literal) {
            *byte = *byte & others | first;
        }
        both
    }
}

pub(super) struct PushRows<'a, 'r> {
    pub(super) template: &'a RowTemplate,
    pub(super) block: &'a Block<'r>,
    pub(super) out: &'a mut RowBytes,
}

impl Kernel for PushRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushRows {
            template,
            block,
            out,
        } = self;
        let rows = block.rows();
        // Other blocks may have located no more than the columns that the fold named.
        let is_copied = !template.literals.is_empty() && rows.are_first_columns();
        let between = template.between.filter(|_| rows.delimiter() == DELIMITER);
        for (nth, row) in rows.iter().enumerate() {
            let start = out.len();
            let is_copied = is_copied && row.has_columns(rows.width());
            let quote = match between {
                Some(between) if is_copied && template.push_line(level, row, between, out) => 0,
                _ if is_copied => template.push_copied(level, row, out),
                _ => template.push_values(level, block, (nth, row), out),
            };
            if out.len() == start {
                out.extend_from_slice(template.blank);
            }
            out.push_literal(&template.after[quote]);
        }
    }
}

impl RowTemplate {
    pub(super) fn new(fields: Vec<Field>, after: &[u8], escape: Escape) -> RowTemplate {
        RowTemplate {
            fields,
            after: Literal::variants(after),
            blank: b"",
            escape,
            literals: Vec::new(),
            between: None,
        }
    }

    /// Has rows copied if their values are the bytes of located columns.
    pub(super) fn copy_columns(&mut self, columns: &ExportColumns) {
        let sources = columns.columns.iter().map(|column| column.source);
        let are_located = sources.eq((0..self.width()).map(Source::Row));
        if are_located && columns.types == Types::Raw && self.width() <= SPECIAL_COLUMNS_MAX {
            let befores = self.fields.iter().scan(0, |quote, field| {
                let before = field.before[*quote].clone();
                *quote = usize::from(field.is_quoted);
                Some(before)
            });
            self.literals = befores.collect();
        }
    }

    pub(super) fn width(&self) -> usize {
        self.fields.len()
    }

    /// Appends an object of `values`. If there are more or fewer than fields, returns their number, and appends noise.
    #[inline(always)]
    pub(super) fn push_row<L: Level, V: AsRef<[u8]>>(
        &self,
        level: L,
        mut values: impl Iterator<Item = V>,
        out: &mut RowBytes,
    ) -> Result<(), usize> {
        let mut quote = 0;
        for (nth, field) in self.fields.iter().enumerate() {
            let value = values.next().ok_or(nth)?;
            out.push_literal(&field.before[quote]);
            self.escape
                .push_value(level, Cell::from(value.as_ref()), out);
            quote = usize::from(field.is_quoted);
        }
        if values.next().is_some() {
            return Err(self.fields.len() + 1 + values.count());
        }
        out.push_literal(&self.after[quote]);
        Ok(())
    }

    /// Appends the values of a row. Returns the variant of the next literal.
    #[inline(always)]
    fn push_values<L: Level>(
        &self,
        level: L,
        block: &Block<'_>,
        (nth, row): (usize, Row<'_>),
        out: &mut RowBytes,
    ) -> usize {
        let mut quote = 0;
        for (field, column) in self.fields.iter().zip(block.columns()) {
            let value = block.cell(nth, row, column);
            match &field.null {
                Some(null) if value.is_empty() => {
                    out.push_literal(&null[quote]);
                    quote = 0;
                }
                _ => {
                    out.push_literal(&field.before[quote]);
                    self.escape.push_value(level, value, out);
                    quote = usize::from(field.is_quoted);
                }
            }
        }
        quote
    }

    /// Does the same with located columns. Most values are copied with the bytes before them as one window, and the literal
    /// is laid over these on the way. Value by value, NDJSON into a pipe took 1.4 of the time.
    #[inline(always)]
    fn push_copied<L: Level>(&self, level: L, row: Row<'_>, out: &mut RowBytes) -> usize {
        let haystack = row.haystack();
        let (ends, line_end) = row.column_ends();
        let spans = ends.iter().zip(&ends[1..]);
        // The lowest bit is that of the next column.
        let mut special = self.escape.special_columns(level, row);
        let (mut spare, mut used) = (out.spare(), 0);
        for (literal, (&before, &end)) in self.literals.iter().zip(spans) {
            let span = [before.wrapping_add(1), end.min(line_end)];
            let start = span[0] as usize;
            let front = literal.bytes.len();
            // Any number, if a changed byte has turned the last column round.
            let size = (span[1] as usize).wrapping_sub(start).wrapping_add(front);
            let around = chunk_at(haystack, start.wrapping_sub(front));
            let to = spare
                .get_mut(used..)
                .and_then(|spare| spare.first_chunk_mut());
            match (around, to) {
                (Some(window), Some(to)) if size <= WINDOW_BYTES && special & 1 == 0 => {
                    *to = literal.over(window);
                    used += size;
                }
                _ => {
                    out.advance(used);
                    out.push_literal(literal);
                    let value = Cell::at(haystack, span);
                    level.run(PushValue(&self.escape, value, out));
                    (spare, used) = (out.spare(), 0);
                }
            }
            special >>= 1;
        }
        out.advance(used);
        usize::from(self.fields.last().is_some_and(|field| field.is_quoted))
    }

    /// Appends the values of a row as a copy of its line with the byte `between` in place of delimiters. Only values with special bytes are
    /// written by themselves. Returns false, and appends nothing, if the line has fewer columns, or too few bytes follow it.
    ///
    /// By columns, an export as CSV into memory took 1.2 of the time.
    #[inline(always)]
    fn push_line<L: Level>(&self, level: L, row: Row<'_>, between: u8, out: &mut RowBytes) -> bool {
        let (start, haystack) = (out.len(), row.haystack());
        let (Some([next, _]), Some([_, end])) = (row.span(0), row.span(self.width() - 1)) else {
            return false;
        };
        let (mut next, end) = (next as usize, end as usize);
        while next < end {
            let Some(window) = chunk_at(haystack, next) else {
                out.truncate(start);
                return false;
            };
            let copy = window.map(|byte| if byte == DELIMITER { between } else { byte });
            let special = self.escape.special(level, window) & first_bits(end - next);
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
            level.run(PushValue(&self.escape, Cell::at(haystack, span), out));
            // Not from the end itself: in a file that changes, the delimiter can be special by now.
            next = (span[1] as usize).max(place + 1);
        }
        true
    }
}

impl RowBytes {
    #[inline(always)]
    fn push_literal(&mut self, literal: &Literal) {
        if literal.bytes.len() <= WINDOW_BYTES {
            self.push_window(&literal.window, literal.bytes.len());
        } else {
            self.extend_from_slice(&literal.bytes);
        }
    }
}
