//! `fecscan count [FILE]...`: newlines, as `wc -l` prints them.

use crate::error::Error;
use crate::fold::{FileLines, Folded, LineCount};
use crate::output::Output;
use crate::partial::Command;
use crate::render::wc::{LineCounts, Size, WcInput};
use crate::render::{Format, ResultKind, notes};
use crate::sql::Repeats;

use super::options::OfFormats;
use super::schemas::SchemaPolicy;
use super::session::Session;
use super::{Outcome, messages, options, outputs, partials};
use crate::cli::{Common, CountArgs, LookOptions};

pub(crate) fn run(args: CountArgs) -> Result<Outcome, Error> {
    let path = args.common.output.path.as_deref();
    let format = options::format(args.format, path, ResultKind::Count, OfFormats::default())?;
    let schemas = if args.common.chooses_rows() || !args.common.with.is_empty() {
        SchemaPolicy::SameColumns
    } else {
        SchemaPolicy::Any
    };
    note_on_columns(&args.common);
    let partial = args.partial.partial.as_deref();
    let (mut session, output) = Session::new(&args.common, schemas, partial)?;
    if args.statement.show_sql {
        let (from, _) = session.from()?;
        outputs::write_statement(output, &from.select(&["count(*)".to_owned()], None))?;
        return Ok(Outcome::Done);
    }
    session.join(Repeats::EachMatch)?;
    session.shows_doubles = true;
    let metadata: Vec<_> = session.paths.iter().map(outputs::input_metadata).collect();
    let folded = session.fold(&LineCount);
    if session.question.is_some() {
        let command = Some(Command::Count {});
        return partials::write(&session, folded, &LineCount, command, output);
    }
    let outcome = folded.outcome;
    // wc prints lines even for inputs that it can't read.
    let has_lines = folded.result.is_some() || format == Format::Text;
    if let Some(output) = outputs::if_whole(output, outcome).filter(|_| has_lines) {
        let inputs = session.paths.iter().zip(&folded.files).zip(&metadata);
        let inputs = inputs.map(|((path, file), metadata)| {
            let held = file.as_ref().map_or(0, |file| file.bytes);
            let (is_opened, size) = match metadata {
                Ok(file) if file.is_file() => (false, size(file.len(), held)),
                Ok(file) => (file.is_dir(), Size::Unknown),
                Err(_) => (path == "-", Size::Missing),
            };
            // wc opens a directory and a closed standard input, fails to read them, and counts 0 lines.
            let lines = file.as_ref().map(|file| file.lines);
            let lines = lines.or(is_opened.then_some(0));
            WcInput { path, lines, size }
        });
        let scanned = folded.result.as_ref().and_then(|all| all.lines_scanned);
        let mut counts = LineCounts::new(inputs, folded.files.iter().flatten(), scanned);
        counts.is_unnamed = args.common.files.is_empty();
        outputs::print(&counts, format, &LookOptions::default(), output)?;
    }
    note_on_odd_rows(folded.result.as_ref());
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Notes options on columns, if no condition looks at one.
fn note_on_columns(common: &Common) {
    let given = [
        ("--schema", common.schema.is_some()),
        ("--types", !common.layout.types.is_empty()),
    ];
    for (option, _) in given.iter().filter(|(_, is_given)| *is_given) {
        if !common.chooses_rows() {
            messages::note(&format_args!(
                "{option} changes nothing, because no --where looks at a column"
            ));
        }
    }
}

fn note_on_odd_rows(counted: Option<&Folded<()>>) {
    let note = counted.and_then(|all| notes::odd_rows(all.odd_rows, all.lines, ""));
    note.iter().for_each(messages::note);
}

/// Prints the counts of merged partials, as if the files had been read now.
pub(super) fn print_merged(
    counted: &Folded<()>,
    format: Format,
    output: Output,
) -> Result<(), Error> {
    let inputs = counted.files.iter().map(|file: &FileLines| WcInput {
        path: &file.path,
        lines: Some(file.lines),
        size: size(
            file.coverage.as_ref().map_or(0, |c| c.file_bytes),
            file.bytes,
        ),
    });
    let counts = LineCounts::new(inputs, &counted.files, counted.lines_scanned);
    outputs::print(&counts, format, &LookOptions::default(), output)?;
    note_on_odd_rows(Some(counted));
    Ok(())
}

/// Returns the size of a file with this number of bytes on disk and of lines. A compressed file counts as if it were
/// unpacked. Files that the kernel makes up say that they are empty, and wc takes their word.
fn size(on_disk: u64, held: u64) -> Size {
    Size::Bytes(if on_disk == 0 { 0 } else { on_disk.max(held) })
}
