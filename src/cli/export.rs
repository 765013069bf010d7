//! The options of `export`.

use crate::render::{Format, ResultKind};
use clap::Args;

use super::common::Common;
use super::output::{ColorOption, CompressionOption, StatementOption};
use super::values::{self, number};
use crate::fold::{SAMPLE_SEED, SampleSize};

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// Export these columns, in this order [default: all columns of the schema]
    ///
    /// They are the list behind SELECT of a statement of SQL, whose values are DuckDB's: columns, expressions of them, and a name for each
    /// after AS. A column is a name such as STATE, an alias, or a number such as '#10'. 'fecscan columns' lists them. * is all columns of
    /// the files, and '* EXCLUDE (MEMO_TEXT)' all but some. Columns of joined files can be exported too. Quote expressions: parentheses
    /// and blanks have a meaning for the shell. The option can be repeated, and no two columns can have one name.
    ///
    /// 'fecscan help sql' says more; an aggregate of many rows takes a statement.
    ///
    /// Example: --columns 'NAME, amount, year(date) AS year'
    #[arg(long, value_name = "EXPR [AS NAME],...")]
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
    #[arg(long, value_name = "S", default_value_t = SAMPLE_SEED, requires = "sample", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) statement: StatementOption,

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
