//! The options of `export`.

use clap::{Args, ValueEnum};

use super::common::Common;
use super::report::Color;
use super::values::number;

/// The options of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// Export these columns, in this order [default: all columns of the schema]
    ///
    /// A column is a name such as STATE, an alias, or a number such as '#10'. 'fecscan columns' lists them.
    /// Columns of joined files can be exported too. month(C), year(C), zip5(C), first_name(C) and
    /// last_name(C) are made of a column, as in 'fecscan by'. Quote parentheses: they have a meaning for the
    /// shell. The option can be repeated, and each column can be named once.
    ///
    /// Example: --columns 'NAME,amount,month(TRANSACTION_DT)'
    #[arg(long, value_name = "C[,C]...")]
    pub(crate) columns: Vec<String>,

    /// Export the first N rows only [default: all, and 20 on a terminal]
    ///
    /// Nothing is read after them. With --where, the first N matching rows.
    ///
    /// Example: --head 1000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) head: Option<u64>,

    /// Print in this format: ndjson or json [default: by the extension of -o, else ndjson]
    ///
    /// ndjson has one object a line; json is one array of them. Values are strings as they stand in the file, but valid UTF-8: others are
    /// decoded as Windows-1252. A row that lacks a column has an empty value there.
    ///
    /// Example: -f csv
    #[arg(short, long, ignore_case = true, hide_possible_values = true)]
    pub(crate) format: Option<ExportFormat>,

    /// Draw colour in the text: auto, always or never
    ///
    /// auto draws it on a terminal. never, or the environment variable NO_COLOR, leaves it out.
    ///
    /// Example: --color never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub(crate) color: Color,

    /// Options of all commands that read files.
    #[command(flatten)]
    pub(crate) common: Common,
}

/// The formats of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    #[default]
    Ndjson,
    Json,
}
