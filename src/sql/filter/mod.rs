//! Conditions that choose lines before a fold sees them.
//!
//! A [`Filter`] is a list of conditions. Binding a filter to a schema finds columns and types, and lowers the conditions to predicates on bytes,
//! which the scanner tests. A condition without a fast predicate is evaluated as an expression.

mod bound_filter;
mod cell_map;
mod join_rows;
mod joined;
mod joined_text;
mod lower;
mod predicate;
mod prefix;
mod ranges;
mod required;
mod semi_join;
mod told;
mod word_test;
mod words;

use std::sync::Arc;

use sqlparser::ast::{Expr, Spanned};

use self::bound_filter::BoundFilter;
pub(super) use self::join_rows::JoinRows;
pub use self::join_rows::Repeats;
pub(super) use self::joined_text::{Found, JOINS_MOST, JoinedText};
use self::lower::Atom;
pub(super) use self::lower::conjuncts;
use self::predicate::Predicate;
pub(super) use self::ranges::range_of;
pub(crate) use self::semi_join::uncounted;
pub(super) use self::semi_join::{MatchCounts, SemiJoin, SemiJoined};
use super::expression::Expression;
use super::file::{self, Read};
use super::given::GivenTables;
use super::messages::Wrong;
use super::names::{Clause, RowNames};
use super::parse;
use super::parse::canonical;
use super::parse::tokens::{self, REGEXES_MOST};
use crate::error::Error;
use crate::fec::by_schema::BySchema;
use crate::fec::schema::{CONTRIBUTION_TYPES, Schema};
use crate::fold::{Matches, Sample};
use crate::scan::RowFilter;

/// Conditions of SQL on the rows of files. All must be true.
#[derive(Debug, Default)]
pub struct Filter {
    pub(super) conditions: Vec<Condition>,
    contributions: bool,
    /// The clauses of the WHERE of a statement, which is bound to its schema.
    statement: Option<Arc<Vec<Vec<Atom>>>>,
    /// That WHERE compares a value with NULL.
    statement_compares_null: bool,
    /// The tables that conditions may name.
    given: GivenTables,
    /// The joins that decide the conditions, the schema of the rows, and how often these pass.
    joined: Option<(Schema, Arc<dyn JoinRows>, Repeats)>,
    /// The sample that rows are of.
    sample: Option<Sample>,
    /// The bound filter of each schema, for all parts of a run.
    bound: BySchema<Arc<dyn RowFilter>>,
}

/// A condition that was parsed.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) text: String,
    pub(super) tree: Expr,
}

/// The most conditions of a filter. Each has a limit of its own on its size.
const CONDITIONS_MOST: usize = 64;

/// A clone may get other conditions or other tables, so it is bound anew.
impl Clone for Filter {
    fn clone(&self) -> Filter {
        Filter {
            conditions: self.conditions.clone(),
            contributions: self.contributions,
            statement: self.statement.clone(),
            statement_compares_null: self.statement_compares_null,
            given: self.given.clone(),
            joined: self.joined.clone(),
            sample: self.sample,
            bound: BySchema::default(),
        }
    }
}

impl Filter {
    /// Parses conditions such as `STATE IN ('CA', 'NY')`, `amount >= 1000` and `EMPLOYER ILIKE '%google%'`.
    ///
    /// # Errors
    /// If one is no expression of SQL. The error names the line and the column.
    pub fn new<T: AsRef<str>>(conditions: impl IntoIterator<Item = T>) -> Result<Filter, Error> {
        let mut parsed = Vec::new();
        let mut regexes = 0;
        for text in conditions {
            let text = text.as_ref();
            if parsed.len() == CONDITIONS_MOST {
                return Err(Wrong::too_many_conditions(CONDITIONS_MOST).error());
            }
            let tree = parse::expression(text).map_err(|wrong| wrong.error_in(text))?;
            regexes += tokens::regexes(text);
            if regexes > REGEXES_MOST {
                return Err(Wrong::too_many_regexes(REGEXES_MOST, tree.span()).error_in(text));
            }
            let text = text.to_owned();
            parsed.push(Condition { text, tree });
        }
        Ok(Filter {
            conditions: parsed,
            ..Filter::default()
        })
    }

    /// Returns the filter of a bound condition, whose columns are those of `read`.
    pub(super) fn of_statement(condition: &Expression, read: &[Read]) -> Filter {
        Filter {
            statement: Some(Arc::new(lower::clauses(condition, read))),
            statement_compares_null: condition.compares_null(),
            ..Filter::default()
        }
    }

    /// Returns the same filter, whose conditions may name columns of tables. Those that do are decided by joins.
    #[must_use]
    pub fn with_tables(self, given: GivenTables) -> Filter {
        Filter {
            given,
            bound: BySchema::default(),
            ..self
        }
    }

    /// Returns the tables that conditions may name.
    pub(crate) fn given(&self) -> &GivenTables {
        &self.given
    }

    /// Adds the condition that a row is an individual contribution by the FEC's own rule: its
    /// TRANSACTION_TP is one of [`CONTRIBUTION_TYPES`].
    pub fn with_contributions(self) -> Filter {
        Filter {
            contributions: true,
            bound: BySchema::default(),
            ..self
        }
    }

    /// Returns the same filter, which keeps rows of a sample alone.
    pub fn of_sample(self, sample: Sample) -> Filter {
        Filter {
            sample: Some(sample),
            bound: BySchema::default(),
            ..self
        }
    }

    /// Says whether rows are of a sample.
    pub(crate) fn is_sample(&self) -> bool {
        self.sample.is_some()
    }

    /// Returns the conditions in one way of writing, with the names that the columns have in all of `schemas`, or as they were typed where
    /// these differ. That of [`Filter::with_contributions`] is not among them.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// use fecscan::sql::Filter;
    /// let filter = Filter::new(["amount>=1000", "year(#14) = 2018"])?;
    /// let names = filter.canonical(&[Schema::Indiv, Schema::Oth]);
    /// assert_eq!(names, ["TRANSACTION_AMT >= 1000", "year(TRANSACTION_DT) = 2018"]);
    /// let typed = filter.canonical(&[Schema::Indiv, Schema::Cm]);
    /// assert_eq!(typed, ["amount >= 1000", "year(#14) = 2018"]);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn canonical(&self, schemas: &[Schema]) -> Vec<String> {
        let canonical = |condition: &Condition| {
            let mut names = schemas.iter().map(|schema| {
                let names = RowNames::new(*schema, Clause::Condition);
                let mut names = names.with_tables(&self.given);
                let bound = names.condition(&condition.tree);
                bound.map(|_| names.named).unwrap_or_default()
            });
            let mut named = names.next().unwrap_or_default();
            for others in names {
                named.retain(|name| others.contains(name));
            }
            canonical::canonical(&condition.text, &named)
        };
        self.conditions.iter().map(canonical).collect()
    }

    /// Says whether every line passes.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
            && !self.contributions
            && self.statement.is_none()
            && self.joined.is_none()
            && self.sample.is_none()
    }

    /// Returns the number of conditions that were given.
    pub fn len(&self) -> usize {
        self.conditions.len()
    }

    /// Finds the columns for `schema`, and checks all types. Without conditions, there is nothing to test.
    ///
    /// # Errors
    /// If the schema lacks a column, or types do not fit. The error names the line and the column.
    pub(crate) fn bind(&self, schema: Schema) -> Result<Option<Arc<dyn RowFilter>>, Error> {
        if self.is_empty() {
            return Ok(None);
        }
        let bind = || Ok(Arc::new(self.bound(schema)?) as _);
        Ok(Some(self.bound.get_or_make(schema, bind)?))
    }

    fn bound(&self, schema: Schema) -> Result<BoundFilter, Error> {
        let statement = self.statement.as_deref();
        let mut clauses = statement.cloned().unwrap_or_default();
        match &self.joined {
            Some((of, ..)) if *of == schema || file::are_read_alike(*of, schema) => {}
            Some((of, ..)) => {
                let what = format!(
                    "is a file of schema {}, and rows of {} are joined",
                    schema.name(),
                    of.name()
                );
                return Err(Error::usage(what).advise("ask files of one schema"));
            }
            None => clauses.extend(self.clauses_of_conditions(schema)?),
        }
        if self.contributions {
            let place = schema.column("TRANSACTION_TP").map_err(|error| {
                error.advise(
                    "--contributions is for rows of contributions, such as itcont.txt: leave it out",
                )
            })?;
            let kinds = CONTRIBUTION_TYPES.map(|kind| kind.as_bytes().into());
            clauses.push(vec![Atom {
                column: place,
                predicate: Predicate::of_texts(kinds),
                wanted: true,
            }]);
        }
        let mut bound = BoundFilter::of_sample(self.sample);
        clauses.into_iter().for_each(|clause| bound.push(clause));
        if let Some((_, joined, repeats)) = &self.joined {
            bound.join(joined, *repeats);
        }
        Ok(bound)
    }

    fn clauses_of_conditions(&self, schema: Schema) -> Result<Vec<Vec<Atom>>, Error> {
        let mut clauses = Vec::new();
        for condition in &self.conditions {
            let mut names = RowNames::new(schema, Clause::Condition);
            let bound = names.condition(&condition.tree);
            let bound = bound.map_err(|wrong| wrong.error_in(&condition.text))?;
            clauses.extend(lower::clauses(&bound, &names.read));
        }
        Ok(clauses)
    }

    /// Returns what became of rows in joins since the last call.
    pub(crate) fn take_matches(&self) -> Vec<Matches> {
        let Some((_, joined, repeats)) = &self.joined else {
            return Vec::new();
        };
        let mut all = joined.take_matches();
        if *repeats == Repeats::Once {
            all.iter_mut().for_each(|matches| matches.several = 0);
        }
        all
    }

    /// Returns the names of tables whose columns nothing reads.
    pub fn unused(&self) -> &[String] {
        self.joined
            .as_ref()
            .map_or(&[], |(_, joined, _)| joined.unused())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the columns of the tests, in the order in which they run.
    fn order(conditions: &[&str]) -> Vec<usize> {
        let bound = Filter::new(conditions).unwrap().bound(Schema::Indiv);
        bound.unwrap().tested_columns().collect()
    }

    /// A zip of many members had a map of long lists for each of them.
    #[test]
    fn a_filter_is_bound_once_for_a_schema() {
        let filter = Filter::new(["STATE = 'CA'"]).unwrap();
        let bound = |filter: &Filter, schema| filter.bind(schema).unwrap().unwrap();
        let first = bound(&filter, Schema::Indiv);
        assert!(Arc::ptr_eq(&first, &bound(&filter, Schema::Indiv)));
        let more = filter.clone().with_contributions();
        assert_eq!(bound(&more, Schema::Indiv).columns().len(), 2);
        assert_eq!(bound(&filter, Schema::Indiv).columns().len(), 1);
    }

    #[test]
    fn cheap_tests_run_first() {
        let conditions = [
            "first_name(NAME) ~ '^MAR' AND year(date) = 2018",
            "CITY ~ '^SAN|LOS'",
            "amount >= 10",
            "STATE = 'CA'",
        ];
        let expected = [9, 13, 14, 8, 7];
        let mut turned = conditions;
        turned.reverse();
        for conditions in [conditions, turned] {
            let mut found = order(&conditions);
            // Tests of equal cost keep the order in which they were typed.
            found[1..3].sort_unstable();
            assert_eq!(found, expected, "{conditions:?}");
        }
    }
}
