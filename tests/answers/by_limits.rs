//! The limits of groups: amounts of too many digits, too many groups, more than one piece of output.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};

use fecscan::render::{self, Format, Show};

use crate::common::by::By;
use crate::common::condition;
use crate::common::run::settings;

/// Rows of one column of indiv before others of one number.
fn rows_of(rows: &[(&str, &str)]) -> Vec<u8> {
    let row = |(state, amount): &(&str, &str)| {
        let before = "C00990001|N|M4|P|201804129112345678|15|IND|ROE, ANN|CITY";
        format!("{before}|{state}|97477|E|O|04122018|{amount}||T|1|||2\n")
    };
    rows.iter().map(row).collect::<String>().into_bytes()
}

/// Amounts of more than fourteen digits are not numbers, as in typed columns.
#[test]
fn sums_are_exact_up_to_the_greatest_amounts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let (most, least, beyond) = ("999999999999.99", "-999999999999.99", "1000000000000");
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<usize>);
    let cases: [Case<'_>; 4] = [
        (&[("CA", most), ("CA", "0.01"), ("CA", beyond)], None),
        (
            &[("CA", least), ("CA", least), ("NY", "-1000000000000.00")],
            None,
        ),
        (
            &[("CA", most), ("NY", most), ("CA", least), ("NY", "0")],
            None,
        ),
        (
            &[
                ("CA", most),
                ("NY", most),
                ("TX", "000000000000000000001"),
                ("TX", beyond),
            ],
            Some(1),
        ),
    ];
    for (rows, top) in cases {
        fs::write(&path, rows_of(rows)).unwrap();
        let mut amounts: BTreeMap<_, Vec<i128>> = BTreeMap::new();
        for (state, amount) in rows {
            let hundredths = condition::decimal(amount.as_bytes()).unwrap();
            let is_amount = hundredths.trim_start_matches('-').len() <= 14;
            let group = amounts.entry(*state).or_default();
            group.extend(is_amount.then(|| hundredths.parse::<i128>().unwrap()));
        }
        type Aggregate = fn(&[i128]) -> Option<i128>;
        let aggregates: [(&str, Aggregate); 3] = [
            ("sum", |all| (!all.is_empty()).then(|| all.iter().sum())),
            ("min", |all| all.iter().min().copied()),
            ("max", |all| all.iter().max().copied()),
        ];
        for (name, of) in aggregates {
            for descends in [true, false] {
                let mut expected: Vec<_> = amounts
                    .iter()
                    .map(|(state, all)| (*state, of(all)))
                    .collect();
                // NULL is the last in either order.
                expected.sort_by_key(|(state, value)| {
                    let value = value.map(|value| if descends { -value } else { value });
                    (value.is_none(), value, *state)
                });
                let shown = expected.iter().map(|(state, value)| {
                    let value = value.map_or("NULL".to_owned(), |value| {
                        let (sign, value) =
                            (if value < 0 { "-" } else { "" }, value.unsigned_abs());
                        format!("{sign}{}.{:02}", value / 100, value % 100)
                    });
                    format!("{state} {value}")
                });
                let shown: Vec<_> = shown.take(top.unwrap_or(usize::MAX)).collect();
                let order = format!("{name}(amount){}", if descends { " DESC" } else { "" });
                let by = By::new("STATE", &format!("{name}(amount)")).sorted(&order, top);
                for setting in settings(&[1, 4], &[1, 200, 1 << 20]) {
                    let grouped = by.grouped(&setting, &[&path]).unwrap();
                    let found = grouped.iter().map(|group| {
                        let value = group.value(0);
                        let value = value
                            .bytes()
                            .map_or("NULL".into(), |text| text.into_owned());
                        format!("{} {}", group.key(0), String::from_utf8(value).unwrap())
                    });
                    assert_eq!(found.collect::<Vec<_>>(), shown, "{order} {setting:?}");
                }
            }
        }
    }
}

#[test]
fn too_many_groups_are_an_error_for_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let states: Vec<_> = (0..500).map(|nth| format!("S{}", nth % 50)).collect();
    let rows: Vec<_> = states.iter().map(|state| (&state[..], "1")).collect();
    fs::write(&path, rows_of(&rows)).unwrap();
    // A distinct value counts as a group does.
    for (keys, aggregates, groups) in [
        ("STATE", "", 50),
        ("STATE, amount > 0", "", 50),
        ("amount", "count(DISTINCT STATE)", 51),
    ] {
        for setting in settings(&[1, 4], &[300, 1 << 20]) {
            let found = |max_groups| {
                let by = By {
                    max_groups: Some(max_groups),
                    ..By::new(keys, aggregates).sorted("", Some(3))
                };
                by.grouped(&setting, &[&path])
            };
            assert!(found(groups).is_ok(), "{keys} {setting:?}");
            let error = found(groups - 1).unwrap_err().with_advice();
            let expected = format!("there are more than {} groups; group by less, ", groups - 1);
            assert!(error.starts_with(&expected), "{setting:?}: {error}");
        }
    }
}

/// Records the sizes of pieces.
struct Pieces(Vec<usize>);

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.push(piece.len());
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn many_groups_are_written_in_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let states: Vec<_> = (0..20_000)
        .map(|nth| format!("STATE NUMBER {nth}"))
        .collect();
    let rows: Vec<_> = states.iter().map(|state| (&state[..], "1")).collect();
    fs::write(&path, rows_of(&rows)).unwrap();
    let setting = settings(&[2], &[1 << 20])[0];
    let grouped = By::new("STATE", "sum(amount)")
        .grouped(&setting, &[&path])
        .unwrap();
    for format in [Format::Text, Format::Csv, Format::Json] {
        let mut pieces = Pieces(Vec::new());
        render::write(&grouped, format, &Show::default(), &mut pieces).unwrap();
        let (all, most) = (pieces.0.iter().sum::<usize>(), pieces.0.iter().max());
        assert!(all > 500_000 && *most.unwrap() < 140_000, "{:?}", pieces.0);
    }
}
