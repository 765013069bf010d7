//! The command `fecscan`: arguments to a command, its outcome to an exit status.

mod cli;
mod commands;
mod startup;

use std::process::ExitCode;

use fecscan::error::Error;

use crate::cli::{Cli, Command};
use crate::commands::{
    Outcome, by, completions, count, diff, export, generate, info, manual, merge, messages, report,
};

fn main() -> ExitCode {
    startup::end_at_panics();
    fecscan::input::fault::install("fecscan");
    completions::answer_shell();
    let done = cli::parse().map_or_else(|error| messages::print_clap(&error), run);
    done.unwrap_or_else(|error| {
        messages::print(&error.with_advice());
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
