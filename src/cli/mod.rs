//! The command line: what can be asked for, and in which words. Nothing here knows how it is done,
//! so that help texts, completions and manual pages can be made from it alone.

mod common;
mod count;
mod generate;
mod report;
mod values;

use clap::{Arg, ArgAction, Parser, Subcommand};

pub use self::common::{Common, Io, Simd};
pub use self::count::CountArgs;
pub use self::generate::{GenerateArgs, GeneratedSchema};
pub use self::report::{Color, MonthColumn, ReportArgs, ReportFormat, Schema};

/// What the program is started with.
#[derive(Debug, Parser)]
#[command(
    name = "fecscan",
    version,
    about = "Scans the FEC's huge pipe-delimited files at the speed of memory",
    override_usage = "fecscan [OPTIONS] [FILE]...\n       fecscan <COMMAND> [OPTIONS] [FILE]...",
    after_help = "Without a command, fecscan answers four questions about contributions by individuals (itcont.txt): how many \
                  lines, which names stand at given lines, how many donations each month, which first name is the most \
                  common. 'fecscan report --help' explains its options; if a file has a command's name, write ./count.\n\n\
                  Exit status: 0 done; 1 done, but --strict found rows that break the schema; 2 usage error, or an \
                  input could not be read whole, or the result could not be written.",
    args_conflicts_with_subcommands = true,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// The command, if one is named.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The report's options, if none is.
    #[command(flatten)]
    pub report: ReportArgs,

    /// Print help
    #[arg(short, long, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

/// The help of a command is long: that is how to see its options explained.
fn long_help() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .help("Print help (see a summary with '-h')")
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer the four questions in one pass (the default)
    ///
    /// Example: fecscan report --name 0,432,43243 --top 10 itcont.txt
    #[command(arg(long_help()))]
    Report(Box<ReportArgs>),

    /// Count newlines, as wc -l prints them
    ///
    /// The output is that of wc -l, byte for byte. Of compressed files, the lines inside are counted.
    ///
    /// Example: fecscan count itcont.txt itoth.txt
    #[command(arg(long_help()))]
    Count(CountArgs),

    /// Write a synthetic file of the same shape as itcont.txt
    ///
    /// Its people do not exist. Each row depends on the seed and its number alone: the same bytes
    /// for any number of threads, and a longer file begins with the shorter one.
    ///
    /// Example: fecscan generate --rows 18245416 -o itcont.txt
    #[command(arg(long_help()))]
    Generate(GenerateArgs),
}
