//! The commands, one file each: options to a fold, its result to a renderer.

pub mod count;
pub mod generate;
pub mod messages;
pub mod options;
mod progress;
pub mod report;
mod session;
mod stats;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use fecscan::error::{Error, ErrorKind};
use fecscan::render::output::Output;

use crate::startup::is_closed;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All was done.
    Done,
    /// All was done, but `--strict` found rows that break the schema.
    OddRows,
    /// The command made no sense, an input could not be read whole, or the result could not be
    /// written.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Done => 0,
            Outcome::OddRows => 1,
            Outcome::Failed => 2,
        })
    }
}

/// Opens the output at `path`. A standard output that was closed at the start is refused: by now it leads
/// to `/dev/null`.
fn open_output(path: Option<&Path>) -> Result<Output, Error> {
    let descriptor = match path.and_then(Path::to_str) {
        None if path.is_none() => Some(1),
        Some("-" | "/dev/stdout") => Some(1),
        Some("/dev/stderr") => Some(2),
        _ => None,
    };
    if descriptor.is_some_and(is_closed) {
        let closed = io::Error::from_raw_os_error(libc::EBADF);
        let name = path.filter(|path| *path != "-");
        let name = name.unwrap_or("standard output".as_ref());
        return Err(Error::io(ErrorKind::Output, "can't be written", closed).about(name));
    }
    Output::open(path)
}
