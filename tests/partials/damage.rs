//! Partials that are not as they were written.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use fecscan::partial::Partial;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;
use twox_hash::XxHash3_128;

use crate::common::archives::sliced;
use crate::common::by::By;
use crate::common::forged;
use crate::common::partials::{Command, Way, by, count, report};

const WAY: Way = Way {
    threads: 1,
    task_bytes: 4096,
    filter: None,
};

/// Returns the partials of a plain file, and of an archive by slices.
fn halves(command: &impl Command) -> [[Vec<u8>; 2]; 2] {
    let plain = Path::new("fixtures/generated.txt");
    let text = fs::read(plain).unwrap();
    let rows: Vec<_> = text.split_inclusive(|&b| b == b'\n').collect();
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.zip");
    fs::write(&archive, sliced(&rows, &[20, 55])).unwrap();
    [plain, &archive]
        .map(|path| [0..9_000, 9_000..u64::MAX].map(|range| command.partial(path, range, WAY)))
}

/// Every bit of every byte, and every length.
fn assert_refused(command: &impl Command) {
    for [first, _] in halves(command) {
        assert_each_bit_refused(&first);
    }
}

fn assert_each_bit_refused(first: &[u8]) {
    assert!(Partial::read(first.to_vec()).is_ok());
    for place in 0..first.len() {
        for bit in 0..8 {
            let mut damaged = first.to_vec();
            damaged[place] ^= 1 << bit;
            assert!(Partial::read(damaged).is_err(), "bit {bit} of byte {place}");
        }
        assert!(
            Partial::read(first[..place].to_vec()).is_err(),
            "cut to {place}"
        );
    }
}

#[test]
fn a_flipped_bit_or_a_lost_end_is_noticed() {
    assert_refused(&count());
    assert_refused(&by());
}

/// Bytes that were changed on purpose, with a hash that fits them: no panic, and no answer but those of partials that say
/// something else.
fn assert_no_panic(command: &impl Command) {
    for halves in halves(command) {
        assert_no_panic_of(command, &halves);
    }
}

fn assert_no_panic_of(command: &impl Command, [first, second]: &[Vec<u8>; 2]) {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut merged = 0;
    for _ in 0..3_000 {
        let content = &first[..first.len() - 16];
        let mut changed = content.to_vec();
        for _ in 0..1 + random(3) {
            let place = 9 + random(changed.len() - 9);
            match random(4) {
                0 => changed[place] ^= 1 << random(8),
                1 => changed[place] = [0, 1, 0x7f, 0x80, 0xff][random(5)],
                2 => drop(changed.drain(place..(place + 1 + random(4)).min(changed.len()))),
                _ => changed.insert(place, random(256) as u8),
            }
        }
        let hash = XxHash3_128::oneshot(&changed);
        changed.extend_from_slice(&hash.to_le_bytes());
        merged += u32::from(command.merge(&[changed, second.clone()], WAY).is_ok());
    }
    // Counts of other rows are such partials.
    assert!(merged < 3_000);
}

#[test]
fn numbers_that_lie_are_refused_without_a_panic() {
    assert_no_panic(&count());
    assert_no_panic(&report());
    assert_no_panic(&by());
}

fn by_number(most: u64) -> By {
    By {
        max_groups: Some(most),
        ..By::new("SUB_ID", "")
    }
}

/// Returns four partials of a file of 100 rows.
fn quarters(command: &impl Command) -> Vec<Vec<u8>> {
    let path = Path::new("fixtures/generated.txt");
    let ranges = [0..5_200, 5_200..10_400, 10_400..15_600, 15_600..u64::MAX];
    ranges
        .map(|range| command.partial(path, range, WAY))
        .to_vec()
}

/// The last of four partials is damaged, and is not looked at: the first three have too many groups together.
#[test]
fn too_many_groups_end_a_merge_early() {
    let command = by_number(60);
    let mut partials = quarters(&command);
    let error = |partials: &[Vec<u8>]| command.merge(partials, WAY).unwrap_err().with_advice();
    let whole = error(&partials);
    assert!(
        whole.starts_with("there are more than 60 groups; group by less"),
        "{whole}"
    );
    let last = partials.pop().unwrap();
    let mut damaged = last[..last.len() - 17].to_vec();
    damaged.push(0xff);
    let hash = XxHash3_128::oneshot(&damaged);
    damaged.extend_from_slice(&hash.to_le_bytes());
    partials.push(damaged);
    assert_eq!(error(&partials), whole);
    partials.swap(0, 3);
    assert!(
        error(&partials).contains("partial 0: is damaged"),
        "{}",
        error(&partials)
    );
}

/// Headers that say anything that JSON can say, in the words that the program writes: an error or an answer, and no panic.
#[test]
fn forged_headers_are_refused_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let questions = forged::every_question(folder.path());
    for asked in &questions {
        let [whole, first, second] = &asked.partials;
        let whole = forged::answer(std::slice::from_ref(whole)).unwrap();
        let halves = forged::answer(&[first.clone(), second.clone()]).unwrap();
        assert_eq!(whole, halves, "{}", asked.name);
    }
    let config = ProptestConfig::default();
    let mut runner = TestRunner::new(ProptestConfig {
        cases: config.cases.max(1_000),
        failure_persistence: None,
        ..config
    });
    let choices = (0..questions.len(), vec(any::<u16>(), 0..40));
    let (refused, merged) = (Cell::new(0), Cell::new(0));
    let done = runner.run(&choices, |(nth, choices)| {
        let partials = forged::forged(&questions[nth], &choices);
        let count = match forged::answer(&partials) {
            Ok(_) => &merged,
            Err(_) => &refused,
        };
        count.set(count.get() + 1);
        Ok(())
    });
    done.unwrap();
    let (refused, merged) = (refused.get(), merged.get());
    assert!(refused > merged && merged > 30, "{refused} {merged}");
}

/// No byte of such a file bounds the number of its lines, and sums of several would wrap.
#[test]
fn a_compressed_file_without_bytes_has_no_lines() {
    let folder = tempfile::tempdir().unwrap();
    let [count, ..] = &forged::every_question(folder.path())[..] else {
        panic!("there are questions");
    };
    for (lines, is_right) in [(0, true), (1, false), (u64::MAX, false)] {
        let partial = forged::edited(&count.partials[0], |header| {
            (header["lines"], header["lines_scanned"]) = (lines.into(), lines.into());
            (header["odd_rows"], header["unread"]) = (0.into(), 0.into());
            let file = &mut header["files"][0];
            (file["bytes"], file["stored_bytes"]) = (0.into(), 0.into());
            let coverage = &mut file["coverage"];
            coverage["file_bytes"] = 0.into();
            let piece = &mut coverage["pieces"][0];
            piece["asked"] = json!({ "start": 0, "end": 0 });
            piece["bytes"] = piece["asked"].clone();
            (piece["lines"], piece["lines_scanned"]) = (lines.into(), lines.into());
            piece["blocks"] = json!([]);
        });
        let answer = forged::answer(&[partial]);
        assert_eq!(answer.is_ok(), is_right, "{lines}: {answer:?}");
    }
}

#[test]
fn a_file_with_lines_and_without_a_schema_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    for asked in forged::every_question(folder.path()) {
        let forged = forged::edited(&asked.partials[0], |header| {
            header["files"][0]["coverage"]["schemas"] = json!([]);
        });
        let error = forged::answer(&[forged]).unwrap_err().to_string();
        assert!(error.starts_with("is damaged"), "{}: {error}", asked.name);
    }
}
