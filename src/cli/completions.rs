//! The options of `completions` and `man`.

use std::path::PathBuf;

use clap::Args;

/// The options of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell: bash, zsh, fish or powershell
    // Its usage line lists the shells, for those who forget the argument.
    #[arg(value_name = "bash|zsh|fish|powershell", ignore_case = true, hide_possible_values = true,
        value_parser = ["bash", "zsh", "fish", "powershell"])]
    pub(crate) shell: String,

    /// Write the script to this file, whole or not at all
    ///
    /// Example: -o ~/.local/share/bash-completion/completions/fecscan
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The options of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command; none for the page of the program, which names all commands
    pub(crate) command: Option<String>,

    /// Write all pages to this directory, which is there
    ///
    /// They are fecscan.1, fecscan-by.1 and so on.
    ///
    /// Example: --directory ~/.local/share/man/man1
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "command")]
    pub(crate) directory: Option<PathBuf>,

    /// Write the page to this file, whole or not at all
    ///
    /// Example: -o fecscan.1
    #[arg(short, long, value_name = "FILE", conflicts_with = "directory")]
    pub(crate) output: Option<PathBuf>,
}
