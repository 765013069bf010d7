//! The options of the report.

use std::path::PathBuf;

use crate::fold::report::MonthColumn;
use crate::render::{Format, ResultKind};
use clap::Args;

use super::common::Common;
use super::output::{LookOptions, PartialOption};
use super::values::{self, line_number, number, one_of};

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Print the names at these lines, counted from zero [default: 0,432,43243]
    ///
    /// Lines are counted over all files. With --where or --contributions, only matching lines are
    /// counted. The option can be given several times. Slices of archives (--slices) have another order, and no names.
    /// 'none' names no line.
    ///
    /// Example: --name 0,432,43243
    #[arg(long, value_name = "I[,I]...", allow_negative_numbers = true,
        value_parser = line_number, value_delimiter = ',', default_value = "0,432,43243", hide_default_value = true,
        conflicts_with = "slices")]
    pub(crate) name: Vec<Option<u64>>,

    /// List the N most common first names
    ///
    /// Example: --top 10, which -n 10, --limit 10 and --head 10 mean too
    #[arg(long, visible_aliases = ["limit", "head"], visible_short_alias = 'n', value_name = "N", default_value_t = 1,
        allow_negative_numbers = true, value_parser = number::<usize>)]
    pub(crate) top: usize,

    /// Take months from this column
    ///
    /// IMAGE_NUM, column 5, begins with the date on which the page was filed, most often the month
    /// after the gift. TRANSACTION_DT, column 14, is the date of the gift. Columns can also be
    /// numbers, such as 14 or '#14'.
    ///
    /// Example: --month-column TRANSACTION_DT
    #[arg(
        long,
        value_name = "COLUMN",
        default_value = "IMAGE_NUM",
        value_parser = one_of(vec![
            (vec!["IMAGE_NUM", "5", "#5", "image"], MonthColumn::ImageNum),
            (vec!["TRANSACTION_DT", "14", "#14", "date"], MonthColumn::TransactionDate),
        ])
    )]
    pub(crate) month_column: MonthColumn,

    /// Report rows whose number of columns is not the schema's, and exit with 1 if there are any
    ///
    /// They are counted like all others. The first 20 are listed on standard error, each with its
    /// line (from 1) and the byte where it begins (from 0).
    ///
    /// Example: --strict
    #[arg(long)]
    pub(crate) strict: bool,

    /// Write all rows whose number of columns is not the schema's to this file, as CSV
    ///
    /// Its columns are file, line (from 1), byte (from 0), columns and text. The rows are counted
    /// like all others, and alone do not change the exit status. The file is written whole or not
    /// at all, and has no rows of inputs that could not be read whole.
    ///
    /// Example: --rejects odd.csv
    #[arg(long, value_name = "FILE")]
    pub(crate) rejects: Option<PathBuf>,

    /// Report files of another kind too
    ///
    /// By default, files without the columns of contributions are refused, and so are files of several
    /// schemas.
    ///
    /// Example: --force
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// text is for people; json is one object; challenge is the reference programs' own sentences. html is a
    /// page with a chart, in one file: -o report.html makes one. svg is the chart alone.
    ///
    /// csv, tsv and markdown hold the same as json, in rows of section, key and lines: file (a path),
    /// file_bytes (here lines are bytes), lines, lines_scanned (with a condition), name_at_I for each
    /// index I of --name (key: the name; no name: 0 lines), month_column (lines with a month), month,
    /// lines_without_month, first_name, distinct_first_names (here lines are names) and
    /// lines_without_first_name. tsv escapes tab, newline, carriage return and backslash as \t, \n, \r
    /// and \\.
    ///
    /// Example: -f json
    #[arg(short, long, value_parser = values::format(ResultKind::Report))]
    pub(crate) format: Option<Format>,

    #[command(flatten)]
    pub(crate) look: LookOptions,

    #[command(flatten)]
    pub(crate) partial: PartialOption,
}
