//! `fecscan help [COMMAND]`, and `fecscan man [COMMAND]`: manual pages. Both are made of the definition of the command line.

use crate::error::{Error, escaped};
use clap::Command;
use clap_mangen::Man;

use super::{Outcome, messages, outputs, usage};
use crate::cli::{self, ManArgs};

/// The command that shows a page from a pipe. The `man` of macOS reads no pipes; its `mandoc` does, since macOS 13.
const VIEWER: &str = if cfg!(target_os = "macos") {
    "mandoc -a"
} else {
    "man -l -"
};

pub(crate) fn help(name: Option<&str>) -> Result<Outcome, Error> {
    let mut cli = cli::command();
    let text = match name {
        None => cli.render_help(),
        Some("input") => cli::input().render_long_help(),
        Some(name) => command(&cli, name)?.clone().render_long_help(),
    };
    messages::print_help(&text.to_string())
}

pub(crate) fn man(args: ManArgs) -> Result<Outcome, Error> {
    let cli = cli::command();
    if let Some(directory) = args.directory {
        for command in [&cli].into_iter().chain(cli.get_subcommands()) {
            let path = directory.join(Man::new(command.clone()).get_filename());
            outputs::write(outputs::open(Some(&path), &[])?, &page(command))?;
        }
        return Ok(Outcome::Done);
    }
    let command = match &args.command {
        Some(name) => command(&cli, name)?,
        None => &cli,
    };
    let output = outputs::open(args.output.path.as_deref(), &[])?;
    let is_terminal = output.is_terminal();
    outputs::write(output, &page(command))?;
    if is_terminal {
        let name = args.command.map(|name| format!(" {name}"));
        messages::note(&format_args!(
            "that is for man to draw: fecscan man{} | {VIEWER}",
            name.unwrap_or_default()
        ));
    }
    Ok(Outcome::Done)
}

fn command<'a>(cli: &'a Command, name: &str) -> Result<&'a Command, Error> {
    cli.find_subcommand(name).ok_or_else(|| {
        let what = format!("there is no command '{}'", escaped(name.as_bytes()));
        let near = messages::near_command(name);
        let near = near.map(|near| format!("did you mean '{near}'?"));
        usage(what, near.unwrap_or("try 'fecscan help'".to_owned()))
    })
}

fn page(command: &Command) -> Vec<u8> {
    let mut page = Vec::new();
    let written = Man::new(command.clone()).render(&mut page);
    written.expect("memory takes all that is written to it");
    page
}
