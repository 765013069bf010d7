//! Conditions as they are typed: names of columns, values, and what is wrong with them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::archives::gzip;
use crate::common::program::{assert_usage_error, fecscan, run, run_with};

#[test]
fn columns_have_names_aliases_and_numbers_in_conditions() {
    let path = "fixtures/generated.txt";
    let expected = run_with(&format!("count --where TRANSACTION_AMT>=250 {path}"));
    assert_eq!(expected.status, 0, "{}", expected.err);
    for column in ["amount", "AMOUNT", "transaction_amt", "#15", "15"] {
        let found = run_with(&format!("count --where {column}>=250 {path}"));
        assert_eq!(found, expected, "{column}");
    }
}

/// Blanks and quotes around values are no part of them. Quotes protect commas.
#[test]
fn values_are_typed_in_several_ways() {
    let path = "fixtures/generated.txt";
    let count = |condition: &str| {
        let ended = run(&mut fecscan(["count", "--where", condition, path]));
        // A blank after a comma gets a note: most often it is one within a name.
        let has_note = condition.contains("CA, NY");
        assert_eq!(
            (ended.status, ended.err.contains("a comma separates values")),
            (0, has_note),
            "{condition}"
        );
        assert!(
            has_note || ended.err.is_empty(),
            "{condition}: {}",
            ended.err
        );
        ended.out
    };
    let name = fs::read_to_string(path).unwrap();
    let name = name.split('|').nth(7).unwrap();
    for (plain, others) in [
        (
            "STATE=CA,NY",
            vec!["STATE = CA, NY", "STATE=\"CA\",'NY'", "STATE= \"CA\" , NY "],
        ),
        ("STATE!=CA", vec!["STATE != CA", "STATE!='CA'"]),
        ("NAME^=S", vec!["NAME ^= S", "NAME^='S'", "NAME ~ ^S"]),
        ("NAME!~S", vec!["NAME !~ S"]),
        ("amount>=250", vec!["amount >= 250"]),
        (&format!("NAME~^{name}$"), vec![&format!("NAME='{name}'")]),
    ] {
        let expected = count(plain);
        assert!(!expected.starts_with("0 "), "{plain}");
        for other in others {
            assert_eq!(count(other), expected, "{other}");
        }
    }
}

/// A condition that nothing meets is often a slip. The answer stands.
#[test]
fn a_condition_that_no_line_meets_gets_a_note() {
    let note = "fecscan: note: no line meets the conditions; ";
    for command in ["", "count ", "-f json "] {
        let ended = run_with(&format!(
            "{command}--where STATE=California fixtures/generated.txt"
        ));
        assert_eq!(ended.status, 0);
        assert!(ended.err.starts_with(note), "{command}: {}", ended.err);
    }
    let ended = run_with("count --where STATE=CA fixtures/empty.txt");
    assert_eq!((ended.status, &*ended.err), (0, ""));
}

/// Dates equal dates, however the file writes them.
#[test]
fn a_date_equals_days_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let row = |date: &str| format!("{}{date}|\n", "|".repeat(13));
    let rows = [
        "04122018",
        " 04122018",
        "04132018",
        "",
        "02302018",
        "2018-04-12",
    ]
    .map(row);
    fs::write(at("itcont.txt"), rows.concat()).unwrap();
    for (condition, lines) in [
        ("date=2018-04-12", 3),
        ("date!=2018-04-12", 3),
        ("date=2018-04-12,2018-04-13,", 5),
        ("date=04122018", 1),
        ("date>=2018-04-12", 4),
    ] {
        let ended = run(&mut fecscan([
            "count",
            "--where",
            condition,
            &at("itcont.txt"),
        ]));
        assert!(
            ended.out.starts_with(&format!("{lines} ")),
            "{condition}: {}",
            ended.out
        );
    }
}

/// The layout is that of `wc -l`, and an unterminated line that matches counts.
#[test]
fn the_count_of_matching_lines_has_the_layout_of_all_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::write(path("a"), "x|1\ny|2\nx|3").unwrap();
    fs::write(path("b"), gzip(b"x\n\n|x\n")).unwrap();
    let ended = run_with(&format!(
        "count --schema indiv --where #1=x {} {}",
        path("a"),
        path("b")
    ));
    let odd = "3 of 3 rows have more or fewer columns than the schema, so values may stand in other columns; 'fecscan info' tells the schema";
    let note = format!("fecscan: note: {odd}\n");
    assert_eq!((ended.status, ended.err), (0, note));
    let lines: Vec<_> = ended.out.lines().map(str::trim_start).collect();
    let expected = [
        format!("2 {}", path("a")),
        format!("1 {}", path("b")),
        "3 total".to_owned(),
    ];
    assert_eq!(lines, expected);
    let ended = run_with(&format!(
        "count --schema indiv -f json --where #1=x {}",
        path("a")
    ));
    let found: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!([&found["lines"], &found["lines_scanned"]], [2, 3]);
}

#[test]
fn conditions_that_are_wrong_are_usage_errors() {
    for (condition, message) in [
        (
            "STATE",
            "the condition 'STATE' has no operator; quote it, because the shell takes < and > for itself; a condition is ",
        ),
        (
            "=CA",
            "the condition '=CA' names no column; a condition is ",
        ),
        (
            "STATE!CA",
            "the condition 'STATE!CA' has no known operator; a condition is ",
        ),
        (
            "STATE^CA",
            "the condition 'STATE^CA' has no known operator; a condition is ",
        ),
        (
            "STATE==CA",
            "the condition 'STATE==CA' has the operator ==; here it is =; ",
        ),
        (
            "STATE<>CA",
            "the condition 'STATE<>CA' has the operator <>; here it is !=; ",
        ),
        (
            "STATE=CA,amount>=9",
            "the condition 'STATE=CA,amount>=9' has the value 'amount>=9', and a value with = < > needs quotes: \"amount>=9\"; for another condition, repeat --where; ",
        ),
        (
            "STATE=\"CA",
            "the condition 'STATE=\"CA' has a quote without its partner; ",
        ),
        (
            "STATE=\"CA\"X",
            "the condition 'STATE=\"CA\"X' has 'X' after a value in quotes; ",
        ),
        (
            "STATE^='C'A",
            "the condition 'STATE^='C'A' has something after its value in quotes; ",
        ),
        (
            "amount>=x",
            "the condition 'amount>=x' compares with a value that is neither ",
        ),
        (
            "amount<",
            "the condition 'amount<' compares with a value that is neither ",
        ),
        (
            "date<2018-02-30",
            "the condition 'date<2018-02-30' compares with a value that ",
        ),
        (
            "NAME~(",
            "the condition 'NAME~(' has a regular expression that fails: ",
        ),
        (
            "NAME!~[",
            "the condition 'NAME!~[' has a regular expression that fails: ",
        ),
    ] {
        for command in ["", "count "] {
            let plain = format!("{command}--where {condition} fixtures/plain.txt");
            assert_usage_error(&plain, message);
        }
        // Nothing is read before.
        assert_usage_error(&format!("--where {condition} missing"), message);
    }
    for (condition, message) in [
        ("STAT=CA", "indiv has no column 'STAT'; did you mean STATE?"),
        (
            "TRANSACTION_AMNT>5",
            "indiv has no column 'TRANSACTION_AMNT'; did you mean TRANSACTION_AMT?",
        ),
        (
            "amuont>5",
            "indiv has no column 'amuont'; did you mean amount?",
        ),
        (
            "#22=x",
            "indiv has no column '#22'; 'fecscan columns indiv' lists its 21 columns",
        ),
        (
            "#0=x",
            "indiv has no column '#0'; 'fecscan columns indiv' lists its 21 columns",
        ),
        ("CAND_NAME=x", "indiv has no column 'CAND_NAME'; "),
        (
            "date>=2018",
            "TRANSACTION_DT holds dates, and is compared with a number; ",
        ),
        (
            "amount<2018-01-31",
            "TRANSACTION_AMT holds no dates, and is compared with one; ",
        ),
    ] {
        for command in ["", "count "] {
            let path = "fixtures/plain.txt";
            let arguments = format!("{command}--where {condition} {path}");
            assert_usage_error(&arguments, &format!("{path}: {message}"));
        }
    }
    // Columns are those of the schema, which the name of the file tells.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cm.txt");
    fs::write(&path, "C00990001|NAME\n").unwrap();
    let count =
        |condition: &str, path: &Path| run(fecscan(["count", "--where", condition]).arg(path));
    assert!(count("CMTE_NM=NAME", &path).out.starts_with("1 "));
    let message = format!("fecscan: {}: cm has no column 'EMPLOYER'; ", path.display());
    let ended = count("EMPLOYER=x", &path);
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(ended.err.starts_with(&message), "{}", ended.err);
}
