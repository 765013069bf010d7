//! `fecscan man [COMMAND]`: manual pages, from the definition of the command line.

use clap_mangen::Man;
use fecscan::error::Error;

use super::{Outcome, help, messages, outputs};
use crate::cli::{self, ManArgs};

/// The command that shows a page from a pipe. The `man` of macOS reads no pipes; its `mandoc` does, since macOS 13.
const VIEWER: &str = if cfg!(target_os = "macos") {
    "mandoc -a"
} else {
    "man -l -"
};

/// Runs the command.
pub(crate) fn run(args: ManArgs) -> Result<Outcome, Error> {
    let cli = cli::command();
    if let Some(directory) = args.directory {
        for command in [&cli].into_iter().chain(cli.get_subcommands()) {
            let path = directory.join(Man::new(command.clone()).get_filename());
            outputs::write(outputs::open(Some(&path))?, &page(command))?;
        }
        return Ok(Outcome::Done);
    }
    let command = match &args.command {
        Some(name) => help::command(&cli, name)?,
        None => &cli,
    };
    let output = outputs::open(args.output.path.as_deref())?;
    let is_terminal = output.is_terminal();
    outputs::write(output, &page(command))?;
    if is_terminal {
        let name = args
            .command
            .map_or(String::new(), |name| format!(" {name}"));
        messages::note(&format_args!(
            "that is for man to draw: fecscan man{name} | {VIEWER}"
        ));
    }
    Ok(Outcome::Done)
}

fn page(command: &clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    let written = Man::new(command.clone()).render(&mut page);
    written.expect("memory takes all that is written to it");
    page
}
