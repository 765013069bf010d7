//! The columns of a file of another kind, and the check of its first lines.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::OnceLock;

use ahash::RandomState;
use memchr::memchr_iter;

use super::{ColumnType, DateOrder, FirstLine, Layout, refuse_quotes};
use crate::error::{Error, escaped};
use crate::fec::columns::{Column, Kind};
use crate::fec::schema::Schema;
use crate::fec::{date, number};

/// A layout, and the columns of a file that has it.
#[derive(Debug, Eq)]
pub struct Table {
    /// The name of a joined table.
    pub(in crate::fec) name: Option<&'static str>,
    pub(in crate::fec) layout: Layout,
    pub(in crate::fec) columns: Vec<Column>,
    /// The number of columns of a row; none before a first line was seen.
    pub(in crate::fec) width: Option<usize>,
    /// The most columns of the first rows, if columns are numbers, and these rows were looked at.
    pub(in crate::fec) widest: Option<usize>,
    /// The places of columns by name and alias in small letters, for the first question after one.
    pub(in crate::fec) places: OnceLock<HashMap<String, usize, RandomState>>,
}

/// The schemas of files are compared often, and nearly always the same one.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        let facts = |table: &Table| (table.name, table.width, table.widest);
        ptr::eq(self, other)
            || facts(self) == facts(other)
                && self.layout == other.layout
                && self.columns == other.columns
    }
}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, &self.layout, self.width, self.widest).hash(state);
        self.columns.hash(state);
    }
}

impl Table {
    /// Returns the place of the column with a name or an alias, in any case.
    pub(in crate::fec) fn place_of(&self, name: &str) -> Option<usize> {
        let places = self.places.get_or_init(|| {
            let mut places = HashMap::default();
            let columns = || self.columns.iter().enumerate();
            let names = columns().map(|(place, column)| (column.name, place));
            let aliases = columns().map(|(place, column)| (column.alias, place));
            for (name, place) in names.chain(aliases) {
                places.entry(name.to_ascii_lowercase()).or_insert(place);
            }
            places
        });
        places.get(&name.to_ascii_lowercase()).copied()
    }

    /// Says whether the first line of a file tells more.
    pub(in crate::fec) fn is_open(&self) -> bool {
        self.width.is_none() || self.columns.len() == self.layout.names.len()
    }

    /// Checks the first lines of a file that has these columns. Returns its schema, in which columns of days before months, and of numbers
    /// with decimal commas, hold text.
    ///
    /// # Errors
    /// If fields begin with quotes, which have a meaning in comma-separated files. If a type is one of no column. If the first line
    /// is to name the columns, and does not. If a column of dates has days before months, or one of numbers decimal commas.
    pub(in crate::fec) fn check(&'static self, head: &[u8]) -> Result<Schema, Error> {
        let mut layout = self.layout.clone();
        if layout.refuses_quotes() {
            refuse_quotes(head, layout.delimiter)
                .map_err(|(place, error)| error.at_byte(place as u64))?;
        }
        let mut lines = head.split(|&byte| byte == b'\n');
        if layout.first_line == FirstLine::Names {
            refuse_one_line(head)?;
            layout.check_names(lines.next().unwrap_or_default())?;
        }
        // An empty file has no columns.
        let mut typed = HashSet::new();
        for (name, _) in layout.kinds.iter().filter(|_| self.width.is_some()) {
            let place = Schema::Other(self).column(name)?;
            if !typed.insert(place) {
                let name = self
                    .columns
                    .get(place)
                    .map_or(name.as_bytes(), |column| column.name.as_bytes());
                let error =
                    Error::input(format!("the column {} is given two types", escaped(name)));
                return Err(error.advise("name each column once: --types"));
            }
        }
        let mut texts = vec![false; self.columns.len()];
        let watches_dates = layout.dates == DateOrder::Unknown;
        let mut widest = 0;
        for line in lines {
            widest = widest.max(memchr_iter(layout.scanned_delimiter(), line).count() + 1);
            let fields = line.split(|&byte| byte == layout.scanned_delimiter());
            for ((column, is_text), field) in self.columns.iter().zip(&mut texts).zip(fields) {
                let is_day_first = watches_dates && date::is_day_first(field);
                let has_comma = !is_day_first && number::has_decimal_comma(field);
                let (kind, advice) = match column.kind {
                    Kind::Date if is_day_first => ("dates", date::FORMS_OF_FILES_ADVICE),
                    Kind::Number if has_comma => ("numbers", number::DECIMAL_COMMA_ADVICE),
                    Kind::Untyped => {
                        *is_text |= is_day_first || has_comma;
                        continue;
                    }
                    _ => continue,
                };
                let (name, field) = (column.name, escaped(field));
                let what = format!("{name} is a column of {kind}, and has {field}");
                return Err(Error::input(what).advise(advice));
            }
        }
        let texts = texts.iter().zip(&self.columns).enumerate();
        let texts = texts.filter(|(_, (is_so, _))| **is_so);
        let texts = texts.map(|(place, (_, column))| {
            let number = self.layout.number_of(place, column.name);
            (format!("#{number}"), ColumnType::Text)
        });
        layout.kinds.extend(texts);
        let widest = self
            .width
            .filter(|_| layout.is_numbered())
            .map(|width| width.max(widest));
        if layout == self.layout && widest == self.widest {
            return Ok(Schema::Other(self));
        }
        let names = self.columns.iter().map(|column| column.name.to_owned());
        Ok(layout.table_of_rows(names.collect(), self.width, widest))
    }
}

/// Refuses a file whose lines end in carriage returns alone, so that all rows are in the line of names.
fn refuse_one_line(head: &[u8]) -> Result<(), Error> {
    if head.contains(&b'\n') || !head.trim_ascii_end().contains(&b'\r') {
        return Ok(());
    }
    let what = "has carriage returns and no newline, so it is one line";
    let advice = "make newlines of them: tr '\\r' '\\n' < FILE | fecscan ...";
    Err(Error::input(what).advise(advice))
}
