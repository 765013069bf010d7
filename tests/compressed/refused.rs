//! Inputs that are no lines: refused with advice, never counted.

use std::fs;

use super::damage::TEXT;
use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::needs;
use crate::common::program::{assert_fails, run_with, shell};

#[test]
fn a_zip_archive_from_a_pipe_is_an_error_that_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, zip(&[Member::stored("itcont.txt", b"line\n")])).unwrap();
    assert_fails(
        shell(&format!("cat {} | $F", path.display())),
        2,
        "standard input: is a zip archive, whose directory is at its end; it can't be read from a pipe; \
         name the file, or redirect it: fecscan < FILE",
    );
}

/// By its first bytes, what is left of an archive could be text.
#[test]
fn archives_without_their_first_bytes_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let name = path.display().to_string();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let member = || Member::deflated("itcont.txt", &text);
    const MESSAGE: &str = "ends like a zip archive, but does not begin like one; if its first bytes are lost, \
                           get it again; if it has others before them, name the member: \
                           unzip -p FILE itcont.txt | fecscan";
    for archive in [
        zip(&[member()]),
        zip(&[member().with_zip64()]),
        zip(&[Member::stored("itcont.txt", &text)]),
    ] {
        let lost = [1, 3, 4, 60, 4096, archive.len() - 40].map(|lost| archive[lost..].to_vec());
        let prefixed = [&b"#!/bin/sh\nexit\n"[..], &archive].concat();
        for bytes in lost.into_iter().chain([prefixed]) {
            fs::write(&path, &bytes).unwrap();
            for (command, io) in [("count", "auto"), ("report", "mmap"), ("count", "read")] {
                let message = format!("{name}: {MESSAGE}");
                assert_fails(
                    run_with(&format!("{command} --io {io} {name}")),
                    2,
                    &message,
                );
                let run = |input: &str| shell(&format!("{input} $F {command} --io {io}"));
                let message = format!("standard input: {MESSAGE}");
                assert_fails(run(&format!("< {name}")), 2, &message);
            }
        }
    }
}

/// The same bytes anywhere but at the end are those of a text.
#[test]
fn text_that_only_holds_an_end_record_is_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let archive = zip(&[Member::stored("itcont.txt", TEXT)]);
    for bytes in [
        [&archive[4..], b"\n"].concat(),
        archive[4..archive.len() - 1].to_vec(),
        b"line\nPK\x05\x06".to_vec(),
    ] {
        let newlines = bytes.iter().filter(|&&b| b == b'\n').count().to_string();
        fs::write(&path, &bytes).unwrap();
        for input in ["$F count <", "cat", "$F count --io read", "$F count"] {
            let run = if input == "cat" { " | $F count" } else { "" };
            let ended = shell(&format!("{input} {}{run}", path.display()));
            assert_eq!(ended.status, 0, "{}", ended.err);
            assert_eq!(ended.out.split_whitespace().next(), Some(&*newlines));
        }
    }
}

/// One more layer is never taken for lines.
#[test]
fn files_that_are_packed_twice_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let name = path.display();
    let zipped = || zip(&[Member::stored("itcont.txt", TEXT)]);
    let inner = [
        ("a gzip file", gzip(TEXT)),
        ("a zstd file", zstd(TEXT)),
        ("a zip archive", zipped()),
        ("an xz file", b"\xfd7zXZ\0 and more".to_vec()),
        ("UTF-16 text", b"\xff\xfeC\0|\0\n\0".to_vec()),
        (
            "a tar archive",
            [&[0; 257][..], b"ustar\0", &[0; 250]].concat(),
        ),
    ];
    for (kind, bytes) in inner {
        let message =
            format!("holds {kind} instead of lines; unpack it, and name the file that it holds");
        for outer in [gzip(&bytes), zstd(&bytes)] {
            fs::write(&path, &outer).unwrap();
            for (input, shown) in [("$F", "file"), ("cat", "standard input")] {
                let (command, then) = match input {
                    "cat" => ("cat", "| $F count -j 2 --task-size 1"),
                    _ => ("$F count", ""),
                };
                let shown = shown.replace("file", &name.to_string());
                let ended = shell(&format!("{command} {name} {then}"));
                assert_fails(ended, 2, &format!("{shown}: {message}"));
            }
        }
        for member in [
            Member::stored("a.txt", &bytes),
            Member::deflated("a.txt", &bytes),
        ] {
            fs::write(&path, zip(&[member])).unwrap();
            let ended = run_with(&format!("{name}"));
            assert_fails(ended, 2, &format!("{name}: a.txt: {message}"));
        }
    }
}

#[test]
fn other_formats_are_refused_with_what_unpacks_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let name = path.display();
    let tar = [&b"itcont.txt\0"[..], &[0; 246], b"ustar\0", &[0; 250]].concat();
    for (bytes, kind, command) in [
        (
            &b"Rar!\x1a\x07\x01\0"[..],
            "a RAR archive",
            "unrar p -inul FILE | fecscan",
        ),
        (
            b"\x24\x00-lh5-\x10",
            "an LZH archive",
            "lha pq FILE | fecscan",
        ),
        (&tar, "a tar archive", "tar -xOf FILE | fecscan"),
        (
            b"\x89FSP\r\n\x1a\n\x07",
            "a partial",
            "fecscan merge FILE...",
        ),
        (
            b"PAR1\x15\x04|\n",
            "a Parquet file",
            "DuckDB, Polars and pandas read it",
        ),
        (
            b"\xff\xfeC\0|\0",
            "UTF-16 text",
            "iconv -f UTF-16 -t UTF-8 FILE | fecscan",
        ),
        (
            b"\xfe\xff\0C\0|",
            "UTF-16 text",
            "iconv -f UTF-16 -t UTF-8 FILE | fecscan",
        ),
    ] {
        fs::write(&path, bytes).unwrap();
        for input in [
            format!("$F {name}"),
            format!("$F count < {name}"),
            format!("cat {name} | $F"),
        ] {
            let ended = shell(&input);
            assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{input}");
            let what = format!("is {kind}, which can't be read; ");
            assert!(
                ended.err.contains(&what) && ended.err.contains(command),
                "{}",
                ended.err
            );
        }
    }
}

/// The advice for an archive with other bytes before it gives the lines of the one member.
#[test]
fn the_advice_for_an_archive_behind_other_bytes_reads_one_member() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let archive = fs::read("fixtures/indiv18.zip").unwrap();
    fs::write(&path, [b"#!/bin/sh\n", &archive[..]].concat()).unwrap();
    let refused = run_with(&format!("count {}", path.display()));
    assert_eq!((refused.status, refused.out.as_str()), (2, ""));
    let advice = refused.err.rsplit_once(": ").expect("advice").1;
    if !needs::has("unzip") {
        return;
    }
    let command = advice.replace("FILE", &path.display().to_string());
    let ended = shell(&command.trim().replace("fecscan", "$F count"));
    assert_eq!(
        (ended.status, ended.out.as_str()),
        (0, "50000\n"),
        "{advice}"
    );
}
