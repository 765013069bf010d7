//! Conditions on functions of columns.

use std::fs;
use std::path::Path;

use crate::common::program::{Ended, fecscan, run};
use crate::common::small_joins;
use tempfile::TempDir;

/// Rows with these names, zip codes and dates. The image numbers are of April 2018.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |(name, zip, date)| {
        format!(
            "C00000001|N|Q1|P|201804019000000001|15|IND|{name}|TOWN|CA|{zip}|||{date}|10||1|2|||3\n"
        )
    };
    let rows = [
        ("SMITH, JOHN A", "941051234", "12312017"),
        ("SMITH, MARTHA", "94105", "01152018"),
        ("ROE, MARY ANN", "94110", "03012018"),
        ("ACTBLUE", "K1A 0B1", "13012018"),
        ("DE LA CRUZ , ANA", "02138", "2018"),
        ("", "", ""),
    ];
    let rows: String = rows.into_iter().map(row).collect();
    fs::write(folder.path().join("itcont.txt"), rows).unwrap();
    folder
}

fn count(folder: &Path, condition: &str) -> Ended {
    run(fecscan(["count", "itcont.txt", "--where", condition]).current_dir(folder))
}

#[test]
fn conditions_on_functions_of_columns_choose_lines() {
    let folder = folder();
    for (condition, lines) in [
        ("month(date) = 1", 1),
        ("month(date) IN (1, 3)", 2),
        // Missing and malformed values are NULL.
        ("month(date) <> 1", 2),
        ("NOT (month(date) = 1)", 2),
        ("month(date) IS NULL", 3),
        ("date IS NULL OR month(date) <> 1", 5),
        ("date_trunc('month', date) = '2018-01-01'", 1),
        ("date_trunc('month', date) >= '2018-03-01'", 1),
        ("date_trunc('month', date) > '2017-12-01'", 2),
        ("date_trunc('month', date) < '2018-01-01'", 1),
        ("date_trunc('month', date) <= '2018-01-01'", 2),
        ("dayname(date) = 'Monday'", 1),
        ("MONTH( #14 )=12", 1),
        ("left(image, 6) = '201804'", 6),
        ("year(TRANSACTION_DT) = 2018", 2),
        ("year(TRANSACTION_DT) >= 2018", 2),
        ("year(TRANSACTION_DT) < 2018.0", 1),
        ("year(date) <> 2018", 1),
        ("zip5(zip) IN ('94105', '94110')", 3),
        ("zip5(zip) = ''", 2),
        ("zip5(zip) <> ''", 4),
        ("zip5(zip) BETWEEN '00000' AND '05000'", 1),
        ("first_name(NAME) = 'MARY'", 1),
        ("first_name(NAME) ~ '^MAR'", 2),
        ("first_name(NAME) LIKE '%AR_H%'", 1),
        ("first_name(NAME) NOT LIKE '%A%'", 3),
        ("first_name(NAME) = ''", 2),
        ("last_name(name) LIKE 'SMI%'", 2),
        ("last_name(name) IN ('DE LA CRUZ', 'ACTBLUE')", 2),
        ("last_name(name) = ''", 1),
        ("upper(last_name(lower(name))) = 'ROE'", 1),
        // Any column of text.
        ("last_name(CITY) = 'TOWN'", 6),
    ] {
        let ended = count(folder.path(), condition);
        let expected = (0, format!("{lines} itcont.txt\n"));
        assert_eq!((ended.status, ended.out), expected, "{condition}");
        let mut notes = ended.err.lines();
        assert!(
            notes.all(|note| note.contains("left out because a condition is NULL there")),
            "{}",
            ended.err
        );
    }
    for command in ["report -f json", "export", "by STATE -f csv"] {
        let mut arguments: Vec<_> = command.split(' ').collect();
        arguments.extend([
            "itcont.txt",
            "--where",
            "first_name(NAME) IN ('MARTHA', 'ANA')",
        ]);
        let two = match command {
            "export" => "\"NAME\":\"SMITH, MARTHA\"",
            "by STATE -f csv" => "CA,2\n",
            _ => "\"lines\":2,\"lines_scanned\":6,",
        };
        let ended = run(fecscan(&arguments).current_dir(folder.path()));
        assert!(ended.out.contains(two), "{command}: {ended:?}");
    }
}

#[test]
fn functions_of_joined_columns_are_conditions() {
    let folder = small_joins::folder();
    for (condition, lines) in [
        ("first_name(cn.CAND_NAME) = 'ANN'", 2),
        ("first_name(CAND_NAME) = ''", 0),
        ("first_name(CAND_NAME) IS NULL", 2),
        ("last_name(CAND_NAME) <> 'PIE'", 1),
        ("coalesce(last_name(CAND_NAME), '') <> 'PIE'", 3),
        ("zip5(cmte_zip) = '90049'", 2),
        ("zip5(cm.zip) LIKE '1%'", 2),
        ("month(date) = 1", 5),
    ] {
        let arguments = [
            "count",
            "itcont.txt",
            "--with",
            "cm.txt",
            "--with",
            "cn.txt",
            "--where",
            condition,
        ];
        let ended = small_joins::run_in(folder.path(), &arguments);
        assert_eq!(
            ended.out,
            format!("{lines} itcont.txt\n"),
            "{condition}: {}",
            ended.err
        );
    }
    let arguments = [
        "count",
        "itcont.txt",
        "--with",
        "cm.txt",
        "--where",
        "year(CMTE_NM) = 2018",
    ];
    small_joins::assert_refused(
        small_joins::run_in(folder.path(), &arguments),
        "line 1, column 56: year takes a DATE, not VARCHAR; TRY_CAST(x AS DATE) reads a text as a day\n",
    );
}
