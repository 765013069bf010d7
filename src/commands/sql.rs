//! `fecscan sql STATEMENT [FILE]...`: a statement of SQL. Each table that it names is a session of its own.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::export::refuse_pipes;
use super::options::OfFormats;
use super::progress::Stats;
use super::schemas::SchemaPolicy;
use super::session::{Inputs, Session};
use super::{Outcome, messages, options, outputs, usage};
use crate::cli::{Common, CompressionOption, LookOptions, SqlArgs};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded, LineCount};
use crate::input::file_bytes;
use crate::output::Output;
use crate::render::columnar::write_results;
use crate::render::{Format, ResultKind, notes, result_notes};
use crate::sql::{Filter, ResultRows, RunFold, Statement, TableName};

pub(crate) fn run(args: SqlArgs) -> Result<Outcome, Error> {
    refuse_options(&args.common)?;
    let path = args.common.output.path.as_deref();
    let look = LookOptions {
        color: args.color,
        title: None,
    };
    let of_formats = OfFormats::new(&look, args.compression, None);
    let format = options::format(args.format, path, ResultKind::Statement, of_formats)?;
    let statement = Statement::parse(&text(&args.statement)?)?;
    let tables = statement.tables()?;
    if tables.is_empty() {
        // The error says that there is no FROM.
        statement.bind(&[])?;
    }
    let inputs = table_inputs(&args.common, &tables)?;
    let mut output = None;
    let mut sessions = Vec::new();
    for (nth, common) in inputs.iter().enumerate() {
        if nth > 0 {
            outputs::refuse_input(&common.files, path)?;
        }
        let (session, opened) = Session::new(common, SchemaPolicy::SameColumns, None)?;
        output = output.or(Some(opened));
        sessions.push(session);
    }
    let output = output.expect("there is a table");
    let schemas: Option<Vec<_>> = sessions.iter().map(|session| session.schema).collect();
    let Some(schemas) = schemas else {
        // Reading the inputs says why none can be opened.
        let unreadable = sessions.iter().filter(|session| session.schema.is_none());
        unreadable.for_each(|session| drop(session.fold(&LineCount)));
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    let sizes = sessions.iter().map(|session| bytes_of(&session.paths));
    let files: Vec<_> = schemas.into_iter().zip(sizes).collect();
    let bound = statement.bind(&files)?;
    for (nth, session) in sessions.iter_mut().enumerate() {
        if bound.passes(nth) > 1 {
            refuse_pipes(&session.paths, "the statement reads it twice")?;
            session.keep_files();
        }
    }
    let ran = Ran::new(sessions);
    let result = bound.run(&ran)?;
    let outcome = ran.outcome();
    let output = outputs::if_whole(output, outcome);
    if let (Some(result), Some(output)) = (result, output) {
        if format.writes_answers() {
            outputs::print(&result, format, &look, output)?;
        } else {
            ran.write_columns(&result, format, args.compression, output)?;
        }
        result_notes(&result).iter().for_each(messages::note);
    }
    let Ran {
        odd_rows, stats, ..
    } = ran;
    odd_rows.into_inner().iter().for_each(messages::note);
    stats.into_inner().iter().for_each(messages::print);
    Ok(outcome)
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

/// Returns the options of each table, with its files: the one that the statement names, or those behind it of its schema.
fn table_inputs(common: &Common, tables: &[TableName<'_>]) -> Result<Vec<Common>, Error> {
    let with = |files: Vec<OsString>, schema: Option<Schema>| {
        let mut of_table = common.clone();
        of_table.files = files;
        of_table.schema = schema;
        of_table
    };
    let schemas = tables.iter().filter_map(|table| match table {
        TableName::Schema(schema) => Some(*schema),
        TableName::Path(_) => None,
    });
    let schemas: Vec<_> = schemas.collect();
    if schemas.is_empty() && !common.files.is_empty() {
        let what = "FROM names a file, and others stand behind the statement";
        return Err(usage(what, "name files in one of both places"));
    }
    if let [schema] = schemas[..] {
        check_schema(common, schema)?;
    }
    let files = |schema: Schema| -> Result<Vec<OsString>, Error> {
        if schemas.len() == 1 {
            return Ok(common.files.clone());
        }
        let mut files = Vec::new();
        for path in &common.files {
            if is_of(common, path, schema, &schemas)? {
                files.push(path.clone());
            }
        }
        let name = schema.name();
        let no_file = || {
            let what = format!("FROM names {name}, and no file behind the statement is one");
            usage(what, format!("name it, or write FROM '{name}.txt'"))
        };
        Some(files)
            .filter(|files| !files.is_empty())
            .ok_or_else(no_file)
    };
    let inputs = tables.iter().map(|table| match table {
        TableName::Path(path) => Ok(with(vec![path.into()], common.schema)),
        TableName::Schema(schema) => Ok(with(files(*schema)?, Some(*schema))),
    });
    let inputs = inputs.collect::<Result<Vec<Common>, Error>>()?;
    let all: Vec<_> = inputs.iter().flat_map(|of| of.files.clone()).collect();
    outputs::refuse_second_reading(&all)?;
    Ok(inputs)
}

/// Returns the bytes of files. Pipes may have any number of them.
fn bytes_of(paths: &[OsString]) -> u64 {
    let bytes = paths
        .iter()
        .map(|path| file_bytes(path).unwrap_or(u64::MAX / 2));
    bytes.fold(0, u64::saturating_add)
}

/// Says whether a file is one of a schema of several that FROM names.
fn is_of(
    common: &Common,
    path: &OsString,
    schema: Schema,
    schemas: &[Schema],
) -> Result<bool, Error> {
    let told = match Schema::of_file_name(path) {
        Some(told) => told,
        None => {
            let parts = options::opening(common).schemas(path)?;
            let told = parts.first().map(|(_, schema)| *schema);
            told.ok_or_else(|| usage("has no rows that tell its schema", "name it in FROM"))
                .map_err(|error| error.about(path))?
        }
    };
    if let Some(exact) = schemas.iter().find(|known| **known == told) {
        return Ok(*exact == schema);
    }
    let is_like = |known: &&Schema| known.columns() == told.columns();
    match schemas.iter().find(is_like) {
        Some(like) => Ok(*like == schema),
        None => {
            let names: Vec<_> = schemas.iter().map(|schema| schema.name()).collect();
            let what = format!(
                "is of schema {}, and FROM names {}",
                told.name(),
                names.join(", ")
            );
            Err(usage(what, "leave it out").about(path))
        }
    }
}

/// Refuses files whose names tell another schema than the one in FROM.
fn check_schema(common: &Common, schema: Schema) -> Result<(), Error> {
    let told = common.files.iter().filter_map(|path| {
        let told = common.schema.or_else(|| Schema::of_file_name(path))?;
        (told.columns() != schema.columns()).then_some((path, told))
    });
    let Some((path, told)) = { told }.next() else {
        return Ok(());
    };
    let (told, wanted) = (told.name(), schema.name());
    let what = format!("is of schema {told}, and FROM names {wanted}");
    Err(usage(what, format!("write FROM {told}")).about(path))
}

/// Refuses what other commands have options for, and a statement has words.
fn refuse_options(common: &Common) -> Result<(), Error> {
    let given = [
        (
            "--where",
            !common.conditions.is_empty(),
            "write WHERE in the statement",
        ),
        (
            "--contributions",
            common.contributions,
            "write WHERE TRANSACTION_TP IN ('15', '15E') in the statement",
        ),
        (
            "--with",
            !common.with.is_empty(),
            "write JOIN in the statement",
        ),
        ("--on", !common.on.is_empty(), "write JOIN in the statement"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, advice)) => Err(usage(format!("sql takes no {option}"), *advice)),
        None => Ok(()),
    }
}

/// Folds the files of tables, and keeps what is said of them.
struct Ran<'a> {
    /// For each table its session, and whether it was read.
    sessions: Vec<RefCell<(Session<'a>, bool)>>,
    has_failed: Cell<bool>,
    stats: RefCell<Vec<Stats>>,
    odd_rows: RefCell<Vec<String>>,
}

impl<'a> Ran<'a> {
    fn new(sessions: Vec<Session<'a>>) -> Ran<'a> {
        let sessions = sessions.into_iter();
        Ran {
            sessions: sessions
                .map(|session| RefCell::new((session, false)))
                .collect(),
            has_failed: Cell::new(false),
            stats: RefCell::default(),
            odd_rows: RefCell::default(),
        }
    }

    /// Writes the rows in a format that only columns have.
    fn write_columns(
        &self,
        result: &ResultRows,
        format: Format,
        compression: CompressionOption,
        mut output: Output,
    ) -> Result<(), Error> {
        let sessions = self.sessions.iter().map(RefCell::borrow);
        let paths = sessions.flat_map(|session| session.0.paths().to_vec());
        let paths: Vec<_> = paths.collect();
        let metadata = outputs::metadata(&paths);
        let compression = compression.compression.unwrap_or_default();
        let session = self.sessions[0].borrow();
        let workers = session.0.engine.workers();
        let written = write_results(result, format, compression, metadata, &mut output, workers);
        outputs::ignore_broken_pipe(written.and_then(|()| output.finish()))
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
