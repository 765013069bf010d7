//! What joins are to a filter: they decide how often a row passes.

use std::fmt::Debug;

use crate::fold::Matches;
use crate::scan::Vector;
use crate::sql::evaluate::Fault;
use crate::sql::file::Read;

/// How often a row passes that makes several joined rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Once for each of them, as in SQL.
    EachMatch,
    /// Once.
    Once,
}

/// Joins rows that pass a filter.
pub(in crate::sql) trait JoinRows: Debug + Send + Sync {
    /// Returns the columns of the rows that keys and conditions read.
    fn read(&self) -> &[Read];

    /// Says whether each row is one joined row, whatever it has.
    fn are_decided(&self) -> bool;

    /// Sees for each joined row the number of the row that it is made of, among `rows` whose columns are those that are read.
    ///
    /// # Errors
    /// If a value can't be known.
    fn each_row(
        &self,
        columns: Vec<Vector<'_>>,
        rows: usize,
        see: &mut dyn FnMut(usize),
    ) -> Result<(), Fault>;

    /// Returns what became of rows since the last call.
    fn take_matches(&self) -> Vec<Matches>;

    /// Returns the names of tables of which nothing is asked.
    fn unused(&self) -> &[String];
}
