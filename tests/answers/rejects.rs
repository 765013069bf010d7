//! `--rejects` writes every row that breaks the schema as CSV. Read back, the rows
//! must be the twin's.

use std::fs;
use std::path::Path;

use crate::common::program::{assert_fails, fecscan, run, run_with, shell};
use crate::common::run::fixtures;
use crate::common::twin;
use serde_json::{Value, json};

/// Returns the rows of `bytes` without `expected` columns, as the CSV should have them.
fn odd_rows(path: &str, bytes: &[u8], expected: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut byte = 0;
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for (number, line) in (1..).zip(whole.split(|&b| b == b'\n')) {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        let columns = twin::columns(text).len();
        if columns != expected && !bytes.is_empty() {
            let numbers = [number, byte, columns].map(|number: usize| number.to_string());
            let latin1: String = text.iter().map(|&b| char::from(b)).collect();
            rows.push(json!([path, numbers[0], numbers[1], numbers[2], latin1]));
        }
        byte += line.len() + 1;
    }
    rows
}

/// Reads the CSV at `path` with the crate csv, one character a byte.
fn read_csv(path: &Path) -> Vec<Value> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.has_headers(false).from_path(path).unwrap();
    let text = |field: &[u8]| {
        field
            .iter()
            .map(|&byte| char::from(byte))
            .collect::<String>()
    };
    let rows = reader
        .byte_records()
        .map(|row| json!(row.unwrap().iter().map(text).collect::<Vec<_>>()));
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows[0], json!(["file", "line", "byte", "columns", "text"]));
    rows[1..].to_vec()
}

#[test]
fn all_rows_that_break_the_schema_are_there_in_the_order_of_the_input() {
    let directory = tempfile::tempdir().unwrap();
    let rejects = directory.path().join("odd.csv");
    let mut paths = Vec::new();
    let mut expected = Vec::new();
    for (name, bytes) in fixtures() {
        let path = format!("fixtures/{name}.txt");
        expected.extend(odd_rows(&path, &bytes, 21));
        paths.push(path);
    }
    for options in [
        "-j 1",
        "-j 4 --task-size 7",
        "-j 8 --task-size 64 --io read",
        "-j 3 --task-size 1000 --simd portable",
    ] {
        let mut command = fecscan(options.split(' '));
        command
            .args(["--force", "-q", "-f", "json", "--rejects"])
            .arg(&rejects)
            .args(&paths);
        let ended = run(&mut command);
        // Without --strict, nothing is listed, and the status stays 0.
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{options}");
        assert_eq!(
            ended.out,
            run(fecscan(["--force", "-f", "json"]).args(&paths)).out
        );
        assert_eq!(read_csv(&rejects), expected, "{options}");
    }
    assert!(expected.len() > 200, "{} rows", expected.len());
}

#[test]
fn rows_of_a_stream_are_kept_although_it_can_not_be_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let rejects = directory.path().join("odd.csv");
    let bytes = fs::read("fixtures/columns.txt").unwrap();
    for threads in [1, 4] {
        let ended = shell(&format!(
            "cat fixtures/columns.txt | $F --rejects {} --strict --task-size 50 -j {threads}",
            rejects.display()
        ));
        assert_eq!(ended.status, 1, "with --strict, it is 1");
        assert!(
            ended.err.contains("16 rows break the schema"),
            "{}",
            ended.err
        );
        assert_eq!(read_csv(&rejects), odd_rows("-", &bytes, 21));
    }
}

/// More rows than a worker keeps in memory, in several files.
#[test]
fn many_rows_of_several_large_files() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let rejects = directory.path().join("odd.csv");
    let mut expected = Vec::new();
    for (nth, name) in ["a.txt", "b.txt"].into_iter().enumerate() {
        let row = |i: usize| format!("{i}|\"{}\r\n", "x,".repeat(i % (40 + nth)));
        let bytes: String = (0..60_000).map(row).collect();
        fs::write(at(name), &bytes).unwrap();
        expected.extend(odd_rows(&at(name), bytes.as_bytes(), 21));
    }
    let mut command = fecscan(["--force", "-j", "4", "--task-size", "3000000", "--rejects"]);
    let ended = run(command.arg(&rejects).args([at("a.txt"), at("b.txt")]));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(expected.len(), 120_000);
    assert!(read_csv(&rejects) == expected);
}

#[test]
fn a_file_without_such_rows_has_the_header_alone() {
    let directory = tempfile::tempdir().unwrap();
    let rejects = directory.path().join("odd.csv");
    let ended = run(fecscan(["fixtures/plain.txt", "--rejects"]).arg(&rejects));
    assert_eq!(ended, run_with("fixtures/plain.txt"));
    assert_eq!(fs::read(rejects).unwrap(), b"file,line,byte,columns,text\n");
}

#[test]
fn an_input_that_fails_adds_no_rows() {
    let directory = tempfile::tempdir().unwrap();
    let rejects = directory.path().join("odd.csv");
    let failing = directory.path().join("long.txt");
    // Two odd rows come before an overlong line.
    fs::write(&failing, ["1|2\n3\n", &"x".repeat(17 << 20)].concat()).unwrap();
    for threads in ["1", "4"] {
        let mut command = fecscan(["-j", threads, "--task-size", "100", "--rejects"]);
        let ended = run(command
            .arg(&rejects)
            .arg(&failing)
            .arg("fixtures/cut-off-row.txt"));
        assert_eq!(ended.status, 2, "{}", ended.err);
        let bytes = fs::read("fixtures/cut-off-row.txt").unwrap();
        assert_eq!(
            read_csv(&rejects),
            odd_rows("fixtures/cut-off-row.txt", &bytes, 21)
        );
    }
    // If no input could be read, the earlier file stays.
    let before = fs::read(&rejects).unwrap();
    assert_eq!(
        run(fecscan(["missing", "--rejects"]).arg(&rejects)).status,
        2
    );
    assert_eq!(fs::read(&rejects).unwrap(), before);
    assert_eq!(
        fs::read_dir(&directory).unwrap().count(),
        2,
        "nothing else is left"
    );
}

#[test]
fn it_is_neither_an_input_nor_the_result() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().display();
    fs::copy("fixtures/plain.txt", directory.path().join("data.txt")).unwrap();
    std::os::unix::fs::symlink("data.txt", directory.path().join("link")).unwrap();
    std::os::unix::fs::symlink("new", directory.path().join("dangling")).unwrap();
    for (arguments, subject, problem) in [
        (
            "--rejects data.txt data.txt",
            "data.txt",
            "is an input, and would be lost as the output",
        ),
        (
            "--rejects link data.txt",
            "link",
            "is an input, and would be lost as the output",
        ),
        (
            "--rejects - data.txt",
            "-",
            "is where the result goes already",
        ),
        (
            "--rejects - -o - data.txt",
            "-",
            "is where the result goes already",
        ),
        (
            "--rejects new -o new data.txt",
            "new",
            "is where the result goes already",
        ),
        (
            "--rejects ./new -o dangling data.txt",
            "./new",
            "is where the result goes already",
        ),
        (
            "--rejects new data.txt > new",
            "new",
            "is where the result goes already",
        ),
    ] {
        let ended = shell(&format!("cd {here}; $F {arguments}"));
        assert_fails(
            ended,
            2,
            &format!("{subject}: {problem}; write to another file"),
        );
        let _ = fs::remove_file(directory.path().join("new"));
    }
    assert_eq!(
        fs::read(directory.path().join("data.txt")).unwrap(),
        fs::read("fixtures/plain.txt").unwrap()
    );
    let ended = shell(&format!(
        "cd {here}; $F data.txt -o /dev/null --rejects /dev/null"
    ));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let ended = shell(&format!(
        "cd {here}; echo '|' | $F --force -o result --rejects -"
    ));
    assert_eq!(
        (ended.status, ended.out.as_str()),
        (0, "file,line,byte,columns,text\n-,1,0,2,|\n")
    );
}

#[test]
fn a_file_that_can_not_be_written_is_an_error_and_the_result_is_there() {
    let ended = run_with("--rejects /dev/full fixtures/cut-off-row.txt");
    assert_eq!(
        (ended.status, ended.out),
        (2, run_with("fixtures/cut-off-row.txt").out)
    );
    assert_eq!(
        ended.err,
        "fecscan: /dev/full: can't be written: No space left on device\n"
    );
    for (path, problem) in [
        (
            "no/such/x",
            "No such file or directory; make its directory first: mkdir -p",
        ),
        ("src/", "Is a directory"),
    ] {
        let ended = run_with(&format!("--rejects {path} fixtures/plain.txt"));
        assert_fails(ended, 2, &format!("{path}: can't be written: {problem}"));
    }
    // A reader that goes away is no error.
    let ended = shell("$F --rejects /dev/stderr fixtures/cut-off-row.txt 2>&1 >/dev/null | true");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}
