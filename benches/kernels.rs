//! The parts of the scanner by themselves, at each level, on generated rows that stay in the
//! second-level cache.

mod common;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::marker::PhantomData;

use common::columns::{All, Choice, Lengths, OfReport, StateAndAmount};
use common::newlines::newlines as count_newlines;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use fecscan::fec::first_name::first_name;
use fecscan::fold::first_names::{FirstNames, Pending};
use fecscan::fold::months::Months;
use fecscan::generate::{BLOCK_ROWS, Block, Generator, Recipe};
use fecscan::scan::simd::{Kernel, Level, Simd};
use fecscan::scan::{Chunk, Scratch, records};

/// The rows of so many blocks of a generated file.
fn rows(blocks: u64) -> Vec<u8> {
    let generator = Generator::new(Recipe::default());
    let mut block = Block::default();
    let rows_of = |nth: u64| nth * BLOCK_ROWS..(nth + 1) * BLOCK_ROWS;
    let mut bytes = Vec::new();
    (0..blocks)
        .for_each(|nth| bytes.extend_from_slice(generator.render(nth, rows_of(nth), &mut block)));
    bytes
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .strip_suffix(b"\n")
        .expect("rows end with newlines")
        .split(|&b| b == b'\n')
}

/// Column `number` of every line, counted from one.
fn column(bytes: &[u8], number: usize) -> impl Iterator<Item = &[u8]> {
    let column = move |line| <[u8]>::split(line, |&b| b == b'|').nth(number - 1);
    lines(bytes).map(move |line| column(line).expect("generated rows have all columns"))
}

/// Finds the columns of a choice.
struct Columns<'a, C, const N: usize> {
    bytes: &'a [u8],
    scratch: &'a mut Scratch,
    choice: PhantomData<C>,
}

impl<C: Choice<N>, const N: usize> Kernel for Columns<'_, C, N> {
    type Output = Lengths;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Lengths {
        let mut lengths = Lengths::default();
        let chunk = Chunk::whole(self.bytes);
        records(level, &chunk, &C::COLUMNS, self.scratch, &mut lengths);
        lengths
    }
}

/// Counts first names.
struct CountNames<'a> {
    /// The names, each with the bytes behind it, and their lengths.
    names: &'a [([u8; 16], usize)],
    table: &'a mut FirstNames,
}

impl Kernel for CountNames<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let mut pending = Pending::default();
        for (bytes, length) in self.names {
            self.table.add_soon(level, bytes, *length, &mut pending);
        }
        self.table.add_pending(level, &mut pending);
    }
}

fn newlines(group: &mut BenchmarkGroup<'_, WallTime>, bytes: &[u8]) {
    let expected = lines(bytes).count() as u64;
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    for simd in Simd::available() {
        group.bench_function(format!("newlines, {}", simd.name()), |b| {
            b.iter(|| assert_eq!(count_newlines(simd, black_box(bytes)), expected));
        });
    }
}

fn columns<C: Choice<N>, const N: usize>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    bytes: &[u8],
) {
    let mut expected = Lengths::default();
    lines(bytes).for_each(|line| expected.add_slowly(line, &C::COLUMNS));
    let mut scratch = Scratch::default();
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    for simd in Simd::available() {
        group.bench_function(format!("columns {name}, {}", simd.name()), |b| {
            b.iter(|| {
                let kernel = Columns::<C, N> {
                    bytes: black_box(bytes),
                    scratch: &mut scratch,
                    choice: PhantomData,
                };
                assert_eq!(simd.dispatch(kernel), expected);
            });
        });
    }
}

struct CountMonths<'a> {
    numbers: &'a [[u8; 8]],
    months: &'a mut Months,
}

impl Kernel for CountMonths<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        for &number in self.numbers {
            assert!(self.months.add_met(level, number) || self.months.add_digits(number));
        }
    }
}

/// Counts the first names of `bytes`, over and over into the same table.
fn first_names(group: &mut BenchmarkGroup<'_, WallTime>, bytes: &[u8]) {
    let mut counts: BTreeMap<&[u8], u64> = BTreeMap::new();
    let mut names = Vec::new();
    for name in column(bytes, 8).filter_map(first_name) {
        let mut sixteen = [0; 16];
        if let Some(start) = sixteen.get_mut(..name.len()) {
            start.copy_from_slice(name);
        }
        // The few that are longer go another way.
        if name.len() <= sixteen.len() {
            names.push((sixteen, name.len()));
            *counts.entry(name).or_default() += 1;
        }
    }
    let (most, lines) = counts
        .iter()
        .max_by_key(|&(name, lines)| (lines, std::cmp::Reverse(name)))
        .expect("names");
    group.throughput(Throughput::Elements(names.len() as u64));
    for simd in Simd::available() {
        let name = format!("first names, {} different, {}", counts.len(), simd.name());
        group.bench_function(name, |b| {
            let mut table = FirstNames::default();
            let mut times = 0;
            b.iter(|| {
                times += 1;
                let (names, table) = (black_box(&names[..]), &mut table);
                simd.dispatch(CountNames { names, table });
            });
            let ranking = table.ranking(1);
            assert_eq!(ranking.lines, times * names.len() as u64);
            assert_eq!(ranking.distinct, counts.len() as u64);
            assert_eq!(ranking.into_vec(), [(most.to_vec(), times * lines)]);
        });
    }
}

fn months(group: &mut BenchmarkGroup<'_, WallTime>, bytes: &[u8]) {
    let first_eight = |number: &[u8]| number[..8].try_into().expect("eight bytes");
    let numbers: Vec<[u8; 8]> = column(bytes, 5).map(first_eight).collect();
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for number in &numbers {
        let digits =
            std::str::from_utf8(&number[..6]).expect("generated numbers begin with six digits");
        *expected
            .entry(format!("{}-{}", &digits[..4], &digits[4..]))
            .or_default() += 1;
    }
    group.throughput(Throughput::Elements(numbers.len() as u64));
    for simd in Simd::available() {
        group.bench_function(format!("months, {}", simd.name()), |b| {
            let mut months = Months::default();
            let mut times = 0;
            b.iter(|| {
                times += 1;
                let (numbers, months) = (black_box(&numbers[..]), &mut months);
                simd.dispatch(CountMonths { numbers, months });
            });
            let found = months
                .ascending()
                .into_iter()
                .map(|(month, lines)| (month.to_string(), lines / times));
            assert!(found.eq(expected.clone()));
        });
    }
}

fn kernels(c: &mut Criterion) {
    // A third of a megabyte: in the second-level cache of any processor that has one of the levels.
    let bytes = rows(1);
    let mut group = c.benchmark_group("kernel");
    newlines(&mut group, &bytes);
    columns::<OfReport, 2>(&mut group, "of the report", &bytes);
    columns::<StateAndAmount, 2>(&mut group, "STATE and TRANSACTION_AMT", &bytes);
    columns::<All, 21>(&mut group, "all 21", &bytes);
    first_names(&mut group, &bytes);
    // As many different names as a file of millions has: their table is larger than the cache.
    first_names(&mut group, &rows(512));
    months(&mut group, &bytes);
    group.finish();
}

criterion_group! {
    name = benches;
    config = common::criterion();
    targets = kernels
}
criterion_main!(benches);
