//! The options of `info`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, value_parser};
use fecscan::render::Format;

use super::common::Schema;
use super::format::{OF_LISTS, one_of};

/// The options of `info`.
#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Files to look at: plain, gzip, zstd or zip; '-' is standard input
    #[arg(value_name = "FILE", required = true, value_parser = value_parser!(OsString))]
    pub(crate) files: Vec<OsString>,

    /// Look at files by this schema: indiv, oth, pas2, cm, cn, ccl or oppexp [default: by file or member
    /// name, else by the first rows]
    ///
    /// Example: --schema pas2
    #[arg(long, ignore_case = true, hide_possible_values = true)]
    pub(crate) schema: Option<Schema>,

    /// Look at the members of zip archives that match this pattern [default: .txt outside of folders]
    ///
    /// Example: --member 'by_date/*'
    #[arg(long, value_name = "PATTERN", value_parser = value_parser!(OsString))]
    pub(crate) member: Vec<OsString>,

    /// Write the result to this file, whole or not at all
    ///
    /// An extension such as .json chooses the format, if there is no --format.
    ///
    /// Example: -o info.json
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Print in this format: text, json, ndjson, csv, tsv or markdown [default: by the extension of -o,
    /// else text]
    ///
    /// json is one array of files, each with its members or its one sequence of lines (parts), and their columns. The
    /// others have a row for each column, with the value of the first row.
    ///
    /// Example: -f json
    #[arg(short, long, value_parser = one_of(OF_LISTS), ignore_case = true, hide_possible_values = true)]
    pub(crate) format: Option<Format>,
}
