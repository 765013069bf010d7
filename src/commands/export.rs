//! `fecscan export [FILE]...`: rows in another format.

use fecscan::error::Error;
use fecscan::fold::Fold;
use fecscan::fold::export::{ExportColumns, ExportFold, ExportQuestion, Exported};
use fecscan::output::Output;
use fecscan::render::encode::{self, Encode, Json, Ndjson};
use fecscan::render::json;

use super::session::{Session, notes_of};
use super::{Outcome, messages, options, outputs};
use crate::cli::{ExportArgs, ExportFormat};

/// Runs the command.
pub(crate) fn run(args: ExportArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, args.common.output.as_deref())?;
    let question = question(&args)?;
    let (session, output) = Session::new(&args.common)?;
    let escape: outputs::Escape = match format {
        ExportFormat::Ndjson | ExportFormat::Json => json::for_terminal,
    };
    let rows = outputs::Rows::new(output, Some(escape));
    let fold = ExportFold::new(question, move |columns| encoder(format, columns), rows);
    let fold = fold.with_partners(session.partners.clone());
    let folded = session.fold(&fold, &[], notes_of, |_| ());
    let outcome = folded.outcome();
    let partial = folded.result.map(|result| result.partial);
    let partial = partial.unwrap_or_else(|| fold.partial());
    outputs::ignore_broken_pipe(fold.finish(partial).and_then(|exported| {
        for note in encode::notes(&exported) {
            messages::print(&format_args!("note: {note}"));
        }
        finish(exported, outcome)
    }))?;
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

fn question(args: &ExportArgs) -> Result<ExportQuestion, Error> {
    let mut question = ExportQuestion::default();
    for columns in &args.columns {
        question.add_columns(columns)?;
    }
    question.head = args.head;
    Ok(question)
}

fn encoder(format: ExportFormat, columns: &ExportColumns) -> Box<dyn Encode> {
    match format {
        ExportFormat::Ndjson => Box::new(Ndjson::new(columns)),
        ExportFormat::Json => Box::new(Json::new(columns)),
    }
}

/// Puts a new file in its place, unless an input is missing in it.
fn finish(exported: Exported<outputs::Rows>, outcome: Outcome) -> Result<(), Error> {
    let output: Output = exported.out.into_output();
    match outcome {
        Outcome::Failed if output.is_new_file() => Ok(()),
        _ => output.finish(),
    }
}
