//! `fecscan diff`.

use std::fs;

use super::done;
use crate::common::program::{run_with, shell};

const GENERATED: &str = "fixtures/generated.txt";

#[test]
fn people_get_the_numbers_of_rows() {
    let with_plain = format!("{GENERATED} {GENERATED},fixtures/plain.txt");
    let text = "+ added      8\n- removed    0\n~ changed    0\n= equal    100\n";
    assert_eq!(run_with(&format!("diff {with_plain}")), done(text));
    let markdown = "| change | rows |\n|---|---|\n| + | 8 |\n| - | 0 |\n| \\~ | 0 |\n| = | 100 |\n";
    let ended = run_with(&format!("diff -f markdown {with_plain}"));
    assert_eq!(ended, done(markdown));
}

#[test]
fn programs_get_the_rows_that_differ() {
    let note = "fecscan: note: rows: 8 added, 100 removed, 0 changed, 0 equal\n";
    let files = format!("{GENERATED} fixtures/plain.txt");
    let export = |options: &str, file: &str| run_with(&format!("export {options} {file}")).out;
    for (format, options, prefix) in [
        ("csv", "--columns NAME,SUB_ID", ["+,", "-,"]),
        ("tsv", "--where amount>50", ["+\t", "-\t"]),
        (
            "ndjson",
            "--types typed --columns amount,year(date)",
            ["{\"change\":\"+\",", "{\"change\":\"-\","],
        ),
    ] {
        let options = format!("-f {format} {options}");
        let ended = run_with(&format!("diff {options} {files}"));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let mut lines = ended.out.lines();
        if format != "ndjson" {
            assert!(lines.next().unwrap().starts_with("change"));
        }
        let mut expected = Vec::new();
        for (file, sign) in ["fixtures/plain.txt", GENERATED].iter().zip(prefix) {
            let rows = export(&options, file);
            let rows = rows.lines().skip(usize::from(format != "ndjson"));
            expected.extend(rows.map(|row| format!("{sign}{}", row.trim_start_matches('{'))));
        }
        assert!(!expected.is_empty());
        assert_eq!(lines.collect::<Vec<_>>(), expected, "{options}");
        assert!(ended.err.contains("note: rows: "), "{}", ended.err);
    }
    let ended = run_with(&format!("diff -f json --columns NAME {files}"));
    let rows: Vec<serde_json::Value> = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((rows.len(), ended.err), (108, note.to_owned()));
    assert_eq!(rows[0]["change"], "+");
    let directory = tempfile::tempdir().unwrap();
    for name in ["x.parquet", "x.arrow", "x.xlsx"] {
        let path = directory.path().join(name);
        let ended = run_with(&format!("diff {files} -o {}", path.display()));
        assert_eq!(ended.err, note, "{name}");
        assert!(path.exists(), "{name}");
    }
}

#[test]
fn rows_that_differ_are_of_files() {
    for (arguments, message) in [
        (
            "-f csv fixtures/plain.txt -",
            "-: can be read once, and the rows that differ take two passes; name a file, or count the rows: -f text",
        ),
        (
            "--columns NAME fixtures/plain.txt fixtures/plain.txt",
            "--columns chooses columns of rows, and the result is counts; leave it out, or add -f csv",
        ),
        (
            "--old fixtures/plain.txt fixtures/plain.txt",
            "--old adds rows, and the result is counts; leave it out, or add -f csv",
        ),
        (
            "-f parquet --key NAME --columns nothing fixtures/plain.txt fixtures/plain.txt",
            "nothing",
        ),
    ] {
        let ended = run_with(&format!("diff {arguments}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{arguments}");
        assert!(ended.err.contains(message), "{}", ended.err);
    }
}

#[test]
fn conditions_choose_rows_of_both_versions() {
    let files = format!("--where STATE='none' {GENERATED} {GENERATED}");
    let ended = run_with(&format!("diff {files}"));
    assert_eq!(
        ended.out,
        "+ added    0\n- removed  0\n~ changed  0\n= equal    0\n"
    );
    let ended = run_with(&format!("diff {files} -f csv --columns NAME"));
    assert_eq!(ended.out, "change,NAME\n");
}

#[test]
fn double_and_missing_keys_are_noted() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().display();
    let row = |name: &str, id: u32| format!("{}{name}{}{id}\n", "|".repeat(7), "|".repeat(13));
    let (a, b, c) = (row("A", 1), row("B", 2), row("C", 3));
    fs::write(
        directory.path().join("itcont.txt"),
        format!("{a}{a}\n{b}|x\n{c}"),
    )
    .unwrap();
    fs::write(
        directory.path().join("itcont,2.txt"),
        format!("{c}{}{b}{b}", row("D", 1)),
    )
    .unwrap();
    let ended = run_with(&format!("diff {folder}/itcont.txt {folder}/itcont,2.txt"));
    assert_eq!(
        ended.out,
        "+ added    0\n- removed  0\n~ changed  1\n= equal    3\n"
    );
    assert_eq!(
        ended.err,
        "fecscan: note: 2 rows of the old version have more or fewer columns than the schema, so values may stand in \
         other columns\n\
         fecscan: note: 2 rows of the old version have no SUB_ID, compared with none\n\
         fecscan: note: 1 value of SUB_ID stands in several rows of the old version: 1\n\
         fecscan: note: 1 value of SUB_ID stands in several rows of the new version: 2\n"
    );
    let ended = shell(&format!(
        "$F diff --schema indiv - {folder}/itcont,2.txt < {folder}/itcont.txt"
    ));
    assert_eq!(
        ended.out,
        "+ added    0\n- removed  0\n~ changed  1\n= equal    3\n"
    );
    assert!(
        ended
            .err
            .contains("1 value of SUB_ID stands in several rows of the old version\n")
    );
}

#[test]
fn a_version_that_cannot_be_read_gives_no_result() {
    for arguments in [
        "nowhere.txt fixtures/plain.txt",
        "fixtures/plain.txt fixtures/plain.txt,nowhere.txt",
    ] {
        let ended = run_with(&format!("diff {arguments}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{arguments}");
        assert!(ended.err.contains("nowhere.txt"), "{}", ended.err);
    }
    let ended = run_with("diff fixtures/plain.txt");
    assert_eq!((ended.status, &*ended.out), (2, ""));
    assert!(ended.err.contains("takes two versions"), "{}", ended.err);
    let ended = run_with("diff --key nothing fixtures/plain.txt fixtures/plain.txt");
    assert_eq!((ended.status, &*ended.out), (2, ""));
}
