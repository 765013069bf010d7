//! Opens the inputs that are read at the same time, and reports on them. This is the same for all folds, and compiled
//! once.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::input::{Input, file_bytes};
use fecscan::join::WithoutPartner;
use fecscan::render::partners;

use super::Session;
use crate::cli::{arguments, commands};
use crate::commands::progress::Progress;
use crate::commands::{messages, options, outputs};

/// Inputs that are read at the same time.
pub(super) struct Group<'a> {
    paths: &'a [OsString],
    /// The way to read, the name and the notes of each.
    facts: Vec<(&'static str, OsString, Vec<String>)>,
    pub(super) outcomes: Vec<Result<(), Error>>,
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
        let opened = match options::check_standard_input(&paths[0]) {
            Ok(()) => self.opening.open_together(paths, at_once),
            Err(error) => vec![Err(error)],
        };
        let facts = opened.iter().map(|input| match input {
            Ok(input) => (input.io_name(), input.name().to_owned(), input.notes()),
            Err(_) => ("", OsString::new(), Vec::new()),
        });
        let facts = facts.collect();
        expect_less(progress, paths, &opened);
        // Only the last of a group can have failed to open.
        let mut failure = None;
        let inputs = opened
            .into_iter()
            .filter_map(|input| input.map_err(|e| failure = Some(e)).ok());
        let inputs = inputs.collect();
        let group = Group {
            paths,
            facts,
            outcomes: Vec::new(),
            failure,
        };
        (inputs, group)
    }

    /// Prints the notes and errors of a group that was read.
    pub(super) fn end(&self, group: Group<'_>, done: &mut Done, end_input: &dyn Fn(bool)) {
        let failure = group.failure.map(Err);
        let outcomes = group.outcomes.into_iter().chain(failure);
        let inputs = group.paths.iter().zip(group.facts);
        for ((path, (io_name, name, notes)), outcome) in inputs.zip(outcomes) {
            if !self.notes_are_told && !self.is_quiet {
                notes.iter().for_each(|note| messages::note_on(&name, note));
            }
            done.read.push(outcome.is_ok());
            end_input(outcome.is_ok());
            if outcome.is_ok() {
                note_if_empty(path);
            }
            match outcome {
                Ok(()) if done.io_names.contains(&io_name) => {}
                Ok(()) => done.io_names.push(io_name),
                Err(e) => messages::print(&format_args!(
                    "{}{}",
                    perhaps_a_column(e, path).with_advice(),
                    perhaps_a_command(path)
                )),
            }
        }
    }

    pub(super) fn note_on_partners(&self, without: &[WithoutPartner], any_read: bool) {
        for without in without {
            messages::note(&partners::note(without));
        }
        if any_read {
            self.partners
                .unused()
                .for_each(|note| messages::print_note(&note));
        }
    }
}

/// Takes skipped bytes, such as members of archives, out of the expected work.
fn expect_less(progress: &Progress, paths: &[OsString], inputs: &[Result<Input, Error>]) {
    for (path, input) in paths.iter().zip(inputs.iter().flatten()) {
        if let (Some(all), Some(ahead)) = (file_bytes(path), input.bytes_ahead()) {
            progress.expect_less(all.saturating_sub(ahead));
        }
    }
}

/// Advises the option for columns, if a column of an export stands where a file is expected.
fn perhaps_a_column(error: Error, path: &OsStr) -> Error {
    let is_export = arguments().get(1).is_some_and(|first| first == "export");
    let is_wrong = is_export && outputs::is_missing(path);
    let Some(name) = path.to_str().filter(|_| is_wrong) else {
        return error;
    };
    let is_column = |name: &str| Schema::ALL.iter().any(|schema| schema.column(name).is_ok());
    if name.split(',').all(is_column) {
        error.advise(format!(
            "columns go after --columns: fecscan export --columns {name}"
        ))
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
