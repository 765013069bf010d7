//! Files that are damaged or cut: the right answer, or an error that says where.

use std::fs;

use fecscan::scan::simd::Simd;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::program::{fecscan, run, run_with};
use crate::common::run::{Setting, Way};
use crate::common::twin::{self, Asked};

pub(super) const TEXT: &[u8] =
    b"C|N|M4|P|201804129112345678|15|IND|ROE, ANN|X\nC|N|M4|P|201805|15|IND|DOE, JOHN|X\nlast";

pub(super) fn setting() -> Setting {
    Setting {
        way: Way::Read,
        simd: Simd::best(),
        threads: 1,
        task_bytes: 50,
    }
}

pub(super) fn three_names() -> Asked {
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
    let expected = twin::report(&[(path.to_str().unwrap(), TEXT)], &three_names());
    let engine = setting().engine();
    let (mut right, mut failed) = (0, 0);
    for (trial, bytes) in trials {
        fs::write(&path, bytes).unwrap();
        match setting().try_json(&engine, &three_names(), &[&path]) {
            Ok(found) => {
                assert_eq!(found, expected, "{what}: {trial}: a wrong answer");
                right += 1;
            }
            Err(error) => {
                let message = error.with_advice();
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
pub(super) fn error_of(bytes: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, bytes).unwrap();
    let setting = setting();
    let error = setting
        .try_json(&setting.engine(), &three_names(), &[&path])
        .expect_err("no answer can be right");
    let message = error.with_advice();
    message
        .strip_prefix(&format!("{}: ", path.display()))
        .unwrap()
        .to_owned()
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
            "is damaged: what follows is not a gzip member (byte 0); get it again",
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
            "is damaged: its bytes do not have the checksum that follows them (byte 85); get it again",
        ),
        (
            with(gzipped.clone(), end - 1, 1),
            "is damaged: its bytes do not have the length that follows them (byte 85); get it again",
        ),
        (
            [&gzipped[..], b"\x1f"].concat(),
            "ends in the middle of its compressed data (byte 85); it was cut off: get it again, whole",
        ),
        (
            [&gzipped[..], b"\x1fx"].concat(),
            "is damaged: what follows is not a gzip member (byte 85); get it again",
        ),
        (
            [&gzipped[..], b"x"].concat(),
            "is damaged: its last member is followed by something else (byte 85); get it again",
        ),
        (
            with(frame.clone(), frame.len() - 1, !frame[frame.len() - 1]),
            "is damaged: its bytes do not have the checksum that follows them (byte 85); get it again",
        ),
        (
            [&frame[..], b"text"].concat(),
            "is damaged: what follows is not a zstd frame (byte 85); get it again",
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
                    let found = setting.try_json(&setting.engine(), &three_names(), &[&path]);
                    let message = found.expect_err("no answer can be right").with_advice();
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
        let mut command = fecscan(["--force", "-f", "challenge", "-j", threads]);
        command.args(["--task-size", "1000"]);
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
        ..three_names()
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
        let message = error.with_advice();
        assert!(message.contains(": 3.txt: is damaged: "), "{message}");
    }
}
