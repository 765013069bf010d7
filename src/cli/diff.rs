//! The options of `diff`.

use crate::render::{Format, ResultKind};
use clap::Args;

use super::common::Common;
use super::output::CompressionOption;
use super::values;

/// The key of rows whose schema has it.
pub(crate) const DEFAULT_KEY: &str = "SUB_ID";

#[derive(Args, Debug)]
#[command(mut_arg("files", |files| files.help(
    "OLD and NEW, two versions of the same files: each a file, or a list with commas between files; one can be '-', standard input"
)))]
pub(crate) struct DiffArgs {
    /// Compare rows by this column, or by several together
    ///
    /// A key is a list of SQL: columns, and expressions of them, as in 'fecscan export'. The bytes of a column are the key as they stand in the
    /// file, numbers and days too. Values of expressions are compared as text, and NULL is empty. A key of several rows of one version is
    /// counted, and the first three are named, in the order of their bytes. Rows whose key is empty or missing are counted too, and compared
    /// with none.
    ///
    /// Example: --key CMTE_ID,TRAN_ID, or --key "upper(NAME), left(ZIP_CODE, 5)"
    #[arg(long, value_name = "EXPR[, EXPR]...", default_value = DEFAULT_KEY)]
    pub(crate) key: String,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Write these columns of the rows that differ [default: all columns of the schema]
    ///
    /// They are a list of SQL, as in 'fecscan export'. A first column, change, is +, - or ~.
    ///
    /// Example: -f csv --columns NAME,amount
    #[arg(long, value_name = "EXPR [AS NAME],...")]
    pub(crate) columns: Vec<String>,

    /// Write changed rows as OLD has them, too
    ///
    /// Their change is <. They stand among the removed rows, in the order of OLD. If several rows of OLD have the key of a changed row, all
    /// are written.
    ///
    /// Example: -f csv --old --columns SUB_ID,amount
    #[arg(long)]
    pub(crate) old: bool,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// text and markdown have the numbers of rows that were added, removed, changed and are equal. The others have the
    /// rows, as 'fecscan export' writes them, with a first column change: + for added and ~ for changed rows, as NEW has them and in its
    /// order, then - for removed rows as OLD has them, and with --old < for changed rows. The numbers are a note then. Rows without a key are in none. Files are read
    /// twice, so no pipe can be read.
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = values::format(ResultKind::Diff))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) compression: CompressionOption,
}
