//! Binds queries within others: in FROM, WITH, UNION and expressions. Each becomes steps, which run first.

use std::sync::Arc;

use sqlparser::ast::{self, Query, SetExpr, Spanned, TableFactor};
use sqlparser::tokenizer::Span;

use super::joins::From;
use super::relation::Relation;
use super::tables::TableName;
use crate::fec::schema::{Kind, Schema};
use crate::sql::file::{self, Read};
use crate::sql::given::{GivenTable, GivenTables};
use crate::sql::messages::Wrong;
use crate::sql::parse::START;
use crate::sql::parse::refused;
use crate::sql::parse::tokens::QUERIES_MOST;
use crate::sql::parse::using_sample::{Samples, UsingSample};
use crate::sql::plan::Source;
use crate::sql::run::steps::Step;
use crate::sql::scope::{Named, Scope, ScopeTable};
use crate::sql::types::Type;

/// The most steps of a statement, each of which may wait for another one.
const STEPS_MOST: usize = QUERIES_MOST;

/// What the names of WITH mean.
type NamedQueries = Vec<(String, Relation)>;

/// A query as it is printed and, as samples are not, its place where there are some.
type QueryText = (String, Option<Span>);

/// Binds queries, and collects their steps.
pub(in crate::sql) struct Queries<'f> {
    /// The files that the statement names, their schemas, and how many bytes they have.
    files: &'f [(TableName, Schema, u64)],
    given: &'f GivenTables,
    samples: &'f Samples,
    pub(in crate::sql) steps: Vec<Step>,
    /// The untyped columns of files, by their places, that are put in order as texts.
    pub(in crate::sql) ordered_texts: Vec<(usize, usize)>,
    /// The queries of WITH that names may mean here. The last one of a name counts.
    named: NamedQueries,
    /// The tables of the queries around this one.
    outer: Vec<Scope>,
    /// The queries within expressions so far. The same one again is the same step.
    known: Vec<(QueryText, NamedQueries, Relation)>,
}

impl<'f> Queries<'f> {
    pub(in crate::sql) fn new(
        files: &'f [(TableName, Schema, u64)],
        given: &'f GivenTables,
        samples: &'f Samples,
    ) -> Queries<'f> {
        Queries {
            files,
            given,
            samples,
            steps: Vec::new(),
            ordered_texts: Vec::new(),
            named: Vec::new(),
            outer: Vec::new(),
            known: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Binds a query.
    pub(in crate::sql) fn query(&mut self, query: &Query) -> Result<Relation, Wrong> {
        if self.steps.len() >= STEPS_MOST {
            return Err(Wrong::too_many_queries(STEPS_MOST, query.span()));
        }
        let named = self.named.len();
        if let Some(with) = &query.with {
            self.with(with)?;
        }
        let bound = match &*query.body {
            SetExpr::Select(select) => super::select(query, select, self),
            body => self.set(body).and_then(|(relation, others)| {
                refused::of_query(query)?;
                self.ordered(query, relation, &others)
            }),
        };
        self.named.truncate(named);
        bound
    }

    fn with(&mut self, with: &ast::With) -> Result<(), Wrong> {
        if with.recursive {
            let instead = "write the query without RECURSIVE";
            return Err(Wrong::unsupported("WITH RECURSIVE", instead, with.span()));
        }
        for (nth, cte) in with.cte_tables.iter().enumerate() {
            let name = &cte.alias.name;
            let mut before = with.cte_tables[..nth].iter();
            if before.any(|cte| cte.alias.name.value.eq_ignore_ascii_case(&name.value)) {
                let what = format!("WITH names {} twice", name.value);
                return Err(Wrong::other(what, "choose another name", name.span));
            }
            let mut relation = self.query(&cte.query)?;
            relation.rename(&names_of(&cte.alias), cte.alias.name.span)?;
            self.named.push((cte.alias.name.value.clone(), relation));
        }
        Ok(())
    }

    /// Binds a query within an expression of a query whose rows are those of a table.
    pub(super) fn subquery(
        &mut self,
        query: &Query,
        scope: &Scope,
    ) -> Result<(usize, Vec<Type>), Wrong> {
        let place = (!self.samples.is_empty()).then(|| query.span());
        let text = (query.to_string(), place);
        let mut known = self.known.iter();
        let known = known.find(|known| known.0 == text && known.1 == self.named);
        let relation = match known {
            Some((.., relation)) => relation.clone(),
            None => {
                self.outer.push(scope.clone());
                let relation = self.query(query);
                self.outer.pop();
                let relation = relation?;
                let named = self.named.clone();
                self.known.push((text, named, relation.clone()));
                relation
            }
        };
        let gives = relation.columns.iter().map(|column| column.gives);
        Ok((relation.step, gives.collect()))
    }

    /// Says whether a query around this one has a column, or a table, with a name.
    pub(super) fn is_outer(&self, table: Option<&str>, name: &str) -> bool {
        self.outer.iter().any(|outer| match table {
            Some(table) => outer.has_table(table),
            None => {
                let found = outer.named(None, name, START);
                found.is_ok_and(|found| !matches!(found, Named::Nothing))
            }
        })
    }

    /// Keeps which of some texts are untyped columns of files.
    pub(super) fn see_ordered<'r>(&mut self, scope: &Scope, reads: impl Iterator<Item = &'r Read>) {
        for read in reads {
            let Source::Files(files, schema) = scope.tables[read.table].source else {
                continue;
            };
            let column = schema.columns().get(read.place);
            let is_untyped = column.is_some_and(|column| column.kind == Kind::Untyped);
            let place = (files, read.place);
            if is_untyped && !self.ordered_texts.contains(&place) {
                self.ordered_texts.push(place);
            }
        }
    }

    /// Returns the sample that a SELECT takes.
    pub(super) fn sample_of(&self, select: &ast::Select) -> Option<UsingSample> {
        let start = select.select_token.0.span.start;
        let mut samples = self.samples.iter();
        let found = samples.find(|(select, _)| *select == start);
        found.map(|(_, sample)| *sample)
    }

    /// Returns the tables that FROM names, and how they are joined.
    pub(super) fn from<'a>(&mut self, select: &'a ast::Select) -> Result<From<'a>, Wrong> {
        let (from, others) = match &select.from[..] {
            [] => {
                let span = select.projection.first().map_or(START, Spanned::span);
                return Err(Wrong::other(
                    "the statement has no FROM",
                    "write FROM 'FILE', or FROM indiv and the files behind the statement",
                    span,
                ));
            }
            [from, others @ ..] => (from, others),
        };
        let mut tables = From::new(self.factor(&from.relation)?);
        for join in &from.joins {
            let table = self.factor(&join.relation)?;
            tables.join(table, join)?;
        }
        for other in others {
            if let Some(join) = other.joins.first() {
                let instead = "write JOIN .. ON a.x = b.y for all tables";
                let span = join.relation.span();
                return Err(Wrong::unsupported("a join after a comma", instead, span));
            }
            let span = other.relation.span();
            tables.comma(self.factor(&other.relation)?, span)?;
        }
        Ok(tables)
    }

    fn factor(&mut self, table: &TableFactor) -> Result<ScopeTable, Wrong> {
        let span = table.span();
        if let TableFactor::Derived {
            lateral: false,
            subquery,
            alias,
            sample: None,
        } = table
        {
            let mut relation = self.query(subquery)?;
            let name = alias.as_ref().map_or("", |alias| &alias.name.value);
            if let Some(alias) = alias {
                relation.rename(&names_of(alias), alias.name.span)?;
            }
            return relation.table(name, span);
        }
        let (name, alias) = TableName::of(table)?;
        let shown = alias.map_or(&*name.name, |alias| &alias.name.value);
        let mut named = self.named.iter().rev();
        let is_named = |known: &&(String, Relation)| known.0.eq_ignore_ascii_case(&name.name);
        if !name.is_text
            && let Some((_, relation)) = named.find(is_named)
        {
            let mut relation = relation.clone();
            if let Some(alias) = alias {
                relation.rename(&names_of(alias), alias.name.span)?;
            }
            return relation.table(shown, span);
        }
        if let Some(alias) = alias.filter(|alias| !alias.columns.is_empty()) {
            let instead = "name the columns in SELECT, with AS";
            return Err(Wrong::unsupported(&alias.to_string(), instead, span));
        }
        let known = self.files.iter().position(|(known, ..)| known.is(&name));
        let mut given = self.given.iter();
        let is_given = |given: &&GivenTable| given.name().eq_ignore_ascii_case(&name.name);
        if known.is_none()
            && let Some(given) = given.find(is_given)
        {
            let step = self.push(Step::Given(Arc::clone(given.rows())));
            return Ok(ScopeTable {
                source: Source::Step(step),
                name: shown.to_owned(),
                ..given.scope_table()
            });
        }
        let known = known.ok_or_else(|| Wrong::no_table(&name.name, span))?;
        let (_, schema, bytes) = self.files[known];
        Ok(ScopeTable {
            bytes,
            ..file::table(known, schema, Some(shown))
        })
    }
}

/// Returns the names of columns behind that of a table.
fn names_of(alias: &ast::TableAlias) -> Vec<String> {
    let columns = alias.columns.iter();
    columns.map(|column| column.name.value.clone()).collect()
}
