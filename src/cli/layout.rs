//! The options for files of other kinds than the FEC's.

use std::path::PathBuf;

use crate::export::Types;
use crate::fec::layout::{ColumnType, DateOrder, Quotes};
use clap::Args;

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LayoutOptions {
    /// Read files of another kind, with this between columns: a character, or tab, pipe, comma or semicolon
    ///
    /// Columns have names by --header or --names, and are numbers such as '#2' otherwise. Values in quotes are read as --quotes says. \t and
    /// \x01 are bytes, and there may be several, as in '||': one thread looks for those, which is slower. For count, by, export and diff.
    /// Example: --delimiter ';'
    #[arg(long, value_name = "C", value_parser = delimiter, conflicts_with = "schema")]
    pub(crate) delimiter: Option<String>,

    /// The first line of each file names the columns, and is no row
    ///
    /// Without --delimiter, commas stand between columns. The names of a file of the FEC have pipes between them. With these names, columns
    /// have the FEC's aliases and types.
    ///
    /// Example: --header
    #[arg(long, conflicts_with = "schema")]
    pub(crate) header: bool,

    /// Leave out this number of lines at the beginning of each file, before the names of the columns
    ///
    /// Example: --header --skip 3
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) skip: u64,

    /// Leave out lines that begin with this character
    ///
    /// Example: --comment '#'
    #[arg(long, value_name = "C", value_parser = comment)]
    pub(crate) comment: Option<u8>,

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
    /// TYPE is number (two decimals), number:0 to number:9 (so many), date (2018-01-31, 20180131, 01312018, 01/31/2018 or 1/31/2018) or text,
    /// which is the default.
    ///
    /// For export, raw writes values as they stand in the file, and typed parses them. The default is typed for csv, tsv, parquet, arrow, xlsx
    /// and columns with types; in the others columns are raw, and expressions typed. typed writes TRANSACTION_AMT with two decimals, and as a
    /// number in JSON, TRANSACTION_DT as 2018-01-31, and SUB_ID, FILE_NUM and years as whole numbers, which are strings in JSON. A number
    /// or a date that is empty or can't be parsed is null, and a note counts the latter. An empty text is no null. In parquet and arrow,
    /// typed columns are decimals, dates and integers. raw columns are texts without nulls, expressions too.
    ///
    /// Example: --types typed, or --types price=number:4,when=date
    #[arg(long, value_name = "raw|typed|COLUMN=TYPE[,...]", value_parser = types)]
    pub(crate) types: Vec<TypesOf>,

    /// Read values in quotes as CSV has them, or quotes as bytes like others: csv, data or refuse
    ///
    /// Between quotes, delimiters and line breaks are part of a value, and two quotes are one. One thread reads such a file, which is slower,
    /// and it has no ranges. By default, a file with commas or semicolons between columns is read so if values begin with quotes among its
    /// first thousand rows, with a note. Values in quotes after these rows are an error.
    ///
    /// Example: --quotes csv
    #[arg(long, value_name = "csv|data|refuse", value_parser = quotes)]
    pub(crate) quotes: Option<Quotes>,

    /// Say whether days or months come first in dates such as 05/01/2018: dmy or mdy
    ///
    /// With dmy, 5/1/2018, 05/01/2018 and 05.01.2018 are the fifth of January, in every column but those with the type text, and are written as
    /// 2018-01-05. A month before its day is an error. With mdy, 31/01/2018 is no date. By default months come first, and 31/01/2018 is an
    /// error where dates are read. Example: --dates dmy
    #[arg(long, value_name = "dmy|mdy", value_parser = dates)]
    pub(crate) dates: Option<DateOrder>,

    /// Read numbers as people write them, with this before the decimals: a comma or a point
    ///
    /// The other one of both may stand between thousands, a minus also at the end, and a negative number in parentheses. With a comma,
    /// 1.234.567,8 is 1234567.8, and both 5,00- and (5,00) are minus five. Values are written without separators, in every column but those
    /// with the types text and date. Example: --decimal-separator ,
    #[arg(long, value_name = "C", value_parser = decimal_separator)]
    pub(crate) decimal_separator: Option<u8>,

    /// Whether the first line of each file names the columns only if it is no row.
    #[arg(skip)]
    pub(crate) guesses_header: bool,
}

/// What `--types` is about.
#[derive(Clone, Debug)]
pub(crate) enum TypesOf {
    /// The values of an export.
    Values(Types),
    /// Columns of files of another kind.
    Columns(Vec<(String, ColumnType)>),
}

fn delimiter(text: &str) -> Result<String, &'static str> {
    let known = [
        ("tab", "\t"),
        ("pipe", "|"),
        ("comma", ","),
        ("semicolon", ";"),
    ];
    if let Some((_, delimiter)) = known.iter().find(|(name, _)| *name == text) {
        return Ok((*delimiter).to_owned());
    }
    let wrong = "a character is needed, or several, or tab, pipe, comma or semicolon; \\t and \\x01 are bytes of ASCII";
    let (mut delimiter, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let (character, length) = match rest.as_bytes() {
            [b'\\', b't', ..] => ('\t', 2),
            [b'\\', b'\\', ..] => ('\\', 2),
            [b'\\', b'x', _, _, ..] => {
                let digits = rest.get(2..4).ok_or(wrong)?;
                let byte = u8::from_str_radix(digits, 16).map_err(|_| wrong)?;
                (byte.is_ascii().then(|| char::from(byte)).ok_or(wrong)?, 4)
            }
            _ => (next, next.len_utf8()),
        };
        delimiter.push(character);
        rest = &rest[length..];
    }
    if delimiter.is_empty() {
        Err(wrong)
    } else {
        Ok(delimiter)
    }
}

fn comment(text: &str) -> Result<u8, &'static str> {
    match *text.as_bytes() {
        [byte] if byte.is_ascii_graphic() && byte != b'"' => Ok(byte),
        _ => Err("one character of ASCII is needed, and no quote"),
    }
}

fn dates(text: &str) -> Result<DateOrder, &'static str> {
    match text {
        "dmy" => Ok(DateOrder::DayFirst),
        "mdy" => Ok(DateOrder::MonthFirst),
        _ => Err("dmy or mdy is needed"),
    }
}

fn decimal_separator(text: &str) -> Result<u8, &'static str> {
    match text {
        "," | "comma" => Ok(b','),
        "." | "point" => Ok(b'.'),
        _ => Err("a comma or a point is needed"),
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
        "csv" => Ok(Quotes::Csv),
        "data" => Ok(Quotes::Data),
        "refuse" => Ok(Quotes::Refuse),
        _ => Err("csv, data or refuse is needed"),
    }
}
