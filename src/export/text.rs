//! Rows as text: every worker encodes its rows, and pieces of bytes follow each other.

use std::io::Write;
use std::mem;
use std::sync::{Mutex, OnceLock};

use super::{ExportColumns, ExportQuestion, Exported, Partial, RowFold, Source, Target, Types};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::render::Format;
use crate::render::encode::{Block, Buffer, Encoder};
use crate::render::text::Look;
use crate::workers::{lock, unlocked};

/// The number of bytes that a worker keeps before it waits for its turn.
const PIECE_BYTES: usize = 4 << 20;

/// The fold that exports rows as text.
pub type ExportFold<W> = RowFold<Text<W>>;

/// A document of text.
pub struct Text<W> {
    format: Format,
    look: Look,
    encoder: OnceLock<Encoder>,
    document: Mutex<Document<W>>,
    piece_bytes: usize,
}

struct Document<W> {
    out: W,
    rows: u64,
    has_begun: bool,
}

/// The rows that a worker has encoded since its last turn.
#[derive(Debug, Default)]
pub struct Encoded {
    bytes: Buffer,
    rows: u64,
}

impl<W: Write + Send> RowFold<Text<W>> {
    /// Returns a fold that writes the rows to `out` in this format, one of text.
    pub fn new(question: ExportQuestion, format: Format, out: W) -> ExportFold<W> {
        let document = Document {
            out,
            rows: 0,
            has_begun: false,
        };
        let text = Text {
            format,
            look: Look::default(),
            encoder: OnceLock::new(),
            document: Mutex::new(document),
            piece_bytes: PIECE_BYTES,
        };
        RowFold::with_target(question, text)
    }

    /// Returns the same fold, whose text for people has this look.
    pub fn with_look(mut self, look: Look) -> ExportFold<W> {
        self.target.look = look;
        self
    }

    /// Returns the same fold, whose workers keep about `bytes` each before they wait for their turn.
    pub fn with_piece_bytes(mut self, bytes: usize) -> ExportFold<W> {
        self.target.piece_bytes = bytes;
        self
    }

    /// Ends the document, after a run with the result `partial`, and returns the writer that got it. Without an input whose schema is known there
    /// is no document, and nothing is written.
    pub fn finish(self, partial: Partial<Encoded>) -> Result<(W, Exported), Error> {
        self.check_output()?;
        let mut document = unlocked(self.target.document);
        if let Some(encoder) = self.target.encoder.into_inner() {
            document.begin(&encoder)?;
            document.write(&encoder.footer(document.rows))?;
        }
        let columns = self.columns.into_inner();
        let columns = columns.into_iter().flat_map(|columns| columns.columns);
        let unparsed = columns.filter_map(|column| {
            let Source::Derived(nth) = column.source else {
                return None;
            };
            let count = *partial.tally.unparsed.get(nth)?;
            (count > 0).then_some((column.name, count))
        });
        let exported = Exported {
            rows: document.rows,
            unparsed: unparsed.collect(),
            odd_rows: partial.tally.odd_rows,
            without_partner: partial.tally.without_partner(&self.partners),
        };
        Ok((document.out, exported))
    }
}

impl<W: Write + Send> Target for Text<W> {
    type Piece = Encoded;

    fn begin(&self, _: Schema, columns: &ExportColumns, _: Types) -> Result<(), Error> {
        let encoder = || Encoder::new(self.format, columns, self.look);
        self.encoder.get_or_init(encoder);
        Ok(())
    }

    fn is_in_turn(&self) -> bool {
        self.encoder().is_in_turn()
    }

    fn piece(&self) -> Encoded {
        Encoded::default()
    }

    fn add(&self, block: &Block<'_>, piece: &mut Encoded) {
        self.encoder().block(block, &mut piece.bytes);
        piece.rows += block.rows().len() as u64;
    }

    fn is_full(&self, piece: &Encoded) -> bool {
        piece.bytes.len() >= self.piece_bytes
    }

    fn write(&self, piece: &mut Encoded) -> Result<(), Error> {
        let encoder = self.encoder();
        let mut document = lock(&self.document);
        document.begin(encoder)?;
        let skipped = match document.rows {
            0 if piece.rows > 0 => encoder.separator_bytes(),
            _ => 0,
        };
        document.rows += piece.rows;
        document.write(&piece.bytes[skipped..])?;
        piece.rows = 0;
        // A very long row has needed more memory than others will.
        piece.bytes.clear(4 * self.piece_bytes);
        Ok(())
    }
}

impl<W> Text<W> {
    fn encoder(&self) -> &Encoder {
        self.encoder.get().expect("a part has begun")
    }
}

impl<W: Write> Document<W> {
    fn begin(&mut self, encoder: &Encoder) -> Result<(), Error> {
        if !mem::replace(&mut self.has_begun, true) {
            self.write(encoder.header())?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match bytes {
            [] => Ok(()),
            bytes => self.out.write_all(bytes).map_err(Error::of_writing),
        }
    }
}
