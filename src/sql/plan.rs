//! What a statement asks of the rows of its table: one value that every way to ask makes, and one place runs.

use std::fmt;

use super::expression::Expression;
use super::file::Read;
use super::filter::Filter;
use super::table::Order;
use super::types::Type;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::input::Part;
use crate::scan::Need;

/// A statement, bound to a table.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The schema of the table.
    pub(super) schema: Schema,
    /// The columns that expressions of rows read, by their numbers there.
    pub(super) read: Vec<Read>,
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
    pub(super) aggregates: Vec<Aggregate>,
    /// Of the keys, and the aggregates behind them.
    pub(super) having: Option<Expression>,
    pub(super) select: Vec<Expression>,
}

/// An aggregate of the values of the rows of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Aggregate {
    pub(super) kind: Kind,
    /// What it is of; none for `count(*)`.
    pub(super) of: Option<Expression>,
}

/// What is made of values. NULL is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Count,
    CountDistinct,
    Sum,
    Average,
    Least,
    Greatest,
    /// The value between which and the least a share of the values lies, between two values in proportion.
    QuantileContinuous(f64),
    /// The least value up to which a share of the values lies.
    QuantileDiscrete(f64),
}

impl Aggregate {
    /// Returns the type of the value of a group.
    pub(super) fn gives(&self) -> Type {
        let of = self.of.as_ref().map_or(Type::BigInt, |of| of.gives);
        match self.kind {
            Kind::Count | Kind::CountDistinct => Type::BigInt,
            Kind::Sum if of.is_whole() => Type::HugeInt,
            Kind::Average => Type::Double,
            Kind::QuantileContinuous(_) if of.is_whole() => Type::Double,
            _ => of,
        }
    }
}

impl Plan {
    /// Takes the filter out, for the scan. What only the filter reads is read no longer.
    pub(super) fn take_filter(&mut self) -> Filter {
        let Some(condition) = self.filter.take() else {
            return Filter::default();
        };
        let filter = Filter::of_statement(&condition, &self.read);
        let mut used: Vec<usize> = Vec::new();
        for of in self.of_rows() {
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

    /// Returns the expressions of rows.
    fn of_rows(&mut self) -> Vec<&mut Expression> {
        match &mut self.body {
            Body::Rows(select) => select.iter_mut().collect(),
            Body::Groups(grouping) => {
                let aggregates = grouping.aggregates.iter_mut();
                let of = aggregates.filter_map(|aggregate| aggregate.of.as_mut());
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
        if schema == self.schema || schema.columns() == self.schema.columns() {
            let places = self.read.iter().map(|read| read.place);
            return Ok(Need::Rows(places.collect()));
        }
        let (is, other) = (schema.name(), self.schema.name());
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

    /// Returns how many rows of the ordered result are wanted.
    pub(super) fn most(&self) -> Option<usize> {
        self.limit.map(|limit| limit.saturating_add(self.offset))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Count | Kind::CountDistinct => "count",
            Kind::Sum => "sum",
            Kind::Average => "avg",
            Kind::Least => "min",
            Kind::Greatest => "max",
            Kind::QuantileContinuous(_) => "quantile_cont",
            Kind::QuantileDiscrete(_) => "quantile_disc",
        })
    }
}
