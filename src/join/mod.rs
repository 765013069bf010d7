//! Joins: rows of cm, cn and ccl, found by the FEC's own keys, and rows of any table, found by a column of it.
//!
//! [`Partners`] holds joined files. [`Filter::with_partners`](crate::sql::Filter::with_partners) and
//! [`RowFold::with_partners`](crate::export::RowFold::with_partners) take their columns by name. Groups join their rows as tables of SQL.
//!
//! # Which row is the partner
//!
//! CMTE_ID of a scanned row leads to cm and ccl. Its CAND_ID leads to cn. If the schema has no CAND_ID, the
//! committee leads to cn: by the CAND_ID of its row in cm or in ccl, whichever is joined first.
//!
//! A [`Join::on`] names a table, the column of its key, and the expression of the scanned row that is the key.
//!
//! Identifiers are compared as they stand. An empty one has no partner. Columns of a row without a
//! partner are empty.
//!
//! # What a join costs
//!
//! The scanner sees nothing of it. A condition on a joined column becomes a set of identifiers, tested on
//! the scanned rows like any other condition. Groups by a joined column are groups by the identifier while
//! rows are read. Afterwards each of them is looked up once, and equal groups merge.

pub(crate) mod bind;
mod names;
mod on;
mod repeats;
pub(crate) mod table;
mod without_partner;

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(crate) use self::names::Found;
pub(crate) use self::on::On;
pub use self::on::{Join, is_name};
use self::table::Table;
pub use self::without_partner::{Counted, WithoutPartner};
use crate::expr::{KeyFunction, append};
use crate::fec::schema::Schema;
use crate::scan::Cell;

/// Joined files, to be shared by a filter and a fold. Clones share the rows.
#[derive(Clone, Debug, Default)]
pub struct Partners {
    /// One for each schema and each name, in the order given.
    pub(crate) tables: Arc<[Table]>,
    pub(crate) notes: Arc<[String]>,
    /// How many of the tables names may mean. Rows lead to a table directly, or through tables before it.
    pub(crate) known: usize,
}

/// Which rows are partners, if several have the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartnerPolicy {
    /// The last one.
    #[default]
    Last,
    /// Each of them, as in SQL: a scanned row counts once for each.
    Each,
}

/// The schemas that can be joined.
pub(crate) const JOINABLE: [Schema; 3] = [Schema::Cm, Schema::Cn, Schema::Ccl];

/// The schemas that tell a committee's candidate.
const LINKS: [Schema; 2] = [Schema::Cm, Schema::Ccl];

const COMMITTEE: &str = "CMTE_ID";
const CANDIDATE: &str = "CAND_ID";

/// A column of a joined file, and the way to its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JoinedColumn {
    /// The schema of the joined file.
    pub(crate) schema: Schema,
    /// The column there, counted from zero.
    pub(crate) column: usize,
    /// Makes the identifier of a column of the scanned row.
    pub(crate) function: KeyFunction,
    /// The column of another table that the identifier leads to, and the function that makes the partner's key of it. Without one, the
    /// identifier is the key.
    through: Option<(Arc<JoinedColumn>, KeyFunction)>,
}

impl JoinedColumn {
    /// Returns the column, and the columns by which other tables lead to it, the nearest first.
    pub(crate) fn path(&self) -> impl Iterator<Item = &JoinedColumn> {
        iter::successors(Some(self), |column| {
            let (before, _) = column.through.as_ref()?;
            Some(before)
        })
    }
}

impl Partners {
    /// Returns notes for the user: on keys that occur twice, rows without a key, members of archives that
    /// are left out. Each names its file.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Says whether no file is joined.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns notes on the files that no key and no condition has used so far. Columns are looked up when a
    /// run begins.
    pub fn unused(&self) -> impl Iterator<Item = String> {
        let tables = self.tables.iter();
        let unused = tables.filter(|table| !table.is_used.load(Ordering::Relaxed));
        let files = unused.flat_map(|table| &table.files);
        files.map(|file| format!("{file}: note: none of its columns is used"))
    }

    /// Returns the value of `column` for the row with the identifier `id`; none without a partner.
    pub(crate) fn value(&self, column: &JoinedColumn, id: &[u8]) -> Option<&[u8]> {
        let table = self.table(column.schema)?;
        let row = match &column.through {
            None => table.row(id)?,
            Some((before, made)) => table.row(&made_of(made, self.value(before, id)?))?,
        };
        Some(table.column(row, column.column))
    }

    /// Does the same for the row whose column is `cell`. `id` is memory for the identifier.
    #[inline]
    pub(crate) fn value_of(
        &self,
        column: &JoinedColumn,
        cell: Cell<'_>,
        id: &mut Vec<u8>,
    ) -> Option<&[u8]> {
        if column.function.is_none() {
            return self.value(column, &cell);
        }
        id.clear();
        append(&column.function, cell, id);
        self.value(column, id)
    }

    /// Returns all identifiers for which [`Partners::value`] may have a value.
    pub(crate) fn ids(&self, column: &JoinedColumn) -> impl Iterator<Item = &[u8]> {
        let first = column.path().last();
        let table = first.and_then(|first| self.table(first.schema));
        table.into_iter().flat_map(Table::keys)
    }

    /// Returns the bytes of the longest value of a column.
    pub(crate) fn longest(&self, column: &JoinedColumn) -> usize {
        let table = self.table(column.schema);
        table.map_or(0, |table| table.longest(column.column))
    }

    /// Returns the name of the joined files of `schema`, for messages.
    pub(crate) fn file_name(&self, schema: Schema) -> String {
        let table = self.table(schema);
        table.map_or_else(|| schema.file_name(), |table| table.files.join(", "))
    }

    /// Returns the place of a joined table in a [`FilterCounts`](crate::scan::FilterCounts) of rows without a partner.
    pub(crate) fn table_place(&self, schema: Schema) -> usize {
        let place = self.tables.iter().position(|table| table.schema == schema);
        place.expect("columns are those of joined tables")
    }

    /// Returns the tables that names may mean.
    fn known(&self) -> &[Table] {
        &self.tables[..self.known]
    }

    fn table(&self, schema: Schema) -> Option<&Table> {
        self.known().iter().find(|table| table.schema == schema)
    }
}

/// Returns what a function makes of a value.
fn made_of<'a>(function: &KeyFunction, value: &'a [u8]) -> Cow<'a, [u8]> {
    if function.is_none() {
        return value.into();
    }
    let mut made = Vec::new();
    append(function, Cell::from(value), &mut made);
    made.into()
}

/// Returns the column by which rows of one of the [`JOINABLE`] schemas are found.
pub(crate) fn key_column(schema: Schema) -> &'static str {
    match schema {
        Schema::Cn => CANDIDATE,
        _ => COMMITTEE,
    }
}
