//! Conditions as they are typed: names of columns, values, and what is wrong with them.

use std::fs;

use serde_json::Value;

use crate::common::archives::gzip;
use crate::common::program::{Ended, fecscan, run, run_with};

fn count(condition: &str, path: &str) -> Ended {
    run(&mut fecscan(["count", "--where", condition, path]))
}

#[test]
fn columns_have_names_aliases_and_numbers_in_conditions() {
    let path = "fixtures/generated.txt";
    let expected = count("TRANSACTION_AMT >= 250", path);
    assert_eq!(expected.status, 0, "{}", expected.err);
    for column in [
        "amount",
        "AMOUNT",
        "transaction_amt",
        "\"TRANSACTION_AMT\"",
        "indiv.amount",
        "#15",
    ] {
        let found = count(&format!("{column}>=250"), path);
        assert_eq!(found, expected, "{column}");
    }
}

/// What means the same has the same answer, in whatever form it is written.
#[test]
fn conditions_are_written_in_several_ways() {
    let path = "fixtures/generated.txt";
    let name = fs::read_to_string(path).unwrap();
    let name = name.split('|').nth(7).unwrap();
    let is_name = format!("NAME = '{name}'");
    for (plain, others) in [
        (
            "STATE IN ('CA', 'NY')",
            &[
                "STATE='CA'OR state='NY'",
                "(state)in('NY','CA','CA')",
                "STATE ~ '^(CA|NY)$'",
                "CASE STATE WHEN 'CA' THEN true WHEN 'NY' THEN true ELSE false END",
                "NOT (STATE <> 'CA' AND STATE != 'NY')",
                "STATE = 'CA' -- California\nOR STATE = 'NY'",
            ][..],
        ),
        (
            "STATE <> 'CA'",
            &["STATE != 'CA'", "NOT STATE = 'CA'", "STATE NOT IN ('CA')"],
        ),
        (
            "NAME LIKE 'S%'",
            &[
                "starts_with(NAME, 'S')",
                "NAME ~ '^S'",
                "left(NAME, 1) = 'S'",
                "NAME[1] = 'S'",
                "NAME >= 'S' AND NAME < 'T'",
            ],
        ),
        (
            "NAME NOT LIKE '%S%'",
            &["NOT contains(NAME, 'S')", "strpos(NAME, 'S') = 0"],
        ),
        (
            "amount >= 250",
            &[
                "amount >= 250.000",
                "250 <= amount",
                "amount >= '250'",
                "NOT amount < 250",
                "amount > 249.995",
                "amount - 250 >= 0",
                "amount BETWEEN 250 AND 99999999999",
            ],
        ),
        (
            "date BETWEEN '2018-01-01' AND '2018-12-31'",
            &[
                "year(date) = 2018",
                "date >= DATE '2018-01-01' AND date <= '2018-12-31'",
                "strftime(date, '%Y') = '2018'",
            ],
        ),
        ("true", &["1 = 1", "STATE = STATE", "length(NAME) >= 0"]),
        (
            &is_name,
            &["NAME IN ('{}')", "'{}' = NAME", "NAME LIKE '{}'"],
        ),
    ] {
        let expected = count(plain, path);
        assert_eq!((expected.status, &*expected.err), (0, ""), "{plain}");
        assert!(!expected.out.starts_with("0 "), "{plain}");
        for other in others {
            let other = other.replace("{}", name);
            assert_eq!(count(&other, path), expected, "{other}");
        }
    }
}

/// A condition that nothing meets is often a slip. The answer stands.
#[test]
fn a_condition_that_no_line_meets_gets_a_note() {
    let note = "fecscan: note: no line meets the conditions; ";
    for command in ["", "count ", "-f json "] {
        let ended = run_with(&format!(
            "{command}--where STATE='California' fixtures/generated.txt"
        ));
        assert_eq!(ended.status, 0);
        assert!(ended.err.starts_with(note), "{command}: {}", ended.err);
    }
    let ended = run_with("count --where STATE='CA' fixtures/empty.txt");
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
        ("date = '2018-04-12'", 3),
        ("date <> '2018-04-12'", 1),
        ("date IN ('2018-04-12', '2018-04-13')", 4),
        ("date IS NULL", 2),
        ("date IS DISTINCT FROM '2018-04-12'", 3),
        ("date >= '2018-04-12'", 4),
        ("date + 1 = '2018-04-13'", 3),
    ] {
        let ended = count(condition, &at("itcont.txt"));
        assert!(
            ended.out.starts_with(&format!("{lines} ")),
            "{condition}: {ended:?}"
        );
    }
}

/// One note counts the rows that are left out only because a condition is NULL.
#[test]
fn a_note_counts_rows_for_which_a_condition_is_null() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let row = |state: &str, date: &str, amount: &str| {
        format!("{}{state}||||{date}|{amount}||||||\n", "|".repeat(9))
    };
    let rows = [
        row("CA", "04122018", "10"),
        row("CA", "", "10"),
        row("CA", "13992018", "1,000"),
        row("NY", "04122018", ""),
        row("NY", "", "10"),
    ];
    fs::write(&path, rows.concat()).unwrap();
    let path = path.to_str().unwrap();
    for (condition, lines, nulls) in [
        ("amount = 10", 3, 2),
        ("amount <> 10", 0, 2),
        ("NOT (amount = 10)", 0, 2),
        ("amount = 10 AND STATE = 'CA'", 2, 1),
        ("amount = 10 AND date = '2018-04-12'", 1, 4),
        ("amount = 10 OR STATE = 'CA'", 4, 1),
        ("amount IS NULL", 2, 0),
        ("coalesce(amount, 0) < 10", 2, 0),
        ("(amount > 5) IS NOT TRUE", 2, 0),
        ("amount = NULL", 0, 5),
    ] {
        let ended = count(condition, path);
        let note = match nulls {
            0 => String::new(),
            1 => "1 line is left out because a condition is NULL there".to_owned(),
            _ => format!("{nulls} lines are left out because a condition is NULL there"),
        };
        assert_eq!(ended.out, format!("{lines} {path}\n"), "{condition}");
        let notes = ended.err.lines().filter(|line| line.contains("NULL"));
        assert_eq!(notes.count(), usize::from(nulls > 0), "{}", ended.err);
        assert!(ended.err.contains(&note), "{condition}: {}", ended.err);
    }
}

/// The value of a row that can't be known ends the run, and no answer is silently a wrong one.
#[test]
fn a_value_that_can_not_be_known_is_an_error() {
    let path = "fixtures/generated.txt";
    for (condition, message) in [
        (
            "CAST(CITY AS INTEGER) > 1",
            " of a row is not of type INTEGER; TRY_CAST makes NULL of such values",
        ),
        (
            "CITY::DATE > '2018-01-01'",
            " of a row is not of type DATE; TRY_CAST makes NULL of such values",
        ),
        ("STATE = 'CA' OR CAST(CITY AS INTEGER) > 1", ""),
        ("NOT (STATE = 'CA' OR CAST(CITY AS INTEGER) > 1)", ""),
        ("CAST(CITY AS INTEGER) > 1 AND STATE <> 'none'", ""),
    ] {
        for command in [
            &["count"][..],
            &["by", "STATE"],
            &["report"],
            &["export"],
            &["count", "-j3", "--task-size", "100"],
        ] {
            let mut asked = fecscan(command);
            let ended = run(asked.args(["--where", condition, path]));
            assert_eq!(ended.status, 2, "{condition}: {ended:?}");
            assert!(ended.err.contains(message), "{condition}: {}", ended.err);
            assert!(
                ended.out.is_empty() || command == ["export"],
                "{condition}: {}",
                ended.out
            );
        }
    }
    // Other conditions choose the rows for it first, and TRY_CAST gives NULL.
    for condition in [
        "CAST(CITY AS INTEGER) > 1 AND STATE = 'none'",
        "TRY_CAST(CITY AS INTEGER) > 1",
    ] {
        let ended = count(condition, path);
        assert_eq!(
            (ended.status, &*ended.out),
            (0, "0 fixtures/generated.txt\n")
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
        "count --schema indiv --where #1='x' {} {}",
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
        "count --schema indiv -f json --where #1='x' {}",
        path("a")
    ));
    let found: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!([&found["lines"], &found["lines_scanned"]], [2, 3]);
}

#[test]
fn conditions_that_are_wrong_are_usage_errors() {
    for condition in [
        "",
        " ",
        "STATE =",
        "= 'CA'",
        "STATE ! 'CA'",
        "STATE = 'CA",
        "STATE = 'CA'X",
        "STATE = 'CA' AND",
        "(STATE = 'CA'",
        "STATE = 'CA')",
        "STATE = 'CA', 'NY'",
        "STATE IN ()",
        "amount >",
        "NAME LIKE",
        "SELECT 1",
        "STATE = 'CA'; STATE = 'NY'",
        "STATE ^= 'C'",
    ] {
        // Nothing is read before.
        for arguments in [
            &["fixtures/plain.txt"][..],
            &["count", "fixtures/plain.txt"],
            &["count", "missing"],
        ] {
            let ended = run(fecscan(arguments).args(["--where", condition]));
            assert_eq!((ended.status, &*ended.out), (2, ""), "{condition}");
            let is_of_place = ended.err.starts_with("fecscan: line 1, column ");
            let shows_it = ended.err.contains(&format!("\n  {condition}\n"));
            let is_empty = condition.trim().is_empty();
            assert!(is_of_place && shows_it || is_empty, "{}", ended.err);
        }
    }
    let path = "fixtures/plain.txt";
    for (condition, message) in [
        (
            "STATE = CA",
            "line 1, column 9: no column CA in indiv; a text takes single quotes: 'CA'",
        ),
        (
            "STAT = 'CA'",
            "line 1, column 1: no column STAT in indiv; did you mean STATE?",
        ),
    ] {
        let ended = count(condition, path);
        assert_eq!((ended.status, &*ended.out), (2, ""));
        let expected = format!("fecscan: {path}: {message}\n  {condition}\n");
        assert!(ended.err.starts_with(&expected), "{}", ended.err);
    }
    for condition in [
        "amuont > 5",
        "#22 = 'x'",
        "#0 = 'x'",
        "CAND_NAME = 'x'",
        "date >= 2018",
        "date >= '2018'",
        "date = '2018-02-30'",
        "amount < '2018-01-31'",
        "amount = 'x'",
        "amount = '1,000'",
        "NAME ~ '('",
        "NAME NOT LIKE 5",
        "STATE IS NULL",
        "NAME",
        "amount",
        "sum(amount) > 5",
        "zip5(date) = 'x'",
        "month(NAME) = 1",
        "monht(date) = 1",
        "ZIP_CODE > 5",
        "cm.CMTE_NM = 'x'",
        "STATE IN (SELECT 'CA')",
    ] {
        for command in [&["count"][..], &[]] {
            let ended = run(fecscan(command).args(["--where", condition, path]));
            assert_eq!((ended.status, &*ended.out), (2, ""), "{condition}");
            assert!(
                ended
                    .err
                    .starts_with(&format!("fecscan: {path}: line 1, column ")),
                "{condition}: {}",
                ended.err
            );
        }
    }
    // Columns are those of the schema, which the name of the file tells.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cm.txt");
    fs::write(&path, "C00990001|NAME\n").unwrap();
    let path = path.to_str().unwrap();
    assert!(count("CMTE_NM = 'NAME'", path).out.starts_with("1 "));
    let ended = count("EMPLOYER = 'x'", path);
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.contains("no column EMPLOYER in cm"),
        "{}",
        ended.err
    );
}
