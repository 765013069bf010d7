//! `fecscan [FILE]...`: the report.

use std::env;
use std::path::Path;
use std::sync::Arc;

use fecscan::error::{Error, escaped, escaped_lines};
use fecscan::fec::schema::Schema;
use fecscan::fold::report::*;
use fecscan::input::Input;
use fecscan::render;
use fecscan::render::output::Output;

use super::session::{Session, but_for_closed_pipes};
use super::{Outcome, messages, options};
use crate::cli::{ReportArgs, ReportFormat};

/// Runs the command.
pub fn run(args: ReportArgs) -> Result<Outcome, Error> {
    let session = Session::new(&args.common)?;
    note_options_without_effect(&args);
    // The last sentence of the challenge is about one first name, however many are listed.
    let least = usize::from(matches!(args.format, ReportFormat::Challenge));
    let mut question = Question::default();
    question.names = args.name;
    question.top = args.top.max(least);
    question.month_column = args.month_column.into();
    question.other_kinds = OtherKinds::Report;
    if args.strict { question.odd_rows = OddRowPolicy::List; }
    let fold = ReportFold::new(question.clone());
    let folded = session.fold(&fold, &question.names, note_other_schema);
    let outcome = folded.outcome();
    if folded.result.files.is_empty() {
        folded.print_stats();
        return Ok(outcome);
    }
    let result = folded.result;
    let report = session.among_workers(|| fold.report(result));

    let terminal = session.output().is_terminal();
    let look = options::look(args.color, terminal);
    session.write(&match args.format {
        ReportFormat::Text => render::text::report(&report, look),
        ReportFormat::Json => render::json::report(&report),
        ReportFormat::Challenge if terminal => escaped_lines(&render::challenge::report(&report)),
        ReportFormat::Challenge => render::challenge::report(&report),
    })?;
    let rejected: Result<(), Error> = Ok(());
    if args.strict {
        print_odd_rows(&report);
    }
    rejected?;
    Ok(match outcome {
        Outcome::Done if args.strict && report.odd_row_count > 0 => Outcome::OddRows,
        outcome => outcome,
    })
}

/// Says so if an option was given that changes nothing.
fn note_options_without_effect(args: &ReportArgs) {
    if args.schema.is_some() && !args.strict && args.rejects.is_none() {
        messages::print(
            &"note: --schema is what --strict and --rejects check rows against; without one of them, none are checked",
        );
    }
    if args.top > 1 && matches!(args.format, ReportFormat::Challenge) {
        messages::print(
            &"note: --format challenge names one first name, whatever --top says; the other formats list more",
        );
    }
}

/// What to say if a file seems to be one that has other columns where the report looks for months and names.
fn note_other_schema(input: &Input) -> Option<String> {
    let of_file = Schema::of_file_name(input.path());
    let members = input.member_names().map(Some);
    let whole = input.member_names().next().is_none().then_some(None);
    let other = members.chain(whole).find_map(|member| {
        let schema = member.and_then(Schema::of_file_name).or(of_file)?;
        let other = !matches!(schema, Schema::Indiv | Schema::Oth | Schema::Pas2);
        other.then_some((member, schema.name()))
    });
    let (member, schema) = other?;
    let path = escaped(input.path().as_encoded_bytes());
    let member = member.map_or(String::new(), |member| {
        format!(": {}", escaped(member.as_encoded_bytes()))
    });
    Some(format!(
        "{path}{member}: note: by its name this is a file of schema {schema}; the report takes its columns 5, 8 and 14 \
         for those of contributions"
    ))
}

/// Lists the first of the rows that break the schema, and says how many there are.
fn print_odd_rows(odd: &Report) {
    for row in &odd.odd_rows {
        let (path, line, byte) = (escaped(row.path.as_encoded_bytes()), row.line, row.byte);
        let columns = if row.columns == 1 {
            "column"
        } else {
            "columns"
        };
        messages::print(&format_args!(
            "{path}:{line}: byte {byte}: {} {columns}, expected {}",
            row.columns, row.expected
        ));
    }
    let counted = "they are counted like all others";
    match (odd.odd_row_count, odd.odd_rows.len() as u64) {
        (0, _) => {}
        (1, _) => messages::print(&"1 row breaks the schema; it is counted like all others"),
        (total, listed) if listed < total => {
            messages::print(&format_args!(
                "{total} rows break the schema, the first {listed} are listed; {counted}"
            ));
        }
        (total, _) => messages::print(&format_args!("{total} rows break the schema; {counted}")),
    }
}
