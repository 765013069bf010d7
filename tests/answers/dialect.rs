//! Odd rows: each oddity has a fixture, and a row in the documentation's table of the dialect.

use std::fs;

use crate::common::accept::{assert_stored, lock};
use crate::common::program::{fecscan, run, run_with, shell};
use crate::common::run::fixtures;
use serde_json::{Value, json};

/// An oddity and its treatment, in the words of the documentation.
struct Oddity {
    what: &'static str,
    done: &'static str,
    fixture: &'static str,
    lines: u64,
    /// The answer of `count`.
    newlines: u64,
    /// The rows that `--strict` reports.
    odd: u64,
    /// An index of `--name`, and its answer.
    name: (u64, Option<&'static str>),
}

const fn oddity(
    what: &'static str,
    done: &'static str,
    fixture: &'static str,
    [lines, newlines, odd]: [u64; 3],
    name: (u64, Option<&'static str>),
) -> Oddity {
    Oddity {
        what,
        done,
        fixture,
        lines,
        newlines,
        odd,
        name,
    }
}

const ODDITIES: [Oddity; 20] = [
    oddity(
        "nothing odd",
        "21 columns, separated by pipes, in lines that end with LF",
        "plain",
        [8, 8, 0],
        (0, Some("MARLOWE, JOHN Q")),
    ),
    oddity(
        "rows with more or fewer columns, or one",
        "lines like all others; the columns that are there are used; a note counts them, and `--strict` of the report lists them",
        "columns",
        [17, 17, 16],
        (8, Some("MOSS, ANN")),
    ),
    oddity(
        "a last row that is cut off",
        "the same",
        "cut-off-row",
        [8, 7, 1],
        (7, Some("BLACKTHORNE, AGNES  & PETER")),
    ),
    oddity(
        "no newline at the end",
        "the last line counts (not for `count`, as for `wc -l`)",
        "no-final-newline",
        [8, 7, 0],
        (0, Some("MARLOWE, JOHN Q")),
    ),
    oddity(
        "blank lines",
        "lines without columns; counted and listed in the same way",
        "blank-lines",
        [12, 12, 8],
        (0, None),
    ),
    oddity("an empty file", "no lines", "empty", [0, 0, 0], (0, None)),
    oddity(
        "CR LF",
        "one CR before the LF is not part of the line",
        "crlf",
        [8, 8, 0],
        (0, Some("MARLOWE, JOHN Q")),
    ),
    oddity(
        "CR at the end, without LF",
        "not part of the line either",
        "crlf-no-final-newline",
        [8, 7, 0],
        (0, Some("MARLOWE, JOHN Q")),
    ),
    oddity(
        "nothing but CR",
        "a blank line",
        "one-cr",
        [1, 0, 1],
        (0, None),
    ),
    oddity(
        "TAB CR LF",
        "the tab is part of the last column",
        "tab-crlf",
        [3, 3, 0],
        (0, Some("MARLOWE, JOHN Q")),
    ),
    oddity(
        "CR in the middle of a line, or two at its end",
        "an ordinary byte, and white space",
        "lone-cr",
        [7, 7, 2],
        (3, Some("PEM\rBERTON, ANN")),
    ),
    oddity(
        "quotes, backslashes, hash signs",
        "ordinary bytes: nothing is quoted, escaped or a comment",
        "quotes",
        [5, 5, 0],
        (0, Some("\"NIGHTINGALE, JOHN\"")),
    ),
    oddity(
        "0x00 and 0xFF",
        "ordinary bytes",
        "nul-and-ff",
        [9, 9, 0],
        (0, Some("A, \0")),
    ),
    oddity(
        "bytes that are not UTF-8",
        "kept as they are; JSON decodes them as Windows-1252",
        "windows-1252",
        [5, 5, 0],
        (0, Some("PEÑA, JOSÉ")),
    ),
    oddity(
        "a byte order mark",
        "part of the first column; gets a note",
        "bom",
        [2, 2, 0],
        (0, Some("MARLOWE, JOHN Q")),
    ),
    oddity(
        "a line of column names",
        "a line like all others; as the first line, it gets a note",
        "header",
        [3, 3, 0],
        (0, Some("NAME")),
    ),
    oddity(
        "commas, tabs or semicolons between columns",
        "no separators: the row has one column, and is counted and listed in the same way",
        "other-separators",
        [4, 4, 3],
        (0, None),
    ),
    oddity(
        "columns of thousands of bytes",
        "read; a line may have 16 MiB, and for `count` any length",
        "long-line",
        [5, 5, 0],
        (3, Some("VANTERPOOL, DR. EZRA JR.")),
    ),
    oddity(
        "blanks and tabs around names and numbers",
        "not part of them",
        "names",
        [34, 34, 0],
        (14, Some("MOSS, ANN")),
    ),
    oddity(
        "image numbers of 11 digits",
        "the first six digits are listed as a month, and marked as none",
        "old-image-numbers",
        [6, 6, 0],
        (0, Some("MARLOWE, JOHN")),
    ),
];

/// Asserts that `--strict` listed this many rows of the file, up to its limit of 20, and their sum.
#[track_caller]
fn assert_lists_odd_rows(path: &str, odd: u64, errors: &str) {
    let row = format!("fecscan: {path}:");
    let lines = errors.lines().filter(|line| !line.contains(": note: "));
    let (rows, rest): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with(&row));
    assert_eq!(rows.len() as u64, odd.min(20), "{path}: {errors}");
    let sum = match odd {
        0 => None,
        1 => Some("fecscan: 1 row breaks the schema".to_owned()),
        odd => Some(format!("fecscan: {odd} rows break the schema")),
    };
    let found = rest
        .iter()
        .map(|line| line.split(';').next().unwrap().to_owned());
    assert_eq!(found.collect::<Vec<_>>(), Vec::from_iter(sum), "{path}");
}

#[test]
fn each_oddity_is_treated_as_documented() {
    for oddity in &ODDITIES {
        let path = format!("fixtures/{}.txt", oddity.fixture);
        let (line, name) = oddity.name;
        for options in ["", "--io read", "-j 3 --task-size 5", "--simd portable"] {
            let mut command = fecscan(options.split_whitespace());
            command.args([
                "--force",
                "--strict",
                "-f",
                "json",
                "--name",
                &line.to_string(),
                &path,
            ]);
            let ended = run(&mut command);
            let report: Value = serde_json::from_str(&ended.out).unwrap();
            let expected = json!([oddity.lines, { "index": line, "name": name }]);
            assert_eq!(
                json!([report["lines"], report["names"][0]]),
                expected,
                "{path} {options}"
            );
            assert_eq!(ended.status, i32::from(oddity.odd > 0), "{path} {options}");
            assert_lists_odd_rows(&path, oddity.odd, &ended.err);
        }
        let count = run_with(&format!("count {path}"));
        assert_eq!(count.out, format!("{} {path}\n", oddity.newlines));
    }
}

/// Names may begin with one.
#[test]
fn a_byte_order_mark_in_a_row_gets_a_note() {
    let note = "fecscan: fixtures/bom.txt: note: begins with a byte-order mark, which is part of its first value; \
                remove the mark: tail -c +4\n";
    for (options, has_note) in [
        ("count", true),
        ("by STATE --io read", true),
        ("by '#10' --delimiter '|'", true),
        ("by '#10' --delimiter '|' --header", false),
    ] {
        let ended = shell(&format!("$F {options} -f json fixtures/bom.txt"));
        let expected = if has_note { note } else { "" };
        assert_eq!(
            (ended.status, ended.err.as_str()),
            (0, expected),
            "{options}"
        );
    }
}

#[test]
fn the_documentation_has_the_table_of_the_dialect() {
    const HEAD: &str = "| in the file | what is done | fixture |\n|---|---|---|\n";
    let _lock = lock();
    let text = fs::read_to_string("docs/dialect.md").unwrap();
    let (before, rest) = text.split_once(HEAD).expect(HEAD);
    let (_, after) = rest.split_once("\n\n").unwrap();
    let rows = ODDITIES.iter().map(|oddity| {
        let Oddity {
            what,
            done,
            fixture,
            ..
        } = oddity;
        format!("| {what} | {done} | `{fixture}` |\n")
    });
    let table: String = rows.collect();
    assert_stored(
        "docs/dialect.md",
        &format!("{before}{HEAD}{table}\n{after}"),
    );
}

#[test]
fn every_fixture_is_described() {
    let readme = fs::read_to_string("fixtures/README.md").unwrap();
    for (name, _) in fixtures() {
        let described = readme.contains(&format!("`{name}`"));
        assert!(described, "fixtures/README.md: describe `{name}` in a row");
    }
}
