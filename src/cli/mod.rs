//! Defines the command line. Nothing here runs the engine, so help texts, completions and manual
//! pages can be made from it alone.

mod arguments;
mod by;
mod common;
mod completions;
mod count;
mod deferred;
mod diff;
mod export;
mod generate;
mod info;
mod layout;
mod merge;
mod output;
mod report;
mod sql;
mod values;

use crate::render::Format;
use crate::scan::simd::Simd;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use self::arguments::{arguments, option};
pub(crate) use self::by::ByArgs;
pub(crate) use self::common::{Common, Io, SIMD_LEVELS};
pub(crate) use self::completions::{CompletionsArgs, HelpArgs, ManArgs};
pub(crate) use self::count::CountArgs;
use self::deferred::Deferred;
pub(crate) use self::diff::{DEFAULT_KEY, DiffArgs};
pub(crate) use self::export::ExportArgs;
pub(crate) use self::generate::GenerateArgs;
pub(crate) use self::info::{ColumnsArgs, InfoArgs};
pub(crate) use self::layout::{LayoutOptions, TypesOf};
pub(crate) use self::merge::MergeArgs;
use self::output::NoteOption;
pub(crate) use self::output::{Color, CompressionOption, LookOptions};
pub(crate) use self::report::ReportArgs;
pub(crate) use self::sql::SqlArgs;

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
    disable_version_flag = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    /// The command; none for the report.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    #[command(flatten)]
    pub(crate) notes: NoteOption,

    /// Print help
    #[arg(short, long, action = ArgAction::HelpShort)]
    help: Option<bool>,

    /// Print the version (-V), and with it formats and SIMD levels (--version)
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let mut matches = definition().try_get_matches_from(arguments())?;
    let of_command = matches.subcommand().map(|(_, of_command)| of_command);
    refuse_doubles(of_command.unwrap_or(&matches))?;
    let is_quiet = of_command.is_some_and(|matches| matches.get_flag("quiet"));
    let mut cli =
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition()))?;
    cli.notes.quiet |= is_quiet;
    Ok(cli)
}

/// Options of one value whose last one does not override the others: files would not be written, and bytes not be read.
const ONCE: [&str; 4] = ["output", "partial", "rejects", "range"];

fn refuse_doubles(matches: &ArgMatches) -> Result<(), clap::Error> {
    for option in ONCE {
        if let Ok(Some(values)) = matches.try_get_raw(option)
            && values.len() > 1
        {
            let what =
                format!("--{option} takes one value, and has several; leave out the others\n");
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, what));
        }
    }
    Ok(())
}

/// Returns the definition of the command line, complete: commands have their options and usage lines.
pub(crate) fn command() -> clap::Command {
    let mut command = definition();
    command.build();
    command
}

/// Returns the definition for the parser, which completes the command that it needs.
fn definition() -> clap::Command {
    under_headings(Cli::command().long_version(version()))
}

/// Returns the names of all commands.
pub(crate) fn commands() -> Vec<String> {
    let cli = Cli::command();
    let commands = cli.get_subcommands();
    commands.map(|c| c.get_name().to_owned()).collect()
}

/// Puts options under headings, and ignores the case of names of formats, schemas and other values.
fn under_headings(command: clap::Command) -> clap::Command {
    let refused = refused(command.get_name());
    let command = command.mut_args(|arg| {
        let takes_values = arg.get_action().takes_values();
        // The help says what the values mean. The names of formats are words enough.
        let hides_values = takes_values && arg.get_id() != "format";
        let arg = arg
            .ignore_case(takes_values)
            .hide_possible_values(hides_values);
        if arg.is_positional() {
            arg
        } else {
            let id = arg.get_id().to_string();
            let id = id.as_str();
            let heading = heading(id);
            let is_hidden = arg.is_hide_set() || refused.contains(&id);
            // Keeps all values, for `refuse_doubles`.
            let is_once = ONCE.contains(&id);
            let arg = if is_once {
                arg.action(ArgAction::Append)
            } else {
                arg
            };
            arg.help_heading(heading)
                .hide(is_hidden)
                .hide_long_help(OF_ALL.contains(&heading))
        }
    });
    let of_all = command.get_arguments().filter(|arg| is_of_all(arg));
    let names: Vec<_> = of_all.filter_map(Arg::get_long).collect();
    if names.is_empty() {
        return command;
    }
    let names = names.join(", ");
    let named =
        format!("'fecscan help input' explains how files are read, and these options: {names}.");
    let after = match command.get_after_long_help() {
        Some(after) => format!("{named}\n\n{after}"),
        None => named,
    };
    command.after_long_help(after)
}

/// The headings of options that are alike in all commands, which the help of a command names and does not explain.
const OF_ALL: [&str; 2] = ["Input", "Speed"];

/// Says whether an option is explained by [`input`].
fn is_of_all(arg: &Arg) -> bool {
    let heading = arg.get_help_heading();
    heading.is_some_and(|heading| OF_ALL.contains(&heading)) && !arg.is_hide_set()
}

/// Returns the definition of nothing but the options that are alike in all commands.
pub(crate) fn input() -> clap::Command {
    let command = command();
    let by = command.find_subcommand("by").expect("it is a command");
    let about =
        "How files are read: files of other kinds, archives and parts of files, and at which speed";
    let only_of_all = |arg: Arg| {
        let is_shown = is_of_all(&arg);
        arg.hide_long_help(false).hide(!is_shown)
    };
    by.clone()
        .mut_args(only_of_all)
        .about(about)
        .long_about(about)
        .override_usage("fecscan [COMMAND] [OPTIONS] [FILE]...")
        .after_long_help("")
}

/// Returns the options that a command shares with others and always refuses. Its help leaves them out.
fn refused(command: &str) -> &'static [&'static str] {
    match command {
        "fecscan" | "report" => &[
            "delimiter",
            "header",
            "names",
            "names_from",
            "types",
            "quotes",
            "skip",
            "comment",
            "dates",
            "decimal_separator",
        ],
        "diff" => &["range"],
        "sql" => &["conditions", "contributions", "with", "on"],
        _ => &[],
    }
}

fn heading(option: &str) -> &'static str {
    match option {
        "conditions" | "contributions" | "with" | "on" | "each" | "schema" | "strict"
        | "rejects" | "force" | "rows" | "seed" | "hostile" | "old_image_numbers" => "Rows",
        "member" | "slices" | "max_member_bytes" | "range" | "delimiter" | "header" | "names"
        | "names_from" | "types" | "quotes" | "skip" | "comment" | "dates"
        | "decimal_separator" => "Input",
        "output" | "format" | "compression" | "color" | "when" | "partial" | "directory"
        | "quiet" => "Output",
        "threads" | "io" | "simd" | "stats" | "no_progress" | "task_size" => "Speed",
        "help" | "version" => "Help",
        _ => "Result",
    }
}

/// Returns the functions of SQL, for its help.
fn functions() -> String {
    let entry = |(name, help): (&str, &str)| {
        let mut lines = format!("  {name:<14} ");
        let mut room = HELP_WIDTH;
        for word in help.split(' ') {
            if word.len() >= room {
                lines.push_str(&format!("\n{:17}", ""));
                room = HELP_WIDTH;
            }
            room -= word.len() + 1;
            lines.push(' ');
            lines.push_str(word);
        }
        lines
    };
    let entries: Vec<_> = crate::sql::functions().map(entry).collect();
    format!("Functions:\n{}", entries.join("\n"))
}

/// The width of the help beside the name of a function, on a terminal of 80 columns.
const HELP_WIDTH: usize = 80 - 17;

fn version() -> String {
    let levels: Vec<_> = Simd::available().map(Simd::name).collect();
    let formats = Format::ALL.map(Format::name);
    format!(
        "{}\nreads: plain, gzip, zstd, zip\nwrites: {}\nSIMD: {}, of {} on this processor",
        env!("CARGO_PKG_VERSION"),
        formats.join(", "),
        Simd::best().name(),
        levels.join(", ")
    )
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer the four questions in one pass (the default)
    ///
    /// Example: fecscan report --name 0,432,43243 --top 10 itcont.txt
    Report(Deferred<ReportArgs>),

    /// Count newlines, as wc -l prints them
    ///
    /// The output is that of wc -l, byte for byte. The lines inside compressed files are counted. With a
    /// condition, matching lines are counted.
    ///
    /// Example: fecscan count itcont.txt itoth.txt
    Count(Deferred<CountArgs>),

    /// Count rows and sum amounts by any columns
    ///
    /// Rows with the same keys make a group. A row is not a gift: 23 to 28 % of real rows are refunds,
    /// conduit copies or memo rows. The text counts them, and says how to leave them out.
    ///
    /// Example: fecscan by STATE --sum amount --contributions itcont.txt
    By(Deferred<ByArgs>),

    /// Write rows in another format, for other programs
    ///
    /// Rows keep the order of the input. If an input fails halfway, standard output has the whole rows written
    /// so far, and the exit status is 2. With -o, no file appears then.
    ///
    /// Example: fecscan export --columns NAME,STATE,amount -f csv -o rows.csv itcont.txt
    Export(Deferred<ExportArgs>),

    /// Answer a statement of SQL
    ///
    /// DuckDB gives the same rows for every statement that is accepted; what is not supported is refused, with what to do
    /// instead. An empty text is '' and never NULL: MEMO_CD <> 'X' keeps rows without one.
    ///
    /// Example: fecscan sql "SELECT STATE, sum(amount) FROM 'indiv18.zip' GROUP BY STATE ORDER BY 2 DESC LIMIT 10"
    #[command(after_long_help = functions())]
    Sql(Deferred<SqlArgs>),

    /// Compare two versions of the same files by a key: rows added, removed, changed
    ///
    /// OLD and NEW are files, or lists of files with commas between them. A row of NEW is equal (=) if OLD has its key and its
    /// line, and changed (~) if OLD has its key only. Otherwise it is added (+). A row of OLD is removed (-) if NEW lacks its
    /// key. The formats of export have these rows, text their numbers. The exit status is 0 also if rows differ.
    ///
    /// Memory follows the rows of OLD, at some 17 bytes each if the key is a whole number, and 26 otherwise, and the
    /// rows that were added.
    ///
    /// Example: fecscan diff indiv18-monday.zip indiv18-sunday.zip
    #[command(override_usage = "fecscan diff [OPTIONS] OLD NEW")]
    Diff(Deferred<DiffArgs>),

    /// Make one result of the partials of many runs
    ///
    /// Partials are written with --partial, by 'report', 'count', 'by' and 'sql': of ranges of a file, of several files, or
    /// both. The result is that of one run over the same inputs, byte by byte. Inputs come in the order in which the
    /// partials name them first. Partials of another question, of another version of a file, damaged, missing or doubled
    /// ones are refused, each by name. That no whole file is missing, only you can know: the result lists the files. A file
    /// and a compressed copy of it are two files.
    ///
    /// Names at given lines are looked up in the files, and joined files are read again, so both must be there. Reports that
    /// were asked with --name none need no files.
    ///
    /// Example: fecscan merge first.part second.part -f json
    Merge(Deferred<MergeArgs>),

    /// Say what files are: members, schema, and the columns of their first rows
    ///
    /// Only the beginnings of files are read. Each column has its number, its name and alias, the length of its longest value in the first
    /// thousand rows, and its values in the first three.
    ///
    /// Example: fecscan info indiv18.zip
    Info(Deferred<InfoArgs>),

    /// List the columns of the FEC's files: number, name, alias, type, meaning
    ///
    /// Example: fecscan columns indiv
    Columns(Deferred<ColumnsArgs>),

    /// Write a synthetic file of the same shape as itcont.txt
    ///
    /// Its people do not exist. Each row depends on the seed and its number alone: the same bytes
    /// for any number of threads, and a longer file begins with the shorter one.
    ///
    /// Example: fecscan generate --rows 18245416 -o itcont.txt
    Generate(Deferred<GenerateArgs>),

    /// Write a script with which a shell completes commands, options, files and columns
    ///
    /// 'fecscan by ST' and the Tab key make STATE. The script asks the program, so it stays the same in later versions.
    ///
    /// Example: fecscan completions bash -o ~/.local/share/bash-completion/completions/fecscan
    Completions(Deferred<CompletionsArgs>),

    /// Write a page of the manual
    ///
    /// Example: fecscan man by | man -l -
    Man(Deferred<ManArgs>),

    /// Explain a command and its options, or how files are read (input)
    ///
    /// Example: fecscan help count
    Help(Deferred<HelpArgs>),
}
