//! Inputs of several schemas. Those of the same columns are grouped together, and others are refused.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::common::archives::gzip;
use crate::common::program::{fecscan, run};

/// Rows of indiv, oth, pas2 and oppexp.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        let plain = fs::read_to_string("fixtures/plain.txt").unwrap();
        let pas2 = plain.lines().map(|line| {
            let mut columns: Vec<_> = line.split('|').collect();
            columns.insert(16, "H0AL01048");
            columns[18] = "777";
            columns.join("|") + "\n"
        });
        let pas2 = gzip(pas2.collect::<String>().as_bytes());
        let oppexp = "C00990001|N|2018|Q1|I|17|F3|SB|SHOP|CITY|OR|974770001|03/31/2018|12.50|P||||||ORG|1|2|T||\n";
        for (name, bytes) in [
            ("itcont.txt", plain.as_bytes()),
            ("itoth.txt", plain.as_bytes()),
            ("itpas2.txt", &pas2[..]),
            ("oppexp.txt", oppexp.as_bytes()),
        ] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        Files { folder }
    }

    fn paths(&self, names: &[&str]) -> Vec<PathBuf> {
        let paths = names.iter().map(|name| self.folder.path().join(name));
        paths.collect()
    }
}

/// FILE_NUM and STATE have other places in other schemas.
#[test]
fn inputs_of_other_columns_are_refused() {
    let files = Files::new();
    let groups = |names: &[&str]| {
        let by = fecscan::scan(files.paths(names)).group_by("FILE_NUM, month(date)");
        let grouped = by.unwrap().sum("amount").unwrap().run();
        let grouped = grouped.map_err(|error| error.to_string())?;
        Ok::<_, String>(
            grouped
                .iter()
                .map(|group| group.to_string())
                .collect::<Vec<_>>(),
        )
    };
    let shown = |file: &str, month: &str, count: u64, sum: &str| {
        format!("{file}, {month}, count {count}, sum(amount) {sum}")
    };
    let expected = |file: &str, times: u64| {
        let of = |month, count: u64, sum: u64| {
            shown(file, month, count * times, &format!("{}.00", sum * times))
        };
        vec![
            of("3", 2, 300),
            of("4", 2, 100),
            of("5", 3, 50),
            of("NULL", 1, 0),
        ]
    };
    assert_eq!(groups(&["itcont.txt"]), Ok(expected("1230001", 1)));
    assert_eq!(
        groups(&["itcont.txt", "itoth.txt"]),
        Ok(expected("1230001", 2))
    );
    assert_eq!(groups(&["itpas2.txt"]), Ok(expected("777", 1)));
    assert_eq!(
        groups(&["oppexp.txt"]),
        Ok(vec![shown("2", "3", 1, "12.50")])
    );
    for names in [
        ["itcont.txt", "itpas2.txt"],
        ["itpas2.txt", "itcont.txt"],
        ["itcont.txt", "oppexp.txt"],
    ] {
        let error = groups(&names).unwrap_err();
        assert!(
            error.contains(names[1]) && error.contains("the statement is about"),
            "{error}"
        );
    }
}

/// The kinds of rows are counted where there is a MEMO_CD. Expenditures have no types, and so no refunds.
#[test]
fn row_kinds_are_those_of_inputs_that_have_them() {
    let files = Files::new();
    let text = |names: &[&str], more: &[&str]| {
        let ended = run(fecscan(["by", "STATE", "-f", "text"])
            .args(more)
            .args(files.paths(names)));
        assert_eq!(ended.status, 0, "{}", ended.err);
        ended.out
    };
    for (names, more, refunds) in [
        (&["itcont.txt"][..], &[][..], Some(1)),
        (&["itcont.txt", "itoth.txt"], &[], Some(2)),
        (&["itcont.txt"], &["--contributions"], None),
        (&["itcont.txt"], &["--where", "amount > 0"], None),
        (&["oppexp.txt"], &[], None),
    ] {
        let found = text(names, more);
        let shown = refunds.map(|refunds| format!("refunds {refunds},"));
        assert_eq!(
            found.contains("Among them: "),
            refunds.is_some(),
            "{names:?} {more:?}: {found}"
        );
        assert!(shown.is_none_or(|shown| found.contains(&shown)), "{found}");
    }
}
