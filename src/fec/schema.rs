//! The schemas of the bulk files: which there are, and how columns are recognized.

use std::ptr;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use super::columns::AMOUNT_DECIMALS;
use super::columns::{CCL, CM, CN, INDIV, OPPEXP, PAS2, WEBALL, WEBK};
pub use super::columns::{Column, Kind};
use super::lasting;
pub use super::layout::FirstLine;
use super::layout::{Layout, Quotes, Table, UNTYPED, names_of};
use super::origin::{self, ORIGIN, ORIGIN_COLUMNS};
pub use super::transaction_types::{CONDUIT_TYPES, CONTRIBUTION_TYPES, REFUND_TYPES};
use super::without_mark;
use crate::error::{Error, ErrorKind, escaped};

/// The most columns that a row can have: a line may have 16 MiB.
const COLUMNS_MAX: usize = (16 << 20) + 1;

/// One of the FEC's bulk files, or a file of another kind.
///
/// ```
/// use fecscan::Schema;
/// assert_eq!(Schema::Indiv.file_name(), "itcont.txt");
/// assert_eq!(Schema::of_file_name("cm18.zip".as_ref()), Some(Schema::Cm));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schema {
    /// `itcont.txt`: contributions by individuals.
    Indiv,
    /// `itoth.txt`: transactions from one committee to another.
    Oth,
    /// `itpas2.txt`: contributions from committees to candidates.
    Pas2,
    /// `cm.txt`: the committee master file.
    Cm,
    /// `cn.txt`: the candidate master file.
    Cn,
    /// `ccl.txt`: the links between candidates and committees.
    Ccl,
    /// `oppexp.txt`: operating expenditures.
    Oppexp,
    /// `weball.txt`: totals of all candidates.
    Weball,
    /// `webl.txt`: totals of candidates for House and Senate.
    Webl,
    /// `webk.txt`: totals of PACs and party committees.
    Webk,
    /// A file of another kind, made by [`Layout::schema`].
    Other(&'static Table),
}

impl Schema {
    /// Every schema of the FEC's.
    pub const ALL: [Schema; 10] = [
        Schema::Indiv,
        Schema::Oth,
        Schema::Pas2,
        Schema::Cm,
        Schema::Cn,
        Schema::Ccl,
        Schema::Oppexp,
        Schema::Weball,
        Schema::Webl,
        Schema::Webk,
    ];

    /// Returns the name in archives, the stem of the file inside, and the columns.
    pub(super) fn facts(self) -> (&'static str, &'static str, &'static [Column]) {
        match self {
            Schema::Indiv => ("indiv", "itcont", &INDIV),
            Schema::Oth => ("oth", "itoth", &INDIV),
            Schema::Pas2 => ("pas2", "itpas2", &PAS2),
            Schema::Cm => ("cm", "cm", &CM),
            Schema::Cn => ("cn", "cn", &CN),
            Schema::Ccl => ("ccl", "ccl", &CCL),
            Schema::Oppexp => ("oppexp", "oppexp", &OPPEXP),
            Schema::Weball => ("weball", "weball", &WEBALL),
            Schema::Webl => ("webl", "webl", &WEBALL),
            Schema::Webk => ("webk", "webk", &WEBK),
            Schema::Other(table) => (table.name.unwrap_or("other"), "", &table.columns),
        }
    }

    /// Returns the FEC's short name, as in the names of its archives. Files of other kinds are `other`.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the name of the file in the FEC's archives, such as `itcont.txt`.
    pub fn file_name(self) -> String {
        format!("{}.txt", self.facts().1)
    }

    /// Returns what a row of the file is.
    pub fn meaning(self) -> &'static str {
        match self {
            Schema::Indiv => "contributions by individuals",
            Schema::Oth => "transactions from one committee to another",
            Schema::Pas2 => "contributions from committees to candidates",
            Schema::Cm => "committees",
            Schema::Cn => "candidates",
            Schema::Ccl => "links between candidates and committees",
            Schema::Oppexp => "operating expenditures",
            Schema::Weball => "totals of all candidates",
            Schema::Webl => "totals of candidates for House and Senate",
            Schema::Webk => "totals of PACs and party committees",
            Schema::Other(_) => "rows of another kind",
        }
    }

    /// Returns what tells the schema from others without a look at its columns, of which there may be thousands.
    pub(crate) fn identity(self) -> (&'static str, usize) {
        match self {
            Schema::Other(table) => ("", ptr::from_ref(table).addr()),
            _ => (self.name(), 0),
        }
    }

    /// Returns the columns in their order.
    pub fn columns(self) -> &'static [Column] {
        self.facts().2
    }

    /// Returns the number of columns of a row in the file. Rows of `oppexp.txt` end in an empty
    /// column without a name, so it is one more there.
    pub fn columns_on_disk(self) -> usize {
        match self {
            Schema::Other(table) => table.width.unwrap_or(1).max(1),
            _ => self.columns().len() + usize::from(self == Schema::Oppexp),
        }
    }

    /// Returns the byte between columns.
    pub fn delimiter(self) -> u8 {
        self.layout().map_or(b'|', Layout::scanned_delimiter)
    }

    /// Says whether values may have bytes that stand for line breaks.
    pub(crate) fn has_line_breaks(self) -> bool {
        self.layout()
            .is_some_and(|layout| layout.quotes == Quotes::Csv)
    }

    /// Says whether a field that begins with a quote is an error.
    pub(crate) fn refuses_quotes(self) -> bool {
        self.layout().is_some_and(Layout::refuses_quotes)
    }

    /// Returns whether the first line of a file is a row.
    pub fn first_line(self) -> FirstLine {
        self.layout()
            .map_or(FirstLine::Row, |layout| layout.first_line)
    }

    /// Returns the layout of a file of another kind than the FEC's.
    pub fn layout(self) -> Option<&'static Layout> {
        match self {
            Schema::Other(table) => Some(&table.layout),
            _ => None,
        }
    }

    /// Returns a schema with the same columns, for a table that is joined under a name.
    pub(crate) fn named_table(self, name: &str) -> Schema {
        Schema::of_table(name, self.columns().to_vec())
    }

    /// Returns the schema of a joined table with this name and this header. Columns hold text if they are `day_first`.
    pub(crate) fn of_header(name: &str, fields: &[&[u8]], day_first: &[bool]) -> Schema {
        let columns = names_of(fields).into_iter().zip(day_first);
        let columns = columns.map(|(name, is_text)| Column {
            name: lasting::name(name),
            kind: if *is_text { Kind::Text } else { Kind::Untyped },
            ..UNTYPED
        });
        Schema::of_table(name, columns.collect())
    }

    fn of_table(name: &str, columns: Vec<Column>) -> Schema {
        Schema::Other(lasting::table(Table {
            name: Some(lasting::name(name.to_owned())),
            layout: Layout::new(b'|').expect("a delimiter"),
            width: Some(columns.len()),
            widest: None,
            columns,
            places: OnceLock::new(),
        }))
    }

    /// Returns the schema of a file with this first line, where that tells the columns.
    pub(crate) fn of_first_line(self, line: impl FnOnce() -> Vec<u8>) -> Schema {
        match self {
            Schema::Other(table) if table.is_open() => table.layout.with_first_line(&line()),
            _ => self,
        }
    }

    /// Checks the first lines of a file of another kind. Returns the schema, in which columns of days before months are texts.
    ///
    /// # Errors
    /// If they can't be read without quotes. If a column has a type that the file does not have, or other dates than are read.
    pub(crate) fn check(self, head: impl FnOnce() -> Vec<u8>) -> Result<Schema, Error> {
        match self {
            Schema::Other(table) => table.check(&head()),
            _ => Ok(self),
        }
    }

    /// Returns the FEC's schema whose columns have these names, in any case.
    pub(super) fn of_names<'a>(names: impl Iterator<Item = &'a [u8]> + Clone) -> Option<Schema> {
        let has_them = |schema: &Schema| {
            let columns = schema.columns().iter().map(|column| column.name.as_bytes());
            let same = |(column, name): (&[u8], &[u8])| column.eq_ignore_ascii_case(name);
            columns.len() == names.clone().count() && columns.zip(names.clone()).all(same)
        };
        Schema::ALL.into_iter().find(has_them)
    }

    /// Returns the FEC's schema whose columns a line names, with pipes between the names.
    pub(crate) fn of_names_line(line: &[u8]) -> Option<Schema> {
        let line = without_mark(line).trim_ascii();
        let line = line.strip_suffix(b"|").unwrap_or(line);
        Schema::of_names(line.split(|&byte| byte == b'|'))
    }

    /// Finds a column by its name, its alias or its number, and returns its zero-based place.
    ///
    /// Names and aliases match in any case. Numbers count from one, with or without `#`. Every input has the columns `file`, `member` and
    /// `cycle`. Their places are beyond the columns of all lines.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// for name in ["TRANSACTION_AMT", "transaction_amt", "amount", "#15", "15"] {
    ///     assert_eq!(Schema::Indiv.column(name)?, 14);
    /// }
    /// # Ok::<(), fecscan::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error for an unknown column. It suggests a name that differs in few letters.
    pub fn column(self, name: &str) -> Result<usize, Error> {
        self.named(name)
            .or_else(|| self.numbered(name))
            .or_else(|| origin::named(name))
            .ok_or_else(|| self.unknown_column(name))
    }

    /// Returns the column at a zero-based place: of the file, or of every input. None for numbers without a name.
    pub(crate) fn column_at(self, place: usize) -> Option<&'static Column> {
        let of_inputs = || ORIGIN_COLUMNS.get(place.checked_sub(ORIGIN)?);
        self.columns().get(place).or_else(of_inputs)
    }

    /// Returns the zero-based place of the column with this name or alias, in any case.
    pub(crate) fn named(self, name: &str) -> Option<usize> {
        let columns = || self.columns().iter();
        if name.is_empty() {
            return None;
        }
        if let Schema::Other(table) = self {
            return table.place_of(name);
        }
        let by_name = columns().position(|column| column.name.eq_ignore_ascii_case(name));
        by_name.or_else(|| columns().position(|column| column.alias.eq_ignore_ascii_case(name)))
    }

    /// Returns the zero-based place of the column with this number, such as `#15` or `15`.
    pub(crate) fn numbered(self, name: &str) -> Option<usize> {
        let number = name.strip_prefix('#').unwrap_or(name);
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        let number = number.parse().ok().filter(|_| digits)?;
        let most = match self {
            // Nothing is known of the columns of an empty file.
            Schema::Other(Table { width: None, .. }) => COLUMNS_MAX,
            // Later rows may have more columns than the first.
            Schema::Other(table) if table.layout.is_numbered() && table.name.is_none() => {
                table.widest.unwrap_or(COLUMNS_MAX)
            }
            Schema::Other(table) => {
                let place = table.layout.place_of_like(number, &table.columns);
                if place.is_some() {
                    return place;
                }
                self.columns_on_disk()
            }
            _ => self.columns_on_disk(),
        };
        (1..=most).contains(&number).then(|| number - 1)
    }

    /// Returns what lacks a column in messages.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Schema::Other(Table { name: None, .. }) => "the file",
            _ => self.name(),
        }
    }

    /// Returns the error for an unknown column. A long list of columns would hide what went wrong.
    pub(crate) fn unknown_column(self, name: &str) -> Error {
        let columns = self.columns().iter();
        let known = columns.flat_map(|column| [column.name, column.alias]);
        let subject = self.subject();
        let shown = escaped(name.as_bytes());
        if self.is_of_empty_file() {
            let what = format!("{subject} is empty, and has no column '{shown}'");
            return Error::new(ErrorKind::Usage, what)
                .advise("check the program that has written the file");
        }
        let what = format!("{subject} has no column '{shown}'");
        let names: Vec<_> = self
            .columns()
            .iter()
            .map(|column| escaped(column.name.as_bytes()))
            .filter(|name| !name.starts_with('#'))
            .collect();
        let on_disk = match self {
            Schema::Other(table) => table.widest.unwrap_or(self.columns_on_disk()),
            _ => self.columns_on_disk(),
        };
        let of_inputs = "every input has file, member and cycle too";
        let words = || name.split_whitespace();
        let are_columns = words().count() > 1 && words().all(|word| self.column(word).is_ok());
        // A misspelt name needs no list.
        let near = nearest(name, known);
        Error::new(ErrorKind::Usage, what).advise(match (near, self.layout_advice()) {
            _ if are_columns => format!("did you mean {}?", words().collect::<Vec<_>>().join(",")),
            (Some(near), _) if !near.starts_with('#') => format!("did you mean {near}?"),
            (None, Some(advice)) => advice,
            _ if names.is_empty() => format!("its columns are #1 to #{on_disk}; {of_inputs}"),
            _ if !matches!(self, Schema::Other(_)) => {
                let (name, all) = (self.name(), self.columns().len());
                format!("'fecscan columns {name}' lists its {all} columns")
            }
            _ if names.len() > LISTED_MAX => {
                let all = names.len();
                format!("'fecscan info FILE' lists its {all} columns; {of_inputs}")
            }
            // The empty column after the last delimiter has a number, and no name.
            _ => format!(
                "its columns are #1 to #{}: {}; {of_inputs}",
                self.columns().len(),
                names.join(", ")
            ),
        })
    }

    /// Returns what to say of the layout of a file of another kind that seems to lack its columns.
    fn layout_advice(self) -> Option<String> {
        let Schema::Other(Table {
            name: None,
            layout,
            columns,
            ..
        }) = self
        else {
            return None;
        };
        let first = columns.first()?.name;
        let known = [
            ("tab", '\t'),
            ("semicolon", ';'),
            ("pipe", '|'),
            ("comma", ','),
        ];
        let mut known = known.into_iter();
        let between = known.find(|(_, delimiter)| columns.len() == 1 && first.contains(*delimiter));
        let is_numbered = first == "#1" && layout.first_line == FirstLine::Row;
        match between {
            Some((delimiter, _)) => Some(format!(
                "its first line is one column, '{}': say what is between columns, --delimiter {delimiter}",
                escaped(first.as_bytes())
            )),
            None => is_numbered.then(|| {
                format!(
                    "its columns are #1 to #{}; --header if its first line has their names",
                    self.columns_on_disk()
                )
            }),
        }
    }
}

/// The most columns that an error lists.
const LISTED_MAX: usize = 8;

/// A schema as partials write it: by its name, or as a layout with its columns.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SchemaForm {
    Named(String),
    Other(Layout, Vec<String>, Option<usize>),
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Schema::Other(table) => {
                let names = table.columns.iter().map(|column| column.name.to_owned());
                SchemaForm::Other(table.layout.clone(), names.collect(), table.width)
            }
            _ => SchemaForm::Named(self.name().to_owned()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Schema, D::Error> {
        let schema = match SchemaForm::deserialize(deserializer)? {
            SchemaForm::Other(layout, names, width) => {
                // Rows may end in a column without a name.
                let widths = names.len().max(1)..=names.len() + 1;
                let is_width = width.is_none_or(|width| widths.contains(&width));
                let table = || layout.table(names, width);
                (is_width && layout.is_sound()).then(table)
            }
            SchemaForm::Named(name) => {
                let mut known = Schema::ALL.into_iter();
                known.find(|schema| schema.name() == name)
            }
        };
        schema.ok_or_else(|| serde::de::Error::custom("an unknown schema"))
    }
}

/// Returns the first of the `known` names that differs least from `name`, if it differs in few letters.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_ascii_lowercase();
    let known = known.into_iter().filter(|known| !known.is_empty());
    let distances = known.map(|known| {
        let distance = strsim::osa_distance(&wanted, &known.to_ascii_lowercase());
        (distance, known)
    });
    let (distance, known) = distances.min_by_key(|&(distance, _)| distance)?;
    let most = (known.len().min(wanted.len()) / 3).max(1);
    (distance <= most && distance < known.len()).then_some(known)
}

#[cfg(test)]
mod tests;
