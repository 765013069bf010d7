//! The command `fecscan`: arguments to a command, its outcome to an exit status.

mod cli;
mod commands;
mod startup;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::commands::{Outcome, count, generate, messages, report};

fn main() -> ExitCode {
    fecscan::input::fault::install("fecscan");
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(asked_or_wrong) => return messages::of_clap(&asked_or_wrong).into(),
    };
    let done = match cli.command {
        None => report::run(cli.report),
        Some(Command::Report(args)) => report::run(*args),
        Some(Command::Count(args)) => count::run(args),
        Some(Command::Generate(args)) => generate::run(args),
    };
    done.unwrap_or_else(|error| {
        messages::print(&error);
        Outcome::Failed
    })
    .into()
}
