//! Rows as a file of columns: every worker gathers the cells of its rows by column.

use std::io::Write;
use std::sync::{Mutex, OnceLock};

use arrow_schema::{DataType, Field};

use super::{
    ColumnKind, ExportColumn, ExportColumns, ExportQuestion, Exported, Partial, RowFold, Target,
    Types,
};
use crate::error::{Error, ErrorKind};
use crate::fec::amount::NUMBER_DIGITS;
use crate::fec::schema::Schema;
use crate::render::Format;
use crate::render::columnar::{self as render, ColumnarWriter, Compression};
use crate::render::encode::Block;
use crate::workers::{Workers, lock};

/// The size of a block that a worker hands over before its chunk ends. Blocks of chunks of 2 MiB have some 3 MiB.
const BLOCK_BYTES: usize = 6 << 20;

/// The fold that exports rows as Parquet, Arrow or xlsx.
///
/// Values that have types are parsed by the writer, each column in one go. With [`Types::Raw`] all values are
/// texts, and none is null.
pub type ColumnarFold<'w, W> = RowFold<Columnar<'w, W>>;

/// A file of columns.
pub struct Columnar<'w, W> {
    format: Format,
    compression: Compression,
    metadata: Vec<(String, String)>,
    /// Taken by the writer as soon as the columns are known.
    out: Mutex<Option<W>>,
    writer: OnceLock<ColumnarWriter<'w>>,
}

impl<'w, W: Write + Send + 'w> RowFold<Columnar<'w, W>> {
    /// Returns a fold that writes the rows to `out` in this format, a binary one.
    pub fn new(question: ExportQuestion, format: Format, out: W) -> ColumnarFold<'w, W> {
        let columnar = Columnar {
            format,
            compression: Compression::default(),
            metadata: Vec::new(),
            out: Mutex::new(Some(out)),
            writer: OnceLock::new(),
        };
        RowFold::with_target(question, columnar)
    }

    /// Returns the same fold, whose Parquet is compressed so.
    pub fn with_compression(mut self, compression: Compression) -> ColumnarFold<'w, W> {
        self.target.compression = compression;
        self
    }

    /// Returns the same fold, whose file says `metadata` about itself, keys and values, besides its schema.
    pub fn with_metadata(mut self, metadata: Vec<(String, String)>) -> ColumnarFold<'w, W> {
        self.target.metadata = metadata;
        self
    }

    /// Ends the file, after a run of `engine` with the result `partial`. Without an input whose schema is known
    /// there is no file, and nothing is written.
    pub fn finish(
        self,
        partial: Partial<render::Block>,
        workers: &Workers,
    ) -> Result<Exported, Error> {
        self.check_output()?;
        let mut exported = Exported {
            rows: 0,
            unparsed: Vec::new(),
            odd_rows: partial.tally.odd_rows,
            without_partner: partial.tally.without_partner(&self.partners),
        };
        if let (Some(columns), Some(writer)) =
            (self.columns.into_inner(), self.target.writer.into_inner())
        {
            let written = writer.finish(workers)?;
            exported.rows = written.rows;
            let names = columns.columns.into_iter().map(|column| column.name);
            exported.unparsed = names.zip(written.unreadable).collect();
            exported.unparsed.retain(|&(_, count)| count > 0);
        }
        Ok(exported)
    }
}

impl<'w, W: Write + Send + 'w> Target for Columnar<'w, W> {
    type Piece = render::Block;

    /// A joined value may have 16 MiB, and 64 of them are a GiB.
    const MADE_ROWS_MAX: usize = 64;

    /// The writer parses values.
    fn types(&self, _: Types) -> Types {
        Types::Raw
    }

    fn begin(&self, schema: Schema, columns: &ExportColumns, types: Types) -> Result<(), Error> {
        let out = lock(&self.out).take();
        let out =
            out.ok_or_else(|| Error::new(ErrorKind::Output, "the output could not be begun"))?;
        let is_typed = types == Types::Typed;
        let field = |column: &ExportColumn| {
            let data = if is_typed {
                column.kind.data_type()
            } else {
                DataType::Utf8
            };
            Field::new(&column.name, data, is_typed)
        };
        let fields = columns.columns.iter().map(field).collect();
        let of_schema = ("fecscan.schema".to_owned(), schema.name().to_owned());
        let metadata = [&[of_schema], &self.metadata[..]].concat();
        let schema = render::schema(fields, metadata)?;
        let writer = ColumnarWriter::new(schema, self.format, self.compression, out)?;
        assert!(self.writer.set(writer).is_ok(), "the file is begun once");
        Ok(())
    }

    fn piece(&self) -> render::Block {
        self.writer().block()
    }

    fn add(&self, block: &Block<'_>, piece: &mut render::Block) {
        piece.add_rows(block);
    }

    fn is_full(&self, piece: &render::Block) -> bool {
        piece.memory() >= BLOCK_BYTES
    }

    fn write(&self, piece: &mut render::Block) -> Result<(), Error> {
        self.writer().push(piece)
    }

    fn work(&self) -> Result<(), Error> {
        self.writer().work()
    }
}

impl<'w, W> Columnar<'w, W> {
    fn writer(&self) -> &ColumnarWriter<'w> {
        self.writer.get().expect("a part has begun")
    }
}

impl ColumnKind {
    fn data_type(self) -> DataType {
        match self {
            ColumnKind::Text => DataType::Utf8,
            ColumnKind::Amount => render::AMOUNT,
            ColumnKind::Number(decimals) => {
                DataType::Decimal128(NUMBER_DIGITS as u8, decimals.cast_signed())
            }
            ColumnKind::Date => DataType::Date32,
            ColumnKind::Integer => DataType::Int64,
        }
    }
}
