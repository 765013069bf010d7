//! The program `fecscan`: arguments to a command, its outcome to an exit status.

use std::process::ExitCode;

use crate::cli::{self, Cli, Command};
use crate::commands::{
    self, Outcome, by, completions, count, diff, export, generate, info, manual, merge, messages,
    report, sql,
};
use crate::error::Error;
use crate::input::fault;

/// Runs the program with the arguments of this process. `closed` has a bit for each of the descriptors 0 to 2 that was closed when the
/// process started.
pub fn main(closed: u8) -> ExitCode {
    commands::note_closed(closed);
    fault::install("fecscan");
    completions::answer_shell();
    let done = cli::parse().map_or_else(|error| messages::print_clap(&error), run);
    done.unwrap_or_else(|error| {
        messages::print_error(&error);
        Outcome::Failed
    })
    .into()
}

fn run(cli: Cli) -> Result<Outcome, Error> {
    if cli.notes.quiet {
        messages::be_quiet();
    }
    match cli.command {
        None => report::run(cli.report),
        Some(Command::Report(args)) => report::run(*args.0),
        Some(Command::Count(args)) => count::run(*args.0),
        Some(Command::By(args)) => by::run(*args.0),
        Some(Command::Sql(args)) => sql::run(*args.0),
        Some(Command::Diff(args)) => diff::run(*args.0),
        Some(Command::Export(args)) => export::run(*args.0),
        Some(Command::Merge(args)) => merge::run(*args.0),
        Some(Command::Columns(args)) => info::columns(*args.0),
        Some(Command::Info(args)) => info::run(*args.0),
        Some(Command::Generate(args)) => generate::run(*args.0),
        Some(Command::Completions(args)) => completions::run(*args.0),
        Some(Command::Man(args)) => manual::man(*args.0),
        Some(Command::Help(args)) => manual::help(args.0.command.as_deref()),
    }
}
