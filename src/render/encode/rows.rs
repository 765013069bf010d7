//! Rows as NDJSON, JSON, CSV and TSV: what stands around the values, and each value as it is or escaped.

use std::slice;

use super::escape::{CSV, Escape, JSON, PushValue, SPECIAL_COLUMNS_MAX, TSV, first_bits};
use super::row_bytes::RowBytes;
use super::{Block, Encode};
use crate::render::TableFormat;
use crate::render::json::push_string;
use crate::scan::simd::{Kernel, Level, WINDOW_BYTES, Window};
use crate::scan::{Cell, Row, chunk_at};
use crate::select::{ColumnKind, ExportColumns, Source, Types};

/// The encoder of NDJSON, JSON, CSV and TSV.
///
/// In JSON, values are strings, decoded as [`decoded`](crate::render::decoded) does. Typed amounts are numbers, and
/// typed empty values are null. Tables keep all bytes of the data.
#[derive(Clone, Debug)]
pub struct RowEncoder {
    begin: Vec<u8>,
    /// What stands after the last row, and the same if there is none.
    end: [&'static [u8]; 2],
    separator_bytes: usize,
    template: RowTemplate,
}

#[derive(Clone, Debug)]
pub(super) struct RowTemplate {
    fields: Vec<Field>,
    after: Variants,
    /// What stands in a row that would have no bytes: many readers skip blank lines.
    blank: &'static [u8],
    escape: Escape,
    /// What stands before each value, if all are the bytes of located columns in their order. Empty otherwise.
    literals: Vec<Literal>,
    /// The byte between values, if literals are no more. Then a line of just these columns is a row.
    between: Option<u8>,
}

/// What stands before the values of a column.
#[derive(Clone, Debug)]
struct Field {
    before: Variants,
    /// What stands there instead of an empty value, if that is null.
    null: Option<Variants>,
    /// Whether the value stands in quotes. The bytes after it begin with the closing quote.
    is_quoted: bool,
}

/// Bytes that every row repeats, after a value without quotes and after one in quotes.
type Variants = [Literal; 2];

#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Literal {
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
    fn variants(bytes: &[u8]) -> Variants {
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

impl RowEncoder {
    /// Returns an encoder of one object a line.
    pub fn ndjson(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::objects(keys(columns), false).of_columns(columns)
    }

    /// Returns an encoder of one array, with an object on each line.
    pub fn json(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::objects(keys(columns), true).of_columns(columns)
    }

    /// Returns an encoder of CSV: a line of column names, and a line for each row.
    pub fn csv(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::table(TableFormat::Csv, columns, CSV)
    }

    /// Returns an encoder of TSV: a line of column names, and a line for each row.
    pub fn tsv(columns: &ExportColumns) -> RowEncoder {
        RowEncoder::table(TableFormat::Tsv, columns, TSV)
    }

    /// Returns an encoder of objects with these keys, alone or as the items of an array. The values of a key with a kind are
    /// of that kind or null. Others are strings.
    pub(super) fn objects<'k>(
        keys: impl Iterator<Item = (&'k str, Option<ColumnKind>)>,
        are_items: bool,
    ) -> RowEncoder {
        let mut before = if are_items {
            b",\n{".to_vec()
        } else {
            b"{".to_vec()
        };
        let mut fields = Vec::new();
        for (key, kind) in keys {
            push_string(key.as_bytes(), &mut before);
            before.push(b':');
            let null = kind.map(|_| Literal::variants(&[&before, &b"null"[..]].concat()));
            let is_number = matches!(kind, Some(ColumnKind::Amount | ColumnKind::Number(_)));
            let is_quoted = !is_number;
            if is_quoted {
                before.push(b'"');
            }
            fields.push(Field {
                before: Literal::variants(&before),
                null,
                is_quoted,
            });
            before = b",".to_vec();
        }
        let template = RowTemplate {
            fields,
            after: Literal::variants(if are_items { b"}" } else { b"}\n" }),
            blank: b"",
            escape: JSON,
            literals: Vec::new(),
            between: None,
        };
        if are_items {
            RowEncoder {
                begin: b"[".to_vec(),
                end: [b"\n]\n", b"]\n"],
                separator_bytes: ",".len(),
                template,
            }
        } else {
            RowEncoder {
                begin: Vec::new(),
                end: [b"", b""],
                separator_bytes: 0,
                template,
            }
        }
    }

    fn table(format: TableFormat, columns: &ExportColumns, escape: Escape) -> RowEncoder {
        let names: Vec<_> = columns.columns.iter().map(|c| &c.name[..]).collect();
        let mut begin = Vec::new();
        format.push_header(&mut begin, &names);
        let (between, blank): (u8, &[u8]) = match format {
            TableFormat::Csv => (b',', b"\"\""),
            _ => (b'\t', b""),
        };
        let field = |nth| Field {
            before: Literal::variants(if nth == 0 {
                &[]
            } else {
                slice::from_ref(&between)
            }),
            null: None,
            is_quoted: false,
        };
        let template = RowTemplate {
            fields: (0..names.len()).map(field).collect(),
            after: Literal::variants(b"\n"),
            blank,
            escape,
            literals: Vec::new(),
            between: (names.len() > 1).then_some(between),
        };
        RowEncoder {
            begin,
            end: [b"", b""],
            separator_bytes: 0,
            template,
        }
        .of_columns(columns)
    }

    /// Has rows copied if their values are the bytes of located columns.
    fn of_columns(mut self, columns: &ExportColumns) -> RowEncoder {
        let template = &mut self.template;
        let sources = columns.columns.iter().map(|column| column.source);
        let are_located = sources.eq((0..template.width()).map(Source::Row));
        if are_located && columns.types == Types::Raw && template.width() <= SPECIAL_COLUMNS_MAX {
            let befores = template.fields.iter().scan(0, |quote, field| {
                let before = field.before[*quote].clone();
                *quote = usize::from(field.is_quoted);
                Some(before)
            });
            template.literals = befores.collect();
        }
        self
    }

    pub(super) fn template(&self) -> &RowTemplate {
        &self.template
    }
}

/// Returns the names of columns, and the kinds of typed values.
fn keys(columns: &ExportColumns) -> impl Iterator<Item = (&str, Option<ColumnKind>)> {
    let is_typed = columns.types == Types::Typed;
    let columns = columns.columns.iter();
    columns.map(move |column| (&column.name[..], is_typed.then_some(column.kind)))
}

impl Encode for RowEncoder {
    fn begin(&self, out: &mut RowBytes) {
        out.extend_from_slice(&self.begin);
    }

    fn block(&self, block: &Block<'_>, out: &mut RowBytes) {
        let template = &self.template;
        block.rows().dispatch(PushRows {
            template,
            block,
            out,
        });
    }

    fn end(&self, rows: u64, out: &mut RowBytes) {
        out.extend_from_slice(self.end[usize::from(rows == 0)]);
    }

    fn separator_bytes(&self) -> usize {
        self.separator_bytes
    }
}

struct PushRows<'a, 'r> {
    template: &'a RowTemplate,
    block: &'a Block<'r>,
    out: &'a mut RowBytes,
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
