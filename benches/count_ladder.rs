//! Counting newlines in the steps of the article "Counting new lines faster, or how to beat wc at
//! its own game", from lines as strings to the limit of memory. Every step asserts the answer of
//! `wc -l`.
//!
//! Since the article, and with `target-cpu=native`, compilers turn the counting loop of steps 3 and
//! 4 into vectors by themselves; step 5 is this crate's own.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use common::file::BenchFile;
use common::newlines::newlines;
use common::run::{self, fold};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fecscan::engine::TASK_BYTES;
use fecscan::fold::count::LineCount;
use fecscan::input::{Buffer, Input};
use fecscan::plan::Cut;
use fecscan::scan::simd::Simd;
use rustix::thread::disable_transparent_huge_pages;

fn open(path: &Path) -> File {
    File::open(path).expect("the file can be read")
}

/// Each line a string of its own.
fn lines_as_strings(path: &Path) -> u64 {
    let mut lines = 0;
    for line in BufReader::new(open(path)).lines() {
        let _: String = line.expect("the file is UTF-8");
        lines += 1;
    }
    lines
}

/// Lines as bytes, one after the other in the same memory.
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

/// No lines, only bytes, so many at a time, in which `count` counts.
fn reads(path: &Path, bytes: usize, count: impl Fn(&[u8]) -> u64) -> u64 {
    let mut file = open(path);
    let mut buffer = vec![0; bytes];
    let mut lines = 0;
    loop {
        match file.read(&mut buffer).expect("the file can be read") {
            0 => return lines,
            read => lines += count(&buffer[..read]),
        }
    }
}

fn by_iterator(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u64
}

fn by_simd(bytes: &[u8]) -> u64 {
    newlines(Simd::best(), bytes)
}

/// The file mapped and looked at from one end to the other.
fn mapped(path: &Path) -> u64 {
    let mut input = Input::open(path.as_os_str(), run::mapped()).expect("the file can be read");
    let part = input.next_part().expect("a plain file has one part");
    let tasks = part.tasks(TASK_BYTES, Cut::Anywhere);
    let mut buffer = Buffer::default();
    let mut lines = 0;
    while let Some(chunk) = tasks.next(&mut buffer).expect("the file can be read") {
        lines += by_simd(chunk.bytes());
    }
    lines
}

/// The same, in a process that gets no huge pages.
fn mapped_in_small_pages(path: &Path) -> u64 {
    disable_transparent_huge_pages(true).expect("Linux 3.15 or later");
    let lines = mapped(path);
    disable_transparent_huge_pages(false).expect("as before");
    lines
}

fn two_threads(path: &Path) -> u64 {
    let (file, ()) = fold(&LineCount, path, 2);
    file.lines
}

fn ladder(c: &mut Criterion) {
    let file = BenchFile::find();
    type Step = fn(&Path) -> u64;
    let steps: [(&str, Step); 8] = [
        ("1 lines as strings", lines_as_strings),
        ("2 lines as bytes", lines_as_bytes),
        ("3 reads of 8 KiB", |path| reads(path, 8 << 10, by_iterator)),
        ("4 reads of 1 MiB", |path| reads(path, 1 << 20, by_iterator)),
        ("5 SIMD", |path| reads(path, 1 << 20, by_simd)),
        ("6 mapped in small pages", mapped_in_small_pages),
        ("7 mapped in huge pages", mapped),
        ("8 two threads", two_threads),
    ];
    let mut group = c.benchmark_group("count");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(file.bytes));
    for (name, step) in steps {
        group.bench_function(name, |b| {
            b.iter(|| assert_eq!(step(&file.path), file.lines))
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = common::criterion();
    targets = ladder
}
criterion_main!(benches);
