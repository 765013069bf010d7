//! The options of `count`.

use clap::{Args, ValueEnum};

use super::common::Common;
use super::partial::PartialOption;

/// The options of `count`.
#[derive(Args, Debug)]
pub(crate) struct CountArgs {
    /// Print in this format: text or json [default: by the extension of -o, else text]
    ///
    /// text is that of wc -l; json is one object with the keys files and lines, as in the report.
    ///
    /// Example: -f json
    #[arg(short, long, ignore_case = true, hide_possible_values = true)]
    pub(crate) format: Option<CountFormat>,

    /// Where to write a partial.
    #[command(flatten)]
    pub(crate) partial: PartialOption,

    /// Options of all commands that read files.
    #[command(flatten)]
    pub(crate) common: Common,
}

/// The formats of `count`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountFormat {
    #[default]
    Text,
    Json,
}
