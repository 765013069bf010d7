//! Is the engine fast for the report alone, or for any question?
//!
//! Questions that the crate does not answer, asked through its public interface: rows by STATE, exact
//! sums of TRANSACTION_AMT by STATE, the lengths and the first bytes of all 21 columns, a filter that
//! keeps few rows, and nothing but where the columns are. They run beside the report and the line count. A slow program without any of the
//! crate's code gives the expected answers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use fecscan::fold::{Fold, LineCount};
use fecscan::input::Part;
use fecscan::scan::{Need, Row, Rows};
use fecscan::sql::Filter;
use fecscan::{Counts, Error, Groups, Sum, by_row};

use crate::common::challenge::{scanner, slow_answers};
use crate::common::columns::Lengths;
use crate::common::rounds::{Amount, Arm, compare, cores};
use crate::common::run::{bench_file, engine, fold, mapped};

const ROUNDS: usize = 21;

/// The filter: the state of one row in a hundred of the generated file.
const KEPT_STATE: &str = "IA";

/// Has all columns located, and looks at none.
struct Located;

impl Fold for Located {
    type Partial = u64;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        Ok(Need::Rows((0..part.schema().columns_on_disk()).collect()))
    }

    fn partial(&self) -> u64 {
        0
    }

    fn rows(&self, rows: &Rows<'_>, lines: &mut u64) -> Result<(), Error> {
        *lines += rows.len() as u64;
        Ok(())
    }

    fn merge(&self, into: &mut u64, from: u64) {
        *into += from;
    }
}

/// Adds up the first bytes of all columns.
struct FirstBytes;

impl Fold for FirstBytes {
    type Partial = u64;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        Located.need(part)
    }

    fn partial(&self) -> u64 {
        0
    }

    fn rows(&self, rows: &Rows<'_>, sum: &mut u64) -> Result<(), Error> {
        for row in rows.iter() {
            row.each_cell(|cell| *sum += cell.first().map_or(0, u64::from));
        }
        Ok(())
    }

    fn merge(&self, into: &mut u64, from: u64) {
        *into += from;
    }
}

fn rows_by_state(path: &Path, threads: usize) -> BTreeMap<Vec<u8>, u64> {
    let add = |states: &mut Counts, row: Row<'_>| states.add(row.column(0).unwrap_or_default(), 1);
    let by_state = by_row(["STATE"], Counts::default, add, Counts::merge);
    let mut states = fold(&engine(threads), &by_state, path, mapped()).partial;
    states
        .most_common(usize::MAX)
        .into_vec()
        .into_iter()
        .collect()
}

/// Rows, rows without an amount, and the sum in hundredths.
type Sums = BTreeMap<Vec<u8>, (u64, u64, i128)>;

fn sums_by_state(path: &Path, threads: usize) -> Sums {
    let columns = ["STATE", "TRANSACTION_AMT"];
    let add =
        |states: &mut Groups<Sum>, row: Row<'_>| states.get_or_insert(row.cell(0)).add(row.cell(1));
    let by_state = by_row(columns, Groups::default, add, Groups::merge);
    let groups = fold(&engine(threads), &by_state, path, mapped()).partial;
    let sums = groups.ascending().into_iter().map(|(state, sum)| {
        let amount = sum.sum();
        (state, (sum.rows, sum.without, amount.0))
    });
    sums.collect()
}

fn kept_lines(path: &Path, threads: usize) -> u64 {
    let filter = Filter::new([format!("STATE = '{KEPT_STATE}'")]).expect("the condition is valid");
    let engine = engine(threads).with_filter(filter);
    fold(&engine, &LineCount, path, mapped()).lines
}

/// The answers, line by line.
#[derive(Default)]
struct Slowly {
    sums: Sums,
    lengths: u64,
    first_bytes: u64,
}

fn slowly(path: &Path) -> Slowly {
    let mut found = Slowly::default();
    let all = Lengths::of_all();
    let reader = BufReader::new(File::open(path).expect("the file can be read"));
    for line in reader.split(b'\n') {
        let line = line.expect("the file can be read");
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        found.lengths += all.slowly(line);
        let columns: Vec<_> = line.split(|&b| b == b'|').collect();
        let first = columns.iter().filter_map(|column| column.first());
        found.first_bytes += first.map(|&byte| u64::from(byte)).sum::<u64>();
        let column = |nth: usize| columns.get(nth).copied().unwrap_or_default();
        let group = found.sums.entry(column(9).to_vec()).or_default();
        group.0 += 1;
        match std::str::from_utf8(column(14))
            .ok()
            .and_then(hundredths_slowly)
        {
            Some(amount) => group.2 += amount,
            None => group.1 += 1,
        }
    }
    found
}

/// Parses an amount by way of the standard library.
fn hundredths_slowly(text: &str) -> Option<i128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "00"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let only_digits = [digits, part].concat().bytes().all(|b| b.is_ascii_digit());
    if !only_digits || !(1..=2).contains(&part.len()) {
        return None;
    }
    format!("{whole}{part:0<2}").parse().ok()
}

pub fn run() {
    let file = bench_file();
    let path = &file.path;
    let answers = slow_answers(path);
    let expected = slowly(path);
    let sums = &expected.sums;
    let rows: BTreeMap<_, _> = sums
        .iter()
        .map(|(state, sum)| (state.clone(), sum.0))
        .collect();
    let kept = rows.get(KEPT_STATE.as_bytes()).copied().unwrap_or_default();
    let share = 100.0 * kept as f64 / file.lines as f64;
    println!("\nSTATE = '{KEPT_STATE}' keeps {share:.2} % of the rows");

    for threads in [1, cores()] {
        let arms = vec![
            Arm::new("line count", || {
                let folded = fold(&engine(threads), &LineCount, path, mapped());
                assert_eq!(folded.lines, file.lines);
            }),
            Arm::new("report", || assert_eq!(scanner(path, threads), answers)),
            Arm::new("rows by STATE", || {
                assert_eq!(rows_by_state(path, threads), rows);
            }),
            Arm::new("sums by STATE", || {
                assert_eq!(sums_by_state(path, threads), *sums);
            }),
            Arm::new("all 21 columns", || {
                let folded = fold(&engine(threads), &Lengths::of_all(), path, mapped());
                assert_eq!(folded.partial, expected.lengths);
            }),
            Arm::new("all 21 columns located", || {
                let folded = fold(&engine(threads), &Located, path, mapped());
                assert_eq!(folded.partial, file.lines);
            }),
            Arm::new("first bytes of all 21 columns", || {
                let folded = fold(&engine(threads), &FirstBytes, path, mapped());
                assert_eq!(folded.partial, expected.first_bytes);
            }),
            Arm::new("filter by STATE", || {
                assert_eq!(kept_lines(path, threads), kept);
            }),
        ];
        let title = format!("Folds with {threads} threads on {file}");
        compare(&title, Amount::Bytes(file.bytes), ROUNDS, arms, &[0, 1]);
    }
}
