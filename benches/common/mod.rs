//! Shared by the benchmarks: their file, turns, folds on the engine, and slow independent answers.

pub mod challenge;
pub mod columns;
pub mod file;
pub mod rounds;
pub mod rows;
pub mod run;
