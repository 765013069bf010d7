//! `fecscan [FILE]...`: the report.

use std::ffi::OsString;
use std::sync::Arc;

use crate::error::{Error, escaped};
use crate::fold::report::{OddRowPolicy, OtherKinds, Report, ReportFold, ReportQuestion};
use crate::input::name_of;
use crate::partial::Command;
use crate::render::{Format, ResultKind};
use crate::sql::Repeats;

use super::options::OfFormats;
use super::rejects::Rejects;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, layouts, messages, options, outputs, partials, usage};
use crate::cli::{CompressionOption, ReportArgs, arguments};

pub(crate) fn run(args: ReportArgs) -> Result<Outcome, Error> {
    refuse_misspelt_command(&args.common.files)?;
    if layouts::describe(&args.common.layout) {
        let advice = "files of other kinds have count, by, export and diff";
        return Err(usage("the report is for the FEC's files", advice));
    }
    let path = args.common.output.path.as_deref();
    let partial = args.partial.partial.as_deref();
    let of_formats = OfFormats::new(&args.look, CompressionOption::default(), partial);
    let format = options::format(args.format, path, ResultKind::Report, of_formats)?;
    let schemas = if args.force {
        SchemaPolicy::Any
    } else {
        SchemaPolicy::SameColumns
    };
    let (mut session, output) = Session::new(&args.common, schemas, partial)?;
    session.join(Repeats::EachMatch)?;
    if args.top > 1 && matches!(format, Format::Challenge | Format::Svg) {
        let names = match format {
            Format::Svg => "no first names",
            _ => "one first name",
        };
        messages::note(&format_args!(
            "--format {} names {names}, whatever --top says; the other formats list more",
            format.name()
        ));
    }
    let rejects = match &args.rejects {
        Some(path) => Some(Arc::new(Rejects::new(path, session.rejects_output(path)?))),
        None => None,
    };
    let question = question(&args, format)?;
    // A merge knows what comes before. Rejected rows are written now.
    let numbers_rows = rejects.is_some() || args.strict && partial.is_none();
    let lines_before = if numbers_rows {
        session.lines_before_range()?
    } else {
        0
    };
    let mut fold = ReportFold::new(question.clone()).with_lines_before(lines_before);
    if let Some(rejects) = rejects.clone() {
        fold = fold.with_odd_row_sink(Arc::new(move |row, text| {
            rejects.add(row, text);
            Ok(())
        }));
    }
    session.notes_are_told |= format.is_for_people();
    let end_input = |was_read| rejects.iter().for_each(|it| it.end_input(was_read));
    if session.question.is_some() {
        let folded = session.fold_lines(&fold, &[], end_input);
        let command = Some(Command::report(&question));
        let outcome = partials::write(&session, folded, &fold, command, output)?;
        drop(fold);
        finish(rejects)?;
        return Ok(outcome);
    }
    let folded = session.fold_lines(&fold, &question.names, end_input);
    let outcome = folded.outcome;
    let workers = session.engine.workers();
    let report = folded.result;
    let report = report.map(|result| workers.install_if_started(|| fold.report(result)));
    drop(fold);
    if let (Some(report), Some(output)) = (&report, outputs::if_whole(output, outcome)) {
        outputs::print(report, format, &args.look, output)?;
    }
    folded.stats.iter().for_each(messages::print);
    let Some(report) = report else {
        return Ok(outcome);
    };
    let rejected = finish(rejects);
    let strict = print_odd_rows(&report);
    rejected?;
    Ok(if outcome == Outcome::Done {
        strict
    } else {
        outcome
    })
}

/// Puts the file of rejected rows in its place. The fold, which writes to it, is gone.
fn finish(rejects: Option<Arc<Rejects>>) -> Result<(), Error> {
    let rejects = rejects.and_then(Arc::into_inner);
    rejects.map_or(Ok(()), Rejects::finish)
}

fn question(args: &ReportArgs, format: Format) -> Result<ReportQuestion, Error> {
    let mut question = ReportQuestion::default();
    let common = &args.common;
    let filter = options::filter(&common.conditions, common.contributions)?;
    question.left_out = filter.leaves_out();
    // Slices have rows in another order.
    let lines = args.name.iter().flatten().copied();
    question.names = lines.filter(|_| !common.slices).collect();
    question.top = top(format, args.top);
    question.month_column = args.month_column;
    if args.strict {
        question.odd_rows = OddRowPolicy::List;
    }
    if args.force {
        question.other_kinds = OtherKinds::Report;
    }
    Ok(question)
}

/// Returns the number of first names to list, if `typed` are wanted: the last sentence of the challenge needs one.
pub(super) fn top(format: Format, typed: usize) -> usize {
    typed.max(usize::from(format == Format::Challenge))
}

/// Refuses a misspelt command, before the files after it are reported on. Without a command, the first argument stands where
/// one would.
fn refuse_misspelt_command(files: &[OsString]) -> Result<(), Error> {
    let is_wrong = |path: &&OsString| arguments().get(1) == Some(path) && outputs::is_missing(path);
    let first = files.first().filter(is_wrong);
    let command = first.and_then(|path| messages::near_command(path.to_str()?));
    first.zip(command).map_or(Ok(()), |(path, command)| {
        let advice = format!("did you mean the command '{command}'?");
        Err(usage("No such file or directory", advice).about(path))
    })
}

/// Prints the first of the rows that break the schema, and their number, if the question was strict.
pub(super) fn print_odd_rows(report: &Report) -> Outcome {
    if report.question.odd_rows == OddRowPolicy::Ignore {
        return Outcome::Done;
    }
    for row in &report.odd_rows {
        let (line, byte) = (row.line, row.byte);
        let path = escaped(name_of(&row.path).as_encoded_bytes());
        let (columns, expected) = (row.columns, row.expected);
        let unit = if columns == 1 { "column" } else { "columns" };
        messages::print(&format_args!(
            "{path}:{line}: byte {byte}: {columns} {unit}, expected {expected}"
        ));
    }
    let listed = match report.odd_rows.len() as u64 {
        all if all == report.odd_row_count => String::new(),
        listed => format!(", the first {listed} are listed"),
    };
    match report.odd_row_count {
        0 => return Outcome::Done,
        1 => messages::print(&"1 row breaks the schema; it is counted like all others"),
        total => messages::print(&format_args!(
            "{total} rows break the schema{listed}; they are counted like all others"
        )),
    }
    Outcome::OddRows
}
