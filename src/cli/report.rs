//! The options of the report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::Common;
use super::values::number;

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
