//! `fecscan man`: manual pages, from the definition of the command line.

use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use fecscan::error::{Error, ErrorKind};

use super::{Outcome, messages, outputs};
use crate::cli::{Cli, ManArgs};

/// The command that shows a page from a pipe. The `man` of macOS reads no pipes; its `mandoc` does, since macOS 13.
const VIEWER: &str = if cfg!(target_os = "macos") {
    "mandoc -a"
} else {
    "man -l -"
};

/// Runs the command.
pub(crate) fn run(args: ManArgs) -> Result<Outcome, Error> {
    let mut cli = Cli::command();
    // Commands get their names and usage lines when the whole is built.
    cli.build();
    match args.directory {
        Some(directory) => write_pages(&cli, &directory)?,
        None => {
            let page = rendered(|out| write_whole(&cli, out));
            let output = outputs::open(args.output.as_deref())?;
            let is_terminal = output.is_terminal();
            outputs::write(output, &page)?;
            if is_terminal {
                messages::print(&format_args!(
                    "note: that is for man to draw: fecscan man | {VIEWER}"
                ));
            }
        }
    }
    Ok(Outcome::Done)
}

fn rendered(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Vec<u8> {
    let mut page = Vec::new();
    render(&mut page).expect("memory takes all that is written to it");
    page
}

/// Writes the usage as the help has it. The generator's has no values of options, and no dots after files.
fn write_synopsis(command: &Command, out: &mut dyn io::Write) -> io::Result<()> {
    let usage = command.clone().render_usage().to_string();
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let line = |line: &str| match line.trim().strip_prefix(name) {
        Some(rest) => format!("\\fB{name}\\fR{rest}"),
        None => line.trim().to_owned(),
    };
    let lines = usage.trim_start_matches("Usage: ").lines().map(line);
    let lines: Vec<_> = lines.collect();
    let text = lines.join("\n.br\n").replace('-', "\\-");
    writeln!(out, ".SH SYNOPSIS\n{text}")
}

/// Returns a page with this synopsis instead of the generator's.
fn with_synopsis(page: &[u8], command: &Command) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    let (before, rest) = page.split_once(".SH SYNOPSIS\n").unwrap_or((&page, ""));
    let after = rest.find(".SH ").map_or("", |at| &rest[at..]);
    let synopsis = rendered(|out| write_synopsis(command, out));
    [before.as_bytes(), &synopsis, after.as_bytes()].concat()
}

/// Writes one page of the program and all commands.
fn write_whole(cli: &Command, out: &mut dyn io::Write) -> io::Result<()> {
    let man = Man::new(cli.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    write_synopsis(cli, out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    for command in cli.get_subcommands() {
        let section = rendered(|out| {
            let man = Man::new(command.clone());
            write_synopsis(command, out)?;
            man.render_description_section(out)?;
            man.render_options_section(out)
        });
        // Sections of a command are parts of its own section.
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        let section = section.trim_start_matches([' ', '\n']);
        let preamble = section.find(".SS ").unwrap_or(0);
        writeln!(out, ".SH \"FECSCAN {}\"", command.get_name().to_uppercase())?;
        out.write_all(&section.as_bytes()[preamble..])?;
    }
    man.render_extra_section(out)?;
    man.render_version_section(out)
}

/// Writes a page of the program, and one of each command.
fn write_pages(cli: &Command, directory: &Path) -> Result<(), Error> {
    if !directory.is_dir() {
        return Err(Error::new(ErrorKind::Usage, "is no directory")
            .about(directory)
            .advise("make it first: mkdir -p"));
    }
    for command in [cli].into_iter().chain(cli.get_subcommands()) {
        let man = Man::new(command.clone());
        let page = with_synopsis(&rendered(|out| man.render(out)), command);
        let path = directory.join(man.get_filename());
        outputs::write(outputs::open(Some(&path))?, &page)?;
    }
    Ok(())
}
