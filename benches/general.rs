//! Is the engine fast for the report alone, or for any question?
//!
//! Four questions that the crate does not answer, asked through its public interface: rows by
//! STATE, exact sums of TRANSACTION_AMT by STATE, the lengths of all 21 columns, and a filter that
//! keeps few rows. They run beside the report and the line count. A slow program without any of the
//! crate's code gives the expected answers.

mod common;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use ahash::RandomState;
use common::challenge::{scanner, with_lists};
use common::columns::Lengths;
use common::file::BenchFile;
use common::run::{engine, fold, mapped};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fecscan::fec::amount::hundredths;
use fecscan::fold::{Fold, LineCount};
use fecscan::input::Part;
use fecscan::scan::{Filter, Need, Row, Rows};
use fecscan::{Counts, Error, by_row};

/// The filter: the state of one row in a hundred of the generated file.
const KEPT_STATE: &str = "IA";

/// The rows of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Group {
    rows: u64,
    /// The sum of the amounts, in hundredths.
    sum: i128,
    /// The number of rows whose column is no amount.
    without_amount: u64,
}

/// Adds up TRANSACTION_AMT by STATE.
struct SumsByState;

impl Fold for SumsByState {
    type Partial = HashMap<Box<[u8]>, Group, RandomState>;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let [state, amount] = ["STATE", "TRANSACTION_AMT"].map(|name| part.schema().column(name));
        Ok(Need::Rows(vec![state?, amount?]))
    }

    fn partial(&self) -> Self::Partial {
        HashMap::default()
    }

    fn rows(&self, rows: &Rows<'_>, groups: &mut Self::Partial) -> Result<(), Error> {
        for row in rows.iter() {
            let state = row.column(0).unwrap_or_default();
            match groups.get_mut(state) {
                Some(group) => group.add(row),
                None => groups.entry(state.into()).or_default().add(row),
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::Partial, from: Self::Partial) {
        for (state, group) in from {
            let merged = into.entry(state).or_default();
            merged.rows += group.rows;
            merged.sum += group.sum;
            merged.without_amount += group.without_amount;
        }
    }
}

impl Group {
    #[inline]
    fn add(&mut self, row: Row<'_>) {
        self.rows += 1;
        match row.column(1).and_then(hundredths) {
            Some(amount) => self.sum += amount,
            None => self.without_amount += 1,
        }
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

fn sums_by_state(path: &Path, threads: usize) -> BTreeMap<Vec<u8>, Group> {
    let groups = fold(&engine(threads), &SumsByState, path, mapped()).partial;
    groups
        .into_iter()
        .map(|(state, group)| (state.into_vec(), group))
        .collect()
}

fn kept_lines(path: &Path, threads: usize) -> u64 {
    let filter = Filter::new([format!("STATE={KEPT_STATE}")]).expect("the condition is valid");
    let engine = engine(threads).with_filter(filter);
    fold(&engine, &LineCount, path, mapped()).lines
}

/// Returns the groups and the sum of [`Lengths::of_all`], line by line.
fn slowly(path: &Path) -> (BTreeMap<Vec<u8>, Group>, u64) {
    let mut groups: BTreeMap<Vec<u8>, Group> = BTreeMap::new();
    let (all, mut lengths) = (Lengths::of_all(), 0);
    let reader = BufReader::new(File::open(path).expect("the file can be read"));
    for line in reader.split(b'\n') {
        let line = line.expect("the file can be read");
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        lengths += all.slowly(line);
        let column = |nth| line.split(|&b| b == b'|').nth(nth).unwrap_or_default();
        let group = groups.entry(column(9).to_vec()).or_default();
        group.rows += 1;
        match std::str::from_utf8(column(14))
            .ok()
            .and_then(hundredths_slowly)
        {
            Some(amount) => group.sum += amount,
            None => group.without_amount += 1,
        }
    }
    (groups, lengths)
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

fn general(c: &mut Criterion) {
    let file = BenchFile::find();
    let path = &file.path;
    let answers = with_lists(path, usize::MAX);
    let (groups, lengths) = slowly(path);
    let rows: BTreeMap<_, _> = groups
        .iter()
        .map(|(state, group)| (state.clone(), group.rows))
        .collect();
    let kept = rows.get(KEPT_STATE.as_bytes()).copied().unwrap_or_default();
    let share = 100.0 * kept as f64 / file.lines as f64;
    eprintln!("STATE={KEPT_STATE} keeps {share:.2} % of the rows");

    let mut group = c.benchmark_group("fold");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(500));
    group.measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(file.bytes));
    for threads in [1, 2] {
        let mut bench = |name, check: &dyn Fn()| {
            group.bench_function(format!("{name}, {threads} threads"), |b| b.iter(check));
        };
        bench("line count", &|| {
            let folded = fold(&engine(threads), &LineCount, path, mapped());
            assert_eq!(folded.lines, file.lines);
        });
        bench("report", &|| assert_eq!(scanner(path, threads), answers));
        bench("rows by STATE", &|| {
            assert_eq!(rows_by_state(path, threads), rows)
        });
        bench("sums by STATE", &|| {
            assert_eq!(sums_by_state(path, threads), groups)
        });
        bench("all 21 columns", &|| {
            let folded = fold(&engine(threads), &Lengths::of_all(), path, mapped());
            assert_eq!(folded.partial, lengths);
        });
        bench("filter by STATE", &|| {
            assert_eq!(kept_lines(path, threads), kept)
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = common::criterion();
    targets = general
}
criterion_main!(benches);
