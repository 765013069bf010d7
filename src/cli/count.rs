//! The options of `count`.

use crate::render::{Format, ResultKind};
use clap::Args;

use super::common::Common;
use super::output::{PartialOption, StatementOption};
use super::values;

#[derive(Args, Debug)]
pub(crate) struct CountArgs {
    #[command(flatten)]
    pub(crate) common: Common,

    #[command(flatten)]
    pub(crate) statement: StatementOption,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// text is that of wc -l; json is one object with the keys files and lines, as in the report. csv, tsv and
    /// markdown have a row for each file: file, lines, bytes.
    ///
    /// Example: -f json
    #[arg(short, long, value_parser = values::format(ResultKind::Count))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) partial: PartialOption,
}
