//! Where exported rows go: to a document of text, or to a file of columns.

use std::io::Write;
use std::mem;
use std::sync::Mutex;

use super::{ExportColumns, Types};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::render::Format;
#[cfg(feature = "columnar")]
use crate::render::columnar::{self, ColumnarWriter, Compression};
use crate::render::encode::{Block, Buffer, Encoder};
use crate::render::text::Look;
use crate::workers::{Workers, lock, unlocked};

/// The number of bytes of text that a worker keeps before it waits for its turn.
const PIECE_BYTES: usize = 4 << 20;

/// The size of a block of columns that a worker hands over before its chunk ends. Blocks of chunks of 2 MiB have some 3 MiB.
#[cfg(feature = "columnar")]
const BLOCK_BYTES: usize = 6 << 20;

/// The most rows that are added to a piece at a time. A block of blank lines has 16,384, and a blank line becomes an
/// object of 400 bytes.
const ROWS_MAX: usize = 256;

/// The same for columns with values that are made, in a file of columns.
const MADE_ROWS_MAX: usize = 64;

/// The bytes of joined values that rows have which are added to a piece at a time, unless it is one row. A joined value may have
/// 16 MiB.
const JOINED_BYTES: usize = 256 << 10;

/// How rows are written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Writing {
    /// The format.
    pub format: Format,
    /// How text for people looks.
    pub look: Look,
    /// How Parquet is compressed.
    #[cfg(feature = "columnar")]
    pub compression: Compression,
    /// What a file of columns says about itself, keys and values, besides its schema.
    pub metadata: Vec<(String, String)>,
    /// About how many bytes of text a worker keeps before it waits for its turn.
    pub piece_bytes: usize,
}

impl From<Format> for Writing {
    fn from(format: Format) -> Writing {
        Writing {
            format,
            look: Look::default(),
            #[cfg(feature = "columnar")]
            compression: Compression::default(),
            metadata: Vec::new(),
            piece_bytes: PIECE_BYTES,
        }
    }
}

/// An output that has begun. A worker fills a piece, and hands it over when its turn comes.
pub(super) enum Sink<'w> {
    /// Workers encode rows, and keep this many bytes.
    Text(Encoder, Mutex<Document<'w>>, usize),
    #[cfg(feature = "columnar")]
    Columns(ColumnarWriter<'w>),
}

pub(super) type Out<'w> = Box<dyn Write + Send + 'w>;

pub(super) struct Document<'w> {
    out: Out<'w>,
    /// The rows so far. The header comes with the first of them, or with the end.
    rows: u64,
}

/// The rows of a worker that wait for their turn: bytes of text, or columns.
#[derive(Debug, Default)]
pub(super) struct Piece {
    bytes: Buffer,
    /// The number of rows of text.
    rows: u64,
    #[cfg(feature = "columnar")]
    columns: Option<columnar::Block>,
}

#[cfg_attr(not(feature = "columnar"), expect(unused_variables))]
impl<'w> Sink<'w> {
    /// Begins the output, for rows of these columns.
    pub(super) fn begin(
        writing: &Writing,
        schema: Option<Schema>,
        columns: &ExportColumns,
        types: Types,
        out: Out<'w>,
    ) -> Result<Sink<'w>, Error> {
        #[cfg(feature = "columnar")]
        if writing.format.is_binary() {
            let may_be_null = types == Types::Typed;
            let of_schema = schema.map(|schema| {
                let name = schema.name().to_owned();
                ("fecscan.schema".to_owned(), name)
            });
            let metadata = of_schema.into_iter().chain(writing.metadata.clone());
            let (schema, readings) = columnar::of_rows(
                &columns.columns,
                writing.format,
                may_be_null,
                metadata.collect(),
            )?;
            let writer =
                ColumnarWriter::new(schema, readings, writing.format, writing.compression, out)?;
            return Ok(Sink::Columns(writer));
        }
        let encoder = Encoder::new(writing.format, columns, writing.look);
        let document = Document { out, rows: 0 };
        Ok(Sink::Text(encoder, document.into(), writing.piece_bytes))
    }

    /// Says whether rows are added in the turn of their chunk, never before it.
    pub(super) fn is_in_turn(&self) -> bool {
        matches!(self, Sink::Text(encoder, ..) if encoder.is_in_turn())
    }

    /// Returns the most rows that are added to a piece at a time. A row has at most `joined` bytes of joined values.
    pub(super) fn rows_max(&self, columns: &ExportColumns, joined: usize) -> usize {
        let rows = if columns.has_derived() && !matches!(self, Sink::Text(..)) {
            MADE_ROWS_MAX
        } else {
            ROWS_MAX
        };
        rows.min(JOINED_BYTES / joined.max(1)).max(1)
    }

    /// Adds rows to a piece.
    pub(super) fn add(&self, block: &Block<'_>, piece: &mut Piece) {
        match self {
            Sink::Text(encoder, ..) => {
                encoder.block(block, &mut piece.bytes);
                piece.rows += block.rows().len() as u64;
            }
            #[cfg(feature = "columnar")]
            Sink::Columns(writer) => {
                let columns = piece.columns.get_or_insert_with(|| writer.block());
                columns.add_rows(block);
            }
        }
    }

    /// Says whether a piece is full: its worker hands it over before the chunk ends.
    pub(super) fn is_full(&self, piece: &Piece) -> bool {
        match self {
            Sink::Text(.., piece_bytes) => piece.bytes.len() >= *piece_bytes,
            #[cfg(feature = "columnar")]
            Sink::Columns(_) => {
                let memory = piece.columns.as_ref().map_or(0, columnar::Block::memory);
                memory >= BLOCK_BYTES
            }
        }
    }

    /// Takes the rows of a piece, which has its turn.
    pub(super) fn write(&self, piece: &mut Piece) -> Result<(), Error> {
        match self {
            Sink::Text(..) if piece.rows == 0 => Ok(()),
            Sink::Text(encoder, document, piece_bytes) => {
                let mut document = lock(document);
                let skipped = document.begin(encoder)?;
                document.rows += mem::take(&mut piece.rows);
                document.write(&piece.bytes[skipped..])?;
                // A very long row has needed more memory than others will.
                piece.bytes.clear(4 * piece_bytes);
                Ok(())
            }
            #[cfg(feature = "columnar")]
            Sink::Columns(writer) => match &mut piece.columns {
                Some(columns) => writer.push(columns),
                None => Ok(()),
            },
        }
    }

    /// Works on what pieces have left, while other workers have their turn.
    pub(super) fn work(&self) -> Result<(), Error> {
        match self {
            Sink::Text(..) => Ok(()),
            #[cfg(feature = "columnar")]
            Sink::Columns(writer) => writer.work(),
        }
    }

    /// Ends the output. Returns the number of rows, and for each column whose cells it has parsed the number of those that could not
    /// be.
    pub(super) fn finish(self, workers: &Workers) -> Result<(u64, Vec<u64>), Error> {
        match self {
            Sink::Text(encoder, document, _) => {
                let mut document = unlocked(document);
                document.begin(&encoder)?;
                document.write(&encoder.footer(document.rows))?;
                Ok((document.rows, Vec::new()))
            }
            #[cfg(feature = "columnar")]
            Sink::Columns(writer) => {
                let written = writer.finish(workers)?;
                Ok((written.rows, written.unreadable))
            }
        }
    }
}

impl Document<'_> {
    /// Writes the header, unless rows have been written. Returns the number of separator bytes that the next row loses.
    fn begin(&mut self, encoder: &Encoder) -> Result<usize, Error> {
        if self.rows > 0 {
            return Ok(0);
        }
        self.write(encoder.header())?;
        Ok(encoder.separator_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match bytes {
            [] => Ok(()),
            bytes => self.out.write_all(bytes).map_err(Error::of_writing),
        }
    }
}
