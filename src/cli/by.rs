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
    /// A column is a name such as STATE, a short name such as date, or a number such as '#10'; 'fecscan columns' lists them. Columns of joined
    /// files can be keys too. AS gives a key a name. Every input has the columns file (its path), member (of an archive) and cycle (the
    /// even year in these names).
    ///
    /// 'fecscan help sql' lists the functions: year(date), date_trunc('month', date), dayname(date), zip5(zip), first_name(name),
    /// upper(trim(employer)), CASE WHEN amount < 200 THEN 'small' ELSE 'large' END.
    ///
    /// Quote parentheses and blanks: they have a meaning for the shell.
    ///
    /// Example: by "STATE, year(date) AS year"
    #[arg(value_name = "EXPR[, EXPR]...")]
    pub(crate) keys: String,

    /// Add up an expression, such as a column of amounts
    ///
    /// Sums are exact. Values that are no numbers are left out, and counted in a note. The option can be repeated.
    ///
    /// Example: --sum amount
    #[arg(long, value_name = "EXPR")]
    pub(crate) sum: Vec<String>,

    /// Make these aggregates of each group: expressions with commas between them, perhaps with names
    ///
    /// count, sum, avg, min, max, median, quantile_cont, count(DISTINCT x) and others, each perhaps with FILTER (WHERE ..). The option can be
    /// repeated.
    ///
    /// Example: --agg "count(DISTINCT name) AS donors, median(amount)"
    #[arg(long, value_name = "EXPR [AS NAME], ...")]
    pub(crate) agg: Vec<String>,

    /// Order the groups by these expressions: keys, count, aggregates or their names
    ///
    /// They ascend, unless DESC follows. Equal groups are ordered by their keys. [default: the first aggregate, else count, descending]
    ///
    /// Example: --sort "avg(amount) DESC, STATE"
    #[arg(long, value_name = "EXPR [DESC], ...", allow_hyphen_values = true)]
    pub(crate) sort: Vec<String>,

    /// List the first N groups only
    ///
    /// The text adds up the others in a row '(rest)'.
    ///
    /// Example: -n 10, which --top 10 and --head 10 mean too
    #[arg(short = 'n', long = "limit", visible_aliases = ["top", "head"], value_name = "N",
        allow_negative_numbers = true, value_parser = number::<usize>)]
    pub(crate) top: Option<usize>,

    /// Fail if there are more than N groups [default: what available memory has room for, at 200 bytes each]
    ///
    /// Different values of count(DISTINCT ..) count as groups do. The run also ends if its groups need more than the available
    /// memory. A greater N allows 200 bytes for each group.
    ///
    /// Example: --max-groups 1000000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) max_groups: Option<u64>,

    /// Print the statement that the options are short for, and read nothing but what tells the schema
    ///
    /// 'fecscan sql' runs it.
    ///
    /// Example: --show-sql
    #[arg(long)]
    pub(crate) show_sql: bool,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// text is for people: with shares of the sum by which groups are sorted, else of all rows. html is a page
    /// with a chart of the aggregate by which groups are sorted, else of the counts. If the only key is year(..) or date_trunc('month', ..), the
    /// chart is over time. svg is the chart alone. The other formats have the keys, count, and the aggregates, titled as written: sum(amount).
    /// json is one array of objects, and ndjson one object a line.
    ///
    /// parquet and arrow, in programs built with them, have columns of their types. xlsx is a workbook for spreadsheets.
    ///
    /// Example: -f csv
    #[arg(short, long, value_parser = values::format(ResultKind::Groups))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) compression: CompressionOption,

    #[command(flatten)]
    pub(crate) look: LookOptions,

    #[command(flatten)]
    pub(crate) partial: PartialOption,
}
