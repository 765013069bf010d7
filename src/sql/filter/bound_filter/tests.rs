//! Filters on vectors of rows against tests of bytes, one after the other.

use std::sync::Arc;

use super::super::Filter;
use super::*;
use crate::fec::schema::Schema;
use crate::scan::simd::Simd;
use crate::scan::{Chunk, Need, Scan, Scratch};

/// Values of up to ten bytes: beginnings of each other, with zeros, and with bytes that differ in one place.
fn values() -> Vec<Vec<u8>> {
    let whole = [
        &b"ABCDEFGHIJ"[..],
        b"ABCDEFGZIJ",
        b"ABXDEFGHIJ",
        b"\0\0\0\0\0\0\0\0\0\0",
        b"\0A\0A\0A\0A\0A",
        b"\xff\xfe\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    let beginnings = whole
        .iter()
        .flat_map(|text| (0..=text.len()).map(|length| text[..length].to_vec()));
    beginnings.collect()
}

/// Says whether a cell with these bytes passes.
type Decides = Box<dyn Fn(&[u8]) -> bool>;

/// What stands behind a cell changes nothing, not even that it ends the haystack.
#[test]
fn prefixes_decide_as_bytes_do() {
    let cells = values();
    let mut tests: Vec<(Predicate, Decides)> = Vec::new();
    for value in values() {
        let is = Predicate::of_texts([value.clone().into()]);
        let begins = Predicate::beginning(&value);
        let prefixes = [&is, &begins].map(Predicate::prefix);
        assert_eq!(prefixes[0].is_some(), value.len() > 8);
        let [first, other] = [value.clone(), value.clone()];
        tests.push((is, Box::new(move |cell| cell == first)));
        tests.push((begins, Box::new(move |cell| cell.starts_with(&other))));
        let [is, begins] = prefixes;
        if let (Some(is), Some(begins)) = (is, begins) {
            let [first, other] = [value.clone(), value.clone()];
            let passes = move |cell: &[u8]| cell.len() == first.len() && cell[..8] == first[..8];
            tests.push((is, Box::new(passes)));
            let passes = move |cell: &[u8]| cell.len() >= other.len() && cell[..8] == other[..8];
            tests.push((begins, Box::new(passes)));
        }
    }
    let lists: [&[&[u8]]; 5] = [
        &[b"AB", b"\0", b"ABCD"],
        &[b"AB", b""],
        &[b"A", b"A"],
        &[b"ABCDEFGH", b"\0\0"],
        &[b"", b""],
    ];
    for list in lists {
        let list_of = |texts: &[&[u8]]| Predicate::of_texts(texts.iter().map(|&text| text.into()));
        let short = list_of(list);
        assert!(matches!(short, Predicate::Short(_)), "{short:?}");
        tests.push((short, Box::new(move |cell| list.contains(&cell))));
        let long = [list, &[b"ABCDEFGHIJ"]].concat();
        let listed = list_of(&long);
        assert!(matches!(listed, Predicate::In(_)), "{listed:?}");
        let first = |text: &[u8]| text[..text.len().min(8)].to_vec();
        let texts: Vec<_> = long.iter().map(|text| first(text)).collect();
        let passes = move |cell: &[u8]| texts.contains(&first(cell));
        tests.push((listed.prefix().unwrap(), Box::new(passes)));
        tests.push((listed, Box::new(move |cell| long.contains(&cell))));
    }
    for (test, expected) in &tests {
        for behind in [&b""[..], b"\0\0\0\0\0\0\0\0", b"ABCDEFGHIJ", b"|"] {
            for some in cells.chunks(ROWS) {
                let haystack = some.iter().map(|cell| [cell, behind].concat());
                let haystack = haystack.collect::<Vec<_>>().concat();
                let mut start = 0;
                let spans: Vec<_> = some
                    .iter()
                    .map(|cell| {
                        let span = start..start + cell.len();
                        start = span.end + behind.len();
                        span
                    })
                    .collect();
                let vector = Vector::of(&haystack, &spans);
                let hold = test.hold(&vector, some.len(), &mut Evaluation::default());
                for (bytes, holds) in some.iter().zip(hold) {
                    let what = || format!("{test:?} {} {behind:?}", bytes.escape_ascii());
                    assert_eq!(holds, expected(bytes), "{}", what());
                }
            }
        }
    }
}

/// A condition, and the truth of it for the columns of a row. None is NULL.
type Condition = (&'static str, fn(&[&str]) -> Option<bool>);

/// Returns the year of a row, unless it is empty.
fn year(row: &[&str]) -> Option<u32> {
    row[1].parse().ok()
}

/// Conditions that most rows pass, few, some and none, before and behind one that takes more than a head.
const CONDITIONS: [Condition; 13] = [
    ("CAND_ID = 'HX23456789'", |row| Some(row[0] == "HX23456789")),
    ("CMTE_ID IN ('C00000001', 'C00000002', 'C0000000')", |row| {
        Some(["C00000001", "C00000002"].contains(&row[3]))
    }),
    ("CMTE_TP <> 'X'", |row| Some(row[4] != "X")),
    ("CMTE_DSGN IN ('P', 'A')", |row| {
        Some(["P", "A"].contains(&row[5]))
    }),
    ("CAND_ID LIKE 'H%'", |row| Some(row[0].starts_with('H'))),
    ("CAND_ELECTION_YR = 2018", |row| Some(year(row)? == 2018)),
    ("CAND_ELECTION_YR >= 2018", |row| Some(year(row)? >= 2018)),
    ("CAND_ELECTION_YR < 2018 OR CMTE_TP = 'H'", |row| {
        match (year(row).map(|year| year < 2018), row[4] == "H") {
            (_, true) => Some(true),
            (is_before, false) => is_before,
        }
    }),
    ("CMTE_TP = ''", |row| Some(row[4].is_empty())),
    ("LINKAGE_ID ~ '[13579]'", |row| {
        Some(row[6].contains(['1', '3', '5', '7', '9']))
    }),
    ("starts_with(CMTE_ID, 'C00000001')", |row| {
        Some(row[3].starts_with("C00000001"))
    }),
    ("CMTE_TP > 'H'", |row| Some(row[4] > "H")),
    ("CMTE_DSGN = 'none'", |row| Some(row[5] == "none")),
];

/// Tests any three conditions on few rows and on many, with and without a row that lacks columns. Rows that are left out only because of an
/// empty year are counted in any order of the conditions.
#[test]
fn rows_pass_all_tests_of_several_columns() {
    let random = |nth: usize| (nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as u32;
    let line = |nth: usize| {
        let pick = |of: u32, salt: usize| random(nth * 8 + salt) % of;
        let id = ["H1", "HX23456789", "S0", "P00000001"][pick(4, 1) as usize];
        let year = ["2018", "2018", "2016", ""][pick(4, 2) as usize];
        let kind = ["H", "H", "P", "X", ""][pick(5, 3) as usize];
        let design = ["P", "A", "P", "U"][pick(4, 4) as usize];
        format!(
            "{id}|{year}|2018|C0000000{}|{kind}|{design}|{}",
            pick(3, 5),
            pick(1000, 6)
        )
    };
    for rows in [1, 2, 31, 32, 33, 64, 95, 700] {
        for odd in [None, Some(rows / 2)] {
            let lines = (0..rows).map(|nth| {
                if odd == Some(nth) {
                    "H1|2018".to_owned()
                } else {
                    line(nth + rows)
                }
            });
            let lines: Vec<String> = lines.collect();
            let text = lines.join("\n");
            for one in CONDITIONS {
                for other in CONDITIONS {
                    for third in CONDITIONS {
                        let conditions = [one, other, third];
                        let passes = |line: &str, or_null: bool| {
                            let mut row: Vec<&str> = line.split('|').collect();
                            row.resize(7, "");
                            let mut conditions = conditions.iter();
                            conditions.all(|(_, truth)| truth(&row).unwrap_or(or_null))
                        };
                        let expected: Vec<_> =
                            lines.iter().filter(|line| passes(line, false)).collect();
                        let or_null = lines.iter().filter(|line| passes(line, true));
                        let unread = or_null.count() - expected.len();
                        let filter = Filter::new(conditions.map(|(text, ..)| text)).unwrap();
                        for simd in Simd::available() {
                            let bound = filter.bind(Schema::Ccl).unwrap();
                            let (found, found_unread) = rows_of(&text, simd, bound);
                            assert!(
                                found.iter().eq(expected.iter().copied())
                                    && found_unread == unread as u64,
                                "{} {rows} rows, {:?}",
                                simd.name(),
                                conditions.map(|(text, _)| text)
                            );
                        }
                    }
                }
            }
        }
    }
}

fn scan(simd: Simd, filter: Option<Arc<dyn RowFilter>>) -> Scan {
    Scan {
        filter,
        ..Scan::of(simd, Need::Rows(vec![0]), 7)
    }
}

/// Returns the lines that pass, and how many are left out only because of an empty year.
fn rows_of(text: &str, simd: Simd, filter: Option<Arc<dyn RowFilter>>) -> (Vec<String>, u64) {
    let chunk = Chunk {
        haystack: text.as_bytes(),
        range: 0..text.len(),
        offset: 0,
    };
    let mut found = Vec::new();
    let show = &mut |rows: &Rows<'_>| {
        let lines = rows
            .iter()
            .map(|row| String::from_utf8(row.line().to_vec()));
        found.extend(lines.map(|line| line.unwrap()));
        Ok(())
    };
    let lines = scan(simd, filter)
        .chunk(&chunk, &mut Scratch::default(), show)
        .unwrap();
    (found, lines.unread)
}

/// A thread may have more filters after one that failed, as in a program that asks several questions.
#[test]
fn rows_are_counted_anew_after_a_filter_that_failed() {
    let row = |year: &str, linkage: &str| format!("H1|{year}|2018|C1|H|P|{linkage}\n");
    let before = row("", "1") + &row("2018", "1").repeat(50);
    let text = before.clone() + &row("2018", "x");
    let bind = |conditions: &[&str]| {
        let filter = Filter::new(conditions).unwrap();
        filter.bind(Schema::Ccl).unwrap()
    };
    let year = "CAND_ELECTION_YR = 2018";
    for simd in Simd::available() {
        let chunk = Chunk {
            haystack: text.as_bytes(),
            range: 0..text.len(),
            offset: 0,
        };
        let failing = bind(&[year, "CAST(LINKAGE_ID AS INTEGER) = 1"]);
        let failed = scan(simd, failing).chunk(&chunk, &mut Scratch::default(), &mut |_| Ok(()));
        assert!(failed.is_err(), "{}", simd.name());
        let (found, nulls) = rows_of(&before, simd, bind(&[year]));
        assert_eq!((found.len(), nulls), (50, 1), "{}", simd.name());
    }
}

/// Rows that a filter leaves know where they stand.
#[test]
fn rows_behind_a_filter_have_the_numbers_and_places_of_their_lines() {
    let rows = [
        "H1|2018",
        "S|2018|2018|C|H|P|1",
        "H2|2018|2018|C|H|P|2",
        "",
        "HX",
    ];
    let text: Vec<&str> = (0..2000).map(|nth| rows[nth * nth % 11 % 5]).collect();
    let text = text.join("\n");
    let filter = Filter::new(["CAND_ID LIKE 'H%'"])
        .unwrap()
        .bind(Schema::Ccl)
        .unwrap();
    for simd in Simd::available() {
        let chunk = Chunk {
            haystack: text.as_bytes(),
            range: 0..text.len(),
            offset: 70_000,
        };
        let mut start = 70_000;
        let mut expected = Vec::new();
        for (number, line) in (0_u64..).zip(text.split('\n')) {
            if line.starts_with('H') {
                expected.push((number, start, line.as_bytes().to_vec()));
            }
            start += line.len() as u64 + 1;
        }
        let mut found = Vec::new();
        let show = &mut |rows: &Rows<'_>| {
            let rows = rows.iter();
            found.extend(rows.map(|row| (row.number_in_chunk(), row.byte(), row.line().to_vec())));
            Ok(())
        };
        let scan = scan(simd, filter.clone());
        scan.chunk(&chunk, &mut Scratch::default(), show).unwrap();
        assert!(found == expected, "{}", simd.name());
    }
}
