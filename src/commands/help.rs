//! `fecscan help [COMMAND]`.

use clap::CommandFactory;
use fecscan::error::{Error, ErrorKind, escaped};

use super::{Outcome, messages};
use crate::cli::Cli;

/// Runs the command.
pub(crate) fn run(command: Option<&str>) -> Result<Outcome, Error> {
    let mut cli = Cli::command();
    // Commands get their usage line when the whole is built.
    cli.build();
    let text = match command {
        None => cli.render_help(),
        Some(name) => match cli.find_subcommand_mut(name) {
            Some(command) => command.render_long_help(),
            None => {
                let what = format!("there is no command '{}'", escaped(name.as_bytes()));
                let advice = match messages::near_command(name) {
                    Some(near) => format!("did you mean 'fecscan help {near}'?"),
                    None => "try 'fecscan help'".to_owned(),
                };
                return Err(Error::new(ErrorKind::Usage, what).advise(advice));
            }
        },
    };
    messages::print_help(&text.to_string())
}
