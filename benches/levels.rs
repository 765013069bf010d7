//! Each SIMD level on one thread: newlines, two columns, all columns, the report.
//!
//! The file has 64 MB of generated rows and lies in memory. Each time includes opening and mapping
//! it.

use std::num::NonZeroUsize;
use std::path::Path;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use fecscan::engine::Engine;
use fecscan::engine::Options;
use fecscan::fold::LineCount;
use fecscan::fold::report::{ReportFold, ReportQuestion};
use fecscan::scan::simd::Simd;
use tempfile::NamedTempFile;

use crate::common::challenge::slow_answers;
use crate::common::columns::Lengths;
use crate::common::rounds::full_or_small;
use crate::common::rows::write_rows;
use crate::common::run::{fold, mapped};

/// Returns the rows of some 64 MB, or of one for a check.
fn rows() -> u64 {
    full_or_small(350_000, 5_000)
}

/// Writes the rows to a file in memory, or in the folder for temporary files.
fn file() -> NamedTempFile {
    let in_memory = NamedTempFile::new_in("/dev/shm");
    let mut file = in_memory
        .or_else(|_| NamedTempFile::new())
        .expect("a file can be made");
    write_rows(rows(), &mut file);
    file
}

fn engine(simd: Simd) -> Engine {
    let mut options = Options::default();
    options.threads = NonZeroUsize::MIN;
    options.simd = simd;
    Engine::new(options)
}

fn newlines(group: &mut BenchmarkGroup<'_, WallTime>, path: &Path, _: &[u8]) {
    for simd in Simd::available() {
        let engine = engine(simd);
        group.bench_function(format!("newlines, {}", simd.name()), |b| {
            b.iter(|| assert_eq!(fold(&engine, &LineCount, path, mapped()).lines, rows()));
        });
    }
}

fn columns(group: &mut BenchmarkGroup<'_, WallTime>, path: &Path, bytes: &[u8]) {
    for (name, lengths) in [("two", Lengths::of_report()), ("all", Lengths::of_all())] {
        let lines = bytes.split(|&b| b == b'\n');
        let expected = lines.map(|line| lengths.slowly(line)).sum::<u64>();
        for simd in Simd::available() {
            let engine = engine(simd);
            group.bench_function(format!("{name} columns, {}", simd.name()), |b| {
                b.iter(|| assert_eq!(fold(&engine, &lengths, path, mapped()).partial, expected));
            });
        }
    }
}

fn report(group: &mut BenchmarkGroup<'_, WallTime>, path: &Path, _: &[u8]) {
    let expected = slow_answers(path);
    let report = ReportFold::new(ReportQuestion::default());
    for simd in Simd::available() {
        let engine = engine(simd);
        group.bench_function(format!("report, {}", simd.name()), |b| {
            b.iter(|| {
                let found = report.report(fold(&engine, &report, path, mapped()));
                let months = found
                    .months
                    .iter()
                    .map(|(month, lines)| (month.to_string(), *lines));
                assert!(months.eq(expected.months.clone()));
                let first_names = found.first_names.iter();
                let first_name = first_names
                    .map(|(name, lines)| (String::from_utf8_lossy(name).into_owned(), *lines))
                    .next();
                assert_eq!(first_name, expected.first_name);
            });
        });
    }
}

pub fn run() {
    let file = file();
    let bytes = std::fs::read(file.path()).expect("the file can be read");
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("levels");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    for bench in [newlines, columns, report] {
        bench(&mut group, file.path(), &bytes);
    }
    group.finish();
}
