//! Parquet files, by the column writers of the crate `parquet`.

use std::collections::HashSet;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex};

use ahash::RandomState;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DECIMAL64_MAX_PRECISION;
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter,
    ArrowWriterOptions, compute_leaves,
};
use parquet::basic::{Compression as Codec, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::bounds::Bounds;
use super::sink::{Sink, error_of, refused, sink};
use super::{ALONE, Compression, GroupFile, Size};
use crate::error::Error;

/// The size of a row group: some 80 MiB of cells of indiv, a third of it in the file.
const GROUP: Size = Size {
    rows: 1 << 19,
    bytes: 96 << 20,
};

/// The most rows of a page. Pages of long texts have fewer.
const PAGE_ROWS: usize = 1 << 15;

/// The number of values by which the encoding of a column is chosen.
const SAMPLE: usize = 1 << 13;

const DICTIONARY_BYTES: usize = 32 << 20;

/// Zstandard's own default. Level 1 made the file 4 % larger.
const ZSTD_LEVEL: i32 = 3;

/// How a column of a row group is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As numbers in a dictionary of the values. If that becomes too large, the rest as differences.
    Dictionary,
    /// Numbers as the differences of neighbours, texts as their lengths and bytes.
    Differences,
    /// Texts as what differs from the text before. Identifiers often count upwards.
    Suffixes,
}

impl Way {
    /// Chooses the way in which the first values of a column are about smallest.
    fn of(array: &ArrayRef) -> Way {
        let data = array.to_data();
        let texts = array.as_string_opt::<i32>();
        let values: Vec<&[u8]> = match texts {
            Some(texts) => {
                let texts = texts.iter().flatten().take(SAMPLE);
                texts.map(str::as_bytes).collect()
            }
            None => {
                let width = array.data_type().primitive_width().unwrap_or(1);
                data.buffers()[0].chunks_exact(width).take(SAMPLE).collect()
            }
        };
        let bytes: usize = values.iter().map(|value| value.len()).sum();
        let (other_way, size) = match texts {
            None => (Way::Differences, bytes / 2),
            Some(_) => {
                let shared: usize = values.windows(2).map(|pair| shared(pair[0], pair[1])).sum();
                // Readers are faster without prefixes.
                if shared > bytes / 4 {
                    (Way::Suffixes, bytes - shared + values.len())
                } else {
                    (Way::Differences, bytes + values.len() / 2)
                }
            }
        };
        let different: HashSet<&[u8], RandomState> = values.iter().copied().collect();
        let dictionary: usize = different.iter().map(|value| value.len()).sum();
        let bits = (usize::BITS - different.len().leading_zeros()) as usize;
        // A run of equal values takes some three bytes.
        let runs = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let numbers = (3 * runs).min(values.len() * bits / 8);
        if dictionary + numbers <= size {
            Way::Dictionary
        } else {
            other_way
        }
    }

    fn properties(
        self,
        schema: &Schema,
        compression: Compression,
    ) -> Result<WriterProperties, ParquetError> {
        let codec = match compression {
            Compression::Snappy => Codec::SNAPPY,
            Compression::Zstd => Codec::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?),
        };
        let pairs = schema.metadata().iter();
        let pairs = pairs.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("fecscan version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(pairs.collect()))
            .set_compression(codec)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_dictionary_enabled(self == Way::Dictionary)
            .set_dictionary_page_size_limit(DICTIONARY_BYTES);
        for field in schema.fields() {
            let path = ColumnPath::new(vec![field.name().clone()]);
            let encoding = match field.data_type() {
                DataType::Utf8 if self == Way::Suffixes => Encoding::DELTA_BYTE_ARRAY,
                DataType::Utf8 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
                // Numbers beyond 64 bits are bytes.
                DataType::Decimal128(digits, _) if *digits > DECIMAL64_MAX_PRECISION => {
                    Encoding::PLAIN
                }
                DataType::Boolean | DataType::Float64 => Encoding::PLAIN,
                _ => Encoding::DELTA_BINARY_PACKED,
            };
            properties = properties.set_column_encoding(path.clone(), encoding);
            if *field.data_type() == DataType::Utf8 {
                // Texts have their bounds.
                let none = EnabledStatistics::None;
                properties = properties.set_column_statistics_enabled(path, none);
            }
        }
        Ok(properties.build())
    }

    fn open<W: Write + Send>(
        self,
        schema: &SchemaRef,
        compression: Compression,
        out: W,
    ) -> Result<(SerializedFileWriter<W>, ArrowRowGroupWriterFactory), ParquetError> {
        let options = ArrowWriterOptions::new()
            .with_properties(self.properties(schema, compression)?)
            .with_schema_root("schema".to_owned())
            .with_skip_arrow_metadata(true);
        ArrowWriter::try_new_with_options(out, schema.clone(), options)?.into_serialized_writer()
    }
}

fn shared(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Makes the writers of columns. The crate makes those of all columns at once, and each column takes one, so they are kept: a writer for
/// each column, made for that column alone, took minutes for ten thousand columns.
struct ColumnWriters {
    /// By [`Way`].
    factories: [ArrowRowGroupWriterFactory; 3],
    made: [Mutex<Vec<Option<ArrowColumnWriter>>>; 3],
}

impl ColumnWriters {
    /// Returns a writer for the column with this number, which nothing else has used.
    fn take(&self, way: Way, nth: usize) -> Result<ArrowColumnWriter, ParquetError> {
        let mut made = self.made[way as usize].lock().expect(ALONE);
        if made.get(nth).is_none_or(Option::is_none) {
            // Of a row group with any number.
            let writers = self.factories[way as usize].create_column_writers(0)?;
            *made = writers.into_iter().map(Some).collect();
        }
        Ok(made[nth].take().expect("each column has a writer"))
    }
}

struct ColumnEncoder {
    nth: usize,
    field: FieldRef,
    writers: Arc<ColumnWriters>,
    /// That of the group, if it has a batch.
    writer: Option<ArrowColumnWriter>,
    /// That of texts.
    bounds: Bounds,
    /// The group's values, if they have ended.
    chunk: Option<ArrowColumnChunk>,
}

impl ColumnEncoder {
    fn write(&mut self, array: &ArrayRef) -> Result<(), ParquetError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let writer = self.writers.take(Way::of(array), self.nth)?;
                self.writer.insert(writer)
            }
        };
        if let Some(texts) = array.as_string_opt() {
            self.bounds.add(texts);
        }
        for leaf in compute_leaves(&self.field, array)? {
            writer.write(&leaf)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), ParquetError> {
        let writer = self.writer.take().expect("no group is without rows");
        let mut chunk = writer.close()?;
        if *self.field.data_type() == DataType::Utf8 {
            let close = chunk.close_mut();
            let metadata = close.metadata.clone().into_builder();
            let statistics = mem::take(&mut self.bounds).statistics();
            close.metadata = metadata.set_statistics(statistics).build()?;
        }
        self.chunk = Some(chunk);
        Ok(())
    }
}

pub(super) struct ParquetFile<W: Write + Send> {
    columns: Vec<Mutex<ColumnEncoder>>,
    file: Mutex<SerializedFileWriter<Sink<W>>>,
}

impl<W: Write + Send> ParquetFile<W> {
    pub(super) fn new(
        schema: &SchemaRef,
        compression: Compression,
        out: W,
    ) -> Result<ParquetFile<W>, Error> {
        let file = Way::Dictionary.open(schema, compression, sink(out));
        let (file, dictionaries) = file.map_err(refused)?;
        let writers = |way: Way| way.open(schema, compression, io::sink()).map_err(refused);
        let writers = Arc::new(ColumnWriters {
            factories: [
                dictionaries,
                writers(Way::Differences)?.1,
                writers(Way::Suffixes)?.1,
            ],
            made: Default::default(),
        });
        let encoder = |(nth, field): (usize, &FieldRef)| {
            Mutex::new(ColumnEncoder {
                nth,
                field: field.clone(),
                writers: writers.clone(),
                writer: None,
                bounds: Bounds::default(),
                chunk: None,
            })
        };
        Ok(ParquetFile {
            columns: schema.fields().iter().enumerate().map(encoder).collect(),
            file: Mutex::new(file),
        })
    }

    fn append_group(&self, file: &mut SerializedFileWriter<Sink<W>>) -> Result<(), ParquetError> {
        let mut group = file.next_row_group()?;
        for column in &self.columns {
            let chunk = column.lock().expect(ALONE).chunk.take();
            chunk
                .expect("all columns have ended")
                .append_to_row_group(&mut group)?;
        }
        group.close().map(drop)
    }
}

impl<W: Write + Send> GroupFile for ParquetFile<W> {
    fn group_size(&self) -> Size {
        GROUP
    }

    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error> {
        let mut encoder = self.columns[column].lock().expect(ALONE);
        encoder.write(&array).map_err(refused)
    }

    fn end_column(&self, column: usize) -> Result<(), Error> {
        let mut encoder = self.columns[column].lock().expect(ALONE);
        encoder.close().map_err(refused)
    }

    fn write_group(&self) -> Result<(), Error> {
        let file = &mut *self.file.lock().expect(ALONE);
        let written = self.append_group(file);
        written.map_err(|error| error_of(file.inner_mut(), error))
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let mut file = self.file.into_inner().expect(ALONE);
        let finished = file.finish().map(drop);
        finished.map_err(|error| error_of(file.inner_mut(), error))
    }
}
