//! `fecscan by KEY[,KEY]... [FILE]...`: groups.

use std::path::Path;

use fecscan::engine::Engine;
use fecscan::error::{Error, escaped};
use fecscan::fec::schema::Schema;
use fecscan::fold::by::{
    AggregateKind, Direction, GroupQuestion, Grouped, GroupingSets, KeyFunction, RowKindPolicy,
};
use fecscan::output::Output;
use fecscan::partial::Command;
use fecscan::render::columnar::ColumnarFormat;
use fecscan::render::{Format, groups};

use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, columnar, layouts, messages, options, outputs, partials, usage};
use crate::cli::{ByArgs, LookOptions};
use fecscan::render::ResultKind;

/// Runs the command.
pub(crate) fn run(mut args: ByArgs) -> Result<Outcome, Error> {
    let path = args.common.output.as_deref();
    let format = options::format(args.format, path, ResultKind::Groups)?;
    options::check_title(&args.look, format)?;
    let columns = columnar::of_groups(format, args.compression)?;
    let question = question(&args, format)?;
    args.common.each = args.each;
    if let [_, second, ..] = &args.across[..] {
        let what = format!("--across takes one key, and '{second}' is another");
        return Err(usage(what, "make one of them a key of the rows"));
    }
    if args.each && !args.across.is_empty() {
        let what = "--across counts rows once, and --each several times";
        return Err(usage(what, "make the column a key: fecscan by KEY,COLUMN"));
    }
    let sets = GroupingSets::new(
        question,
        &args.also,
        args.across.first().map(String::as_str),
    )?;
    if columns.is_some() && !args.also.is_empty() {
        return Err(several_tables(format));
    }
    let (mut session, output) = Session::new(
        &args.common,
        SchemaPolicy::SameColumns,
        args.partial.partial.as_deref(),
    )?;
    let command = match (&session.question, session.schema) {
        (Some(_), Some(schema)) => Some(Command::by(&sets, schema, &session.partners)?),
        _ => None,
    };
    let sets = command.as_ref().and_then(Command::to_by).unwrap_or(sets);
    let fold = sets.with_partners(&session.partners);
    session.notes_are_told |= format.is_for_people();
    let keys = [&args.keys].into_iter().chain(&args.also);
    let aggregates = args.aggregates.0.iter().map(|(_, column)| column);
    session.allow_any_order(keys.chain(&args.across).chain(aggregates));
    let folded = session.fold(&fold);
    fold.check_room()?;
    if session.question.is_some() {
        return partials::write(&session, folded, &fold, command, output);
    }
    let outcome = folded.outcome();
    if let Some(result) = folded.result {
        let grouped = session
            .engine
            .workers()
            .install_if_started(|| fold.grouped(result))?;
        let printing = (format, columns, &args.look);
        print(&session.engine, grouped, printing, output)?;
    }
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Prints groupings of the same rows, and the notes on them.
pub(super) fn print(
    engine: &Engine,
    mut answers: Vec<Grouped>,
    (format, columns, look): (Format, Option<ColumnarFormat>, &LookOptions),
    output: Output,
) -> Result<(), Error> {
    if format.is_for_people() {
        answers.iter_mut().for_each(Grouped::shorten_whole_numbers);
    }
    match (columns, &answers[..]) {
        (Some(columns), [grouped]) => columnar::write_groups(engine, grouped, columns, output)?,
        (Some(_), _) => return Err(several_tables(format)),
        (None, answers) => outputs::print(&answers, format, look, output)?,
    }
    for note in groups::notes(&answers, format) {
        messages::note(&note);
    }
    Ok(())
}

/// Returns the error for a format whose files have one table.
fn several_tables(format: Format) -> Error {
    let what = format!(
        "--also makes several tables, and a file of {} has one",
        format.name()
    );
    usage(what, "choose json, csv or text, or ask one after the other")
}

fn question(args: &ByArgs, format: Format) -> Result<GroupQuestion, Error> {
    refuse_file_as_key(args)?;
    refuse_key_as_file(args)?;
    let mut question = GroupQuestion::new(&args.keys)?;
    for (option, column) in &args.aggregates.0 {
        let kind = AggregateKind::named(option);
        question.add_aggregate(kind.expect("options have the names of aggregates"), column)?;
    }
    for order in &args.sort {
        question.sort_by(order)?;
    }
    for condition in &args.having {
        question.add_having(condition)?;
    }
    if args.ascending {
        question.direction = Direction::Ascending;
    }
    question.top = args.top;
    question.max_groups = args.max_groups;
    // Only the formats for people tell them. The format of a merge is not known yet.
    if format.is_for_people() || args.partial.partial.is_some() {
        question.row_kinds = RowKindPolicy::Count;
    }
    Ok(question)
}

/// Refuses the name of a file where the keys are expected.
fn refuse_file_as_key(args: &ByArgs) -> Result<(), Error> {
    let files_follow = !args.common.files.is_empty();
    let may_be_key = layouts::describe(&args.common.layout) || is_known_key(&args.keys);
    if files_follow && may_be_key || !Path::new(&args.keys).is_file() {
        return Ok(());
    }
    let file = escaped(args.keys.as_bytes());
    let what = format!("no KEY is named, and '{file}' is a file");
    Err(usage(
        what,
        "the keys come first: fecscan by STATE itcont.txt; for all rows together: fecscan by file itcont.txt",
    ))
}

/// Refuses a key where a file is expected: blanks between keys are commas that were forgotten.
fn refuse_key_as_file(args: &ByArgs) -> Result<(), Error> {
    let files = args.common.files.iter().filter_map(|path| path.to_str());
    let mut keys = files.filter(|file| {
        is_known_key(file) && !ends_like_a_file(file) && outputs::is_missing(file.as_ref())
    });
    let Some(first) = keys.next() else {
        return Ok(());
    };
    let all = [&args.keys, first].into_iter().chain(keys);
    let all: Vec<_> = all.map(|key| key.trim_matches(',')).collect();
    let what = "there is no such file, and a key has this name";
    let advice = format!(
        "keys have commas between them, and no blanks: fecscan by '{}'",
        escaped(all.join(",").as_bytes())
    );
    Err(usage(what, advice).about(first))
}

/// Says whether `text` may be the name of a file: of joined columns, `cm.zip` and `cm.text` look the same.
fn ends_like_a_file(text: &str) -> bool {
    let end = text.rsplit_once('.').map(|(_, end)| end);
    end.is_some_and(|end| ["zip", "text"].iter().any(|e| end.eq_ignore_ascii_case(e)))
}

/// Says whether `text` names columns of any schema, or functions.
fn is_known_key(text: &str) -> bool {
    // A file's name has a point, too. Before that of a joined column stands a schema.
    let is_column = |name: &str| match name.split_once('.') {
        Some((file, column)) => {
            let mut schemas = Schema::ALL.into_iter();
            schemas.any(|schema| {
                schema.name().eq_ignore_ascii_case(file) && schema.column(column).is_ok()
            })
        }
        None => {
            let mut schemas = Schema::ALL.into_iter();
            schemas.any(|schema| schema.column(name).is_ok())
        }
    };
    let is_function = |name: &str| KeyFunction::names().any(|function| function == name);
    let question = GroupQuestion::new(text.trim_matches(','));
    question.is_ok_and(|question| {
        let mut keys = question.keys.iter();
        keys.all(|key| is_column(&key.column) || is_function(&key.column))
    })
}
