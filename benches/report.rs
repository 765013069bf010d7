//! The whole program on a file, against `wc -l` on the same file, as processes; and the scanner by
//! itself, at each level, on bytes that stay in the cache.
//!
//! `cargo bench` works on a file of 256 MB that it makes from a fixture, in the folder for temporary files, and finds
//! again the next time. `FECSCAN_BENCH_FILE=itcont.txt cargo bench` works on another.

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fecscan::scan::columns::Span;
use fecscan::scan::simd::{Kernel, Level, Simd};
use fecscan::scan::{Chunk, Record, Scratch, Visitor, count_newlines, records};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/plain.txt");
const MADE_BYTES: usize = 256 << 20;

/// The file to work on, and how many lines it has.
fn file() -> (PathBuf, u64) {
    let path = match env::var_os("FECSCAN_BENCH_FILE") {
        Some(named) => PathBuf::from(named),
        None => made_file(),
    };
    let counted = Command::new("wc")
        .arg("-l")
        .arg(&path)
        .output()
        .expect("wc runs");
    let counted = String::from_utf8_lossy(&counted.stdout).into_owned();
    let lines = counted
        .split_whitespace()
        .next()
        .and_then(|lines| lines.parse().ok());
    (path, lines.expect("wc counts lines"))
}

fn made_file() -> PathBuf {
    let rows = fs::read(FIXTURE).expect("the fixture is there");
    let path = env::temp_dir().join("fecscan-bench.txt");
    let times = MADE_BYTES / rows.len();
    if fs::metadata(&path).map_or(true, |file| file.len() != (times * rows.len()) as u64) {
        fs::write(&path, rows.repeat(times)).expect("there is room for the file");
    }
    path
}

/// Runs a program whose output must begin with `expected`.
fn run(program: &Path, arguments: &[&str], expected: &str) {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    assert!(output.status.success());
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(found.trim_start().starts_with(expected), "{found}");
}

fn whole_process(c: &mut Criterion) {
    let (path, lines) = file();
    let path = path.to_str().expect("the path is text");
    let fecscan = Path::new(env!("CARGO_BIN_EXE_fecscan"));
    let counted = format!("{lines} ");
    let reported = format!("Total file line count: {lines}\n");

    let mut group = c.benchmark_group("process");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(
        fs::metadata(path).expect("the file is there").len(),
    ));
    group.bench_function("wc -l", |b| {
        b.iter(|| run(Path::new("wc"), &["-l", path], &counted))
    });
    for threads in ["1", "2"] {
        group.bench_function(format!("count, {threads} threads"), |b| {
            b.iter(|| run(fecscan, &["count", "-j", threads, path], &counted));
        });
        group.bench_function(format!("report, {threads} threads"), |b| {
            let no_names = [
                "-f",
                "challenge",
                "--name",
                "18446744073709551615",
                "-j",
                threads,
                path,
            ];
            let first = format!("Name: null at index: {}\n{reported}", u64::MAX);
            b.iter(|| run(fecscan, &no_names, &first));
        });
    }
    group.finish();
}

/// Counts newlines.
struct Newlines<'a>(&'a [u8]);

impl Kernel for Newlines<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        count_newlines(level, &Chunk::whole(self.0))
    }
}

/// Finds the columns of the report, and adds up their lengths.
struct ReportColumns<'a>(&'a [u8], &'a mut Scratch);

/// The sum of the lengths.
struct ColumnBytes(usize);

impl<S: AsRef<[Span]>> Visitor<S> for ColumnBytes {
    #[inline(always)]
    fn record<L: Level>(&mut self, _: L, record: Record<'_, S>) {
        self.0 += record.column(0).map_or(0, <[u8]>::len) + record.column(1).map_or(0, <[u8]>::len);
    }
}

impl Kernel for ReportColumns<'_> {
    type Output = (u64, usize);

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> (u64, usize) {
        let mut bytes = ColumnBytes(0);
        let lines = records(level, &Chunk::whole(self.0), &[4, 7], self.1, &mut bytes);
        (lines, bytes.0)
    }
}

fn kernels(c: &mut Criterion) {
    // A quarter of a megabyte: in the second-level cache of any processor that has one of the
    // levels.
    let rows = fs::read(FIXTURE).expect("the fixture is there");
    let bytes = rows.repeat((256 << 10) / rows.len());
    let lines = bytes.iter().filter(|&&b| b == b'\n').count() as u64;
    let column_bytes = |line: &[u8]| {
        line.split(|&b| b == b'|')
            .enumerate()
            .filter(|(nth, _)| [4, 7].contains(nth))
            .map(|(_, column)| column.len())
            .sum::<usize>()
    };
    let found: usize = bytes.split(|&b| b == b'\n').map(column_bytes).sum();
    let mut scratch = Scratch::default();

    let mut group = c.benchmark_group("kernel");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    for simd in Simd::available() {
        group.bench_function(format!("newlines, {}", simd.name()), |b| {
            b.iter(|| assert_eq!(simd.dispatch(Newlines(black_box(&bytes))), lines));
        });
        group.bench_function(format!("columns of the report, {}", simd.name()), |b| {
            b.iter(|| {
                assert_eq!(
                    simd.dispatch(ReportColumns(black_box(&bytes), &mut scratch)),
                    (lines, found)
                )
            });
        });
    }
    group.finish();
}

criterion_group!(benches, kernels, whole_process);
criterion_main!(benches);
