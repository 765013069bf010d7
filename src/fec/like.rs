//! Files that are read together, and whose first lines name the same columns in any order.
//!
//! The first file is the example of the others: numbers mean its columns, a table shows its order, and an empty file has its columns.

use std::collections::HashSet;

use super::columns::Column;
use super::layout::{FirstLine, Layout, Table};
use super::schema::Schema;

impl Layout {
    /// Reads files like `first`, which names its columns: those with the same names in another order, and empty ones.
    pub fn read_like(&mut self, first: Schema) {
        if self.has_own_names() {
            let names = first.columns().iter().map(|column| column.name.to_owned());
            self.like = names.collect();
        }
    }

    /// Says whether each file names its columns.
    pub(super) fn has_own_names(&self) -> bool {
        self.first_line == FirstLine::Names && self.names.is_empty()
    }

    /// Says whether the columns of a file have numbers alone.
    pub(super) fn is_numbered(&self) -> bool {
        self.first_line == FirstLine::Row && self.names.is_empty()
    }

    /// Returns the number of the column `name` at this place.
    pub(super) fn number_of(&self, place: usize, name: &str) -> usize {
        let is_it = |known: &String| known.eq_ignore_ascii_case(name);
        // The order is nearly always the same.
        if self.like.get(place).is_some_and(is_it) {
            return 1 + place;
        }
        1 + self.like.iter().position(is_it).unwrap_or(place)
    }

    /// Returns `names` in the capitals and small letters of the other file.
    pub(super) fn spelled_like(&self, names: Vec<String>) -> Vec<String> {
        let spelled = |(place, name): (usize, String)| {
            let like = self.like.get(self.number_of(place, &name) - 1);
            like.cloned().unwrap_or(name)
        };
        names.into_iter().enumerate().map(spelled).collect()
    }

    /// Returns the place of the column with this number in a file with these `columns`, if numbers mean those of another file.
    pub(super) fn place_of_like(&self, number: usize, columns: &[Column]) -> Option<usize> {
        let place = number.checked_sub(1)?;
        let name = self.like.get(place)?;
        let is_it = |column: &Column| column.name.eq_ignore_ascii_case(name);
        if columns.get(place).is_some_and(is_it) {
            return Some(place);
        }
        columns.iter().position(is_it)
    }
}

impl Schema {
    /// Returns the zero-based places of all columns, in the order in which a table shows them: that of the first of several files.
    pub(crate) fn shown_places(self) -> Vec<usize> {
        let columns = self.columns();
        let place = |nth: usize| match self {
            Schema::Other(table) => table.layout.place_of_like(nth + 1, columns).unwrap_or(nth),
            _ => nth,
        };
        (0..columns.len()).map(place).collect()
    }

    /// Says whether `other` has columns of the same names. Their order may be another one.
    pub fn has_names_of(self, other: Schema) -> bool {
        let names = |schema: Schema| {
            let names = schema.columns().iter().map(|column| column.name.to_owned());
            names.collect::<Vec<_>>()
        };
        let have_own = |schema: Schema| schema.layout().is_some_and(Layout::has_own_names);
        have_own(self) && have_own(other) && are_same(&names(self), &names(other))
    }

    /// Says whether the columns are unknown, because the first line of an empty file names none.
    pub fn is_of_empty_file(self) -> bool {
        matches!(self, Schema::Other(Table { width: None, .. }))
    }
}

/// Says whether names of columns are the same in any order and case. A column without a name of its own has none.
pub(super) fn are_same(names: &[String], others: &[String]) -> bool {
    let has_own = |name: &String| !name.starts_with('#');
    if names.len() != others.len() {
        return false;
    }
    let mut pairs = names.iter().zip(others);
    if pairs.all(|(name, other)| name.eq_ignore_ascii_case(other)) {
        return true;
    }
    let others: HashSet<_> = others
        .iter()
        .map(|name| name.to_ascii_lowercase())
        .collect();
    let is_in = |name: &String| has_own(name) && others.contains(&name.to_ascii_lowercase());
    names.iter().all(is_in)
}
