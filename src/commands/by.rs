//! `fecscan by KEY[,KEY]... [FILE]...`: groups.

use std::path::Path;

use crate::engine::Engine;
use crate::error::{Error, escaped};
use crate::fec::schema::Schema;
use crate::fold::by::{
    AggregateKind, Direction, GroupQuestion, Grouped, GroupingSets, KeyFunction, OrderBy,
    RowKindPolicy,
};
use crate::output::Output;
use crate::partial::Command;
use crate::render::columnar::{Compression, write_groups};
use crate::render::{Format, ResultKind, groups};

use super::options::OfFormats;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, layouts, messages, options, outputs, partials, usage};
use crate::cli::{ByArgs, LookOptions};

pub(crate) fn run(mut args: ByArgs) -> Result<Outcome, Error> {
    let path = args.common.output.path.as_deref();
    let partial = args.partial.partial.as_deref();
    let of_formats = OfFormats::new(&args.look, args.compression, partial);
    let format = options::format(args.format, path, ResultKind::Groups, of_formats)?;
    let compression = of_formats.compression.unwrap_or_default();
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
    let across = args.across.first().map(String::as_str);
    let sets = GroupingSets::new(question, &args.also, across)?;
    if !args.also.is_empty() {
        check_several_tables(format)?;
    }
    let partial = args.partial.partial.as_deref();
    let (mut session, output) = Session::new(&args.common, SchemaPolicy::SameColumns, partial)?;
    let command = match (&session.question, session.schema) {
        (Some(_), Some(schema)) => Some(Command::by(&sets, schema, &session.partners)?),
        _ => None,
    };
    let sets = command.as_ref().and_then(Command::to_by).unwrap_or(sets);
    let fold = sets.with_partners(&session.partners);
    session.notes_are_told |= format.is_for_people();
    let folded = session.fold(&fold);
    fold.check_room()?;
    if session.question.is_some() {
        return partials::write(&session, folded, &fold, command, output);
    }
    let outcome = folded.outcome;
    let output = outputs::if_whole(output, outcome);
    if let (Some(result), Some(output)) = (folded.result, output) {
        let workers = session.engine.workers();
        let grouped = workers.install_if_started(|| fold.grouped(result))?;
        let engine = &session.engine;
        print(engine, grouped, format, compression, &args.look, output)?;
    }
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Prints groupings of the same rows, and the notes on them.
pub(super) fn print(
    engine: &Engine,
    mut answers: Vec<Grouped>,
    format: Format,
    compression: Compression,
    look: &LookOptions,
    output: Output,
) -> Result<(), Error> {
    if format.is_for_people() {
        answers.iter_mut().for_each(Grouped::shorten_whole_numbers);
    }
    if answers.len() > 1 {
        check_several_tables(format)?;
    }
    if format.writes_answers() {
        outputs::print(&&answers[..], format, look, output)?;
    } else {
        write_columns(engine, &answers[0], format, compression, output)?;
    }
    for note in groups::notes(&answers, format) {
        messages::note(&note);
    }
    Ok(())
}

fn write_columns(
    engine: &Engine,
    grouped: &Grouped,
    format: Format,
    compression: Compression,
    mut output: Output,
) -> Result<(), Error> {
    let metadata = outputs::metadata(grouped.files.iter().map(|file| &file.path));
    let workers = engine.workers();
    let written = write_groups(grouped, format, compression, metadata, &mut output, workers);
    let finished = written.and_then(|too_long| {
        let names = grouped.aggregate_names().iter().zip(too_long);
        for (name, count) in names.filter(|&(_, count)| count > 0) {
            let name = escaped(name.as_bytes());
            messages::note(&format_args!(
                "{name} has more than 38 digits in {count} groups, and is null there"
            ));
        }
        output.finish()
    });
    outputs::ignore_broken_pipe(finished)
}

/// Refuses a format whose files have one table.
fn check_several_tables(format: Format) -> Result<(), Error> {
    let has_one = matches!(
        format,
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow
    );
    if !has_one {
        return Ok(());
    }
    let what = format!(
        "--also makes several tables, and a file of {} has one",
        format.name()
    );
    let advice = "choose json, xlsx or text, or ask one after the other";
    Err(usage(what, advice))
}

fn question(args: &ByArgs, format: Format) -> Result<GroupQuestion, Error> {
    refuse_file_as_key(args)?;
    refuse_key_as_file(args)?;
    refuse_file_as_column(args)?;
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
    let has_direction = |order: &OrderBy| order.direction.is_some();
    let mut orders = question.orders.iter();
    if args.ascending && !args.sort.is_empty() && orders.all(has_direction) {
        let what =
            "--ascending is for orders without a direction, and --sort names the direction of each";
        return Err(usage(what, "leave it out, or write ' asc' after the order"));
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
    if files_follow && may_be_column(args, &args.keys) || !Path::new(&args.keys).is_file() {
        return Ok(());
    }
    let file = escaped(args.keys.as_bytes());
    let what = format!("no KEY is named, and '{file}' is a file");
    Err(usage(
        what,
        "the keys come first: fecscan by STATE itcont.txt; for all rows together: fecscan by file itcont.txt",
    ))
}

/// Refuses the name of a file where the column of an aggregate is expected, if no file follows.
fn refuse_file_as_column(args: &ByArgs) -> Result<(), Error> {
    let is_file = |column: &str| Path::new(column).is_file() && !may_be_column(args, column);
    let mut typed = args.aggregates.0.iter();
    let taken = typed.find(|(_, column)| args.common.files.is_empty() && is_file(column));
    taken.map_or(Ok(()), |(option, file)| {
        let file = escaped(file.as_bytes());
        let what = format!("--{option} takes a column, and '{file}' is a file");
        let advice = format!("write the column before the file: --{option} amount {file}");
        Err(usage(what, advice))
    })
}

/// Says whether files may have such a column: those of other kinds may have any.
fn may_be_column(args: &ByArgs, text: &str) -> bool {
    layouts::describe(&args.common.layout) || is_known_key(text)
}

/// Refuses a key where a file is expected: blanks between keys are commas that were forgotten.
fn refuse_key_as_file(args: &ByArgs) -> Result<(), Error> {
    let files = args.common.files.iter().filter_map(|path| path.to_str());
    // Of joined columns, `cm.zip` and `cm.text` look like files.
    let is_named_like_file = |file: &str| {
        let end = file.rsplit_once('.').map(|(_, end)| end.to_lowercase());
        matches!(end.as_deref(), Some("zip" | "text"))
    };
    let mut keys = files.filter(|file| {
        // Most files are there, which takes less time to see than that no schema has such a column.
        outputs::is_missing(file.as_ref()) && !is_named_like_file(file) && is_known_key(file)
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

/// Says whether `text` names columns of any schema, or functions.
fn is_known_key(text: &str) -> bool {
    // A file's name has a point, too. Before that of a joined column stands a schema.
    let is_column = |name: &str| {
        let (file, column) = name
            .split_once('.')
            .map_or((None, name), |(f, c)| (Some(f), c));
        Schema::ALL.iter().any(|schema| {
            let is_named = file.is_none_or(|file| schema.name().eq_ignore_ascii_case(file));
            is_named && schema.column(column).is_ok()
        })
    };
    let is_function = |name: &str| KeyFunction::names().any(|function| function == name);
    let question = GroupQuestion::new(text.trim_matches(','));
    question.is_ok_and(|question| {
        let mut keys = question.keys.iter();
        keys.all(|key| is_column(&key.column) || is_function(&key.column))
    })
}
