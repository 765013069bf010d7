//! Outputs that fail or stall.

use std::fs;
use std::io::{self, Read, Write, pipe};
use std::thread;

use fecscan::error::ErrorKind;
use fecscan::export::Types;
use fecscan::render::Format;
use fecscan::render::columnar::Compression;

use super::reading::{FORMATS, Failing, question, try_write, write};
use crate::common::run::{Setting, Way};

fn setting(threads: usize) -> Setting {
    Setting {
        way: Way::Mapped,
        simd: fecscan::scan::simd::Simd::best(),
        threads,
        task_bytes: 50_000,
    }
}

fn many_rows() -> Vec<u8> {
    let rows = fs::read("fixtures/generated.txt").unwrap();
    rows.repeat(2_000)
}

#[test]
fn a_failing_output_is_an_error_of_the_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, many_rows()).unwrap();
    for format in FORMATS {
        let question = question("", Types::Raw);
        let whole = write(&setting(2), &question, format, &path).0.len();
        for threads in [1, 2, 8] {
            for after in [0, 100, whole / 2, whole - 1] {
                for kind in [io::ErrorKind::StorageFull, io::ErrorKind::BrokenPipe] {
                    let out = Failing { after, kind };
                    let error =
                        try_write(&setting(threads), &question, format, &path, out).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Output);
                    let is_closed = kind == io::ErrorKind::BrokenPipe;
                    assert_eq!(error.is_closed_pipe(), is_closed, "{format:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_slow_reader_gets_everything() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, many_rows()).unwrap();
    let (question, format) = (
        question("", Types::Raw),
        (Format::Arrow, Compression::Snappy),
    );
    let (expected, _) = write(&setting(1), &question, format, &path);
    let (mut reader, mut writer) = pipe().unwrap();
    let found = thread::scope(|scope| {
        let found = scope.spawn(move || {
            let mut found = Vec::new();
            // A few bytes at a time, so that the writer waits.
            let mut piece = [0; 5_000];
            while let Ok(length @ 1..) = reader.read(&mut piece) {
                found.extend_from_slice(&piece[..length]);
                thread::yield_now();
            }
            found
        });
        try_write(&setting(4), &question, format, &path, &mut writer).unwrap();
        writer.flush().unwrap();
        drop(writer);
        found.join().unwrap()
    });
    assert!(found == expected);
}
