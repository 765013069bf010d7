//! The layouts of files of other kinds, and the schemas that are made of them.

use std::sync::{Mutex, PoisonError};

use memchr::memchr_iter;
use serde::{Deserialize, Serialize};

use super::amount::DECIMALS_MAX;
use super::columns::{AMOUNT_DECIMALS, Column, Kind};
use super::date;
use super::schema::Schema;
use super::texts::decoded;
use super::without_mark;
use crate::error::{Error, ErrorKind, escaped};

/// The layout of a file of another kind than the FEC's: lines are rows, and fields have no quotes.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Layout {
    /// The byte between columns.
    pub delimiter: u8,
    /// Whether the first line of each file is a row.
    pub first_line: FirstLine,
    /// Whether fields may begin with quotes.
    pub quotes: Quotes,
    /// The names of the columns. Without any, the first line has them, or columns are numbers.
    pub names: Vec<String>,
    /// The kinds of some columns, by name or number.
    pub kinds: Vec<(String, ColumnType)>,
}

/// What the first line of a file is.
///
/// ```
/// use fecscan::{FirstLine, Layout};
/// let mut layout = Layout::new(b',')?;
/// layout.first_line = FirstLine::Names;
/// let rows = fecscan::scan_bytes(b"city,gifts\nParis,3\nRome,4\n").schema(layout.schema());
/// assert_eq!(rows.filter("gifts>3")?.count()?, 1);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    /// No: such a file may have delimiters and newlines inside of quotes, and is refused.
    #[default]
    Refuse,
    /// Yes: a quote is a byte like another.
    Data,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnType {
    /// Words and codes.
    Text,
    /// Numbers, with their most decimals.
    Number(u8),
    /// Days, in any form that [`date::of_column`] reads.
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
    let mut names: Vec<String> = Vec::new();
    for (number, field) in (1..).zip(fields) {
        let name = decoded(field.trim_ascii()).into_owned();
        let is_known = names.iter().any(|known| known.eq_ignore_ascii_case(&name));
        names.push(if name.is_empty() || is_known {
            format!("#{number}")
        } else {
            name
        });
    }
    names
}

/// A layout, and the columns of a file that has it.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// The name of a joined table.
    pub(super) name: Option<&'static str>,
    pub(super) layout: Layout,
    pub(super) columns: Vec<Column>,
    /// The number of columns of a row; none before a first line was seen.
    pub(super) width: Option<usize>,
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
            first_line: FirstLine::default(),
            quotes: Quotes::default(),
            names: Vec::new(),
            kinds: Vec::new(),
        })
    }

    /// Says whether a layout that was written down can be one.
    pub(super) fn is_sound(&self) -> bool {
        let mut kinds = self.kinds.iter();
        Layout::new(self.delimiter).is_ok()
            && kinds.all(|(_, kind)| !matches!(kind, ColumnType::Number(n) if *n > DECIMALS_MAX))
    }

    /// Says whether a quote at the beginning of a field has a meaning, as in comma-separated files, and no one said that it has none.
    pub(super) fn refuses_quotes(&self) -> bool {
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
            return self.schema();
        }
        let has_names = self.first_line == FirstLine::Names;
        // The FEC's names have pipes between them.
        if self.delimiter == b',' && has_names && Schema::of_names_line(line).is_some() {
            let mut piped = self.clone();
            piped.delimiter = b'|';
            return piped.with_first_line(line);
        }
        let mut fields: Vec<&[u8]> = line.split(|&byte| byte == self.delimiter).collect();
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
        self.table(names, Some(width))
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
        // A schema can be copied, so its columns last as long as the process. A process meets few of them.
        static TABLES: Mutex<Vec<&'static Table>> = Mutex::new(Vec::new());
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |table: &Table| {
            let known = table.columns.iter().map(|column| column.name);
            table.name.is_none()
                && table.layout == *self
                && table.width == width
                && known.eq(names.iter().map(|n| &n[..]))
        };
        if let Some(table) = tables.iter().find(|table| is_it(table)) {
            return Schema::Other(table);
        }
        let of_fec = Schema::of_names(names.iter().map(String::as_bytes));
        let columns = (1..).zip(names).map(|(number, name)| {
            let column = of_fec.map_or(UNTYPED, |schema| schema.columns()[number - 1]);
            let of_column = |(typed, _): &&(String, ColumnType)| {
                let typed_number = typed.strip_prefix('#').unwrap_or(typed);
                typed.eq_ignore_ascii_case(&name) || *typed_number == format!("{number}")
            };
            let (kind, decimals) = match self.kinds.iter().find(of_column) {
                None => (column.kind, column.decimals),
                Some((_, ColumnType::Text)) => (Kind::Text, AMOUNT_DECIMALS),
                Some((_, ColumnType::Date)) => (Kind::Date, AMOUNT_DECIMALS),
                Some((_, ColumnType::Number(decimals))) => (Kind::Number, *decimals),
            };
            Column {
                name: name.leak(),
                kind,
                decimals,
                ..column
            }
        });
        let table: &'static Table = Box::leak(Box::new(Table {
            name: None,
            layout: self.clone(),
            columns: columns.collect(),
            width,
        }));
        tables.push(table);
        Schema::Other(table)
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
    // Tabs and ends of lines in a field become blanks, and other bytes stay.
    let advice = format!(
        "pipe it in with tabs: PYTHONIOENCODING=latin1 python3 -c \"import csv,sys; [print(*(f.translate({{9:32,10:32,13:32}}) for f in r), \
         sep='\\t') for r in csv.reader(sys.stdin, delimiter='{}')]\" < FILE | fecscan ... --delimiter tab; \
         or read quotes as bytes like others: --quotes data",
        char::from(delimiter)
    );
    Err((place, Error::input(what).advise(advice)))
}

impl Table {
    /// Says whether the first line of a file tells more.
    pub(super) fn is_open(&self) -> bool {
        self.width.is_none() || self.columns.len() == self.layout.names.len()
    }

    /// Checks the first lines of a file that has these columns. Returns its schema, in which columns of days before months hold
    /// text.
    ///
    /// # Errors
    /// If fields begin with quotes, which have a meaning in comma-separated files. If a type is one of no column. If the first line
    /// is to name the columns, and does not. If a column of dates has days before months.
    pub(super) fn check(&'static self, head: &[u8]) -> Result<Schema, Error> {
        let mut layout = self.layout.clone();
        if layout.refuses_quotes() {
            refuse_quotes(head, layout.delimiter)
                .map_err(|(place, error)| error.at_byte(place as u64))?;
        }
        let mut lines = head.split(|&byte| byte == b'\n');
        if layout.first_line == FirstLine::Names {
            layout.check_names(lines.next().unwrap_or_default())?;
        }
        // An empty file has no columns.
        let mut typed = layout.kinds.iter().filter(|_| self.width.is_some());
        typed.try_for_each(|(name, _)| Schema::Other(self).column(name).map(|_| ()))?;
        let mut day_first = vec![false; self.columns.len()];
        for line in lines {
            let fields = line.split(|&byte| byte == layout.delimiter);
            for ((column, day_first), field) in self.columns.iter().zip(&mut day_first).zip(fields)
            {
                if !date::is_day_first(field) {
                    continue;
                }
                if column.kind == Kind::Date {
                    let (name, field) = (column.name, escaped(field));
                    let what = format!("{name} is a column of dates, and has {field}");
                    return Err(Error::input(what).advise(date::FORMS));
                }
                *day_first |= column.kind == Kind::Untyped;
            }
        }
        let day_first = (1..).zip(day_first).filter(|(_, is_so)| *is_so);
        let texts =
            day_first.map(|(number, _): (usize, _)| (format!("#{number}"), ColumnType::Text));
        layout.kinds.extend(texts);
        if layout == self.layout {
            return Ok(Schema::Other(self));
        }
        let names = self.columns.iter().map(|column| column.name.to_owned());
        Ok(layout.table(names.collect(), self.width))
    }
}
