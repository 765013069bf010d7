//! Defines the command line. Nothing here knows the engine, so help texts, completions and manual
//! pages can be made from it alone.

mod arguments;
mod by;
mod color;
mod columnar;
mod columns;
mod common;
mod completions;
mod count;
mod diff;
mod export;
mod format;
mod generate;
mod merge;
mod partial;
mod report;
mod values;

use clap::{Arg, ArgAction, Parser, Subcommand};

pub(crate) use self::arguments::arguments;
pub(crate) use self::by::ByArgs;
pub(crate) use self::color::Color;
pub(crate) use self::columnar::{Compression, CompressionOption};
pub(crate) use self::columns::ColumnsArgs;
pub(crate) use self::common::{Common, Io, Schema, Simd};
pub(crate) use self::completions::{CompletionsArgs, ManArgs, Shell};
pub(crate) use self::count::CountArgs;
pub(crate) use self::diff::DiffArgs;
pub(crate) use self::export::{ExportArgs, Types};
pub(crate) use self::format::{OF_COUNT, OF_GROUPS, OF_LISTS, OF_REPORT, OF_ROWS};
pub(crate) use self::generate::GenerateArgs;
pub(crate) use self::merge::MergeArgs;
pub(crate) use self::partial::PartialOption;
pub(crate) use self::report::{MonthColumn, ReportArgs};
pub(crate) use self::values::NamedLine;

/// The arguments of the program.
#[derive(Debug, Parser)]
#[command(
    name = "fecscan",
    version,
    about = "Scans the FEC's huge pipe-delimited files at the speed of memory",
    override_usage = "fecscan [OPTIONS] [FILE]...\n       fecscan <COMMAND> [OPTIONS] [FILE]...",
    after_help = "Without a command, fecscan answers four questions about contributions by individuals (itcont.txt): how many \
                  lines, which names stand at given lines, how many rows each month, which first name is the most \
                  common. 'fecscan help report' explains its options; if a file has a command's name, write ./count. Options that \
                  a command has may stand before it: fecscan --stats by STATE itcont.txt.\n\n\
                  Exit status: 0 done; 1 done, but --strict found rows that break the schema; 2 usage error, or an \
                  input could not be read whole, or the result could not be written.",
    args_conflicts_with_subcommands = true,
    args_override_self = true,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    /// The command; none for the report.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// The report's options, without a command.
    #[command(flatten)]
    pub(crate) report: ReportArgs,

    /// Print help
    #[arg(short, long, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

/// Defines the help of a command: long, because it explains the options.
fn long_help() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .help("Print help (see a summary with '-h')")
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer the four questions in one pass (the default)
    ///
    /// Example: fecscan report --name 0,432,43243 --top 10 itcont.txt
    #[command(arg(long_help()), args_override_self = true)]
    Report(Box<ReportArgs>),

    /// Count newlines, as wc -l prints them
    ///
    /// The output is that of wc -l, byte for byte. The lines inside compressed files are counted. With a
    /// condition, matching lines are counted.
    ///
    /// Example: fecscan count itcont.txt itoth.txt
    #[command(arg(long_help()), args_override_self = true)]
    Count(CountArgs),

    /// Count rows and sum amounts by any columns
    ///
    /// Rows with the same keys make a group. A row is not a gift: 23 to 28 % of real rows are refunds,
    /// conduit copies or memo rows. The text counts them, and says how to leave them out.
    ///
    /// Example: fecscan by STATE --sum amount --contributions itcont.txt
    #[command(arg(long_help()), args_override_self = true)]
    By(Box<ByArgs>),

    /// Write rows in another format, for other programs
    ///
    /// Rows keep the order of the input. If an input fails halfway, standard output has the whole rows written
    /// so far, and the exit status is 2. With -o, no file appears then.
    ///
    /// Example: fecscan export --columns NAME,STATE,amount -f csv -o rows.csv itcont.txt
    #[command(arg(long_help()), args_override_self = true)]
    Export(Box<ExportArgs>),

    /// Compare two versions of the same files by a key: rows added, removed, changed
    ///
    /// OLD and NEW are files, or lists of files with commas between them. A row of NEW is equal (=) if OLD has its key and its
    /// line, and changed (~) if OLD has its key only. Otherwise it is added (+). A row of OLD is removed (-) if NEW lacks its
    /// key. The exit status is 0 also if rows differ.
    ///
    /// Memory follows the rows of OLD, at some 17 bytes each if the key is a whole number, and 26 otherwise, and the
    /// rows that were added.
    ///
    /// Example: fecscan diff indiv18-monday.zip indiv18-sunday.zip
    #[command(
        arg(long_help()),
        args_override_self = true,
        override_usage = "fecscan diff [OPTIONS] OLD NEW",
        mut_arg("files", |files| files.help(
            "OLD and NEW, two versions of the same files: each a file, or a list with commas between files; one can be '-', standard input"
        ))
    )]
    Diff(Box<DiffArgs>),

    /// Make one result of the partials of many runs
    ///
    /// Partials are written with --partial, by 'report', 'count' and 'by': of ranges of a file, of several files, or
    /// both. The result is that of one run over the same inputs, byte by byte. Inputs come in the order in which the
    /// partials name them first. Partials of another question, of another version of a file, damaged, missing or doubled
    /// ones are refused, each by name. That no whole file is missing, only you can know: the result lists the files. A file
    /// and a compressed copy of it are two files.
    ///
    /// Names at given lines are looked up in the files, and joined files are read again, so both must be there. Reports that
    /// were asked with --name none need no files.
    ///
    /// Example: fecscan merge first.part second.part -f json
    #[command(arg(long_help()), args_override_self = true)]
    Merge(Box<MergeArgs>),

    /// List the columns of the FEC's files: number, name, alias, kind, meaning
    ///
    /// Example: fecscan columns indiv
    #[command(arg(long_help()), args_override_self = true)]
    Columns(ColumnsArgs),

    /// Write a synthetic file of the same shape as itcont.txt
    ///
    /// Its people do not exist. Each row depends on the seed and its number alone: the same bytes
    /// for any number of threads, and a longer file begins with the shorter one.
    ///
    /// Example: fecscan generate --rows 18245416 -o itcont.txt
    #[command(arg(long_help()), args_override_self = true)]
    Generate(GenerateArgs),

    /// Write a script with which a shell completes commands, options, files and columns
    ///
    /// 'fecscan by ST' and the Tab key make STATE.
    ///
    /// Example: fecscan completions bash -o ~/.local/share/bash-completion/completions/fecscan
    #[command(arg(long_help()))]
    Completions(CompletionsArgs),

    /// Write the manual page, with all commands and options
    ///
    /// Example: fecscan man -o fecscan.1
    #[command(arg(long_help()))]
    Man(ManArgs),

    /// Explain a command and its options
    ///
    /// Example: fecscan help count
    #[command(arg(long_help()))]
    Help {
        /// The command; none for the summary
        command: Option<String>,
    },
}
