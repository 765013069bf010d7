//! The columns of a row that are written: resolved for a schema, and their values.

mod derived;

use std::collections::{HashMap, HashSet};

use ahash::RandomState;

pub(crate) use self::derived::{DerivedValues, Tally};
use crate::error::{Error, ErrorKind};
use crate::expr::list::Role;
use crate::expr::{Key, KeyFunction, named_twice};
use crate::fec::origin::ORIGIN;
use crate::fec::schema::{AMOUNT_DECIMALS, Kind, Schema};
use crate::join::{Found, JoinedColumn, Partners};

/// A column of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportColumn {
    /// The name, such as `NAME`, `month(TRANSACTION_DT)` or `cm.CAND_ID`.
    pub name: String,
    /// Where the value of a row is.
    pub source: Source,
    /// The type of typed values.
    pub kind: ColumnKind,
}

/// Where the value of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the row: the located column with this number.
    Row(usize),
    /// Beside the row, because it was made of a column or comes from a joined file: the made value with
    /// this number.
    Derived(usize),
}

/// The type of typed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Amounts of money: decimals of at most 14 digits, two of them after the point.
    Amount,
    /// Numbers with this many decimals, of at most 18 digits.
    Number(u8),
    /// Days.
    Date,
    /// Whole numbers of 64 bits.
    Integer,
}

/// Whether values are text as it stands, or have types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Types {
    /// Every value is the bytes that stand in the file.
    #[default]
    Raw,
    /// Amounts, dates and SUB_ID are parsed. Empty values, and values that can't be parsed, are null.
    Typed,
}

/// The key of all columns that no other key names.
const ALL_OTHERS: &str = "*";

/// The columns of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportColumns {
    /// The columns, in their order. Names occur once.
    pub columns: Vec<ExportColumn>,
    /// Whether values are text as it stands, or have types.
    pub types: Types,
    /// The columns of the rows to be located, counted from zero, each once.
    pub(crate) located: Vec<usize>,
    /// How values are made that do not stand in the row as they are.
    derived: Vec<Derivation>,
}

/// How a value is made of a located column.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Derivation {
    /// The number of the located column; none for the label of the row.
    located: Option<usize>,
    /// The column of a partner. The located one is the identifier that leads to it.
    joined: Option<JoinedColumn>,
    function: KeyFunction,
    /// The type that the value is converted to, if values have types.
    kind: ColumnKind,
    /// Whether bytes in the value may stand for line breaks.
    has_line_breaks: bool,
}

impl ExportColumns {
    /// Resolves `keys`. Without keys, the result has all columns of `schema`. The key `*` means all columns that no other key names.
    ///
    /// # Errors
    /// A usage error if the schema lacks a column, the column holds something else than its function
    /// takes, or a column is named twice.
    pub fn bind(
        keys: &[Key],
        types: Types,
        schema: Schema,
        partners: &Partners,
    ) -> Result<ExportColumns, Error> {
        let mut bound = Binding {
            columns: ExportColumns {
                columns: Vec::new(),
                types,
                located: Vec::new(),
                derived: Vec::new(),
            },
            places: HashMap::default(),
        };
        if keys.is_empty() {
            bound.push_all_but(&HashSet::default(), schema);
        }
        let (mut bindings, mut names) = (Vec::new(), HashSet::default());
        for key in keys {
            let is_all = key.function.is_none() && key.column == ALL_OTHERS;
            let (found, name) = if is_all {
                (None, key.column.clone())
            } else {
                let found = key.bind(schema, partners, Role::Export)?;
                let name = key.name_of(&partners.shown(schema, &found));
                (Some(found), name)
            };
            if !names.insert(name.clone()) {
                return Err(named_twice("the column", &name));
            }
            bindings.push((found, key, name));
        }
        for (found, key, name) in bindings {
            match found {
                None => bound.push_all_but(&names, schema),
                Some(found) => bound.push(schema, &found, key.function.clone(), name),
            }
        }
        Ok(bound.columns)
    }

    /// Fails unless `later` finds its values in the same way once rows are located. Then both are one table.
    pub(crate) fn check_read_like(&self, later: &ExportColumns) -> Result<(), Error> {
        if (&self.columns, &self.derived) == (&later.columns, &later.derived) {
            return Ok(());
        }
        let what = "has other columns than the input before it";
        Err(Error::new(ErrorKind::Usage, what).advise(
            "export inputs of one schema, or columns that all have under one name: --columns CMTE_ID",
        ))
    }

    pub(crate) fn has_derived(&self) -> bool {
        !self.derived.is_empty()
    }

    /// Returns the bytes that the joined values of a row have at most.
    pub(crate) fn longest_joined(&self, partners: &Partners) -> usize {
        let joined = self.derived.iter().filter_map(|made| made.joined.as_ref());
        joined.map(|column| partners.longest(column)).sum()
    }

    pub(crate) fn insert_label(&mut self, name: &str) -> Result<(), Error> {
        if self.columns.iter().any(|column| column.name == name) {
            let what = format!("a column is called {name} already, as that of the labels");
            return Err(Error::new(ErrorKind::Usage, what).advise("name the columns to export"));
        }
        let column = ExportColumn {
            name: name.to_owned(),
            source: Source::Derived(self.derived.len()),
            kind: ColumnKind::Text,
        };
        self.columns.insert(0, column);
        self.derived.push(Derivation {
            located: None,
            joined: None,
            function: KeyFunction::NONE,
            kind: ColumnKind::Text,
            has_line_breaks: false,
        });
        Ok(())
    }
}

/// Columns on their way. There may be ten thousands, and each is looked up.
struct Binding {
    columns: ExportColumns,
    /// For each column of the rows the number among those that are located.
    places: HashMap<usize, usize, RandomState>,
}

impl Binding {
    fn push_all_but(&mut self, names: &HashSet<String, RandomState>, schema: Schema) {
        for place in schema.shown_places() {
            let column = &schema.columns()[place];
            if !names.contains(column.name) {
                let found = Found::own(place);
                self.push(schema, &found, KeyFunction::NONE, column.name.to_owned());
            }
        }
    }

    fn push(&mut self, scanned: Schema, found: &Found, function: KeyFunction, name: String) {
        let place = found.place;
        let columns = &mut self.columns;
        let located = *self.places.entry(place).or_insert_with(|| {
            columns.located.push(place);
            columns.located.len() - 1
        });
        let kind = if function.is_none() {
            kind_of(scanned, found)
        } else {
            ColumnKind::Text
        };
        let joined = found.joined.clone();
        let is_converted = columns.types == Types::Typed && kind != ColumnKind::Text;
        // Rows may be copied line by line, and no line has columns of inputs.
        let is_of_line = joined.is_none() && place < ORIGIN;
        // Joined tables have no such bytes.
        let has_line_breaks = joined.is_none() && scanned.has_line_breaks();
        let source = if is_of_line && function.is_none() && !is_converted && !has_line_breaks {
            Source::Row(located)
        } else {
            columns.derived.push(Derivation {
                located: Some(located),
                joined,
                function,
                kind,
                has_line_breaks,
            });
            Source::Derived(columns.derived.len() - 1)
        };
        columns.columns.push(ExportColumn { name, source, kind });
    }
}

fn kind_of(scanned: Schema, found: &Found) -> ColumnKind {
    let (schema, place) = found.schema_and_place(scanned);
    match schema.column_at(place) {
        Some(column) if column.kind == Kind::Number => match column.decimals {
            AMOUNT_DECIMALS => ColumnKind::Amount,
            decimals => ColumnKind::Number(decimals),
        },
        Some(column) if column.kind == Kind::Date => ColumnKind::Date,
        Some(column) if column.name == "SUB_ID" => ColumnKind::Integer,
        _ => ColumnKind::Text,
    }
}
