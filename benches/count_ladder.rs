//! Counting newlines in the steps of the article "Counting new lines faster, or how to beat wc at
//! its own game", from lines as strings to all threads.
//!
//! Every step asserts the answer of `wc -l`.
//!
//! With `target-cpu=native`, compilers now turn the counting loop of steps 3 and 4 into vectors by
//! themselves. Steps 5 to 8 are this crate's engine.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use fecscan::fold::LineCount;
use fecscan::input::Io;
use rustix::thread::disable_transparent_huge_pages;

use crate::common::rounds::{Amount, Arm, compare, cores};
use crate::common::run::{bench_file, engine, fold, mapped};

const ROUNDS: usize = 15;

fn open(path: &Path) -> File {
    File::open(path).expect("the file can be read")
}

/// Makes a string of each line.
fn lines_as_strings(path: &Path) -> u64 {
    let mut lines = 0;
    for line in BufReader::new(open(path)).lines() {
        let _: String = line.expect("the file is UTF-8");
        lines += 1;
    }
    lines
}

/// Reads one line after the other into the same memory.
fn lines_as_bytes(path: &Path) -> u64 {
    let mut reader = BufReader::new(open(path));
    let mut line = Vec::new();
    let mut lines = 0;
    while reader
        .read_until(b'\n', &mut line)
        .expect("the file can be read")
        > 0
    {
        lines += 1;
        line.clear();
    }
    lines
}

/// Counts newlines in `bytes` bytes at a time, without telling lines apart.
fn reads(path: &Path, bytes: usize) -> u64 {
    let mut file = open(path);
    let mut buffer = vec![0; bytes];
    let mut lines = 0;
    loop {
        match file.read(&mut buffer).expect("the file can be read") {
            0 => return lines,
            read => lines += buffer[..read].iter().filter(|&&b| b == b'\n').count() as u64,
        }
    }
}

/// Counts by this crate's engine.
fn engine_counts(path: &Path, io: Io, threads: usize) -> u64 {
    fold(&engine(threads), &LineCount, path, io).lines
}

/// Counts in a process that gets no huge pages.
fn in_small_pages(path: &Path) -> u64 {
    disable_transparent_huge_pages(true).expect("Linux 3.15 or later");
    let lines = engine_counts(path, mapped(), 1);
    disable_transparent_huge_pages(false).expect("as before");
    lines
}

pub fn run() {
    let file = bench_file();
    type Step = fn(&Path) -> u64;
    let steps: [(&str, Step); 8] = [
        ("1 lines as strings", lines_as_strings),
        ("2 lines as bytes", lines_as_bytes),
        ("3 reads of 8 KiB", |path| reads(path, 8 << 10)),
        ("4 reads of 1 MiB", |path| reads(path, 1 << 20)),
        ("5 SIMD", |path| engine_counts(path, Io::read(), 1)),
        ("6 mapped in small pages", in_small_pages),
        ("7 mapped in huge pages", |path| {
            engine_counts(path, mapped(), 1)
        }),
        ("8 all threads", |path| {
            engine_counts(path, mapped(), cores())
        }),
    ];
    let arm = |(name, step): (_, Step)| {
        let file = &file;
        Arm::new(name, move || assert_eq!(step(&file.path), file.lines))
    };
    let title = format!("Counting newlines in {file}");
    let arms = steps.map(arm).into();
    compare(&title, Amount::Bytes(file.bytes), ROUNDS, arms, &[0]);
}
