//! Rows as a file of columns, in the order of the input.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use arrow_schema::{DataType, Field};

use super::head::Head;
use super::{
    ColumnKind, ExportColumn, ExportColumns, ExportQuestion, Exported, MadeValues, Tally, Types,
};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::fec::schema::Schema;
use crate::fold::{ChunkPlace, Extent, Fold, Order, Turn};
use crate::input::Part;
use crate::join::Partners;
use crate::output::Go;
use crate::render::columnar::{self as render, ColumnarFormat, ColumnarWriter};
use crate::render::encode::Block;
use crate::scan::{Need, Rows};

/// The size of a block that a worker hands over before its chunk ends. Blocks of chunks of 2 MiB have some 3 MiB.
const BLOCK_BYTES: usize = 6 << 20;

/// The most rows at a time if values are made for them: a joined value may have 16 MiB, and 64 of them are a GiB.
const MADE_ROWS: usize = 64;

/// The fold that exports rows as Parquet or Arrow.
///
/// Values that have types are parsed by the writer, each column in one go. With [`Types::Raw`] all values are
/// texts, and none is null.
///
/// ```
/// use fecscan::Engine;
/// use fecscan::fold::export::{ColumnarFold, ExportQuestion, Types};
/// use fecscan::render::columnar::{ColumnarFormat, Compression};
///
/// # fn main() -> Result<(), fecscan::Error> {
/// let mut question = ExportQuestion::default();
/// question.add_columns("STATE,TRANSACTION_AMT")?;
/// question.types = Types::Typed;
/// let format = ColumnarFormat::Parquet(Compression::Snappy);
/// let mut file = Vec::new();
/// let fold = ColumnarFold::new(question, format, &mut file);
/// let engine = Engine::default();
/// let folded = engine.scan(&fold, ["fixtures/plain.txt"])?;
/// let exported = fold.finish(folded.partial, &engine)?;
/// assert_eq!(exported.rows, folded.lines);
/// # Ok(())
/// # }
/// ```
pub struct ColumnarFold<'w, W> {
    question: ExportQuestion,
    partners: Partners,
    format: ColumnarFormat,
    metadata: Vec<(String, String)>,
    /// Taken by the writer as soon as the columns are known.
    out: Mutex<Option<W>>,
    begun: OnceLock<Begun<'w>>,
    /// Locked by the worker that has the turn.
    head: Mutex<Head>,
    /// The first failure to write.
    failed: Mutex<Option<Error>>,
}

struct Begun<'w> {
    columns: ExportColumns,
    writer: ColumnarWriter<'w>,
}

/// The rows of a worker that wait for their turn.
#[derive(Clone, Debug, Default)]
pub struct ColumnarPartial {
    block: Option<render::Block>,
    made: MadeValues,
    tally: Tally,
}

impl<'w, W: Write + Send + 'w> ColumnarFold<'w, W> {
    /// Returns a fold that writes the rows to `out`.
    pub fn new(question: ExportQuestion, format: ColumnarFormat, out: W) -> ColumnarFold<'w, W> {
        ColumnarFold {
            head: Mutex::new(Head::new(question.head)),
            question,
            partners: Partners::default(),
            format,
            metadata: Vec::new(),
            out: Mutex::new(Some(out)),
            begun: OnceLock::new(),
            failed: Mutex::new(None),
        }
    }

    /// Returns the same fold, whose columns may be those of joined files.
    pub fn with_partners(self, partners: Partners) -> ColumnarFold<'w, W> {
        ColumnarFold { partners, ..self }
    }

    /// Returns the same fold, whose file says `metadata` about itself, keys and values, besides its schema.
    pub fn with_metadata(self, metadata: Vec<(String, String)>) -> ColumnarFold<'w, W> {
        ColumnarFold { metadata, ..self }
    }

    /// Ends the file, after a run of `engine` with the result `partial`. Without an input whose schema is known
    /// there is no file, and nothing is written.
    ///
    /// # Errors
    /// If the rows, or the end, could not be written.
    pub fn finish(self, partial: ColumnarPartial, engine: &Engine) -> Result<Exported, Error> {
        if let Some(error) = lock(&self.failed).take() {
            return Err(error);
        }
        let mut rows = 0;
        let mut unparsed = Vec::new();
        if let Some(Begun { columns, writer }) = self.begun.into_inner() {
            let written = writer.finish(engine)?;
            rows = written.rows;
            let names = columns.columns.into_iter().map(|column| column.name);
            unparsed = names.zip(written.unreadable).collect();
            unparsed.retain(|&(_, count)| count > 0);
        }
        Ok(Exported {
            rows,
            unparsed,
            without_partner: partial.tally.without_partner(&self.partners),
        })
    }

    /// Opens the writer.
    fn begin(&self, schema: Schema, columns: ExportColumns, out: W) -> Result<Begun<'w>, Error> {
        let is_typed = self.question.types == Types::Typed;
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
        let writer = ColumnarWriter::new(schema, self.format, out)?;
        Ok(Begun { columns, writer })
    }

    /// Hands over the rows of a worker that has the turn. Says whether more are wanted; none after a failure.
    fn hand_over(&self, partial: &mut ColumnarPartial) -> Go {
        if let Some(block) = &mut partial.block {
            self.keep_error(self.begun().writer.push(block));
        }
        if lock(&self.failed).is_some() || lock(&self.head).has_all() {
            Go::Stop
        } else {
            Go::On
        }
    }

    /// Keeps an error of the output, which is none of this input, for `finish`.
    fn keep_error(&self, written: Result<(), Error>) {
        if let Err(error) = written {
            lock(&self.failed).get_or_insert(error);
        }
    }

    fn begun(&self) -> &Begun<'w> {
        self.begun.get().expect("a part has begun")
    }
}

impl<'w, W: Write + Send + 'w> Fold for ColumnarFold<'w, W> {
    type Partial = ColumnarPartial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        // The writer parses values.
        let schema = part.certain_schema()?;
        let columns = self.question.bind_as(Types::Raw, schema, &self.partners)?;
        let located = columns.located.clone();
        // The first part to begin takes the output.
        if let Some(out) = lock(&self.out).take() {
            let begun = self.begin(schema, columns.clone(), out)?;
            assert!(self.begun.set(begun).is_ok(), "the file is begun once");
        }
        let Some(begun) = self.begun.get() else {
            let what = "the output could not be begun";
            return Err(Error::new(ErrorKind::Output, what));
        };
        begun.columns.check_read_like(&columns)?;
        Ok(Need::Rows(located))
    }

    fn partial(&self) -> ColumnarPartial {
        ColumnarPartial {
            block: self.begun.get().map(|begun| begun.writer.block()),
            made: MadeValues::default(),
            tally: Tally::default(),
        }
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut ColumnarPartial) -> Result<(), Error> {
        let Begun { columns, writer } = self.begun();
        let made = &mut partial.made;
        made.make(columns, &self.partners, rows, &mut partial.tally);
        let block = partial.block.get_or_insert_with(|| writer.block());
        block.add_rows(&Block {
            rows,
            columns,
            made,
        });
        Ok(())
    }

    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        partial: &mut ColumnarPartial,
        turn: &Turn<'_>,
    ) -> Result<Go, Error> {
        let in_turn = self.question.head.is_some();
        let step = if self.begun().columns.made.is_empty() {
            rows.len().max(1)
        } else {
            MADE_ROWS
        };
        for start in (0..rows.len()).step_by(step) {
            let mut range = start..rows.len().min(start + step);
            if in_turn {
                if turn.wait() == Go::Stop {
                    return Ok(Go::Stop);
                }
                range.end = start + lock(&self.head).take(range.len());
            }
            if range == (0..rows.len()) {
                self.rows(rows, partial)?;
            } else {
                self.rows(&rows.slice(range), partial)?;
            }
            let size = partial.block.as_ref().map_or(0, render::Block::memory);
            if size >= BLOCK_BYTES || in_turn && lock(&self.head).has_all() {
                let go = match turn.wait() {
                    Go::On => self.hand_over(partial),
                    Go::Stop => Go::Stop,
                };
                if go == Go::Stop {
                    return Ok(Go::Stop);
                }
                // The turn keeps other blocks out until these are encoded.
                self.after_chunk()?;
            }
        }
        Ok(Go::On)
    }

    fn merge(&self, into: &mut ColumnarPartial, from: ColumnarPartial) {
        into.tally.merge(from.tally);
    }

    fn order(&self) -> Order {
        Order::Input
    }

    fn extent(&self) -> Extent {
        match self.question.head {
            None => Extent::Whole,
            Some(_) => Extent::Beginning,
        }
    }

    fn end_chunk(&self, _: &ChunkPlace<'_>, partial: &mut ColumnarPartial) -> Result<Go, Error> {
        Ok(self.hand_over(partial))
    }

    fn after_chunk(&self) -> Result<(), Error> {
        self.keep_error(self.begun().writer.work());
        Ok(())
    }
}

impl ColumnKind {
    fn data_type(self) -> DataType {
        match self {
            ColumnKind::Text => DataType::Utf8,
            ColumnKind::Amount => render::AMOUNT,
            ColumnKind::Date => DataType::Date32,
            ColumnKind::Integer => DataType::Int64,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
