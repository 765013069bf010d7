//! Questions in one sentence: inputs, conditions, then what to make of the rows.

mod groups;
mod records;
mod sql;

use std::ffi::{OsStr, OsString};
use std::io::{Cursor, Read};
use std::num::NonZeroUsize;

pub use self::records::{Record, Records};
pub use self::sql::sql;
use crate::engine::{Engine, Options};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::report::{Report, ReportFold, ReportQuestion};
use crate::fold::{Fold, Folded, LineCount};
use crate::grouped::Grouped;
use crate::input::{Input, OpenOptions};
use crate::sql::projection::SelectList;
use crate::sql::{Filter, GivenTables, GroupQuestion, Join, Repeats, RowSelect};

/// Begins a question about the files at `paths`, which are one sequence of lines. `-` is standard input. Files are opened when the question
/// is answered.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let top = fecscan::scan(["fixtures/generated.txt"])
///     .filter("amount >= 100")?
///     .group_by("STATE")?
///     .sum("amount")?
///     .top(3)
///     .run()?;
/// for group in &top {
///     println!("{group}");
/// }
/// assert_eq!(top.len(), 3);
/// # Ok(())
/// # }
/// ```
pub fn scan(paths: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Query {
    let paths = paths.into_iter();
    let sources = paths.map(|path| Source::Path(path.as_ref().to_owned()));
    Query::new(sources.collect())
}

/// Begins a question about bytes in memory, plain or compressed. They are copied once.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let row = b"C00990001|FRIENDS OF PIE||||||||||||||\n";
/// let committees = fecscan::scan_bytes(row).schema(fecscan::Schema::Cm);
/// assert_eq!(committees.count()?, 1);
/// # Ok(())
/// # }
/// ```
pub fn scan_bytes(bytes: &[u8]) -> Query {
    scan_reader(Cursor::new(bytes.to_vec()))
}

/// Begins a question about what `reader` has to say, plain or compressed. One worker after the other reads from it.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let file = std::fs::File::open("fixtures/generated.txt")?;
/// assert_eq!(fecscan::scan_reader(file).count()?, 100);
/// # Ok(())
/// # }
/// ```
pub fn scan_reader(reader: impl Read + Send + 'static) -> Query {
    Query::new(vec![Source::Reader(Box::new(reader))])
}

/// A question about some inputs: [`scan`], [`scan_bytes`] and [`scan_reader`] begin one.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let large = fecscan::scan(["fixtures/generated.txt"]).contributions().filter("amount >= 1000")?;
/// assert_eq!(large.count()?, 6);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a question does nothing until it is answered"]
pub struct Query {
    sources: Vec<Source>,
    conditions: Vec<String>,
    contributions: bool,
    joined: Vec<Join>,
    opening: OpenOptions,
    options: Options,
}

/// Where the bytes of an input come from.
enum Source {
    Path(OsString),
    Reader(Box<dyn Read + Send>),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Path(path) => path.fmt(f),
            Source::Reader(_) => f.write_str("reader"),
        }
    }
}

impl Query {
    fn new(sources: Vec<Source>) -> Query {
        Query {
            sources,
            conditions: Vec::new(),
            contributions: false,
            joined: Vec::new(),
            opening: OpenOptions::default(),
            options: Options::default(),
        }
    }

    /// Keeps only rows that meet a condition, such as `STATE = 'CA'`. All conditions must hold.
    ///
    /// # Errors
    /// A usage error if it is none. Its columns are looked up when the question is answered.
    pub fn filter(mut self, condition: &str) -> Result<Query, Error> {
        Filter::new([condition])?;
        self.conditions.push(condition.to_owned());
        Ok(self)
    }

    /// Keeps only rows that the FEC codes as contributions by individuals.
    pub fn contributions(mut self) -> Query {
        self.contributions = true;
        self
    }

    /// Joins the committees, candidates or links in the file at `path` by the FEC's own keys: CMTE_ID of a row leads to its committee and
    /// link, and CAND_ID to the candidate. A row with several matches is a row for each.
    pub fn join(mut self, path: impl AsRef<OsStr>) -> Query {
        self.joined.push(Join::new(path));
        self
    }

    /// Joins any table under a name: a file of the FEC's, or CSV. An expression of the rows leads to a column of it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("regions.csv");
    /// std::fs::write(&path, "state,region\nOR,West\nWA,West\n")?;
    /// let rows = fecscan::scan(["fixtures/plain.txt"]).join_on(path, "STATE = r.state")?;
    /// let regions = rows.group_by("r.region")?.run()?;
    /// assert_eq!((regions.group(0).key(0), regions.group(0).count()), (fecscan::Value::from("West"), 8));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A usage error if `on` has another form.
    pub fn join_on(mut self, path: impl AsRef<OsStr>, on: &str) -> Result<Query, Error> {
        self.joined.push(Join::on(path, on)?);
        Ok(self)
    }

    /// Names the schema of the rows. By default the names of files tell it, or their first rows.
    pub fn schema(mut self, schema: Schema) -> Query {
        self.opening.schema = Some(schema);
        self
    }

    /// Works with this number of threads. The default is the processors that this process may use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Query {
        self.options.threads = threads;
        self
    }

    /// Counts the rows.
    ///
    /// # Errors
    /// If an input can't be read whole, or lacks a column of a condition.
    pub fn count(self) -> Result<u64, Error> {
        let (inputs, engine, _) = self.begin(None)?;
        let counted = inputs.fold(&engine, &LineCount, &[])?;
        Ok(counted.lines)
    }

    /// Makes what `fold` makes of the rows.
    ///
    /// # Errors
    /// If an input can't be read whole, or lacks a column. If the fold fails.
    pub fn fold<P>(self, fold: impl Fold<Partial = P>) -> Result<P, Error> {
        let (inputs, engine, _) = self.begin(None)?;
        Ok(inputs.fold(&engine, &fold, &[])?.partial)
    }

    /// Answers the four questions of the report.
    ///
    /// # Errors
    /// If an input can't be read whole, or has other rows than contributions.
    pub fn report(self, question: ReportQuestion) -> Result<Report, Error> {
        let (inputs, engine, _) = self.begin(None)?;
        let fold = ReportFold::new(question.clone());
        let folded = inputs.fold(&engine, &fold, &question.names)?;
        Ok(engine.workers().install_if_started(|| fold.report(folded)))
    }

    /// Groups the rows by expressions of SQL with commas between them, perhaps with names: `STATE, year(date) AS year`.
    ///
    /// # Errors
    /// A usage error if they are none. Their columns are looked up when the question is answered.
    pub fn group_by(self, keys: &str) -> Result<GroupBy, Error> {
        Ok(GroupBy {
            question: GroupQuestion::new(keys)?,
            query: self,
            sort: Vec::new(),
        })
    }

    /// Returns the rows one by one, in their order: of each row the values of these columns, or of expressions of SQL.
    ///
    /// ```
    /// # fn main() -> Result<(), fecscan::Error> {
    /// let mut rows = 0;
    /// for row in fecscan::scan(["fixtures/generated.txt"]).rows(["NAME", "year(date)"])? {
    ///     let row = row?;
    ///     assert!(!row[0].is_empty());
    ///     rows += 1;
    /// }
    /// assert_eq!(rows, 100);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A usage error for what is no expression. Other errors are items of the iterator, and the last of them.
    pub fn rows(
        self,
        columns: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Records, Error> {
        let columns = columns.into_iter();
        let columns: Vec<_> = columns.map(|column| column.as_ref().to_owned()).collect();
        Records::begin(self, &columns)
    }

    /// Opens the joined files, and prepares the engine. Returns what is selected of a list of columns of rows that are joined.
    fn begin(
        self,
        list: Option<&SelectList>,
    ) -> Result<(Inputs, Engine, Option<RowSelect>), Error> {
        let given = GivenTables::open(&self.joined, &OpenOptions::default(), self.options)?;
        let mut inputs = Inputs {
            first: None,
            sources: self.sources.into_iter(),
            opening: self.opening,
        };
        let mut filter = Filter::new(&self.conditions)?.with_tables(given.clone());
        let mut select = None;
        if !given.is_empty() {
            let schema = inputs.schema()?;
            match list {
                None => filter = filter.joined(schema, "-", Repeats::EachMatch)?,
                Some(list) => {
                    let joined = RowSelect::joined(list, &self.conditions, schema, "-", &given)?;
                    (select, filter) = (Some(joined.0), joined.1);
                }
            }
        }
        if self.contributions {
            filter = filter.with_contributions();
        }
        Ok((
            inputs,
            Engine::new(self.options).with_filter(filter),
            select,
        ))
    }
}

/// Inputs to be read.
struct Inputs {
    /// The first of them, if it is open.
    first: Option<Input>,
    sources: std::vec::IntoIter<Source>,
    opening: OpenOptions,
}

impl Inputs {
    /// Folds all inputs, and finds `lines` by number.
    fn fold<F: Fold>(
        self,
        engine: &Engine,
        fold: &F,
        lines: &[u64],
    ) -> Result<Folded<F::Partial>, Error> {
        let mut run = engine.run(fold).with_numbered_lines(lines);
        if let Some(first) = self.first {
            run.input(first)?;
        }
        for source in self.sources {
            if !run.is_complete() {
                run.input(open(&self.opening, source)?)?;
            }
        }
        Ok(run.finish())
    }

    /// Opens the first input. Returns the schema of its rows.
    fn schema(&mut self) -> Result<Schema, Error> {
        let first = self
            .sources
            .next()
            .map(|source| open(&self.opening, source));
        self.first = first.transpose()?;
        match self.first.as_ref().and_then(|input| input.parts().first()) {
            Some(part) => part.certain_schema(),
            None => Ok(self.opening.schema.unwrap_or(Schema::Indiv)),
        }
    }
}

fn open(opening: &OpenOptions, source: Source) -> Result<Input, Error> {
    match source {
        Source::Path(path) => opening.open(&path),
        Source::Reader(reader) => opening.from_reader("reader".as_ref(), reader),
    }
}

/// Rows to be grouped: see [`Query::group_by`].
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let rows = fecscan::scan(["fixtures/generated.txt"]);
/// let groups = rows.group_by("STATE, year(date) AS year")?.aggregate("avg(amount) AS mean")?.run()?;
/// assert_eq!((groups.key_names(), groups.aggregate_names()), (&["STATE".into(), "year".into()][..], &["mean".into()][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a question does nothing until it is answered"]
pub struct GroupBy {
    query: Query,
    question: GroupQuestion,
    sort: Vec<String>,
}

impl GroupBy {
    /// Adds up an expression, exactly.
    ///
    /// # Errors
    /// A usage error if it is none. Its columns are looked up when the question is answered.
    pub fn sum(mut self, of: &str) -> Result<GroupBy, Error> {
        self.question.add_sum(of)?;
        Ok(self)
    }

    /// Adds aggregates with commas between them, perhaps with names: `median(amount) AS median, count(DISTINCT NAME)`.
    ///
    /// # Errors
    /// A usage error if they are none.
    pub fn aggregate(mut self, list: &str) -> Result<GroupBy, Error> {
        self.question.add_aggregates(list)?;
        Ok(self)
    }

    /// Orders groups by keys, `count`, aggregates or their names, as after ORDER BY: `sum(amount) DESC`. Equal groups are ordered by their keys.
    /// The default is the first aggregate, else the count, descending. An order that is none is an error of [`GroupBy::run`].
    pub fn sort(mut self, order: &str) -> GroupBy {
        self.sort.push(order.to_owned());
        self
    }

    /// Returns only the first `groups`. The others are [`Grouped::rest`].
    pub fn top(mut self, groups: usize) -> GroupBy {
        self.question.top = Some(groups);
        self
    }

    /// Answers the question.
    ///
    /// # Errors
    /// If an order or an expression is none. If an input can't be read whole. If memory has no room for the groups.
    pub fn run(mut self) -> Result<Grouped, Error> {
        for order in &self.sort {
            self.question.sort_by(order)?;
        }
        groups::run(self.query, self.question)
    }
}
