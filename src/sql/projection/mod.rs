//! The columns of rows that are written: a select list, bound to the rows of files, and its values.
//!
//! A column of a text stands in the row as it is, and is copied from there. All others are expressions, which are evaluated in 32 rows at a
//! time ([`DerivedValues`]).

mod bind;
mod derived;
mod joined;
mod key;
mod list;

pub(super) use self::bind::refuse_one_name;
pub(crate) use self::derived::{DerivedValues, Tally};
pub(crate) use self::joined::JoinedBlock;
use self::joined::{JOINED, JoinedColumns};
pub(crate) use self::key::RowKey;
pub use self::list::SelectList;
use super::expression::Expression;
use super::file::Read;
use super::types::Type;
use crate::error::{Error, ErrorKind};

/// About the bytes of a row without the values of joined tables.
const ROW_BYTES: usize = 256;

/// A column of rows that are written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportColumn {
    /// The name, such as `NAME`, `year(date)` or `cm.CAND_ID`.
    pub name: String,
    /// Where the value of a row is.
    pub source: Source,
    /// What the values are.
    pub kind: ColumnKind,
    /// The name of the column that is read, if the column is no expression.
    read_name: String,
    /// Whether the values are amounts or other numbers, for people.
    pub(crate) is_number: bool,
}

/// Where the value of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the row: the located column with this number.
    Row(usize),
    /// Beside the row, because an expression makes it or it comes from a joined file: the derived value with this number.
    Derived(usize),
    /// Beside the row: the label of rows that are chosen.
    Label,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts, none of which is NULL.
    Text,
    /// Values of a column of a file, read as a type.
    Column(Type),
    /// Values that an expression makes, or those of a column as a statement has them.
    Made(Type),
}

/// Which values have types, and which are text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Types {
    /// All are text: those of columns as they stand in the file, and none is NULL.
    #[default]
    Raw,
    /// Those of columns are text as they stand in the file, and those of expressions have types.
    Expressions,
    /// All have types: a number or a day that is empty or can't be parsed is NULL.
    Typed,
}

/// How derived values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// As text.
    Text,
    /// As bytes of a fixed number, but for texts. Columns of a file stay in their rows, and are parsed later.
    Binary,
}

/// The columns of rows that are written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExportColumns {
    /// The columns, in their order.
    pub columns: Vec<ExportColumn>,
    /// The columns of the rows to be located, counted from zero, each once.
    pub(crate) located: Vec<usize>,
    form: ValueForm,
    /// How derived values are made.
    derived: Vec<Derivation>,
    /// The columns that expressions read, by their numbers there.
    read: Vec<Read>,
    /// For each of them the number among the located columns, and its name.
    read_from: Vec<(usize, String)>,
    /// Tables that the rows are joined with. Their columns have numbers from [`JOINED`] on.
    joined: Option<JoinedColumns>,
}

/// An expression, and how its values are kept.
#[derive(Clone, Debug, PartialEq)]
struct Derivation {
    of: Expression,
    form: ValueForm,
    /// Whether NULL is told apart from an empty text.
    has_nulls: bool,
}

impl ExportColumns {
    /// Fails unless `later` has the same names, and finds its values in the same way once rows are located. Then both are one table.
    pub(crate) fn check_one_table(&self, later: &ExportColumns) -> Result<(), Error> {
        let names = |columns: &ExportColumns| -> Vec<String> {
            columns.columns.iter().map(|c| c.name.clone()).collect()
        };
        if names(self) == names(later) && self.is_read_like(later) {
            return Ok(());
        }
        let what = "has other columns than the input before it";
        Err(Error::new(ErrorKind::Usage, what).advise(
            "export inputs of one schema, or columns that all have under one name: --columns CMTE_ID",
        ))
    }

    /// Says whether `later` finds its values in the same way once rows are located.
    pub(crate) fn is_read_like(&self, later: &ExportColumns) -> bool {
        let sources = |one: &ExportColumn, other: &ExportColumn| {
            (one.source, one.kind) == (other.source, other.kind)
        };
        let reads = |one: &Read, other: &Read| {
            (one.gives, one.has_line_breaks) == (other.gives, other.has_line_breaks)
        };
        let located = |columns: &ExportColumns| -> Vec<usize> {
            columns.read_from.iter().map(|(nth, _)| *nth).collect()
        };
        self.derived == later.derived
            && located(self) == located(later)
            && equal(&self.columns, &later.columns, sources)
            && equal(&self.read, &later.read, reads)
    }

    pub(crate) fn has_derived(&self) -> bool {
        !self.derived.is_empty()
    }

    /// Says whether rows are joined with tables.
    pub(crate) fn has_joins(&self) -> bool {
        self.joined.is_some()
    }

    /// Returns the bytes of joined values that a row makes at most.
    pub(crate) fn longest_joined(&self) -> usize {
        let bytes = |joined: &JoinedColumns| {
            let of_row = joined.longest().saturating_add(ROW_BYTES);
            joined.rows.most().saturating_mul(of_row)
        };
        self.joined.as_ref().map_or(0, bytes)
    }

    /// Puts a column of labels before all others.
    pub(crate) fn insert_label(&mut self, name: &str) -> Result<(), Error> {
        if self.columns.iter().any(|column| column.name == name) {
            let what = format!("a column is called {name} already, as that of the labels");
            return Err(Error::new(ErrorKind::Usage, what).advise(format!(
                "name the columns to export, that one as another: \"{name}\" AS other"
            )));
        }
        let column = ExportColumn {
            name: name.to_owned(),
            source: Source::Label,
            kind: ColumnKind::Text,
            read_name: String::new(),
            is_number: false,
        };
        self.columns.insert(0, column);
        Ok(())
    }

    /// Returns the names of columns with values that could not be parsed, and how many: of the columns whose cells a writer has parsed,
    /// `unreadable` has the numbers. Each column of a file is named once.
    pub(crate) fn unparsed(&self, tally: &Tally, unreadable: &[u64]) -> Vec<(String, Type, u64)> {
        let of_cells = self.columns.iter().zip(unreadable);
        let of_cells = of_cells.filter_map(|(column, count)| match column.kind {
            ColumnKind::Column(of) | ColumnKind::Made(of) => Some((&column.read_name, of, *count)),
            ColumnKind::Text => None,
        });
        let of_reads = self.read.iter().zip(&self.read_from).zip(&tally.unread);
        let joined = self.joined.as_ref();
        let of_joins = joined.map(|joined| joined.rows.read.iter().zip(&joined.read_from));
        let of_joins = of_joins.into_iter().flatten().zip(&tally.unread_of_joins);
        let of_reads = of_reads
            .chain(of_joins)
            .map(|((read, (_, name)), count)| (name, read.gives, *count));
        let mut unparsed: Vec<(String, Type, u64)> = Vec::new();
        for (name, of, count) in of_cells.chain(of_reads).filter(|(.., count)| *count > 0) {
            // A column may be written, and be part of an expression too.
            match unparsed
                .iter_mut()
                .find(|known| known.0 == *name && known.1 == of)
            {
                Some(known) => known.2 = known.2.max(count),
                None => unparsed.push((name.clone(), of, count)),
            }
        }
        // Columns that a writer has parsed, and those that expressions read, stand in the order in which they are asked for.
        unparsed.sort_by_key(|(name, ..)| self.first_use(name));
        unparsed
    }

    /// Returns the number of the first column that a column of a file is part of.
    fn first_use(&self, name: &str) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|column| match column.source {
            Source::Derived(nth) => {
                let mut is_used = false;
                let mut see = |nth: usize| is_used |= nth < JOINED && self.read_from[nth].1 == name;
                self.derived[nth].of.each_column(&mut see);
                is_used
            }
            Source::Row(_) => column.kind.may_be_null() && column.read_name == name,
            Source::Label => false,
        })
    }
}

fn equal<T>(one: &[T], other: &[T], are_equal: impl Fn(&T, &T) -> bool) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(one, other)| are_equal(one, other))
}
