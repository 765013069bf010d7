//! Statements of SQL in one call.

use std::cell::RefCell;
use std::ffi::OsString;

use super::{Query, Source, scan};
use crate::engine::Engine;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded};
use crate::input::{OpenOptions, file_bytes, matching};
use crate::sql::{Filter, ResultRows, RunFold, Statement, TableName};

/// Answers a statement of SQL, as DuckDB answers it. FROM names files in single quotes; [`Query::sql`] is for others.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let table = fecscan::sql(
///     "SELECT STATE, median(amount) FROM 'fixtures/generated.txt' GROUP BY STATE ORDER BY count(*) DESC LIMIT 2",
/// )?;
/// assert_eq!(table.titles(), ["STATE", "median(amount)"]);
/// let rows: Vec<_> = table.rows().map(|row| format!("{} {}", row[0], row[1])).collect();
/// assert_eq!(rows, ["CA 100.00", "AZ 25.00"]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A usage error if the statement is none, or one that is not supported. If an input can't be read whole.
pub fn sql(statement: &str) -> Result<ResultRows, Error> {
    scan([""; 0]).sql(statement)
}

impl Query {
    /// Answers a statement of SQL about the files, which FROM calls by their schema: `FROM indiv`. If it calls two schemas, the names of the
    /// files tell which is which.
    ///
    /// ```
    /// # fn main() -> Result<(), fecscan::Error> {
    /// let table = fecscan::scan(["fixtures/generated.txt"]).sql("SELECT count(*) FROM indiv WHERE amount >= 1000")?;
    /// assert_eq!(table.value(0, 0).to_string(), "10");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A usage error if the statement is none, or one that is not supported, or if the question has conditions already. If an input
    /// can't be read whole.
    pub fn sql(self, statement: &str) -> Result<ResultRows, Error> {
        if !self.conditions.is_empty() || self.contributions || !self.joined.is_empty() {
            let what = "a statement of SQL has conditions and joins of its own";
            return Err(Error::usage(what).advise("write WHERE and JOIN in the statement"));
        }
        let parsed = Statement::parse(statement)?;
        let names = parsed.tables()?;
        let mut paths = Vec::new();
        for source in self.sources {
            match source {
                Source::Path(path) => paths.push(path),
                Source::Reader(_) => {
                    let what = "a statement of SQL reads files, and this is a reader";
                    return Err(Error::usage(what));
                }
            }
        }
        let tables = names.iter().map(|name| {
            let opening = self.opening.clone();
            Table::of(name, &names, &paths, opening)
        });
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let files = tables.iter().map(Table::schema_and_bytes);
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let run = Run {
            tables,
            engine: Engine::new(self.options),
            failed: RefCell::new(None),
        };
        let result = parsed.bind(&files)?.run(&run)?;
        match run.failed.into_inner() {
            Some(error) => Err(error),
            None => result.ok_or_else(|| Error::usage("the statement has no input")),
        }
    }
}

/// The files of a table.
struct Table {
    paths: Vec<OsString>,
    opening: OpenOptions,
}

impl Table {
    /// Returns the files that FROM means by a name, of several `names` perhaps.
    fn of(
        name: &TableName<'_>,
        names: &[TableName<'_>],
        paths: &[OsString],
        mut opening: OpenOptions,
    ) -> Result<Table, Error> {
        let schema = match name {
            TableName::Path(path) => {
                let paths = matching(path)?;
                return Ok(Table { paths, opening });
            }
            TableName::Schema(schema) => *schema,
        };
        let of_schemas = names
            .iter()
            .filter(|name| matches!(name, TableName::Schema(_)));
        let is_alone = of_schemas.count() == 1;
        let is_its = |path: &&OsString| is_alone || Schema::of_file_name(path) == Some(schema);
        let paths: Vec<_> = paths.iter().filter(is_its).cloned().collect();
        opening.schema = Some(schema);
        if paths.is_empty() {
            let what = format!("FROM names {}, and no file is one", schema.name());
            return Err(
                Error::usage(what).advise("name its file: fecscan::scan([\"itcont.txt\"]).sql(..)")
            );
        }
        Ok(Table { paths, opening })
    }

    fn schema_and_bytes(&self) -> Result<(Schema, u64), Error> {
        let first = self.paths.first().expect("a table has files");
        let schemas = self.opening.schemas(first)?;
        let schema = schemas.first().map_or(Schema::Indiv, |(_, schema)| *schema);
        let bytes = self
            .paths
            .iter()
            .map(|path| file_bytes(path).unwrap_or(u64::MAX / 2));
        Ok((schema, bytes.fold(0, u64::saturating_add)))
    }
}

/// Folds the files of tables, and keeps the first error.
struct Run {
    tables: Vec<Table>,
    engine: Engine,
    failed: RefCell<Option<Error>>,
}

impl RunFold for Run {
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.engine.workers().install(work)
    }

    fn fold<F: Fold>(&self, table: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        let Table { paths, opening } = &self.tables[table];
        let engine = Engine::new(self.engine.options()).with_filter(filter);
        let mut run = engine.run(fold);
        for path in paths {
            if run.is_complete() {
                break;
            }
            let read = opening.open(path).and_then(|input| run.input(input));
            if let Err(error) = read {
                self.failed.borrow_mut().get_or_insert(error);
                return None;
            }
        }
        Some(run.finish())
    }
}
