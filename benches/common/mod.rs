//! Shared by the benchmarks: their file, ways to run the program and the library on it, and slow
//! independent answers.

#![allow(dead_code)] // Each benchmark uses its part.

pub mod challenge;
pub mod columns;
pub mod file;
pub mod run;

use std::time::Duration;

use criterion::Criterion;

/// Returns criterion with short times, so that a whole `cargo bench` takes minutes.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args()
}
