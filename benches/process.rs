//! The program as its users run it, against `wc -l` on the same file: whole processes, from start to
//! exit. `limit` measures the same in turn and gives ratios; here criterion compares with the last
//! time.

mod common;

use std::process::Command;

use common::file::BenchFile;
use common::run::{fecscan, output};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn run(command: &mut Command, expected: &str) {
    let found = output(command);
    assert!(
        found.trim_start().starts_with(expected),
        "{command:?}: {found}"
    );
}

fn process(c: &mut Criterion) {
    let file = BenchFile::find();
    let path = file.argument();
    let counted = format!("{} ", file.lines);
    // The line count is the first that is printed, when a name is asked for that no file has.
    let no_names = u64::MAX.to_string();
    let reported = format!(
        "Name: null at index: {no_names}\nTotal file line count: {}\n",
        file.lines
    );

    let mut group = c.benchmark_group("process");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(file.bytes));
    group.bench_function("wc -l", |b| {
        b.iter(|| run(Command::new("wc").args(["-l", path]), &counted));
    });
    for threads in ["1", "2"] {
        group.bench_function(format!("count, {threads} threads"), |b| {
            b.iter(|| run(fecscan().args(["count", "-j", threads, path]), &counted));
        });
        group.bench_function(format!("report, {threads} threads"), |b| {
            let arguments = ["-f", "challenge", "--name", &no_names, "-j", threads, path];
            b.iter(|| run(fecscan().args(arguments), &reported));
        });
    }
    group.finish();
}

criterion_group!(benches, process);
criterion_main!(benches);
