//! The export: rows in another format, in the order of the input.
//!
//! An [`ExportQuestion`] says which columns to export. [`ExportFold`] has every worker encode the rows of its
//! chunk, and writes the bytes of one chunk after the other. A worker that has many bytes waits for its
//! turn before its chunk ends, so memory does not depend on the rows. `ColumnarFold` has workers collect the
//! cells of their chunks by column, and hands them to the encoders of the columns in the same way.
//!
//! A failed write ends the run. [`ExportFold::finish`] returns the error.

#[cfg(feature = "columnar")]
mod columnar;
mod columns;
mod head;
mod made;
mod question;
mod sink;

use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

#[cfg(feature = "columnar")]
pub use self::columnar::{ColumnarFold, ColumnarPartial};
pub use self::columns::{ColumnKind, ExportColumn, ExportColumns, Source};
use self::head::Head;
pub(crate) use self::made::MadeValues;
use self::made::Tally;
pub use self::question::{ExportQuestion, Types};
use self::sink::Sink;
use super::{ChunkPlace, Extent, Fold, Order, Turn};
use crate::error::Error;
use crate::input::Part;
use crate::join::{Partners, WithoutPartner};
use crate::output::Go;
use crate::render::encode::{Block, Encode, EncodeScratch, Pace};
use crate::scan::{Need, Rows};

/// The number of bytes that a worker keeps before it waits for its turn.
const PIECE_BYTES: usize = 4 << 20;

/// The most rows that are encoded at a time. A block of blank lines has 16,384, and a blank line becomes an
/// object of 400 bytes.
const ROWS_MAX: usize = 256;

type MakeEncoder = dyn Fn(&ExportColumns) -> Box<dyn Encode> + Send + Sync;

/// The fold that exports rows.
///
/// ```
/// use fecscan::Engine;
/// use fecscan::fold::export::{ExportFold, ExportQuestion};
/// use fecscan::render::encode::Ndjson;
///
/// # fn main() -> Result<(), fecscan::Error> {
/// let mut question = ExportQuestion::default();
/// question.add_columns("state,year(TRANSACTION_DT)")?;
/// question.head = Some(1);
/// let fold = ExportFold::new(question, |columns| Box::new(Ndjson::new(columns)), Vec::new());
/// let folded = Engine::default().scan(&fold, ["fixtures/plain.txt"])?;
/// let (out, exported) = fold.finish(folded.partial)?;
/// assert_eq!(out, b"{\"STATE\":\"OR\",\"year(TRANSACTION_DT)\":\"2018\"}\n");
/// assert_eq!(exported.rows, 1);
/// # Ok(())
/// # }
/// ```
pub struct ExportFold<W> {
    question: ExportQuestion,
    partners: Partners,
    encoder: Box<MakeEncoder>,
    /// The columns and their encoder, the same for all parts.
    begun: OnceLock<Begun>,
    /// Locked by the worker that has the turn.
    sink: Mutex<Sink<W>>,
    piece_bytes: usize,
}

struct Begun {
    columns: ExportColumns,
    encoder: Box<dyn Encode>,
}

/// What a worker has encoded since its last turn, and memory for the next block.
#[derive(Debug, Default)]
pub struct Partial {
    bytes: Vec<u8>,
    rows: u64,
    made: MadeValues,
    scratch: EncodeScratch,
    tally: Tally,
}

/// What a finished export has written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exported {
    /// The number of rows.
    pub rows: u64,
    /// The columns with values that could not be parsed, and how many: of all rows in a columnar format, and
    /// of the inputs that were read whole in the others.
    pub unparsed: Vec<(String, u64)>,
    /// Rows without a partner, of the inputs that were read whole.
    pub without_partner: Vec<WithoutPartner>,
}

impl<W: Write + Send> ExportFold<W> {
    /// Returns a fold that writes the rows to `out`, in the format of the encoder that `encoder` makes.
    pub fn new(
        question: ExportQuestion,
        encoder: impl Fn(&ExportColumns) -> Box<dyn Encode> + Send + Sync + 'static,
        out: W,
    ) -> ExportFold<W> {
        ExportFold {
            sink: Mutex::new(Sink::new(out, Head::new(question.head))),
            question,
            partners: Partners::default(),
            encoder: Box::new(encoder),
            begun: OnceLock::new(),
            piece_bytes: PIECE_BYTES,
        }
    }

    /// Returns the same fold, whose columns may be those of joined files.
    pub fn with_partners(self, partners: Partners) -> ExportFold<W> {
        ExportFold { partners, ..self }
    }

    /// Returns the same fold, whose workers keep about `bytes` each before they wait for their turn.
    pub fn with_piece_bytes(self, bytes: usize) -> ExportFold<W> {
        ExportFold {
            piece_bytes: bytes,
            ..self
        }
    }

    /// Ends the document, after a run with the result `partial`, and returns the writer that got it. Without an input whose schema is known there
    /// is no document, and nothing is written.
    ///
    /// # Errors
    /// If the rows, or the end, could not be written.
    pub fn finish(self, partial: Partial) -> Result<(W, Exported), Error> {
        let sink = self.sink.into_inner();
        let mut sink = sink.unwrap_or_else(PoisonError::into_inner);
        let mut unparsed = Vec::new();
        if let Some(Begun { columns, encoder }) = self.begun.into_inner() {
            sink.end(&*encoder);
            for column in columns.columns {
                let Source::Made(made) = column.source else {
                    continue;
                };
                let count = partial.tally.unparsed.get(made).copied().unwrap_or(0);
                if count > 0 {
                    unparsed.push((column.name, count));
                }
            }
        }
        let without_partner = partial.tally.without_partner(&self.partners);
        let (out, rows) = sink.finish()?;
        let exported = Exported {
            rows,
            unparsed,
            without_partner,
        };
        Ok((out, exported))
    }

    fn sink(&self) -> std::sync::MutexGuard<'_, Sink<W>> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begun(&self) -> &Begun {
        self.begun.get().expect("a part has begun")
    }
}

impl<W: Write + Send> Fold for ExportFold<W> {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let columns = self.question.bind(part.certain_schema()?, &self.partners)?;
        let located = columns.located.clone();
        let begun = self.begun.get_or_init(|| Begun {
            encoder: (self.encoder)(&columns),
            columns: columns.clone(),
        });
        begun.columns.check_read_like(&columns)?;
        Ok(Need::Rows(located))
    }

    fn partial(&self) -> Partial {
        Partial::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        let Begun { columns, encoder } = self.begun();
        let made = &mut partial.made;
        made.make(columns, &self.partners, rows, &mut partial.tally);
        let block = Block {
            rows,
            columns,
            made,
        };
        encoder.block(&block, &mut partial.scratch, &mut partial.bytes);
        partial.rows += rows.len() as u64;
        Ok(())
    }

    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        partial: &mut Partial,
        turn: &Turn<'_>,
    ) -> Result<Go, Error> {
        let in_turn = self.question.head.is_some() || self.begun().encoder.pace() == Pace::InTurn;
        for start in (0..rows.len()).step_by(ROWS_MAX) {
            let mut range = start..rows.len().min(start + ROWS_MAX);
            if in_turn {
                if turn.wait() == Go::Stop {
                    return Ok(Go::Stop);
                }
                range.end = start + self.sink().head.take(range.len());
            }
            if range == (0..rows.len()) {
                self.rows(rows, partial)?;
            } else {
                self.rows(&rows.slice(range), partial)?;
            }
            let is_last = in_turn && self.sink().head.has_all();
            if partial.bytes.len() >= self.piece_bytes || is_last {
                let go = match turn.wait() {
                    Go::On => self.write(partial),
                    Go::Stop => Go::Stop,
                };
                if go == Go::Stop {
                    return Ok(Go::Stop);
                }
            }
        }
        Ok(Go::On)
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
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

    fn end_chunk(&self, _: &ChunkPlace<'_>, partial: &mut Partial) -> Result<Go, Error> {
        Ok(self.write(partial))
    }
}

impl<W: Write + Send> ExportFold<W> {
    /// Writes the rows that a worker keeps, in its turn.
    fn write(&self, partial: &mut Partial) -> Go {
        let go = self
            .sink()
            .write(&*self.begun().encoder, &partial.bytes, partial.rows);
        partial.rows = 0;
        partial.bytes.clear();
        // A very long row has needed more memory than others will.
        if partial.bytes.capacity() > 4 * self.piece_bytes {
            partial.bytes = Vec::new();
        }
        go
    }
}
