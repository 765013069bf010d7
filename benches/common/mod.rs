//! Shared by the benchmarks: their file, turns, costs, ladders, folds on the engine, and slow independent answers.

pub mod challenge;
pub mod columns;
pub mod costs;
pub mod file;
pub mod ladder;
pub mod rounds;
pub mod rows;
pub mod run;
