//! Runs statements: their steps one after the other, over files and over tables in memory.

pub(super) mod errors;
mod fill;
pub(super) mod result_rows;
pub(super) mod row_select;
pub(super) mod rows;
pub(super) mod steps;
pub(super) mod window;
