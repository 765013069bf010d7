//! The options of `completions`, `man` and `help`.

use std::path::PathBuf;

use clap::Args;

use super::output::NewFileOption;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell: bash, zsh, fish or powershell
    // Its usage line lists the shells, for those who forget the argument.
    #[arg(value_name = "bash|zsh|fish|powershell",
        value_parser = ["bash", "zsh", "fish", "powershell"])]
    pub(crate) shell: String,

    #[command(flatten)]
    pub(crate) output: NewFileOption,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command; none for the page of the program, which names all commands
    pub(crate) command: Option<String>,

    /// Write all pages to this directory, which is there
    ///
    /// They are fecscan.1, fecscan-by.1 and so on.
    ///
    /// Example: --directory ~/.local/share/man/man1
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["command", "output"])]
    pub(crate) directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: NewFileOption,
}

#[derive(Args, Debug)]
pub(crate) struct HelpArgs {
    /// The command, or input; none for the summary
    pub(crate) command: Option<String>,
}
