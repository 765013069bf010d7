//! Rows of strings as JSON: `JsonRows` beside general encoders, on the shapes of an article about a faster
//! encoder for Go ("Speeding up Go's builtin JSON encoder up to 55% for large arrays of objects"), and on
//! rows of the FEC.
//!
//! All encoders have the rows in memory as slices of text, and write an array to a writer that counts bytes. The
//! general ones write to a `BufWriter` around it. Each encoder's output is compared once with the rows, value by value,
//! and its number of bytes in each turn. Times are processor times.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, BufWriter, Write};

use fecscan::fec::schema::Schema;
use fecscan::render::encode::JsonRows;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::common::rounds::{Amount, Arm, compare, full_or_small};
use crate::common::rows::write_rows;

/// The bytes that a general encoder writes at a time, as many as `JsonRows` does.
const BUFFER_BYTES: usize = 128 << 10;

/// Rounds of turns side by side: as many as write these bytes, within bounds.
const ROUNDS_BYTES: u64 = 1 << 30;
const ROUNDS_MIN: u64 = 11;
const ROUNDS_MAX: u64 = 201;

/// Rows of text with the same keys.
struct Table {
    name: &'static str,
    keys: Vec<&'static str>,
    /// A line for each row, with a pipe between two values.
    text: String,
}

impl Table {
    fn values(&self) -> Vec<&str> {
        let values = self.text.lines().flat_map(|line| line.split('|'));
        values.collect()
    }
}

/// Counts bytes, and forgets them.
#[derive(Default)]
struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += black_box(bytes).len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type WriteAll<'a> = dyn Fn(&mut dyn Write) + 'a;

/// Something that writes all rows of a table as an array.
struct Encoder<'a> {
    name: &'static str,
    write: Box<WriteAll<'a>>,
    /// The bytes that this one writes less than `JsonRows`: it has no newlines.
    fewer_bytes: u64,
}

impl Encoder<'_> {
    /// Returns the number of bytes and the processor's time, in seconds.
    fn turn(&self) -> (u64, f64) {
        let mut counted = Counted::default();
        let begun = processor_nanoseconds();
        (self.write)(&mut counted);
        let taken = processor_nanoseconds() - begun;
        (counted.0 + self.fewer_bytes, taken as f64 / 1e9)
    }

    fn assert_writes(&self, table: &Table) {
        let mut json = Vec::new();
        (self.write)(&mut json);
        let found: Vec<HashMap<String, String>> = serde_json::from_slice(&json).expect("JSON");
        let values = table.values();
        let rows = values.chunks(table.keys.len());
        assert_eq!(found.len(), rows.len(), "{}", self.name);
        for (found, row) in found.iter().zip(rows) {
            assert_eq!(found.len(), row.len());
            for (key, value) in table.keys.iter().zip(row) {
                assert_eq!(found[*key], *value, "{} of {}", self.name, table.name);
            }
        }
    }
}

/// Returns the time that this thread has run. Others that have the processor for some of a turn do not count.
fn processor_nanoseconds() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Writes with serde_json.
fn serde_json<'a, T: Serialize + 'a>(name: &'static str, rows: Vec<T>) -> Encoder<'a> {
    Encoder {
        name,
        fewer_bytes: rows.len() as u64 + 2,
        write: Box::new(move |out| {
            let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
            serde_json::to_writer(&mut out, &rows).expect("nothing fails");
            out.flush().expect("nothing fails");
        }),
    }
}

fn json_rows(table: &Table) -> Encoder<'_> {
    let values = table.values();
    Encoder {
        name: "JsonRows",
        fewer_bytes: 0,
        write: Box::new(move |out| {
            let mut json = JsonRows::array(&table.keys, out).expect("the keys are good");
            let rows = values.chunks(table.keys.len());
            json.write_rows(rows).expect("nothing fails");
            json.finish().expect("nothing fails");
        }),
    }
}

/// Declares a struct of texts whose names are its keys.
macro_rules! text_struct {
    ($name:ident: $($key:ident)*) => {
        #[derive(Serialize)]
        struct $name<'a> { $($key: &'a str),* }

        impl<'a> $name<'a> {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            fn of(row: &[&'a str]) -> $name<'a> {
                let &[$($key),*] = row else { panic!("a row has another width") };
                $name { $($key),* }
            }
        }
    };
}

text_struct!(Ten: account owner joined city note amount code partner due remark);
text_struct!(Twenty: account owner joined city note amount code partner due remark
    order buyer shipped port text price batch seller paid comment);
text_struct!(Contribution: cmte_id amndt_ind rpt_tp transaction_pgi image_num transaction_tp entity_tp name city state
    zip_code employer occupation transaction_dt transaction_amt other_id tran_id file_num memo_cd memo_text sub_id);

fn maps(table: &Table) -> Encoder<'_> {
    let values = table.values();
    let keys = || table.keys.iter().copied();
    let rows = values.chunks(table.keys.len());
    let maps = rows.map(|row| keys().zip(row.iter().copied()).collect::<HashMap<_, _>>());
    serde_json("serde_json, maps", maps.collect())
}

fn structs(table: &Table) -> Option<Encoder<'_>> {
    fn of<'a, T: Serialize + 'a>(
        table: &'a Table,
        row: impl FnMut(&[&'a str]) -> T,
    ) -> Encoder<'a> {
        let values = table.values();
        let rows = values.chunks(table.keys.len()).map(row);
        serde_json("serde_json, structs", rows.collect())
    }
    match &table.keys[..] {
        keys if keys == Ten::KEYS => Some(of(table, Ten::of)),
        keys if keys == Twenty::KEYS => Some(of(table, Twenty::of)),
        keys if keys == Contribution::KEYS => Some(of(table, Contribution::of)),
        _ => None,
    }
}

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
    Table { name, keys, text }
}

fn push_word(text: &mut String, below: &mut impl FnMut(u64) -> u64) {
    let length = 3 + below(8);
    text.extend((0..length).map(|_| char::from(b'a' + below(26) as u8)));
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
    Table {
        name: "FEC",
        keys: Contribution::KEYS.to_vec(),
        text: String::from_utf8(text).expect("generated rows are ASCII"),
    }
}

const TABLES: [&str; 5] = ["small", "medium", "long", "wide", "FEC"];

/// Returns the table of this name.
fn table(name: &'static str) -> Table {
    let rows = |rows: usize| full_or_small(rows, rows / 1000);
    let wide = (0..1000).map(|nth| &*format!("column_{nth}").leak());
    match name {
        "small" => made(name, Ten::KEYS.to_vec(), rows(10_000)),
        "medium" => made(name, Ten::KEYS.to_vec(), rows(100_000)),
        "long" => made(name, Twenty::KEYS.to_vec(), rows(1_000_000)),
        "wide" => made(name, wide.collect(), rows(10_000)),
        _ => contributions(rows(1_000_000)),
    }
}

pub fn run() {
    for name in TABLES {
        let table = table(name);
        let encoders = [Some(json_rows(&table)), Some(maps(&table)), structs(&table)];
        let encoders: Vec<_> = encoders.into_iter().flatten().collect();
        let (bytes, _) = encoders[0].turn();
        let mut arms = Vec::new();
        for encoder in &encoders {
            encoder.assert_writes(&table);
            arms.push(Arm::timed(encoder.name, move || {
                let (written, seconds) = encoder.turn();
                assert_eq!(written, bytes);
                seconds
            }));
        }
        let rounds = (ROUNDS_BYTES / bytes).clamp(ROUNDS_MIN, ROUNDS_MAX);
        let title = format!("JSON of rows of text: {name}");
        compare(&title, Amount::Bytes(bytes), rounds as usize, arms, &[0]);
    }
}
