//! `fecscan by KEY[,KEY]... [FILE]...`: groups.

use std::path::Path;

use fecscan::error::{Error, ErrorKind, escaped, escaped_lines};
use fecscan::fold::by::{AggregateKind, ByFold, Direction, GroupQuestion, Grouped, RowKindPolicy};
use fecscan::input::Input;
use fecscan::output::Output;
use fecscan::render::text::Look;
use fecscan::render::{TableFormat, groups, json};

use super::schemas::SchemaPolicy;
use super::session::{Session, notes_of};
use super::{Outcome, messages, options, outputs};
use crate::cli::{ByArgs, GroupFormat};

/// Runs the command.
pub(crate) fn run(args: ByArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, args.common.output.as_deref())?;
    let question = question(&args, format)?;
    let (session, output) = Session::new(&args.common, SchemaPolicy::One)?;
    let fold = ByFold::new(question).with_partners(session.partners.clone());
    let notes = |input: &Input| match format {
        GroupFormat::Text => Vec::new(),
        _ => notes_of(input),
    };
    let folded = session.fold(&fold, &[], notes, |_| ());
    let outcome = folded.outcome();
    if let Some(result) = folded.result {
        let grouped = session.engine.among_workers(|| fold.grouped(result))?;
        let look = options::look(args.color, output.is_terminal());
        write(output, &grouped, format, look)?;
        for note in groups::notes(&grouped) {
            messages::print(&format_args!("note: {note}"));
        }
    }
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

fn question(args: &ByArgs, format: GroupFormat) -> Result<GroupQuestion, Error> {
    if args.common.files.is_empty() && Path::new(&args.keys).is_file() {
        let what = format!(
            "no KEY is named, and '{}' is a file",
            escaped(args.keys.as_bytes())
        );
        return Err(Error::new(ErrorKind::Usage, what)
            .advise("the keys come first: fecscan by STATE itcont.txt"));
    }
    let mut question = GroupQuestion::new(&args.keys)?;
    for (option, column) in &args.aggregates.0 {
        let mut kinds = AggregateKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.name() == *option);
        question.add_aggregate(kind.expect("options have the names of aggregates"), column)?;
    }
    question.sort_by(&args.sort)?;
    if args.ascending {
        question.direction = Direction::Ascending;
    }
    question.top = args.top;
    question.max_groups = args.max_groups;
    // Only the text tells them.
    if format == GroupFormat::Text {
        question.row_kinds = RowKindPolicy::Count;
    }
    Ok(question)
}

fn write(output: Output, grouped: &Grouped, format: GroupFormat, look: Look) -> Result<(), Error> {
    let escape: Option<outputs::Escape> = match format {
        GroupFormat::Text => None,
        GroupFormat::Json => Some(json::for_terminal),
        GroupFormat::Csv | GroupFormat::Tsv | GroupFormat::Markdown => Some(escaped_lines),
    };
    outputs::write_pieces(output, escape, |out| match format {
        GroupFormat::Text => groups::text(grouped, look, out),
        GroupFormat::Json => groups::json(grouped, out),
        GroupFormat::Csv => groups::table(grouped, TableFormat::Csv, out),
        GroupFormat::Tsv => groups::table(grouped, TableFormat::Tsv, out),
        GroupFormat::Markdown => groups::table(grouped, TableFormat::Markdown, out),
    })
}
