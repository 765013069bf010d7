//! Compressed files that are damaged, cut, or lie: the right answer, or an error that says where.
//! Never another answer.

mod common;

use std::fs;

use common::archives::{ENCRYPTED, Member, crc, deflated_zeros, gzip, zip, zstd};
use common::program::{assert_fails, fecscan, run, run_with, shell};
use common::run::{Setting, Way};
use common::twin::{self, Asked};
use fecscan::scan::simd::Simd;

const TEXT: &[u8] =
    b"C|N|M4|P|201804129112345678|15|IND|ROE, ANN|X\nC|N|M4|P|201805|15|IND|DOE, JOHN|X\nlast";

fn setting() -> Setting {
    Setting {
        way: Way::Read,
        simd: Simd::best(),
        threads: 1,
        task_bytes: 50,
    }
}

fn asked() -> Asked {
    Asked {
        names: vec![0, 1, 2],
        top: 3,
        transaction_date: false,
    }
}

/// Tries every one of `trials`, variants of a file that holds [`TEXT`]: each must have its answer,
/// or fail. How many had and failed.
fn try_all(what: &str, trials: impl Iterator<Item = (String, Vec<u8>)>) -> (u64, u64) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let expected = twin::report(&[(path.to_str().unwrap(), TEXT)], &asked());
    let engine = setting().engine();
    let (mut right, mut failed) = (0, 0);
    for (trial, bytes) in trials {
        fs::write(&path, bytes).unwrap();
        match setting().try_json(&engine, &asked(), &[&path]) {
            Ok(found) => {
                assert_eq!(found, expected, "{what}: {trial}: a wrong answer");
                right += 1;
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.starts_with(path.to_str().unwrap()), "{message}");
                assert!(message.contains("; "), "what to do? {message}");
                failed += 1;
            }
        }
    }
    (right, failed)
}

/// A whole file, and how many of its first bytes tell that it is compressed.
fn whole_files() -> [(&'static str, Vec<u8>, usize); 7] {
    let member = || Member::deflated("itcont.txt", TEXT);
    [
        ("gzip", gzip(TEXT), 2),
        ("zstd", zstd(TEXT), 4),
        ("stored zip", zip(&[Member::stored("itcont.txt", TEXT)]), 4),
        ("deflated zip", zip(&[member()]), 4),
        ("ZIP64", zip(&[member().with_zip64()]), 4),
        ("zip with descriptor", zip(&[member().with_descriptor()]), 4),
        (
            "zip of two members",
            zip(&[
                Member::stored("a.txt", &TEXT[..46]),
                Member::deflated("b.txt", &TEXT[46..]),
            ]),
            4,
        ),
    ]
}

#[test]
fn files_that_are_cut_off_anywhere_are_errors() {
    for (kind, whole, magic) in whole_files() {
        let cuts =
            (magic..whole.len()).map(|end| (format!("the first {end}"), whole[..end].to_vec()));
        let trials = cuts.len() as u64;
        assert_eq!(try_all(kind, cuts), (0, trials), "{kind}");
        let all = std::iter::once(("all".to_owned(), whole.clone()));
        assert_eq!(try_all(kind, all), (1, 0), "{kind}");
    }
}

#[test]
fn bytes_that_are_changed_anywhere_change_no_answer() {
    for (kind, whole, magic) in whole_files() {
        let changed = (magic..whole.len()).flat_map(|at| {
            let whole = &whole;
            (0..8).map(|bit| 1 << bit).chain([0xff]).map(move |mask| {
                let mut bytes = whole.clone();
                bytes[at] ^= mask;
                (format!("byte {at} ^ {mask:#x}"), bytes)
            })
        });
        let (right, failed) = try_all(kind, changed);
        assert!(failed > right, "{kind}: {right} right, {failed} failed");
    }
}

#[test]
fn bytes_that_are_lost_or_doubled_or_put_in_anywhere_change_no_answer() {
    for (kind, whole, magic) in whole_files() {
        let lost = (magic..whole.len()).map(|at| {
            let bytes = [&whole[..at], &whole[at + 1..]].concat();
            (format!("without byte {at}"), bytes)
        });
        let put_in = (magic..=whole.len()).flat_map(|at| {
            let whole = &whole;
            [whole[at - 1], b'\n', b'x', 0x1f].map(move |byte| {
                let bytes = [&whole[..at], &[byte], &whole[at..]].concat();
                (format!("{byte:#x} before byte {at}"), bytes)
            })
        });
        let (_, failed) = try_all(kind, lost.chain(put_in));
        assert!(failed > 0, "{kind}");
    }
}

/// Zeros behind the last member of gzip are what fills up a tape, and no damage.
#[test]
fn what_stands_behind_the_end_is_an_error_unless_gzip_is_filled_up_with_zeros() {
    for (kind, whole, _) in whole_files() {
        let behind: [&[u8]; 5] = [&[0; 1], &[0; 100_000], b"\0x", b"x", b"\n"];
        let trials = behind.iter().map(|rest| {
            let bytes = [&whole[..], rest].concat();
            (format!("{} bytes behind", rest.len()), bytes)
        });
        let expected = if kind == "gzip" { (2, 3) } else { (0, 5) };
        assert_eq!(try_all(kind, trials), expected, "{kind}");
    }
}

/// The error of a run over `bytes`, without the path.
fn error_of(bytes: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, bytes).unwrap();
    let setting = setting();
    let error = setting
        .try_json(&setting.engine(), &asked(), &[&path])
        .expect_err("no answer can be right");
    let message = error.to_string();
    message
        .strip_prefix(&format!("{}: ", path.display()))
        .unwrap()
        .to_owned()
}

#[test]
fn archives_that_lie_are_errors_that_say_how() {
    let member = || Member::deflated("a.txt", TEXT);
    let stored = || Member::stored("a.txt", TEXT);
    let other = || Member::stored("b.txt", b"other\n");
    for (members, message) in [
        (
            vec![Member { crc: 1, ..member() }],
            "a.txt: is damaged: its bytes do not have the checksum that the directory says (byte 85); get it again",
        ),
        (
            vec![Member {
                bytes: 84,
                ..member()
            }],
            "a.txt: is damaged: it holds more than the 84 bytes that the directory says (byte 84); get it again",
        ),
        (
            vec![Member {
                bytes: 86,
                ..member()
            }],
            "a.txt: is damaged: 1 of the 86 bytes are missing that the directory says (byte 85); get it again",
        ),
        (
            vec![Member {
                bytes: 0,
                ..member()
            }],
            "a.txt: is damaged: it holds more than the 0 bytes that the directory says (byte 0); get it again",
        ),
        (
            vec![Member {
                bytes: 86,
                ..stored()
            }],
            "a.txt: ends in the middle of its compressed data (byte 85); it was cut off: get it again, whole",
        ),
        (
            vec![Member {
                compressed_bytes: 84,
                bytes: 84,
                crc: crc(&TEXT[..83]),
                ..stored()
            }],
            "a.txt: is damaged: its bytes do not have the checksum that the directory says (byte 84); get it again",
        ),
        (
            vec![Member {
                compressed_bytes: 20,
                ..member()
            }],
            "a.txt: ends in the middle of its compressed data (byte 19); it was cut off: get it again, whole",
        ),
        (
            vec![Member {
                compressed: [&member().compressed[..], b"x"].concat(),
                compressed_bytes: member().compressed_bytes + 1,
                ..member()
            }],
            "a.txt: is damaged: its compressed data end before the directory says (byte 85); get it again",
        ),
        (
            vec![Member {
                compressed_bytes: 1 << 40,
                ..member().with_zip64()
            }],
            "a.txt: ends in the middle of its compressed data; it was cut off: get it again, whole",
        ),
        (
            vec![Member {
                flags: ENCRYPTED,
                ..member()
            }],
            "a.txt: is encrypted, and can't be read; unpack it, or pipe it in: unzip -p ARCHIVE MEMBER | fecscan",
        ),
        (
            vec![Member {
                method: 9,
                local_method: 9,
                ..member()
            }],
            "a.txt: is compressed by DEFLATE64 (9), which can't be read; unpack it, or pipe it in: \
             unzip -p ARCHIVE MEMBER | fecscan",
        ),
        (
            vec![Member {
                method: 0,
                ..member()
            }],
            "a.txt: is a damaged zip archive: its method is not that of the directory; get it again",
        ),
        (
            vec![Member {
                external_attributes: 0o120777 << 16,
                ..stored()
            }],
            "a.txt: is a symbolic link, and has no lines; unpack it, or pipe it in: unzip -p ARCHIVE MEMBER | fecscan",
        ),
        (
            vec![Member {
                local_name: b"b.txt".to_vec(),
                ..member()
            }],
            "a.txt: is a damaged zip archive: where the directory says that it begins, b.txt does; get it again",
        ),
        (
            vec![
                Member {
                    local_name: b"a.txt".to_vec(),
                    name: b"x/a.csv".to_vec(),
                    ..other()
                },
                member(),
            ],
            "x/a.csv: is a damaged zip archive: where the directory says that it begins, a.txt does; get it again",
        ),
        (
            vec![other(), member(), other()],
            "b.txt: is a damaged zip archive: there are several members of this name; get it again",
        ),
        (
            vec![
                other(),
                Member {
                    only_entry_for: Some(0),
                    ..other()
                },
            ],
            "b.txt: is a damaged zip archive: there are several members of this name; get it again",
        ),
        (
            vec![
                other(),
                Member {
                    only_entry_for: Some(3),
                    ..member()
                },
            ],
            "a.txt: is a damaged zip archive: invalid signature: expected 0x04034b50, got 0x00002d04; get it again",
        ),
        (
            vec![Member::stored("x.csv", TEXT)],
            "has no .txt member outside of folders; its one member is x.csv; choose with --member PATTERN",
        ),
        (vec![], "is a zip archive without members; check the file"),
        (
            vec![Member::stored("folder/", b"")],
            "is a zip archive without members; check the file",
        ),
    ] {
        assert_eq!(error_of(&zip(&members)), message);
    }
}

/// One member inside of the other: the same bytes would count many times over.
#[test]
fn members_that_share_bytes_are_an_error() {
    let inner = Member::stored("b.txt", TEXT);
    let mut nested = zip(std::slice::from_ref(&inner));
    nested.truncate(30 + 5 + TEXT.len());
    let outer = Member::stored("a.txt", &nested);
    let entry = Member {
        only_entry_for: Some(30 + 5),
        ..inner
    };
    assert_eq!(
        error_of(&zip(&[outer, entry])),
        "b.txt: is a damaged zip archive: it shares bytes with the member a.txt; get it again"
    );
}

#[test]
fn archives_behind_one_another_are_an_error() {
    let first = zip(&[Member::stored("a.txt", TEXT)]);
    let second = zip(&[Member::stored("a.txt", b"other\n")]);
    let message = format!(
        "is a damaged zip archive: in front of its first member there are {} bytes; get it again",
        first.len()
    );
    assert_eq!(error_of(&[&first[..], &second].concat()), message);
    let message = error_of(&[&first[..], &first].concat());
    assert!(
        message.starts_with("is a damaged zip archive: "),
        "{message}"
    );
}

#[test]
fn a_directory_of_another_length_than_the_end_says_is_an_error() {
    let mut archive = zip(&[Member::stored("a.txt", TEXT), Member::stored("b.txt", TEXT)]);
    let end = archive.len() - 22;
    for place in [8, 10] {
        archive[end + place] = 1;
    }
    assert_eq!(
        error_of(&archive),
        "is a damaged zip archive: its directory has 2 entries instead of 1; get it again"
    );
}

/// Whatever is wrong, it is told in our words: at which byte, and what to do.
#[test]
fn damage_is_told_of_in_one_way() {
    let gzipped = gzip(TEXT);
    let end = gzipped.len();
    let with = |mut bytes: Vec<u8>, at: usize, byte: u8| {
        bytes[at] = byte;
        bytes
    };
    let stored = |block: &[u8]| [&gzipped[..10], block].concat();
    let frame = zstd(TEXT);
    for (bytes, message) in [
        (
            with(gzipped.clone(), 3, 0xff),
            "is damaged: what follows is no gzip member (byte 0); get it again",
        ),
        (
            with(gzipped.clone(), 10, 0x07),
            "is damaged: its compressed data make no sense from here on (byte 0); get it again",
        ),
        (
            // A stored block of three bytes, and one of a kind that there is not.
            stored(b"\0\x03\0\xfc\xffabc\x07"),
            "is damaged: its compressed data make no sense from here on (byte 3); get it again",
        ),
        (
            stored(b"\0\x03\0\xfc\xffab"),
            "ends in the middle of its compressed data (byte 2); it was cut off: get it again, whole",
        ),
        (
            with(gzipped.clone(), end - 8, !gzipped[end - 8]),
            "is damaged: its bytes do not have the checksum behind them (byte 85); get it again",
        ),
        (
            with(gzipped.clone(), end - 1, 1),
            "is damaged: its bytes are not as many as is said behind them (byte 85); get it again",
        ),
        (
            [&gzipped[..], b"\x1f"].concat(),
            "ends in the middle of its compressed data (byte 85); it was cut off: get it again, whole",
        ),
        (
            [&gzipped[..], b"\x1fx"].concat(),
            "is damaged: what follows is no gzip member (byte 85); get it again",
        ),
        (
            [&gzipped[..], b"x"].concat(),
            "is damaged: behind its last member there is something else (byte 85); get it again",
        ),
        (
            with(frame.clone(), frame.len() - 1, !frame[frame.len() - 1]),
            "is damaged: its bytes do not have the checksum behind them (byte 85); get it again",
        ),
        (
            [&frame[..], b"text"].concat(),
            "is damaged: what follows is no zstd frame (byte 85); get it again",
        ),
        (
            // A last block of the kind that there is not.
            [&frame[..6], b"\x07\0\0"].concat(),
            "is damaged: its compressed data make no sense from here on (byte 0); get it again",
        ),
        (
            frame[..frame.len() - 1].to_vec(),
            "ends in the middle of its compressed data (byte 85); it was cut off: get it again, whole",
        ),
        (
            // A frame that names a dictionary.
            b"\x28\xb5\x2f\xfd\x01\x00\x07\x01\0\0".to_vec(),
            "can't be read without its zstd dictionary (byte 0); unpack it, or pipe it in: \
             zstd -dc -D DICTIONARY FILE | fecscan",
        ),
    ] {
        assert_eq!(error_of(&bytes), message);
    }
}

/// At which byte a file is damaged, its bytes say: not the size of the tasks, the number of threads,
/// nor whether it is a file or a pipe.
#[test]
fn a_damage_is_at_the_same_byte_in_every_way_of_working() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let text = fs::read("fixtures/generated.txt").unwrap().repeat(40);
    let (first, second) = text.split_at(text.len() / 2);
    let wholes = [
        ("gzip", [gzip(first), gzip(second)].concat(), 2),
        ("zstd", [zstd(first), zstd(second)].concat(), 4),
        ("zip", zip(&[Member::deflated("itcont.txt", &text)]), 60),
    ];
    let ways = |kind: &str| match kind {
        "zip" => &[Way::Read, Way::Mapped][..],
        _ => &[Way::Read, Way::Mapped, Way::Stream],
    };
    let mut places = std::collections::HashSet::new();
    for (kind, whole, magic) in &wholes {
        let last = whole.len() - if *kind == "zip" { 150 } else { 0 };
        for nth in 0..24 {
            let at = magic + (last - magic) * nth / 24;
            let mut bytes = whole.clone();
            match nth % 3 {
                0 if *kind != "zip" => bytes.truncate(at),
                1 => bytes[at] ^= 0x40,
                _ => bytes[at..][..8].fill(0xff),
            }
            fs::write(&path, bytes).unwrap();
            let mut first: Option<String> = None;
            for (threads, task_bytes) in [
                (1, 2 << 20),
                (1, 1000),
                (2, 700_000),
                (2, 64),
                (3, 4096),
                (4, 100_000),
            ] {
                for &way in ways(kind) {
                    let setting = Setting {
                        way,
                        threads,
                        task_bytes,
                        ..setting()
                    };
                    let found = setting.try_json(&setting.engine(), &asked(), &[&path]);
                    let message = found.expect_err("no answer can be right").to_string();
                    let place = message.split_once(" (byte ").expect("a place").1;
                    places.insert(place.to_owned());
                    let first = first.get_or_insert_with(|| message.clone());
                    assert_eq!(*first, message, "{kind}, byte {at}: {setting:?}");
                }
            }
        }
    }
    assert!(places.len() > 20, "{places:?}");
}

/// By its first bytes, what is left of an archive could be text.
#[test]
fn archives_without_their_first_bytes_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let name = path.display().to_string();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let member = || Member::deflated("itcont.txt", &text);
    let commented = {
        let mut archive = zip(&[member()]);
        let end = archive.len();
        archive[end - 2] = 9;
        [archive, b"a comment".to_vec()].concat()
    };
    const MESSAGE: &str = "ends as a zip archive does, but does not begin as one";
    const ADVICE: &str = "if its first bytes are lost, get it again; if something was put in front of it: \
                          unzip -p FILE | fecscan";
    for archive in [
        zip(&[member()]),
        zip(&[member().with_zip64()]),
        zip(&[Member::stored("itcont.txt", &text)]),
        commented,
    ] {
        let lost = [1, 3, 4, 60, 4096, archive.len() - 40].map(|lost| archive[lost..].to_vec());
        let prefixed = [&b"#!/bin/sh\nexit\n"[..], &archive].concat();
        for bytes in lost.into_iter().chain([prefixed]) {
            fs::write(&path, &bytes).unwrap();
            for (command, io) in [("count", "auto"), ("report", "mmap"), ("count", "read")] {
                let message = format!("{name}: {MESSAGE}; {ADVICE}");
                assert_fails(
                    run_with(&format!("{command} --io {io} {name}")),
                    2,
                    &message,
                );
                let run = |input: &str| shell(&format!("{input} $F {command} --io {io}"));
                let message = format!("standard input: {MESSAGE}; {ADVICE}");
                assert_fails(run(&format!("< {name}")), 2, &message);
                // Of a pipe that is only known when it ends.
                let end = bytes.len();
                let message = format!("standard input: {MESSAGE} (byte {end}); {ADVICE}");
                assert_fails(run(&format!("cat {name} |")), 2, &message);
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

/// The error names the archive, the member and the byte of what it holds, and nothing of the
/// archive counts, but what else was named does.
#[test]
fn a_damaged_member_spoils_its_archive_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let good = Member::deflated("good.txt", &TEXT.repeat(100));
    let mut bad = Member::deflated("bad.txt", &[TEXT, b"\n"].concat().repeat(1000));
    let middle = bad.compressed.len() / 2;
    bad.compressed[middle] ^= 0x55;
    let archive = directory.path().join("a.zip");
    fs::write(&archive, zip(&[good, bad])).unwrap();
    let plain = run_with("-f challenge fixtures/plain.txt");
    for threads in ["1", "2", "3"] {
        let mut command = fecscan(["-f", "challenge", "-j", threads, "--task-size", "1000"]);
        let ended = run(command.arg("fixtures/plain.txt").arg(&archive));
        assert_eq!((ended.status, &ended.out), (2, &plain.out));
        let prefix = format!("fecscan: {}: bad.txt: is damaged: ", archive.display());
        assert!(ended.err.starts_with(&prefix), "{}", ended.err);
        let byte: u64 = ended
            .err
            .split_once("(byte ")
            .and_then(|(_, rest)| rest.split_once(')')?.0.parse().ok())
            .unwrap_or_else(|| panic!("where? {}", ended.err));
        assert!(byte <= 89_000, "{}", ended.err);
    }
}

/// Whoever comes to a damaged member first, the error is that of the first one in the archive.
#[test]
fn of_several_damaged_members_the_first_is_told_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let rows = [TEXT, b"\n"].concat();
    let members: Vec<_> = (0..8)
        .map(|n| {
            // The first of the damaged ones is the longest.
            let good = Member::deflated(format!("{n}.txt"), &rows.repeat(5000 / (n + 1)));
            let crc = if [3, 4, 7].contains(&n) { 1 } else { good.crc };
            Member { crc, ..good }
        })
        .collect();
    fs::write(&path, zip(&members)).unwrap();
    let asked = Asked {
        names: vec![],
        ..asked()
    };
    for threads in (1..=8).cycle().take(80) {
        let setting = Setting {
            threads,
            task_bytes: 1000,
            ..setting()
        };
        let error = setting
            .try_json(&setting.engine(), &asked, &[&path])
            .unwrap_err();
        let message = error.to_string();
        assert!(message.contains(": 3.txt: is damaged: "), "{message}");
    }
}

#[test]
fn bombs_are_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: Vec<u8>| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    // The limit on the ratio counts from 1 GiB.
    let bytes = 1100 << 20;
    let compressed = deflated_zeros(1100);
    let member = Member {
        compressed_bytes: compressed.len() as u64,
        compressed: compressed.clone(),
        bytes,
        ..Member::deflated("a.txt", b"")
    };
    let zipped = file("bomb.zip", zip(&[member]));
    let header = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
    let gzipped = file("bomb.gz", [&header[..], &compressed].concat());
    for (path, shown) in [
        (&zipped, format!("{zipped}: a.txt")),
        (&gzipped, gzipped.clone()),
    ] {
        for tasks in ["", "--threads 3 --task-size 2097152", "--io read"] {
            let ended = run_with(&format!("count {tasks} {path}"));
            assert_eq!((ended.status, ended.out.as_str()), (2, ""));
            // The first MiB above the limit.
            let message = format!(
                "fecscan: {shown}: holds more than 200 times its compressed bytes (byte 1074790400)"
            );
            assert!(ended.err.starts_with(&message), "{}", ended.err);
        }
    }
    assert_fails(
        run_with(&format!("count --max-member-bytes 3M {gzipped}")),
        2,
        &format!(
            "{gzipped}: holds more than 3145728 bytes (byte 3145728); if that is right, set the limit with \
             --max-member-bytes"
        ),
    );
    // A zstd file of which each byte stands for many thousand.
    let zeros = vec![0; 64 << 20];
    let frame = zstd(&zeros);
    let many = file("bomb.zst", frame.repeat(20));
    let ended = shell(&format!("$F count < {many}"));
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(
        ended
            .err
            .starts_with("fecscan: standard input: holds more than 200 times its compressed bytes"),
        "{}",
        ended.err
    );
    // What is repetitive but small is no bomb.
    let small = file("small.zst", frame);
    assert_eq!(
        run_with(&format!("count {small}")).out,
        format!("0 {small}\n")
    );
}

#[test]
fn the_largest_size_that_is_allowed_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.gz");
    fs::write(&path, gzip(&[b'\n'; 1000])).unwrap();
    let count = |limit: &str| run(fecscan(["count", "--max-member-bytes", limit]).arg(&path));
    assert_eq!(count("1000").status, 0);
    assert_eq!(count("1K").status, 0);
    assert_eq!(count("999").status, 2);
    assert_eq!(count("0").status, 2);
}

#[test]
fn a_zstd_window_that_is_too_large_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.zst");
    // A frame header that asks for 2 GiB, and an empty last block.
    fs::write(&path, b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00").unwrap();
    let name = path.display();
    assert_fails(
        run_with(&format!("count {name}")),
        2,
        &format!(
            "{name}: needs a zstd window of more than 128 MiB (byte 0); unpack it, or pipe it in: \
             zstd -dc --long=31 FILE | fecscan"
        ),
    );
}
