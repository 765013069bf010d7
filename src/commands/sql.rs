//! `fecscan sql STATEMENT [FILE]...`: a statement of SQL.

use std::fs;
use std::path::Path;

use super::options::OfFormats;
use super::progress::Stats;
use super::schemas::SchemaPolicy;
use super::session::{Inputs, Session};
use super::{Outcome, messages, options, outputs, usage};
use crate::cli::{Common, CompressionOption, LookOptions, SqlArgs};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded, LineCount};
use crate::output::Output;
use crate::render::columnar::write_results;
use crate::render::{Format, ResultKind, counted, notes};
use crate::sql::{Filter, ResultRows, RunFold, Statement, Type};

pub(crate) fn run(mut args: SqlArgs) -> Result<Outcome, Error> {
    refuse_options(&args.common)?;
    let path = args.common.output.path.as_deref();
    let look = LookOptions {
        color: args.color,
        title: None,
    };
    let of_formats = OfFormats::new(&look, args.compression, None);
    let format = options::format(args.format, path, ResultKind::Statement, of_formats)?;
    let statement = Statement::parse(&text(&args.statement)?)?;
    if let Some(path) = statement.path() {
        if !args.common.files.is_empty() {
            let what = "FROM names a file, and others stand behind the statement";
            return Err(usage(what, "name files in one of both places"));
        }
        args.common.files.push(path.into());
    }
    if let Some(schema) = statement.schema()? {
        check_schema(&args.common, schema)?;
        args.common.schema = Some(schema);
    }
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::SameColumns, None)?;
    let Some(schema) = session.schema else {
        // Reading the inputs says why none can be opened.
        session.fold(&LineCount);
        outputs::if_whole(output, Outcome::Failed);
        return Ok(Outcome::Failed);
    };
    let bound = statement.bind(schema)?;
    let mut told = Told {
        outcome: Outcome::Failed,
        stats: None,
        odd_rows: None,
    };
    let ran = Ran {
        session: &mut session,
        told: &mut told,
    };
    let result = bound.run(ran)?;
    let outcome = told.outcome;
    let output = outputs::if_whole(output, outcome);
    if let (Some(result), Some(output)) = (result, output) {
        if format.writes_answers() {
            outputs::print(&result, format, &look, output)?;
        } else {
            write_columns(&result, format, args.compression, &session, output)?;
        }
        for (name, of, count) in &result.unread {
            let kind = if *of == Type::Date { "day" } else { "number" };
            let values = counted(*count, "value", "values");
            let are = if *count == 1 { "is" } else { "are" };
            messages::note(&format_args!(
                "{values} of {name} {are} no {kind}, and NULL here"
            ));
        }
    }
    told.odd_rows.iter().for_each(messages::note);
    told.stats.iter().for_each(messages::print);
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
            "by and export join files",
        ),
        ("--on", !common.on.is_empty(), "by and export join files"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, advice)) => Err(usage(format!("sql takes no {option}"), *advice)),
        None => Ok(()),
    }
}

/// Writes the rows in a format that only columns have.
fn write_columns(
    result: &ResultRows,
    format: Format,
    compression: CompressionOption,
    session: &Session<'_>,
    mut output: Output,
) -> Result<(), Error> {
    let metadata = outputs::metadata(session.paths());
    let compression = compression.compression.unwrap_or_default();
    let workers = session.engine.workers();
    let written = write_results(result, format, compression, metadata, &mut output, workers);
    outputs::ignore_broken_pipe(written.and_then(|()| output.finish()))
}

/// What a run says besides its result.
struct Told {
    outcome: Outcome,
    stats: Option<Stats>,
    odd_rows: Option<String>,
}

/// Folds the inputs of a session, and keeps what it says of them.
struct Ran<'s, 'a> {
    session: &'s mut Session<'a>,
    told: &'s mut Told,
}

impl RunFold for Ran<'_, '_> {
    fn fold<F: Fold>(self, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        self.session.set_filter(filter);
        let Inputs {
            outcome,
            result,
            stats,
            ..
        } = self.session.fold(fold);
        let odd_rows = result.as_ref();
        let odd_rows = odd_rows.and_then(|all| notes::odd_rows(all.odd_rows, all.lines, ""));
        *self.told = Told {
            outcome,
            stats,
            odd_rows,
        };
        result
    }
}
