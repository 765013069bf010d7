//! SQL: a statement becomes a plan, which runs over the rows of files. DuckDB is the specification: what is accepted gives its rows, and
//! what is not is refused.
//!
//! `sqlparser` makes the tree (`parse`). Binding finds columns, types and functions (`bind`, `select`), and makes a `plan`.
//! Expressions are evaluated in 32 rows at a time (`evaluate`), over columns of files (`file`) or of tables in memory (`table`).

mod aggregates;
mod bind;
mod duckdb;
mod evaluate;
mod expression;
mod file;
mod filter;
mod from;
mod functions;
mod given;
mod group_question;
mod groups;
mod help;
mod join;
mod keys;
mod messages;
mod names;
mod parse;
mod plan;
pub(crate) mod projection;
mod run;
mod scope;
mod select;
mod table;
mod types;
mod value;
mod vector;

use std::collections::HashMap;
use std::fmt;

use ahash::RandomState;

pub use self::duckdb::duckdb_views;
pub(crate) use self::filter::uncounted;
pub use self::filter::{Filter, Repeats};
pub use self::from::{From, TableNames};
pub(crate) use self::given::{Fields, JOINABLE, On, check_memory, key_column};
pub use self::given::{GivenTable, GivenTables, Join, is_name};
pub use self::group_question::GroupQuestion;
pub use self::help::functions;
pub(crate) use self::run::result_rows::AllGroups;
pub use self::run::result_rows::ResultRows;
pub use self::run::row_select::RowSelect;
pub use self::types::Type;
pub use self::value::Value;
pub(crate) use self::value::double_text;

use self::parse::using_sample::Samples;
use self::plan::{Body, Source};
use self::run::errors;
use self::run::steps::{Runner, Step};
use crate::error::Error;
use crate::fec::schema::{Column, Schema};
use crate::fold::{Fold, Folded, StoredFold};

/// A statement that was parsed.
pub struct Statement {
    text: String,
    query: Box<sqlparser::ast::Query>,
    samples: Samples,
    tables: Vec<select::TableName>,
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.query, f)
    }
}

/// What FROM names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableName<'s> {
    /// The path of a file.
    Path(&'s str),
    /// Files of a schema, which the statement does not name.
    Schema(Schema),
}

/// A statement that is bound to schemas.
#[derive(Clone, Debug)]
pub struct BoundStatement {
    steps: Vec<Step>,
    /// The step that makes the result.
    result: usize,
    titles: Vec<String>,
    /// The untyped columns of files, by their places, that are put in order as texts.
    ordered_texts: Vec<(usize, usize)>,
    options: RunOptions,
}

/// What is asked of a run besides its statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// The most groups and distinct values that there may be. By default memory decides.
    pub max_groups: Option<u64>,
    /// Whether all groups are counted and added up, those that LIMIT cuts off too.
    pub adds_up: bool,
}

impl Statement {
    /// Parses a statement.
    ///
    /// # Errors
    /// If it is no query of SQL, or one that is not supported. The error names the line and the column.
    pub fn parse(text: &str) -> Result<Statement, Error> {
        let (query, samples) = parse::query(text).map_err(|wrong| wrong.error_in(text))?;
        let tables = select::tables(&query);
        let text = text.to_owned();
        Ok(Statement {
            text,
            query,
            samples,
            tables,
        })
    }

    /// Returns what the statement and the queries within it read, each table once.
    ///
    /// # Errors
    /// If a name is that of no schema.
    pub fn tables(&self) -> Result<Vec<TableName<'_>>, Error> {
        let tables = self.tables.iter().map(|table| {
            if table.is_path {
                return Ok(TableName::Path(&table.name));
            }
            let mut schemas = Schema::ALL.into_iter();
            let schema = schemas.find(|schema| schema.name().eq_ignore_ascii_case(&table.name));
            schema.map(TableName::Schema).ok_or_else(|| {
                let advice = match Schema::of_file_name(table.name.as_ref()) {
                    Some(of) => format!("write FROM {}, or FROM 'FILE'", of.name()),
                    None => {
                        let names = Schema::ALL.map(Schema::name).join(", ");
                        format!("write FROM 'FILE', or one of {names}")
                    }
                };
                let what = format!("no table {}", table.name);
                messages::Wrong::other(what, advice, table.span).error_in(&self.text)
            })
        });
        tables.collect()
    }

    /// Returns the statement as text in one way of writing, for partials: keywords in capitals, a blank where there are any.
    pub fn canonical(&self) -> String {
        let printed = self.query.to_string();
        // A printed tree that reads otherwise is no canonical form.
        match Statement::parse(&printed) {
            Ok(read) if read.query == self.query => printed,
            _ => self.text.trim().to_owned(),
        }
    }

    /// Finds columns and functions, and checks all types. `files` has the schema of each of the [tables](Self::tables), and how many bytes its
    /// files have: of tables that are joined, the one of the most bytes is not held in memory. Of columns with one name, the second is called `name_1`.
    ///
    /// # Errors
    /// If one is unknown, or takes something else. The error names the line and the column.
    pub fn bind(&self, files: &[(Schema, u64)]) -> Result<BoundStatement, Error> {
        let tables = self.tables.iter().cloned().zip(files);
        let tables = tables.map(|(table, &(schema, bytes))| (table, schema, bytes));
        let tables: Vec<_> = tables.collect();
        let mut bound = self.bind_tables(&tables, &GivenTables::default())?;
        tell_apart(&mut bound.titles);
        Ok(bound)
    }

    /// Binds a statement about files of a schema, which it names first, and about tables in memory.
    ///
    /// # Errors
    /// As [`bind`](Self::bind) does.
    pub fn bind_with(&self, schema: Schema, given: &GivenTables) -> Result<BoundStatement, Error> {
        let mut bound = self.bind_given(schema, given)?;
        tell_apart(&mut bound.titles);
        Ok(bound)
    }

    /// Does the same. Two columns may have one title.
    fn bind_given(&self, schema: Schema, given: &GivenTables) -> Result<BoundStatement, Error> {
        let first = self.tables.first().cloned();
        // The files are read as they come, however large the others are.
        let files: Vec<_> = first
            .map(|name| (name, schema, u64::MAX))
            .into_iter()
            .collect();
        self.bind_tables(&files, given)
    }

    fn bind_tables(
        &self,
        files: &[(select::TableName, Schema, u64)],
        given: &GivenTables,
    ) -> Result<BoundStatement, Error> {
        let mut queries = select::Queries::new(files, given, &self.samples);
        let relation = queries.query(&self.query);
        let relation = relation.map_err(|wrong| wrong.error_in(&self.text))?;
        Ok(BoundStatement {
            titles: relation.titles(),
            result: relation.step,
            steps: queries.steps,
            ordered_texts: queries.ordered_texts,
            options: RunOptions::default(),
        })
    }
}

impl BoundStatement {
    /// Returns the statement with these options.
    #[must_use]
    pub fn with_options(self, options: RunOptions) -> BoundStatement {
        BoundStatement { options, ..self }
    }

    /// Returns the places of the columns of a table that have no type and are put in order as texts: `ORDER BY n`, `max(n)`, `n > '9'`.
    pub fn ordered_texts(&self, table: usize) -> Vec<usize> {
        let all = self.ordered_texts.iter();
        let of_table = all.filter(|(files, _)| *files == table);
        of_table.map(|(_, place)| *place).collect()
    }

    /// Returns how many passes over the files of a table the statement takes.
    pub fn passes(&self, table: usize) -> usize {
        let passes = |step: &Step| match step {
            Step::Select(plan) | Step::Held(plan) => plan.passes(table),
            _ => 0,
        };
        self.steps.iter().map(passes).sum()
    }

    /// Checks that a partial can hold what the statement makes of the rows of a [table](Statement::tables): that it groups them, and
    /// reads them once. Other tables are read whole.
    ///
    /// # Errors
    /// If it can't.
    pub fn check_partial(&self, table: usize) -> Result<(), Error> {
        self.grouping_of(table).map(|_| ())
    }

    /// Returns the step that groups the rows of a table.
    fn grouping_of(&self, table: usize) -> Result<usize, Error> {
        let steps = self.steps.iter().enumerate();
        let mut steps = steps.filter_map(|(nth, step)| match step {
            Step::Select(plan) | Step::Held(plan) => match plan.source {
                Source::Files(files, schema) if files == table => Some((nth, plan, schema)),
                _ => None,
            },
            _ => None,
        });
        let (first, second) = (steps.next(), steps.next());
        match (first, second) {
            (Some((_, plan, _)), None) if plan.sample.is_some() => Err(errors::partial_of_sample()),
            (Some((nth, plan, _)), None) if matches!(plan.body, Body::Groups(_)) => Ok(nth),
            (Some((.., schema)), None) => Err(errors::partial_of_rows(schema)),
            (Some((.., schema)), Some(_)) => Err(errors::partial_of_two_passes(schema)),
            (None, _) => Err(errors::partial_of_nothing()),
        }
    }

    /// Hands the fold of the groups of a table to `run`, and the tables that it needs before. What comes after it does not run.
    ///
    /// # Errors
    /// See [`check_partial`](BoundStatement::check_partial). If a value of another table can't be known.
    pub fn fold_groups(&self, table: usize, run: &impl RunFold) -> Result<(), Error> {
        let step = self.grouping_of(table)?;
        Runner::new(&self.steps, run, self.options)
            .table(step)
            .map(|_| ())
    }

    /// Runs the statement: hands filters and folds to `run`, which folds the files of a table. Returns the rows; none if
    /// a fold has no result.
    ///
    /// # Errors
    /// If a value of a row or a group can't be known: a division by zero, a cast that fails.
    pub fn run(&self, run: &impl RunFold) -> Result<Option<ResultRows>, Error> {
        Runner::new(&self.steps, run, self.options).result(self.result, &self.titles)
    }
}

/// Makes all titles different, whatever the case of their letters, as DuckDB does: JSON and Parquet have one column of a name.
fn tell_apart(titles: &mut [String]) {
    let mut known: HashMap<String, usize, RandomState> = HashMap::default();
    for title in titles {
        let name = title.to_ascii_lowercase();
        let Some(&count) = known.get(&name) else {
            known.insert(name, 1);
            continue;
        };
        let is_new = |nth: &usize| !known.contains_key(&format!("{name}_{nth}"));
        let nth = (count..).find(is_new).expect("there are numbers enough");
        *title = format!("{title}_{nth}");
        known.insert(name, nth + 1);
        known.insert(title.to_ascii_lowercase(), 1);
    }
}

/// Returns the type that a column of a schema has in statements.
///
/// ```
/// use fecscan::Schema;
/// use fecscan::sql::{Type, type_of};
///
/// let columns = Schema::Indiv.columns();
/// assert_eq!(type_of(Schema::Indiv, &columns[14]), Type::Decimal(14, 2));
/// assert_eq!(type_of(Schema::Indiv, &columns[20]).to_string(), "BIGINT");
/// ```
pub fn type_of(schema: Schema, column: &Column) -> Type {
    file::type_of(column, schema.layout().is_none())
}

/// Folds the files of a statement.
pub trait RunFold {
    /// Does work after a fold whose parts the workers share, if they may.
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        work()
    }

    /// Returns what a fold makes of the rows of the [table](Statement::tables) with this number that pass a filter; nothing if
    /// no file of it could be read.
    fn fold<F: Fold>(&self, table: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>>;

    /// Does the same with a fold of groups, which partials can hold.
    fn fold_groups<F: StoredFold>(
        &self,
        table: usize,
        filter: Filter,
        fold: &F,
    ) -> Option<Folded<F::Partial>> {
        self.fold(table, filter, fold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DuckDB writes these names.
    #[test]
    fn titles_are_told_apart() {
        let mut titles = ["t", "t", "T", "t_1", "x"].map(str::to_owned);
        tell_apart(&mut titles);
        assert_eq!(titles, ["t", "t_1", "T_2", "t_1_1", "x"]);
    }
}
