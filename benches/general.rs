//! Is the engine fast for the report alone, or for whatever is folded? Two folds that the crate
//! does not have, written here against its public interface: a count by STATE with exact sums of
//! TRANSACTION_AMT, and one that visits all 21 columns of every line. They run beside the report
//! and the line count, and every answer is that of a slow program that has nothing in common with
//! them.

mod common;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use common::challenge::{scanner, with_lists};
use common::columns::{All, Choice, Lengths, StateAndAmount};
use common::file::BenchFile;
use common::run::fold;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fecscan::fold::Fold;
use fecscan::fold::count::LineCount;
use fecscan::input::Part;
use fecscan::plan::Cut;
use fecscan::scan::columns::Span;
use fecscan::scan::simd::Level;
use fecscan::scan::{Chunk, Record, Scratch, Visitor, records};

/// The lines that a state has, and what their amounts come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Group {
    lines: u64,
    /// In hundredths. Values that are no amounts are left out.
    sum: i128,
}

impl Group {
    fn merge(&mut self, other: Group) {
        self.lines += other.lines;
        self.sum += other.sum;
    }
}

/// Groups by state. States of two bytes, which are nearly all, are found by these bytes alone.
struct States {
    of_two_bytes: Vec<Group>,
    others: HashMap<Vec<u8>, Group>,
}

impl Default for States {
    fn default() -> States {
        States {
            of_two_bytes: vec![Group::default(); 1 << 16],
            others: HashMap::new(),
        }
    }
}

impl States {
    #[inline(always)]
    fn group(&mut self, state: &[u8]) -> &mut Group {
        match *state {
            [a, b] => &mut self.of_two_bytes[usize::from(u16::from_be_bytes([a, b]))],
            _ => self.other_group(state),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_group(&mut self, state: &[u8]) -> &mut Group {
        self.others.entry(state.to_vec()).or_default()
    }

    fn into_map(self) -> BTreeMap<Vec<u8>, Group> {
        let of_two_bytes = (0..=u16::MAX).map(|state| state.to_be_bytes().to_vec());
        let all = of_two_bytes.zip(self.of_two_bytes).chain(self.others);
        all.filter(|(_, group)| group.lines > 0).collect()
    }
}

impl Visitor<[Span; 2]> for States {
    #[inline(always)]
    fn record<L: Level>(&mut self, _: L, record: Record<'_, [Span; 2]>) {
        let group = self.group(record.column(0).unwrap_or_default());
        group.lines += 1;
        let digits = record.bytes(1, 0);
        let whole = digits.and_then(|digits| dollars(*digits, record.span(1).len()));
        let amount = match whole {
            Some(dollars) => Some(100 * dollars),
            None => record.column(1).and_then(hundredths),
        };
        if let Some(amount) = amount {
            group.sum += i128::from(amount);
        }
    }
}

/// The number that the first `length` of `bytes` are, if they are up to eight digits, as nearly all amounts are.
///
/// All digits are worked on at once, so that the processor need not guess how many there are.
#[inline(always)]
fn dollars(bytes: [u8; 8], length: usize) -> Option<i64> {
    const ZEROS: u64 = u64::from_le_bytes(*b"00000000");
    if !(1..=8).contains(&length) {
        return None;
    }
    // As the last of eight digits, with zeros in front.
    let beyond = 64 - 8 * length as u32;
    let text = u64::from_le_bytes(bytes) << beyond | ZEROS & !(u64::MAX << beyond);
    let digits = text ^ ZEROS;
    // A value above 9 has one of the four high bits of its byte, or gets one by adding 6.
    if (digits | digits.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0 != 0 {
        return None;
    }
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) as u32;
    Some(i64::from(eight))
}

/// The amount that `text` is, in hundredths: digits, perhaps a sign before them, perhaps a point
/// and one or two digits behind.
#[inline(always)]
fn hundredths(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (mut amount, mut decimals) = (0_i64, None);
    for &byte in text {
        match (byte, decimals) {
            (b'0'..=b'9', None | Some(0 | 1)) => {
                amount = amount
                    .checked_mul(10)?
                    .checked_add(i64::from(byte - b'0'))?;
                decimals = decimals.map(|places| places + 1);
            }
            (b'.', None) => decimals = Some(0),
            _ => return None,
        }
    }
    let unit = match decimals {
        None if !text.is_empty() => 100,
        Some(1) => 10,
        Some(2) => 1,
        _ => return None,
    };
    let amount = amount.checked_mul(unit)?;
    Some(if negative { -amount } else { amount })
}

/// Counts by STATE and adds up TRANSACTION_AMT.
struct ByState;

impl Fold for ByState {
    type Partial = States;
    const CUT: Cut = Cut::AtLines;

    fn partial(&self, _: &Part) -> States {
        States::default()
    }

    #[inline(always)]
    fn chunk<L: Level>(
        &self,
        level: L,
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        states: &mut States,
    ) -> u64 {
        records(level, chunk, &StateAndAmount::COLUMNS, scratch, states)
    }

    fn merge(&self, into: &mut States, from: States) {
        for (state, group) in from.into_map() {
            into.group(&state).merge(group);
        }
    }
}

/// Visits all 21 columns.
struct AllColumns;

impl Fold for AllColumns {
    type Partial = Lengths;
    const CUT: Cut = Cut::AtLines;

    fn partial(&self, _: &Part) -> Lengths {
        Lengths::default()
    }

    #[inline(always)]
    fn chunk<L: Level>(
        &self,
        level: L,
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        lengths: &mut Lengths,
    ) -> u64 {
        records(level, chunk, &All::COLUMNS, scratch, lengths)
    }

    fn merge(&self, into: &mut Lengths, from: Lengths) {
        into.0 += from.0;
    }
}

/// The answers of the two folds, line by line.
fn slowly(path: &Path) -> (BTreeMap<Vec<u8>, Group>, Lengths) {
    let mut states: BTreeMap<Vec<u8>, Group> = BTreeMap::new();
    let mut lengths = Lengths::default();
    let reader = BufReader::new(File::open(path).expect("the file can be read"));
    for line in reader.split(b'\n') {
        let line = line.expect("the file can be read");
        lengths.add_slowly(&line, &All::COLUMNS);
        let column = |nth| line.split(|&b| b == b'|').nth(nth).unwrap_or_default();
        let group = states.entry(column(9).to_vec()).or_default();
        group.lines += 1;
        group.sum += std::str::from_utf8(column(14)).map_or(0, hundredths_slowly);
    }
    (states, lengths)
}

/// The same as [`hundredths`], by way of the standard library; 0 for what is no amount.
fn hundredths_slowly(text: &str) -> i128 {
    let (whole, part) = text.split_once('.').unwrap_or((text, "00"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let only_digits = [digits, part].concat().bytes().all(|b| b.is_ascii_digit());
    if !only_digits || !(1..=2).contains(&part.len()) {
        return 0;
    }
    format!("{whole}{part:0<2}").parse().map_or(0, i64::into)
}

fn general(c: &mut Criterion) {
    let file = BenchFile::find();
    let path = &file.path;
    let answers = with_lists(path, usize::MAX);
    let (by_state, lengths) = slowly(path);

    let mut group = c.benchmark_group("fold");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(file.bytes));
    for threads in [1, 2] {
        group.bench_function(format!("line count, {threads} threads"), |b| {
            b.iter(|| assert_eq!(fold(&LineCount, path, threads).0.lines, file.lines));
        });
        group.bench_function(format!("report, {threads} threads"), |b| {
            b.iter(|| assert_eq!(scanner(path, threads), answers));
        });
        group.bench_function(format!("sums by STATE, {threads} threads"), |b| {
            b.iter(|| assert_eq!(fold(&ByState, path, threads).1.into_map(), by_state));
        });
        group.bench_function(format!("all 21 columns, {threads} threads"), |b| {
            b.iter(|| assert_eq!(fold(&AllColumns, path, threads).1, lengths));
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
