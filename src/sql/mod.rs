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
mod functions;
mod groups;
mod keys;
mod messages;
mod parse;
mod plan;
mod rows;
mod scope;
mod select;
mod table;
mod types;
mod value;
mod vector;

use std::fmt;

pub use self::duckdb::duckdb_views;
pub use self::filter::Filter;
pub use self::types::Type;
pub use self::value::Value;
pub(crate) use self::value::double_text;

use self::groups::{Counts, GroupsFold};
use self::plan::{Body, Plan};
use self::rows::RowsFold;
use self::table::{Nulls, Order, Table};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded};

/// A statement that was parsed.
pub struct Statement {
    text: String,
    query: Box<sqlparser::ast::Query>,
    from: select::From,
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.query, f)
    }
}

/// A statement that is bound to a schema.
#[derive(Clone, Debug)]
pub struct BoundStatement {
    plan: Plan,
    /// WHERE, which the scan applies.
    filter: Filter,
}

/// The rows that a statement returns.
#[derive(Clone, Debug)]
pub struct ResultRows {
    titles: Vec<String>,
    table: Table,
    /// The rows that WHERE keeps.
    pub kept: u64,
    /// For each column the number of its values that are none of its type.
    pub unread: Vec<(String, Type, u64)>,
}

impl Statement {
    /// Parses a statement.
    ///
    /// # Errors
    /// If it is no query of SQL, or one that is not supported. The error names the line and the column.
    pub fn parse(text: &str) -> Result<Statement, Error> {
        let query = parse::query(text).map_err(|wrong| wrong.error_in(text))?;
        let from = select::from(&query).map_err(|wrong| wrong.error_in(text))?;
        let text = text.to_owned();
        Ok(Statement { text, query, from })
    }

    /// Returns the path that FROM names, if it names one.
    pub fn path(&self) -> Option<&str> {
        self.from.is_path.then_some(&*self.from.name)
    }

    /// Returns the schema that FROM names, if it names one.
    ///
    /// # Errors
    /// If it is none.
    pub fn schema(&self) -> Result<Option<Schema>, Error> {
        let from = &self.from;
        if from.is_path {
            return Ok(None);
        }
        let mut schemas = Schema::ALL.into_iter();
        let schema = schemas.find(|schema| schema.name().eq_ignore_ascii_case(&from.name));
        match schema {
            Some(schema) => Ok(Some(schema)),
            None => {
                let names = Schema::ALL.map(Schema::name).join(", ");
                let advice = format!("write FROM 'FILE', or one of {names}");
                let wrong =
                    messages::Wrong::other(format!("no table {}", from.name), advice, from.span);
                Err(wrong.error_in(&self.text))
            }
        }
    }

    /// Finds columns and functions, and checks all types.
    ///
    /// # Errors
    /// If one is unknown, or takes something else. The error names the line and the column.
    pub fn bind(&self, schema: Schema) -> Result<BoundStatement, Error> {
        let name = self.from.alias.as_deref().unwrap_or(&self.from.name);
        let table = file::table(schema, Some(name));
        let plan = select::plan(&self.query, &table);
        let mut plan = plan.map_err(|wrong| wrong.error_in(&self.text))?;
        let filter = plan.take_filter();
        Ok(BoundStatement { plan, filter })
    }
}

impl BoundStatement {
    /// Runs the statement: hands a filter and a fold to `run`, which folds inputs of the schema. Returns the rows, and what else `run` makes; no rows if
    /// it has no result.
    ///
    /// # Errors
    /// If a value of a row or a group can't be known: a division by zero, a cast that fails.
    pub fn run(&self, run: impl RunFold) -> Result<Option<ResultRows>, Error> {
        let (table, counts) = match &self.plan.body {
            Body::Groups(grouping) => {
                let fold = GroupsFold::new(&self.plan, grouping);
                match run.fold(self.filter.clone(), &fold) {
                    Some(folded) => fold.finish(folded.partial)?,
                    None => return Ok(None),
                }
            }
            Body::Rows(select) => {
                let fold = RowsFold::new(&self.plan, select);
                match run.fold(self.filter.clone(), &fold) {
                    Some(folded) => fold.finish(folded.partial)?,
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(self.result(table, &counts)))
    }

    /// Orders and cuts the rows of the result.
    fn result(&self, table: Table, counts: &Counts) -> ResultRows {
        let plan = &self.plan;
        let mut table = table;
        if plan.is_distinct {
            let all: Vec<_> = (0..plan.titles.len())
                .map(|column| Order {
                    column,
                    is_descending: false,
                    nulls: Nulls::Last,
                })
                .collect();
            let numbers = table.distinct(&all);
            table = table.rows(&numbers);
        }
        let mut numbers = match plan.body {
            // These are in their order.
            Body::Rows(_) => (0..table.len()).collect(),
            Body::Groups(_) => table.sorted(&plan.orders, plan.most()),
        };
        numbers.drain(..plan.offset.min(numbers.len()));
        numbers.truncate(plan.limit.unwrap_or(usize::MAX));
        let mut table = table.rows(&numbers);
        table.columns.truncate(plan.titles.len());
        let unread = plan.read.iter().zip(&counts.unread);
        let unread = unread
            .filter(|(_, count)| **count > 0)
            .map(|(read, count)| {
                let column = plan.schema.column_at(read.place);
                let name =
                    column.map_or_else(|| format!("#{}", read.place + 1), |c| c.name.to_owned());
                (name, read.gives, *count)
            });
        ResultRows {
            titles: plan.titles.clone(),
            kept: counts.kept,
            unread: unread.collect(),
            table,
        }
    }
}

/// Returns the names of all functions, each with a line of help. Operators are not among them.
pub fn functions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = functions::Function::all().map(|function| (function.names[0], function.help));
    let all = all.filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let aggregates = aggregates::Function::all();
    let aggregates = aggregates.map(|function| (function.names[0], function.help));
    all.chain(aggregates)
        .chain(bind::REWRITTEN.map(|name| (name, rewritten_help(name))))
}

/// Returns the help of a function that is written as another expression.
fn rewritten_help(name: &str) -> &'static str {
    match name {
        "coalesce" => "the first value that is not NULL: coalesce(amount, 0)",
        "concat" => "texts one after the other, NULL as an empty one: concat(CITY, ', ', STATE)",
        "greatest" => "the greatest of values, without NULL: greatest(amount, 0)",
        "if" => "one of two values: if(amount > 0, 'gift', 'refund')",
        "ifnull" => "a value, or another one where it is NULL: ifnull(amount, 0)",
        "least" => "the least of values, without NULL: least(amount, 200)",
        _ => "a value, or NULL where it equals another one: nullif(EMPLOYER, '')",
    }
}

/// Folds the inputs of a statement.
pub trait RunFold {
    /// Returns what a fold makes of the rows of all inputs that pass a filter; nothing if no input could be read.
    fn fold<F: Fold>(self, filter: Filter, fold: &F) -> Option<Folded<F::Partial>>;
}

impl ResultRows {
    /// Returns the titles of the columns.
    pub fn titles(&self) -> &[String] {
        &self.titles
    }

    /// Returns the type of a column.
    pub fn gives(&self, column: usize) -> Type {
        self.table.columns[column].gives
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Says whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many bytes a text has; none of other types.
    pub(crate) fn text_bytes(&self, row: usize, column: usize) -> usize {
        self.table.columns[column].text(row).len()
    }

    /// Returns the value of a row.
    pub fn value(&self, row: usize, column: usize) -> Value {
        self.table.columns[column].get(row)
    }
}
