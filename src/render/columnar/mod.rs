//! Rows as Parquet, Arrow or xlsx: files whose cells have types.
//!
//! Workers copy the cells of their rows to blocks, column by column, and hand these over in the order of the
//! input. They become batches of a fixed number of rows or bytes. Any worker can encode any column of a batch, because
//! columns do not depend on each other. Groups of batches have a fixed number of rows or bytes, too. So the file is the
//! same for any number of threads and any size of tasks.
//!
//! ```text
//! worker:  rows -> block   (in the order of the input)   columns, in any order   groups, in order
//!                       \                              / CMTE_ID   -> chunk \
//! worker:  rows -> block -> the next batch, the batch ->  AMNDT_IND -> chunk  -> row group -> sink
//!                       /                              \ ...       -> chunk /
//! ```

mod arrays;
mod arrow;
mod block;
mod bounds;
mod parquet;
mod queue;
mod results;
mod sink;
mod xlsx;

use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Metadata, Schema, SchemaRef};

use self::arrays::CellReading;
use self::arrow::ArrowStream;
pub(crate) use self::block::Block;
use self::parquet::ParquetFile;
pub(crate) use self::queue::ColumnarWriter;
use self::results::data_type;
pub use self::results::write_results;
use self::xlsx::XlsxFile;
pub(super) use self::xlsx::write as write_sheets;
use super::Format;
use crate::error::{Error, ErrorKind, escaped};
use crate::sql::Type;
use crate::sql::projection::{ColumnKind, ExportColumn, Source};
use crate::workers::Workers;

/// How the pages of a Parquet file are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Snappy, which every reader knows.
    #[default]
    Snappy,
    /// Zstandard: smaller, and slower to write.
    Zstd,
}

/// The digits of the decimals of groups.
const SUM_DIGITS: u8 = 38;

/// Returns a schema of these `fields`, which says `metadata` about the file.
///
/// # Errors
/// If two fields have the same name, by which readers know them. If there are no fields.
pub(crate) fn schema(fields: Vec<Field>, metadata: Vec<(String, String)>) -> Result<Schema, Error> {
    let refused = |what: String| Err(Error::new(ErrorKind::Usage, what));
    let mut names: Vec<&str> = fields.iter().map(|field| &field.name()[..]).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let name = escaped(pair[0].as_bytes());
        return refused(format!("the column {name} is there twice"));
    }
    if fields.is_empty() {
        return refused("a file has at least one column".to_owned());
    }
    let metadata = metadata.into_iter().collect::<Metadata>();
    Ok(Schema::new_with_metadata(fields, metadata))
}

/// Returns the schema of rows with these columns, which says `metadata` about the file, and how the cells of each column are read.
/// Texts that are never NULL have a field that may be, if `may_be_null`.
///
/// # Errors
/// If two columns have one name, or if there are none.
pub(crate) fn of_rows(
    columns: &[ExportColumn],
    format: Format,
    may_be_null: bool,
    metadata: Vec<(String, String)>,
) -> Result<(Schema, Vec<CellReading>), Error> {
    let reading = |column: &ExportColumn| match (column.source, column.kind) {
        (Source::Row(_), ColumnKind::Column(of)) if of.is_whole() && format == Format::Xlsx => {
            CellReading::Identifiers
        }
        (_, ColumnKind::Text) => CellReading::Made(Type::Varchar),
        (Source::Row(_), ColumnKind::Column(of) | ColumnKind::Made(of)) => CellReading::Parsed(of),
        (_, ColumnKind::Column(of) | ColumnKind::Made(of)) => CellReading::Made(of),
    };
    let field = |column: &ExportColumn| {
        let may_be_null = may_be_null || column.kind.may_be_null();
        let data = match reading(column) {
            CellReading::Identifiers => DataType::Utf8,
            _ => type_of(column.kind),
        };
        Field::new(&column.name, data, may_be_null)
    };
    let schema = schema(columns.iter().map(field).collect(), metadata)?;
    Ok((schema, columns.iter().map(reading).collect()))
}

/// Returns the type of the field of a column.
fn type_of(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Column(of) | ColumnKind::Made(of) => data_type(of),
    }
}

/// A result whose rows are there, column by column.
trait Table: Sync {
    fn columns(&self) -> usize;

    fn rows(&self) -> usize;

    /// Returns about how many bytes the texts of a row have.
    fn row_bytes(&self, row: usize) -> usize;

    /// Returns the values of a column, and how many are missing because the type has no room for them.
    fn array(&self, column: usize, rows: Range<usize>) -> Result<(ArrayRef, u64), Error>;
}

/// Writes a table batch after batch, whose columns are encoded at the same time. Returns for each column how many values its type had no
/// room for.
fn write_table(
    table: &dyn Table,
    file: Box<dyn GroupFile + '_>,
    workers: &Workers,
) -> Result<Vec<u64>, Error> {
    let columns = table.columns();
    let mut missing = vec![0; columns];
    let size = file.group_size();
    let (mut rows, mut group) = (0..0, Size::default());
    while rows.end < table.rows() {
        rows.start = rows.end;
        let mut bytes = 0;
        while rows.end < table.rows() && rows.len() < BATCH.rows && bytes < BATCH.bytes {
            bytes += table.row_bytes(rows.end);
            rows.end += 1;
        }
        group.rows += rows.len();
        group.bytes += bytes;
        let is_full = group.rows >= size.rows || group.bytes >= size.bytes;
        let ends_group = is_full || rows.end == table.rows();
        let encoded = workers.each(columns, |nth| -> Result<u64, Error> {
            let (array, missing) = table.array(nth, rows.clone())?;
            file.push(nth, array)?;
            if ends_group {
                file.end_column(nth)?;
            }
            Ok(missing)
        });
        for (sum, more) in missing.iter_mut().zip(encoded) {
            *sum += more?;
        }
        if ends_group {
            file.write_group()?;
            group = Size::default();
        }
    }
    file.finish()?;
    Ok(missing)
}

/// A file of groups of rows, whose columns are encoded side by side.
trait GroupFile: Send + Sync {
    fn group_size(&self) -> Size;

    /// Encodes the values that a batch has of a column. One worker at a time has the column.
    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error>;

    /// Ends the values that the group has of a column.
    fn end_column(&self, _column: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Writes the group, after the last of its columns has ended.
    fn write_group(&self) -> Result<(), Error>;

    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// A file whose groups are batches, each written as a whole.
trait BatchFile: Send {
    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), Error>;

    fn finish(self) -> Result<(), Error>;
}

struct Batches<F> {
    columns: Vec<Mutex<Option<ArrayRef>>>,
    file: Mutex<F>,
}

impl<F> Batches<F> {
    fn new(schema: &SchemaRef, file: F) -> Box<Batches<F>> {
        Box::new(Batches {
            columns: schema.fields().iter().map(|_| Mutex::default()).collect(),
            file: Mutex::new(file),
        })
    }
}

impl<F: BatchFile> GroupFile for Batches<F> {
    fn group_size(&self) -> Size {
        BATCH
    }

    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error> {
        *self.columns[column].lock().expect(ALONE) = Some(array);
        Ok(())
    }

    fn write_group(&self) -> Result<(), Error> {
        let columns = self.columns.iter();
        let columns = columns.filter_map(|column| column.lock().expect(ALONE).take());
        self.file.lock().expect(ALONE).write(columns.collect())
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.file.into_inner().expect(ALONE).finish()
    }
}

/// Opens a file in a binary format.
fn open<'w>(
    schema: &SchemaRef,
    format: Format,
    compression: Compression,
    out: impl Write + Send + 'w,
) -> Result<Box<dyn GroupFile + 'w>, Error> {
    Ok(match format {
        Format::Parquet => Box::new(ParquetFile::new(schema, compression, out)?),
        Format::Arrow => Batches::new(schema, ArrowStream::new(schema, out)?),
        _ => Batches::new(schema, XlsxFile::new(schema, out)?),
    })
}

const ALONE: &str = "a job is done by one worker, and nothing follows a panic";

/// The size of a batch or group. It ends after so many rows, or with the row in which it reaches so many bytes of cells.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    rows: usize,
    bytes: usize,
}

/// The size of a batch: some 10 MiB of cells of indiv. Offsets of texts have 31 bits.
const BATCH: Size = Size {
    rows: 1 << 16,
    bytes: 32 << 20,
};
