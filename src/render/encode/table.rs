//! Rows as CSV and TSV: a line of column names, and a line for each row. The bytes of the data are kept.

use super::copied::CopiedTable;
use super::value::push_plain;
use super::{Block, Encode, EncodeScratch};
use crate::fold::export::ExportColumns;
use crate::render::TableFormat;
use crate::scan::simd::{ByteSet, EMPTY_PIECE, Kernel, Level, Piece, Room, WINDOW_BYTES};

/// CSV or TSV.
#[derive(Clone, Debug)]
pub struct Table {
    format: TableFormat,
    header: Vec<u8>,
    /// For rows that are copied as they stand.
    copied: Option<CopiedTable>,
    /// For all others. None for Markdown, whose rows have bytes before the first value and after the last.
    pieces: Option<Pieces>,
}

/// What stands around values.
#[derive(Clone, Debug)]
struct Pieces {
    format: TableFormat,
    between: Piece,
    quote: Piece,
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
            pieces: Pieces::new(format),
        }
    }
}

impl Pieces {
    /// Returns the pieces of the format. Markdown has none.
    fn new(format: TableFormat) -> Option<Pieces> {
        let (between, special) = match format {
            TableFormat::Csv => (b",", *b",\"\r\n"),
            TableFormat::Tsv => (b"\t", *b"\t\\\r\n"),
            TableFormat::Markdown => return None,
        };
        Some(Pieces {
            format,
            between: Piece::new(between)?,
            quote: Piece::new(b"\"")?,
            special: ByteSet::new(special),
        })
    }

    /// Appends a value that has special bytes.
    #[inline(always)]
    fn push_special<L: Level>(&self, level: L, value: &[u8], room: &mut Room<'_>) {
        // A comma, mostly: names have one.
        if self.format == TableFormat::Csv {
            let (window, first) = level.piece_and_first(&self.quote, value);
            let of_value = !(u64::MAX << first) << self.quote.len();
            if first == value.len() && level.eq(&window, b'"') & of_value == 0 {
                room.reserve(WINDOW_BYTES + 1);
                room.push(&window, self.quote.len() + first);
                return room.push_byte(b'"');
            }
        }
        room.vector(|out| self.format.push_field(out, value));
    }
}

/// Rows whose values stand anywhere.
struct PushBlock<'a, 'r> {
    pieces: &'a Pieces,
    block: &'a Block<'r>,
    out: &'a mut Vec<u8>,
}

impl Kernel for PushBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushBlock { pieces, block, out } = self;
        let mut room = Room::of(out);
        for (nth, row) in block.rows().iter().enumerate() {
            let start = room.len();
            let mut before = &EMPTY_PIECE;
            for column in block.columns() {
                let value = block.value(nth, row, column);
                if !push_plain(level, before, value, &pieces.special, &mut room) {
                    pieces.push_special(level, value, &mut room);
                }
                before = &pieces.between;
            }
            room.reserve(3);
            // Many readers skip blank lines.
            if pieces.format == TableFormat::Csv && room.len() == start {
                room.push_byte(b'"');
                room.push_byte(b'"');
            }
            room.push_byte(b'\n');
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
        match &self.pieces {
            Some(pieces) => block.rows().dispatch(PushBlock { pieces, block, out }),
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
