//! Groups by keys of a few bytes, and by others among them, against a map.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use super::tests::{Known, file_of, grouped, line};
use crate::engine::{Engine, Options};
use crate::fec::amount::{Hundredths, hundredths};
use crate::fold::by::{AggregateKind, ByFold, GroupQuestion};
use crate::scan::simd::Simd;

/// A row: city, state, zip code, date and amount.
type Row = [String; 5];

/// Rows in stretches of several blocks. Some have short cities, others long ones, and others both in turn.
/// Some values have no key, and some amounts are no numbers.
fn rows() -> Vec<Row> {
    let random = |nth: u64, salt: u64| {
        let mixed = (8 * nth + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40
    };
    let row = |nth: u64| {
        let name = random(nth, 0) % 400;
        let is_long = match nth / 5000 % 3 {
            0 => false,
            1 => true,
            _ => nth.is_multiple_of(3),
        };
        let city = match (is_long, name % 50) {
            (_, 0) => String::new(),
            (_, 1) => format!("\0{name}"),
            (true, _) => format!("CITY OF SOME LENGTH {name}"),
            (false, _) => format!("C{name}"),
        };
        let state = ["TX", "CA", "", "NY"][random(nth, 1) as usize % 4];
        let zip = match random(nth, 2) % 20_000 {
            zip @ 0..100 => zip.to_string(),
            zip => format!("{zip:05}1234"),
        };
        let date = match random(nth, 3) % 300 {
            0 => String::new(),
            1 => "13322018".to_owned(),
            2 => "1/2/2018".to_owned(),
            day => format!("{:02}{:02}2018", 1 + day % 12, 1 + day % 28),
        };
        let amount = match random(nth, 4) % 500 {
            0 => String::new(),
            1 => "none".to_owned(),
            2 => "123456789012345678901234567890".to_owned(),
            3 => "-17.5".to_owned(),
            other => (other as i64 * other as i64 - 9000).to_string(),
        };
        [city, state.to_owned(), zip, date, amount]
    };
    (0..32_000).map(row).collect()
}

fn month(date: &str) -> String {
    if date == "1/2/2018" {
        return "2018-01".to_owned();
    }
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    if is_date && &date[..2] <= "12" {
        format!("{}-{}", &date[4..], &date[..2])
    } else {
        String::new()
    }
}

fn zip5(zip: &str) -> &str {
    zip.get(..5).unwrap_or_default()
}

/// The keys of a question, and those of a row.
type Keys = (&'static str, fn(&Row) -> Vec<String>);

const KEYS: [Keys; 7] = [
    ("STATE", |row| vec![row[1].clone()]),
    ("CITY", |row| vec![row[0].clone()]),
    ("STATE,CITY", |row| vec![row[1].clone(), row[0].clone()]),
    ("CITY,STATE", |row| vec![row[0].clone(), row[1].clone()]),
    ("zip5(ZIP_CODE)", |row| vec![zip5(&row[2]).to_owned()]),
    ("month(TRANSACTION_DT),zip5(ZIP_CODE)", |row| {
        vec![month(&row[3]), zip5(&row[2]).to_owned()]
    }),
    ("month(TRANSACTION_DT),STATE,CITY", |row| {
        vec![month(&row[3]), row[1].clone(), row[0].clone()]
    }),
];

#[test]
fn keys_of_few_bytes_and_others_come_to_what_a_map_would() {
    let rows = rows();
    let columns = [
        "CITY",
        "STATE",
        "ZIP_CODE",
        "TRANSACTION_DT",
        "TRANSACTION_AMT",
    ];
    let file = file_of(rows.iter().map(|row| {
        let values = row.each_ref().map(String::as_str);
        line(&columns.into_iter().zip(values).collect::<Vec<_>>())
    }));
    for (keys, key) in KEYS {
        let mut expected: BTreeMap<Vec<String>, Known> = BTreeMap::new();
        for row in &rows {
            let group = expected.entry(key(row)).or_default();
            let amount = hundredths(row[4].as_bytes()).map(Hundredths);
            group.add(amount.and_then(Hundredths::amount).map(i128::from));
        }
        for simd in Simd::available() {
            for (threads, aggregates) in [(1, 0), (1, 1), (2, 1), (1, 2)] {
                let mut question = GroupQuestion::new(keys).unwrap();
                let kinds = &[AggregateKind::Sum, AggregateKind::Min][..aggregates];
                for kind in kinds {
                    question.add_aggregate(*kind, "TRANSACTION_AMT").unwrap();
                }
                let fold = ByFold::new(question);
                let engine = Engine::new(Options {
                    simd,
                    threads: NonZeroUsize::new(threads).unwrap(),
                    ..Options::default()
                });
                let grouped = grouped(&fold, &engine, &file);
                let what = format!("{keys}, {}, {aggregates} aggregates", simd.name());
                assert_eq!(grouped.len(), expected.len(), "{what}");
                for found in grouped.iter() {
                    let key: Vec<_> = (0..keys.split(',').count())
                        .map(|nth| String::from_utf8(found.key(nth).to_vec()).unwrap())
                        .collect();
                    let group = expected
                        .get(&key)
                        .unwrap_or_else(|| panic!("{what} {key:?}"));
                    assert_eq!(found.count(), group.rows, "{what} {key:?}");
                    for (nth, kind) in kinds.iter().enumerate() {
                        assert_eq!(found.value(nth), group.value(*kind), "{what} {key:?}");
                    }
                }
            }
        }
    }
}
