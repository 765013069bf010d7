//! The options that all commands have that read files.

use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;

use crate::fec::schema::Schema;
use clap::{Args, ValueEnum};

use super::layout::LayoutOptions;
use super::output::OutputOption;
use super::values::{self, byte_count, byte_range, threads};

#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// Files to read as one sequence of lines: plain, gzip, zstd or zip; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,

    /// Join a file of committees (cm), candidates (cn) or links between both (ccl). Repeatable
    ///
    /// It is a LEFT JOIN: CMTE_ID leads to cm and ccl, and CAND_ID to cn, or the committee does. A name that the scanned file has too means the
    /// scanned file's: write cm.CAND_ID for the other. Columns of rows without a match are NULL. A row with several matches is a row for each.
    /// NAME=FILE joins a table by --on, one of the FEC's or CSV with a header: its columns are NAME.COLUMN.
    /// Example: --with cm.txt --with cn.txt, or --with geo=zip.csv --on "zip5(zip) = geo.zip"
    #[arg(long, value_name = "[NAME=]FILE")]
    pub(crate) with: Vec<OsString>,

    /// Say how rows lead to a table of --with NAME=FILE
    ///
    /// The expression of SQL is one of the rows, or of a table joined before. Example: --with other=cm.txt --on "OTHER_ID = other.CMTE_ID"
    #[arg(long, value_name = "EXPRESSION = NAME.COLUMN")]
    pub(crate) on: Vec<String>,

    /// Take only the lines for which this expression of SQL is true. Repeatable: all must be true
    ///
    /// Texts stand in single quotes, so quote the condition in double quotes. LIKE and ILIKE take % for any text; ILIKE ignores case. ~ finds a
    /// regular expression. An empty text is '', never NULL. An empty or malformed number or date is NULL, and a condition on NULL is not true.
    ///
    /// Example: --where "STATE IN ('CA', 'NY') AND (amount >= 1000 OR employer ILIKE '%google%')"
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    pub(crate) conditions: Vec<String>,

    /// Take only the rows that the FEC codes as contributions by individuals
    ///
    /// That leaves out refunds and conduit copies, but neither memo rows (--where "memo_cd <> 'X'") nor negative amounts. TRANSACTION_TP is one of
    /// 10, 10J, 11, 11J, 15, 15E, 15J, 30, 30E, 30J, 30T, 31, 31E, 31J, 31T, 32, 32E, 32J and 32T. Example: --contributions
    #[arg(long)]
    pub(crate) contributions: bool,

    /// Read rows by this schema [default: by file or member name, else indiv]
    ///
    /// 'fecscan columns' lists the schemas. Rows that contradict the schema are refused. Example: --schema pas2
    #[arg(long, value_parser = values::schema(Schema::ALL))]
    pub(crate) schema: Option<Schema>,

    #[command(flatten)]
    pub(crate) layout: LayoutOptions,

    /// Read only the lines that begin in these bytes of one plain FILE
    ///
    /// START counts, END does not; either may be missing. K, M, G and T are powers of 1024. Lines are whole, so ranges that tile a file have
    /// each line once. With --slices, bytes are those of an archive's slices, one after the other. Example: --range 0:1G
    #[arg(long, value_name = "START:END", value_parser = byte_range)]
    pub(crate) range: Option<Range<u64>>,

    /// Read the members of zip archives that match this pattern [default: .txt outside of folders]. Repeatable
    ///
    /// A * stands for any characters, also for /, and ? for any one. The FEC's folders hold the same rows again, sliced by date. Example:
    /// --member "by_date/*" --member itcont.txt
    #[arg(long, value_name = "PATTERN")]
    pub(crate) member: Vec<OsString>,

    /// Read the slices of archives instead of the member that they repeat, or refuse the archive
    ///
    /// The FEC's archives have the rows of itcont.txt again, cut by date, in a folder by_date. Several threads can unpack slices, and only one
    /// the big member. Rows come in the order of the slices, and the report names no lines. An archive is refused if its slices have more or
    /// fewer bytes than the member, or if one ends within a line.
    ///
    /// Example: --slices indiv18.zip
    #[arg(long, conflicts_with = "member")]
    pub(crate) slices: bool,

    /// Refuse a compressed file, or a member of an archive, that holds more bytes than this
    ///
    /// K, M, G and T are powers of 1024. Always refused are files with more than a GiB and more than 200 times their compressed bytes, archives
    /// of more than 100,000 members, and zstd files with a window of more than 128 MiB. Example: --max-member-bytes 20G
    #[arg(long, value_name = "N[K|M|G|T]", default_value = "1T", value_parser = byte_count)]
    pub(crate) max_member_bytes: u64,

    #[command(flatten)]
    pub(crate) output: OutputOption,

    #[command(flatten)]
    pub(crate) work: WorkOptions,

    /// How to read files: auto, mmap or read
    ///
    /// auto maps named files that are not compressed. Example: --io read
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) io: Io,

    /// Use these processor instructions: auto, avx512, avx2, neon or portable [default: auto]
    ///
    /// All have the same results. The variable FECSCAN_SIMD chooses, too.
    ///
    /// Example: --simd portable
    #[arg(long, value_name = "LEVEL", value_parser = SIMD_LEVELS)]
    pub(crate) simd: Option<String>,

    /// The size of a task, in bytes, for tests. It also allows more threads than processors.
    #[arg(long, value_name = "BYTES", hide = true)]
    pub(crate) task_size: Option<NonZeroU64>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct WorkOptions {
    /// Work with N threads, whose results are the same [default: the processors this process may use]
    ///
    /// Example: -j 1
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Show no progress bar
    ///
    /// A terminal has one, if the work takes more than half a second. Example: --no-progress
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Print one line on standard error: bytes, lines, seconds, GB/s, threads, io and simd as used
    ///
    /// With a condition, the number of matching lines follows that of all lines. Example: --stats
    #[arg(long)]
    pub(crate) stats: bool,
}

impl Common {
    /// Says whether rows are chosen by what stands in them.
    pub(crate) fn chooses_rows(&self) -> bool {
        self.contributions || !self.conditions.is_empty()
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Io {
    Auto,
    Mmap,
    Read,
}

/// The names of SIMD levels; `auto` is the best one of the processor.
pub(crate) const SIMD_LEVELS: [&str; 5] = ["auto", "avx512", "avx2", "neon", "portable"];
