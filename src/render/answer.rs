//! Answers: results that can be written in any format.
//!
//! An [`Answer`] has a [`Table`] of typed fields. One writer a format puts it out, and knows nothing of questions. Text and pages for
//! people are the answer's own.

use std::borrow::Cow;
use std::io::{self, Write};

use super::page::Look;
use super::{Format, json};
use crate::error::{Error, ErrorKind};
use crate::fold::by::Value;

/// A result.
pub trait Answer {
    /// Returns the rows that programs read: one table, or several.
    fn tables(&self) -> Vec<Box<dyn Table + '_>>;

    /// Writes the text for people.
    ///
    /// # Errors
    /// If `out` fails.
    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()>;

    /// Writes JSON: by default a table as one array, with an object for each row, and several tables as an array of these.
    ///
    /// # Errors
    /// If `out` fails.
    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        json::arrays(&self.tables(), out)
    }

    /// Returns a page with a chart. `command` is the command line that made it. By default the title says what the page shows.
    ///
    /// # Errors
    /// If the answer has none.
    fn html(&self, _command: &str, _title: Option<&str>) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the chart of the page as a file of its own, with this title, if any.
    ///
    /// # Errors
    /// If the answer has none.
    fn svg(&self, _title: Option<&str>) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the sentences of the challenge.
    ///
    /// # Errors
    /// If the answer has none.
    fn challenge(&self) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns the error for an answer without anything that a chart could show.
pub(super) fn nothing_to_draw() -> io::Error {
    let error = Error::new(
        ErrorKind::Input,
        "there is nothing to draw: no row has a value",
    );
    io::Error::other(error.advise("look at the text, without -f svg"))
}

/// Rows of fields. There may be millions, so each is made when it is wanted.
pub trait Table {
    /// Returns the name of each column.
    fn names(&self) -> Vec<&str>;

    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns the fields of a row, one for each column.
    fn row(&self, nth: usize) -> Vec<Field<'_>>;

    /// Says whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A field of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// Text, or bytes of the data.
    Text(Cow<'a, [u8]>),
    /// A number or a date, which may be missing.
    Value(Option<Value>),
}

impl<'a> Field<'a> {
    /// Returns the field of a number.
    pub fn count(count: u64) -> Field<'a> {
        Field::Value(Some(Value::Count(count)))
    }

    /// Returns the bytes that programs read; none of a missing value.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Field::Text(text) => Cow::Borrowed(text),
            Field::Value(None) => Cow::Borrowed(b""),
            Field::Value(Some(value)) => Cow::Owned(value.to_string().into_bytes()),
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

#[derive(Clone, Debug)]
pub(super) struct Listed<'a, const COLUMNS: usize> {
    names: [&'static str; COLUMNS],
    rows: Vec<[Field<'a>; COLUMNS]>,
}

impl<'a, const COLUMNS: usize> Listed<'a, COLUMNS> {
    /// Returns these rows as the only table of an answer.
    pub(super) fn tables(
        names: [&'static str; COLUMNS],
        rows: impl IntoIterator<Item = [Field<'a>; COLUMNS]>,
    ) -> Vec<Box<dyn Table + 'a>> {
        let rows = rows.into_iter().collect();
        vec![Box::new(Listed { names, rows })]
    }
}

impl<const COLUMNS: usize> Table for Listed<'_, COLUMNS> {
    fn names(&self) -> Vec<&str> {
        self.names.to_vec()
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, nth: usize) -> Vec<Field<'_>> {
        self.rows[nth].to_vec()
    }
}

/// How an answer is shown where people read it.
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    /// How text looks.
    pub look: Look,
    /// The title of pages and charts, instead of their own.
    pub title: Option<&'a str>,
    /// Returns the command line, which a page shows.
    pub command: fn() -> String,
}

impl Default for Show<'_> {
    fn default() -> Self {
        Show {
            look: Look::default(),
            title: None,
            command: String::new,
        }
    }
}

/// Writes an answer in any format but Parquet and Arrow.
///
/// # Errors
/// If `out` fails, or the answer has no such format.
pub fn write(
    answer: &dyn Answer,
    format: Format,
    show: &Show<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format.writer() {
        Some(write) => write(answer, show, out),
        None => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Returns an answer in a format of text, as a file has it.
///
/// ```
/// use fecscan::fec::schema::Schema;
/// use fecscan::render::{Format, to_vec};
///
/// let csv = to_vec(&&[Schema::Ccl][..], Format::Csv)?;
/// let lines = "schema,number,name,alias,kind,meaning\nccl,1,CAND_ID,candidate,text,candidate\n";
/// assert!(csv.starts_with(lines.as_bytes()));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the answer has no such format.
pub fn to_vec(answer: &dyn Answer, format: Format) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    write(answer, format, &Show::default(), &mut out)?;
    Ok(out)
}

/// The number of bytes after which rows are written.
const PIECE_BYTES: usize = 64 << 10;

/// Bytes on their way out, in pieces of whole rows.
pub(super) struct Pieces<'w> {
    pub(super) bytes: Vec<u8>,
    out: &'w mut dyn Write,
}

impl<'w> Pieces<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Pieces<'w> {
        Pieces {
            bytes: Vec::new(),
            out,
        }
    }

    pub(super) fn write_if_many(&mut self) -> io::Result<()> {
        if self.bytes.len() >= PIECE_BYTES {
            self.write()
        } else {
            Ok(())
        }
    }

    pub(super) fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}
