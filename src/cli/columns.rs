//! The options of `columns`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::Schema;

/// The options of `columns`.
#[derive(Args, Debug)]
pub(crate) struct ColumnsArgs {
    /// The schema: indiv, oth, pas2, cm, cn, ccl or oppexp [default: all]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub(crate) schema: Option<Schema>,

    /// Print in this format: text, json, csv, tsv or markdown [default: by the extension of -o, else
    /// text]
    ///
    /// Example: -f csv
    #[arg(short, long, ignore_case = true, hide_possible_values = true)]
    pub(crate) format: Option<ListFormat>,

    /// Write the result to this file, whole or not at all
    ///
    /// An extension such as .json chooses the format, if there is no --format.
    ///
    /// Example: -o columns.csv
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The formats of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    #[default]
    Text,
    Json,
    Csv,
    Tsv,
    #[value(alias = "md")]
    Markdown,
}
