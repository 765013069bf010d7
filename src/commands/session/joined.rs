//! Rows that are joined with the tables of `--with`, and the statement that a command is short for.

use std::borrow::Cow;

use super::Session;
use crate::commands::usage;
use crate::error::Error;
use crate::export::ExportQuestion;
use crate::fec::schema::Schema;
use crate::input::file_bytes;
use crate::sql::{Filter, From, Repeats, RowSelect, TableNames};

impl Session<'_> {
    /// Lets conditions on tables of `--with` be decided by joins.
    pub(in crate::commands) fn join(&mut self, repeats: Repeats) -> Result<(), Error> {
        if self.given.is_empty() {
            return Ok(());
        }
        let (schema, path) = self.rows();
        let filter = self.filter.clone();
        let filter = filter.joined(schema.unwrap_or(Schema::Indiv), &path, repeats);
        let filter = filter.map_err(|error| self.uncertain().unwrap_or(error))?;
        let unused = filter.unused().to_vec();
        self.set_joined(filter, unused);
        Ok(())
    }

    /// Returns what an export selects of rows that are joined; none if no table is joined. The conditions are those of the joined rows.
    pub(in crate::commands) fn select(
        &mut self,
        question: &ExportQuestion,
    ) -> Result<Option<RowSelect>, Error> {
        if self.given.is_empty() {
            return Ok(None);
        }
        let (schema, path) = self.rows();
        let (columns, conditions) = (&question.columns, &self.common.conditions);
        let schema = schema.unwrap_or(Schema::Indiv);
        let joined = RowSelect::joined(columns, conditions, schema, &path, &self.given);
        let (select, mut filter) = joined.map_err(|error| self.uncertain().unwrap_or(error))?;
        if self.common.contributions {
            filter = filter.with_contributions();
        }
        self.set_joined(filter, select.unused().to_vec());
        Ok(Some(select))
    }

    /// Returns the statement that options are short for, but for its columns, and the schema of its rows.
    pub(in crate::commands) fn from(&self) -> Result<(From, Schema), Error> {
        let (schema, path) = self.rows();
        let schema =
            schema.ok_or_else(|| usage("no file can be opened", "name one that is there"))?;
        if schema.layout().is_some() && (self.paths.len() > 1 || path == "-") {
            let what = "a statement names one file of another kind than the FEC's";
            return Err(usage(what, "name one file"));
        }
        let mut from = From::joined(schema, &path, &self.given, TableNames::Files)?;
        for condition in &self.common.conditions {
            from.add_condition(condition)?;
        }
        if self.common.contributions {
            from.add_contributions();
        }
        Ok((from, schema))
    }

    /// Returns the schema of the rows, if an input can be opened, and the path of the first input.
    fn rows(&self) -> (Option<Schema>, Cow<'_, str>) {
        let schema = self.schema.or_else(|| self.first_schema());
        (schema, self.paths[0].to_string_lossy())
    }

    fn set_joined(&mut self, filter: Filter, unused: Vec<String>) {
        self.unused = unused;
        self.set_filter(filter);
    }

    /// Returns the error for a file whose rows are not of the schema that would be guessed, if there is one.
    pub(in crate::commands) fn uncertain(&self) -> Option<Error> {
        let files = self.paths.iter().filter(|path| file_bytes(path).is_some());
        let mut inputs = files.filter_map(|path| self.opening.open(path).ok());
        inputs.find_map(|input| {
            let mut parts = input.parts().iter();
            parts.find_map(|part| part.certain_schema().err().map(|error| part.blame(error)))
        })
    }
}
