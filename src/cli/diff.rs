//! The options of `diff`.

use clap::Args;
use fecscan::render::Format;

use super::common::Common;
use super::format::OF_LISTS;
use super::values;

/// The options of `diff`.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// Compare rows by this column, or by several together
    ///
    /// A column is a name, an alias, a number such as '#21', or a function of a column, as in 'fecscan by'. Its bytes are the key
    /// as they stand. A key of several rows of one version is counted, and the first three are named, in the order of their
    /// bytes. Rows whose key is empty or missing are counted too, and compared with none.
    ///
    /// Example: --key CMTE_ID,TRAN_ID
    #[arg(long, value_name = "KEY[,KEY]...", default_value = "SUB_ID")]
    pub(crate) key: String,

    /// Options of all commands that read files.
    #[command(flatten)]
    pub(crate) common: Common,

    /// Print in this format: text, json, ndjson, csv, tsv, markdown or xlsx [default: by the extension of -o, else
    /// text]
    ///
    /// json is one object, with the rows and the double keys of both versions. The others have the columns change, which
    /// is +, -, ~ or =, and rows.
    ///
    /// Example: -f json
    #[arg(short, long, value_parser = values::format(OF_LISTS), ignore_case = true, hide_possible_values = true)]
    pub(crate) format: Option<Format>,
}
