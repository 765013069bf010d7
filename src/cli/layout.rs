//! The options for files of other kinds than the FEC's.

use std::path::PathBuf;

use clap::Args;
use fecscan::export::Types;
use fecscan::fec::layout::{ColumnType, Quotes};

#[derive(Args, Debug)]
pub(crate) struct LayoutOptions {
    /// Read files of another kind, with this byte between columns: a character, or tab, pipe, comma or semicolon
    ///
    /// Lines are rows, and fields have no quotes. Columns have names by --header or --names, and are numbers such as '#2' otherwise.
    /// For count, by, export and diff.
    ///
    /// Example: --delimiter ';'
    #[arg(long, value_name = "C", value_parser = delimiter, conflicts_with = "schema")]
    pub(crate) delimiter: Option<u8>,

    /// The first line of each file names the columns, and is no row
    ///
    /// Without --delimiter, commas stand between columns. The names of a file of the FEC have pipes between them. With these names,
    /// columns have the FEC's aliases and types.
    ///
    /// Example: --header
    #[arg(long, conflicts_with = "schema")]
    pub(crate) header: bool,

    /// Name the columns of files of another kind
    ///
    /// Names of a first line do not count then.
    ///
    /// Example: --delimiter tab --names station,temperature
    #[arg(long, value_name = "NAME[,NAME]...", conflicts_with = "schema")]
    pub(crate) names: Option<String>,

    /// Take the names from this file: one a line, or with commas between them
    ///
    /// Example: --delimiter pipe --names-from header.csv
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schema", "names"])]
    pub(crate) names_from: Option<PathBuf>,

    /// Read columns of files of another kind by these types, or write the values of an export raw or typed
    ///
    /// COLUMN=TYPE, where TYPE is number (two decimals), number:0 to number:9 (so many decimals), date (2018-01-31, 20180131, 01312018 or
    /// 01/31/2018) or text. Aggregates read a column without a type as numbers.
    ///
    /// For export, raw writes values as they stand in the file, and typed parses them. The default is typed for parquet, arrow, xlsx and
    /// columns with types, else raw. typed writes TRANSACTION_AMT with two decimals, and as a number in JSON, TRANSACTION_DT as
    /// 2018-01-31, and SUB_ID as a whole number, which is a string in JSON. Empty values are null in JSON, and empty in the
    /// other formats. So are values that can't be parsed, and a note counts them. In parquet and arrow, typed columns
    /// are decimals, dates and integers, and all empty values are null. raw columns are texts without nulls.
    ///
    /// Example: --types typed, or --types price=number:4,when=date
    #[arg(long, value_name = "raw|typed|COLUMN=TYPE[,...]", value_parser = types)]
    pub(crate) types: Vec<TypesOf>,

    /// Read quotes as bytes like others: data
    ///
    /// A file with commas or semicolons between columns is refused otherwise, if fields begin with quotes: these may hide
    /// delimiters and newlines.
    ///
    /// Example: --quotes data
    #[arg(long, value_name = "data", value_parser = quotes, default_value = "refuse", hide_default_value = true)]
    pub(crate) quotes: Quotes,
}

/// What `--types` is about.
#[derive(Clone, Debug)]
pub(crate) enum TypesOf {
    /// The values of an export.
    Values(Types),
    /// Columns of files of another kind.
    Columns(Vec<(String, ColumnType)>),
}

fn delimiter(text: &str) -> Result<u8, &'static str> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        ("pipe", _) => Ok(b'|'),
        ("comma", _) => Ok(b','),
        ("semicolon", _) => Ok(b';'),
        (_, [byte]) => Ok(*byte),
        _ => Err("one character is needed, or tab, pipe, comma or semicolon"),
    }
}

fn types(text: &str) -> Result<TypesOf, &'static str> {
    for (name, values) in [("raw", Types::Raw), ("typed", Types::Typed)] {
        if text.eq_ignore_ascii_case(name) {
            return Ok(TypesOf::Values(values));
        }
    }
    let typed = text.split(',').map(|typed| {
        let (column, name) = typed.rsplit_once('=')?;
        Some((column.trim().to_owned(), ColumnType::named(name.trim())?))
    });
    typed.collect::<Option<_>>().map(TypesOf::Columns).ok_or(
        "raw or typed is needed, or COLUMN=TYPE, with a type of number, number:0 to number:9, date or text",
    )
}

fn quotes(text: &str) -> Result<Quotes, &'static str> {
    match text {
        "data" => Ok(Quotes::Data),
        "refuse" => Ok(Quotes::Refuse),
        _ => Err("data is the only way to read quotes"),
    }
}
