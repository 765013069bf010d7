//! The options of `by`.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::fold::by::AggregateKind;
use crate::render::{Format, ResultKind};

use super::common::Common;
use super::output::{CompressionOption, LookOptions, PartialOption};
use super::values::{self, number};

#[derive(Args, Debug)]
pub(crate) struct ByArgs {
    /// Group by these columns, or by functions of them
    ///
    /// A column is a name such as STATE, an alias, or a number such as '#10'. 'fecscan columns' lists them.
    /// Its bytes are the key as they stand, blanks included. Columns of joined files can be keys too.
    ///
    /// Of dates and image numbers: year(C) 2018, quarter(C) 2018-Q1, month(C) 2018-01, week(C) 2018-W05 by ISO 8601,
    /// day(C) 2018-01-31, weekday(C) from 1, Monday, to 7, Sunday. month, year and quarter need a month of the calendar, and the
    /// others a day of it. Of zip codes: zip5(C) and zip3(C), the first digits. Of names: first_name(C) and last_name(C); a name without a
    /// comma is a last name as a whole. Of any column: upper(C), lower(C), trim(C), prefix(C,3) and len(C), in characters. Of
    /// numbers: bin(C,200,500) with the values '<200', '200 to <500' and '>=500'. A value of another form, or a missing one, has the empty
    /// key. Functions can be nested: upper(trim(EMPLOYER)).
    ///
    /// Every input has the columns file (its path as given), member (of an archive) and cycle (the even year in these names or in that of
    /// the folder, as in indiv24.zip and 2024/itcont.txt). In the schema ccl, cycle is FEC_ELECTION_YR.
    ///
    /// A column whose name has parentheses or commas, as in the results of 'by', stands in double quotes: '"zip5(ZIP_CODE)"'.
    ///
    /// Put commas between keys, and no blanks. Quote parentheses: they have a meaning for the shell. As in
    /// 'STATE,month(TRANSACTION_DT)'.
    #[arg(value_name = "KEY[,KEY]...")]
    pub(crate) keys: String,

    #[command(flatten)]
    pub(crate) aggregates: Aggregates,

    /// Keep only groups whose count, or one of the aggregates, meets a condition
    ///
    /// The condition names count, or an aggregate that is asked for. The operators are = != < <= > >=. The value is a number
    /// of at most nine decimals, or a date such as 2018-01-31. Means are compared as they are printed. A group without a
    /// value does not meet a condition. The option can be repeated; all must hold. The text adds up the other groups in the
    /// row '(rest)'.
    ///
    /// Example: --sum amount --having 'count>=5' --having 'sum(amount)>10000'
    #[arg(long, value_name = "CONDITION")]
    pub(crate) having: Vec<String>,

    /// Spread a key over columns: one for each of its values, with the first aggregate, or with the count
    ///
    /// The columns follow the others, in the order of the values, of which there may be 100. A group without rows of a value has none
    /// there, or the count 0. The column of the empty value is '(empty)'.
    ///
    /// Example: by STATE --sum amount --across 'year(date)'
    #[arg(long, value_name = "KEY")]
    pub(crate) across: Vec<String>,

    /// Group by these keys, too, in the same pass
    ///
    /// The conditions, aggregates and orders are the same, but for orders by single keys. The result has several tables: json is an array of
    /// them, and xlsx has a sheet for each. Files of csv have one table, and are refused. The option can be repeated.
    ///
    /// Example: by STATE --also 'month(date)' --also EMPLOYER --top 10
    #[arg(long, value_name = "KEY[,KEY]...")]
    pub(crate) also: Vec<String>,

    /// Sort by count, by all keys, by one key, or by one of the aggregates [default: the first sum, else count]
    ///
    /// Keys ascend: texts byte by byte, numbers by value, dates as in the calendar, and ranges of bin by their numbers. Counts and aggregates descend. ' asc' or ' desc' after the name changes that. Groups
    /// without a value come last. The option can be repeated: equal groups are ordered by the next one, and at last by their
    /// keys. Means are compared as they are printed.
    ///
    /// Example: --sum amount --sort 'month(date) desc' --sort 'sum(amount)'
    #[arg(
        long,
        value_name = "count|key|KEY|'sum(C)'",
        allow_hyphen_values = true
    )]
    pub(crate) sort: Vec<String>,

    /// Sort the smallest counts or aggregates first, where --sort names no direction
    ///
    /// Example: --sum amount --ascending
    #[arg(long)]
    pub(crate) ascending: bool,

    /// List the first N groups only
    ///
    /// The text adds up the others in a row '(rest)'.
    ///
    /// Example: --top 10, which -n 10, --limit 10 and --head 10 mean too
    #[arg(long, visible_aliases = ["limit", "head"], visible_short_alias = 'n', value_name = "N",
        allow_negative_numbers = true, value_parser = number::<usize>)]
    pub(crate) top: Option<usize>,

    /// Count a row once for each of its partners, if several rows of a joined file have its key
    ///
    /// As for money by all candidates that ccl links with a committee. Groups then have more rows together than the input, and a note
    /// says how many rows count several times. --distinct takes the values of all partners, but does not make a row count several
    /// times. Without this option, the last of these partners counts.
    ///
    /// Example: fecscan by CAND_NAME --with ccl.txt --with cn.txt --each itcont.txt
    #[arg(long, requires = "with")]
    pub(crate) each: bool,

    /// Fail if there are more than N groups [default: what available memory has room for, at 200 bytes each]
    ///
    /// Different values of --distinct count as groups do. The run also ends if its groups need more than the available
    /// memory. A greater N allows 200 bytes for each group.
    ///
    /// Some ten thousand groups take no memory to speak of. With more, memory follows the groups: ten million
    /// names take some 350 MB, and 500 MB with sums. --top keeps the result small, not the groups. Without it,
    /// sorting and the result take as much again and more.
    ///
    /// Example: --max-groups 1000000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) max_groups: Option<u64>,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// text is for people: with shares of the sum by which groups are sorted, else of all rows. html is a page
    /// with a chart of the aggregate by which groups are sorted, else of the counts. If the only key is a month or a year, the chart
    /// is over time, of the first aggregate. It has the first 250 groups. svg is the chart alone. The other formats have the keys, count, and the aggregates, named as sum(TRANSACTION_AMT). json is one array
    /// of objects, and ndjson one object a line. An aggregate without a value is null there, and empty elsewhere.
    ///
    /// parquet and arrow, in programs built with them, have keys as texts, count as an integer, and sums as
    /// decimals. xlsx is a workbook for spreadsheets, with a sheet for each table.
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

/// The aggregates, each with the name of its option and its column, in the order typed.
#[derive(Debug)]
pub(crate) struct Aggregates(pub(crate) Vec<(&'static str, String)>);

#[derive(Args, Debug)]
struct AggregateOptions {
    /// Add up the numbers of column C
    ///
    /// Sums are exact decimals. Values that are no numbers are left out and counted in a note. The option
    /// can be repeated, as those below.
    ///
    /// Example: --sum TRANSACTION_AMT
    #[arg(long, value_name = "C")]
    sum: Vec<String>,

    /// Find the least number, or the first date, of column C
    ///
    /// Example: --min TRANSACTION_DT
    #[arg(long, value_name = "C")]
    min: Vec<String>,

    /// Find the greatest number, or the last date, of column C
    ///
    /// Example: --max amount
    #[arg(long, value_name = "C")]
    max: Vec<String>,

    /// Find the mean of the numbers of column C
    ///
    /// It is rounded to hundredths, a half away from zero.
    ///
    /// Example: --mean amount
    #[arg(long, value_name = "C")]
    mean: Vec<String>,

    /// Find the median of the numbers of column C, exactly
    ///
    /// Of an even number of them it is the mean of both in the middle, rounded as means are. Memory follows the
    /// distinct numbers of each group.
    ///
    /// Example: --median amount
    #[arg(long, value_name = "C")]
    median: Vec<String>,

    /// Find a quantile of the numbers of column C, exactly: a share P, a colon, and the column
    ///
    /// It is the least number up to which the share P of the numbers lies: of n numbers in their order that with the place P * n, rounded
    /// up. So 0.5 of an even number of them is the lower one in the middle.
    ///
    /// Example: --quantile 0.9:amount --quantile 0.99:amount
    #[arg(long, value_name = "P:C")]
    quantile: Vec<String>,

    /// Count the distinct values of column C, exactly
    ///
    /// Values are compared as they stand. Empty values do not count.
    ///
    /// Example: --distinct CMTE_ID
    #[arg(long, value_name = "C")]
    distinct: Vec<String>,
}

/// Clap has a list for each option. Places in the arguments tell their common order.
impl FromArgMatches for Aggregates {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Aggregates, clap::Error> {
        let mut typed = Vec::new();
        for option in AggregateKind::ALL.map(AggregateKind::name) {
            let columns = matches.get_many::<String>(option).into_iter().flatten();
            let places = matches.indices_of(option).into_iter().flatten();
            typed.extend(places.zip(columns).map(|(at, column)| (at, option, column)));
        }
        typed.sort_unstable();
        let named = |(_, option, column): (usize, _, &String)| (option, column.clone());
        Ok(Aggregates(typed.into_iter().map(named).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Aggregates::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Aggregates {
    fn augment_args(command: Command) -> Command {
        AggregateOptions::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        AggregateOptions::augment_args_for_update(command)
    }
}
