//! What joins are to a filter: they decide how often a row passes.

use std::fmt::Debug;

use crate::fold::Matches;
use crate::scan::Vector;
use crate::sql::evaluate::Fault;
use crate::sql::file::Read;

/// How often a row with several matches passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Once for each match, as in SQL.
    EachMatch,
    /// Once.
    Once,
}

/// Joins rows that pass a filter.
pub(in crate::sql) trait JoinRows: Debug + Send + Sync {
    /// Returns the columns of the rows that keys and conditions read.
    fn read(&self) -> &[Read];

    /// Says whether every row makes exactly one joined row.
    fn are_decided(&self) -> bool;

    /// Calls `see` for each joined row, with the number of the row that it comes from. There are this many `rows`, with the
    /// [columns that are read](JoinRows::read).
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

    /// Returns the names of tables whose columns nothing reads.
    fn unused(&self) -> &[String];
}
