//! Rows as Parquet or Arrow: files of columns.
//!
//! Workers copy the cells of their rows to [`Block`]s, column by column. The blocks are handed over in the
//! order of the input, and each column of each block is then encoded by whoever is free: columns do not
//! depend on each other. A group of rows ends after a fixed number of rows or bytes, so the file depends
//! neither on the number of threads nor on the size of tasks.
//!
//! ```text
//! worker:  rows -> block   (in the order of the input)   lanes, one a column      groups, in order
//!                       \                               / CMTE_ID   -> chunk \
//! worker:  rows -> block -> queue of blocks ----------->  AMNDT_IND -> chunk  -> row group -> sink
//!                       /                               \ ...       -> chunk /
//! ```

#[cfg(feature = "arrow")]
mod arrow;
mod block;
mod groups;
mod lanes;
#[cfg(feature = "parquet")]
mod parquet;
mod sink;
mod values;

use std::io::Write;

pub use self::block::Block;
pub use self::groups::write_groups;
use self::lanes::{Lanes, Work};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, escaped};

/// A column of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, such as `TRANSACTION_AMT`.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnKind,
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// UTF-8. Other bytes are decoded as Windows-1252.
    Text,
    /// Decimals of fourteen digits, two of them after the point.
    Amount,
    /// Decimals of 38 digits, two of them after the point.
    Sum,
    /// Days, as the FEC writes them.
    Date,
    /// Integers of 64 bits.
    Integer,
}

/// What becomes of an empty cell of a text column. Other columns have no value there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyText {
    /// No value.
    #[default]
    Null,
    /// A text of no characters.
    Keep,
}

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

/// A format of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnarFormat {
    /// Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet(Compression),
    /// A stream of Apache Arrow's IPC format.
    #[cfg(feature = "arrow")]
    Arrow,
}

/// What a file of columns holds, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// The columns, in their order.
    pub columns: Vec<Column>,
    /// The format of the file.
    pub format: ColumnarFormat,
    /// What becomes of empty cells of text columns.
    pub empty_text: EmptyText,
    /// Keys and values about the file, such as the schema and the path of the input.
    pub metadata: Vec<(String, String)>,
}

impl Layout {
    /// Returns the layout of a file of these `columns`.
    pub fn new(columns: Vec<Column>, format: ColumnarFormat) -> Layout {
        Layout {
            columns,
            format,
            empty_text: EmptyText::default(),
            metadata: Vec::new(),
        }
    }
}

/// The bytes of blocks that may wait before workers stop scanning, besides one block for each worker. More keep
/// workers busy while others encode the longest column. A block has some 3 MiB.
const WAITING_BYTES: usize = 12 << 20;

/// Writes blocks of rows as a file of columns.
pub struct ColumnarWriter<'w> {
    lanes: Box<dyn Work + 'w>,
    columns: usize,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The number of rows.
    pub rows: u64,
    /// For each column the number of cells that are not blank and could not be read. They have no value.
    pub unreadable: Vec<u64>,
}

impl<'w> ColumnarWriter<'w> {
    /// Returns a writer to `out`.
    ///
    /// # Errors
    /// If the format has no such columns: two of the same name, or none.
    pub fn new(layout: &Layout, out: impl Write + Send + 'w) -> Result<ColumnarWriter<'w>, Error> {
        check_names(&layout.columns)?;
        let lanes: Box<dyn Work + 'w> = match layout.format {
            #[cfg(feature = "parquet")]
            ColumnarFormat::Parquet(compression) => {
                let (encoders, file) = parquet::open(layout, compression, out)?;
                Box::new(Lanes::new(encoders, file, parquet::GROUP))
            }
            #[cfg(feature = "arrow")]
            ColumnarFormat::Arrow => {
                let (encoders, stream) = arrow::open(layout, out)?;
                Box::new(Lanes::new(encoders, stream, arrow::GROUP))
            }
        };
        Ok(ColumnarWriter {
            lanes,
            columns: layout.columns.len(),
        })
    }

    /// Returns a block without rows.
    pub fn block(&self) -> Block {
        Block::new(self.columns)
    }

    /// Takes the rows of `block`, which follow those of all blocks before, and leaves it empty. Only copies or
    /// moves them.
    pub fn push(&self, block: &mut Block) {
        self.lanes.push(block);
    }

    /// Encodes and writes until few rows wait. Workers call it now and then, at the same time.
    ///
    /// # Errors
    /// If the output fails. Only one worker gets the error.
    pub fn work(&self) -> Result<(), Error> {
        self.lanes.work(WAITING_BYTES)
    }

    /// Ends the file, with the help of all workers of `engine`.
    ///
    /// # Errors
    /// If the output fails.
    pub fn finish(self, engine: &Engine) -> Result<Written, Error> {
        self.lanes.end();
        let worked = engine.on_workers(|_| self.lanes.work(0));
        worked.into_iter().collect::<Result<(), _>>()?;
        self.lanes.finish()
    }
}

/// Readers know columns by their names.
fn check_names(columns: &[Column]) -> Result<(), Error> {
    if columns.is_empty() {
        return Err(Error::new(
            ErrorKind::Usage,
            "a file has at least one column",
        ));
    }
    let mut names: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let name = escaped(pair[0].as_bytes());
            let what = format!("the column {name} is there twice");
            Err(Error::new(ErrorKind::Usage, what))
        }
    }
}
