//! `fecscan [FILE]...`: the report.

use std::env;
use std::path::Path;
use std::sync::Arc;

use fecscan::error::{Error, escaped, escaped_lines};
use fecscan::fec::schema::Schema;
use fecscan::fold::odd_rows::{OddRows, Rows};
use fecscan::fold::report::{KindCheck, Question, Report, ReportFold};
use fecscan::fold::spool::Spool;
use fecscan::input::Input;
use fecscan::output::Output;
use fecscan::render::text::Look;
use fecscan::render::{self, TableFormat};

use super::session::{Session, notes_of};
use super::{Outcome, messages, options, outputs};
use crate::cli::{ReportArgs, ReportFormat};

/// Runs the command.
pub(crate) fn run(args: ReportArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, &args.common)?;
    let session = Session::new(&args.common)?;
    note_options_without_effect(&args, format);
    // The last sentence of the challenge needs one first name.
    let least = usize::from(format == ReportFormat::Challenge);
    let rejects = match &args.rejects {
        Some(path) => Some(Rejects::open(&session, path)?),
        None => None,
    };
    let mut fold = ReportFold::new(Question {
        names: args.name,
        top: args.top.max(least),
        month_column: args.month_column.into(),
        rows: if args.strict || rejects.is_some() {
            Rows::OfSchema(args.schema.map(Into::into))
        } else {
            Rows::Any
        },
        kind_check: match args.force {
            true => KindCheck::Force,
            false => KindCheck::Refuse,
        },
    });
    if let Some(rejects) = &rejects {
        fold = fold.with_spool(rejects.spool.clone());
    }
    let mut folded = session.fold(&fold, |input| {
        let mut notes = match format {
            ReportFormat::Text => Vec::new(),
            _ => notes_of(input),
        };
        notes.extend(note_other_schema(input).filter(|_| !args.force));
        notes
    });
    let outcome = folded.outcome();
    let Some(partial) = folded.partial.take() else {
        folded.print_stats();
        return Ok(outcome);
    };
    let files = folded.files.iter().flatten().cloned().collect();
    let report = session.among_workers(|| fold.report(files, Some(partial)));

    let terminal = session.output().is_terminal();
    let look = options::look(args.color, terminal);
    let result = render(&report, format, look);
    session.write(&match (terminal, format) {
        (false, _) | (true, ReportFormat::Text) => result,
        (true, ReportFormat::Json) => render::json::for_terminal(&result),
        (true, _) => escaped_lines(&result),
    })?;
    let rejected = rejects.map_or(Ok(()), |rejects| rejects.write(&report.odd_rows));
    if args.strict {
        print_odd_rows(&report.odd_rows);
    }
    folded.print_stats();
    rejected?;
    Ok(match outcome {
        Outcome::Done if args.strict && report.odd_rows.total > 0 => Outcome::OddRows,
        outcome => outcome,
    })
}

fn render(report: &Report, format: ReportFormat, look: Look) -> Vec<u8> {
    match format {
        ReportFormat::Text => render::text::report(report, look),
        ReportFormat::Json => render::json::report(report),
        ReportFormat::Csv => render::rows::report(report, TableFormat::Csv),
        ReportFormat::Tsv => render::rows::report(report, TableFormat::Tsv),
        ReportFormat::Markdown => render::rows::report(report, TableFormat::Markdown),
        ReportFormat::Challenge => render::challenge::report(report),
    }
}

/// The output of `--rejects`.
struct Rejects<'a> {
    path: &'a Path,
    output: Output,
    spool: Arc<Spool>,
}

impl<'a> Rejects<'a> {
    fn open(session: &Session, path: &'a Path) -> Result<Rejects<'a>, Error> {
        let output = session.another_output(path)?;
        let beside = output.directory().map(Path::to_owned);
        let spool = Spool::new(&beside.unwrap_or_else(env::temp_dir)).map_err(|e| e.about(path))?;
        Ok(Rejects {
            path,
            output,
            spool: Arc::new(spool),
        })
    }

    fn write(mut self, odd: &OddRows) -> Result<(), Error> {
        let terminal = self.output.is_terminal();
        let written = render::rejects(&odd.spooled, &self.spool, |rows| match terminal {
            true => self.output.write_all(&escaped_lines(rows)),
            false => self.output.write_all(rows),
        });
        outputs::ignore_broken_pipe(written.and_then(|()| self.output.finish()))
            .map_err(|e| e.about(self.path))
    }
}

/// Prints notes on options without effect.
fn note_options_without_effect(args: &ReportArgs, format: ReportFormat) {
    if args.schema.is_some() && !args.strict && args.rejects.is_none() {
        messages::print(
            &"note: --schema is what --strict and --rejects check rows against; without one of them, none are checked",
        );
    }
    if args.top > 1 && format == ReportFormat::Challenge {
        messages::print(
            &"note: --format challenge names one first name, whatever --top says; the other formats list more",
        );
    }
}

/// Returns a note if the name of a file says another schema than the report reads.
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

/// Prints the first of the rows that break the schema, and their number.
fn print_odd_rows(odd: &OddRows) {
    for row in &odd.listed {
        let (line, byte) = (row.line, row.byte);
        let path = match row.path.as_encoded_bytes() {
            b"-" => "standard input".to_owned(),
            path => escaped(path),
        };
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
    match (odd.total, odd.listed.len() as u64) {
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
