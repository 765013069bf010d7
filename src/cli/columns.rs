//! The options of `columns`.

use std::path::PathBuf;

use clap::Args;
use fecscan::render::Format;

use super::common::Schema;
use super::format::{OF_LISTS, one_of};

/// The options of `columns`.
#[derive(Args, Debug)]
pub(crate) struct ColumnsArgs {
    /// The schema: indiv, oth, pas2, cm, cn, ccl or oppexp [default: all]
    #[arg(ignore_case = true, hide_possible_values = true)]
    pub(crate) schema: Option<Schema>,

    /// Print in this format: text, json, ndjson, csv, tsv or markdown [default: by the extension of -o,
    /// else text]
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = one_of(OF_LISTS), ignore_case = true, hide_possible_values = true)]
    pub(crate) format: Option<Format>,

    /// Write the result to this file, whole or not at all
    ///
    /// An extension such as .json chooses the format, if there is no --format.
    ///
    /// Example: -o columns.csv
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
