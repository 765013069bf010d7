//! The columns that names may mean.

use super::messages::Wrong;
use super::plan::Source;
use super::types::Type;
use crate::fec::origin::is_extra;
use crate::fec::schema::nearest;
use sqlparser::tokenizer::Span;

/// The tables of FROM.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) tables: Vec<ScopeTable>,
    /// The columns of USING.
    pub(super) merged: Vec<Merged>,
}

/// A column of USING: the value of the first of these that is not NULL.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    pub(super) name: String,
    /// The tables, and the numbers of columns there.
    pub(super) of: Vec<[usize; 2]>,
    /// Those that `*` does not repeat.
    pub(super) hidden: Vec<[usize; 2]>,
}

/// What a name means.
pub(super) enum Named<'s> {
    Nothing,
    /// The column with this number, of the table with this number.
    Column(usize, usize),
    Merged(&'s Merged),
}

impl Scope {
    /// Finds what a name means, perhaps of a named table.
    pub(super) fn named(
        &self,
        table: Option<&str>,
        name: &str,
        span: Span,
    ) -> Result<Named<'_>, Wrong> {
        if table.is_none() {
            let mut merged = self.merged.iter();
            if let Some(merged) = merged.find(|merged| merged.name.eq_ignore_ascii_case(name)) {
                return Ok(Named::Merged(merged));
            }
        }
        let mut found: Option<(usize, usize)> = None;
        for (nth, of) in self.tables.iter().enumerate() {
            if table.is_some_and(|table| !table.eq_ignore_ascii_case(&of.name)) {
                continue;
            }
            let Some(column) = of.number(name, span)? else {
                continue;
            };
            if let Some((first, _)) = found {
                let [one, other] = [first, nth].map(|nth| &self.tables[nth].name);
                return Err(Wrong::of_two_tables(name, one, other, span));
            }
            found = Some((nth, column));
        }
        Ok(found.map_or(Named::Nothing, |(table, column)| {
            Named::Column(table, column)
        }))
    }

    /// Says whether a name is that of a table.
    pub(super) fn has_table(&self, name: &str) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Returns what errors call the tables.
    pub(super) fn title(&self) -> String {
        let titles: Vec<_> = self.tables.iter().map(|table| &*table.title).collect();
        match &titles[..] {
            [others @ .., last] if others.len() > 1 => format!("{} and {last}", others.join(", ")),
            all => all.join(" and "),
        }
    }

    /// Returns the error for an unknown column.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Wrong {
        let tables = self.tables.iter();
        let columns = tables.flat_map(|table| &table.columns);
        let known = columns.flat_map(|column| [&*column.name, &*column.alias]);
        let near = nearest(name, known);
        match (&self.tables[..], near) {
            ([table], None) => table.unknown(name, span),
            _ => Wrong::no_column(name, &self.title(), near, span),
        }
    }

    /// Says whether numbers behind `#` are those of columns: in one file.
    pub(super) fn has_numbers(&self) -> bool {
        let [table] = &self.tables[..] else {
            return false;
        };
        matches!(table.source, Source::Files(..))
    }

    /// Says whether a name means `member` or `cycle` of the inputs, and no column of a table.
    pub(super) fn is_extra(&self, name: &str) -> bool {
        let columns = self.tables.iter().flat_map(|table| &table.columns);
        let mut shown = columns.filter(|column| column.is_shown);
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        is_extra(name) && !shown.any(|column| is_it(&column.name) || is_it(&column.alias))
    }

    /// Returns the names of columns that `*` has in DuckDB, and not here.
    pub(super) fn hidden(&self) -> Vec<String> {
        let columns = || self.tables.iter().flat_map(|table| &table.columns);
        let hidden = columns().filter(|column| !column.is_shown && !is_extra(&column.name));
        let mut hidden: Vec<_> = hidden.map(|column| column.name.to_lowercase()).collect();
        if self.tables.len() > 1 {
            let is_name = |alias: &str| columns().any(|of| of.name.eq_ignore_ascii_case(alias));
            let aliases = columns().map(|column| &*column.alias);
            let aliases = aliases.filter(|alias| !alias.is_empty() && !is_name(alias));
            hidden.extend(aliases.map(str::to_lowercase));
        }
        hidden
    }
}

/// A table whose columns have names.
#[derive(Clone, Debug)]
pub(super) struct ScopeTable {
    /// How many bytes its files have, as far as that is known.
    pub(super) bytes: u64,
    pub(super) source: Source,
    /// The name in the statement: an alias, a schema, or the stem of a file.
    pub(super) name: String,
    /// What errors call it.
    pub(super) title: String,
    pub(super) columns: Vec<ScopeColumn>,
    /// Whether bytes in texts stand for line breaks.
    pub(super) has_line_breaks: bool,
    /// Whether numbers behind `#` are those of its columns.
    pub(super) has_numbers: bool,
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
        let place = self.number(name, span)?;
        Ok(place.map(|place| &self.columns[place]))
    }

    /// Finds the number of a column.
    fn number(&self, name: &str, span: Span) -> Result<Option<usize>, Wrong> {
        if let Some(number) = name
            .strip_prefix('#')
            .filter(|_| self.has_numbers)
            .and_then(|number| number.parse::<usize>().ok())
        {
            let mut columns = self.columns.iter();
            return Ok(columns.position(|column| column.place + 1 == number));
        }
        for is_shown in [true, false] {
            let columns = || {
                let columns = self.columns.iter().enumerate();
                columns.filter(move |(_, column)| column.is_shown == is_shown)
            };
            let exact = columns().find(|(_, column)| column.name == name);
            let mut named = columns().filter(|(_, of)| of.name.eq_ignore_ascii_case(name));
            let (first, second) = (named.next(), named.next());
            if let (None, Some((_, first)), Some((_, second))) = (exact, first, second) {
                return Err(Wrong::ambiguous(name, &first.name, &second.name, span));
            }
            let by_alias = || columns().find(|(_, of)| of.alias.eq_ignore_ascii_case(name));
            if let Some((place, _)) = exact.or(first).or_else(by_alias) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Returns the error for an unknown column.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Wrong {
        let columns = self.columns.iter();
        let known = columns.flat_map(|column| [&*column.name, &*column.alias]);
        let near = nearest(name, known);
        match self.source {
            Source::Files(_, schema) if near.is_none() && schema.layout().is_some() => {
                Wrong::of_error(&schema.unknown_column(name), span)
            }
            _ => Wrong::no_column(name, &self.title, near, span),
        }
    }

    /// Says whether a column has a name, or a short one.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        let mut columns = self.columns.iter();
        columns.any(|column| is_it(&column.name) || is_it(&column.alias))
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
}
