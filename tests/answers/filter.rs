//! `--where` and `--contributions` against the slow twin, which decides conditions by regular
//! expressions and strings.

use std::fs;
use std::path::{Path, PathBuf};

use fecscan::fold::LineCount;
use fecscan::scan::Filter;
use fecscan::scan::simd::Simd;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::condition::{Condition, Test};
use crate::common::program::{assert_usage_error, fecscan, run, run_with, shell};
use crate::common::run::{Setting, WAYS, fixtures, settings};
use crate::common::twin::{self, Asked};

const OPERATORS: [&str; 4] = ["<", "<=", ">", ">="];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

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
    tests.push((5, Test::Number(">=", "201805000000000000".to_owned())));
    let mut all: Vec<_> = tests
        .into_iter()
        .map(|(column, test)| vec![Condition::new(column, test)])
        .collect();
    all.push(vec![Condition::contributions()]);
    // Several conditions, two of them on one column, not in the order of the columns.
    all.push(vec![
        Condition::new(15, Test::Number(">=", "10".to_owned())),
        Condition::new(8, Test::Matches("A".to_owned())),
        Condition::new(15, Test::Number("<", "1000".to_owned())),
        Condition::contributions(),
    ]);
    all
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
            let settings = match transaction_date {
                false => settings(&[1, 3], &[64, 5000, 2 << 20]),
                true => settings(&[2], &[700]),
            };
            assert_filtered(&files, &asked, &conditions, &settings);
        }
        let chosen = files.iter().flat_map(|(_, bytes)| twin::lines_of(bytes));
        let chosen = chosen.filter(|line| conditions.iter().all(|c| c.holds(line)));
        some += usize::from((1..lines).contains(&chosen.count()));
    }
    assert!(some >= 22, "only {some} conditions choose some lines");
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

/// A value of a column: ordinary, odd, and close to the limits.
fn value() -> impl Strategy<Value = String> {
    const ODD: [&str; 26] = [
        "",
        " ",
        "0",
        "-0",
        "+5",
        " 12 ",
        "12.5",
        "12.50",
        "12.500",
        ".5",
        ".",
        "-",
        "1e3",
        "1,000",
        "0012",
        "9999999999999999",
        "99999999999999999",
        "-170141183460469231731687303715884105728",
        "1701411834604692317316873037158841057.27",
        "1701411834604692317316873037158841057.28",
        "02292018",
        "02292016",
        "02/28/2016",
        " 04122018",
        "CA",
        "A\r",
    ];
    prop_oneof![
        3 => select(&ODD[..]).prop_map(str::to_owned),
        2 => (-2000_i64..2000).prop_map(|cents| format!("{}.{:02}", cents / 100, cents.abs() % 100)),
        2 => (1..13_u32, 1..32_u32, 2016..2019_u32).prop_map(|(m, d, y)| format!("{m:02}{d:02}{y}")),
        2 => "[ABab, ]{0,20}",
        1 => "x{60,70}",
    ]
}

pub(crate) fn condition() -> impl Strategy<Value = Condition> {
    let text = || prop_oneof![4 => value(), 1 => "[ab\"', =]{0,5}"];
    let numbers = select(vec![
        "0",
        "-3.5",
        "12.50",
        ".5",
        "99999999999999999",
        "201804",
    ]);
    let dates = select(vec!["2016-02-29", "2018-04-12", "2017-12-31"]);
    let expressions = select(vec![
        "A", "(?i)a,", "^[0-9]+$", "^$", "^AB", "5|x{64}", "\\.", "^1",
    ]);
    let test = prop_oneof![
        vec(text(), 1..4).prop_map(Test::In),
        vec(text(), 1..4).prop_map(Test::NotIn),
        text().prop_map(Test::Prefix),
        expressions
            .clone()
            .prop_map(|e| Test::Matches(e.to_owned())),
        expressions.prop_map(|e| Test::MatchesNot(e.to_owned())),
        (select(&OPERATORS[..]), numbers).prop_map(|(o, n)| Test::Number(o, n.to_owned())),
        (select(&OPERATORS[..]), dates).prop_map(|(o, d)| Test::Date(o, d.to_owned())),
    ];
    (1..22_usize, test).prop_map(|(column, test)| {
        // Dates are compared in the column that holds some, and numbers elsewhere.
        let column = match (&test, column) {
            (Test::Date(..), _) => 14,
            (Test::Number(..), 14) => 15,
            (_, column) => column,
        };
        Condition::new(column, test)
    })
}

/// Rows of few columns and of many, of short values mostly, with all line ends.
pub(crate) fn table() -> impl Strategy<Value = Vec<u8>> {
    let width = prop_oneof![6 => Just(21_usize), 4 => 0..24_usize];
    let row = (width, vec(value(), 24), select(vec!["\n", "\r\n", "\n\n"]));
    let row = row.prop_map(|(width, values, end)| values[..width].join("|") + end);
    (vec(row, 0..60), any::<bool>()).prop_map(|(rows, ends)| {
        let mut bytes = rows.concat().into_bytes();
        if !ends {
            bytes.pop();
        }
        bytes
    })
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

/// Runs the program on `paths` with these conditions and names; returns its JSON.
fn json_of(options: &str, conditions: &[Condition], names: &[u64], paths: &[PathBuf]) -> Value {
    let mut command = fecscan(["--force", "-f", "json"]);
    command.args(options.split_whitespace());
    for condition in conditions {
        command.args(["--where", &condition.typed()]);
    }
    let names: Vec<_> = names.iter().map(u64::to_string).collect();
    let ended = run(command.args(["--name", &names.join(",")]).args(paths));
    assert_eq!(ended.status, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).unwrap()
}

/// Rows of which every third or so passes, and enough of them for many tasks.
fn many_rows(seed: usize, rows: usize) -> Vec<u8> {
    let row = |nth: usize| {
        let state = ["CA", "NY", "OR", "WA", "TX"][(nth + nth / 7 + seed) % 5];
        let amount = (nth * 7919 + seed) % 5000;
        let name = format!("DONOR{seed}X{nth}, ANN{}", nth % 11);
        format!(
            "C00990001|N|M4|P|2018{:02}129112345678|15|IND|{name}|CITY|{state}|97477|E|O|0{}122018|{amount}||T|1|||{nth}\n",
            1 + nth % 12,
            1 + nth % 9
        )
    };
    (0..rows).map(row).collect::<String>().into_bytes()
}

/// Names are those of matching lines, wherever the bytes come from: lines of pipes are picked as
/// they go by, compressed files are read again.
#[test]
fn names_of_matching_lines_are_found_in_compressed_files_and_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let texts = [many_rows(1, 6000), many_rows(2, 9000), many_rows(3, 7000)];
    type Pack = fn(&[u8]) -> Vec<u8>;
    let kinds: [(&str, Pack); 4] = [
        ("plain", <[u8]>::to_vec),
        ("gz", gzip),
        ("zst", zstd),
        ("zip", |text| zip(&[Member::deflated("itcont.txt", text)])),
    ];
    let conditions = [
        Condition::new(10, Test::In(words(&["CA", "NY"]))),
        Condition::new(15, Test::Number(">=", "1000".to_owned())),
    ];
    let matching = |text: &[u8]| {
        let lines = twin::lines_of(text).into_iter();
        let matching = lines.filter(|line| conditions.iter().all(|c| c.holds(line)));
        matching.count() as u64
    };
    let counts = texts.each_ref().map(|text| matching(text));
    let total: u64 = counts.iter().sum();
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
    // In all three files: their first and last matching lines, some between, and one too many.
    let second = counts[0];
    let third = counts[0] + counts[1];
    let lists = [
        vec![
            0,
            second - 1,
            second,
            second + 700,
            third,
            third + 900,
            total - 1,
            total,
        ],
        vec![second + 1000],
        vec![third + 1000, 3],
    ];
    for names in lists {
        let asked = Asked {
            names: names.clone(),
            ..Asked::default()
        };
        for (kind, pack) in kinds {
            let paths = [0, 1, 2].map(|nth| at(&format!("{nth}.{kind}")));
            let mut files = Vec::new();
            for (path, text) in paths.iter().zip(&texts) {
                fs::write(path, pack(text)).unwrap();
                files.push((path.to_str().unwrap(), &text[..]));
            }
            let expected = twin::filtered_report(&files, &asked, &conditions);
            for options in [
                "-j 1",
                "-j 2 --task-size 20000",
                "-j 3 --task-size 3000 --io read",
                "-j 8 --task-size 4096",
            ] {
                let found = json_of(options, &conditions, &names, &paths);
                assert_eq!(found, expected, "{kind} {options} {names:?}");
            }
        }
        // The second input is a pipe, after a file, plain or compressed, and before another one.
        let typed = conditions
            .each_ref()
            .map(|c| format!("--where '{}'", c.typed()));
        let list: Vec<_> = names.iter().map(u64::to_string).collect();
        for (first, piped) in [
            ("plain", "plain"),
            ("gz", "plain"),
            ("plain", "zst"),
            ("zip", "gz"),
        ] {
            let (first, last) = (at(&format!("0.{first}")), at("2.zst"));
            let files = [
                (first.to_str().unwrap(), &texts[0][..]),
                ("-", &texts[1]),
                (last.to_str().unwrap(), &texts[2]),
            ];
            let expected = twin::filtered_report(&files, &asked, &conditions);
            for options in ["-j 1", "-j 3 --task-size 5000", "-j 4 --task-size 100000"] {
                let script = format!(
                    "cat {}/1.{piped} | $F -f json {options} {} --name {} {} - {}",
                    directory.path().display(),
                    typed.join(" "),
                    list.join(","),
                    files[0].0,
                    files[2].0
                );
                let ended = shell(&script);
                assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{script}");
                let found: Value = serde_json::from_str(&ended.out).unwrap();
                assert_eq!(found, expected, "{script}");
            }
        }
    }
}

/// The same without conditions, where a stream stops picking once it has the last wanted line.
#[test]
fn names_far_into_later_files_and_pipes_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let texts = [many_rows(4, 5000), many_rows(5, 8000), many_rows(6, 6000)];
    for (name, bytes) in [
        ("0.gz", gzip(&texts[0])),
        ("1.zst", zstd(&texts[1])),
        ("2.gz", gzip(&texts[2])),
    ] {
        fs::write(at(name), bytes).unwrap();
    }
    let paths = ["0.gz", "1.zst", "2.gz"].map(at);
    for names in [
        vec![12_345],
        vec![18_999, 19_000],
        vec![4999, 5000, 12_999, 13_000, 17_777],
    ] {
        let asked = Asked {
            names: names.clone(),
            ..Asked::default()
        };
        let files: Vec<_> = paths
            .iter()
            .zip(&texts)
            .map(|(path, text)| (path.to_str().unwrap(), &text[..]))
            .collect();
        let expected = twin::report(&files, &asked);
        for threads in 1..=6 {
            for task_bytes in [2000, 50_000, 2 << 20] {
                let options = format!("-j {threads} --task-size {task_bytes}");
                let found = json_of(&options, &[], &names, &paths);
                assert_eq!(found, expected, "{options} {names:?}");
            }
        }
        let list: Vec<_> = names.iter().map(u64::to_string).collect();
        let piped = [files[0], ("-", &texts[1]), files[2]];
        let expected = twin::report(&piped, &asked);
        let script = format!(
            "cd {}; zstd -dcq 1.zst | $F -f json -j 3 --task-size 9000 --name {} {} - {}",
            directory.path().display(),
            list.join(","),
            files[0].0,
            files[2].0
        );
        let ended = shell(&script);
        let found: Value = serde_json::from_str(&ended.out).expect(&ended.err);
        assert_eq!(found, expected, "{script}");
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
        assert_eq!((ended.status, &*ended.err), (0, ""), "{condition}");
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
        ("date>=2018-04-12", 3),
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
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
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
        ("STATE", "the condition 'STATE' has no operator; write "),
        ("=CA", "the condition '=CA' names no column; write "),
        (
            "STATE!CA",
            "the condition 'STATE!CA' has no known operator; write ",
        ),
        (
            "STATE^CA",
            "the condition 'STATE^CA' has no known operator; write ",
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
            "the condition 'STATE=CA,amount>=9' has the value 'amount>=9'; for another condition, repeat --where; ",
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
        (
            "STAT=CA",
            "indiv has no column 'STAT'; did you mean STATE? ",
        ),
        (
            "TRANSACTION_AMNT>5",
            "indiv has no column 'TRANSACTION_AMNT'; did you mean TRANSACTION_AMT? ",
        ),
        (
            "amuont>5",
            "indiv has no column 'amuont'; did you mean amount? ",
        ),
        (
            "#22=x",
            "indiv has no column '#22'; its columns are #1 to #21: ",
        ),
        (
            "#0=x",
            "indiv has no column '#0'; its columns are #1 to #21: ",
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
