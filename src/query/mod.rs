//! Questions in one sentence: inputs, conditions, then what to make of the rows.

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
use crate::fold::by::{AggregateKind, ByFold, GroupQuestion, Grouped};
use crate::fold::report::{Report, ReportFold, ReportQuestion};
use crate::fold::{Fold, Folded, LineCount};
use crate::input::{Input, OpenOptions};
use crate::join::{Join, PartnerPolicy, Partners};
use crate::sql::Filter;

/// Begins a question about the files at `paths`, which are one sequence of lines. `-` is standard input. Files are opened when the question
/// is answered.
///
/// ```
/// # fn main() -> Result<(), fecscan::Error> {
/// let top = fecscan::scan(["fixtures/generated.txt"])
///     .filter("amount >= 100")?
///     .group_by("STATE")?
///     .sum("amount")?
///     .sort("sum(amount)")
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
    /// link, and CAND_ID to the candidate. Of several rows with a key, the last one counts.
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
    /// let rows = fecscan::scan(["fixtures/plain.txt"]).join_on(path, "STATE=r.state")?;
    /// let regions = rows.group_by("r.region")?.run()?;
    /// assert_eq!((regions.group(0).key(0), regions.group(0).count()), (&b"West"[..], 8));
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
        let (inputs, engine) = self.begin()?;
        let counted = inputs.fold(&engine, &LineCount, &[])?;
        Ok(counted.lines)
    }

    /// Makes what `fold` makes of the rows.
    ///
    /// # Errors
    /// If an input can't be read whole, or lacks a column. If the fold fails.
    pub fn fold<P>(self, fold: impl Fold<Partial = P>) -> Result<P, Error> {
        let (inputs, engine) = self.begin()?;
        Ok(inputs.fold(&engine, &fold, &[])?.partial)
    }

    /// Answers the four questions of the report.
    ///
    /// # Errors
    /// If an input can't be read whole, or has other rows than contributions.
    pub fn report(self, question: ReportQuestion) -> Result<Report, Error> {
        let (inputs, engine) = self.begin()?;
        let fold = ReportFold::new(question.clone());
        let folded = inputs.fold(&engine, &fold, &question.names)?;
        Ok(engine.workers().install_if_started(|| fold.report(folded)))
    }

    /// Groups the rows by keys such as `STATE,month(date)`.
    ///
    /// # Errors
    /// A usage error for an empty key, an unknown function, or parentheses that do not match.
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

    /// Opens the joined files, and prepares the engine.
    fn begin(self) -> Result<(Inputs, Engine), Error> {
        let opening = OpenOptions::default();
        let policy = PartnerPolicy::Last;
        let partners = Partners::open(&self.joined, policy, &opening, self.options)?;
        let mut filter = Filter::new(&self.conditions)?.with_partners(partners.clone());
        if self.contributions {
            filter = filter.with_contributions();
        }
        let inputs = Inputs {
            sources: self.sources,
            opening: self.opening,
            partners,
        };
        Ok((inputs, Engine::new(self.options).with_filter(filter)))
    }
}

/// Inputs to be read.
struct Inputs {
    sources: Vec<Source>,
    opening: OpenOptions,
    partners: Partners,
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
        for source in self.sources {
            if !run.is_complete() {
                run.input(open(&self.opening, source)?)?;
            }
        }
        Ok(run.finish())
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
/// let groups = rows.group_by("STATE,year(date)")?.mean("amount")?.having("count>=5")?.run()?;
/// assert_eq!(groups.aggregate_names(), ["mean(TRANSACTION_AMT)"]);
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

/// Defines methods of [`GroupBy`] that add an aggregate.
macro_rules! aggregates {
    ($($(#[$doc:meta])* $name:ident: $kind:ident,)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// See [`GroupBy::aggregate`].
        pub fn $name(self, of: &str) -> Result<GroupBy, Error> {
            self.aggregate(AggregateKind::$kind, of)
        }
    )*};
}

impl GroupBy {
    /// Adds an aggregate of a column, or of a function of one. A quantile has its share before it: `0.9:amount`.
    ///
    /// # Errors
    /// A usage error if no column is named, or an unknown function.
    pub fn aggregate(mut self, kind: AggregateKind, of: &str) -> Result<GroupBy, Error> {
        self.question.add_aggregate(kind, of)?;
        Ok(self)
    }

    aggregates! {
        /// Adds up the numbers of a column, exactly.
        sum: Sum,
        /// Finds the least number of a column, or the first date.
        min: Min,
        /// Finds the greatest number of a column, or the last date.
        max: Max,
        /// Finds the mean of the numbers of a column.
        mean: Mean,
        /// Finds the median of the numbers of a column, exactly.
        median: Median,
        /// Counts the distinct values of a column, exactly.
        distinct: Distinct,
    }

    /// Keeps groups that meet a condition on the count or an aggregate, such as `sum(amount)>10000`.
    ///
    /// # Errors
    /// A usage error if it is none, or of an aggregate that was not added.
    pub fn having(mut self, condition: &str) -> Result<GroupBy, Error> {
        self.question.add_having(condition)?;
        Ok(self)
    }

    /// Orders groups by `count`, by `key`, by one key or by an aggregate, with ` asc` or ` desc` after it. The next order decides between equal
    /// groups. The default is the first sum, else the count.
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
    /// If an order is none. If an input can't be read whole, or lacks a column. If memory has no room for the groups.
    pub fn run(mut self) -> Result<Grouped, Error> {
        for order in &self.sort {
            self.question.sort_by(order)?;
        }
        let (inputs, engine) = self.query.begin()?;
        let fold = ByFold::new(self.question).with_partners(inputs.partners.clone());
        let folded = inputs.fold(&engine, &fold, &[])?;
        engine.workers().install_if_started(|| fold.grouped(folded))
    }
}
