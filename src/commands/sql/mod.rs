//! `fecscan sql STATEMENT [FILE]...`: a statement of SQL. Each table that it names is a session of its own.

mod merged;
mod partials;
mod tables;

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use self::tables::{bytes_of, read_whole_but, table_in_parts, table_inputs};
use super::export::{self, refuse_pipes};
use super::options::OfFormats;
use super::progress::Stats;
use super::schemas::SchemaPolicy;
use super::session::{Inputs, Session};
use super::{Outcome, messages, options, outputs, usage};
use crate::cli::{Common, CompressionOption, LookOptions, SqlArgs};
use crate::error::{Error, ErrorKind, escaped};
use crate::export::RowFold;
use crate::fec::schema::CONTRIBUTION_TYPES;
use crate::fold::{Fold, Folded, LineCount};
use crate::output::Output;
use crate::render::columnar::write_results;
use crate::render::{Format, ResultKind, notes, result_notes};
use crate::sql::{BoundStatement, Filter, ResultRows, RunFold, Statement};
use crate::workers::Workers;

pub(crate) fn run(args: SqlArgs) -> Result<Outcome, Error> {
    refuse_options(&args.common)?;
    let partial = args.partial.partial.as_deref();
    let output_path = args.common.output.path.as_deref();
    let look = LookOptions {
        color: args.color,
        title: None,
    };
    let of_formats = OfFormats::new(&look, args.compression, partial);
    let format = options::format(args.format, output_path, ResultKind::Statement, of_formats)?;
    let statement = Statement::parse(&text(&args.statement)?)?;
    let tables = statement.tables()?;
    if tables.is_empty() {
        // The error says that there is no FROM.
        statement.bind(&[])?;
    }
    let mut inputs = table_inputs(&args.common, &tables)?;
    let in_parts = table_in_parts(&args.common, &inputs);
    read_whole_but(in_parts, &mut inputs, partial);
    let of_table = partial.map(|path| (path, in_parts));
    let (sessions, output) = sessions(&inputs, of_table, partial.or(output_path))?;
    let schemas: Option<Vec<_>> = sessions.iter().map(|session| session.schema).collect();
    let Some(schemas) = schemas else {
        // Reading the inputs says why none can be opened.
        let unreadable = sessions.iter().filter(|session| session.schema.is_none());
        unreadable.for_each(|session| drop(session.fold(&LineCount)));
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    if partial.is_some() {
        return partials::write(&statement, &schemas, in_parts, sessions, output);
    }
    let sizes = sessions.iter().map(|session| bytes_of(&session.paths));
    let files: Vec<_> = schemas.into_iter().zip(sizes).collect();
    let bound = statement.bind(&files)?;
    for (table, session) in sessions.iter().enumerate() {
        session.note_ordered_texts(&bound.ordered_texts(table));
    }
    let ran = Ran::new(sessions, &bound)?;
    if bound.selects_rows() && streams(format) {
        ran.write_rows(&bound, format, args.compression, output)?;
        let outcome = ran.outcome();
        ran.print_notes();
        return Ok(outcome);
    }
    let result = bound.run(&ran)?;
    let outcome = ran.outcome();
    let output = outputs::if_whole(output, outcome);
    if let (Some(result), Some(output)) = (result, output) {
        let sessions = ran.sessions.iter().map(RefCell::borrow);
        let paths: Vec<_> = sessions
            .flat_map(|session| session.0.paths().to_vec())
            .collect();
        let written = Written {
            paths: &paths,
            format,
            compression: args.compression,
            look: &look,
        };
        let session = ran.sessions[0].borrow();
        written.write(&result, session.0.engine.workers(), output)?;
    }
    ran.print_notes();
    Ok(outcome)
}

/// Returns a session for each table, and the output: that of the result at a path, or of a partial of the table with a number.
fn sessions<'a>(
    inputs: &'a [Common],
    partial: Option<(&Path, usize)>,
    path: Option<&Path>,
) -> Result<(Vec<Session<'a>>, Output), Error> {
    let (mut sessions, mut output) = (Vec::new(), None);
    for (nth, common) in inputs.iter().enumerate() {
        outputs::refuse_input(&common.files, path)?;
        let of_table = partial.filter(|(_, table)| *table == nth);
        let of_table = of_table.map(|(path, _)| path);
        let (session, opened) = Session::new(common, SchemaPolicy::SameColumns, of_table)?;
        if of_table.is_some() || partial.is_none() && output.is_none() {
            output = Some(opened);
        }
        sessions.push(session);
    }
    Ok((sessions, output.expect("there is a table")))
}

/// How the rows of a statement are written.
pub(super) struct Written<'a> {
    /// The files of all tables.
    pub(super) paths: &'a [OsString],
    pub(super) format: Format,
    pub(super) compression: CompressionOption,
    pub(super) look: &'a LookOptions,
}

impl Written<'_> {
    /// Writes rows, and prints the notes on them.
    pub(super) fn write(
        &self,
        result: &ResultRows,
        workers: &Workers,
        mut output: Output,
    ) -> Result<(), Error> {
        if self.format.writes_answers() {
            outputs::print(result, self.format, self.look, output)?;
        } else {
            // A format that only columns have.
            let metadata = outputs::metadata(self.paths);
            let compression = self.compression.compression.unwrap_or_default();
            let written = write_results(
                result,
                self.format,
                compression,
                metadata,
                &mut output,
                workers,
            );
            outputs::ignore_broken_pipe(written.and_then(|()| output.finish()))?;
        }
        let notes = result_notes(&result.unread, &result.matches);
        notes.iter().for_each(messages::note);
        Ok(())
    }
}

/// Says whether rows are written as they come. Text for people is aligned by many rows, and a sheet holds a million.
fn streams(format: Format) -> bool {
    !matches!(format, Format::Text | Format::Markdown | Format::Xlsx)
}

/// Returns the statement: as typed, or from the file behind an `@`.
fn text(typed: &str) -> Result<String, Error> {
    if Path::new(typed).is_file() {
        let file = escaped(typed.as_bytes());
        let what = format!("no STATEMENT is named, and '{file}' is a file");
        let advice =
            format!("write \"SELECT count(*) FROM '{file}'\", or @FILE for a statement in a file");
        return Err(usage(what, advice));
    }
    match typed.strip_prefix('@') {
        Some(path) => fs::read_to_string(path)
            .map(|text| text.trim_start_matches('\u{feff}').to_owned())
            .map_err(|error| Error::io(ErrorKind::Input, "", error).about(path)),
        None => Ok(typed.to_owned()),
    }
}

/// Refuses what other commands have options for, and a statement has words.
fn refuse_options(common: &Common) -> Result<(), Error> {
    let types = CONTRIBUTION_TYPES.map(|of| format!("'{of}'")).join(", ");
    let contributions = format!("write WHERE TRANSACTION_TP IN ({types}) in the statement");
    let given = [
        (
            "--where",
            !common.conditions.is_empty(),
            "write WHERE in the statement",
        ),
        ("--contributions", common.contributions, &contributions),
        (
            "--with",
            !common.with.is_empty(),
            "write JOIN in the statement",
        ),
        ("--on", !common.on.is_empty(), "write JOIN in the statement"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, advice)) => Err(usage(
            format!("sql takes no {option}"),
            (*advice).to_owned(),
        )),
        None => Ok(()),
    }
}

/// Folds the files of the tables, and collects the notes on them.
struct Ran<'a> {
    /// For each table its session, and whether it was read.
    sessions: Vec<RefCell<(Session<'a>, bool)>>,
    has_failed: Cell<bool>,
    stats: RefCell<Vec<Stats>>,
    odd_rows: RefCell<Vec<String>>,
}

impl<'a> Ran<'a> {
    /// Prepares a session for each table of a statement. The statement may read a table twice.
    fn new(mut sessions: Vec<Session<'a>>, bound: &BoundStatement) -> Result<Ran<'a>, Error> {
        let are_several = sessions.len() > 1;
        for (nth, session) in sessions.iter_mut().enumerate() {
            session.is_one_of_several = are_several;
            if bound.passes(nth) > 1 {
                refuse_pipes(&session.paths, "the statement reads it twice")?;
                session.keep_files();
            }
        }
        let sessions = sessions.into_iter();
        Ok(Ran {
            sessions: sessions
                .map(|session| RefCell::new((session, false)))
                .collect(),
            has_failed: Cell::new(false),
            stats: RefCell::default(),
            odd_rows: RefCell::default(),
        })
    }

    /// Writes rows of files as they come.
    fn write_rows(
        &self,
        bound: &BoundStatement,
        format: Format,
        compression: CompressionOption,
        output: Output,
    ) -> Result<(), Error> {
        let Some((select, table, filter)) = bound.rows(self)? else {
            outputs::if_whole(output, self.outcome());
            return Ok(());
        };
        let sessions = self.sessions.iter().map(RefCell::borrow);
        let paths: Vec<_> = sessions
            .flat_map(|session| session.0.paths().to_vec())
            .collect();
        let metadata = outputs::metadata(&paths);
        let (mut writing, mut output) = {
            let session = &mut self.sessions[table].borrow_mut().0;
            export::writing(session, format, output)
        };
        writing.metadata = metadata;
        writing.compression = compression.compression.unwrap_or_default();
        let fold = RowFold::of_statement(select, writing, &mut output);
        let folded = self.fold(table, filter, &fold);
        let partial = folded.map_or_else(|| fold.partial(), |folded| folded.partial);
        let session = self.sessions[table].borrow();
        let exported = fold.finish(partial, session.0.engine.workers());
        let written = exported.and_then(|exported| {
            let notes = result_notes(&exported.unparsed, &exported.matches);
            notes.iter().for_each(messages::note);
            outputs::if_whole(output, self.outcome()).map_or(Ok(()), Output::finish)
        });
        outputs::ignore_broken_pipe(written)
    }

    /// Prints the notes on the files.
    fn print_notes(self) {
        self.odd_rows.into_inner().iter().for_each(messages::note);
        self.stats.into_inner().iter().for_each(messages::print);
    }

    fn outcome(&self) -> Outcome {
        if self.has_failed.get() {
            Outcome::Failed
        } else {
            Outcome::Done
        }
    }
}

impl RunFold for Ran<'_> {
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let session = self.sessions[0].borrow();
        session.0.engine.workers().install(work)
    }

    fn fold<F: Fold>(&self, table: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        if self.has_failed.get() {
            return None;
        }
        let (session, was_read) = &mut *self.sessions[table].borrow_mut();
        session.set_filter(filter);
        let Inputs {
            outcome,
            result,
            stats,
            ..
        } = session.fold(fold);
        if outcome == Outcome::Failed || result.is_none() {
            self.has_failed.set(true);
        }
        self.stats.borrow_mut().extend(stats);
        // The first pass has told all notes.
        if !*was_read {
            let odd_rows = result.as_ref();
            let odd_rows = odd_rows.and_then(|all| notes::odd_rows(all.odd_rows, all.lines, ""));
            self.odd_rows.borrow_mut().extend(odd_rows);
        }
        session.is_quiet = true;
        *was_read = true;
        result
    }
}
