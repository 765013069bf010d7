//! The export: rows in another format, in the order of the input.
//!
//! An [`ExportQuestion`] says which columns to export, or a statement of SQL ends with a [`RowSelect`], and [`Writing`] says how. A [`RowFold`] has every worker add the rows of its
//! chunk to a piece of its own, and hands over one piece after the other to its sink. A worker with a large piece waits for its
//! turn before its chunk ends, so memory does not depend on the rows. Pieces are encoded text, or cells by column.
//!
//! A failed write ends the run. `finish` returns the error.

mod changes;
mod limit;
mod question;
mod sink;

use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, OnceLock};

pub use self::changes::{Changes, OldRows};
use self::limit::Limit;
pub use self::question::ExportQuestion;
pub use self::sink::Writing;
use self::sink::{Out, Piece, Sink};
use crate::error::{Error, ErrorKind};
use crate::fec::by_schema::BySchema;
use crate::fec::schema::Schema;
use crate::fold::{ChunkPlace, Fold, Matches, Order, Turn};
use crate::input::Part;
use crate::render::encode::Block;
use crate::render::{counted, notes, one_or_many};
use crate::scan::{Need, Rows};
use crate::sql::RowSelect;
use crate::sql::Type;
pub use crate::sql::projection::{
    ColumnKind, ExportColumn, ExportColumns, SelectList, Source, Types,
};
use crate::sql::projection::{DerivedValues, JoinedBlock, Tally, ValueForm};
use crate::workers::{Workers, lock, unlocked};

/// Returns which of so many further rows a limit takes.
type Wanted<'w> = dyn Fn(usize) -> Range<usize> + 'w;

/// A choice among the rows that pass the filter.
pub(crate) trait Choice: Send + Sync {
    /// Begins a part. Parts follow each other. Returns the columns that decide; an error if the part lacks one.
    fn begin(&self, part: &Part) -> Result<Vec<usize>, Error>;

    /// Returns the rows of a range that are exported, each with its label. `rows` have the deciding columns.
    ///
    /// # Errors
    /// If the value of a row that decides can't be known.
    fn choose(
        &self,
        rows: &Rows<'_>,
        range: Range<usize>,
    ) -> Result<Vec<(usize, &'static str)>, Error>;

    /// Returns the name of the column of labels, which stands first, if labels are exported.
    fn label_name(&self) -> Option<&'static str> {
        None
    }
}

/// The fold that writes rows.
///
/// A file of columns parses the columns of the rows itself, each in one go. With [`Types::Raw`] all its values are texts, and none is null.
pub struct RowFold<'w> {
    question: ExportQuestion,
    /// The statement that says what the columns are, instead of the question.
    select: Option<RowSelect>,
    /// The kind of the columns of a statement that are read as a type.
    kind: fn(Type) -> ColumnKind,
    writing: Writing,
    /// Which rows are exported; none for all.
    choice: Option<Box<dyn Choice>>,
    /// Taken by the sink as soon as the columns are known.
    out: Mutex<Option<Out<'w>>>,
    /// The columns of each schema.
    bound: BySchema<Arc<ExportColumns>>,
    /// The columns, the same for all parts, and the output that the first part has begun.
    begun: OnceLock<(Arc<ExportColumns>, Sink<'w>)>,
    /// The most rows that are added to a piece at a time.
    rows_max: OnceLock<usize>,
    /// The rows still to leave out and to take, if there is a limit. Locked by the worker that has the turn.
    limit: Mutex<Limit>,
    /// The first failure of the output, or of a row without a value.
    failed: Mutex<Option<Error>>,
}

/// What a worker keeps: rows that wait for their turn, and counts.
#[derive(Debug, Default)]
pub struct Partial {
    piece: Piece,
    joined: JoinedBlock,
    derived: DerivedValues,
    tally: Tally,
    /// The error of a row without a value, behind the rows of the piece.
    fault: Option<Error>,
}

/// What a finished export has written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exported {
    /// The number of rows.
    pub rows: u64,
    /// The columns with values that could not be parsed, their types, and how many: of all rows for columns as they stand in a columnar
    /// format, and of the inputs that were read whole otherwise.
    pub unparsed: Vec<(String, Type, u64)>,
    /// Rows with another number of columns than the schema's, of the inputs that were read whole.
    pub odd_rows: u64,
    /// What became of rows in joins, where some have several matches or none.
    pub matches: Vec<Matches>,
}

impl Exported {
    /// Returns notes on values that could not be parsed, one for each column, and on rows that have several matches in a joined table or none.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let unparsed = self.unparsed.iter().map(|&(ref name, _, count)| {
            let (values, are) = (
                counted(count, "value", "values"),
                one_or_many(count, "is", "are"),
            );
            format!("{values} of {name} could not be parsed, and {are} null")
        });
        unparsed.chain(self.matches.iter().flat_map(notes::matches))
    }
}

impl<'w> RowFold<'w> {
    /// Returns a fold that writes the rows to `out`, in a format of rows or as `writing` says.
    pub fn new(
        question: ExportQuestion,
        writing: impl Into<Writing>,
        out: impl Write + Send + 'w,
    ) -> RowFold<'w> {
        let limit = Limit {
            skipped: 0,
            taken: question.head,
        };
        RowFold {
            limit: Mutex::new(limit),
            select: None,
            kind: ColumnKind::Column,
            bound: BySchema::default(),
            choice: None,
            question,
            writing: writing.into(),
            out: Mutex::new(Some(Box::new(out))),
            begun: OnceLock::new(),
            rows_max: OnceLock::new(),
            failed: Mutex::new(None),
        }
    }

    /// Returns a fold that writes the rows of a statement.
    pub fn of_statement(
        select: RowSelect,
        writing: impl Into<Writing>,
        out: impl Write + Send + 'w,
    ) -> RowFold<'w> {
        let question = ExportQuestion {
            types: Types::Typed,
            ..ExportQuestion::default()
        };
        let mut fold = RowFold::new(question, writing, out);
        fold.limit = Mutex::new(Limit {
            skipped: select.offset(),
            taken: select.limit(),
        });
        fold.kind = ColumnKind::Made;
        fold.selecting(Some(select))
    }

    /// Returns a fold that writes the rows of a select, if there is one. The question tells all but the columns.
    #[must_use]
    pub fn selecting(self, select: Option<RowSelect>) -> RowFold<'w> {
        RowFold { select, ..self }
    }

    /// Ends the output, after a run with the result `partial`. Without an input whose schema is known there is no output, and
    /// nothing is written.
    pub fn finish(self, partial: Partial, workers: &Workers) -> Result<Exported, Error> {
        // Rows behind a limit were not all read, so nothing is known of their matches.
        let has_all = self.has_all();
        if let Some(error) = unlocked(self.failed) {
            return Err(error);
        }
        let tally = partial.tally;
        let select = self.select.iter().filter(|_| !has_all);
        let matches = select.flat_map(RowSelect::take_matches).collect();
        let (rows, unparsed) = match self.begun.into_inner() {
            Some((columns, sink)) => {
                let (rows, unreadable) = sink.finish(workers)?;
                (rows, columns.unparsed(&tally, &unreadable))
            }
            None => (0, Vec::new()),
        };
        Ok(Exported {
            rows,
            unparsed,
            odd_rows: tally.odd_rows,
            matches,
        })
    }

    /// Finds the columns for rows of a schema.
    fn bind(&self, schema: Schema) -> Result<Arc<ExportColumns>, Error> {
        let form = if self.writing.format.is_binary() {
            ValueForm::Binary
        } else {
            ValueForm::Text
        };
        let mut columns = match &self.select {
            Some(select) => select.columns(schema, form, self.question.types, self.kind)?,
            None => {
                let (list, types) = (&self.question.columns, self.question.types);
                ExportColumns::bind(list, types, form, schema)?
            }
        };
        if let Some(name) = self.choice.as_ref().and_then(|choice| choice.label_name()) {
            columns.insert_label(name)?;
        }
        Ok(Arc::new(columns))
    }

    pub(crate) fn choose(&mut self, choice: impl Choice + 'static) {
        self.choice = Some(Box::new(choice));
    }

    /// Adds the chosen rows of this range, of which `wanted` returns those that the limit takes.
    fn add_range(
        &self,
        rows: &Rows<'_>,
        range: Range<usize>,
        wanted: impl Fn(usize) -> Range<usize>,
        partial: &mut Partial,
    ) {
        // Of joined rows, a limit takes those that they make.
        let (before, after) = if self.begun().0.has_joins() {
            (None, Some(&wanted as &Wanted<'_>))
        } else {
            (Some(&wanted as &Wanted<'_>), None)
        };
        let wanted = |rows| before.map_or(0..rows, |wanted| wanted(rows));
        let Some(choice) = &self.choice else {
            let wanted = wanted(range.len());
            let range = range.start + wanted.start..range.start + wanted.end;
            if range == (0..rows.len()) {
                self.add(rows, "", after, partial);
            } else if !range.is_empty() {
                self.add(&rows.slice(range), "", after, partial);
            }
            return;
        };
        let exported = self.begun().0.located.len();
        let chosen = match choice.choose(&rows.with_columns(exported..), range) {
            Ok(chosen) => chosen,
            Err(fault) => {
                partial.fault.get_or_insert(fault);
                return;
            }
        };
        let chosen = &chosen[wanted(chosen.len())];
        let rows = rows.with_columns(..exported);
        for run in chosen.chunk_by(|one, next| one.0 + 1 == next.0 && one.1 == next.1) {
            let (first, label) = run[0];
            let rows = rows.slice(first..first + run.len());
            self.add(&rows, label, after, partial);
        }
    }

    /// Adds rows to the piece. After a row without a value, none are added.
    fn add(
        &self,
        rows: &Rows<'_>,
        label: &'static str,
        wanted: Option<&Wanted<'_>>,
        partial: &mut Partial,
    ) {
        if partial.fault.is_some() {
            return;
        }
        let (columns, sink) = self.begun();
        let Partial {
            piece,
            joined,
            derived,
            tally,
            ..
        } = partial;
        tally.odd_rows += rows.odd();
        let Some(wanted) = wanted else {
            match derived.derive(columns, rows, None, label, tally) {
                Ok(()) => sink.add(
                    &Block {
                        rows,
                        columns,
                        derived,
                    },
                    piece,
                ),
                Err(fault) => partial.fault = Some(fault),
            }
            return;
        };
        let most = lock(&self.limit).most();
        let fault = joined.join(columns, rows, most, tally).err();
        joined.keep(wanted(joined.len()));
        let (rows, beside) = joined.rows_of(rows);
        if let Err(fault) = derived.derive(columns, &rows, Some(beside), label, tally) {
            partial.fault = Some(fault);
            return;
        }
        let rows = &rows;
        sink.add(
            &Block {
                rows,
                columns,
                derived,
            },
            piece,
        );
        // Nobody asks for the rows behind a limit.
        partial.fault = fault.filter(|_| !self.has_all());
    }

    /// Hands over the rows of a worker that has the turn. Says whether more are wanted; none after a failure.
    fn hand_over(&self, partial: &mut Partial) -> ControlFlow<()> {
        if !self.has_failed() {
            self.keep_error(self.begun().1.write(&mut partial.piece));
        }
        self.keep_error(partial.fault.take().map_or(Ok(()), Err));
        if self.has_failed() || self.has_all() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Says whether rows are counted in their order, because not all are wanted.
    fn is_limited(&self) -> bool {
        let limit = lock(&self.limit);
        limit.skipped > 0 || limit.taken.is_some()
    }

    fn has_all(&self) -> bool {
        lock(&self.limit).taken == Some(0)
    }

    fn has_failed(&self) -> bool {
        lock(&self.failed).is_some()
    }

    /// Keeps an error of the output or of a row for `finish`: the input has not failed.
    fn keep_error(&self, written: Result<(), Error>) {
        if let Err(error) = written {
            lock(&self.failed).get_or_insert(error);
        }
    }

    fn begun(&self) -> &(Arc<ExportColumns>, Sink<'w>) {
        self.begun.get().expect("a part has begun")
    }
}

impl Fold for RowFold<'_> {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let columns = self.bound.get_or_make(schema, || self.bind(schema))?;
        let mut located = columns.located.clone();
        if let Some(choice) = &self.choice {
            located.extend(choice.begin(part)?);
        }
        let (known, _) = match self.begun.get() {
            Some(begun) => begun,
            None => {
                let out = lock(&self.out).take();
                let unwritten = || Error::new(ErrorKind::Output, "the output could not be begun");
                let out = out.ok_or_else(unwritten)?;
                // A statement says nothing of schemas, as it may join files of several.
                let schema = self.select.is_none().then_some(schema);
                let types = self.question.types;
                let sink = Sink::begin(&self.writing, schema, &columns, types, out)?;
                self.begun.get_or_init(|| (columns.clone(), sink))
            }
        };
        known.check_one_table(&columns)?;
        Ok(Need::Rows(located))
    }

    fn partial(&self) -> Partial {
        Partial::default()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        self.add_range(rows, 0..rows.len(), |rows| 0..rows, partial);
        Ok(())
    }

    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        partial: &mut Partial,
        turn: &Turn<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let (columns, sink) = self.begun();
        let rows_max = || sink.rows_max(columns, columns.longest_joined());
        let in_turn = self.is_limited() || sink.is_in_turn();
        let wanted = |rows| {
            if in_turn {
                lock(&self.limit).take(rows)
            } else {
                0..rows
            }
        };
        let step = *self.rows_max.get_or_init(rows_max);
        for start in (0..rows.len()).step_by(step) {
            let range = start..rows.len().min(start + step);
            if in_turn && turn().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.add_range(rows, range, wanted, partial);
            let ends = partial.fault.is_some() || in_turn && self.has_all();
            if ends || sink.is_full(&partial.piece) {
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
        if lock(&self.limit).taken.is_some() {
            Order::Beginning
        } else {
            Order::Input
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
