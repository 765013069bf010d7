//! What a user says of a file: its first line, quotes, the order of days and months, the types of columns.

use serde::{Deserialize, Serialize};

use crate::fec::amount::DECIMALS_MAX;
use crate::fec::columns::AMOUNT_DECIMALS;

/// What the first line of a file is.
///
/// ```
/// use fecscan::{FirstLine, Layout};
/// let mut layout = Layout::new(b',')?;
/// layout.first_line = FirstLine::Names;
/// let rows = fecscan::scan_bytes(b"city,gifts\nParis,3\nRome,4\n").schema(layout.schema());
/// assert_eq!(rows.filter("city = 'Rome'")?.count()?, 1);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstLine {
    /// A row like the others.
    #[default]
    Row,
    /// The names of the columns, and no row.
    Names,
}

/// Whether fields of a comma-separated file may begin with quotes.
///
/// ```
/// use fecscan::{Layout, Quotes};
/// let mut layout = Layout::new(b',')?;
/// layout.quotes = Quotes::Data;
/// let rows = fecscan::scan_bytes(b"\"Paris\",3\n").schema(layout.schema());
/// assert_eq!(&rows.rows(["#1"])?.next().unwrap()?[0], b"\"Paris\"");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    /// No: such a file may have delimiters and newlines inside of quotes, and is refused.
    #[default]
    Refuse,
    /// Yes: a quote is a byte like another.
    Data,
    /// Yes, as in RFC 4180: delimiters and line breaks between quotes are part of the value, and two quotes are one. One thread reads
    /// such a file. Conditions and folds of one's own see the byte 0x1e for a line feed in a value, and 0x1d for a carriage return.
    ///
    /// ```
    /// use fecscan::{FirstLine, Layout, Quotes};
    /// let mut layout = Layout::new(b',')?;
    /// (layout.first_line, layout.quotes) = (FirstLine::Names, Quotes::Csv);
    /// let rows = fecscan::scan_bytes(b"city,note\nParis,\"a\nb\"\n").schema(layout.schema());
    /// let mut rows = rows.rows(["note"])?;
    /// assert_eq!(&rows.next().unwrap()?[0], b"a\nb");
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    Csv,
}

/// The order of months and days, where the year stands last: `05/01/2018`.
///
/// ```
/// use fecscan::{ColumnType, DateOrder, Layout};
/// let mut layout = Layout::new(b';')?;
/// layout.dates = DateOrder::DayFirst;
/// layout.kinds = vec![("#1".to_owned(), ColumnType::Date)];
/// let rows = fecscan::scan_bytes(b"5/1/2018;3\n31/1/2018;4\n").schema(layout.schema());
/// assert_eq!(rows.filter("month(#1) = 1")?.count()?, 2);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// Months stand before days. A day before its month is an error where days are read: others may have been read as months.
    #[default]
    Unknown,
    /// Months stand before days. A day before its month is no day.
    MonthFirst,
    /// Days stand before months. One thread writes days as `2018-01-31` before rows are scanned. A month before its day is an error.
    DayFirst,
}

/// The type of a column, as a user names it.
///
/// ```
/// use fecscan::{ColumnType, Layout};
/// let mut layout = Layout::new(b';')?;
/// layout.kinds = vec![("#2".to_owned(), ColumnType::Number(3))];
/// let rows = fecscan::scan_bytes(b"Paris;1.25\nRome;0.125\n").schema(layout.schema());
/// let groups = rows.group_by("#1")?.sum("#2")?.run()?;
/// assert_eq!(groups.group(0).to_string(), "Paris, count 1, sum(#2) 1.250");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnType {
    /// Words and codes.
    Text,
    /// Numbers, with their most decimals. More than nine are taken for nine.
    Number(u8),
    /// Days, in any form that [`date::of_column`](crate::fec::date::of_column) reads.
    Date,
}

impl ColumnType {
    /// Returns the type with a name: `text`, `date`, `number`, or `number:4`.
    pub fn named(name: &str) -> Option<ColumnType> {
        match name {
            "text" => Some(ColumnType::Text),
            "date" => Some(ColumnType::Date),
            "number" => Some(ColumnType::Number(AMOUNT_DECIMALS)),
            _ => {
                let decimals = name.strip_prefix("number:")?.parse().ok()?;
                (decimals <= DECIMALS_MAX).then_some(ColumnType::Number(decimals))
            }
        }
    }
}
