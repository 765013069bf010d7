//! Rows of the article's shapes, and of the FEC.

use std::collections::HashMap;
use std::iter;

use fecscan::fec::schema::Schema;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use super::quoted;
use crate::common::rounds::full_or_small;
use crate::common::rows::write_rows;

/// Rows of text with the same keys.
pub struct Table {
    pub name: &'static str,
    pub keys: Vec<&'static str>,
    /// The keys as JSON, in their order and by key.
    pub quoted: Vec<Vec<u8>>,
    pub known: HashMap<&'static str, Vec<u8>>,
    /// A line for each row, with a pipe between two values.
    text: String,
}

impl Table {
    fn new(name: &'static str, keys: Vec<&'static str>, text: String) -> Table {
        let quoted: Vec<_> = keys.iter().map(|key| quoted(key)).collect();
        Table {
            name,
            known: iter::zip(keys.iter().copied(), quoted.clone()).collect(),
            keys,
            quoted,
            text,
        }
    }

    pub fn values(&self) -> Vec<&str> {
        let values = self.text.lines().flat_map(|line| line.split('|'));
        values.collect()
    }
}

/// Declares a struct of texts whose names are its keys.
macro_rules! text_struct {
    ($name:ident: $($key:ident)*) => {
        #[derive(Serialize)]
        pub struct $name<'a> { $($key: &'a str),* }

        impl<'a> $name<'a> {
            pub const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            pub fn of(row: &[&'a str]) -> $name<'a> {
                let &[$($key),*] = row else { panic!("a row has another width") };
                $name { $($key),* }
            }
        }
    };
}

text_struct!(Ten: account owner joined city note amount code partner due remark);
text_struct!(Twenty: account owner joined city note amount code partner due remark
    order buyer shipped port text price batch seller paid comment);
text_struct!(Ride: vendor_id pickup dropoff passengers trip_distance rate_code_id store_and_fwd_flag pickup_location_id
    dropoff_location_id payment_type fare_amount extra mta_tax tip_amount tolls_amount improvement_surcharge total_amount
    congestion_surcharge);
text_struct!(Contribution: cmte_id amndt_ind rpt_tp transaction_pgi image_num transaction_tp entity_tp name city state
    zip_code employer occupation transaction_dt transaction_amt other_id tran_id file_num memo_cd memo_text sub_id);

/// Returns a table of words, names, dates, numbers and sentences. One sentence in 50 has quotes, and one in 50
/// an accent.
fn made(name: &'static str, keys: Vec<&'static str>, rows: usize) -> Table {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut below = |bound: u64| ((random.next_u64() >> 32) * bound) >> 32;
    let mut text = String::new();
    for nth in 0..rows * keys.len() {
        match nth % 5 {
            0 => push_word(&mut text, &mut below),
            1 => {
                push_word(&mut text, &mut below);
                text.push_str(", ");
                push_word(&mut text, &mut below);
            }
            2 => {
                let (year, month, day) = (2010 + below(16), 1 + below(12), 1 + below(28));
                text.push_str(&format!("{year}-{month:02}-{day:02}"));
            }
            3 => text.push_str(&below(1_000_000).to_string()),
            _ => {
                match below(100) {
                    0 | 1 => text.push_str("\"quoted\""),
                    2 | 3 => text.push_str("café"),
                    _ => push_word(&mut text, &mut below),
                }
                for _ in 0..4 + below(20) {
                    text.push(' ');
                    push_word(&mut text, &mut below);
                }
            }
        }
        let is_last = (nth + 1) % keys.len() == 0;
        text.push(if is_last { '\n' } else { '|' });
    }
    Table::new(name, keys, text)
}

fn push_word(text: &mut String, below: &mut impl FnMut(u64) -> u64) {
    let length = 3 + below(8);
    text.extend((0..length).map(|_| char::from(b'a' + below(26) as u8)));
}

/// Returns a table of rides: short codes, times and amounts, as in New York's files of taxis.
fn rides(rows: usize) -> Table {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut below = |bound: u64| ((random.next_u64() >> 32) * bound) >> 32;
    let mut text = String::new();
    for _ in 0..rows {
        let (day, hour, minute) = (1 + below(30), below(23), below(60));
        let time = |hour| {
            format!(
                "2021-04-{day:02} {hour:02}:{minute:02}:{:02}",
                minute * 7 % 60
            )
        };
        let codes = format!("{}|{}|{}", 1 + below(2), time(hour), time(hour + 1));
        let ride = format!("{}|{}.{:02}|1|N", below(7), below(20), below(100));
        let places = format!("{}|{}|{}", 1 + below(265), 1 + below(265), 1 + below(4));
        let fare = format!(
            "{}.5|{}|0.5|{}.{:02}|0",
            3 + below(40),
            below(4),
            below(9),
            below(100)
        );
        let total = format!("0.3|{}.{}|2.5", 5 + below(60), below(10));
        text.push_str(&format!("{codes}|{ride}|{places}|{fare}|{total}\n"));
    }
    Table::new("taxi", Ride::KEYS.to_vec(), text)
}

/// Returns a table of generated contributions.
fn contributions(rows: usize) -> Table {
    let columns = Schema::Indiv.columns().iter();
    let names: Vec<_> = columns
        .map(|column| column.name.to_ascii_lowercase())
        .collect();
    assert_eq!(names, Contribution::KEYS);
    let mut text = Vec::new();
    write_rows(rows as u64, &mut text);
    let text = String::from_utf8(text).expect("generated rows are ASCII");
    Table::new("FEC", Contribution::KEYS.to_vec(), text)
}

pub const TABLES: [&str; 6] = ["small", "medium", "long", "wide", "taxi", "FEC"];

/// Returns the table of this name.
pub fn table(name: &'static str) -> Table {
    let rows = |rows: usize| full_or_small(rows, rows / 1000);
    let wide = (0..1000).map(|nth| &*format!("column_{nth}").leak());
    match name {
        "small" => made(name, Ten::KEYS.to_vec(), rows(10_000)),
        "medium" => made(name, Ten::KEYS.to_vec(), rows(100_000)),
        "long" => made(name, Twenty::KEYS.to_vec(), rows(1_000_000)),
        "wide" => made(name, wide.collect(), rows(10_000)),
        "taxi" => rides(rows(1_000_000)),
        _ => contributions(rows(1_000_000)),
    }
}
