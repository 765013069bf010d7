//! The command `fecscan`: arguments to a command, its outcome to an exit status.

mod cli;
mod commands;
mod startup;

use std::process::ExitCode;

use fecscan::error::Error;

use crate::cli::{Cli, Command};
use crate::commands::{
    Outcome, by, columns, completions, count, diff, export, generate, help, info, man, merge,
    messages, report,
};

fn main() -> ExitCode {
    startup::end_at_panics();
    fecscan::input::fault::install("fecscan");
    completions::answer_shell();
    let done = cli::parse().map_or_else(|error| messages::print_clap(&error), run);
    done.unwrap_or_else(|error| {
        messages::print(&error);
        Outcome::Failed
    })
    .into()
}

fn run(cli: Cli) -> Result<Outcome, Error> {
    if cli.quiet {
        messages::be_quiet();
    }
    match cli.command {
        None => report::run(cli.report),
        Some(Command::Report(args)) => report::run(*args),
        Some(Command::Count(args)) => count::run(*args),
        Some(Command::By(args)) => by::run(*args),
        Some(Command::Diff(args)) => diff::run(*args),
        Some(Command::Export(args)) => export::run(*args),
        Some(Command::Merge(args)) => merge::run(*args),
        Some(Command::Columns(args)) => columns::run(args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Generate(args)) => generate::run(args),
        Some(Command::Completions(args)) => completions::run(args),
        Some(Command::Man(args)) => man::run(args),
        Some(Command::Help { command }) => help::run(command.as_deref()),
    }
}
