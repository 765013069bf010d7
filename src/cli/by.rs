//! The options of `by`.

use clap::Args;

use crate::render::{Format, ResultKind};

use super::common::Common;
use super::output::{CompressionOption, LookOptions, PartialOption};
use super::values::{self, number};

#[derive(Args, Debug)]
pub(crate) struct ByArgs {
    /// Group by these expressions of SQL, with commas between them
    ///
    /// 'fecscan columns' lists columns: names such as STATE, short names such as date, numbers such as #10. Every input has file (its path), member
    /// (of an archive) and cycle (the even year in these names). 'fecscan help sql' lists the functions. Quote what has parentheses or blanks, as
    /// in fecscan by "STATE, year(date) AS year".
    #[arg(value_name = "EXPR[, EXPR]...")]
    pub(crate) keys: String,

    /// Add up an expression, exactly. Repeatable
    ///
    /// Values that are no numbers are left out, and a note counts them. Example: --sum amount
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) sum: Vec<String>,

    /// Make these aggregates of each group, with commas between them. Repeatable
    ///
    /// count, sum, avg, min, max, median, quantile_disc, count(DISTINCT x) and others, perhaps with FILTER (WHERE ..). Example: --agg "count(DISTINCT name) AS people, median(amount)"
    #[arg(long, value_name = "EXPR [AS NAME], ...", allow_hyphen_values = true)]
    pub(crate) agg: Vec<String>,

    /// Order groups by keys, count, aggregates or names [default: first aggregate or count, DESC]
    ///
    /// Orders ascend without DESC. Equal groups are ordered by their keys. Example: --sort "avg(amount) DESC, STATE"
    #[arg(long, value_name = "EXPR [DESC], ...", allow_hyphen_values = true)]
    pub(crate) sort: Vec<String>,

    /// List the first N groups only
    ///
    /// The text adds up the others in a row (rest). --top and --head are the same option. Example: -n 10
    #[arg(short = 'n', long = "limit", visible_aliases = ["top", "head"], value_name = "N",
        allow_negative_numbers = true, value_parser = number::<usize>)]
    pub(crate) top: Option<usize>,

    /// Fail if there are more than N groups [default: what available memory has room for]
    ///
    /// A group takes some 200 bytes, as does a value of count(DISTINCT). Example: --max-groups 1000000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) max_groups: Option<u64>,

    /// Print the statement that the options are short for
    ///
    /// 'fecscan sql' runs it. Only what tells the schema is read. Example: --show-sql
    #[arg(long, conflicts_with = "partial")]
    pub(crate) show_sql: bool,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// text is for people, with shares of the sum that orders the groups, else of all rows. html is a page, and svg its chart, over time if the only
    /// key is a year or a month. The others have the keys, count, and the aggregates. Example: -f csv
    #[arg(short, long, value_parser = values::format(ResultKind::Groups))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) compression: CompressionOption,

    #[command(flatten)]
    pub(crate) look: LookOptions,

    #[command(flatten)]
    pub(crate) partial: PartialOption,
}
