//! The export: rows in another format, in the order of the input.
//!
//! An [`ExportQuestion`] says which columns to export. A [`RowFold`] has every worker add the rows of its chunk to a piece of its
//! own, and hands over one piece after the other to its [`Target`]. A worker with a large piece waits for its
//! turn before its chunk ends, so memory does not depend on the rows. [`ExportFold`] encodes pieces as text, and
//! `ColumnarFold` collects cells by column.
//!
//! A failed write ends the run. `finish` returns the error.

mod changes;
#[cfg(feature = "columnar")]
mod columnar;
mod question;
mod sample;
mod text;

use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

pub use self::changes::{Changes, OldRows};
#[cfg(feature = "columnar")]
pub use self::columnar::{Columnar, ColumnarFold};
pub use self::question::ExportQuestion;
pub use self::sample::{LeastRows, Sample, SampleFold};
pub use self::text::{ExportFold, Text};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{ChunkPlace, Fold, Order, Turn};
use crate::input::Part;
use crate::join::{Partners, WithoutPartner};
use crate::render::encode::Block;
use crate::render::{counted, notes, one_or_many};
use crate::scan::{Need, Row, Rows};
pub use crate::select::{ColumnKind, ExportColumn, ExportColumns, Source, Types};
use crate::select::{DerivedValues, Tally};
use crate::workers::lock;

/// The most rows that are added to a piece at a time. A block of blank lines has 16,384, and a blank line becomes an
/// object of 400 bytes.
const ROWS_MAX: usize = 256;

/// Receives rows in pieces. A worker fills a piece, and hands it over when its turn comes.
pub trait Target: Send + Sync {
    /// The rows of a worker that wait for their turn.
    type Piece: Send;

    /// The most rows that are added to a piece at a time if values are made for them.
    const MADE_ROWS_MAX: usize = ROWS_MAX;

    /// Returns how values are read, if the user wants these types.
    fn types(&self, wanted: Types) -> Types {
        wanted
    }

    /// Begins the output, for rows of these columns.
    fn begin(&self, schema: Schema, columns: &ExportColumns, types: Types) -> Result<(), Error>;

    /// Says whether rows are added in the turn of their chunk, never before it.
    fn is_in_turn(&self) -> bool {
        false
    }

    /// Returns a piece of no rows.
    fn piece(&self) -> Self::Piece;

    /// Adds rows to a piece.
    fn add(&self, block: &Block<'_>, piece: &mut Self::Piece);

    /// Says whether a piece is full: its worker hands it over before the chunk ends.
    fn is_full(&self, piece: &Self::Piece) -> bool;

    /// Takes the rows of a piece, which has its turn.
    fn write(&self, piece: &mut Self::Piece) -> Result<(), Error>;

    /// Works on what pieces have left, while other workers have their turn.
    fn work(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A choice among the rows that pass the filter.
pub(crate) trait Choice: Send + Sync {
    /// Begins a part. Parts follow each other. Returns the columns that decide; an error if the part lacks one.
    fn begin(&self, part: &Part) -> Result<Vec<usize>, Error>;

    /// Returns the label of a row with the deciding columns, if the row is exported.
    fn choose(&self, row: &Row<'_>) -> Option<&'static str>;

    /// Returns the name of the column of labels, which stands first, if labels are exported.
    fn label_name(&self) -> Option<&'static str> {
        None
    }
}

/// The fold that hands rows to a target.
pub struct RowFold<T> {
    question: ExportQuestion,
    partners: Partners,
    target: T,
    /// Which rows are exported; none for all.
    choice: Option<Box<dyn Choice>>,
    /// The same for all parts.
    columns: OnceLock<ExportColumns>,
    /// The number of rows still to take, if there is a limit. Locked by the worker that has the turn.
    left: Mutex<Option<u64>>,
    /// The first failure of the output.
    failed: Mutex<Option<Error>>,
}

/// What a worker keeps: rows that wait for their turn, and counts.
#[derive(Debug)]
pub struct Partial<P> {
    piece: Option<P>,
    derived: DerivedValues,
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
    /// Rows with another number of columns than the schema's, of the inputs that were read whole.
    pub odd_rows: u64,
    /// Rows without a partner, of the inputs that were read whole.
    pub without_partner: Vec<WithoutPartner>,
}

impl Exported {
    /// Returns notes on values that could not be parsed, one for each column, and on rows without a partner, one
    /// for each joined file.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let unparsed = self.unparsed.iter().map(|&(ref name, count)| {
            let (values, are) = (
                counted(count, "value", "values"),
                one_or_many(count, "is", "are"),
            );
            format!("{values} of {name} could not be parsed, and {are} null")
        });
        unparsed.chain(self.without_partner.iter().map(notes::without_partner))
    }
}

impl<T: Target> RowFold<T> {
    fn with_target(question: ExportQuestion, target: T) -> RowFold<T> {
        RowFold {
            left: Mutex::new(question.head),
            choice: match &question.sample {
                None => None,
                Some(sample) => Some(Box::new(sample.choice())),
            },
            question,
            partners: Partners::default(),
            target,
            columns: OnceLock::new(),
            failed: Mutex::new(None),
        }
    }

    /// Returns a fold that also finds the columns of joined files.
    pub fn with_partners(self, partners: Partners) -> RowFold<T> {
        RowFold { partners, ..self }
    }

    pub(crate) fn choose(&mut self, choice: impl Choice + 'static) {
        self.choice = Some(Box::new(choice));
    }

    /// Adds the chosen rows of this range, up to the number that `wanted` returns.
    fn add_range(
        &self,
        rows: &Rows<'_>,
        range: Range<usize>,
        wanted: impl Fn(usize) -> usize,
        partial: &mut Partial<T::Piece>,
    ) {
        let Some(choice) = &self.choice else {
            let range = range.start..range.start + wanted(range.len());
            if range == (0..rows.len()) {
                self.add(rows, "", partial);
            } else {
                self.add(&rows.slice(range), "", partial);
            }
            return;
        };
        let exported = self.columns().located.len();
        let deciding = rows.with_columns(exported..);
        let chosen: Vec<_> = range
            .filter_map(|nth| Some((nth, choice.choose(&deciding.row(nth))?)))
            .collect();
        let chosen = &chosen[..wanted(chosen.len())];
        let rows = rows.with_columns(..exported);
        for run in chosen.chunk_by(|one, next| one.0 + 1 == next.0 && one.1 == next.1) {
            let (first, label) = run[0];
            self.add(&rows.slice(first..first + run.len()), label, partial);
        }
    }

    fn add(&self, rows: &Rows<'_>, label: &str, partial: &mut Partial<T::Piece>) {
        let columns = self.columns();
        partial.tally.odd_rows += rows.odd();
        let derived = &mut partial.derived;
        derived.derive(columns, &self.partners, rows, label, &mut partial.tally);
        let block = Block {
            rows,
            columns,
            derived,
        };
        let piece = partial.piece.get_or_insert_with(|| self.target.piece());
        self.target.add(&block, piece);
    }

    /// Hands over the rows of a worker that has the turn. Says whether more are wanted; none after a failure.
    fn hand_over(&self, partial: &mut Partial<T::Piece>) -> ControlFlow<()> {
        if let Some(piece) = &mut partial.piece
            && !self.has_failed()
        {
            self.keep_error(self.target.write(piece));
        }
        if self.has_failed() || self.has_all() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Returns how many of the next `rows` are wanted, and expects them.
    fn take(&self, rows: usize) -> usize {
        let Some(left) = &mut *lock(&self.left) else {
            return rows;
        };
        let taken = rows.min(usize::try_from(*left).unwrap_or(usize::MAX));
        *left -= taken as u64;
        taken
    }

    fn has_all(&self) -> bool {
        *lock(&self.left) == Some(0)
    }

    fn has_failed(&self) -> bool {
        lock(&self.failed).is_some()
    }

    /// Keeps an error of the output for `finish`: the input has not failed.
    fn keep_error(&self, written: Result<(), Error>) {
        if let Err(error) = written {
            lock(&self.failed).get_or_insert(error);
        }
    }

    fn check_output(&self) -> Result<(), Error> {
        lock(&self.failed).take().map_or(Ok(()), Err)
    }

    fn columns(&self) -> &ExportColumns {
        self.columns.get().expect("a part has begun")
    }
}

impl<T: Target> Fold for RowFold<T> {
    type Partial = Partial<T::Piece>;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let (keys, types) = (&self.question.columns, self.question.types);
        let mut columns =
            ExportColumns::bind(keys, self.target.types(types), schema, &self.partners)?;
        let mut located = columns.located.clone();
        if let Some(choice) = &self.choice {
            if let Some(name) = choice.label_name() {
                columns.insert_label(name)?;
            }
            located.extend(choice.begin(part)?);
        }
        let mut begun = Ok(());
        let known = self.columns.get_or_init(|| {
            begun = self.target.begin(schema, &columns, types);
            columns.clone()
        });
        begun?;
        known.check_read_like(&columns)?;
        Ok(Need::Rows(located))
    }

    fn partial(&self) -> Partial<T::Piece> {
        Partial {
            piece: None,
            derived: DerivedValues::default(),
            tally: Tally::default(),
        }
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial<T::Piece>) -> Result<(), Error> {
        self.add_range(rows, 0..rows.len(), |rows| rows, partial);
        Ok(())
    }

    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        partial: &mut Partial<T::Piece>,
        turn: &Turn<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let in_turn = self.question.head.is_some() || self.target.is_in_turn();
        let wanted = |rows| if in_turn { self.take(rows) } else { rows };
        let step = if self.columns().has_derived() {
            T::MADE_ROWS_MAX
        } else {
            ROWS_MAX
        };
        for start in (0..rows.len()).step_by(step) {
            let range = start..rows.len().min(start + step);
            if in_turn && turn().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.add_range(rows, range, wanted, partial);
            let is_full = partial
                .piece
                .as_ref()
                .is_some_and(|piece| self.target.is_full(piece));
            if is_full || in_turn && self.has_all() {
                let go = match turn() {
                    ControlFlow::Continue(()) => self.hand_over(partial),
                    ControlFlow::Break(()) => ControlFlow::Break(()),
                };
                if go.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                // The turn keeps other pieces out until this work is done.
                self.after_chunk()?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn merge(&self, into: &mut Partial<T::Piece>, from: Partial<T::Piece>) {
        into.tally.merge(from.tally);
    }

    fn order(&self) -> Order {
        match self.question.head {
            None => Order::Input,
            Some(_) => Order::Beginning,
        }
    }

    fn end_chunk(
        &self,
        _: &ChunkPlace<'_>,
        partial: &mut Partial<T::Piece>,
    ) -> Result<ControlFlow<()>, Error> {
        Ok(self.hand_over(partial))
    }

    fn after_chunk(&self) -> Result<(), Error> {
        self.keep_error(self.target.work());
        Ok(())
    }
}
