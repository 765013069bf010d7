//! `--where` and `--contributions` against the slow twin, which decides conditions by regular
//! expressions and strings, with NULL as a third truth value.

use std::fs;
use std::iter;
use std::path::PathBuf;

use fecscan::by_row;
use fecscan::fold::LineCount;
use fecscan::scan::simd::Simd;
use fecscan::sql::Filter;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::condition::{Condition, Kind, NULL, Test, all_of, operand, quoted, words};
use crate::common::program::{fecscan, run, run_with};
use crate::common::run::{Setting, WAYS, Way, fixtures, settings};
use crate::common::tables::{OPERATORS, condition, table};
use crate::common::twin::{self, Asked};

/// Conditions with every operator, on columns in front, in the middle, at the end, and on columns
/// that many rows lack.
fn every_operator() -> Vec<Vec<Condition>> {
    let text = str::to_owned;
    let mut tests = vec![
        (10, Test::In(words(&["OR"]))),
        (10, Test::In(words(&["WA", "", "CA"]))),
        (10, Test::In(words(&["WA", NULL]))),
        (10, Test::NotIn(words(&["WA", NULL]))),
        (21, Test::IsNull),
        (7, Test::NotIn(words(&["IND"]))),
        (20, Test::NotIn(words(&["", "X"]))),
        (7, Test::Differs(text("IND"))),
        (8, Test::Begins(text("MAR"))),
        (8, Test::Like(text("MAR%"))),
        (8, Test::NotLike(text("MARLOWE, J%"))),
        (8, Test::Like(text("%, J%"))),
        (8, Test::Like(text("_A%"))),
        (8, Test::Like(text("%N"))),
        (8, Test::Ilike(text("%john%"))),
        (20, Test::Like(text("%"))),
        (20, Test::Like(String::new())),
        (8, Test::Matches(text("(?i)john"))),
        (8, Test::Matches(text("^[A-M]"))),
        (8, Test::Matches(text("^MARLOWE, J"))),
        (13, Test::Matches(text("^$"))),
        (5, Test::Between(text("201804"), text("201806"))),
        (8, Test::Between(text("D"), text("M"))),
        (15, Test::In(words(&["50.00", "100", "-3.505"]))),
        (15, Test::NotIn(words(&["50.00", "250"]))),
        (15, Test::NotIn(words(&["50.00", NULL]))),
        (15, Test::Between(text("50"), text("250"))),
        (15, Test::Between(text("250"), text("50"))),
        (15, Test::IsNull),
        (15, Test::IsNotNull),
        (15, Test::Differs(text("50"))),
        (14, Test::In(words(&["2018-04-12", "2018-04-13"]))),
        (14, Test::Between(text("2018-03-15"), text("2018-04-12"))),
        (14, Test::IsNull),
        (14, Test::Differs(text("2018-04-12"))),
    ];
    for operator in OPERATORS {
        for literal in [
            "50",
            "50.00",
            "49.995",
            "50.005",
            "-.5",
            "99999999999999999",
        ] {
            tests.push((15, Test::Is(operator, text(literal))));
        }
        tests.push((14, Test::Is(operator, text("2018-04-12"))));
        tests.push((10, Test::Is(operator, text("NY"))));
        tests.push((8, Test::Is(operator, text("MARLOWE, JOHN"))));
        tests.push((20, Test::Is(operator, String::new())));
        tests.push((5, Test::Is(operator, text("201805000000000000"))));
        tests.push((21, Test::Is(operator, text("4060920181000000000"))));
        for (column, other) in [
            (9, operand("@", 10)),
            (1, operand("@", 16)),
            (13, operand("@", 12)),
            (15, operand("@ + 0", 15)),
            (14, operand("date_trunc('month', @)", 14)),
            (15, operand("@", 18)),
        ] {
            tests.push((column, Test::With(operator, other)));
        }
    }
    let mut all: Vec<_> = tests
        .into_iter()
        .map(|(column, test)| vec![Condition::new(column, test)])
        .collect();
    let negated = all.iter().map(|one| vec![not(one[0].clone())]);
    let negated: Vec<_> = negated.collect();
    all.extend(negated);
    all.extend(every_function());
    all.push(vec![Condition::contributions()]);
    // Several conditions, two of them on one column, not in the order of the columns.
    all.push(vec![
        Condition::compares(15, ">=", "10"),
        Condition::new(8, Test::Matches("A".to_owned())),
        Condition::compares(15, "<", "1000"),
        Condition::contributions(),
    ]);
    // A column, functions of it, and functions that run before and after others.
    all.push(vec![
        Condition::made("first_name(@)", 8, Test::Matches("[AEIOU]".to_owned())),
        Condition::new(8, Test::Matches("A".to_owned())),
        Condition::made(
            "date_trunc('month', @)",
            14,
            Test::Is(">", "2018-01-01".to_owned()),
        ),
        Condition::made("left(@, 2)", 5, Test::NotIn(words(&["19"]))),
        Condition::new(7, Test::In(words(&["IND"]))),
    ]);
    // Two columns are compared beside other conditions, and as an alternative.
    let same = Condition::new(9, Test::With("=", operand("upper(@)", 9)));
    let large = Condition::compares(15, ">=", "100");
    all.push(vec![same.clone(), large.clone()]);
    all.push(vec![Condition::Any(vec![same, large])]);
    all.extend(connected());
    all
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

/// Conditions with AND, OR and NOT between parts, alone and beside others. Some parts are NULL for many rows.
fn connected() -> Vec<Vec<Condition>> {
    let is = Condition::is;
    let compares = Condition::compares;
    let (any, all) = (Condition::Any, Condition::All);
    let large = || compares(15, ">=", "1000");
    let of_april = || {
        let month = Test::In(words(&["4"]));
        Condition::made("month(@)", 14, month)
    };
    let conditions = [
        any(vec![is(10, "CA"), is(10, "NY")]),
        any(vec![is(10, "CA"), large()]),
        any(vec![
            large(),
            Condition::new(8, Test::Matches("^MAR".to_owned())),
            Condition::new(1, Test::In(words(&["C00000001", "C00000002"]))),
            not(of_april()),
        ]),
        any(vec![
            Condition::new(7, Test::NotIn(words(&["IND"]))),
            Condition::new(20, Test::NotIn(words(&["", "X"]))),
            Condition::new(19, Test::Is("=", String::new())),
        ]),
        // Alternatives of several parts, which are multiplied out, and too many of them.
        any(vec![
            all(vec![is(10, "CA"), large()]),
            all(vec![is(7, "IND"), compares(15, "<", "50")]),
        ]),
        any(vec![
            all(vec![compares(15, ">=", "50"), compares(15, "<=", "250")]),
            all(vec![compares(15, ">", "1000"), compares(15, "<>", "2000")]),
        ]),
        any((0..4)
            .map(|nth| all(vec![is(10, ["CA", "NY", "TX", "OR"][nth]), large()]))
            .collect()),
        // Negated alternatives and parts.
        not(any(vec![is(10, "CA"), large()])),
        not(all(vec![is(7, "IND"), large()])),
        not(all(vec![not(is(7, "IND")), not(compares(15, "=", "50"))])),
        not(any(vec![all(vec![is(7, "IND"), large()]), of_april()])),
        // Ranges of one column that are one, that do not meet, and that meet in one value.
        all(vec![
            compares(15, ">", "49.995"),
            compares(15, "<", "250.005"),
        ]),
        all(vec![compares(15, ">", "250"), compares(15, "<", "50")]),
        all(vec![compares(15, ">=", "50"), compares(15, "<=", "50")]),
        all(vec![
            compares(14, ">=", "2018-01-01"),
            compares(14, "<", "2018-05-01"),
            compares(15, "<>", "50"),
        ]),
        // What is NULL beside what is true or false.
        any(vec![compares(15, "=", NULL), is(10, "CA")]),
        all(vec![not(compares(15, "=", NULL)), is(10, "CA")]),
        any(vec![
            Condition::new(15, Test::IsNull),
            Condition::new(14, Test::IsNull),
        ]),
    ];
    let mut all: Vec<_> = conditions.into_iter().map(|one| vec![one]).collect();
    let several = all.iter().take(4).flatten().cloned().collect();
    let beside = vec![all[1][0].clone(), Condition::contributions(), is(7, "IND")];
    all.extend([several, beside]);
    all
}

/// Conditions on every function of a column.
fn every_function() -> Vec<Vec<Condition>> {
    let text = str::to_owned;
    let mut tests = vec![
        ("month(@)", 14, Test::In(words(&["4", "5"]))),
        ("month(@)", 14, Test::NotIn(words(&["4"]))),
        ("month(@)", 14, Test::IsNull),
        ("quarter(@)", 14, Test::In(words(&["1", "2"]))),
        ("isodow(@)", 14, Test::In(words(&["6", "7"]))),
        ("isodow(@)", 14, Test::NotIn(words(&["1"]))),
        ("day(@)", 14, Test::Is("=", text("31"))),
        ("week(@)", 14, Test::Is("<", text("10"))),
        ("upper(trim(@))", 12, Test::In(words(&["RETIRED", "NONE"]))),
        ("lower(@)", 9, Test::Begins(text("san"))),
        ("left(@, 2)", 8, Test::In(words(&["MA", "SM", "DO"]))),
        ("year(@)", 14, Test::In(words(&["2017", "2018"]))),
        ("year(@)", 14, Test::NotIn(words(&["2018"]))),
        ("zip5(@)", 11, Test::Like(text("9%"))),
        ("zip5(@)", 11, Test::In(words(&[""]))),
        (
            "first_name(@)",
            8,
            Test::In(words(&["JOHN", "JANE", "MARY"])),
        ),
        ("first_name(@)", 8, Test::Matches(text("^J"))),
        ("first_name(@)", 8, Test::NotLike(text("J%"))),
        ("first_name(@)", 8, Test::Is("<>", String::new())),
        ("last_name(@)", 8, Test::Begins(text("MAR"))),
        ("last_name(@)", 8, Test::Matches(text("(?i)s$"))),
    ];
    for operator in OPERATORS {
        let is = |literal: &str| Test::Is(operator, text(literal));
        tests.push(("date_trunc('month', @)", 14, is("2018-04-01")));
        tests.push(("quarter(@)", 14, is("2")));
        tests.push(("isodow(@)", 14, is("5")));
        tests.push(("week(@)", 14, is("10")));
        tests.push(("length(@)", 8, is("15")));
        tests.push(("year(@)", 14, is("2018")));
        tests.push(("year(@)", 14, is("2017.5")));
        tests.push(("zip5(@)", 11, is("50000")));
        tests.push(("abs(@)", 15, is("50")));
        tests.push(("@ + 0", 15, is("50")));
        for (one, column, other) in [
            ("month(@)", 14, operand("day(@)", 14)),
            ("upper(trim(@))", 12, operand("upper(@)", 13)),
            ("first_name(@)", 8, operand("last_name(@)", 8)),
        ] {
            tests.push((one, column, Test::With(operator, other)));
        }
    }
    let made = tests
        .into_iter()
        .map(|(call, column, test)| Condition::made(call, column, test));
    made.flat_map(|one| [vec![one.clone()], vec![not(one)]])
        .collect()
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
    let lines = texts.iter().flat_map(|(_, bytes)| twin::lines_of(bytes));
    let is_null =
        |line: &&[u8]| all_of(conditions.iter().map(|one| one.truth_of_line(line))).is_none();
    let nulls = lines.filter(is_null).count() as u64;
    let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
    for setting in settings {
        let engine = setting.engine().with_filter(filter(conditions));
        let found = setting.json(&engine, asked, &paths);
        assert_eq!(found, expected, "{typed:?}: {setting:?}");
        let counted = setting.fold(&engine, &LineCount, &[], &paths).unwrap();
        assert_eq!(
            json!([counted.lines, counted.lines_scanned, counted.unread]),
            json!([expected["lines"], expected["lines_scanned"], nulls]),
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
        // What is negated has the same predicates, so one way of working will do.
        let is_negated = matches!(conditions[..], [Condition::Not(_)]);
        for transaction_date in [false, true] {
            if is_negated && !transaction_date {
                continue;
            }
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
    assert!(some >= 200, "only {some} conditions choose some lines");
}

/// Columns and functions are compared with values that rows have, and with numbers that are close to these.
#[test]
fn literals_that_are_values_of_rows_are_compared_exactly() {
    let path = PathBuf::from("fixtures/generated-hostile.txt");
    let bytes = fs::read(&path).unwrap();
    let lines = twin::lines_of(&bytes);
    let files = [(path, bytes.clone())];
    let asked = Asked::default();
    let settings = settings(&[2], &[700]);
    let plain = (1..22).map(|column| ("@", column));
    let made = [
        ("month(@)", 14),
        ("date_trunc('month', @)", 14),
        ("@ + 0", 15),
        ("length(@)", 8),
        ("first_name(@)", 8),
        ("zip5(@)", 11),
    ];
    let mut compared = 0;
    for (call, column) in plain.chain(made) {
        let operand = operand(call, column);
        let literals = lines.iter().filter_map(|line| operand.literal_of(line));
        let mut literals: Vec<_> = literals.collect();
        literals.sort_unstable();
        literals.dedup();
        let step = (literals.len() / 3).max(1);
        for literal in literals.into_iter().step_by(step) {
            let close = match operand.makes() {
                Kind::Amount | Kind::Whole if !literal.contains('.') => {
                    Some(format!("{literal}.005"))
                }
                Kind::Amount => Some(format!("{literal}5")),
                _ => None,
            };
            for literal in iter::once(literal).chain(close) {
                for operator in OPERATORS {
                    let test = Test::Is(operator, literal.clone());
                    let condition = Condition::made(call, column, test);
                    assert_filtered(&files, &asked, &[condition], &settings[..1]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} conditions");
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
    let typed = state.typed();
    let counted = run(&mut fecscan([
        "count",
        "--where",
        &typed,
        "--contributions",
        path,
    ]));
    assert_eq!(counted.out, format!("{} {path}\n", expected["lines"]));
}

/// Values have all lengths up to twenty bytes.
#[test]
fn lists_of_any_length_choose_the_rows_of_their_values() {
    const ROWS: u64 = 40_000;
    let value = |nth: u64| format!("{nth:0width$}", width = (nth % 21) as usize);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("values.txt");
    let row = |nth| format!("{}|||||||{}, A\n", value(nth), value(nth));
    fs::write(&path, (0..ROWS).map(row).collect::<String>()).unwrap();
    for length in [1, 2, 40, 300, 3000] {
        let is_listed = |nth: &u64| nth.is_multiple_of(3) && nth / 3 < length;
        let list: Vec<_> = (0..length).map(|nth| quoted(&value(3 * nth))).collect();
        let list = list.join(", ");
        let (listed, others): (Vec<_>, Vec<_>) = (0..ROWS).partition(is_listed);
        for (operator, expected) in [("IN", listed), ("NOT IN", others)] {
            for column in ["CMTE_ID", "last_name(NAME)"] {
                let filter = Filter::new([format!("{column} {operator} ({list})")]).unwrap();
                let values = by_row(
                    ["CMTE_ID"],
                    Vec::new,
                    |values, row| values.push(row.column(0).unwrap_or_default().to_vec()),
                    |values, others| values.extend(others),
                );
                for setting in settings(&[1], &[1 << 20]) {
                    if setting.way != Way::Read {
                        continue;
                    }
                    let engine = setting.engine().with_filter(filter.clone());
                    let found = setting.fold(&engine, &values, &[], &[&path]).unwrap();
                    let expected = expected.iter().map(|nth| value(*nth).into_bytes());
                    let what = format!("{column} {operator} {length} {setting:?}");
                    assert!(found.partial.into_iter().eq(expected), "{what}");
                }
            }
        }
    }
}
