//! The options of `columns`.

use clap::Args;
use fecscan::fec::schema::Schema;
use fecscan::render::Format;

use super::format::OF_LISTS;
use super::output::OutputOption;
use super::values;

/// The options of `columns`.
#[derive(Args, Debug)]
pub(crate) struct ColumnsArgs {
    /// The schema: indiv, oth, pas2, cm, cn, ccl, oppexp, weball, webl or webk [default: all]
    #[arg(value_parser = values::schema(Schema::ALL), ignore_case = true, hide_possible_values = true)]
    pub(crate) schema: Option<Schema>,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = values::format(OF_LISTS), ignore_case = true)]
    pub(crate) format: Option<Format>,

    /// Where the result goes.
    #[command(flatten)]
    pub(crate) output: OutputOption,
}
