//! Runs the steps of a statement, each of which is a plan over files, joined tables or a table in memory.

pub(super) mod errors;
pub(super) mod result_rows;
pub(super) mod row_select;
pub(super) mod rows;
pub(super) mod steps;
pub(super) mod window;
