//! Parquet files.
//!
//! Columns are encoded here. The crate `parquet` writes what surrounds them: headers of pages, and the
//! description at the end of the file.
//!
//! Its own encoder of Arrow arrays takes most of its time to find each value in a dictionary, copies values
//! several times, and its pages depend on how rows come.

mod dictionary;
mod numbers;
mod packed;
mod pages;
mod range;
mod strings;
mod text;
mod wide;

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use self::numbers::NumberEncoder;
use self::pages::Chunk;
use self::text::TextEncoder;
use self::wide::SumEncoder;
use super::block::Cells;
use super::lanes::{Encoder, GroupSize, GroupWriter};
use super::sink::Sink;
use super::{Column, ColumnKind, Compression, EmptyText, Layout, values};
use crate::error::{Error, ErrorKind};

/// The size of a row group: some 80 MiB of cells of indiv, a third of it in the file.
pub(super) const GROUP: GroupSize = GroupSize {
    rows: 1 << 19,
    bytes: 96 << 20,
};

/// The number of rows of a page. Pages of long texts have fewer.
const PAGE_ROWS: usize = 1 << 15;

/// Returns the encoders of the columns, and the file.
pub(super) fn open<W: Write + Send>(
    layout: &Layout,
    compression: Compression,
    out: W,
) -> Result<(Vec<ColumnEncoder>, ParquetFile<W>), Error> {
    let fields = layout
        .columns
        .iter()
        .map(|column| field(column, layout.empty_text));
    let fields = fields.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    let schema = Type::group_type_builder("schema")
        .with_fields(fields)
        .build();
    let schema: TypePtr = Arc::new(schema.map_err(refused)?);
    let described = SchemaDescriptor::new(schema.clone());
    let encoder = |(nth, column): (usize, &Column)| {
        let described = described.column(nth);
        let numbers = |read| NumberEncoder::new(described.clone(), read, compression);
        let kind = match column.kind {
            ColumnKind::Text => {
                Kind::Text(Box::new(TextEncoder::new(described.clone(), compression)?))
            }
            ColumnKind::Sum => {
                Kind::Sums(Box::new(SumEncoder::new(described.clone(), compression)?))
            }
            ColumnKind::Amount => Kind::Numbers(Box::new(numbers(values::amount)?)),
            ColumnKind::Date => Kind::Numbers(Box::new(numbers(values::day)?)),
            ColumnKind::Integer => Kind::Numbers(Box::new(numbers(values::integer)?)),
        };
        Ok(ColumnEncoder(kind))
    };
    let encoders = layout.columns.iter().enumerate().map(encoder);
    let encoders = encoders.collect::<Result<Vec<_>, Error>>()?;
    let pair = |(key, value): &(String, String)| KeyValue::new(key.clone(), value.clone());
    let properties = WriterProperties::builder()
        .set_created_by(concat!("fecscan version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(layout.metadata.iter().map(pair).collect()))
        .set_offset_index_disabled(true)
        .build();
    let writer = SerializedFileWriter::new(Sink::new(out), schema, Arc::new(properties));
    let writer = writer.map_err(refused)?;
    Ok((encoders, ParquetFile { writer }))
}

fn field(column: &Column, empty_text: EmptyText) -> Result<TypePtr, ParquetError> {
    let decimal = |precision| Some(LogicalType::decimal(values::SCALE, precision));
    let (physical, logical, precision) = match column.kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String), None),
        ColumnKind::Date => (Physical::INT32, Some(LogicalType::Date), None),
        ColumnKind::Integer => (Physical::INT64, None, None),
        ColumnKind::Amount => {
            let precision = values::AMOUNT_PRECISION;
            (Physical::INT64, decimal(precision), Some(precision))
        }
        ColumnKind::Sum => {
            let precision = values::SUM_PRECISION;
            let physical = Physical::FIXED_LEN_BYTE_ARRAY;
            (physical, decimal(precision), Some(precision))
        }
    };
    let repetition = match (column.kind, empty_text) {
        (ColumnKind::Text, EmptyText::Keep) => Repetition::REQUIRED,
        _ => Repetition::OPTIONAL,
    };
    let mut field = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical);
    if let Some(precision) = precision {
        field = field.with_precision(precision).with_scale(values::SCALE);
    }
    if physical == Physical::FIXED_LEN_BYTE_ARRAY {
        field = field.with_length(size_of::<i128>() as i32);
    }
    field.build().map(Arc::new)
}

fn refused(error: ParquetError) -> Error {
    Error::new(ErrorKind::Output, error.to_string())
}

/// Encodes a column.
pub(super) struct ColumnEncoder(Kind);

enum Kind {
    Text(Box<TextEncoder>),
    Numbers(Box<NumberEncoder>),
    Sums(Box<SumEncoder>),
}

impl Encoder for ColumnEncoder {
    type Chunk = Chunk;

    fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error> {
        match &mut self.0 {
            Kind::Text(text) => text.push(cells, rows),
            Kind::Numbers(numbers) => numbers.push(cells, rows),
            Kind::Sums(sums) => sums.push(cells, rows),
        }
    }

    fn finish_chunk(&mut self) -> Result<Chunk, Error> {
        match &mut self.0 {
            Kind::Text(text) => text.finish_chunk(),
            Kind::Numbers(numbers) => numbers.finish_chunk(),
            Kind::Sums(sums) => sums.finish_chunk(),
        }
    }

    fn unreadable(&self) -> u64 {
        match &self.0 {
            Kind::Text(_) => 0,
            Kind::Numbers(numbers) => numbers.unreadable(),
            Kind::Sums(sums) => sums.unreadable(),
        }
    }
}

/// A file that is being written.
pub(super) struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<Sink<W>>,
}

impl<W: Write + Send> ParquetFile<W> {
    fn write_group(&mut self, chunks: Vec<Chunk>) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for chunk in chunks {
            group.append_column(&chunk.pages, chunk.close)?;
        }
        group.close().map(drop)
    }

    fn error(&mut self, error: ParquetError) -> Error {
        self.writer.inner_mut().error(error)
    }
}

impl<W: Write + Send> GroupWriter for ParquetFile<W> {
    type Chunk = Chunk;

    fn write(&mut self, _rows: usize, chunks: Vec<Chunk>) -> Result<(), Error> {
        let written = self.write_group(chunks);
        written.map_err(|error| self.error(error))
    }

    fn finish(mut self) -> Result<(), Error> {
        let finished = self.writer.finish().map(drop);
        finished.map_err(|error| self.error(error))
    }
}
