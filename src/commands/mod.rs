//! The commands, one file each: options to a fold, its result to a renderer.

pub mod count;
pub mod generate;
pub mod messages;
pub mod options;
mod progress;
pub mod report;
mod session;
mod stats;

use std::process::ExitCode;

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
