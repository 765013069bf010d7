//! Rows that break the schema are found with their line, byte and columns, in every setting.

use std::path::Path;

use crate::common::run::{fixtures, settings};
use crate::common::twin::{self, Asked};
use fecscan::fec::schema::Schema;
use fecscan::fold::odd_rows::Rows;

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
                Rows::OfSchema(None),
                &[Path::new(&path)],
            );
            let found = &report.odd_rows;
            assert_eq!(found.total, expected.len() as u64, "{name}: {setting:?}");
            let listed: Vec<_> = found
                .listed
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
                    .listed
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
        let found = setting
            .report(
                &setting.engine(),
                &Asked::default(),
                Rows::OfSchema(None),
                &all,
            )
            .odd_rows;
        assert_eq!(found.total, (2 * of_columns + 200) as u64, "{setting:?}");
        assert_eq!(found.listed.len(), 20, "{setting:?}");
        assert!(
            found.listed[..of_columns]
                .iter()
                .all(|row| row.path == *paths[0]),
            "{setting:?}"
        );
        assert!(
            found.listed[of_columns..]
                .iter()
                .all(|row| row.path == *paths[2]),
            "{setting:?}"
        );
    }
}

#[test]
fn the_schema_that_is_named_outweighs_the_name_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ccl16.txt");
    std::fs::write(&path, "1|2|3|4|5|6|7\n1|2|3\n").unwrap();
    let setting = settings(&[1], &[1 << 20])[0];
    let total = |rows| {
        setting
            .report(&setting.engine(), &Asked::default(), rows, &[&path])
            .odd_rows
            .total
    };
    assert_eq!(
        total(Rows::OfSchema(None)),
        1,
        "by the file's name, a row of ccl has seven columns"
    );
    assert_eq!(total(Rows::OfSchema(Some(Schema::Cm))), 2);
    assert_eq!(total(Rows::Any), 0);
}
