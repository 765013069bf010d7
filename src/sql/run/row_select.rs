//! A SELECT of rows of files as the last step of a statement: its rows are written as they come.

use std::sync::Arc;

use super::steps::{Runner, Step};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fold::{Fold, Folded, Matches};
use crate::sql::filter::{Filter, JoinRows, Repeats};
use crate::sql::from::{From, TableNames};
use crate::sql::given::GivenTables;
use crate::sql::join::JoinedRows;
use crate::sql::plan::{Body, Plan, Source};
use crate::sql::projection::{
    ColumnKind, ExportColumns, SelectList, Types, ValueForm, refuse_one_name,
};
use crate::sql::{BoundStatement, RunFold, Statement};

/// A SELECT of rows of files, without an order: [`BoundStatement::rows`] returns one.
#[derive(Clone, Debug)]
pub struct RowSelect {
    plan: Plan,
    pub(in crate::sql) joined: Option<Arc<JoinedRows>>,
}

impl BoundStatement {
    /// Says whether the statement selects rows of files as they come: without groups, an order, or a join that keeps rows of the other side.
    pub fn selects_rows(&self) -> bool {
        matches!(&self.steps[self.result], Step::Select(plan) if is_of_rows(plan))
    }

    /// Returns the rows to select, the number of their [table](crate::sql::Statement::tables) and which of them WHERE keeps. Queries within the
    /// statement run first. None if the statement [selects](Self::selects_rows) no rows of files, or a fold has no result.
    ///
    /// # Errors
    /// If a value of a query within the statement can't be known.
    pub fn rows(&self, run: &impl RunFold) -> Result<Option<(RowSelect, usize, Filter)>, Error> {
        let Step::Select(plan) = &self.steps[self.result] else {
            return Ok(None);
        };
        let Source::Files(table, _) = plan.source else {
            return Ok(None);
        };
        if !is_of_rows(plan) {
            return Ok(None);
        }
        let rows = Runner::new(&self.steps, run, self.options).rows(plan)?;
        Ok(rows.map(|(mut plan, filter, joined)| {
            plan.titles.clone_from(&self.titles);
            let joined = joined.map(Arc::new);
            (RowSelect { plan, joined }, table, filter)
        }))
    }
}

/// No files are read for a condition.
struct NoFiles;

impl RunFold for NoFiles {
    fn fold<F: Fold>(&self, _: usize, _: Filter, _: &F) -> Option<Folded<F::Partial>> {
        None
    }
}

impl RowSelect {
    /// Returns the columns of a list for rows of a schema that are joined with tables, and which rows meet all conditions. The first of their files
    /// has this path.
    ///
    /// # Errors
    /// If rows lead to no table. If a name is unknown, types do not fit, or two columns have one name.
    pub fn joined(
        list: &SelectList,
        conditions: &[String],
        schema: Schema,
        path: &str,
        given: &GivenTables,
    ) -> Result<(RowSelect, Filter), Error> {
        let mut from = From::joined(schema, path, given, TableNames::InMemory)?;
        for condition in conditions {
            from.add_condition(condition)?;
        }
        let statement = from.select(&from.columns(list, schema), None);
        let bound = Statement::parse(&statement)?.bind_given(schema, given)?;
        refuse_one_name(&bound.titles)?;
        let (select, _, filter) = bound.rows(&NoFiles)?.ok_or_else(|| {
            let what = "columns are not those of single rows, or a condition has a query of files";
            Error::usage(what).advise("write the statement: fecscan sql \"SELECT ...\"")
        })?;
        Ok((select, filter))
    }
}

impl Filter {
    /// Returns the same filter for rows of a schema, whose conditions are decided by joins with its tables. The first of their files has this
    /// path.
    ///
    /// # Errors
    /// If rows lead to no table. If a name is unknown, or types do not fit.
    pub fn joined(self, schema: Schema, path: &str, repeats: Repeats) -> Result<Filter, Error> {
        if self.given().is_empty() {
            return Ok(self);
        }
        let conditions: Vec<_> = self.conditions.iter().map(|of| of.text.clone()).collect();
        let mut list = SelectList::default();
        list.add("1")?;
        let (select, filter) = RowSelect::joined(&list, &conditions, schema, path, self.given())?;
        let joined = select.joined.expect("tables are joined");
        Ok(self.joined_by(filter, schema, joined, repeats))
    }
}

fn is_of_rows(plan: &Plan) -> bool {
    let is_of_files = matches!(plan.source, Source::Files(..));
    let is_of_rows = matches!(plan.body, Body::Rows(_));
    is_of_files
        && is_of_rows
        && plan.joins.iter().all(|join| !join.keeps[1])
        && plan.orders.is_empty()
        && !plan.is_distinct
}

impl RowSelect {
    /// Returns the columns in rows of a schema. Values have `types`. `kind` says what a column of a file is.
    ///
    /// # Errors
    /// If the rows have other columns than those of the statement.
    pub(crate) fn columns(
        &self,
        schema: Schema,
        form: ValueForm,
        types: Types,
        kind: fn(crate::sql::Type) -> ColumnKind,
    ) -> Result<ExportColumns, Error> {
        self.plan.check_schema(schema)?;
        let joined = self.joined.as_ref();
        Ok(ExportColumns::of_plan(
            &self.plan, joined, form, types, kind, schema,
        ))
    }

    /// Returns the number of rows that LIMIT takes; none for all.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.plan.limit.map(|limit| limit as u64)
    }

    /// Returns the number of rows that OFFSET leaves out.
    pub(crate) fn offset(&self) -> u64 {
        self.plan.offset as u64
    }

    /// Returns the names of joined tables whose columns nothing reads.
    pub fn unused(&self) -> &[String] {
        self.joined.as_ref().map_or(&[], |joined| joined.unused())
    }

    /// Returns what became of rows in joins since the last call.
    pub(crate) fn take_matches(&self) -> Vec<Matches> {
        self.joined
            .iter()
            .flat_map(|joined| joined.take_matches())
            .collect()
    }
}
