//! The layouts of files of other kinds, and the schemas that are made of them.

mod choices;
mod guess;
mod table;

use std::collections::HashSet;
use std::sync::OnceLock;

use memchr::{memchr, memchr_iter};
use serde::{Deserialize, Serialize};

use super::amount::DECIMALS_MAX;
use super::columns::{AMOUNT_DECIMALS, Column, Kind};
use super::kinds_by_column::KindsByColumn;
use super::lasting;
use super::like::are_same;
use super::schema::Schema;
use super::texts::decoded;
use super::without_mark;
use crate::error::{Error, ErrorKind, escaped};

pub use self::choices::{ColumnType, DateOrder, FirstLine, Quotes};
pub use self::table::Table;

/// The byte between columns of rows that are translated: the unit separator.
pub(crate) const UNIT_SEPARATOR: u8 = 0x1f;

/// Stands for a line feed within a value of a translated row.
pub(crate) const LINE_FEED: u8 = 0x1e;

/// Stands for a carriage return within a value of a translated row.
pub(crate) const CARRIAGE_RETURN: u8 = 0x1d;

/// Exchanges line breaks and the bytes that stand for them in translated rows.
pub(crate) fn exchange_line_breaks(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = match *byte {
            LINE_FEED => b'\n',
            b'\n' => LINE_FEED,
            CARRIAGE_RETURN => b'\r',
            b'\r' => CARRIAGE_RETURN,
            other => other,
        };
    }
}

/// The layout of a file of another kind than the FEC's: lines are rows, unless quotes have a meaning.
///
/// ```
/// use fecscan::Layout;
/// let mut layout = Layout::new(b';')?;
/// layout.names = vec!["station".into(), "temperature".into()];
/// let schema = layout.schema();
/// assert_eq!(schema.column("temperature")?, 1);
/// assert!(Layout::new(b'\n').is_err());
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Layout {
    /// The byte between columns.
    pub delimiter: u8,
    /// The bytes between columns, if they are several.
    pub long_delimiter: Option<String>,
    /// Whether the first line of each file is a row.
    pub first_line: FirstLine,
    /// Whether fields may begin with quotes.
    pub quotes: Quotes,
    /// The number of lines before the rows, and before their names, that are left out of each file.
    pub skip: u64,
    /// Lines that begin with this byte are left out.
    pub comment: Option<u8>,
    /// Whether a first line such as `sep=;` is left out. Excel writes one.
    pub separator_line: bool,
    /// Whether days stand before months.
    pub dates: DateOrder,
    /// What stands before the decimals of numbers, a comma or a point, if numbers may have separators of thousands and a minus behind
    /// them or parentheses around them.
    pub decimal: Option<u8>,
    /// The names of the columns. Without any, the first line has them, or columns are numbers.
    pub names: Vec<String>,
    /// The kinds of some columns, by name or number.
    pub kinds: Vec<(String, ColumnType)>,
    /// The names of another file, read together with files of this layout. Numbers mean its columns, and an empty file has them.
    #[serde(skip)]
    pub(super) like: Vec<String>,
}

/// What nobody has said of a layout, so that the first lines of a file tell it.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenLayout {
    /// What stands between columns: a line such as `sep=;` may tell.
    pub delimiter: bool,
    /// All of it, also whether the first line names the columns.
    pub first_line: bool,
    /// Whether values stand in quotes.
    pub quotes: bool,
}

/// A column without a type.
pub(super) const UNTYPED: Column = Column {
    name: "",
    alias: "",
    kind: Kind::Untyped,
    decimals: AMOUNT_DECIMALS,
    meaning: "",
};

/// Returns the names of columns as a first line has them. A column without one, or with that of another, is a number.
pub(super) fn names_of(fields: &[&[u8]]) -> Vec<String> {
    let mut known = HashSet::with_capacity(fields.len());
    let names = (1..).zip(fields).map(|(number, field)| {
        // A line break in a name would break messages and tables.
        let name = decoded(field).replace(['\u{1d}', '\u{1e}'], " ");
        let name = name.trim_ascii().to_owned();
        let name = if name.is_empty() || known.contains(&name.to_ascii_lowercase()) {
            format!("#{number}")
        } else {
            name
        };
        known.insert(name.to_ascii_lowercase());
        name
    });
    names.collect()
}

impl Layout {
    /// Returns the layout of files with this byte between columns.
    ///
    /// # Errors
    /// A usage error for a byte that no file can have there.
    pub fn new(delimiter: u8) -> Result<Layout, Error> {
        if matches!(delimiter, b'\n' | b'\r' | b'"' | b'\\') || !delimiter.is_ascii() {
            let what = format!("{} can't stand between columns", escaped(&[delimiter]));
            return Err(Error::new(ErrorKind::Usage, what));
        }
        Ok(Layout {
            delimiter,
            long_delimiter: None,
            first_line: FirstLine::default(),
            quotes: Quotes::default(),
            skip: 0,
            comment: None,
            separator_line: false,
            dates: DateOrder::default(),
            decimal: None,
            names: Vec::new(),
            kinds: Vec::new(),
            like: Vec::new(),
        })
    }

    /// Returns the layout of files with these bytes between columns. Several bytes are looked for by one thread, which is slower.
    ///
    /// ```
    /// use fecscan::Layout;
    /// let rows = fecscan::scan_bytes(b"Paris||3\nRome||4\n").schema(Layout::between("||")?.schema());
    /// assert_eq!(rows.filter("#2 = '4'")?.count()?, 1);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error for bytes that no file can have there.
    pub fn between(delimiter: &str) -> Result<Layout, Error> {
        if let [byte] = *delimiter.as_bytes() {
            return Layout::new(byte);
        }
        let refused = |byte: u8| matches!(byte, b'\n' | b'\r' | b'"' | UNIT_SEPARATOR);
        if delimiter.is_empty() || delimiter.bytes().any(refused) {
            let what = format!(
                "'{}' can't stand between columns",
                escaped(delimiter.as_bytes())
            );
            return Err(Error::new(ErrorKind::Usage, what));
        }
        let mut layout = Layout::new(UNIT_SEPARATOR)?;
        layout.long_delimiter = Some(delimiter.to_owned());
        Ok(layout)
    }

    /// Returns the byte between columns of rows as they are scanned.
    pub(super) fn scanned_delimiter(&self) -> u8 {
        if self.quotes == Quotes::Csv {
            UNIT_SEPARATOR
        } else {
            self.delimiter
        }
    }

    /// Says whether lines of the file are not the rows that are scanned, so that one thread must translate them.
    pub(crate) fn is_translated(&self) -> bool {
        self.quotes == Quotes::Csv
            || self.long_delimiter.is_some()
            || self.skip > 0
            || self.comment.is_some()
            || self.separator_line
            || self.dates == DateOrder::DayFirst
            || self.decimal.is_some()
    }

    /// Takes over what the first lines of a file tell of what is `open`: the delimiter in Excel's line `sep=;`, values in quotes, and for files of which
    /// nothing is known the delimiter and whether the first line has names.
    pub(crate) fn recognize(&mut self, first_lines: &[u8], open: OpenLayout) {
        let mut rest = without_mark(first_lines);
        if let [b's', b'e', b'p', b'=', byte, b'\r' | b'\n', ..] = *rest
            && (open.delimiter || byte == self.delimiter)
            && self.first_line == FirstLine::Names
            && Layout::new(byte).is_ok()
        {
            self.separator_line = true;
            if self.delimiter != byte {
                self.delimiter = byte;
                self.long_delimiter = None;
            }
        }
        for _ in 0..self.skip + u64::from(self.separator_line) {
            let Some(newline) = memchr(b'\n', rest) else {
                return;
            };
            rest = &rest[newline + 1..];
        }
        if open.first_line {
            if !self.separator_line {
                self.delimiter = guess::delimiter(rest, self.delimiter);
            }
            if guess::is_row(rest, self.delimiter) {
                self.first_line = FirstLine::Row;
            }
        }
        if open.quotes && self.refuses_quotes() && refuse_quotes(rest, self.delimiter).is_err() {
            self.quotes = Quotes::Csv;
        }
    }

    /// Says whether a layout that was written down can be one.
    pub(super) fn is_sound(&self) -> bool {
        let mut kinds = self.kinds.iter();
        let is_delimiter = match &self.long_delimiter {
            Some(delimiter) => {
                Layout::between(delimiter).is_ok_and(|l| l.delimiter == self.delimiter)
            }
            None => Layout::new(self.delimiter).is_ok(),
        };
        is_delimiter
            && kinds.all(|(_, kind)| !matches!(kind, ColumnType::Number(n) if *n > DECIMALS_MAX))
    }

    /// Says whether a quote at the beginning of a field has a meaning, as in comma-separated files, and no one said that it has none.
    pub(crate) fn refuses_quotes(&self) -> bool {
        matches!(self.delimiter, b',' | b';') && self.quotes == Quotes::Refuse
    }

    /// Returns the schema of files with this layout. The first line of a file tells what is not known yet.
    pub fn schema(&self) -> Schema {
        let names = &self.names;
        self.table(names.clone(), (!names.is_empty()).then_some(names.len()))
    }

    /// Returns the schema of a file with this first line.
    pub(super) fn with_first_line(&self, line: &[u8]) -> Schema {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = without_mark(line.strip_suffix(b"\r").unwrap_or(line));
        if line.is_empty() {
            return if self.like.is_empty() {
                self.schema()
            } else {
                self.table(self.like.clone(), Some(self.like.len()))
            };
        }
        let has_names = self.first_line == FirstLine::Names;
        // The FEC's names have pipes between them.
        if self.delimiter == b','
            && self.quotes != Quotes::Csv
            && has_names
            && Schema::of_names_line(line).is_some()
        {
            let mut piped = self.clone();
            piped.delimiter = b'|';
            return piped.with_first_line(line);
        }
        let mut fields: Vec<&[u8]> = line
            .split(|&byte| byte == self.scanned_delimiter())
            .collect();
        let width = fields.len();
        // Rows of some programs end in a delimiter, and so in an empty column without a name.
        if fields.last().is_some_and(|last| last.is_empty()) {
            fields.pop();
        }
        let names: Vec<String> = if !self.names.is_empty() {
            self.names.clone()
        } else if has_names {
            names_of(&fields)
        } else {
            (1..=width).map(|number| format!("#{number}")).collect()
        };
        let ends_empty = fields.len() < width && names.len() == fields.len();
        let width = names.len() + usize::from(ends_empty);
        if !self.like.is_empty() && !are_same(&self.like, &names) {
            let mut alone = self.clone();
            alone.like.clear();
            return alone.table(names, Some(width));
        }
        self.table(self.spelled_like(names), Some(width))
    }

    /// Fails if the first line of a file names no columns.
    fn check_names(&self, line: &[u8]) -> Result<(), Error> {
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
        let what = match Schema::of_row(line.trim_ascii_end()) {
            Some(schema) => format!("its first line is a row of {}", schema.name()),
            None if self.names.is_empty() && !line.is_empty() && !line.iter().any(is_letter) => {
                "its first line has no letters".to_owned()
            }
            None => return Ok(()),
        };
        let error = Error::input(format!("{what}, and names no columns"));
        Err(error.advise("leave out --header"))
    }

    /// Returns the schema with these columns, the same for the same columns.
    pub(super) fn table(&self, names: Vec<String>, width: Option<usize>) -> Schema {
        self.table_of_rows(names, width, None)
    }

    pub(super) fn table_of_rows(
        &self,
        names: Vec<String>,
        width: Option<usize>,
        widest: Option<usize>,
    ) -> Schema {
        let like = if self.like.is_empty() {
            &names
        } else {
            &self.like
        };
        let of_fec = Schema::of_names(like.iter().map(String::as_bytes));
        let kinds = KindsByColumn::new(&self.kinds);
        let columns = names.into_iter().enumerate().map(|(place, name)| {
            let number = self.number_of(place, &name);
            let column = of_fec.map_or(UNTYPED, |schema| schema.columns()[number - 1]);
            let (kind, decimals) = match kinds.of(&name, number) {
                None => (column.kind, column.decimals),
                Some(ColumnType::Text) => (Kind::Text, AMOUNT_DECIMALS),
                Some(ColumnType::Date) => (Kind::Date, AMOUNT_DECIMALS),
                Some(ColumnType::Number(decimals)) => (Kind::Number, decimals.min(DECIMALS_MAX)),
            };
            Column {
                name: lasting::name(name),
                kind,
                decimals,
                ..column
            }
        });
        Schema::Other(lasting::table(Table {
            name: None,
            layout: self.clone(),
            columns: columns.collect(),
            width,
            places: OnceLock::new(),
            widest,
        }))
    }
}

/// Refuses a field in quotes.
///
/// # Errors
/// If fields of `lines` begin with quotes, the first of them, with its place.
pub(crate) fn refuse_quotes(lines: &[u8], delimiter: u8) -> Result<(), (usize, Error)> {
    let mut quotes = memchr_iter(b'"', lines);
    let begins = |place: &usize| {
        let before = &lines[..*place];
        let last = without_mark(before).last();
        last.is_none_or(|&byte| byte == b'\n' || byte == delimiter)
    };
    let Some(place) = quotes.find(begins) else {
        return Ok(());
    };
    let what = "a field begins with a quote, and quotes may hide delimiters and newlines";
    let advice = "read them as CSV has them, by one thread: --quotes csv; or as bytes like others: --quotes data";
    Err((place, Error::input(what).advise(advice)))
}
