//! Groups of rows that are grouped before they are joined, or before their keys are evaluated, against the same groups of rows one by one.

use std::fs;
use std::path::Path;

use fecscan::scan::simd::Simd;

use crate::common::program::{fecscan, run};

/// Rows for which more groups wait than a worker keeps, so that they are joined in several pieces.
const ROWS: &str = "150000";

/// The least text of a group is known only where all its rows are: they are joined and evaluated one by one.
const ONE_BY_ONE: &str = "HAVING min(i.NAME) IS NOT NULL";

/// Returns the rows, and the notes: they count the rows that have several matches, or none.
fn answer(folder: &Path, statement: &str, options: &str) -> [String; 2] {
    let arguments = ["sql", statement, "-f", "csv"].into_iter();
    let mut command = fecscan(arguments.chain(options.split_whitespace()));
    let ended = run(command.args(["itcont.txt", "cm.txt"]).current_dir(folder));
    assert_eq!(ended.status, 0, "{}", ended.err);
    [ended.out, ended.err]
}

#[test]
fn groups_that_wait_are_those_of_rows_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (schema, rows, file) in [("indiv", ROWS, "itcont.txt"), ("cm", "10000", "cm.txt")] {
        let made = ["generate", "--schema", schema, "--rows", rows, "-o", file];
        assert_eq!(run(fecscan(made).current_dir(folder)).status, 0);
    }
    // A byte that is written otherwise in keys of joined rows than in those of a file.
    let path = folder.join("itcont.txt");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("RETIRED", "RET\u{1b}RED")).unwrap();
    let of_states = "(SELECT CMTE_ST, count(*) AS n FROM cm GROUP BY 1)";
    let statements = [
        // Groups of a few rows, of which many wait.
        format!(
            "SELECT c.n, i.SUB_ID // 64, count(*), sum(i.amount), count(DISTINCT i.EMPLOYER), median(i.amount)
             FROM indiv i LEFT JOIN {of_states} c ON c.CMTE_ST = i.STATE"
        ),
        // Groups of a row or two, which do not wait for long.
        "SELECT c.CMTE_TP, i.ZIP_CODE, count(*), count(DISTINCT i.EMPLOYER), max(i.date)
         FROM indiv i JOIN cm c USING (CMTE_ID)"
            .to_owned(),
        // Few groups, each of many rows, and several matches of each.
        "SELECT c.CMTE_TP, year(i.date), count(*), sum(i.amount), count(DISTINCT (i.EMPLOYER, i.CITY))
         FROM indiv i JOIN cm c ON i.STATE = c.CMTE_ST
         WHERE i.amount >= 2000 AND c.CMTE_DSGN = 'U' AND c.CMTE_TP <> 'Q'"
            .to_owned(),
        // Aggregates of what keys are made of, and of the rows that a number chooses.
        format!(
            "SELECT c.n, CASE WHEN i.amount < 200 THEN 'small' WHEN i.amount < 1000 THEN 'large' END, count(*), sum(i.amount),
             count(i.amount), min(i.amount), avg(i.amount), median(i.SUB_ID), count(*) FILTER (WHERE i.amount > 100),
             sum(i.amount) FILTER (WHERE i.date > '2017-06-01'), max(i.date) FILTER (WHERE i.amount < 100)
             FROM indiv i LEFT JOIN {of_states} c ON c.CMTE_ST = i.STATE"
        ),
        // A median keeps the numbers of rows, which the sum of its argument takes, too.
        format!(
            "SELECT c.n, CASE WHEN i.amount < 200 THEN 'small' END, sum(i.amount), median(i.amount), max(i.amount)
             FROM indiv i LEFT JOIN {of_states} c ON c.CMTE_ST = i.STATE"
        ),
    ];
    for statement in statements {
        let one_by_one = format!("{statement} GROUP BY ALL {ONE_BY_ONE} ORDER BY ALL");
        let expected = answer(folder, &one_by_one, "");
        let statement = format!("{statement} GROUP BY ALL ORDER BY ALL");
        assert!(expected[0].lines().count() > 3, "{statement}");
        for level in Simd::available() {
            for way in ["-j 1", "-j 3 --task-size 200000"] {
                let options = format!("{way} --simd {}", level.name());
                let found = answer(folder, &statement, &options);
                assert!(found == expected, "{statement} {options}");
            }
        }
        // Threads share the first rows where few are wanted.
        for limit in [1, 100, 200] {
            let [rows, _] = answer(folder, &format!("{statement} LIMIT {limit}"), "-j 3");
            let expected = expected[0].lines().take(1 + limit);
            assert!(rows.lines().eq(expected), "{statement} LIMIT {limit}");
        }
    }
}

/// ON is asked of rows with a candidate, and an aggregate of rows with a match: the value of another row may be anything.
#[test]
fn values_that_cant_be_known_fail_in_joined_rows_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let row = |committee: &str, zip: &str| {
        format!("{committee}{}{zip}{}\n", "|".repeat(10), "|".repeat(10))
    };
    let rows = |alone: &str| [row("A", alone), row("B", "1"), row("B", "2")].concat();
    fs::write(folder.join("cm.txt"), format!("B|PAC{}\n", "|".repeat(13))).unwrap();
    for (alone, statement, expected) in [
        (
            "x",
            "SELECT c.CMTE_NM, count(*) FROM indiv i LEFT JOIN cm c
             ON i.CMTE_ID = c.CMTE_ID AND CAST(i.ZIP_CODE AS INTEGER) > 0 GROUP BY 1 ORDER BY 1",
            "PAC,2\n,1\n",
        ),
        (
            "99999999999999999999",
            "SELECT c.CMTE_NM, max(TRY_CAST(i.ZIP_CODE AS HUGEINT)) FROM indiv i JOIN cm c
             ON i.CMTE_ID = c.CMTE_ID GROUP BY 1 ORDER BY 1",
            "PAC,2\n",
        ),
    ] {
        fs::write(folder.join("itcont.txt"), rows(alone)).unwrap();
        let [found, _] = answer(folder, statement, "-q");
        assert_eq!(found.split_once('\n').unwrap().1, expected, "{statement}");
    }
}

/// The scan compares a text of the file with the one that its key leads to, unless the text is made by an expression. Rows that it leaves out have
/// no match, or one without a match, as often.
#[test]
fn texts_are_compared_with_joined_ones_before_rows_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (schema, rows, file) in [
        ("indiv", "20000", "itcont.txt"),
        ("cm", "3000", "cm.txt"),
        ("cn", "700", "cn.txt"),
    ] {
        let made = ["generate", "--schema", schema, "--rows", rows, "-o", file];
        assert_eq!(run(fecscan(made).current_dir(folder)).status, 0);
    }
    // The city of one committee is a long text, and that of another one the empty text.
    let path = folder.join("cm.txt");
    let mut committees = fs::read_to_string(&path).unwrap();
    committees.push_str(&format!(
        "C1|A|A|A|A|A TEXT OF MORE THAN SIXTEEN{}\n",
        "|".repeat(9)
    ));
    committees.push_str(&format!("C2|A|A|A|A|{}\n", "|".repeat(9)));
    fs::write(&path, committees).unwrap();
    let path = folder.join("itcont.txt");
    let mut text = fs::read_to_string(&path).unwrap();
    for (committee, state) in [
        ("C1", "A TEXT OF MORE THAN SIXTEEN"),
        ("C1", "A TEXT OF MORE THAN SIXTEEM"),
        ("C1", "CA"),
        ("C2", ""),
        ("C2", "CA"),
        ("", ""),
    ] {
        text.push_str(&format!(
            "{committee}{}{state}{}\n",
            "|".repeat(9),
            "|".repeat(11)
        ));
    }
    fs::write(&path, text).unwrap();
    let chain = |one: &str, other: &str| {
        format!("{one} JOIN cm c USING (CMTE_ID) {other} JOIN cn n ON c.CAND_ID = n.CAND_ID")
    };
    let committees = "LEFT JOIN cm c USING (CMTE_ID)".to_owned();
    for (joins, condition) in [
        (chain("LEFT", "LEFT"), "i.STATE = n.CAND_OFFICE_ST"),
        (
            chain("LEFT", "LEFT"),
            "n.CAND_OFFICE_ST <> i.STATE AND i.amount > 500",
        ),
        (
            chain("LEFT", ""),
            "i.STATE = n.CAND_OFFICE_ST AND c.CMTE_NM <> n.CAND_NAME",
        ),
        (
            chain("", "LEFT"),
            "i.STATE <> n.CAND_OFFICE_ST AND i.CITY <> c.CMTE_CITY",
        ),
        (
            chain("", ""),
            "i.STATE = left(n.CAND_OFFICE_ST, 1) OR i.STATE = n.CAND_OFFICE_ST",
        ),
        (
            chain("LEFT", "LEFT"),
            "i.STATE = c.CMTE_ST AND n.CAND_OFFICE = 'S'",
        ),
        (committees.clone(), "i.STATE = c.CMTE_CITY"),
        (committees, "i.STATE <> c.CMTE_CITY"),
    ] {
        let select = "SELECT c.CMTE_TP, count(*), sum(i.amount) FROM indiv i";
        let statement =
            |condition: &str| format!("{select} {joins} WHERE {condition} GROUP BY 1 ORDER BY 1");
        let made = condition.replace("i.STATE", "(i.STATE || '')");
        let further = if joins.contains(" cn ") { "cn.txt" } else { "" };
        let expected = answer(folder, &statement(&made), further);
        for level in Simd::available() {
            let options = format!("-j 2 --simd {} {further}", level.name());
            let found = answer(folder, &statement(condition), &options);
            assert_eq!(found, expected, "{condition} {joins}");
        }
    }
}
