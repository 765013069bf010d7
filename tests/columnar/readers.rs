//! DuckDB, Polars and pyarrow read what `export` writes, and find the cells of the file.

use std::process::Command;

use crate::common::needs;
use crate::common::program::run;

/// The script makes the expected cells from the bytes of the fixtures.
#[test]
fn duckdb_polars_and_pyarrow_find_the_cells_of_all_fixtures() {
    if ["duckdb", "polars", "pyarrow"].map(needs::has) != [true; 3] {
        return;
    }
    let mut command = Command::new(needs::python());
    command.args(["-B", "tests/queries/columns.py", "--program"]);
    let ended = run(command.arg(env!("CARGO_BIN_EXE_fecscan")));
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.ends_with("all equal\n"), "{}", ended.out);
}
