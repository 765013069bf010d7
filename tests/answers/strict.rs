//! Rows that break the schema are found with their line, byte and columns, in every setting.

use std::path::Path;

use crate::common::program::{fecscan, run};
use crate::common::run::{fixtures, settings};
use crate::common::twin::{self, Asked};
use fecscan::fold::report::OddRowPolicy;

/// Returns line (from one), byte and columns of every row of `bytes` without `expected` columns.
fn odd_rows(bytes: &[u8], expected: usize) -> Vec<(u64, u64, u64)> {
    let mut byte = 0;
    let mut odd = Vec::new();
    for (number, line) in (1..).zip(twin::lines_of(bytes)) {
        let found = twin::columns(line).len();
        if found != expected {
            odd.push((number, byte, found as u64));
        }
        let rest = &bytes[byte as usize..];
        byte += rest
            .iter()
            .position(|&b| b == b'\n')
            .map_or(rest.len(), |newline| newline + 1) as u64;
    }
    odd
}

#[test]
fn odd_rows_are_found_where_they_are() {
    for (name, bytes) in fixtures() {
        let path = format!("fixtures/{name}.txt");
        let expected = odd_rows(&bytes, 21);
        for setting in settings(&[1, 2, 5], &[7, 64, 1000, 1 << 20]) {
            let asked = Asked::default();
            let report = setting.report(
                &setting.engine(),
                &asked,
                OddRowPolicy::List,
                &[Path::new(&path)],
            );
            let total = report.odd_row_count;
            assert_eq!(total, expected.len() as u64, "{name}: {setting:?}");
            let found = &report.odd_rows;
            let listed: Vec<_> = found
                .iter()
                .map(|row| (row.line, row.byte, row.columns))
                .collect();
            assert_eq!(
                listed,
                expected[..expected.len().min(20)],
                "{name}: {setting:?}"
            );
            assert!(
                found
                    .iter()
                    .all(|row| row.path == *path && row.expected == 21)
            );
        }
    }
}

#[test]
fn the_first_twenty_of_several_files_are_listed_in_their_order() {
    let paths = [
        "fixtures/columns.txt",
        "fixtures/plain.txt",
        "fixtures/all-newlines.txt",
        "fixtures/columns.txt",
    ];
    let of_columns = odd_rows(&std::fs::read(paths[0]).unwrap(), 21).len();
    for setting in settings(&[1, 3], &[64, 1 << 20]) {
        let all = paths.map(Path::new);
        let engine = setting.engine();
        let report = setting.report(&engine, &Asked::default(), OddRowPolicy::List, &all);
        let total = (2 * of_columns + 200) as u64;
        assert_eq!(report.odd_row_count, total, "{setting:?}");
        let found = report.odd_rows;
        assert_eq!(found.len(), 20, "{setting:?}");
        assert!(
            found[..of_columns].iter().all(|row| row.path == *paths[0]),
            "{setting:?}"
        );
        assert!(
            found[of_columns..].iter().all(|row| row.path == *paths[2]),
            "{setting:?}"
        );
    }
}

#[test]
fn the_schema_that_is_named_outweighs_the_name_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ccl16.txt");
    std::fs::write(&path, "1|2|3|4|5|6|7\n1|2|3\n").unwrap();
    for (options, status, rows) in [
        ("", 0, ""),
        ("--strict", 1, "1 row breaks the schema"),
        ("--strict --schema indiv", 1, "2 rows break the schema"),
    ] {
        let mut command = fecscan(["report", "--force"]);
        command.args(options.split_whitespace()).arg(&path);
        let ended = run(&mut command);
        assert_eq!(ended.status, status, "{options}: {}", ended.err);
        assert!(ended.err.contains(rows), "{options}: {}", ended.err);
    }
}
