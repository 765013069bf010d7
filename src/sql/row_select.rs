//! A SELECT of rows of files as the last step of a statement: its rows are written as they come.

use super::BoundStatement;
use super::RunFold;
use super::filter::Filter;
use super::plan::{Body, Plan, Source};
use super::projection::{ExportColumns, ValueForm};
use super::steps::{Runner, Step};
use crate::error::Error;
use crate::fec::schema::Schema;

/// A SELECT of rows of files, without an order: [`BoundStatement::rows`] returns one.
#[derive(Clone, Debug)]
pub struct RowSelect {
    plan: Plan,
}

impl BoundStatement {
    /// Says whether the statement selects rows of files as they come: without groups, an order or a join.
    pub fn selects_rows(&self) -> bool {
        matches!(&self.steps[self.result], Step::Select(plan) if is_of_rows(plan))
    }

    /// Returns the rows to select, the number of their [table](super::Statement::tables) and which of them WHERE keeps. Queries within the
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
        let filled = Runner::new(&self.steps, run, self.options).filled(plan)?;
        Ok(filled.map(|mut plan| {
            plan.titles.clone_from(&self.titles);
            let filter = plan.take_filter();
            (RowSelect { plan }, table, filter)
        }))
    }
}

fn is_of_rows(plan: &Plan) -> bool {
    let is_of_files = matches!(plan.source, Source::Files(..));
    let is_of_rows = matches!(plan.body, Body::Rows(_));
    is_of_files
        && is_of_rows
        && plan.joins.is_empty()
        && plan.orders.is_empty()
        && !plan.is_distinct
}

impl RowSelect {
    /// Returns the columns in rows of a schema.
    ///
    /// # Errors
    /// If the rows have other columns than those of the statement.
    pub(crate) fn columns(&self, schema: Schema, form: ValueForm) -> Result<ExportColumns, Error> {
        self.plan.check_schema(schema)?;
        Ok(ExportColumns::of_plan(&self.plan, form, schema))
    }

    /// Returns the number of rows that LIMIT takes; none for all.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.plan.limit.map(|limit| limit as u64)
    }

    /// Returns the number of rows that OFFSET leaves out.
    pub(crate) fn offset(&self) -> u64 {
        self.plan.offset as u64
    }
}
