//! `fecscan count [FILE]...`: newlines, as `wc -l` prints them.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;

use fecscan::error::{Error, escaped_lines};
use fecscan::fold::{FileLines, LineCount};
use fecscan::render::json;
use fecscan::render::wc::{self, Row};

use super::schemas::SchemaPolicy;
use super::session::{Inputs, Session, notes_of};
use super::{Outcome, messages, options, outputs};
use crate::cli::{CountArgs, CountFormat};

/// Runs the command.
pub(crate) fn run(args: CountArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, args.common.output.as_deref())?;
    let has_conditions = args.common.contributions || !args.common.conditions.is_empty();
    let schemas = match has_conditions {
        true => SchemaPolicy::SameColumns,
        false => SchemaPolicy::Any,
    };
    let (session, output) = Session::new(&args.common, schemas)?;
    let metadata: Vec<_> = session.paths.iter().map(outputs::input_metadata).collect();
    let folded = session.fold(&LineCount, &[], notes_of, |_| ());
    let outcome = folded.outcome();
    // wc prints lines even for inputs that it can't read. They are no result to replace a file by.
    let wc_has_lines = format == CountFormat::Text && !output.is_new_file();
    if folded.result.is_some() || wc_has_lines {
        let terminal = output.is_terminal();
        let result = match format {
            CountFormat::Text => {
                wc_text(&session, &metadata, &folded, args.common.files.is_empty())
            }
            CountFormat::Json => {
                let scanned = folded.result.as_ref().and_then(|all| all.lines_scanned);
                json::count(folded.files.iter().flatten(), scanned)
            }
        };
        let result = match (terminal, format) {
            (false, _) => result,
            (true, CountFormat::Text) => escaped_lines(&result),
            (true, CountFormat::Json) => json::for_terminal(&result),
        };
        outputs::write(output, &result)?;
    }
    folded.stats.iter().for_each(messages::print);
    Ok(outcome)
}

/// Returns what wc prints. A single standard input is `unnamed` unless it was given as `-`.
fn wc_text<P>(
    session: &Session,
    metadata: &[io::Result<Metadata>],
    folded: &Inputs<P>,
    unnamed: bool,
) -> Vec<u8> {
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
    if metadata.len() > 1 {
        let total = rows.iter().map(|row| row.lines).sum();
        rows.push(Row {
            lines: total,
            name: Some(OsStr::new("total")),
        });
    }
    wc::rows(rows, width(metadata, &folded.files))
}

/// Returns the width of the counts. A compressed file counts as if it were unpacked. Files that the
/// kernel makes up say that they are empty, and wc takes their word.
fn width(metadata: &[io::Result<Metadata>], files: &[Option<FileLines>]) -> usize {
    if metadata.len() == 1 {
        return 1;
    }
    let known = || metadata.iter().flatten();
    let bytes = |(metadata, read): (&io::Result<Metadata>, &Option<FileLines>)| {
        let on_disk = metadata.as_ref().ok().filter(|file| file.is_file())?.len();
        let held = read.as_ref().map_or(0, |file| file.bytes);
        Some(if on_disk == 0 { 0 } else { on_disk.max(held) })
    };
    let bytes = metadata.iter().zip(files).filter_map(bytes).sum();
    wc::width(bytes, known().any(|file| !file.is_file()))
}
