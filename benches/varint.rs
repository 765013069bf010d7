//! Integers of a partial: 500 million a second are to be written, and as many read, by one thread.
//!
//! `cargo bench varint -- --every` writes and reads every 32-bit integer instead, by all threads, and fails if one
//! does not come back.

use std::env;
use std::hint::black_box;
use std::time::Instant;

use criterion::{BatchSize, Criterion, Throughput};
use fecscan::coding::varint::{put_all, take_all, unzigzag, zigzag};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// So many that the processor can't learn their lengths from one round to the next.
const NUMBERS: usize = 1 << 20;

/// Numbers as they are in partials, and as hard ones.
fn kinds() -> [(&'static str, Vec<u64>); 6] {
    let mut state = 1_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 32
    };
    let mut numbers = |of: &dyn Fn(u64) -> u64| (0..NUMBERS).map(|_| of(random())).collect();
    [
        ("one byte", numbers(&|random| random % 128)),
        (
            "counts of groups",
            numbers(&|random| {
                if random.is_multiple_of(8) {
                    random % 5000
                } else {
                    random % 100
                }
            }),
        ),
        (
            "five bytes",
            (0..NUMBERS as u64).map(|nth| nth + 4_000_000_000).collect(),
        ),
        (
            "one to five bytes, at random",
            numbers(&|random| random >> (random % 32)),
        ),
        ("any of 32 bits", numbers(&|random| random)),
        ("eight bytes", numbers(&|random| random | 1 << 55)),
    ]
}

pub fn run() {
    if env::args().any(|argument| argument == "--every") {
        return every_32_bit_integer();
    }
    let mut criterion = Criterion::default().configure_from_args();
    for (kind, numbers) in kinds() {
        let mut bytes = Vec::new();
        put_all(&numbers, &mut bytes);
        let mut read = vec![0; numbers.len()];
        assert_eq!(take_all(&bytes, &mut read), Some(bytes.len()), "{kind}");
        assert!(read == numbers, "{kind}");

        let mut group = criterion.benchmark_group(format!("varint/{kind}"));
        group.throughput(Throughput::Elements(numbers.len() as u64));
        let room = Vec::with_capacity(bytes.len() + 64);
        group.bench_function("write", |bencher| {
            bencher.iter_batched_ref(
                || room.clone(),
                |out| {
                    out.clear();
                    out.reserve(10 * NUMBERS);
                    put_all(black_box(&numbers), out);
                },
                BatchSize::LargeInput,
            );
        });
        group.bench_function("read", |bencher| {
            bencher.iter(|| take_all(black_box(&bytes), &mut read));
        });
    }
}

/// Writes and reads all of them, as signed integers.
fn every_32_bit_integer() {
    const TOGETHER: u64 = 1 << 16;
    let started = Instant::now();
    let wrong: u64 = (0..1 << 16_u64)
        .into_par_iter()
        .map(|block: u64| {
            let first = block * TOGETHER;
            let signed = |nth: u64| i64::from((first + nth) as u32 as i32);
            let numbers: Vec<_> = (0..TOGETHER).map(|nth| zigzag(signed(nth))).collect();
            let mut bytes = Vec::with_capacity(6 * TOGETHER as usize);
            put_all(&numbers, &mut bytes);
            let mut read = vec![0; numbers.len()];
            assert_eq!(
                take_all(&bytes, &mut read),
                Some(bytes.len()),
                "from {first}"
            );
            let pairs = (0..TOGETHER).zip(&read);
            pairs
                .filter(|&(nth, &number)| unzigzag(number) != signed(nth))
                .count() as u64
        })
        .sum();
    assert_eq!(wrong, 0);
    let seconds = started.elapsed().as_secs_f64();
    println!("4294967296 integers written and read, 0 wrong, in {seconds:.1} s");
}
