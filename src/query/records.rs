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
use crate::expr::list::{self, Role};
use crate::expr::{Key, KeyFunction, append};
use crate::fec::layout::exchange_line_breaks;
use crate::fec::texts::decoded;
use crate::fold::{ChunkPlace, Fold, Order};
use crate::input::Part;
use crate::join::{Found, Partners};
use crate::scan::{Need, Rows};

/// The pieces that may wait to be taken. Each is of a task.
const WAITING: usize = 4;

/// The rows of a question, in their order. Dropping it ends the reading.
///
/// ```
/// let names = fecscan::scan(["fixtures/plain.txt"]).rows(["last_name(NAME)"])?;
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
    /// Returns the values: bytes as they stand, or as a function has made them. Columns that the row lacks are empty.
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
        let keys = columns.iter().map(|column| {
            let mut keys = list::parse(column, Role::Export)?;
            match (keys.pop(), keys.is_empty()) {
                (Some(key), true) => Ok(key),
                _ => {
                    let what = format!("'{column}' names several columns");
                    Err(Error::usage(what).advise("name one after the other"))
                }
            }
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() {
            return Err(Error::usage("no column is named").advise("name those that are wanted"));
        }
        let (asked, engine) = query.begin()?;
        let (sender, pieces) = sync_channel(WAITING);
        let fold = RecordFold {
            keys,
            partners: asked.partners.clone(),
            made: OnceLock::new(),
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
    keys: Vec<Key>,
    partners: Partners,
    /// How the value of each key is made: the same way in all parts.
    made: OnceLock<Vec<(Found, KeyFunction)>>,
    sender: SyncSender<Result<Piece, Error>>,
}

impl Fold for RecordFold {
    type Partial = Piece;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let bind = |key: &Key| {
            let found = key.bind(schema, &self.partners, Role::Export)?;
            Ok((found, key.function.clone()))
        };
        let made = self.keys.iter().map(bind);
        let made = made.collect::<Result<Vec<_>, Error>>()?;
        let columns = made.iter().map(|(found, _)| found.place);
        let need = Need::Rows(columns.collect());
        let same_way = |one: &[(Found, KeyFunction)], other: &[(Found, KeyFunction)]| {
            let mut pairs = one.iter().zip(other);
            let are_own =
                |one: &Found, other: &Found| one.joined.is_none() && other.joined.is_none();
            pairs.all(|((one, _), (other, _))| are_own(one, other) || one == other)
        };
        if !same_way(self.made.get_or_init(|| made.clone()), &made) {
            let what = "a column is found in another way here than in another input";
            return Err(Error::usage(what).advise("read inputs of one schema"));
        }
        Ok(need)
    }

    fn partial(&self) -> Piece {
        Piece {
            columns: self.keys.len(),
            ..Piece::default()
        }
    }

    fn rows(&self, rows: &Rows<'_>, piece: &mut Piece) -> Result<(), Error> {
        let made = self.made.get().expect("a part has begun");
        let mut id = Vec::new();
        for row in rows.iter() {
            for (nth, (found, function)) in made.iter().enumerate() {
                let cell = row.cell(nth);
                let value = match &found.joined {
                    None => Some(cell),
                    Some(column) => {
                        let value = self.partners.value_of(column, cell, &mut id);
                        value.map(Into::into)
                    }
                };
                if let Some(value) = value {
                    append(function, value, &mut piece.bytes);
                }
                piece.ends.push(piece.bytes.len());
            }
        }
        Ok(())
    }

    fn order(&self) -> Order {
        Order::Beginning
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        piece: &mut Piece,
    ) -> Result<ControlFlow<()>, Error> {
        let mut piece = std::mem::replace(piece, self.partial());
        if place.part.schema().has_line_breaks() {
            exchange_line_breaks(&mut piece.bytes);
        }
        Ok(match self.sender.send(Ok(piece)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    }

    fn merge(&self, _: &mut Piece, _: Piece) {}
}
