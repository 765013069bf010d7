//! `file`, `member` and `cycle`: columns of every input, in every way of working.

use std::collections::BTreeMap;
use std::fs;

use fecscan::Value;
use fecscan::fec::schema::Schema;

use crate::common::archives::{Member, zip};
use crate::common::by::{By, keys_of};
use crate::common::run::{Way, settings};

type Groups = BTreeMap<Vec<String>, u64>;

/// The columns of a line, counted from one.
fn column(line: &str, number: usize) -> String {
    line.split('|')
        .nth(number - 1)
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn every_row_has_its_file_its_member_and_its_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let rows = fs::read_to_string("fixtures/generated.txt").unwrap();
    let (first, rest) = rows.split_at(rows.match_indices('\n').nth(39).unwrap().0 + 1);
    let inputs = [
        ("indiv22.txt", None, first),
        ("itcont_2024_20240101.txt", None, rest),
        ("indiv18.zip", Some("itcont.txt"), rows.as_str()),
        ("plain.txt", None, rest),
    ];
    let mut paths = Vec::new();
    for (name, member, rows) in inputs {
        let path = folder.path().join(name);
        match member {
            None => fs::write(&path, rows).unwrap(),
            Some(member) => {
                fs::write(&path, zip(&[Member::deflated(member, rows.as_bytes())])).unwrap();
            }
        }
        paths.push(path);
    }
    let cycles = ["2022", "2024", "2018", ""];
    let mut expected = Groups::new();
    let mut later = 0;
    for ((path, (_, member, rows)), cycle) in paths.iter().zip(inputs).zip(cycles) {
        for line in rows.lines() {
            let key = [
                path.to_str().unwrap(),
                member.unwrap_or(""),
                cycle,
                &column(line, 10),
            ];
            *expected.entry(key.map(str::to_owned).to_vec()).or_default() += 1;
            later += u64::from(cycle >= "2022");
        }
    }
    let paths: Vec<_> = paths.iter().map(|path| path.as_path()).collect();
    for setting in settings(&[1, 3], &[100, 1 << 20]) {
        // An archive can't be read from a pipe.
        if setting.way == Way::Stream {
            continue;
        }
        let grouped = By::new("file,member,Cycle,STATE", "").grouped(&setting, &paths);
        let grouped = grouped.unwrap();
        assert_eq!(grouped.key_names(), ["file", "member", "Cycle", "STATE"]);
        let found = (0..grouped.len()).map(|nth| {
            let keys = keys_of(&grouped, nth).into_iter();
            let keys = keys.map(|key| String::from_utf8(key).unwrap());
            (keys.collect(), grouped.group(nth).count())
        });
        assert_eq!(found.collect::<Groups>(), expected, "{setting:?}");

        let by = By::new(
            "cycle",
            "count(DISTINCT member), max(length(cycle::VARCHAR))",
        );
        let by = by.filtered(&["cycle >= 2022".to_owned()]);
        let grouped = by.grouped(&setting, &paths).unwrap();
        assert_eq!(grouped.lines, later, "{setting:?}");
        assert_eq!(grouped.group(0).value(1), Value::Whole(4));
    }
    assert!(Schema::Indiv.column("cycle").unwrap() > 1 << 40);
    assert_eq!(Schema::Indiv.columns().len(), 21);
}
