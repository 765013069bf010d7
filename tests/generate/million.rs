//! The shape and the proportions of a million rows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use fecscan::generate::Recipe;

use crate::common::twin;
use crate::generate::{IMAGE_NUM, assert_between, rows};

const ROWS: usize = 1_000_000;

// The places of columns, from zero.
const NAME: usize = 7;
const EMPLOYER: usize = 11;
const OCCUPATION: usize = 12;
const TRANSACTION_DT: usize = 13;
const TRANSACTION_AMT: usize = 14;
const OTHER_ID: usize = 15;
const MEMO_TEXT: usize = 19;
const SUB_ID: usize = 20;

/// Returns a million rows, split into columns.
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

/// Returns the share of rows that satisfy `condition`, in per cent.
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
    // The 2018 file has 3,510,318,573 bytes in 18,245,416 lines.
    assert_between(lengths.sum::<usize>() as f64 / ROWS as f64, 191.4..193.4);
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

/// Compares with the mean lengths in a sample of 10,000 real rows of 2015 to 2018.
#[test]
fn columns_are_as_long_as_real_ones() {
    let real = [
        9.0, 1.0, 2.32, 0.9, 17.92, 2.41, 3.0, 15.51, 9.06, 2.0, 7.24, 13.6, 12.98, 8.0, 2.23,
        3.56, 13.31, 7.0, 0.01, 21.24, 19.0,
    ];
    for (column, real) in real.into_iter().enumerate() {
        let bytes: usize = million().iter().map(|row| row[column].len()).sum();
        let found = bytes as f64 / ROWS as f64;
        let tolerance = 0.1_f64.max(real * 0.1);
        assert!(
            (found - real).abs() <= tolerance,
            "column {column}: {found}, not {real}"
        );
    }
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
    assert_between(per_cent(|row| row[OTHER_ID].is_empty()), 55.0..65.0);
    assert_between(per_cent(|row| row[MEMO_TEXT].is_empty()), 45.0..55.0);
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

fn first_names<'a>(names: impl Iterator<Item = &'a [u8]>) -> HashMap<&'a [u8], u64> {
    let mut lines = HashMap::new();
    names
        .filter_map(fecscan::fec::first_name::first_name)
        .for_each(|name| *lines.entry(name).or_default() += 1);
    lines
}

#[test]
fn first_names_have_a_head_and_a_tail() {
    let names = first_names(million().iter().map(|row| row[NAME]));
    let share = |name: &[u8]| names[name] as f64 * 100.0 / ROWS as f64;
    assert_between(share(b"JOHN"), 2.55..2.65);
    let john = names[&b"JOHN"[..]];
    assert!(
        names
            .iter()
            .all(|(name, &lines)| *name == b"JOHN" || lines < john)
    );
    assert_between(share(b"ROBERT"), 2.0..2.5);
    let initials = names.iter().filter(|(name, _)| name.len() == 1);
    let initials: u64 = initials.map(|(_, lines)| lines).sum();
    assert_between(initials as f64 * 100.0 / ROWS as f64, 0.9..1.1);
    // Between the 2,500 names of 20,000 rows and the 51,000 of 18 million.
    assert_between(names.len() as f64, 13_000.0..15_000.0);
    let longest = names.keys().map(|name| name.len()).max();
    assert!(longest > Some(15), "some are longer than a key");
}

#[test]
fn twenty_thousand_rows_have_as_many_first_names_as_real_ones() {
    for seed in 1..=5 {
        let mut recipe = Recipe::default();
        recipe.seed = seed;
        let bytes = rows(20_000, recipe);
        let lines = twin::lines_of(&bytes);
        let names = first_names(lines.iter().map(|line| twin::columns(line)[NAME]));
        assert_between(names.len() as f64, 2_468.0 * 0.95..2_605.0 * 1.05);
    }
}

/// The months and lines of the 2018 file.
const MONTHS: [(&str, u32); 25] = [
    ("201701", 21),
    ("201702", 36_367),
    ("201703", 78_664),
    ("201704", 254_810),
    ("201705", 197_636),
    ("201706", 180_699),
    ("201707", 768_051),
    ("201708", 298_740),
    ("201709", 377_544),
    ("201710", 585_708),
    ("201711", 346_019),
    ("201712", 486_447),
    ("201801", 1_252_689),
    ("201802", 765_317),
    ("201803", 271_267),
    ("201804", 3_033_610),
    ("201805", 533_304),
    ("201806", 496_569),
    ("201807", 1_105_070),
    ("201808", 733_865),
    ("201809", 1_264_597),
    ("201810", 2_615_902),
    ("201811", 302_025),
    ("201812", 2_259_957),
    ("201901", 538),
];

/// Checks that every count is within three standard deviations of its share.
fn check_proportions(found: &[u64], shares: &[f64]) -> Result<(), String> {
    let rows = found.iter().sum::<u64>() as f64;
    for (&found, share) in found.iter().zip(shares) {
        let deviation = (rows * share * (1.0 - share)).sqrt().max(1.0);
        if (found as f64 - rows * share).abs() > 3.0 * deviation {
            return Err(format!("{found} of {rows} for a share of {share}"));
        }
    }
    Ok(())
}

#[test]
fn months_come_in_the_proportions_of_the_2018_file_and_in_filings() {
    let month = |row: &[&'static [u8]]| std::str::from_utf8(&row[IMAGE_NUM][..6]).unwrap();
    let mut lines: BTreeMap<&str, u64> = MONTHS.map(|(month, _)| (month, 0)).into();
    million()
        .iter()
        .for_each(|row| *lines.entry(month(row)).or_default() += 1);
    assert_eq!(lines.len(), MONTHS.len(), "no other months: {lines:?}");
    let found: Vec<u64> = lines.into_values().collect();
    let shares = MONTHS.map(|(_, lines)| f64::from(lines) / 18_245_416.0);
    check_proportions(&found, &shares).unwrap();

    let changes = million()
        .windows(2)
        .filter(|pair| month(&pair[0]) != month(&pair[1]));
    assert_between(ROWS as f64 / changes.count() as f64, 10.0..100.0);

    // The check itself finds uniform months, and months that are off by one.
    assert!(check_proportions(&[ROWS as u64 / 25; 25], &shares).is_err());
    let mut rotated = found.clone();
    rotated.rotate_right(1);
    assert!(check_proportions(&rotated, &shares).is_err());
}
