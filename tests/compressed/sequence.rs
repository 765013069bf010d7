//! Members and files are one sequence of lines, even if they are read at the same time.

use std::fs;

use fecscan::fold::report::{OddRowPolicy, OtherKinds, ReportFold, ReportQuestion};
use fecscan::input::{Input, Io};
use fecscan::render;
use serde_json::Value;

use super::KINDS;
use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::program::{fecscan, run};
use crate::common::run::{Way, fixtures, settings};
use crate::common::twin::{self, Asked};

/// Names are counted over all members and files; an unterminated last line is a line of its own.
#[test]
fn members_and_files_are_one_sequence_of_lines() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let row = |name: &str| format!("C|N|M4|P|201804129112345678|15|IND|{name}|X").into_bytes();
    let lines: [&[u8]; 4] = [&row("ROE, ANN"), b"", &row("DOE, JOHN"), &row("POE, JOHN")];
    let (first, second) = ([lines[0], b"\n", lines[1], b"\n"].concat(), lines[2]);
    let archive = zip(&[
        Member::deflated("b.txt", &first),
        Member::stored("empty.txt", b""),
        Member::deflated("a.TXT", second),
    ]);
    let archive = file("archive", &archive);
    let packed = file("packed", &gzip(lines[3]));
    let plain = file("plain", b"last");
    let asked = Asked {
        names: (0..7).collect(),
        top: 3,
        transaction_date: false,
    };
    let text = [&first, second, b"\n", lines[3], b"\nlast"].concat();
    let mut expected = twin::report(&[("", &text)], &asked);
    let files = [
        (&archive, first.len() + second.len(), 3),
        (&packed, lines[3].len(), 1),
        (&plain, 4, 1),
    ];
    expected["files"] = files
        .iter()
        .map(|(path, bytes, lines)| serde_json::json!({ "path": path, "bytes": bytes, "lines": lines }))
        .collect();
    for setting in settings(&[1, 2, 3], &[1, 64, 1 << 20]) {
        if setting.way == Way::Stream {
            continue;
        }
        let found = setting.json(&setting.engine(), &asked, &[&archive, &packed, &plain]);
        assert_eq!(found, expected, "{setting:?}");
    }
    let counted = run(fecscan(["count"]).args([&archive, &packed, &plain]));
    let (archive, packed, plain) = (archive.display(), packed.display(), plain.display());
    let expected = format!("  2 {archive}\n  0 {packed}\n  0 {plain}\n  2 total\n");
    assert_eq!((counted.status, counted.err.as_str()), (0, ""));
    assert_eq!(counted.out, expected, "an unterminated line has no newline");
}

/// Once the lines whose names are wanted have gone by, members are read at the same time.
#[test]
fn members_that_are_read_at_the_same_time_are_one_sequence_of_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let fixtures = fixtures();
    let mut text = Vec::new();
    let mut members = vec![Member::stored("first.txt", b"the only line")];
    text.extend(b"the only line\n");
    for (name, bytes) in &fixtures {
        members.push(Member::deflated(format!("{name}.txt"), bytes));
        text.extend(bytes);
        // The last line of a member does not join the next one.
        if bytes.last().is_some_and(|&b| b != b'\n') {
            text.push(b'\n');
        }
    }
    fs::write(&path, zip(&members)).unwrap();
    let asked = Asked {
        names: vec![0],
        top: 9,
        transaction_date: false,
    };
    let mut expected = twin::report(&[(path.to_str().unwrap(), &text)], &asked);
    let bytes: u64 = members.iter().map(|member| member.bytes).sum();
    expected["files"][0]["bytes"] = bytes.into();
    let mut odd_rows = Vec::new();
    for setting in settings(&[1, 2, 3, 4, 5, 6, 7, 8], &[64, 4096, 2 << 20]) {
        if setting.way == Way::Read {
            let engine = setting.engine();
            let report = setting.report(&engine, &asked, OddRowPolicy::List, &[&path]);
            let found: Value = serde_json::from_slice(&render::json::report(&report)).unwrap();
            assert_eq!(found, expected, "{setting:?}");
            odd_rows.push(format!("{:?}", report.odd_rows));
        }
    }
    assert!(odd_rows[0].contains("first.txt") && odd_rows[0].contains("all-newlines.txt"));
    assert!(
        odd_rows.iter().all(|rows| *rows == odd_rows[0]),
        "{odd_rows:#?}"
    );
}

/// Files are read at the same time, and nobody can tell: lines, names and messages are those of one
/// after the other.
#[test]
fn files_that_are_read_at_the_same_time_are_one_sequence_of_lines() {
    let directory = tempfile::tempdir().unwrap();
    let fixtures = fixtures();
    let mut texts = Vec::new();
    let mut paths = Vec::new();
    for ((name, text), (_, pack)) in fixtures.iter().zip(KINDS.iter().cycle()) {
        let path = directory.path().join(format!("{name}.packed"));
        fs::write(&path, pack(text)).unwrap();
        texts.push((path.to_str().unwrap().to_owned(), text.clone()));
        paths.push(path);
    }
    // In between, what fails when it is opened, in the middle, at its end, and what is plain; and
    // two about which there is something to say.
    let text = fs::read("fixtures/generated.txt").unwrap();
    let mut broken = gzip(&text);
    let end = broken.len();
    broken[end - 8] ^= 1;
    let noted = zip(&[
        Member::deflated("cm.txt", &text),
        Member::stored("x/y", b""),
    ]);
    let others = [
        ("missing", None),
        ("cut", Some(zstd(&text)[..5000].to_vec())),
        ("plain", Some(text.clone())),
        ("broken", Some(broken)),
        ("noted", Some(noted)),
        (
            "bad.zip",
            Some(zip(&[Member {
                crc: 1,
                ..Member::deflated("cm.txt", &text)
            }])),
        ),
        ("plain too", Some(text.clone())),
    ];
    for (nth, (name, bytes)) in others.into_iter().enumerate() {
        let path = directory.path().join(name);
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        let at = (nth * 5 + 1).min(paths.len());
        if ["plain", "noted", "plain too"].contains(&name) {
            let before = paths[..at].iter().filter(|path| {
                texts
                    .iter()
                    .any(|(good, _)| good.as_str() == path.to_str().unwrap())
            });
            let before = before.count();
            texts.insert(before, (path.to_str().unwrap().to_owned(), text.clone()));
        }
        paths.insert(at, path);
    }
    let alone = |path| run(fecscan(["--force", "-f", "json"]).arg(path)).err;
    let messages: String = paths.iter().map(alone).collect();
    assert_eq!(messages.lines().count(), 7, "{messages}");

    let texts: Vec<_> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), &text[..]))
        .collect();
    for names in [vec![0], vec![0, 20, 90, 250], vec![3, 1_000_000]] {
        let asked = Asked {
            names,
            top: 1,
            transaction_date: false,
        };
        let expected = twin::report(&texts, &asked);
        let names: Vec<_> = asked.names.iter().map(u64::to_string).collect();
        for threads in 1..=8 {
            for task_bytes in ["64", "4096", "2097152"] {
                let threads = threads.to_string();
                let options = [
                    "--force",
                    "-f",
                    "json",
                    "-j",
                    &threads,
                    "--task-size",
                    task_bytes,
                    "--name",
                ];
                let ended = run(fecscan(options).arg(names.join(",")).args(&paths));
                let setting = format!("{names:?}, {threads} threads, tasks of {task_bytes}");
                assert_eq!((ended.status, &ended.err), (2, &messages), "{setting}");
                let found: Value = serde_json::from_str(&ended.out).unwrap();
                assert_eq!(found, expected, "{setting}");
            }
        }
    }
}

/// Lines of an input count for the next ones only when it has been read to its end.
#[test]
fn an_input_that_fails_late_does_not_take_the_lines_of_the_next_one() {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["bad.zip", "good.zip"].map(|name| directory.path().join(name));
    let rows = |name: &str| format!("C|N|M4|P|201804|15|IND|{name}|\n").repeat(10);
    let mut bad = Member::stored("2.txt", rows("TWO, A").as_bytes());
    bad.crc ^= 1;
    let good = Member::stored("1.txt", rows("ONE, A").as_bytes());
    fs::write(&paths[0], zip(&[good, bad])).unwrap();
    let good = Member::deflated("1.txt", rows("THREE, B").as_bytes());
    fs::write(&paths[1], zip(&[good])).unwrap();
    for setting in settings(&[1, 2, 4], &[2 << 20]) {
        let mut question = ReportQuestion::default();
        question.names = vec![0];
        question.other_kinds = OtherKinds::Report;
        let fold = ReportFold::new(question);
        let engine = setting.engine();
        let mut run = engine.run(&fold).with_numbered_lines(&[0]);
        let opened = paths
            .each_ref()
            .map(|path| Input::open(path.as_os_str(), Io::read()).unwrap());
        let done: Vec<_> = run.inputs(opened).iter().map(Result::is_ok).collect();
        assert_eq!(done, [false, true], "{setting:?}");
        let report = fold.report(run.finish());
        assert_eq!(report.lines, 10);
        assert_eq!(report.names, [Some(b"THREE, B".to_vec())], "{setting:?}");
    }
}
