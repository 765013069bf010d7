//! Rows with another number of columns are counted exactly, in every setting, and a note says so.

use std::fs;
use std::path::Path;

use crate::common::by::By;
use crate::common::partials::{Command, Way, by};
use crate::common::program::{Ended, run_with};
use crate::common::run::{fixtures, settings};
use crate::common::twin;

/// Rows of all widths. The delimiters of neighbours, of a block and of the file add up as if all rows were right.
fn text() -> Vec<u8> {
    let row = |nth: usize, columns: usize| {
        let column = |place| match place {
            9 => ["CA", "NY", "TX"][nth % 3].to_owned(),
            11 if nth.is_multiple_of(7) => "OTTER MILLS".to_owned(),
            14 => nth.to_string(),
            19 if nth.is_multiple_of(97) => "x".repeat(nth * 37 % 20_000),
            place => "c".repeat(place * nth % 13),
        };
        (0..columns).map(column).collect::<Vec<_>>().join("|")
    };
    let mut text = String::new();
    for nth in 0..1500 {
        let (columns, end) = match nth % 50 {
            3 => (20, "\n"),
            4 => (22, "\n"),
            17 => (41, "\n"),
            18 => (1, "\n"),
            29 => (22, "\n\n"),
            30 => (21, "\n\r\n"),
            31 => (20, "\r\n"),
            _ => (21, if nth % 5 == 0 { "\r\n" } else { "\n" }),
        };
        text += &(row(nth, columns) + end);
    }
    text += &row(1, 20);
    text.into_bytes()
}

/// Counts the rows of `text` that `pass` and have another number of columns.
fn odd_rows(text: &[u8], pass: impl Fn(&[&[u8]]) -> bool) -> u64 {
    let rows = twin::lines_of(text).into_iter().map(twin::columns);
    rows.filter(|row| pass(row) && row.len() != 21).count() as u64
}

/// Returns whether a row passes the condition, worked out slowly.
fn passes(row: &[&[u8]], condition: &str) -> bool {
    let column = |place: usize| row.get(place).copied().unwrap_or_default();
    match condition {
        "STATE = 'CA'" => column(9) == b"CA",
        "EMPLOYER ~ 'OTTER MILLS'" => column(11) == b"OTTER MILLS",
        _ => true,
    }
}

#[test]
fn odd_rows_are_counted_in_every_setting() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made.txt");
    fs::write(&made, text()).unwrap();
    let made = made.to_str().unwrap().to_owned();
    let texts = fixtures().into_iter();
    let texts = texts.map(|(name, bytes)| (format!("fixtures/{name}.txt"), bytes));
    for (path, bytes) in texts.chain([(made, text())]) {
        for (keys, sums) in [
            ("STATE", ""),
            ("CMTE_ID", ""),
            ("STATE", "sum(amount)"),
            ("STATE,CITY,ZIP_CODE", "sum(amount), count(DISTINCT NAME)"),
            ("SUB_ID", ""),
        ] {
            for condition in ["", "STATE = 'CA'", "EMPLOYER ~ 'OTTER MILLS'"] {
                let expected = odd_rows(&bytes, |row| passes(row, condition));
                let conditions = [condition.to_owned()].into_iter();
                let conditions: Vec<_> = conditions.filter(|c| !c.is_empty()).collect();
                for setting in settings(&[1, 3], &[64, 50_000, 1 << 20]) {
                    let by = By::new(keys, sums).filtered(&conditions);
                    let found = by.grouped(&setting, &[Path::new(&path)]).unwrap().odd_rows;
                    assert_eq!(found, expected, "{path} by {keys} {condition}: {setting:?}");
                }
            }
        }
    }
}

#[test]
fn odd_rows_of_ranges_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.txt");
    fs::write(&path, text()).unwrap();
    for filter in [None, Some("STATE = 'CA'")] {
        let way = Way {
            threads: 2,
            task_bytes: 5000,
            filter,
        };
        by().assert_merges(&path, &[1000, 16_384, 70_001, 200_000], way);
    }
}

fn assert_notes(command: &str, notes: &[&str]) -> Ended {
    let ended = run_with(command);
    let notes: Vec<_> = notes
        .iter()
        .map(|note| format!("fecscan: note: {note}"))
        .collect();
    let found = ended.err.lines().filter(|line| line.contains("columns"));
    assert_eq!(found.collect::<Vec<_>>(), notes, "{command}");
    assert_eq!(ended.status, 0, "{command}: {}", ended.err);
    ended
}

#[test]
fn every_command_that_uses_columns_counts_odd_rows_in_one_note() {
    let what = "more or fewer columns than the schema, so values may stand in other columns";
    let all = format!("16 rows have {what}");
    let bytes = fs::read("fixtures/columns.txt").unwrap();
    assert_eq!(odd_rows(&bytes, |_| true), 16);
    let file = "fixtures/columns.txt";
    for command in [
        "by STATE -f csv",
        "by STATE,CITY -f json",
        "by STATE --agg count(DISTINCT(CITY)) -f csv",
        "count --where STATE<>'CA'",
        "count --where STATE<>'CA' -f json",
        "export",
        "export --columns STATE -f csv",
        "export -f json --columns STATE,year(date)",
        "export -f parquet -o /dev/null",
    ] {
        for level in ["portable", "auto"] {
            assert_notes(&format!("{command} --simd {level} {file}"), &[&all]);
        }
    }
    // Text and pages have the note themselves.
    let ended = assert_notes(&format!("by STATE -f text {file}"), &[]);
    assert!(ended.out.contains(&format!("{all}.")), "{}", ended.out);
    let ended = assert_notes(&format!("by STATE -f html {file}"), &[]);
    assert!(ended.out.contains(&all), "{}", ended.out);
    // No value is taken from a column, or from no such row.
    for command in ["count", "by file -f csv", "export --columns file"] {
        assert_notes(&format!("{command} {file}"), &[]);
    }
    assert_notes("by STATE fixtures/plain.txt", &[]);
    // Rows beyond the first ones are not looked at.
    let first = format!("1 row has {what}");
    assert_notes(&format!("export --head 1 -f csv {file}"), &[&first]);
    let [old, new] =
        ["old", "new"].map(|name| format!("16 rows of the {name} version have {what}"));
    for format in ["text", "csv"] {
        assert_notes(&format!("diff {file} {file} -f {format}"), &[&old, &new]);
    }
}
