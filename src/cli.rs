//! The command line: what can be asked for, and in which words. Nothing here knows how it is done,
//! so that help texts, completions and manual pages can be made from it alone.

use std::ffi::OsString;
use std::num::{IntErrorKind, NonZeroU64, NonZeroUsize, ParseIntError};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Arg, ArgAction, Args, Parser, Subcommand, ValueEnum, value_parser};

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

/// The options of the report.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Print the names at these lines, counted from zero
    ///
    /// Lines are counted over all files. The option can be given several times.
    ///
    /// Example: --name 0,432,43243
    #[arg(long, value_name = "I[,I]...", allow_negative_numbers = true,
        value_parser = number::<u64>, value_delimiter = ',', default_values_t = [0, 432, 43243])]
    pub name: Vec<u64>,

    /// List the N most common first names
    ///
    /// Example: --top 10
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number::<usize>)]
    pub top: usize,

    /// Take months from this column
    ///
    /// IMAGE_NUM, column 5, begins with the date on which the page was filed, most often the month
    /// after the gift. TRANSACTION_DT, column 14, is the date of the gift.
    ///
    /// Example: --month-column TRANSACTION_DT
    #[arg(
        long,
        value_name = "COLUMN",
        default_value = "IMAGE_NUM",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub month_column: MonthColumn,

    /// Print the report in this format: text, json or challenge
    ///
    /// text is for people; json is one object, for programs; challenge is the reference programs'
    /// own sentences.
    ///
    /// Example: -f json
    #[arg(
        short,
        long,
        default_value = "text",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub format: ReportFormat,

    /// Colour the text: auto, always or never
    ///
    /// auto colours on a terminal, unless the environment variable NO_COLOR is set.
    ///
    /// Example: --color never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub color: Color,

    /// Report rows whose number of columns is not the schema's, and exit with 1 if there are any
    ///
    /// They are counted like all others. The first 20 are listed on standard error, each with its
    /// line (from 1) and the byte at which it begins (from 0).
    ///
    /// Example: --strict
    #[arg(long)]
    pub strict: bool,

    /// Write all rows whose number of columns is not the schema's to this file, as CSV
    ///
    /// Its columns are file, line (from 1), byte (from 0), columns and text. The rows are counted
    /// like all others, and alone do not change the exit status. The file is written whole or not
    /// at all, and has no rows of inputs that could not be read whole. While it is made, it takes
    /// its size twice on disk.
    ///
    /// Example: --rejects odd.csv
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,

    /// Check rows against this schema: indiv, oth, pas2, cm, cn, ccl or oppexp [default: by file or
    /// member name, else indiv]
    ///
    /// Example: --strict --schema pas2
    #[arg(long, ignore_case = true, hide_possible_values = true)]
    pub schema: Option<Schema>,

    /// What all commands have that read files.
    #[command(flatten)]
    pub common: Common,
}

/// The options of `count`.
#[derive(Args, Debug)]
pub struct CountArgs {
    /// What all commands have that read files.
    #[command(flatten)]
    pub common: Common,
}

/// The options of `generate`.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// Write N rows
    ///
    /// Example: --rows 1000000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub rows: u64,

    /// Write the rows of this seed
    ///
    /// Files of different seeds have different rows.
    ///
    /// Example: --seed 7
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seed: u64,

    /// Write rows of this schema: indiv
    ///
    /// Example: --schema indiv
    #[arg(
        long,
        default_value = "indiv",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub schema: GeneratedSchema,

    /// Give one row in a hundred an image number of 11 digits, as they were until July 2015
    ///
    /// Example: --old-image-numbers
    #[arg(long)]
    pub old_image_numbers: bool,

    /// Spoil some rows: bytes above 127, too few or too many columns, columns of thousands of
    /// bytes, CR LF
    ///
    /// Example: --hostile
    #[arg(long)]
    pub hostile: bool,

    /// Write to this file, whole or not at all [default: standard output]
    ///
    /// The rows are written beside it and then renamed, so that nobody sees half of them.
    ///
    /// Example: -o itcont.txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Work with N threads [default: the processors this process may use]
    ///
    /// The rows are the same for every number.
    ///
    /// Example: -j 1
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,

    /// Show no progress bar
    ///
    /// There is one on a terminal, when the work takes more than half a second.
    ///
    /// Example: --no-progress
    #[arg(long)]
    pub no_progress: bool,
}

/// What all commands have that read files.
#[derive(Args, Debug)]
pub struct Common {
    /// The files to read, as one sequence of lines: plain, gzip, zstd or zip; '-' or none is standard
    /// input
    #[arg(value_name = "FILE", value_parser = value_parser!(OsString))]
    pub files: Vec<OsString>,

    /// Write the result to this file, whole or not at all
    ///
    /// The result is written beside it and then renamed, so that nobody sees half of it. It can't
    /// be one of the inputs. To what is no file, such as a pipe or /dev/stdout, it is just written.
    ///
    /// Example: -o result.txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Work with N threads [default: the processors this process may use]
    ///
    /// Results are the same for every number.
    ///
    /// Example: -j 1
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,

    /// How to read files: auto, mmap or read
    ///
    /// auto maps files that are named, and reads standard input. What can't be mapped is read, and
    /// so is what is compressed.
    ///
    /// Example: --io read
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub io: Io,

    /// Use these processor instructions: auto, avx512, avx2 or portable [default: auto]
    ///
    /// auto takes the best that the processor has. Results are the same for all. The environment
    /// variable FECSCAN_SIMD says the same, if the option is not given.
    ///
    /// Example: --simd portable
    #[arg(
        long,
        value_name = "LEVEL",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub simd: Option<Simd>,

    /// Of zip archives, read the members that match this pattern [default: .txt outside of folders]
    ///
    /// The pattern is held against whole names: * stands for any characters, those between folders
    /// too, ? for any one. The option can be given several times. By default, members in folders
    /// are left out because the FEC's hold the same rows again, sliced by date.
    ///
    /// Example: --member 'by_date/*' --member itcont.txt
    #[arg(long, value_name = "PATTERN", value_parser = value_parser!(OsString))]
    pub member: Vec<OsString>,

    /// Refuse a compressed file, or a member of an archive, that holds more bytes than this
    ///
    /// K, M, G and T are powers of 1024. Refused in any case is what comes to more than a GiB and to
    /// more than 200 times its compressed bytes (the FEC's files come to about 5), an archive of more
    /// than 100,000 members, and a zstd file with a window of more than 128 MiB.
    ///
    /// Example: --max-member-bytes 20G
    #[arg(long, value_name = "N[K|M|G|T]", default_value = "1T", value_parser = byte_count)]
    pub max_member_bytes: u64,

    /// Show no progress bar
    ///
    /// There is one on a terminal, when the work takes more than half a second.
    ///
    /// Example: --no-progress
    #[arg(long)]
    pub no_progress: bool,

    /// Afterwards, print one line on standard error: bytes, lines, seconds, GB/s, threads, io and
    /// simd as used
    ///
    /// Example: --stats
    #[arg(long)]
    pub stats: bool,

    /// The size of a task, in bytes. Results do not depend on it; tests try to prove otherwise.
    #[arg(long, value_name = "BYTES", hide = true)]
    pub task_size: Option<NonZeroU64>,
}

/// More threads than any machine has processors are a mistake.
const THREADS_MAX: usize = 4096;

/// A number, with blanks around it if need be.
fn number<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, &'static str> {
    text.trim()
        .parse::<N>()
        .map_err(|error| match error.kind() {
            IntErrorKind::PosOverflow => "that is more than can be counted",
            _ => "a whole number is needed, without separators",
        })
}

/// A number of bytes, perhaps in a unit.
fn byte_count(text: &str) -> Result<u64, &'static str> {
    let unit = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("a whole number is needed, and perhaps one of K, M, G, T"),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| "a whole number is needed, and perhaps one of K, M, G, T")?;
    number
        .checked_mul(1 << shift)
        .ok_or("that is more than can be counted")
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|n: &NonZeroUsize| n.get() <= THREADS_MAX);
    number.ok_or_else(|| format!("a number from 1 to {THREADS_MAX} is needed"))
}

/// The columns that tell months.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MonthColumn {
    #[value(name = "IMAGE_NUM")]
    ImageNum,
    #[value(name = "TRANSACTION_DT")]
    TransactionDate,
}

/// The formats of the report.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ReportFormat {
    Text,
    Json,
    Challenge,
}

/// When to colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// The schemas of the FEC's files.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Schema {
    Indiv,
    Oth,
    Pas2,
    Cm,
    Cn,
    Ccl,
    Oppexp,
}

/// The schemas that rows can be made of.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GeneratedSchema {
    Indiv,
}

/// The ways to get at bytes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Io {
    Auto,
    Mmap,
    Read,
}

/// The SIMD levels.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Simd {
    Auto,
    Avx512,
    Avx2,
    Portable,
}
