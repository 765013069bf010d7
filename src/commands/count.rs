//! `fecscan count [FILE]...`: newlines, as `wc -l` prints them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;

use fecscan::error::Error;
use fecscan::fold::count::LineCount;
use fecscan::render::wc::{self, Row};

use super::Outcome;
use super::session::Session;
use crate::cli::CountArgs;

/// Runs the command.
pub fn run(args: CountArgs) -> Result<Outcome, Error> {
    let session = Session::new(&args.common)?;
    let metadata: Vec<_> = session.paths().iter().map(metadata).collect();
    let folded = session.fold(&LineCount);

    let unnamed = args.common.files.is_empty();
    let mut rows = Vec::new();
    for ((path, file), metadata) in session.paths().iter().zip(&folded.files).zip(&metadata) {
        // `wc` says of a directory that it can't be read, and that it has 0 lines.
        let directory = metadata.as_ref().is_ok_and(Metadata::is_dir);
        let lines = file
            .as_ref()
            .map(|file| file.lines)
            .or(directory.then_some(0));
        rows.extend(lines.map(|lines| Row {
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
    let text = wc::rows(rows, width(&metadata));
    let outcome = folded.outcome();
    session.write(&text)?;
    folded.print_stats();
    Ok(outcome)
}

/// What the system says of an input before it is read: what `wc` looks at to find the width of its
/// columns.
fn metadata(path: &OsString) -> io::Result<Metadata> {
    if path == "-" {
        fs::metadata("/dev/stdin")
    } else {
        fs::metadata(path)
    }
}

fn width(metadata: &[io::Result<Metadata>]) -> usize {
    if metadata.len() == 1 {
        return 1;
    }
    let known = || metadata.iter().flatten();
    let bytes = known()
        .filter(|file| file.is_file())
        .map(Metadata::len)
        .sum();
    wc::width(bytes, known().any(|file| !file.is_file()))
}
