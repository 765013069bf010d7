//! Integers of a partial, one after the other as partials have them, written and read by one thread. The crate unsigned-varint, which
//! makes the same bytes, is beside.
//!
//! `cargo bench -p fecscan-benches --bench library -- varint --every` writes and reads every 32-bit integer instead, by all threads, and names one
//! that does not come back.

use std::env;
use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use fecscan::coding::varint::{put, take, unzigzag, zigzag};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use unsigned_varint::{decode, encode};

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

type Put = fn(&[u64], &mut Vec<u8>);
type Take = fn(&[u8], &mut Vec<u64>);

/// This crate's code, and another's.
const CODECS: [(&str, Put, Take); 2] = [
    ("", put_all, take_all),
    (", unsigned-varint", put_all_by_other, take_all_by_other),
];

pub fn run() {
    if env::args().any(|argument| argument == "--every") {
        return every_32_bit_integer();
    }
    let mut criterion = Criterion::default().configure_from_args();
    for (kind, numbers) in kinds() {
        let mut group = criterion.benchmark_group(format!("varint/{kind}"));
        group.throughput(Throughput::Elements(numbers.len() as u64));
        let (mut expected, mut bytes, mut read) = (Vec::new(), Vec::new(), Vec::new());
        put_all(&numbers, &mut expected);
        for (name, put, take) in CODECS {
            group.bench_function(format!("write{name}"), |bencher| {
                bencher.iter(|| {
                    bytes.clear();
                    put(black_box(&numbers), &mut bytes);
                });
                assert!(bytes == expected, "{kind}{name}");
            });
            group.bench_function(format!("read{name}"), |bencher| {
                bencher.iter(|| {
                    read.clear();
                    take(black_box(&expected), &mut read);
                });
                assert!(read == numbers, "{kind}{name}");
            });
        }
    }
}

fn put_all_by_other(numbers: &[u64], out: &mut Vec<u8>) {
    for &number in numbers {
        out.extend_from_slice(encode::u64(number, &mut encode::u64_buffer()));
    }
}

fn take_all_by_other(mut bytes: &[u8], numbers: &mut Vec<u64>) {
    while !bytes.is_empty() {
        let number;
        (number, bytes) = decode::u64(bytes).expect("a number was written");
        numbers.push(number);
    }
}

fn put_all(numbers: &[u64], out: &mut Vec<u8>) {
    numbers.iter().for_each(|&number| put(number, out));
}

fn take_all(mut bytes: &[u8], numbers: &mut Vec<u64>) {
    while !bytes.is_empty() {
        let (number, length) = take(bytes).expect("a number was written");
        numbers.push(number);
        bytes = &bytes[length..];
    }
}

/// Writes and reads all of them, as signed integers.
fn every_32_bit_integer() {
    const TOGETHER: u64 = 1 << 16;
    let started = Instant::now();
    (0..1 << 16_u64).into_par_iter().for_each(|block: u64| {
        let mut bytes = Vec::new();
        for number in block * TOGETHER..(block + 1) * TOGETHER {
            let signed = i64::from(number as u32 as i32);
            bytes.clear();
            put(zigzag(signed), &mut bytes);
            let read = take(&bytes).map(|(number, length)| (unzigzag(number), length));
            assert_eq!(read, Some((signed, bytes.len())), "{signed}");
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    println!("4294967296 integers written and read, all the same, in {seconds:.1} s");
}
