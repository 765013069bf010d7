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

    /// Join a file of committees (cm), candidates (cn) or links between both (ccl), for its columns
    ///
    /// Its columns can be named wherever columns of the rows can. CMTE_ID leads to cm and ccl, and CAND_ID to cn. Files without CAND_ID lead to
    /// cn through the first of cm and ccl that is joined: write it too. The file is plain, gzip, zstd or zip. Its name or its rows tell the schema.
    ///
    /// A name that the scanned file has too means the scanned file's: write cm.CAND_ID for the other one. Columns of rows without a partner
    /// are NULL, and a note counts these rows. If an identifier occurs twice in the file, by counts a row once for each of its partners,
    /// and other commands take the last one. Repeat the option for each file.
    ///
    /// NAME=FILE joins any table under a name, and --on says how rows lead to it. The file is one of the FEC's, of any schema, or CSV with
    /// a header: columns have commas, semicolons, tabs or pipes between them, and values may stand in quotes. Its columns are
    /// NAME.COLUMN. A file whose own name has a = is written with its folder: ./a=b.txt.
    ///
    /// Example: --with cm.txt --with cn.txt, or --with geo=zip.csv --on 'zip5(zip)=geo.zip'
    #[arg(long, value_name = "[NAME=]FILE")]
    pub(crate) with: Vec<OsString>,

    /// Say how rows lead to a table of --with NAME=FILE: EXPRESSION=NAME.COLUMN
    ///
    /// The expression is a column of the rows or of a table joined before, or a function of one. A row of the table is the
    /// partner if its column has that value, byte by byte; white space around values of CSV does not count.
    ///
    /// Example: --with other=cm.txt --on 'OTHER_ID=other.CMTE_ID'
    #[arg(long, value_name = "EXPRESSION=NAME.COLUMN")]
    pub(crate) on: Vec<String>,

    /// Whether a row counts once for each of its partners, as `by` counts.
    #[arg(skip)]
    pub(crate) each: bool,

    /// Take only the lines for which this condition is true
    ///
    /// A condition is an expression of SQL. Texts stand in single quotes, so quote the condition in double quotes. A column has a name such
    /// as STATE, a short name, or a number such as #8, in any case; columns of joined files too. The short names of columns 1 to 21 of
    /// indiv are committee, amendment, report, election, image, type, entity, name, city, state, zip, employer, occupation, date,
    /// amount, other, transaction, filing, memo, text and id.
    ///
    /// = <> < <= > >=, BETWEEN and IN compare. LIKE and ILIKE take % for any text and _ for any character; ILIKE ignores case. ~ finds a
    /// regular expression. AND, OR and NOT connect. 'fecscan help sql' lists the functions.
    ///
    /// An empty text is '', and never NULL. A number or a date that is empty or malformed is NULL, and so is a column of a joined
    /// file where a row has no partner; a condition on NULL is not true. If the option is repeated, all conditions must be true.
    ///
    /// Example: --where "STATE IN ('CA', 'NY') AND (amount >= 1000 OR employer ILIKE '%google%')"
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    pub(crate) conditions: Vec<String>,

    /// Take only the rows that the FEC codes as contributions by individuals
    ///
    /// By the FEC's own rule, TRANSACTION_TP is one of 10, 10J, 11, 11J, 15, 15E, 15J, 30, 30E, 30J, 30T,
    /// 31, 31E, 31J, 31T, 32, 32E, 32J and 32T. That leaves out the types of refunds and conduit copies.
    /// Memo rows of these types stay, and so do negative amounts. --where "memo_cd <> 'X'" leaves memo rows
    /// out.
    ///
    /// Example: --contributions
    #[arg(long)]
    pub(crate) contributions: bool,

    /// Read rows by this schema: indiv, oth, pas2, cm, cn, ccl, oppexp, weball, webl or webk [default: by
    /// file or member name, else indiv]
    ///
    /// A file whose name tells no schema must have rows of indiv, or conditions on it are refused. Files
    /// whose columns differ are refused wherever columns matter. Files of indiv and oth have the same columns.
    ///
    /// Example: --schema pas2
    #[arg(long, value_parser = values::schema(Schema::ALL))]
    pub(crate) schema: Option<Schema>,

    #[command(flatten)]
    pub(crate) layout: LayoutOptions,

    /// Read only the lines that begin in these bytes of the file
    ///
    /// START counts, END does not; either may be missing. K, M, G and T are powers of 1024. A line is whole, even if
    /// it ends behind END. So ranges that tile a file have each of its lines once, wherever they cut it. There can
    /// be one FILE, a plain one.
    ///
    /// With --slices, it can be an archive. Bytes are then those of its slices, unpacked and one after the other: as many
    /// as the member has that they repeat. Slices that begin in the range are read, and they are whole.
    ///
    /// Example: --range 0:1G
    #[arg(long, value_name = "START:END", value_parser = byte_range)]
    pub(crate) range: Option<Range<u64>>,

    /// Read the members of zip archives that match this pattern [default: .txt outside of folders]
    ///
    /// The pattern must match the whole name: * stands for any characters, also for /, and ? for any
    /// one. The option can be given several times. By default, members in folders are left out: the
    /// FEC's hold the same rows again, sliced by date.
    ///
    /// Example: --member 'by_date/*' --member itcont.txt
    #[arg(long, value_name = "PATTERN")]
    pub(crate) member: Vec<OsString>,

    /// Read the slices of archives instead of the member that they repeat, or refuse the archive
    ///
    /// The FEC's archives have the rows of itcont.txt again, cut by date, in a folder by_date. Several threads can unpack slices, and
    /// only one can unpack the big member. Rows come in the order of the slices, and the report names no lines. An archive is
    /// refused if its slices have more bytes than the member, or fewer, and so is a slice that ends within a line. The rows of both are
    /// not compared.
    ///
    /// Example: --slices indiv18.zip
    #[arg(long, conflicts_with = "member")]
    pub(crate) slices: bool,

    /// Refuse a compressed file, or a member of an archive, that holds more bytes than this
    ///
    /// K, M, G and T are powers of 1024. Always refused are files with more than a GiB and more than
    /// 200 times their compressed bytes (the FEC's have about 5 times). So are archives of more than
    /// 100,000 members, and zstd files with a window of more than 128 MiB.
    ///
    /// Example: --max-member-bytes 20G
    #[arg(long, value_name = "N[K|M|G|T]", default_value = "1T", value_parser = byte_count)]
    pub(crate) max_member_bytes: u64,

    #[command(flatten)]
    pub(crate) output: OutputOption,

    #[command(flatten)]
    pub(crate) work: WorkOptions,

    /// How to read files: auto, mmap or read
    ///
    /// auto maps named files, and reads standard input. Compressed files are always read, and so are
    /// files that can't be mapped.
    ///
    /// Example: --io read
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) io: Io,

    /// Use these processor instructions: auto, avx512, avx2, neon or portable [default: auto]
    ///
    /// auto takes the best level of the processor. Results are the same for all. Without the option,
    /// the environment variable FECSCAN_SIMD chooses.
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
    /// Work with N threads [default: the processors this process may use]
    ///
    /// Results are the same for every number. More threads than processors never help, so there are
    /// no more.
    ///
    /// Example: -j 1
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Show no progress bar
    ///
    /// By default there is one on a terminal, if the work takes more than half a second.
    ///
    /// Example: --no-progress
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Afterwards, print one line on standard error: bytes, lines, seconds, GB/s, threads, io and
    /// simd as used
    ///
    /// With a condition, the number of matching lines follows that of all lines.
    ///
    /// Example: --stats
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
