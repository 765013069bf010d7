//! `fecscan help [COMMAND]`.

use clap::Command;
use fecscan::error::{Error, escaped};

use super::{Outcome, messages, usage};
use crate::cli;

/// Runs the command.
pub(crate) fn run(name: Option<&str>) -> Result<Outcome, Error> {
    let mut cli = cli::command();
    let text = match name {
        None => cli.render_help(),
        Some(name) => command(&cli, name)?.clone().render_long_help(),
    };
    messages::print_help(&text.to_string())
}

/// Returns the command that the user has named.
pub(super) fn command<'a>(cli: &'a Command, name: &str) -> Result<&'a Command, Error> {
    cli.find_subcommand(name).ok_or_else(|| {
        let what = format!("there is no command '{}'", escaped(name.as_bytes()));
        let near = messages::near_command(name);
        let near = near.map(|near| format!("did you mean '{near}'?"));
        usage(what, near.unwrap_or("try 'fecscan help'".to_owned()))
    })
}
