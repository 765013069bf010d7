//! The columns that names may mean.

use super::messages::Wrong;
use super::plan::Source;
use super::types::Type;
use crate::fec::schema::nearest;
use sqlparser::tokenizer::Span;

/// A table whose columns have names.
#[derive(Clone, Debug)]
pub(super) struct ScopeTable {
    pub(super) source: Source,
    /// The name in the statement: an alias, a schema, or the stem of a file.
    pub(super) name: String,
    /// What errors call it.
    pub(super) title: String,
    pub(super) columns: Vec<ScopeColumn>,
    /// Whether bytes in texts stand for line breaks.
    pub(super) has_line_breaks: bool,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(super) struct ScopeColumn {
    /// The name, and other names that mean it.
    pub(super) name: String,
    pub(super) alias: String,
    pub(super) gives: Type,
    /// The place in the table.
    pub(super) place: usize,
    /// `SELECT *` has it.
    pub(super) is_shown: bool,
    /// A text of a file, which is never NULL.
    pub(super) is_never_null: bool,
}

impl ScopeTable {
    /// Finds a column by its name, its alias, or its number with a `#`. Names ignore case, but an exact match wins. A column of the file
    /// wins over one of every input: `cycle` of ccl.
    pub(super) fn column(&self, name: &str, span: Span) -> Result<Option<&ScopeColumn>, Wrong> {
        let is_of_files = matches!(self.source, Source::Files(..));
        if let Some(number) = name
            .strip_prefix('#')
            .filter(|_| is_of_files)
            .and_then(|number| number.parse::<usize>().ok())
        {
            let mut columns = self.columns.iter();
            return Ok(columns.find(|column| column.place + 1 == number));
        }
        for is_shown in [true, false] {
            let columns = || {
                self.columns
                    .iter()
                    .filter(move |column| column.is_shown == is_shown)
            };
            let exact = columns().find(|column| column.name == name);
            let mut named = columns().filter(|column| column.name.eq_ignore_ascii_case(name));
            let (first, second) = (named.next(), named.next());
            if let (None, Some(first), Some(second)) = (exact, first, second) {
                return Err(Wrong::ambiguous(name, &first.name, &second.name, span));
            }
            let has_alias = |column: &&ScopeColumn| column.alias.eq_ignore_ascii_case(name);
            let by_alias = || columns().find(has_alias);
            let found = exact.or(first).or_else(by_alias);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the names of columns that `*` has in DuckDB, and not here.
    pub(super) fn hidden(&self) -> Vec<String> {
        let hidden = self.columns.iter().filter(|column| !column.is_shown);
        hidden.map(|column| column.name.to_lowercase()).collect()
    }

    /// Says whether a short name is that of one column, and no column's own name.
    pub(super) fn is_alias(&self, alias: &str) -> bool {
        let named = |name: &str| name.eq_ignore_ascii_case(alias);
        let columns = self.columns.iter();
        let aliases = columns
            .clone()
            .filter(|column| named(&column.alias))
            .count();
        let mut others = columns.filter(|column| !named(&column.alias));
        aliases == 1 && !others.any(|column| named(&column.name))
    }

    /// Returns the error for an unknown column.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Wrong {
        let columns = self.columns.iter();
        let known = columns.flat_map(|column| [&*column.name, &*column.alias]);
        Wrong::no_column(name, &self.title, nearest(name, known), span)
    }
}
