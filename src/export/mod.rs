//! The export: rows in another format, in the order of the input.
//!
//! An [`ExportQuestion`] says which columns to export, and [`Writing`] how. A [`RowFold`] has every worker add the rows of its
//! chunk to a piece of its own, and hands over one piece after the other to its sink. A worker with a large piece waits for its
//! turn before its chunk ends, so memory does not depend on the rows. Pieces are encoded text, or cells by column.
//!
//! A failed write ends the run. `finish` returns the error.

mod changes;
mod question;
mod sample;
mod sink;

use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, OnceLock};

pub use self::changes::{Changes, OldRows};
pub use self::question::ExportQuestion;
pub use self::sample::{LeastRows, Sample, SampleFold};
pub use self::sink::Writing;
use self::sink::{Out, Piece, Sink};
use crate::error::{Error, ErrorKind};
use crate::fold::{ChunkPlace, Fold, Order, Turn};
use crate::input::Part;
use crate::join::{Partners, WithoutPartner};
use crate::render::encode::Block;
use crate::render::{counted, notes, one_or_many};
use crate::scan::{Need, Row, Rows};
pub use crate::select::{ColumnKind, ExportColumn, ExportColumns, Source, Types};
use crate::select::{DerivedValues, Tally};
use crate::workers::{Workers, lock, unlocked};

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

/// The fold that writes rows.
///
/// A file of columns parses its values itself, each column in one go. With [`Types::Raw`] all its values are texts, and none is null.
pub struct RowFold<'w> {
    question: ExportQuestion,
    writing: Writing,
    partners: Partners,
    /// Which rows are exported; none for all.
    choice: Option<Box<dyn Choice>>,
    /// Taken by the sink as soon as the columns are known.
    out: Mutex<Option<Out<'w>>>,
    /// The columns, the same for all parts, and the output that the first part has begun.
    begun: OnceLock<(ExportColumns, Sink<'w>)>,
    /// The most rows that are added to a piece at a time.
    rows_max: OnceLock<usize>,
    /// The number of rows still to take, if there is a limit. Locked by the worker that has the turn.
    left: Mutex<Option<u64>>,
    /// The first failure of the output.
    failed: Mutex<Option<Error>>,
}

/// What a worker keeps: rows that wait for their turn, and counts.
#[derive(Debug, Default)]
pub struct Partial {
    piece: Piece,
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

impl<'w> RowFold<'w> {
    /// Returns a fold that writes the rows to `out`, in a format of rows or as `writing` says.
    pub fn new(
        question: ExportQuestion,
        writing: impl Into<Writing>,
        out: impl Write + Send + 'w,
    ) -> RowFold<'w> {
        RowFold {
            left: Mutex::new(question.head),
            choice: match &question.sample {
                None => None,
                Some(sample) => Some(Box::new(sample.choice())),
            },
            question,
            writing: writing.into(),
            partners: Partners::default(),
            out: Mutex::new(Some(Box::new(out))),
            begun: OnceLock::new(),
            rows_max: OnceLock::new(),
            failed: Mutex::new(None),
        }
    }

    /// Returns a fold that also finds the columns of joined files.
    pub fn with_partners(self, partners: Partners) -> RowFold<'w> {
        RowFold { partners, ..self }
    }

    /// Ends the output, after a run with the result `partial`. Without an input whose schema is known there is no output, and
    /// nothing is written.
    pub fn finish(self, partial: Partial, workers: &Workers) -> Result<Exported, Error> {
        if let Some(error) = unlocked(self.failed) {
            return Err(error);
        }
        let tally = partial.tally;
        let (rows, unparsed) = match self.begun.into_inner() {
            Some((columns, sink)) => sink.finish(columns, &tally.unparsed, workers)?,
            None => (0, Vec::new()),
        };
        Ok(Exported {
            rows,
            unparsed,
            odd_rows: tally.odd_rows,
            without_partner: tally.without_partner(&self.partners),
        })
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
        partial: &mut Partial,
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
        let exported = self.begun().0.located.len();
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

    fn add(&self, rows: &Rows<'_>, label: &str, partial: &mut Partial) {
        let (columns, sink) = self.begun();
        partial.tally.odd_rows += rows.odd();
        let derived = &mut partial.derived;
        derived.derive(columns, &self.partners, rows, label, &mut partial.tally);
        let block = Block {
            rows,
            columns,
            derived,
        };
        sink.add(&block, &mut partial.piece);
    }

    /// Hands over the rows of a worker that has the turn. Says whether more are wanted; none after a failure.
    fn hand_over(&self, partial: &mut Partial) -> ControlFlow<()> {
        if !self.has_failed() {
            self.keep_error(self.begun().1.write(&mut partial.piece));
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

    fn begun(&self) -> &(ExportColumns, Sink<'w>) {
        self.begun.get().expect("a part has begun")
    }
}

impl Fold for RowFold<'_> {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let (keys, types) = (&self.question.columns, self.question.types);
        // The writer of columns parses values.
        let bound = if self.writing.format.is_binary() {
            Types::Raw
        } else {
            types
        };
        let mut columns = ExportColumns::bind(keys, bound, schema, &self.partners)?;
        let mut located = columns.located.clone();
        if let Some(choice) = &self.choice {
            if let Some(name) = choice.label_name() {
                columns.insert_label(name)?;
            }
            located.extend(choice.begin(part)?);
        }
        let (known, _) = match self.begun.get() {
            Some(begun) => begun,
            None => {
                let out = lock(&self.out).take();
                let unwritten = || Error::new(ErrorKind::Output, "the output could not be begun");
                let out = out.ok_or_else(unwritten)?;
                let sink = Sink::begin(&self.writing, schema, &columns, types, out)?;
                self.begun.get_or_init(|| (columns.clone(), sink))
            }
        };
        known.check_read_like(&columns)?;
        Ok(Need::Rows(located))
    }

    fn partial(&self) -> Partial {
        Partial::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        self.add_range(rows, 0..rows.len(), |rows| rows, partial);
        Ok(())
    }

    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        partial: &mut Partial,
        turn: &Turn<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let (columns, sink) = self.begun();
        let rows_max = || sink.rows_max(columns, columns.longest_joined(&self.partners));
        let in_turn = self.question.head.is_some() || sink.is_in_turn();
        let wanted = |rows| if in_turn { self.take(rows) } else { rows };
        let step = *self.rows_max.get_or_init(rows_max);
        for start in (0..rows.len()).step_by(step) {
            let range = start..rows.len().min(start + step);
            if in_turn && turn().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.add_range(rows, range, wanted, partial);
            if sink.is_full(&partial.piece) || in_turn && self.has_all() {
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

    fn merge(&self, into: &mut Partial, from: Partial) {
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
        partial: &mut Partial,
    ) -> Result<ControlFlow<()>, Error> {
        Ok(self.hand_over(partial))
    }

    fn after_chunk(&self) -> Result<(), Error> {
        self.keep_error(self.begun().1.work());
        Ok(())
    }
}
