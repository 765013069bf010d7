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
pub(crate) mod sql;

use std::os::fd::RawFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{Error, ErrorKind};

/// Returns the error for arguments that make no sense, with what to do about it.
fn usage(what: impl Into<String>, advice: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, what).advise(advice)
}

/// A bit for each of the descriptors 0 to 2 that was closed when the process started.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Notes which standard descriptors were closed when the process started. Since then, they may be other files.
pub(crate) fn note_closed(closed: u8) {
    CLOSED.store(closed, Ordering::Relaxed);
}

/// Says whether a standard descriptor was closed when the process started.
fn was_closed(descriptor: RawFd) -> bool {
    (0..=2).contains(&descriptor) && CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
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
