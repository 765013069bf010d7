//! Joins: rows of cm, cn and ccl, found by the FEC's own keys, and rows of any table, found by a column of it.
//!
//! [`Partners`] holds joined files. [`Filter::with_partners`](crate::sql::Filter::with_partners) and
//! [`ByFold::with_partners`](crate::fold::by::ByFold::with_partners) take their columns by name.
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
use crate::error::Error;
use crate::expr::{KeyFunction, append};
use crate::fec::date;
use crate::fec::number::Number;
use crate::fec::schema::Schema;
use crate::scan::Cell;

/// Joined files, to be shared by a filter and a fold. Clones share the rows.
#[derive(Clone, Debug, Default)]
pub struct Partners {
    /// One for each schema and each name, in the order given.
    pub(crate) tables: Arc<[Table]>,
    pub(crate) notes: Arc<[String]>,
    pub(crate) policy: PartnerPolicy,
    /// How many of the tables names may mean. Rows lead to a table directly, or through tables before it.
    pub(crate) known: usize,
}

/// Which rows are partners, if several have the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartnerPolicy {
    /// The last one.
    #[default]
    Last,
    /// Each of them: a scanned row counts once for each, unless only distinct values are taken from the table. Conditions and exports
    /// then refuse columns of tables whose rows share keys.
    Each,
}

/// A choice of partners: one in each table. Tables stand after those that lead to them.
pub(crate) type Choice = Vec<Chosen>;

/// The chosen partner in a table.
pub(crate) struct Chosen {
    pub(crate) schema: Schema,
    /// The row of the table; none without a partner.
    pub(crate) row: Option<u32>,
    /// Whether the table has several rows to choose from, after the choice in the tables that lead to it.
    pub(crate) is_one_of_several: bool,
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

    /// Returns the number of choices that [`Partners::each_choice`] makes, or a number beyond `most`. Tables that do not lead to each other
    /// multiply, and 10^12 choices are not counted one by one.
    pub(crate) fn count_choices(&self, columns: &[(&JoinedColumn, &[u8])], most: u64) -> u64 {
        if self.most() == 1 {
            return 1;
        }
        self.count(&tables_of(columns), &mut Choice::new(), most)
    }

    fn count(&self, tables: &[(&JoinedColumn, &[u8])], choice: &mut Choice, most: u64) -> u64 {
        let Some(((column, id), others)) = tables.split_first() else {
            return 1;
        };
        let mut rows = self.partners_of(column, id, choice).into_iter();
        let chosen = |choice: &mut Choice, row: Option<u32>, most: u64| {
            choice.push(Chosen {
                schema: column.schema,
                row,
                is_one_of_several: true,
            });
            let count = self.count(others, choice, most);
            choice.pop();
            count
        };
        let leads = |(other, _): &(&JoinedColumn, &[u8])| {
            other
                .path()
                .skip(1)
                .any(|before| before.schema == column.schema)
        };
        if !others.iter().any(leads) {
            let count = rows.len().max(1) as u64;
            return count.saturating_mul(chosen(choice, rows.next(), most));
        }
        let mut count = if rows.len() == 0 {
            chosen(choice, None, most)
        } else {
            0
        };
        for row in rows {
            if count > most {
                break;
            }
            count = count.saturating_add(chosen(choice, Some(row), most - count));
        }
        count
    }

    /// Calls `see` with each choice of partners, as rows of a left join: one in each table of `columns`, and in each table that leads to
    /// these. Each column comes with the identifier that leads to it.
    ///
    /// Tables between are chosen from even if no column of theirs is wanted. Otherwise a partner that leads to no row would be
    /// lost beside one that does, and two tables after one table would take rows of different partners.
    pub(crate) fn each_choice(
        &self,
        columns: &[(&JoinedColumn, &[u8])],
        see: &mut dyn FnMut(&Choice),
    ) {
        self.choose(&tables_of(columns), &mut Choice::new(), see);
    }

    /// Adds each choice in `tables` to `choice`, which has the tables that lead to them.
    fn choose(
        &self,
        tables: &[(&JoinedColumn, &[u8])],
        choice: &mut Choice,
        see: &mut dyn FnMut(&Choice),
    ) {
        let Some(((column, id), others)) = tables.split_first() else {
            return see(choice);
        };
        let rows = self.partners_of(column, id, choice);
        let is_one_of_several = rows.len() > 1;
        let none = rows.is_empty().then_some(None);
        for row in rows.into_iter().map(Some).chain(none) {
            choice.push(Chosen {
                schema: column.schema,
                row,
                is_one_of_several,
            });
            self.choose(others, choice, see);
            choice.pop();
        }
    }

    /// Returns the value of `column` in the chosen row.
    pub(crate) fn chosen(&self, column: &JoinedColumn, choice: &Choice) -> Option<&[u8]> {
        let mut choice = choice.iter();
        let row = choice.find(|chosen| chosen.schema == column.schema)?.row?;
        Some(self.table(column.schema)?.column(row, column.column))
    }

    /// Returns the partners in the table of `column`, after a choice in the tables that lead to it.
    fn partners_of(&self, column: &JoinedColumn, id: &[u8], choice: &Choice) -> Vec<u32> {
        let key = match &column.through {
            None => Some(id.into()),
            Some((before, made)) => {
                let value = self.chosen(before, choice);
                value.map(|value| made_of(made, value))
            }
        };
        match (self.table(column.schema), key) {
            (Some(table), Some(key)) => table.rows(&key).take(self.most()).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the most partners of a row in a table.
    fn most(&self) -> usize {
        match self.policy {
            PartnerPolicy::Last => 1,
            PartnerPolicy::Each => usize::MAX,
        }
    }

    /// Fails if `column` is found through a table that has several partners of a row, and each counts.
    pub(crate) fn refuse_several(&self, column: &JoinedColumn) -> Result<(), Error> {
        let may_be = |table: &&Table| {
            let mut path = column.path();
            table.has_repeated_keys() && path.any(|column| column.schema == table.schema)
        };
        match self.tables.iter().find(may_be) {
            Some(table) if self.policy == PartnerPolicy::Each => {
                let file = table.files.join(", ");
                let what = format!(
                    "a row may have several partners in {file}, and a condition or a row of the export takes one"
                );
                Err(Error::usage(what).advise(
                    "make its columns keys of groups; or list the keys of the partners that are meant, as with fecscan export --columns CMTE_ID --where \"CAND_ID = 'ID'\" ccl.txt, and choose rows by these: --where \"CMTE_ID IN ('ID')\"; without --each, only the last partner of a row counts",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Returns all identifiers for which [`Partners::value`] may have a value.
    pub(crate) fn ids(&self, column: &JoinedColumn) -> impl Iterator<Item = &[u8]> {
        let first = column.path().last();
        let table = first.and_then(|first| self.table(first.schema));
        table.into_iter().flat_map(Table::keys)
    }

    /// Says whether all values of a column are days, and no numbers.
    pub(crate) fn are_days(&self, column: &JoinedColumn) -> bool {
        let values = self.ids(column).filter_map(|id| self.value(column, id));
        let mut values = values.filter(|value| !value.is_empty()).peekable();
        let is_day = |value: &[u8]| date::of_column(value).is_some() && Number::of(value).is_none();
        values.peek().is_some() && values.all(is_day)
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

/// Returns a column of each table to choose from, with the identifier of the row. Tables stand after those that lead to them.
fn tables_of<'a>(columns: &[(&'a JoinedColumn, &'a [u8])]) -> Vec<(&'a JoinedColumn, &'a [u8])> {
    let mut tables: Vec<(&JoinedColumn, &[u8])> = Vec::new();
    for (column, id) in columns {
        let place = tables.len();
        for column in column.path() {
            let mut known = tables.iter().map(|(known, _)| known.schema);
            if known.any(|schema| schema == column.schema) {
                break;
            }
            tables.insert(place, (column, id));
        }
    }
    tables
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
