//! Rows as CSV and TSV: a line of column names, and a line for each row. The bytes of the data are kept.

use super::copied::CopiedTable;
use super::spare_bytes::SpareBytes;
use super::template::{Literal, NOTHING};
use super::value::push_plain;
use super::{Block, Encode, EncodeScratch};
use crate::fold::export::ExportColumns;
use crate::render::TableFormat;
use crate::scan::simd::{ByteSet, Kernel, Level, WINDOW_BYTES};

/// CSV or TSV.
#[derive(Clone, Debug)]
pub struct Table {
    format: TableFormat,
    header: Vec<u8>,
    /// For rows that are copied as they stand.
    copied: Option<CopiedTable>,
    /// For all others. None for Markdown, whose rows have bytes before the first value and after the last.
    literals: Option<Literals>,
}

/// What stands around values.
#[derive(Clone, Debug)]
struct Literals {
    format: TableFormat,
    between: Literal,
    quote: Literal,
    /// The bytes that a value cannot have as it stands.
    special: ByteSet<4>,
}

impl Table {
    /// Returns an encoder for rows with these columns.
    pub fn new(format: TableFormat, columns: &ExportColumns) -> Table {
        let names: Vec<_> = columns.columns.iter().map(|c| c.name.as_str()).collect();
        let mut header = Vec::new();
        format.push_header(&mut header, &names);
        let copied = if columns.are_as_located() {
            CopiedTable::new(format, names.len())
        } else {
            None
        };
        Table {
            format,
            header,
            copied,
            literals: Literals::new(format),
        }
    }
}

impl Literals {
    /// Returns the literals of the format. Markdown has none.
    fn new(format: TableFormat) -> Option<Literals> {
        let (between, special) = match format {
            TableFormat::Csv => (b",", *b",\"\r\n"),
            TableFormat::Tsv => (b"\t", *b"\t\\\r\n"),
            TableFormat::Markdown => return None,
        };
        Some(Literals {
            format,
            between: Literal::new(between)?,
            quote: Literal::new(b"\"")?,
            special: ByteSet::new(special),
        })
    }

    /// Appends a value that has special bytes.
    #[inline(always)]
    fn push_special<L: Level>(&self, level: L, value: &[u8], spare: &mut SpareBytes<'_>) {
        // A comma, mostly: names have one.
        if self.format == TableFormat::Csv {
            let (window, first) = level.appended(self.quote.window(), self.quote.len(), value);
            let of_value = !(u64::MAX << first) << self.quote.len();
            if first == value.len() && level.eq(&window, b'"') & of_value == 0 {
                spare.reserve(WINDOW_BYTES + 1);
                spare.push(&window, self.quote.len() + first);
                return spare.push_byte(b'"');
            }
        }
        spare.vector(|out| self.format.push_field(out, value));
    }
}

/// Rows whose values stand anywhere.
struct PushBlock<'a, 'r> {
    literals: &'a Literals,
    block: &'a Block<'r>,
    out: &'a mut Vec<u8>,
}

impl Kernel for PushBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushBlock {
            literals,
            block,
            out,
        } = self;
        let mut spare = SpareBytes::of(out);
        for (nth, row) in block.rows().iter().enumerate() {
            let start = spare.len();
            let mut before = &NOTHING;
            for column in block.columns() {
                let value = block.value(nth, row, column);
                if !push_plain(level, before, value, &literals.special, &mut spare) {
                    literals.push_special(level, value, &mut spare);
                }
                before = &literals.between;
            }
            spare.reserve(3);
            // Many readers skip blank lines.
            if literals.format == TableFormat::Csv && spare.len() == start {
                spare.push_byte(b'"');
                spare.push_byte(b'"');
            }
            spare.push_byte(b'\n');
        }
    }
}

impl Encode for Table {
    fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn block(&self, block: &Block<'_>, scratch: &mut EncodeScratch, out: &mut Vec<u8>) {
        if let Some(copied) = &self.copied
            && copied.push(block.rows(), scratch, out)
        {
            return;
        }
        match &self.literals {
            Some(literals) => block.rows().dispatch(PushBlock {
                literals,
                block,
                out,
            }),
            None => {
                let mut fields = Vec::with_capacity(block.columns().len());
                for (nth, row) in block.rows().iter().enumerate() {
                    let columns = block.columns().iter();
                    fields.clear();
                    fields.extend(columns.map(|column| block.value(nth, row, column)));
                    self.format.push_row(out, &fields);
                }
            }
        }
    }
}
