//! `--where` and `--contributions` against the slow twin, which decides conditions by regular
//! expressions and strings.

use std::fs;
use std::path::PathBuf;

use fecscan::by_row;
use fecscan::filter::Filter;
use fecscan::fold::LineCount;
use fecscan::scan::simd::Simd;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::condition::{Condition, Test, words};
use crate::common::program::run_with;
use crate::common::run::{Setting, WAYS, Way, fixtures, settings};
use crate::common::tables::{OPERATORS, condition, table};
use crate::common::twin::{self, Asked};

/// Conditions with every operator, on columns in front, in the middle, at the end, and on columns
/// that many rows lack.
fn every_operator() -> Vec<Vec<Condition>> {
    let mut tests = vec![
        (10, Test::In(words(&["OR"]))),
        (10, Test::In(words(&["WA", "", "CA"]))),
        (21, Test::In(words(&[""]))),
        (7, Test::NotIn(words(&["IND"]))),
        (20, Test::NotIn(words(&["", "X"]))),
        (8, Test::Prefix("MAR".to_owned())),
        (21, Test::Prefix(String::new())),
        (8, Test::Matches("(?i)john".to_owned())),
        (8, Test::Matches("^[A-M]".to_owned())),
        (8, Test::Matches("^MARLOWE, J".to_owned())),
        (13, Test::Matches("^$".to_owned())),
        (8, Test::MatchesNot(", ".to_owned())),
    ];
    for operator in OPERATORS {
        tests.push((15, Test::Number(operator, "50".to_owned())));
        tests.push((14, Test::Date(operator, "2018-04-12".to_owned())));
    }
    tests.push((15, Test::Number("<", "-.5".to_owned())));
    tests.push((15, Test::In(words(&["50.00", "+100", "x", "1e9"]))));
    tests.push((15, Test::NotIn(words(&["50.00", "", "0250"]))));
    tests.push((14, Test::In(words(&["2018-04-12", "", "04132018"]))));
    tests.push((9, Test::With("=", "", 10)));
    tests.push((1, Test::With("!=", "", 16)));
    tests.push((13, Test::With("=", "", 12)));
    for operator in ["=", "!=", "<", "<=", ">", ">="] {
        tests.push((15, Test::With(operator, "", 15)));
        tests.push((14, Test::With(operator, "", 14)));
    }
    tests.push((5, Test::Number(">=", "201805000000000000".to_owned())));
    let mut all: Vec<_> = tests
        .into_iter()
        .map(|(column, test)| vec![Condition::new(column, test)])
        .collect();
    all.extend(every_function());
    all.push(vec![Condition::contributions()]);
    // Several conditions, two of them on one column, not in the order of the columns.
    all.push(vec![
        Condition::new(15, Test::Number(">=", "10".to_owned())),
        Condition::new(8, Test::Matches("A".to_owned())),
        Condition::new(15, Test::Number("<", "1000".to_owned())),
        Condition::contributions(),
    ]);
    // A column, a function of it, and functions that run before and after others.
    all.push(vec![
        Condition::made("first_name", 8, Test::Matches("[AEIOU]".to_owned())),
        Condition::new(8, Test::Matches("A".to_owned())),
        Condition::made("month", 14, Test::Month(">", "2018-01".to_owned())),
        Condition::made("year", 5, Test::NotIn(words(&["2017"]))),
        Condition::new(7, Test::In(words(&["IND"]))),
    ]);
    // Two columns are compared beside other conditions, and as an alternative.
    let same = Condition::made("month", 14, Test::With("=", "month", 5));
    let large = Condition::new(15, Test::Number(">=", "100".to_owned()));
    all.push(vec![same.clone(), large.clone()]);
    all.push(vec![Condition::any(vec![same, large])]);
    all.extend(alternatives());
    all
}

/// Conditions of which one must hold, alone and beside others.
fn alternatives() -> Vec<Vec<Condition>> {
    let is = |column, value: &str| Condition::new(column, Test::In(words(&[value])));
    let large = Condition::new(15, Test::Number(">=", "1000".to_owned()));
    let any = [
        vec![is(10, "CA"), is(10, "NY")],
        vec![is(10, "CA"), large.clone()],
        vec![
            large,
            Condition::new(8, Test::Matches("^MAR".to_owned())),
            Condition::new(1, Test::In(words(&["C00000001", "C00000002"]))),
            Condition::made("month", 14, Test::NotIn(words(&["", "2018-04"]))),
        ],
        vec![
            Condition::new(7, Test::NotIn(words(&["IND"]))),
            Condition::new(20, Test::NotIn(words(&["", "X"]))),
            is(21, ""),
        ],
    ];
    let mut all: Vec<_> = any.map(|any| vec![Condition::any(any)]).into();
    let both = all.iter().flatten().cloned().collect();
    let beside = vec![all[1][0].clone(), Condition::contributions(), is(7, "IND")];
    all.extend([both, beside]);
    all
}

/// Conditions on every function of a column.
fn every_function() -> Vec<Vec<Condition>> {
    let mut tests = vec![
        ("month", 14, Test::In(words(&["2018-04", "2018-05"]))),
        ("month", 14, Test::In(words(&[""]))),
        ("month", 14, Test::NotIn(words(&["", "2018-04"]))),
        ("month", 5, Test::Prefix("2018-0".to_owned())),
        ("month", 14, Test::Matches("-0[1-4]$".to_owned())),
        ("quarter", 14, Test::In(words(&["2018-Q1", "2018-Q2"]))),
        ("quarter", 5, Test::NotIn(words(&["2018-Q2", ""]))),
        ("weekday", 14, Test::In(words(&["6", "7"]))),
        ("weekday", 14, Test::NotIn(words(&["1", ""]))),
        ("day", 14, Test::In(words(&["2018-01-31", ""]))),
        ("week", 5, Test::Prefix("2018-W0".to_owned())),
        ("zip3", 11, Test::NotIn(words(&["900", ""]))),
        ("upper(trim(@))", 12, Test::In(words(&["RETIRED", "NONE"]))),
        ("lower(@)", 9, Test::Prefix("san".to_owned())),
        ("prefix(@,2)", 8, Test::In(words(&["MA", "SM", "DO"]))),
        ("bin(@,50,500)", 15, Test::In(words(&["50 to <500", ""]))),
        ("year", 14, Test::In(words(&["2017", "2018"]))),
        ("year", 5, Test::NotIn(words(&["2018"]))),
        ("zip5", 11, Test::Prefix("9".to_owned())),
        ("zip5", 11, Test::In(words(&[""]))),
        ("first_name", 8, Test::In(words(&["JOHN", "JANE", "MARY"]))),
        ("first_name", 8, Test::Matches("^J".to_owned())),
        ("first_name", 8, Test::MatchesNot("^[A-M]".to_owned())),
        ("first_name", 8, Test::NotIn(words(&[""]))),
        ("last_name", 8, Test::Prefix("MAR".to_owned())),
        ("last_name", 8, Test::Matches("(?i)s$".to_owned())),
    ];
    for operator in ["=", "!=", "<", ">="] {
        tests.push(("month", 14, Test::With(operator, "month", 5)));
    }
    tests.push(("upper(trim(@))", 12, Test::With("=", "upper(@)", 13)));
    tests.push(("first_name", 8, Test::With("!=", "last_name", 8)));
    tests.push(("year", 14, Test::In(words(&["2018.0", "02017"]))));
    for operator in OPERATORS {
        tests.push(("month", 14, Test::Month(operator, "2018-04".to_owned())));
        tests.push(("quarter", 14, Test::Month(operator, "2018-Q2".to_owned())));
        tests.push(("weekday", 14, Test::Number(operator, "5".to_owned())));
        tests.push(("week", 14, Test::Month(operator, "2018-W10".to_owned())));
        tests.push(("day", 5, Test::Month(operator, "2018-03-15".to_owned())));
        tests.push(("len(@)", 8, Test::Number(operator, "15".to_owned())));
        tests.push(("year", 5, Test::Number(operator, "2018".to_owned())));
        tests.push(("zip5", 11, Test::Number(operator, "50000".to_owned())));
    }
    let made = tests
        .into_iter()
        .map(|(function, column, test)| vec![Condition::made(function, column, test)]);
    made.collect()
}

fn filter(conditions: &[Condition]) -> Filter {
    Filter::new(conditions.iter().map(Condition::typed)).unwrap()
}

/// Asserts that the report and the count of `files` are the twin's, in all `settings`.
fn assert_filtered(
    files: &[(PathBuf, Vec<u8>)],
    asked: &Asked,
    conditions: &[Condition],
    settings: &[Setting],
) {
    let texts: Vec<_> = files
        .iter()
        .map(|(path, bytes)| (path.to_str().unwrap(), &bytes[..]))
        .collect();
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
    let expected = twin::filtered_report(&texts, asked, conditions);
    let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
    for setting in settings {
        let engine = setting.engine().with_filter(filter(conditions));
        let found = setting.json(&engine, asked, &paths);
        assert_eq!(found, expected, "{typed:?}: {setting:?}");
        let counted = setting.fold(&engine, &LineCount, &[], &paths).unwrap();
        assert_eq!(
            json!([counted.lines, counted.lines_scanned]),
            json!([expected["lines"], expected["lines_scanned"]]),
            "count: {typed:?}: {setting:?}"
        );
    }
}

#[test]
fn every_operator_chooses_the_lines_of_the_twin_in_every_way_of_working() {
    let files: Vec<_> = fixtures()
        .into_iter()
        .map(|(name, bytes)| (PathBuf::from(format!("fixtures/{name}.txt")), bytes))
        .collect();
    let lines: usize = files.iter().map(|(_, b)| twin::lines_of(b).len()).sum();
    let mut some = 0;
    for conditions in every_operator() {
        let (first, last) = (&files[0].1, &files[files.len() - 1].1);
        assert!(!first.is_empty() && !last.is_empty());
        for transaction_date in [false, true] {
            let asked = Asked {
                names: (0..lines as u64).rev().step_by(3).chain([0, 1]).collect(),
                top: 5,
                transaction_date,
            };
            let settings = if transaction_date {
                settings(&[2], &[700])
            } else {
                settings(&[1, 3], &[64, 5000, 2 << 20])
            };
            assert_filtered(&files, &asked, &conditions, &settings);
        }
        let chosen = files.iter().flat_map(|(_, bytes)| twin::lines_of(bytes));
        let chosen = chosen.filter(|line| conditions.iter().all(|c| c.holds(line)));
        some += usize::from((1..lines).contains(&chosen.count()));
    }
    assert!(some >= 44, "only {some} conditions choose some lines");
}

#[test]
fn tiny_tasks_choose_the_same_lines() {
    let columns = fs::read("fixtures/columns.txt").unwrap();
    let files = [(PathBuf::from("fixtures/columns.txt"), columns)];
    let conditions = [
        Condition::new(10, Test::NotIn(words(&["CA", "NY"]))),
        Condition::new(5, Test::Matches("2018".to_owned())),
    ];
    let asked = Asked {
        names: (0..30).collect(),
        ..Asked::default()
    };
    assert_filtered(
        &files,
        &asked,
        &conditions,
        &settings(&[1, 2, 8], &[1, 2, 3, 7]),
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conditions_choose_the_lines_of_the_twin(
        tables in vec(table(), 1..4),
        conditions in vec(condition(), 1..4),
        task_bytes in prop_oneof![1..300_u64, Just(1 << 20)],
        threads in 1..4_usize,
        transaction_date in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let files: Vec<_> = tables
            .into_iter()
            .enumerate()
            .map(|(nth, bytes)| (directory.path().join(format!("itcont{nth}.txt")), bytes))
            .collect();
        for (path, bytes) in &files {
            fs::write(path, bytes).unwrap();
        }
        let asked = Asked { names: (0..80).step_by(2).collect(), top: 3, transaction_date };
        let mut settings = settings(&[threads], &[task_bytes]);
        settings.retain(|setting| setting.simd != Simd::best() || setting.way != WAYS[2]);
        assert_filtered(&files, &asked, &conditions, &settings);
    }
}

#[test]
fn the_option_for_contributions_is_their_list_of_types() {
    let path = "fixtures/generated.txt";
    let bytes = fs::read(path).unwrap();
    let expected = twin::filtered_report(
        &[(path, &bytes)],
        &Asked::default(),
        &[Condition::contributions()],
    );
    let ended = run_with(&format!("--contributions -f json {path}"));
    let found: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(found, expected);
    assert!(found["lines"].as_u64() < found["lines_scanned"].as_u64());
    let counted = run_with(&format!("count --contributions {path}"));
    assert_eq!(counted.out, format!("{} {path}\n", expected["lines"]));

    // It is one condition among the others.
    let state = Condition::new(10, Test::In(words(&["CA", "NY", "TX", "OR"])));
    let both = [state.clone(), Condition::contributions()];
    let expected = twin::filtered_report(&[(path, &bytes)], &Asked::default(), &both);
    let counted = run_with(&format!(
        "count --where {} --contributions {path}",
        state.typed()
    ));
    assert_eq!(counted.out, format!("{} {path}\n", expected["lines"]));
}

/// Values have all lengths up to twenty bytes. To compare each row with each value of the longest list takes minutes.
#[test]
fn lists_of_any_length_choose_the_rows_of_their_values() {
    const ROWS: u64 = 40_000;
    let value = |nth: u64| format!("{nth:0width$}", width = (nth % 21) as usize);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("values.txt");
    let row = |nth| format!("{}|||||||{}, A\n", value(nth), value(nth));
    fs::write(&path, (0..ROWS).map(row).collect::<String>()).unwrap();
    for length in [1, 2, 40, 300, 3000, 1_000_000] {
        let is_listed = |nth: &u64| nth.is_multiple_of(3) && nth / 3 < length;
        let list: Vec<_> = (0..length).map(|nth| value(3 * nth)).collect();
        let list = list.join(",");
        let (listed, others): (Vec<_>, Vec<_>) = (0..ROWS).partition(is_listed);
        for (operator, expected) in [("=", listed), ("!=", others)] {
            for column in ["CMTE_ID", "last_name(NAME)"] {
                let filter = Filter::new([format!("{column}{operator}{list}")]).unwrap();
                let values = by_row(
                    ["CMTE_ID"],
                    Vec::new,
                    |values, row| values.push(row.column(0).unwrap_or_default().to_vec()),
                    |values, others| values.extend(others),
                );
                for setting in settings(&[1], &[1 << 20]) {
                    if setting.way != Way::Read || length > 3000 && setting.simd != Simd::best() {
                        continue;
                    }
                    let engine = setting.engine().with_filter(filter.clone());
                    let found = setting.fold(&engine, &values, &[], &[&path]).unwrap();
                    let expected = expected.iter().map(|nth| value(*nth).into_bytes());
                    let what = format!("{column}{operator} {length} {setting:?}");
                    assert!(found.partial.into_iter().eq(expected), "{what}");
                }
            }
        }
    }
}
