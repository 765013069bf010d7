//! Rows one by one, while workers read those after them.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::ops::Index;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::Query;
use crate::error::Error;
use crate::fec::by_schema::BySchema;
use crate::fec::texts::decoded;
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::Part;
use crate::scan::{Need, Rows};
use crate::sql::RowSelect;
use crate::sql::projection::{
    ColumnKind, DerivedValues, ExportColumns, JoinedBlock, SelectList, Source, Tally, Types,
    ValueForm,
};

/// The rows whose expressions are evaluated at a time.
const ROWS_MAX: usize = 256;

/// The pieces that may wait to be taken. Each is of a task.
const WAITING: usize = 4;

/// The rows of a question, in their order. Dropping it ends the reading.
///
/// ```
/// let names = fecscan::scan(["fixtures/plain.txt"]).rows(["split_part(NAME, ',', 1)"])?;
/// let names = names.map(|row| Ok(row?.text(0).into_owned())).collect::<Result<Vec<_>, fecscan::Error>>()?;
/// assert_eq!(names[0], "MARLOWE");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Debug)]
pub struct Records {
    pieces: Receiver<Result<Piece, Error>>,
    piece: Arc<Piece>,
    /// The next row of the piece.
    next: usize,
}

/// Some rows, whose values stand side by side.
#[derive(Clone, Debug, Default)]
struct Piece {
    columns: usize,
    bytes: Vec<u8>,
    /// Where each value ends.
    ends: Vec<usize>,
}

/// The values of a row.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let mut rows = fecscan::scan(["fixtures/plain.txt"]).rows(["STATE", "amount"])?;
/// let row = rows.next().expect("there are rows")?;
/// assert_eq!((&row[0], row.to_string()), (&b"OR"[..], "OR|50".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Record {
    piece: Arc<Piece>,
    row: usize,
}

impl Record {
    /// Returns the values: those of columns as they stand, and those of expressions as text. NULL is empty, and so are columns that the
    /// row lacks.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.piece.columns).map(|column| &self[column])
    }

    /// Returns a value as text. Bytes that are no UTF-8 are decoded as Windows-1252, the encoding of older files.
    ///
    /// # Panics
    /// If there are fewer columns.
    pub fn text(&self, column: usize) -> Cow<'_, str> {
        decoded(&self[column])
    }
}

impl Index<usize> for Record {
    type Output = [u8];

    fn index(&self, column: usize) -> &[u8] {
        let Piece {
            columns,
            bytes,
            ends,
        } = &*self.piece;
        assert!(column < *columns, "the rows have {columns} columns");
        let nth = self.row * columns + column;
        let start = nth.checked_sub(1).map_or(0, |before| ends[before]);
        &bytes[start..ends[nth]]
    }
}

/// Shows the values with pipes between them.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for column in 0..self.piece.columns {
            let pipe = if column > 0 { "|" } else { "" };
            write!(f, "{pipe}{}", self.text(column))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.iter().map(<[u8]>::escape_ascii);
        f.debug_list()
            .entries(values.map(|value| value.to_string()))
            .finish()
    }
}

impl Records {
    /// Begins to read the `columns` of the rows of `query`.
    pub(super) fn begin(query: Query, columns: &[String]) -> Result<Records, Error> {
        let mut list = SelectList::default();
        for column in columns {
            let before = list.len();
            list.add(column)?;
            if list.len() != before + 1 {
                let what = format!("'{column}' names several columns");
                return Err(Error::usage(what).advise("name one after the other"));
            }
        }
        if list.is_empty() {
            return Err(Error::usage("no column is named").advise("name those that are wanted"));
        }
        let (asked, engine, select) = query.begin(Some(&list))?;
        let (sender, pieces) = sync_channel(WAITING);
        let fold = RecordFold {
            list,
            select,
            bound: BySchema::default(),
            begun: OnceLock::new(),
            sender: sender.clone(),
        };
        let read = move || {
            if let Err(error) = asked.fold(&engine, &fold, &[]) {
                // Without a receiver, nobody reads the error.
                let _ = sender.send(Err(error));
            }
        };
        thread::Builder::new()
            .name("fecscan rows".to_owned())
            .spawn(read)
            .map_err(Error::of_reading)?;
        Ok(Records {
            pieces,
            piece: Arc::default(),
            next: 0,
        })
    }
}

impl Iterator for Records {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Result<Record, Error>> {
        while self.next == self.piece.rows() {
            match self.pieces.recv().ok()? {
                Ok(piece) => (self.piece, self.next) = (Arc::new(piece), 0),
                Err(error) => return Some(Err(error)),
            }
        }
        self.next += 1;
        Some(Ok(Record {
            piece: Arc::clone(&self.piece),
            row: self.next - 1,
        }))
    }
}

impl Piece {
    fn rows(&self) -> usize {
        self.ends.len().checked_div(self.columns).unwrap_or(0)
    }
}

/// Copies the values of a chunk, and sends them in the order of the input.
struct RecordFold {
    list: SelectList,
    /// What is selected of rows that are joined.
    select: Option<RowSelect>,
    /// The columns of each schema.
    bound: BySchema<Arc<ExportColumns>>,
    /// The columns, the same for all parts.
    begun: OnceLock<Arc<ExportColumns>>,
    sender: SyncSender<Result<Piece, Error>>,
}

/// The rows of a worker's chunk.
#[derive(Default)]
struct Partial {
    piece: Piece,
    joined: JoinedBlock,
    derived: DerivedValues,
    /// The error of a row without a value, behind the rows of the piece.
    fault: Option<Error>,
}

impl RecordFold {
    fn add(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        let columns = &self.begun.get().expect("a part has begun");
        let Partial {
            piece,
            joined,
            derived,
            ..
        } = partial;
        let tally = &mut Tally::default();
        let mut fault = Ok(());
        let (rows, beside) = if columns.has_joins() {
            fault = joined.join(columns, rows, usize::MAX, tally);
            let (rows, beside) = joined.rows_of(rows);
            (rows, Some(beside))
        } else {
            (*rows, None)
        };
        derived.derive(columns, &rows, beside, "", tally)?;
        piece.columns = columns.columns.len();
        for (nth, row) in rows.iter().enumerate() {
            for column in &columns.columns {
                let cell = match column.source {
                    Source::Row(located) => row.cell(located),
                    Source::Derived(value) => derived.cell(nth, value),
                    Source::Label => derived.label(),
                };
                piece.bytes.extend_from_slice(&cell);
                piece.ends.push(piece.bytes.len());
            }
        }
        fault
    }
}

impl Fold for RecordFold {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let bind = || {
            let (types, form) = (Types::Raw, ValueForm::Text);
            let columns = match &self.select {
                Some(select) => select.columns(schema, form, types, ColumnKind::Column)?,
                None => ExportColumns::bind(&self.list, types, form, schema)?,
            };
            Ok(Arc::new(columns))
        };
        let columns = self.bound.get_or_make(schema, bind)?;
        let begun = self.begun.get_or_init(|| Arc::clone(&columns));
        if !begun.is_read_like(&columns) {
            let what = "a column is found in another way here than in another input";
            return Err(Error::usage(what).advise("read inputs of one schema"));
        }
        Ok(Need::Rows(columns.located.clone()))
    }

    fn partial(&self) -> Partial {
        Partial::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        for start in (0..rows.len()).step_by(ROWS_MAX) {
            let range = start..rows.len().min(start + ROWS_MAX);
            if partial.fault.is_none() {
                partial.fault = self.add(&rows.slice(range), partial).err();
            }
        }
        Ok(())
    }

    fn order(&self) -> Order {
        Order::Beginning
    }

    fn end_chunk(
        &self,
        _: &ChunkPlace<'_>,
        partial: &mut Partial,
    ) -> Result<ControlFlow<()>, Error> {
        let piece = std::mem::take(&mut partial.piece);
        let fault = partial.fault.take();
        let ends = fault.is_some();
        let mut sent = self.sender.send(Ok(piece));
        if let Some(fault) = fault {
            sent = sent.and_then(|()| self.sender.send(Err(fault)));
        }
        Ok(if sent.is_err() || ends {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    fn merge(&self, _: &mut Partial, _: Partial) {}
}
