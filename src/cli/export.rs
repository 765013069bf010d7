//! The options of `export`.

use crate::render::{Format, ResultKind};
use clap::Args;

use super::common::Common;
use super::output::{ColorOption, CompressionOption};
use super::values::{self, SampleSize, number};

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// Export these columns, in this order [default: all columns of the schema]
    ///
    /// A column is a name such as STATE, an alias, or a number such as '#10'. 'fecscan columns' lists them.
    /// The name * means all columns that are not named: 'cycle,*'. Columns of joined files can be exported too, and functions of
    /// columns: day, week, month, quarter, year, weekday, zip5, zip3, first_name, last_name, upper, lower, trim, prefix(C,3), len and
    /// bin(C,200,500). Quote parentheses: they have a meaning for the shell. The option can be repeated, and each column can be named once.
    ///
    /// Example: --columns 'NAME,amount,month(TRANSACTION_DT)'
    #[arg(long, value_name = "C[,C]...")]
    pub(crate) columns: Vec<String>,

    /// Export the first N rows only [default: all, and 20 on a terminal]
    ///
    /// Nothing is read after them. With --where, the first N matching rows.
    ///
    /// Example: --head 1000, which -n 1000, --limit 1000 and --top 1000 mean too
    #[arg(long, visible_aliases = ["limit", "top"], visible_short_alias = 'n', value_name = "N",
        allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) head: Option<u64>,

    /// Export a random sample: N rows, or each row with a probability of P%
    ///
    /// The rows keep the order of the input. They are the same for any number of threads, and in a file and its archive. All rows
    /// are equally likely; with --where, all matching rows. N rows take a second pass, so no pipe can be read. If there are
    /// fewer rows, all are exported. --head counts rows of the sample.
    ///
    /// Example: --sample 1000, or --sample 0.1%
    #[arg(long, value_name = "N|P%", allow_negative_numbers = true, value_parser = values::sample_size)]
    pub(crate) sample: Option<SampleSize>,

    /// Draw the sample of this seed
    ///
    /// Example: --sample 1000 --seed 7
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Print in this format [default: by the extension of -o, else text on a terminal, else ndjson]
    ///
    /// ndjson has one object a line, and json one array of them. Both are valid UTF-8: a value whose bytes are
    /// not is decoded as Windows-1252. csv and tsv have a line of column names, and keep all bytes. csv quotes
    /// as RFC 4180 says. tsv escapes tab, newline, carriage return and backslash as \t, \n, \r and \\.
    ///
    /// text is for people: aligned by the first 100 rows. Wider values after them move the rest of their row.
    /// On a terminal, columns that do not fit are left out.
    ///
    /// parquet is a file of columns, and arrow a stream of batches of them (IPC), in programs built with
    /// them. Texts are valid UTF-8 there, as in JSON.
    ///
    /// xlsx is a workbook for spreadsheets. Amounts and dates are numbers there; zip codes and identifiers keep all their
    /// digits as text. A sheet has at most 1,048,576 rows: more are an error.
    ///
    /// A row that lacks a column has an empty value there, in all formats.
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = values::format(ResultKind::Rows))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) compression: CompressionOption,

    #[command(flatten)]
    pub(crate) color: ColorOption,
}
