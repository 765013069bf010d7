//! Opens the inputs that are read at the same time, and reports on them. This is the same for all folds, and compiled
//! once.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::error::Error;
use crate::fec::schema::{FirstLine, Schema};
use crate::input::{Input, file_bytes};

use super::Session;
use crate::cli::{arguments, commands};
use crate::commands::progress::Progress;
use crate::commands::{messages, options, outputs};

/// Inputs that are read at the same time.
pub(super) struct Group<'a> {
    paths: &'a [OsString],
    /// The way to read, the name and the notes of each.
    facts: Vec<(&'static str, OsString, Vec<String>)>,
    /// Of the input after these, which could not be opened.
    failure: Option<Error>,
}

/// The inputs so far.
#[derive(Default)]
pub(super) struct Done {
    /// Whether each was read whole.
    pub(super) read: Vec<bool>,
    /// The ways to read, each once.
    pub(super) io_names: Vec<&'static str>,
}

impl Session<'_> {
    /// Opens inputs to be read at the same time: the one with this number, and perhaps more.
    pub(super) fn open(
        &self,
        first: usize,
        at_once: usize,
        progress: &Progress,
    ) -> (Vec<Input>, Group<'_>) {
        let paths = &self.paths[first..];
        let is_open = self.first.borrow_mut().take().filter(|_| first == 0);
        let opened = match options::check_standard_input(&paths[0]) {
            Ok(()) if let Some(input) = is_open => vec![Ok(input)],
            Ok(()) => self.opening.open_together(paths, at_once),
            Err(error) => vec![Err(error)],
        };
        let (mut inputs, mut facts, mut failure) = (Vec::new(), Vec::new(), None);
        for (path, input) in paths.iter().zip(opened) {
            match input {
                Ok(input) => {
                    // Bytes that will be skipped, such as members of archives, are no work.
                    if let (Some(all), Some(ahead)) = (file_bytes(path), input.bytes_ahead()) {
                        progress.expect_less(all.saturating_sub(ahead));
                    }
                    facts.push((input.io_name(), input.name().to_owned(), input.notes()));
                    inputs.push(input);
                }
                // Only the last of a group can have failed to open.
                Err(error) => {
                    facts.push(("", OsString::new(), Vec::new()));
                    failure = Some(error);
                }
            }
        }
        let group = Group {
            paths,
            facts,
            failure,
        };
        (inputs, group)
    }

    /// Notes that a file is empty whose first line would name its columns.
    fn note_if_without_names(&self, path: &OsStr) {
        let layout = self.opening.schema.and_then(Schema::layout);
        let has_names = layout.is_some_and(|layout| layout.first_line == FirstLine::Names);
        if has_names && !self.is_quiet && file_bytes(path) == Some(0) {
            messages::note_on(path, &"is empty, and names no columns");
        }
    }

    /// Prints the notes and errors of a group that was read, with these outcomes.
    pub(super) fn end(
        &self,
        group: Group<'_>,
        outcomes: Vec<Result<(), Error>>,
        done: &mut Done,
        end_input: &dyn Fn(bool),
    ) {
        let outcomes = outcomes.into_iter().chain(group.failure.map(Err));
        let inputs = group.paths.iter().zip(group.facts);
        for ((path, (io_name, name, notes)), outcome) in inputs.zip(outcomes) {
            if !self.notes_are_told && !self.is_quiet {
                notes.iter().for_each(|note| messages::note_on(&name, note));
            }
            done.read.push(outcome.is_ok());
            end_input(outcome.is_ok());
            if let Err(error) = outcome {
                let error = perhaps_to_be_made(perhaps_a_column(error, path), path);
                let words = error.with_advice() + &perhaps_a_command(path);
                messages::print_marked(&words, &error);
                continue;
            }
            note_if_empty(path);
            self.note_if_without_names(path);
            if !done.io_names.contains(&io_name) {
                done.io_names.push(io_name);
            }
        }
    }
}

/// Advises the option for columns, if a column of an export stands where a file is expected.
fn perhaps_a_column(error: Error, path: &OsStr) -> Error {
    let is_export = arguments().get(1).is_some_and(|first| first == "export");
    let is_wrong = is_export && outputs::is_missing(path);
    let is_column = |name: &str| Schema::ALL.iter().any(|schema| schema.column(name).is_ok());
    match path.to_str() {
        Some(name) if is_wrong && name.split(',').all(is_column) => error.advise(format!(
            "columns go after --columns: fecscan export --columns {name}"
        )),
        _ => error,
    }
}

/// Advises how to make the file of the first example, if it is missing, and where a statement goes.
fn perhaps_to_be_made(error: Error, path: &OsStr) -> Error {
    let text = path.to_str().unwrap_or_default().to_ascii_lowercase();
    if !outputs::is_missing(path) {
        error
    } else if path == "itcont.txt" {
        error.advise("make one to try: fecscan generate --rows 1000000 -o itcont.txt")
    } else if text.starts_with("select ") || text.starts_with("with ") {
        error.advise("a statement goes after sql: fecscan sql \"SELECT ...\"")
    } else {
        error
    }
}

/// Returns an addition to the error for `path`, if it looks like a command after options.
fn perhaps_a_command(path: &OsString) -> String {
    let is_command = |name: &&str| commands().iter().any(|command| command == name);
    match path.to_str().filter(is_command) {
        Some("help") => " (for help: fecscan help)".to_owned(),
        Some(command) => format!(" (a command goes first: fecscan {command} [OPTIONS] ...)"),
        None => String::new(),
    }
}

/// Notes that a file of no bytes is not what its name says. Names tell no format, so it is a file without lines all
/// the same. A download that failed leaves one.
pub(super) fn note_if_empty(path: &OsStr) {
    let extension = Path::new(path).extension().and_then(OsStr::to_str);
    let kind = match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("zip") => "zip archive",
        Some("gz") => "gzip file",
        Some("zst") => "zstd file",
        _ => return,
    };
    if file_bytes(path) == Some(0) {
        let what = format!("is empty, and no {kind}; has its download failed?");
        messages::note_on(path, &what);
    }
}
