//! `fecscan count [FILE]...`: newlines, as `wc -l` prints them.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;

use fecscan::error::Error;
use fecscan::fold::{FileLines, Folded, LineCount};
use fecscan::output::Output;
use fecscan::partial::Command;
use fecscan::render::wc::{self, LineCounts, Row};
use fecscan::render::{Format, ResultKind, odd_rows};

use super::schemas::SchemaPolicy;
use super::session::{Inputs, Session};
use super::{Outcome, messages, options, outputs, partials};
use crate::cli::{CountArgs, LookOptions};

/// Runs the command.
pub(crate) fn run(args: CountArgs) -> Result<Outcome, Error> {
    let format = options::format(
        args.format,
        args.common.output.as_deref(),
        ResultKind::Count,
    )?;
    let has_conditions = args.common.contributions || !args.common.conditions.is_empty();
    let schemas = if has_conditions {
        SchemaPolicy::SameColumns
    } else {
        SchemaPolicy::Any
    };
    let (mut session, output) =
        Session::new(&args.common, schemas, args.partial.partial.as_deref())?;
    session.allow_any_order([]);
    session.shows_doubles = true;
    let metadata: Vec<_> = session.paths.iter().map(outputs::input_metadata).collect();
    let folded = session.fold(&LineCount);
    if session.question.is_some() {
        return partials::write(
            &session,
            folded,
            &LineCount,
            Some(Command::Count {}),
            output,
        );
    }
    let outcome = folded.outcome();
    // wc prints lines even for inputs that it can't read. They are no result to replace a file by.
    let wc_has_lines = format == Format::Text && !output.is_new_file();
    if folded.result.is_some() || wc_has_lines {
        let unnamed = args.common.files.is_empty();
        let counts = LineCounts {
            files: folded.files.iter().flatten().collect(),
            lines_scanned: folded.result.as_ref().and_then(|all| all.lines_scanned),
            rows: rows(&session, &metadata, &folded, unnamed),
            width: width(&metadata, &folded.files),
        };
        outputs::print(&counts, format, &LookOptions::default(), output)?;
    }
    note_on_odd_rows(folded.result.as_ref());
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

fn note_on_odd_rows(counted: Option<&Folded<()>>) {
    let odd_rows = counted.map_or(0, |counted| counted.odd_rows);
    if let Some(note) = odd_rows::note(odd_rows, "") {
        messages::note(&note);
    }
}

/// Prints the counts of merged partials, as if the files had been read now.
pub(super) fn print_merged(
    counted: &Folded<()>,
    format: Format,
    output: Output,
) -> Result<(), Error> {
    let files = &counted.files;
    let rows = files.iter().map(|file| Row {
        lines: file.lines,
        name: Some(&*file.path),
    });
    let on_disk = |file: &FileLines| file.coverage.as_ref().map_or(0, |c| c.file_bytes);
    let sizes = files.iter().map(|file| (on_disk(file), file.bytes));
    let counts = LineCounts {
        files: files.iter().collect(),
        lines_scanned: counted.lines_scanned,
        rows: with_total(rows.collect(), files.len()),
        width: match files.len() {
            1 => 1,
            _ => wc::width(sizes.map(size).sum(), false),
        },
    };
    outputs::print(&counts, format, &LookOptions::default(), output)?;
    note_on_odd_rows(Some(counted));
    Ok(())
}

/// Returns the size of a file with this number of bytes on disk and of lines. A compressed file counts as if it were
/// unpacked. Files that the kernel makes up say that they are empty, and wc takes their word.
fn size((on_disk, held): (u64, u64)) -> u64 {
    if on_disk == 0 { 0 } else { on_disk.max(held) }
}

/// Returns the rows that wc prints. A single standard input is `unnamed` unless it was given as `-`.
fn rows<'a, P>(
    session: &'a Session<'_>,
    metadata: &[io::Result<Metadata>],
    folded: &Inputs<P>,
    unnamed: bool,
) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for ((path, file), metadata) in session.paths.iter().zip(&folded.files).zip(metadata) {
        // wc opens a directory and a closed standard input, fails to read them, and counts 0 lines.
        let opened = match metadata {
            Ok(file) => file.is_dir(),
            Err(_) => path == "-",
        };
        let lines = file.as_ref().map(|file| file.lines);
        rows.extend(lines.or(opened.then_some(0)).map(|lines| Row {
            lines,
            name: (!unnamed).then_some(path.as_os_str()),
        }));
    }
    with_total(rows, metadata.len())
}

/// Adds the row of the total, if there are several files.
fn with_total(mut rows: Vec<Row<'_>>, files: usize) -> Vec<Row<'_>> {
    if files > 1 {
        let lines = rows.iter().map(|row| row.lines).sum();
        let name = Some(OsStr::new("total"));
        rows.push(Row { lines, name });
    }
    rows
}

/// Returns the width of the counts.
fn width(metadata: &[io::Result<Metadata>], files: &[Option<FileLines>]) -> usize {
    if metadata.len() == 1 {
        return 1;
    }
    let known = || metadata.iter().flatten();
    let bytes = |(metadata, read): (&io::Result<Metadata>, &Option<FileLines>)| {
        let on_disk = metadata.as_ref().ok().filter(|file| file.is_file())?.len();
        let held = read.as_ref().map_or(0, |file| file.bytes);
        Some(size((on_disk, held)))
    };
    let bytes = metadata.iter().zip(files).filter_map(bytes).sum();
    wc::width(bytes, known().any(|file| !file.is_file()))
}
