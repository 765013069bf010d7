//! What queries within others make, as tables of those around them.

use sqlparser::tokenizer::Span;

use crate::sql::expression::Expression;
use crate::sql::file::Read;
use crate::sql::messages::Wrong;
use crate::sql::plan::Source;
use crate::sql::scope::{ScopeColumn, ScopeTable};
use crate::sql::types::Type;

/// The table that a step makes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sql) struct Relation {
    pub(in crate::sql) step: usize,
    pub(in crate::sql) columns: Vec<RelationColumn>,
    /// Names that `*` has in DuckDB, and not here.
    pub(super) hidden: Vec<String>,
}

/// A column of such a table.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sql) struct RelationColumn {
    pub(in crate::sql) title: String,
    /// The short name of a column that `*` stands for.
    pub(in crate::sql) alias: String,
    pub(in crate::sql) gives: Type,
}

impl Relation {
    /// Returns the titles of the columns.
    pub(in crate::sql) fn titles(&self) -> Vec<String> {
        let columns = self.columns.iter();
        columns.map(|column| column.title.clone()).collect()
    }

    /// Returns the columns, to be read by their numbers.
    pub(super) fn read(&self) -> Vec<Read> {
        let columns = self.columns.iter().enumerate();
        let read = |(place, column): (usize, &RelationColumn)| Read {
            table: 0,
            place,
            gives: column.gives,
            has_line_breaks: false,
        };
        columns.map(read).collect()
    }

    /// Returns expressions that are the columns.
    pub(super) fn select(&self) -> Vec<Expression> {
        let columns = self.columns.iter().enumerate();
        let select =
            |(nth, column): (usize, &RelationColumn)| Expression::column(nth, column.gives);
        columns.map(select).collect()
    }

    /// Gives the first columns other names.
    pub(super) fn rename(&mut self, names: &[String], span: Span) -> Result<(), Wrong> {
        if names.len() > self.columns.len() {
            let what = format!(
                "there are {} names for {} columns",
                names.len(),
                self.columns.len()
            );
            return Err(Wrong::other(what, "name at most as many", span));
        }
        for (column, name) in self.columns.iter_mut().zip(names) {
            column.title.clone_from(name);
            column.alias.clear();
        }
        Ok(())
    }

    /// Returns the table that a query around this one sees under a name.
    ///
    /// # Errors
    /// If two columns have the same name, which DuckDB tells apart by numbers behind it.
    pub(super) fn table(&self, name: &str, span: Span) -> Result<ScopeTable, Wrong> {
        let title = if name.is_empty() {
            "the inner query".to_owned()
        } else {
            name.to_owned()
        };
        let mut known = self.hidden.clone();
        for column in &self.columns {
            let name = column.title.to_lowercase();
            let alias = column.alias.to_lowercase();
            let is_second = known.contains(&name) || known.contains(&alias);
            if is_second {
                return Err(Wrong::two_columns(&column.title, &title, span));
            }
            known.push(name);
            known.extend(Some(alias).filter(|alias| !alias.is_empty()));
        }
        let columns = self.columns.iter().enumerate();
        let columns = columns.map(|(place, column)| ScopeColumn {
            name: column.title.clone(),
            alias: column.alias.clone(),
            gives: column.gives,
            place,
            is_shown: true,
            is_never_null: false,
        });
        Ok(ScopeTable {
            bytes: 0,
            source: Source::Step(self.step),
            name: name.to_owned(),
            title,
            has_line_breaks: false,
            has_numbers: false,
            columns: columns.collect(),
        })
    }
}
