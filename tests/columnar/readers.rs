//! DuckDB, Polars and pyarrow read what the program writes, and find the cells of the file.

use std::process::Command;

use crate::common::needs;
use crate::common::program::run;

/// The script makes the expected cells from the bytes of the fixtures.
#[test]
fn duckdb_polars_and_pyarrow_find_the_cells_of_all_fixtures() {
    if ["duckdb", "polars", "pyarrow"].map(needs::has) == [true; 3] {
        assert_equal("tests/queries/columns.py");
    }
}

#[test]
fn duckdb_finds_aggregates_of_numbers_of_any_decimals() {
    if needs::has("duckdb") {
        assert_equal("tests/queries/aggregates.py");
    }
}

/// Python works out the answers to random questions, and reads the program's in every format.
#[test]
fn results_are_the_same_in_every_format() {
    if ["openpyxl", "pyarrow"].map(needs::has) == [true; 2] {
        assert_equal("tests/queries/results.py --trials 12");
    }
}

fn assert_equal(script: &str) {
    let mut command = Command::new(needs::python());
    command.arg("-B").args(script.split(' ')).arg("--program");
    let ended = run(command.arg(env!("CARGO_BIN_EXE_fecscan")));
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.ends_with("all equal\n"), "{}", ended.out);
}
