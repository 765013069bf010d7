//! What a statement asks of the rows of its table: one value that every way to ask makes, and one place runs.

use std::ops::Range;

use super::aggregates::{Function, Keeps};
use super::expression::{Expression, Node};
use super::file::{self, Read};
use super::filter::Filter;
use super::parse::using_sample::UsingSample;
use super::table::Order;
use super::types::Type;
use super::value::Value;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::SampleSize;
use crate::input::Part;
use crate::scan::Need;

/// The most grouping sets of a statement: each has a table of groups.
pub(super) const SETS_MOST: usize = 64;

/// A statement, bound to a table.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Where the rows come from.
    pub(super) source: Source,
    /// The columns that expressions of rows read, by their numbers there.
    pub(super) read: Vec<Read>,
    /// Tables whose columns follow, one after the other.
    pub(super) joins: Vec<Join>,
    /// The sample of the rows before the filter.
    pub(super) sample: Option<UsingSample>,
    /// Which rows count.
    pub(super) filter: Option<Expression>,
    pub(super) body: Body,
    /// The titles of the columns of the result.
    pub(super) titles: Vec<String>,
    /// The orders of the rows of the result. Columns behind those with titles are for orders alone.
    pub(super) orders: Vec<Order>,
    pub(super) is_distinct: bool,
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
}

/// Where the rows of a table come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// The files that the statement names first, second ..., which have this schema.
    Files(usize, Schema),
    /// The table in memory that the step with this number makes.
    Step(usize),
}

/// A table in memory whose rows are joined with those before.
#[derive(Clone, Debug)]
pub(super) struct Join {
    /// The step that makes the table.
    pub(super) step: usize,
    /// What is equal: of the rows before, and of the table.
    pub(super) keys: [Vec<Expression>; 2],
    /// What else is true, of the columns of both.
    pub(super) condition: Option<Expression>,
    /// Whether rows without a match are kept: of the rows before, and of the table.
    pub(super) keeps: [bool; 2],
    /// The types of the columns before.
    pub(super) before: Vec<Type>,
    /// The names of both, for notes.
    pub(super) names: [String; 2],
    /// Whether each row that is left has one match, and nothing is asked of it.
    pub(super) is_decided: bool,
}

/// What the rows of the result are.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// Rows of the table.
    Rows(Vec<Expression>),
    /// Groups of rows.
    Groups(Grouping),
}

/// Groups of rows with equal keys.
#[derive(Clone, Debug)]
pub(super) struct Grouping {
    /// Of the rows.
    pub(super) keys: Vec<Expression>,
    /// The grouping sets: the keys of each, by their numbers. Rows make groups for each set.
    pub(super) sets: Vec<Vec<usize>>,
    pub(super) aggregates: Vec<Aggregate>,
    /// Of the keys, and the aggregates behind them.
    pub(super) having: Option<Expression>,
    pub(super) select: Vec<Expression>,
}

/// An aggregate of the values of the rows of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Aggregate {
    pub(super) function: &'static Function,
    /// What it is of: nothing for `count(*)`.
    pub(super) of: Vec<Expression>,
    /// The share of a quantile.
    pub(super) share: f64,
    /// Which rows count.
    pub(super) filter: Option<Expression>,
}

impl Aggregate {
    /// Returns the type of the first argument.
    pub(super) fn of_type(&self) -> Type {
        self.of.first().map_or(Type::BigInt, |of| of.gives)
    }

    /// Returns the type of the value of a group.
    pub(super) fn gives(&self) -> Type {
        (self.function.gives)(self.of_type())
    }

    /// Returns all expressions.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.of.iter().chain(&self.filter)
    }

    /// Returns all expressions, to be changed.
    pub(super) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        self.of.iter_mut().chain(&mut self.filter)
    }

    /// Says whether its argument is NULL in all rows.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.of[..], [of] if of.as_literal() == Some(&Value::Null))
    }

    /// Says whether it only asks which rows have values.
    pub(super) fn is_count(&self) -> bool {
        matches!(self.function.keeps, Keeps::Count)
    }
}

/// Connects conditions by AND.
pub(super) fn all_of(mut conditions: Vec<Expression>) -> Option<Expression> {
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Expression::boolean(Node::And(conditions))),
    }
}

impl Plan {
    /// Returns how many passes over the files of a table the plan takes.
    pub(super) fn passes(&self, table: usize) -> usize {
        let is_of = matches!(self.source, Source::Files(files, _) if files == table);
        let counts_rows = |sample: UsingSample| matches!(sample.size, SampleSize::Rows(_));
        usize::from(is_of) * (1 + usize::from(self.sample.is_some_and(counts_rows)))
    }

    /// Takes the filter out, for the scan. What only the filter reads is read no longer.
    pub(super) fn take_filter(&mut self) -> Filter {
        let Some(condition) = self.filter.take() else {
            return Filter::default();
        };
        let filter = Filter::of_statement(&condition, &self.read);
        let mut used: Vec<usize> = Vec::new();
        for of in self.of_rows_mut() {
            of.each_column_mut(&mut |nth| {
                let place = used.iter().position(|known| known == nth);
                *nth = place.unwrap_or_else(|| {
                    used.push(*nth);
                    used.len() - 1
                });
            });
        }
        self.read = used.iter().map(|nth| self.read[*nth].clone()).collect();
        filter
    }

    /// Takes the conditions out of the filter that the scan can test before rows are joined: those on columns of the file alone, unless rows of
    /// a joined table without a match are kept too.
    pub(super) fn take_filter_before_joins(&mut self) -> Filter {
        if self.joins.iter().any(|join| join.keeps[1]) {
            return Filter::default();
        }
        let conditions = match self.filter.take() {
            None => return Filter::default(),
            Some(Expression {
                of: Node::And(all), ..
            }) => all,
            Some(one) => vec![one],
        };
        let own = self.read.len();
        let is_own = |of: &Expression| {
            let mut is_own = true;
            of.each_column(&mut |nth| is_own &= nth < own);
            is_own
        };
        let (before, after): (Vec<_>, Vec<_>) = conditions.into_iter().partition(is_own);
        self.filter = all_of(after);
        let before = all_of(before);
        before.map_or_else(Filter::default, |before| {
            Filter::of_statement(&before, &self.read)
        })
    }

    /// Says whether rows are joined.
    pub(super) fn has_joins(&self) -> bool {
        self.joins.iter().any(|join| !join.is_decided)
    }

    /// Says whether an expression of joined rows reads some of these columns.
    pub(super) fn reads(&self, columns: &Range<usize>) -> bool {
        let of_joins = self.joins.iter();
        let of_joins = of_joins.flat_map(|join| join.keys[0].iter().chain(&join.condition));
        let mut all = of_joins.chain(&self.filter).chain(self.of_rows());
        all.any(|of| {
            let mut reads = false;
            of.each_column(&mut |nth| reads |= columns.contains(&nth));
            reads
        })
    }

    /// Lets `change` number each column anew that expressions of rows name, but for those of joins.
    pub(super) fn renumber(&mut self, number: &dyn Fn(usize) -> usize) {
        let mut filter = self.filter.take();
        for of in self.of_rows_mut().into_iter().chain(&mut filter) {
            of.each_column_mut(&mut |nth| *nth = number(*nth));
        }
        self.filter = filter;
    }

    /// Returns the expressions of rows.
    fn of_rows(&self) -> Vec<&Expression> {
        match &self.body {
            Body::Rows(select) => select.iter().collect(),
            Body::Groups(grouping) => {
                let of = grouping.aggregates.iter().flat_map(Aggregate::expressions);
                grouping.keys.iter().chain(of).collect()
            }
        }
    }

    /// Returns the expressions of rows, to be changed.
    fn of_rows_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.body {
            Body::Rows(select) => select.iter_mut().collect(),
            Body::Groups(grouping) => {
                let aggregates = grouping.aggregates.iter_mut();
                let of = aggregates.flat_map(Aggregate::expressions_mut);
                grouping.keys.iter_mut().chain(of).collect()
            }
        }
    }

    /// Returns the columns to read of a part.
    ///
    /// # Errors
    /// If the part has other columns than the table.
    pub(super) fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        if let Some(places) = self.places_by_name(schema) {
            return Ok(Need::Rows(places));
        }
        self.check_schema(schema)?;
        let places = self.read.iter().map(|read| read.place);
        Ok(Need::Rows(places.collect()))
    }

    /// Returns the places of the columns in a file of another kind than the FEC's that has the names of the table's columns in another order.
    fn places_by_name(&self, schema: Schema) -> Option<Vec<usize>> {
        let Source::Files(_, wanted) = self.source else {
            return None;
        };
        let is_other = schema.layout().is_some() && wanted.layout().is_some();
        if !is_other || file::are_read_alike(schema, wanted) || !schema.has_names_of(wanted) {
            return None;
        }
        let places = self
            .read
            .iter()
            .map(|read| file::place_in(schema, wanted, read.place));
        places.collect()
    }

    /// Checks that rows of files have the columns of the table.
    pub(super) fn check_schema(&self, schema: Schema) -> Result<(), Error> {
        let Source::Files(_, wanted) = self.source else {
            return Ok(());
        };
        if schema == wanted || file::are_read_alike(schema, wanted) {
            return Ok(());
        }
        let (is, other) = (schema.name(), wanted.name());
        let what = format!("is a file of schema {is}, and the statement is about {other}");
        Err(Error::usage(what).advise("ask files of one schema"))
    }

    /// Returns the types of the columns of the result, those for orders alone too.
    pub(super) fn types(&self) -> impl Iterator<Item = Type> {
        let select = match &self.body {
            Body::Rows(select) => select,
            Body::Groups(grouping) => &grouping.select,
        };
        select.iter().map(|of| of.gives)
    }

    /// Returns all expressions.
    pub(super) fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        let mut all: Vec<_> = self.filter.iter_mut().collect();
        for join in &mut self.joins {
            all.extend(join.keys.iter_mut().flatten());
            all.extend(&mut join.condition);
        }
        match &mut self.body {
            Body::Rows(select) => all.extend(select),
            Body::Groups(grouping) => {
                let aggregates = grouping.aggregates.iter_mut();
                all.extend(aggregates.flat_map(Aggregate::expressions_mut));
                all.extend(&mut grouping.keys);
                all.extend(&mut grouping.having);
                all.extend(&mut grouping.select);
            }
        }
        all
    }

    /// Returns how many rows of the ordered result are wanted.
    pub(super) fn most(&self) -> Option<usize> {
        self.limit.map(|limit| limit.saturating_add(self.offset))
    }
}
