//! Chunks end in the order of the input, and know their first line.

use std::fs;
use std::path::PathBuf;

use fecscan::fold::Order;
use fecscan::sql::Filter;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::chunks::{
    Fault, InInputOrder, assert_in_order, expected, lines, open, several_inputs,
};
use crate::common::condition::{Condition, Test};
use crate::common::run::{Way, settings};

#[test]
fn chunks_end_in_the_order_of_the_input_and_know_their_first_line() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, parts) = several_inputs(directory.path());
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let total: usize = parts.iter().map(|(_, lines)| lines.len()).sum();
    for setting in settings(&[1, 2, 3, 8], &[1, 50, 64, 1000, 1 << 20]) {
        let fold = InInputOrder::new(Fault::None, Order::Input);
        let engine = setting.engine();
        let folded = setting.fold(&engine, &fold, &[0, 1], &paths).unwrap();
        assert_eq!(
            (folded.lines, folded.partial.total),
            (total as u64, total as u64)
        );
        assert!(folded.partial.chunk.is_empty(), "all chunks have ended");
        let ended = fold.ended.into_inner().unwrap();
        let done = assert_in_order(&ended, &parts, &|_| true, &format!("{setting:?}"));
        let all: Vec<_> = parts.iter().map(|(_, lines)| lines.len() as u64).collect();
        assert_eq!(done, all, "{setting:?}");
    }
}

#[test]
fn the_first_line_of_a_chunk_counts_lines_that_a_filter_drops() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, parts) = several_inputs(directory.path());
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let condition = Condition::new(1, Test::Matches("[37]$".to_owned()));
    let passing = |lines: &[Vec<u8>]| lines.iter().filter(|line| condition.holds(line)).count();
    let matching: usize = parts.iter().map(|(_, lines)| passing(lines)).sum();
    assert!(matching > 50);
    for setting in settings(&[1, 3], &[50, 777, 1 << 20]) {
        let fold = InInputOrder::new(Fault::None, Order::Input);
        let filter = Filter::new([condition.typed()]).unwrap();
        let engine = setting.engine().with_filter(filter);
        let folded = setting.fold(&engine, &fold, &[], &paths).unwrap();
        assert_eq!(folded.lines, matching as u64);
        let ended = fold.ended.into_inner().unwrap();
        let condition = condition.clone();
        let passes = move |line: &[u8]| condition.holds(line);
        assert_in_order(&ended, &parts, &passes, &format!("{setting:?}"));
        let seen: usize = ended.iter().map(|chunk| chunk.lines.len()).sum();
        assert_eq!(seen, matching, "{setting:?}");
    }
}

/// Archives and compressed files, given to the run together.
#[test]
fn chunks_of_members_and_of_inputs_that_are_given_together_are_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let texts: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .into_iter()
        .enumerate()
        .map(|(nth, mark)| lines(mark, 200 / (nth + 1)))
        .collect();
    let archive = |members: &[(&str, usize)]| {
        let member = |(name, text): &(&str, usize)| Member::deflated(*name, &texts[*text]);
        zip(&members.iter().map(member).collect::<Vec<_>>())
    };
    let files = [
        (
            "one.zip",
            archive(&[("1.txt", 0), ("2.txt", 1), ("3.txt", 2)]),
        ),
        ("two.gz", gzip(&texts[3])),
        ("three.txt", texts[0].clone()),
        ("four.zip", archive(&[("4.txt", 4), ("5.txt", 5)])),
        ("five.zst", zstd(&texts[1])),
    ];
    for (name, bytes) in &files {
        fs::write(at(name), bytes).unwrap();
    }
    let part = |name: &str, member: &str, text: usize| {
        let path = at(name).to_str().unwrap().to_owned() + member;
        expected(&path, &texts[text])
    };
    let parts = [
        part("one.zip", ": 1.txt", 0),
        part("one.zip", ": 2.txt", 1),
        part("one.zip", ": 3.txt", 2),
        part("two.gz", "", 3),
        part("three.txt", "", 0),
        part("four.zip", ": 4.txt", 4),
        part("four.zip", ": 5.txt", 5),
        part("five.zst", "", 1),
    ];
    let all: Vec<_> = parts.iter().map(|(_, lines)| lines.len() as u64).collect();
    for setting in settings(&[1, 2, 5], &[64, 1000, 1 << 20]) {
        if setting.way == Way::Stream {
            continue;
        }
        for together in [1, files.len()] {
            let fold = InInputOrder::new(Fault::None, Order::Input);
            let engine = setting.engine();
            let mut run = engine.run(&fold);
            for group in files.chunks(together) {
                let inputs = group.iter().map(|(name, _)| open(&setting, &at(name)));
                let done = run.inputs(inputs.collect::<Vec<_>>());
                assert!(done.iter().all(Result::is_ok), "{done:?}");
            }
            let folded = run.finish();
            assert_eq!(folded.lines, all.iter().sum::<u64>());
            let ended = fold.ended.into_inner().unwrap();
            let done = assert_in_order(&ended, &parts, &|_| true, &format!("{setting:?}"));
            assert_eq!(done, all, "{setting:?}");
        }
    }
}
