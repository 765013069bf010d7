//! Answers: results that can be written in any format.
//!
//! An [`Answer`] has a [`Table`] of typed fields. One writer a format puts it out, and knows nothing of questions. Text and pages for
//! people are the answer's own.

use std::borrow::Cow;
use std::io::{self, Write};

use super::page::Look;
use super::{Format, json};
use crate::fec::amount::Decimal;
use crate::fec::date;
use crate::sql::double_text;

/// A result.
pub trait Answer {
    /// Returns the rows that programs read: one table, or several.
    fn tables(&self) -> Vec<Table<'_>>;

    /// Writes the text for people.
    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()>;

    /// Writes JSON: by default a table as one array, with an object for each row, and several tables as an array of these.
    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        json::arrays(&self.tables(), out)
    }

    /// Returns a page with a chart, if there is one. `command` is the command line that made it. By default the title says what
    /// the page shows.
    fn html(&self, _command: &str, _title: Option<&str>) -> Option<Vec<u8>> {
        None
    }

    /// Returns the chart of the page as a file of its own, with this title, if any. A chart needs a row with a value.
    fn svg(&self, _title: Option<&str>) -> Option<Vec<u8>> {
        None
    }

    /// Returns the sentences of the challenge, if there are any.
    fn challenge(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Rows of fields. There may be millions, so each is made when it is wanted.
pub struct Table<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) len: usize,
    /// Returns the fields of a row, one for each column.
    row: Box<dyn Fn(usize) -> Vec<Field<'a>> + 'a>,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        names: Vec<&'a str>,
        len: usize,
        row: impl Fn(usize) -> Vec<Field<'a>> + 'a,
    ) -> Table<'a> {
        let row = Box::new(row);
        Table { names, len, row }
    }

    /// Returns a table of few rows.
    pub(super) fn of_rows<const COLUMNS: usize>(
        names: [&'static str; COLUMNS],
        rows: impl IntoIterator<Item = [Field<'a>; COLUMNS]>,
    ) -> Table<'a> {
        let rows: Vec<_> = rows.into_iter().collect();
        Table::new(names.to_vec(), rows.len(), move |nth| rows[nth].to_vec())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<Field<'a>>> {
        (0..self.len).map(&self.row)
    }
}

/// A field of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Field<'a> {
    /// Text, or bytes of the data.
    Text(Cow<'a, [u8]>),
    /// No value.
    Null,
    /// A number of rows, files or the like.
    Count(u64),
    /// An exact number.
    Number(Decimal),
    /// A day, `YYYYMMDD`.
    Date(u32),
    /// A number with a binary exponent.
    Double(f64),
    /// True or false.
    Boolean(bool),
}

impl Field<'_> {
    /// Returns the bytes that programs read; none of a missing value.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Field::Text(text) => Cow::Borrowed(text),
            Field::Null => Cow::Borrowed(b""),
            Field::Count(count) => Cow::Owned(count.to_string().into_bytes()),
            Field::Number(number) => Cow::Owned(number.to_string().into_bytes()),
            Field::Date(day) => Cow::Owned(date::iso(*day).into_bytes()),
            Field::Double(number) => Cow::Owned(double_text(*number).into_bytes()),
            Field::Boolean(is) => Cow::Borrowed(if *is { b"true" } else { b"false" }),
        }
    }
}

impl<'a> From<&'a [u8]> for Field<'a> {
    fn from(text: &'a [u8]) -> Field<'a> {
        Field::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Field<'a> {
        text.as_bytes().into()
    }
}

impl From<String> for Field<'_> {
    fn from(text: String) -> Self {
        Field::Text(Cow::Owned(text.into_bytes()))
    }
}

/// How an answer is shown where people read it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Show<'a> {
    /// How text looks.
    pub look: Look,
    /// The title of pages and charts, instead of their own.
    pub title: Option<&'a str>,
    /// Returns the command line, which a page shows.
    pub command: Option<fn() -> String>,
}

/// Writes an answer in any format but Parquet and Arrow.
pub fn write(
    answer: &dyn Answer,
    format: Format,
    show: &Show<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let write = format.writer().ok_or(io::ErrorKind::Unsupported)?;
    write(answer, show, out)
}

/// Returns an answer in a format of text, as a file has it.
///
/// ```
/// use fecscan::fec::schema::Schema;
/// use fecscan::render::{Format, to_vec};
///
/// let csv = to_vec(&&[Schema::Ccl][..], Format::Csv)?;
/// let lines = "schema,number,name,alias,type,meaning\nccl,1,CAND_ID,candidate,VARCHAR,candidate\n";
/// assert!(csv.starts_with(lines.as_bytes()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn to_vec(answer: &dyn Answer, format: Format) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    write(answer, format, &Show::default(), &mut out)?;
    Ok(out)
}

/// The number of bytes after which rows are written.
const PIECE_BYTES: usize = 64 << 10;

/// Writes rows if they are many. Pieces end between rows, so no character is split.
pub(super) fn write_if_many(rows: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    if rows.len() >= PIECE_BYTES {
        out.write_all(rows)?;
        rows.clear();
    }
    Ok(())
}
