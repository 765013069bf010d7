//! The options of `info` and `columns`.

use std::ffi::OsString;

use crate::fec::schema::Schema;
use crate::render::{Format, ResultKind};
use clap::Args;

use super::layout::LayoutOptions;
use super::output::OutputOption;
use super::values;

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Files to look at: plain, gzip, zstd or zip; '-' is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<OsString>,

    /// Look at files by this schema: indiv, oth, pas2, cm, cn, ccl, oppexp, weball, webl or webk [default: by file or member
    /// name, else by the first rows]
    ///
    /// Example: --schema pas2
    #[arg(long, value_parser = values::schema(Schema::ALL))]
    pub(crate) schema: Option<Schema>,

    #[command(flatten)]
    pub(crate) layout: LayoutOptions,

    /// Look at the members of zip archives that match this pattern [default: .txt outside of folders]
    ///
    /// Example: --member 'by_date/*'
    #[arg(long, value_name = "PATTERN")]
    pub(crate) member: Vec<OsString>,

    #[command(flatten)]
    pub(crate) output: OutputOption,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// json is one array of files, each with its members or its one sequence of lines (parts), and their columns. The
    /// others have a row for each column, with the value of the first row.
    ///
    /// Example: -f json
    #[arg(short, long, value_parser = values::format(ResultKind::List))]
    pub(crate) format: Option<Format>,
}

#[derive(Args, Debug)]
pub(crate) struct ColumnsArgs {
    /// The schema: indiv, oth, pas2, cm, cn, ccl, oppexp, weball, webl or webk [default: all]
    #[arg(value_parser = values::schema(Schema::ALL))]
    pub(crate) schema: Option<Schema>,

    /// Files for the views of --duckdb, which are not compressed
    #[arg(value_name = "FILE", requires = "duckdb")]
    pub(crate) files: Vec<String>,

    /// Print the statements that define the columns of the schema for DuckDB: a view, and the macros that it needs
    ///
    /// DuckDB then gives the rows of 'fecscan sql' for the same statement.
    ///
    /// Example: columns indiv --duckdb itcont.txt
    #[arg(long, requires = "schema", conflicts_with = "format")]
    pub(crate) duckdb: bool,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = values::format(ResultKind::List))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) output: OutputOption,
}
