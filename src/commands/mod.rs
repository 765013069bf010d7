//! The commands, one file each: options to a fold, its result to a renderer.

pub(crate) mod by;
mod command_line;
pub(crate) mod completions;
pub(crate) mod count;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod info;
mod joins;
mod layouts;
pub(crate) mod manual;
pub(crate) mod merge;
pub(crate) mod messages;
mod options;
mod outputs;
mod partials;
mod progress;
mod rejects;
pub(crate) mod report;
mod schemas;
mod session;
mod signals;

use std::process::ExitCode;

use fecscan::error::{Error, ErrorKind};

/// Returns the error for arguments that make no sense, with what to do about it.
fn usage(what: impl Into<String>, advice: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, what).advise(advice)
}

/// How a command ended; the numbers are exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Without errors.
    Done = 0,
    /// Without errors, but `--strict` found rows that break the schema.
    OddRows = 1,
    /// With a usage error, an input that could not be read whole, or a result that could not be
    /// written.
    Failed = 2,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome as u8)
    }
}
