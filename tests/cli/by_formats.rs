//! The formats of `fecscan by`, and where they go.

use std::fs;

use serde_json::{Value, json};

use crate::cli::{PLAIN, done};
use crate::common::program::{Ended, assert_fails, fecscan, on_a_terminal, run, run_with};

/// Splits CSV as RFC 4180 says.
fn parse_csv(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = text.iter().copied().peekable();
    let mut is_quoted = false;
    while let Some(byte) = bytes.next() {
        match (byte, is_quoted) {
            (b'"', true) if bytes.next_if_eq(&b'"').is_some() => field.push(b'"'),
            (b'"', _) => is_quoted = !is_quoted,
            (b',', false) => row.push(std::mem::take(&mut field)),
            (b'\n', false) => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            (byte, _) => field.push(byte),
        }
    }
    assert!(
        row.is_empty() && field.is_empty() && !is_quoted,
        "the last row ends"
    );
    rows
}

#[test]
fn json_csv_and_tsv_hold_the_same_groups() {
    for fixture in [
        "quotes",
        "windows-1252",
        "generated-hostile",
        "names",
        "nul-and-ff",
    ] {
        let question = format!(
            "by NAME,month(date) --sum amount --agg count(DISTINCT~committee),max(date) --top 50 fixtures/{fixture}.txt"
        );
        let printed = |format: &str| {
            let words = question.split(' ').map(|word| word.replace('~', " "));
            let mut command = fecscan(words);
            let ended = command.args(["-f", format]).output().unwrap();
            assert!(ended.status.success());
            ended.stdout
        };
        let json: Value = serde_json::from_slice(&printed("json")).unwrap();
        let rows = parse_csv(&printed("csv"));
        let names: Vec<_> = rows[0]
            .iter()
            .map(|name| String::from_utf8(name.clone()).unwrap())
            .collect();
        let expected = [
            "NAME",
            "month(date)",
            "count",
            "sum(amount)",
            "count(DISTINCT committee)",
            "max(date)",
        ];
        assert_eq!(names, expected);
        let objects = rows[1..].iter().map(|row| {
            let pairs = names
                .iter()
                .zip(row)
                .enumerate()
                .map(|(nth, (name, field))| {
                    let text = fecscan::render::decoded(field).into_owned();
                    let value = match nth {
                        0 => json!(text),
                        _ if field.is_empty() => Value::Null,
                        5 => json!(text),
                        _ => serde_json::from_str(&text).unwrap(),
                    };
                    (name.clone(), value)
                });
            Value::Object(pairs.collect())
        });
        assert_eq!(json, Value::Array(objects.collect()), "{fixture}");
        assert!(json.as_array().unwrap().len() > 3, "{fixture}");

        let tsv = printed("tsv");
        let lines: Vec<_> = tsv.split(|&b| b == b'\n').collect();
        assert_eq!(lines.len() - 1, rows.len(), "{fixture}");
        for (line, row) in lines.iter().zip(&rows) {
            let first = line.split(|&b| b == b'\t').next().unwrap();
            let plain = !row[0].iter().any(|byte| b"\t\r\\".contains(byte));
            assert!(!plain || first == row[0], "{fixture}: {line:?}");
        }
    }
}

#[test]
fn markdown_is_a_table() {
    let expected = "\
| EMPLOYER | count | min(amount) |
|---|---|---|
| \"\" | 1 | 50.00 |
| \"NOT EMPLOYED | 1 | 50.00 |
| #VALUE! | 1 | 50.00 |
";
    let ended =
        run_with("by EMPLOYER --agg min(amount) --sort EMPLOYER -f md --top 3 fixtures/quotes.txt");
    assert_eq!(ended, done(expected));
}

#[test]
fn a_terminal_gets_bars_short_keys_and_no_bytes_that_play_tricks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let long = "X".repeat(70);
    let names = ["EVIL\x1b]0;title\x07\u{202e}", &long, "PE\u{d1}A"];
    let row = |name: &&str| format!("C00990001|N|M4|P|I|15|IND|{name}|C|CA|Z|E|O|D|10||T|1|||2\n");
    fs::write(&path, names.iter().map(row).collect::<String>()).unwrap();
    let path = path.display();
    let ended = on_a_terminal(&format!("stty cols 60; $F by NAME --sum amount {path}"));
    assert_eq!(ended.status, 0);
    for expected in ["\x1b[1mNAME ", "█", r"EVIL\x1b]0", "…  ", "PE\u{d1}A"] {
        assert!(ended.out.contains(expected), "{expected}: {}", ended.out);
    }
    assert!(
        !ended.out.contains('\u{202e}') && !ended.out.contains(&long),
        "{}",
        ended.out
    );
    let table = ended
        .out
        .lines()
        .skip_while(|line| !line.contains("NAME"))
        .take(4);
    for line in table {
        let shown = line.replace("\x1b[1m", "").replace("\x1b[0m", "");
        assert!(shown.trim_end().chars().count() <= 60, "{shown}");
    }
    let wide = on_a_terminal(&format!("stty cols 200; $F by NAME {path}"));
    assert!(wide.out.contains(&long), "{}", wide.out);
    let piped = run_with(&format!("by NAME --color always {path}"));
    assert!(
        piped.out.contains("EVIL\x1b]0;title\x07") && piped.out.contains(&long),
        "{}",
        piped.out
    );
    for format in ["csv", "tsv", "json", "md"] {
        let ended = on_a_terminal(&format!("$F by NAME -f {format} {path}"));
        assert!(
            ended.out.contains("EVIL") && !ended.out.contains(['\x1b', '\u{202e}']),
            "{}",
            ended.out
        );
    }
}

/// Prints states as for a terminal. A `~` is a blank of an option.
fn terminal(options: &str) -> Ended {
    let words = format!("by STATE --color always {options} {PLAIN}");
    let words = words.split_whitespace().map(|word| word.replace('~', " "));
    run(&mut fecscan(words))
}

#[test]
fn bars_are_those_of_the_order() {
    let bars = |options: &str| {
        let ended = terminal(options);
        let lines = ended
            .out
            .lines()
            .filter(|line| line.starts_with(['O', 'W']));
        lines
            .map(|line| line.matches('█').count())
            .collect::<Vec<_>>()
    };
    assert_eq!(bars(""), [40, 5]);
    assert_eq!(bars("--sum amount"), [40, 5]);
    assert_eq!(bars("--sum amount --sort sum(amount)~DESC"), [40, 5]);
    assert_eq!(bars("--sum amount --sort 3"), [5, 40]);
    assert_eq!(bars("--agg avg(amount)~AS~mean --sort mean~DESC"), [40, 35]);
    // A negative value has no bar. The first aggregate has the bars, if no other is that of the order.
    assert_eq!(bars("--agg max(amount),min(amount)"), [40, 8]);
    assert_eq!(bars("--agg min(amount)"), [40, 0]);
}

/// Readers take unnamed bars beside a sum for the sum.
#[test]
fn bars_beside_aggregates_have_the_name_of_what_they_show() {
    let header = |options: &str| {
        let ended = terminal(options);
        let mut lines = ended.out.lines();
        let header = lines.find(|line| line.contains("STATE ")).unwrap();
        header.trim_end_matches("\x1b[0m").to_owned()
    };
    assert!(header("").ends_with("count     share"));
    for (options, name) in [
        ("--sum amount", "sum(amount)     share  sum(amount)"),
        ("--sum amount --sort count", "sum(amount)  count"),
        (
            "--sum #15 --agg max(amount)~AS~most --sort most",
            "most  most",
        ),
        // Dates have no length.
        ("--agg max(date) --sort max(date)", "max(date)   count"),
    ] {
        let header = header(options);
        assert!(header.ends_with(name), "{options}: {header}");
    }
}

#[test]
fn lines_of_json_are_the_objects_of_the_array() {
    let arguments = format!("STATE,NAME --sum amount --agg max(date) {PLAIN}");
    let lines = run_with(&format!("by -f ndjson {arguments}")).out;
    let array = run_with(&format!("by -f json {arguments}")).out;
    let objects: Vec<_> = lines.lines().collect();
    assert!(objects.len() > 2);
    assert_eq!(format!("[\n{}\n]\n", objects.join(",\n")), array);
}

#[test]
fn results_go_to_files_whole() {
    let directory = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.json", "json"),
        ("a.jsonl", "ndjson"),
        ("a.csv", "csv"),
        ("a.md", "markdown"),
        ("a.txt", "text"),
    ] {
        let path = directory.path().join(name);
        let ended = run_with(&format!("by STATE,NAME -o {} {PLAIN}", path.display()));
        assert_eq!(ended, done(""));
        let printed = run_with(&format!("by STATE,NAME -f {format} {PLAIN}"));
        assert_eq!(fs::read_to_string(path).unwrap(), printed.out);
    }
    let ended = run_with(&format!(
        "by STATE -o {} {PLAIN}",
        directory.path().join("a.png").display()
    ));
    assert_eq!(ended.status, 2);
    assert!(
        ended
            .err
            .contains("the name says png, a format that this command lacks"),
        "{}",
        ended.err
    );
    let ended = run_with(&format!("by STATE -o /dev/full {PLAIN}"));
    assert_fails(
        ended,
        2,
        "/dev/full: can't be written: No space left on device",
    );
}
