//! The shape and the proportions of a million rows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use fecscan::generate::Recipe;
use fecscan::generate::months::TABLE;

use crate::common::statistics::check_proportions;
use crate::common::twin;
use crate::{IMAGE_NUM, assert_between, rows};

const ROWS: usize = 1_000_000;

// The columns, counted from zero.
const NAME: usize = 7;
const EMPLOYER: usize = 11;
const OCCUPATION: usize = 12;
const TRANSACTION_DT: usize = 13;
const TRANSACTION_AMT: usize = 14;
const OTHER_ID: usize = 15;
const MEMO_TEXT: usize = 19;
const SUB_ID: usize = 20;

/// A million rows, split into columns.
fn million() -> &'static Vec<Vec<&'static [u8]>> {
    static MILLION: OnceLock<Vec<Vec<&[u8]>>> = OnceLock::new();
    MILLION.get_or_init(|| {
        let bytes: &[u8] = rows(ROWS as u64, Recipe::default()).leak();
        twin::lines_of(bytes)
            .into_iter()
            .map(twin::columns)
            .collect()
    })
}

/// How many of a million rows satisfy `condition`, in per cent.
fn per_cent(condition: impl Fn(&[&[u8]]) -> bool) -> f64 {
    million().iter().filter(|row| condition(row)).count() as f64 * 100.0 / ROWS as f64
}

#[test]
fn rows_have_the_shape_of_real_ones() {
    let million = million();
    assert_eq!(million.len(), ROWS);
    assert!(million.iter().all(|row| row.len() == 21));
    let lengths = million
        .iter()
        .map(|row| row.iter().map(|column| column.len() + 1).sum::<usize>());
    let (shortest, longest) = lengths
        .clone()
        .fold((usize::MAX, 0), |(min, max), n| (min.min(n), max.max(n)));
    assert_between(lengths.sum::<usize>() as f64 / ROWS as f64, 175.0..195.0);
    assert!(
        shortest >= 84 && longest <= 302,
        "rows of {shortest} to {longest} bytes"
    );

    let digits = |column: &[u8], lengths: &[usize]| {
        lengths.contains(&column.len()) && column.iter().all(u8::is_ascii_digit)
    };
    for row in million {
        assert!(digits(row[IMAGE_NUM], &[18]), "{row:?}");
        assert!(digits(row[10], &[0, 5, 9]), "{row:?}");
        assert!(digits(row[TRANSACTION_DT], &[0, 8]), "{row:?}");
        assert!(digits(row[SUB_ID], &[19]), "{row:?}");
        let amount = row[TRANSACTION_AMT];
        assert!(
            digits(amount.strip_prefix(b"-").unwrap_or(amount), &[1, 2, 3, 4]),
            "{row:?}"
        );
        assert_ne!(amount, b"-0");
        assert!(row.iter().all(|column| column.is_ascii()));
    }
    let unique: HashSet<_> = million.iter().map(|row| row[SUB_ID]).collect();
    assert_eq!(unique.len(), ROWS, "SUB_ID identifies a row");
}

#[test]
fn columns_are_empty_and_odd_as_often_as_in_real_files() {
    let has = |column: usize, part: &'static [u8]| {
        move |row: &[&[u8]]| row[column].windows(part.len()).any(|w| w == part)
    };
    assert_between(per_cent(|row| !row[NAME].contains(&b',')), 0.2..0.4);
    assert_between(per_cent(has(NAME, b"  ")), 0.5..3.0);
    assert_between(per_cent(has(NAME, b", JR., ")), 0.02..0.1);
    assert_between(per_cent(has(NAME, b" MR.")), 0.3..2.0);
    assert_between(per_cent(has(NAME, b" & ")), 1.0..5.0);
    assert_between(per_cent(|row| row[OTHER_ID].is_empty()), 50.0..90.0);
    assert_between(per_cent(|row| row[MEMO_TEXT].is_empty()), 50.0..90.0);
    assert_between(per_cent(has(MEMO_TEXT, b"EARMARK")), 10.0..40.0);
    assert_between(per_cent(has(TRANSACTION_AMT, b"-")), 0.2..2.0);
    assert_between(per_cent(|row| row[TRANSACTION_AMT] == b"0"), 0.02..0.5);
    assert_between(per_cent(|row| row[TRANSACTION_DT].is_empty()), 0.1..1.0);
    for byte in [b"\"", b"'", b"\\", b"#"] {
        let in_either = |row: &[&[u8]]| {
            [EMPLOYER, OCCUPATION]
                .iter()
                .any(|&column| has(column, byte)(row))
        };
        assert_between(per_cent(in_either), 0.2..10.0);
    }
    // The gift is made in the month before it is filed, in most rows.
    let index = |year: &[u8], month: &[u8]| {
        let number = |digits: &[u8]| std::str::from_utf8(digits).unwrap().parse::<i32>().unwrap();
        number(year) * 12 + number(month)
    };
    let months_before = |row: &[&[u8]]| {
        let (filed, given) = (row[IMAGE_NUM], row[TRANSACTION_DT]);
        (!given.is_empty())
            .then(|| index(&filed[..4], &filed[4..6]) - index(&given[4..], &given[..2]))
    };
    assert_between(per_cent(|row| months_before(row) == Some(1)), 84.0..86.0);
    assert_between(per_cent(|row| months_before(row) == Some(0)), 2.0..3.0);
}

#[test]
fn first_names_have_a_head_and_a_tail() {
    let mut names: HashMap<&[u8], u64> = HashMap::new();
    for row in million() {
        if let Some(name) = fecscan::fec::first_name::first_name(row[NAME]) {
            *names.entry(name).or_default() += 1;
        }
    }
    let share = |name: &[u8]| names[name] as f64 * 100.0 / ROWS as f64;
    assert_between(share(b"JOHN"), 2.5..2.7);
    assert!(
        names
            .iter()
            .all(|(name, &lines)| *name == b"JOHN" || lines < names[&b"JOHN"[..]])
    );
    assert_between(share(b"ROBERT"), 2.0..2.5);
    let initials: u64 = names
        .iter()
        .filter(|(name, _)| name.len() == 1)
        .map(|(_, lines)| lines)
        .sum();
    assert_between(initials as f64 * 100.0 / ROWS as f64, 0.9..1.1);
    assert!(
        names.len() > 20_000,
        "{} different first names",
        names.len()
    );
    assert!(
        names.keys().any(|name| name.len() > 15),
        "some are longer than a key"
    );
}

fn lines_by_month() -> BTreeMap<&'static [u8], u64> {
    let mut months = BTreeMap::new();
    million()
        .iter()
        .for_each(|row| *months.entry(&row[IMAGE_NUM][..6]).or_default() += 1);
    months
}

#[test]
fn months_come_in_the_proportions_of_the_table_and_in_runs() {
    let months = lines_by_month();
    let found: Vec<u64> = TABLE
        .iter()
        .map(|(month, _)| *months.get(month.to_string().as_bytes()).unwrap_or(&0))
        .collect();
    assert_eq!(
        found.iter().sum::<u64>(),
        ROWS as u64,
        "every month is of the table"
    );
    let expected = TABLE.map(|(_, lines)| f64::from(lines));
    check_proportions(&found, &expected).unwrap();
    let total: f64 = expected.iter().sum();
    for (&found, &expected) in found.iter().zip(&expected) {
        let share = expected / total;
        let deviation = (ROWS as f64 * share * (1.0 - share)).sqrt();
        assert!(
            (found as f64 - ROWS as f64 * share).abs() <= 3.0 * deviation.max(1.0),
            "{found} for {share}"
        );
    }
    let changes = million()
        .windows(2)
        .filter(|pair| pair[0][IMAGE_NUM][..6] != pair[1][IMAGE_NUM][..6])
        .count();
    assert_between(ROWS as f64 / changes as f64, 10.0..100.0);

    // What the check is worth: uniform months fail it, and so does a table that is off by one
    // month.
    assert!(check_proportions(&[ROWS as u64 / 25; 25], &expected).is_err());
    let mut rotated = found.clone();
    rotated.rotate_right(1);
    assert!(check_proportions(&rotated, &expected).is_err());
}
