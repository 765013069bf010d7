//! The file that benchmarks work on, ways to run the program and the library on it, and slow
//! independent answers.

#![allow(dead_code)] // Each benchmark uses its part.

pub mod challenge;
pub mod columns;
pub mod file;
pub mod run;
