//! The options of `sql`.

use clap::Args;

use super::common::Common;
use super::output::{ColorOption, CompressionOption, PartialOption};
use super::values;
use crate::render::{Format, ResultKind};

#[derive(Args, Debug)]
pub(crate) struct SqlArgs {
    /// The statement, or @FILE for one in a file
    ///
    /// FROM names a file in single quotes, or a schema such as indiv, as which the FILEs are read. FROM 'indiv*.zip' reads all files that match.
    /// DuckDB gives the same rows for every statement that is accepted; docs/sql.md says what is.
    #[arg(value_name = "STATEMENT")]
    pub(crate) statement: String,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = values::format(ResultKind::Statement))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) compression: CompressionOption,

    #[command(flatten)]
    pub(crate) color: ColorOption,

    #[command(flatten)]
    pub(crate) partial: PartialOption,

    #[command(flatten)]
    pub(crate) common: Common,
}
