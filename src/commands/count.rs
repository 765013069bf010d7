//! `fecscan count [FILE]...`: newlines, as `wc -l` prints them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;

use fecscan::engine::FileLines;
use fecscan::error::{Error, escaped_lines};
use fecscan::fold::LineCount;
use fecscan::render::wc::{self, Row};

use super::Outcome;
use super::session::Session;
use crate::cli::CountArgs;

/// Runs the command.
pub fn run(args: CountArgs) -> Result<Outcome, Error> {
    let session = Session::new(&args.common)?;
    let metadata: Vec<_> = session.paths().iter().map(metadata).collect();
    let folded = session.fold(&LineCount, &[], |_| None);

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
    let text = wc::rows(rows, width(&metadata, &folded.files));
    let outcome = folded.outcome();
    // What `wc` prints if nothing could be read is no result to replace a file by.
    if !folded.result.files.is_empty() || session.output().directory().is_none() {
        match session.output().is_terminal() {
            true => session.write(&escaped_lines(&text))?,
            false => session.write(&text)?,
        }
    }
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

/// The width of the columns. A compressed file counts with the bytes that it holds, as if it had
/// been unpacked; one that says it is empty is made up by the kernel, and `wc` takes its word.
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
