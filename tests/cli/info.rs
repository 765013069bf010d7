//! `fecscan info`.

use std::fs;

use serde_json::Value;

use crate::cli::PLAIN;
use crate::common::program::{assert_fails, fecscan, json_of, run_with, shell};

/// Returns the columns of the one part of a file.
fn columns(info: &Value) -> &Vec<Value> {
    let parts = info[0]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 1);
    parts[0]["columns"].as_array().unwrap()
}

/// Splits the lines once more, without the program.
#[test]
fn columns_have_the_first_values_and_the_longest_width_of_the_rows() {
    let text = fs::read_to_string(PLAIN).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('|').collect()).collect();
    let info = json_of(&mut fecscan(["info", "-f", "json", PLAIN]));
    assert_eq!(info[0]["parts"][0]["schema"], "indiv");
    assert_eq!(info[0]["parts"][0]["row_columns"], 21);
    assert_eq!(columns(&info).len(), 21);
    for (at, column) in columns(&info).iter().enumerate() {
        let values: Vec<_> = rows[..3].iter().map(|row| row[at]).collect();
        assert_eq!(column["values"], Value::from(values));
        assert_eq!(column["number"], at + 1);
        let width = rows.iter().map(|row| row[at].len()).max().unwrap();
        assert_eq!(column["width"], width, "{column}");
    }
    assert_eq!(columns(&info)[9]["name"], "STATE");
    assert_eq!(columns(&info)[9]["alias"], "state");
}

#[test]
fn a_packed_file_and_a_pipe_have_the_columns_of_the_plain_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    let plain = json_of(&mut fecscan(["info", "-f", "json", PLAIN]));
    for (format, command) in [
        (
            "gzip",
            format!("gzip -c {PLAIN} > {path}/rows; $F info -f json {path}/rows"),
        ),
        (
            "zstd",
            format!("zstd -q -c {PLAIN} > {path}/rows; $F info -f json {path}/rows"),
        ),
        ("plain", format!("cat {PLAIN} | $F info -f json -")),
    ] {
        let ended = shell(&command);
        let info: Value = serde_json::from_str(&ended.out).expect(&ended.err);
        assert_eq!(info[0]["format"], format);
        assert_eq!(columns(&info), columns(&plain), "{format}");
    }
}

#[test]
fn only_the_beginning_of_a_file_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::copy(PLAIN, &path).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let info = json_of(fecscan(["info", "-f", "json"]).arg(&path));
    assert_eq!(info[0]["bytes"], 1_u64 << 40);
    let plain = json_of(&mut fecscan(["info", "-f", "json", PLAIN]));
    assert_eq!(columns(&info), columns(&plain));
}

#[test]
fn members_are_chosen_and_files_that_fail_do_not_hide_the_others() {
    let archive = "fixtures/indiv18.zip";
    let ended = run_with(&format!("info -f csv --member by_date/* {archive} missing"));
    assert_eq!(ended.status, 2);
    assert!(
        ended.err.contains("missing: No such file or directory"),
        "{ended:?}"
    );
    let members: Vec<_> = ended
        .out
        .lines()
        .filter(|line| line.contains(",CMTE_ID,"))
        .collect();
    assert_eq!(members.len(), 4, "{}", ended.out);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    let cut = shell(&format!(
        "gzip -c {PLAIN} | head -c 100 > {path}/cut.gz; $F info {path}/cut.gz"
    ));
    assert_eq!((cut.status, &*cut.out), (2, ""));
    assert!(
        cut.err
            .contains("cut.gz: ends in the middle of its compressed data"),
        "{cut:?}"
    );
    assert_fails(
        shell("$F info - <&-"),
        2,
        "standard input: Bad file descriptor",
    );
}
