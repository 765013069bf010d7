//! Compressed files and archives have the answers of what they hold, in every way of working.

mod common;

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::archives::{Member, gzip, zip, zstd};
use common::program::{Ended, assert_fails, fecscan, run, run_with, shell};
use common::run::{Way, fixtures, settings};
use common::twin::{self, Asked};
use fecscan::fold::odd_rows::Rows;
use fecscan::fold::report::{Question, ReportFold};
use fecscan::input::{Input, Io};
use fecscan::render;
use fecscan::scan::simd::Simd;
use serde_json::Value;

fn asked() -> Asked {
    Asked {
        names: vec![3, 0, 0, 1, 12, 90, 110, u64::MAX],
        top: 5,
        transaction_date: false,
    }
}

/// What compresses text, by name.
type Packed = (&'static str, fn(&[u8]) -> Vec<u8>);

/// `text` in every kind of compressed file.
const KINDS: [Packed; 8] = [
    ("gzip", gzip),
    ("gzip of several members", |text| in_pieces(text, gzip)),
    ("zstd", zstd),
    ("zstd of several frames", |text| in_pieces(text, zstd)),
    ("stored zip", |text| {
        zip(&[Member::stored("itcont.txt", text)])
    }),
    ("deflated zip", |text| {
        zip(&[Member::deflated("itcont.txt", text)])
    }),
    ("ZIP64", |text| {
        zip(&[Member::deflated("itcont.txt", text).with_zip64()])
    }),
    ("zip with descriptor", |text| {
        zip(&[Member::deflated("itcont.txt", text).with_descriptor()])
    }),
];

/// The pieces do not end where lines do, and the second is empty.
fn in_pieces(text: &[u8], pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (first, last) = text.split_at(text.len() / 3);
    [pack(first), pack(b""), pack(last)].concat()
}

#[test]
fn every_fixture_in_every_kind_has_the_answers_of_the_plain_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    // A stream is the same to every level: all of them are tried with tasks of 64 bytes.
    let best = Simd::best().name();
    let settings: Vec<_> = settings(&[1, 2, 3, 8], &[1, 7, 64, 4096, 2 << 20])
        .into_iter()
        .filter(|s| s.way == Way::Read && (s.task_bytes == 64 || s.simd.name() == best))
        .collect();
    for (name, text) in fixtures() {
        let expected = twin::report(&[(path.to_str().unwrap(), &text)], &asked());
        let newlines = text.iter().filter(|&&b| b == b'\n').count() as u64;
        for (kind, pack) in KINDS {
            fs::write(&path, pack(&text)).unwrap();
            for setting in settings
                .iter()
                .filter(|s| text.len() < 4000 || s.task_bytes > 7)
            {
                let engine = setting.engine();
                let found = setting.json(&engine, &asked(), &[&path]);
                assert_eq!(found, expected, "{name}: {kind}: {setting:?}");
                assert_eq!(
                    setting.newlines(&engine, &path),
                    newlines,
                    "{name}: {kind}: {setting:?}"
                );
            }
        }
    }
}

#[test]
fn a_compressed_pipe_has_the_answers_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let text = fs::read("fixtures/generated-hostile.txt").unwrap();
    let expected = twin::report(&[(path.to_str().unwrap(), &text)], &asked());
    for (kind, pack) in &KINDS[..4] {
        fs::write(&path, pack(&text)).unwrap();
        for setting in settings(&[1, 2, 5], &[64, 4096]) {
            if setting.way == Way::Stream {
                let found = setting.json(&setting.engine(), &asked(), &[&path]);
                assert_eq!(found, expected, "{kind}: {setting:?}");
            }
        }
    }
}

/// Standard input from where it stands: the bytes before it are not looked at.
#[test]
fn standard_input_that_is_a_file_is_read_from_where_it_stands() {
    let expected = run_with("-f challenge fixtures/plain.txt").out;
    let text = fs::read("fixtures/plain.txt").unwrap();
    for (kind, pack) in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let bytes = [b"first line\n", &pack(&text)[..]].concat();
        fs::write(&path, bytes).unwrap();
        for io in ["auto", "mmap", "read"] {
            let ended = shell(&format!(
                "{{ read line; $F -f challenge --io {io}; cat; }} < {}",
                path.display()
            ));
            assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{kind}, {io}");
            assert_eq!(ended.out, expected, "{kind}, {io}: all has been read");
        }
    }
}

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
            let report = setting.report(&engine, &asked, Rows::OfSchema(None), &[&path]);
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
    let alone = |path| run(fecscan(["-f", "json"]).arg(path)).err;
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

#[test]
fn widths_are_those_of_the_unpacked_files() {
    let directory = tempfile::tempdir().unwrap();
    let text = b"\n".repeat(123_456);
    for (name, bytes) in [("packed", gzip(&text)), ("plain", b"x\n".to_vec())] {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    fs::write(directory.path().join("unpacked"), text).unwrap();
    let run_here = |program: &str, file: &str| {
        let mut command = Command::new(program);
        command.args(if program == "wc" { ["-l"] } else { ["count"] });
        run(command.args([file, "plain"]).current_dir(&directory)).out
    };
    let found = run_here(env!("CARGO_BIN_EXE_fecscan"), "packed");
    let expected = run_here("wc", "unpacked").replace("unpacked", "packed");
    assert_eq!(found, expected);
}

#[test]
fn the_schema_is_told_by_the_member_before_the_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cm16.zip");
    let archive = |members: &[(&str, &[u8])]| {
        let members: Vec<_> = members
            .iter()
            .map(|(name, bytes)| Member::deflated(name, bytes))
            .collect();
        fs::write(&path, zip(&members)).unwrap();
    };
    let strict = || run(fecscan(["--strict", "cm16.zip"]).current_dir(&directory));
    let note = |part: &str, schema: &str| {
        format!(
            "fecscan: cm16.zip: {part}: note: by its name this is a file of schema {schema}; the report takes its \
             columns 5, 8 and 14 for those of contributions\n"
        )
    };

    archive(&[
        ("ccl.txt", b"1|2|3|4|5|6|7\n"),
        ("other.txt", &b"|".repeat(14)),
    ]);
    let ended = strict();
    assert_eq!((ended.status, ended.err), (0, note("ccl.txt", "ccl")));

    archive(&[
        ("other.txt", b"x\n"),
        ("itcont.txt", &b"|".repeat(20)),
        ("ccl.txt", b"\n1|2\n"),
    ]);
    let ended = strict();
    let expected = note("other.txt", "cm")
        + "fecscan: cm16.zip: other.txt:1: byte 0: 1 column, expected 15\n\
           fecscan: cm16.zip: ccl.txt:1: byte 0: 0 columns, expected 7\n\
           fecscan: cm16.zip: ccl.txt:2: byte 1: 2 columns, expected 7\n\
           fecscan: 3 rows break the schema; they are counted like all others\n";
    assert_eq!((ended.status, ended.err), (1, expected));
}

#[test]
fn members_in_folders_are_left_out_with_a_note_or_chosen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("indiv.zip");
    let members = [
        Member::stored("by_date/", b""),
        Member::stored("by_date/itcont_1.txt", b"1\n1\n"),
        Member::stored("itcont.txt", b"all\n"),
        Member::stored("by_date/itcont_2.txt", b"2\n"),
        Member::stored("header.csv", b"CMTE_ID\r\n"),
    ];
    fs::write(&path, zip(&members)).unwrap();
    let count = |options: &[&str]| {
        run(fecscan(["count"])
            .args(options)
            .arg("indiv.zip")
            .current_dir(&directory))
    };
    let done = |lines: u64, err: &str| Ended {
        status: 0,
        out: format!("{lines} indiv.zip\n"),
        err: err.to_owned(),
    };
    let note = "fecscan: indiv.zip: note: 2 members in a folder are left out; --member 'by_date/*' chooses what is \
                there; 1 member, header.csv, is not .txt and left out; --member 'header.csv' chooses it\n";
    assert_eq!(count(&[]), done(1, note));
    assert_eq!(count(&["--member", "by_date/*"]), done(3, ""));
    assert_eq!(count(&["--member", "*"]), done(5, ""));
    assert_eq!(
        count(&["--member", "*_1.txt", "--member", "header.???"]),
        done(3, "")
    );
    let unmatched = "fecscan: indiv.zip: note: no member matches 'typo'\n";
    assert_eq!(
        count(&["--member", "itcont.txt", "--member", "typo"]),
        done(1, unmatched)
    );
    assert_fails(
        count(&["--member", "ITCONT.txt"]),
        2,
        "indiv.zip: has no member that matches --member; its 4 members are by_date/itcont_1.txt, itcont.txt, \
         by_date/itcont_2.txt, header.csv; choose with --member PATTERN",
    );
}

#[test]
fn stats_name_what_decompresses() {
    let directory = tempfile::tempdir().unwrap();
    let text = fs::read("fixtures/plain.txt").unwrap();
    let mut command = fecscan(["count", "--stats", "fixtures/plain.txt"]);
    for (kind, pack) in KINDS {
        let path = directory.path().join(kind);
        fs::write(&path, pack(&text)).unwrap();
        command.arg(path);
    }
    let ended = run(&mut command);
    assert!(
        ended.err.contains("io mmap+gzip+zstd+zip,"),
        "{}",
        ended.err
    );
    let bytes = format!("fecscan: {} bytes, {} lines,", 9 * text.len(), 9 * 8);
    assert!(ended.err.starts_with(&bytes), "{}", ended.err);
}

/// Files that other programs made.
#[test]
fn what_python_packs_is_read() {
    let directory = tempfile::tempdir().unwrap();
    const PACK: &str = "
import gzip, io, sys, zipfile
text = open('fixtures/generated.txt', 'rb').read()
out = sys.argv[1] + '/'
with gzip.open(out + 'a.gz', 'wb') as f: f.write(text)
with open(out + 'padded.gz', 'wb') as f: f.write(gzip.compress(text) + bytes(1000))
for name, method in ('stored.zip', zipfile.ZIP_STORED), ('deflated.zip', zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(out + name, 'w', method) as z: z.writestr('itcont.txt', text)
with zipfile.ZipFile(out + 'zip64.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    with z.open('itcont.txt', 'w', force_zip64=True) as f: f.write(text)
class Pipe(io.RawIOBase):
    def __init__(self, f): self.f = f
    def writable(self): return True
    def write(self, b): return self.f.write(b)
with open(out + 'streamed.zip', 'wb') as f, zipfile.ZipFile(Pipe(f), 'w', zipfile.ZIP_DEFLATED) as z:
    z.comment = b'a comment with PK\\x05\\x06 in it'
    z.writestr('itcont.txt', text)
";
    let done = Command::new("python3")
        .args(["-c", PACK])
        .arg(directory.path())
        .status()
        .unwrap();
    assert!(done.success());
    let expected = run_with("-f challenge fixtures/generated.txt");
    let mut read = 0;
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(
            run(fecscan(["-f", "challenge"]).arg(&path)),
            expected,
            "{}",
            path.display()
        );
        read += 1;
    }
    assert_eq!(read, 6);
}

/// The archive that comes with the project has the answers beside it, and in it what the program
/// generates.
/// Lines of an input count for those behind it only when it has been read to its end.
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
        let fold = ReportFold::new(Question {
            names: vec![0],
            ..Question::default()
        });
        let engine = setting.engine();
        let mut run = engine.run(&fold);
        let opened = paths
            .each_ref()
            .map(|path| Input::open(path.as_os_str(), Io::read()).unwrap());
        let done: Vec<_> = run.inputs(opened).iter().map(Result::is_ok).collect();
        assert_eq!(done, [false, true], "{setting:?}");
        let (files, partial) = run.finish();
        let report = fold.report(files, partial);
        assert_eq!(report.lines, 10);
        assert_eq!(report.names, [Some(b"THREE, B".to_vec())], "{setting:?}");
    }
}

#[test]
fn the_archive_among_the_fixtures_is_what_it_should_be() {
    const ARCHIVE: &str = "fixtures/indiv18.zip";
    assert!(fs::metadata(ARCHIVE).unwrap().len() < 3_000_000);
    let expected = fs::read("fixtures/expected/indiv18.json").unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for transaction_date in [false, true] {
        let asked = Asked {
            names: vec![3, 0, 0, 1, 12],
            top: 4,
            transaction_date,
        };
        let column = ["IMAGE_NUM", "TRANSACTION_DT"][usize::from(transaction_date)];
        for setting in settings(&[1, 2, 3, 4, 5, 6, 7, 8], &[100_000, 2 << 20]) {
            if setting.way == Way::Read {
                let found = setting.json(&setting.engine(), &asked, &[Path::new(ARCHIVE)]);
                assert_eq!(found, expected[column], "{column}: {setting:?}");
            }
        }
    }

    let directory = tempfile::tempdir().unwrap();
    const UNPACK: &str =
        "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let mut unpack = Command::new("python3");
    unpack.args(["-c", UNPACK, ARCHIVE]).arg(directory.path());
    assert!(unpack.status().unwrap().success());
    let whole = fs::read_to_string(directory.path().join("itcont.txt")).unwrap();
    let generated = run_with("generate --rows 50000").out;
    assert!(
        whole == generated,
        "fixtures/README.md says how to make {ARCHIVE} again"
    );
    let rows: HashSet<_> = whole.lines().collect();
    let mut repeated = 0;
    for slice in fs::read_dir(directory.path().join("by_date")).unwrap() {
        let slice = fs::read_to_string(slice.unwrap().path()).unwrap();
        assert!(slice.lines().all(|row| rows.contains(row)));
        repeated += slice.lines().count();
    }
    assert_eq!(
        run_with(&format!("count {ARCHIVE}")).out,
        format!("50000 {ARCHIVE}\n")
    );
    let mut count = fecscan(["count", "--member", "by_date/*", ARCHIVE]);
    assert_eq!(run(&mut count).out, format!("{repeated} {ARCHIVE}\n"));
}

/// The answers of the oracle to the unpacked member, in every way of working.
#[test]
fn real_archives_have_the_answers_of_the_oracle() {
    const REAL: &str = "../shared/real";
    const ORACLE: &str = "../shared/tools/oracle.py";
    if !Path::new(ORACLE).exists() {
        eprintln!("skipped: there is no {ORACLE} here");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let archives = fs::read_dir(REAL)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "zip"));
    let mut read = 0;
    for archive in archives {
        let unpacked = directory.path().join("member.txt");
        const UNPACK: &str = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); \
                              open(sys.argv[2], 'wb').write(z.read(z.namelist()[0]))";
        let mut unpack = Command::new("python3");
        unpack.args(["-c", UNPACK]).args([&archive, &unpacked]);
        assert!(unpack.status().unwrap().success());
        let asked = Asked {
            names: vec![0, 432, 9999, 43243],
            top: 7,
            transaction_date: false,
        };
        let output = Command::new("python3")
            .args([ORACLE, "--name", "0,432,9999,43243", "--top", "7"])
            .arg(&unpacked)
            .output()
            .unwrap();
        let mut expected: Value = serde_json::from_slice(&output.stdout).unwrap();
        expected["files"][0]["path"] = archive.to_str().unwrap().into();
        for setting in settings(&[1, 2, 3, 4, 5, 6, 7, 8], &[4096, 2 << 20]) {
            if setting.way == Way::Read {
                let found = setting.json(&setting.engine(), &asked, &[&archive]);
                assert_eq!(found, expected, "{}: {setting:?}", archive.display());
            }
        }
        read += 1;
    }
    assert!(read >= 3, "{read} archives");
}

#[test]
fn archives_of_many_members_are_read_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.zip");
    let archive = |members: usize| {
        let members: Vec<_> = (0..members)
            .map(|n| Member::stored(format!("{n}.txt"), format!("|||||||ROE, N{n}\n").as_bytes()))
            .collect();
        fs::write(&path, zip(&members)).unwrap();
    };
    let name = path.display().to_string();
    archive(65_536);
    let ended = run_with(&format!("-f challenge --name 0,65535,65536 {name}"));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    for line in [
        "Name: ROE, N0 at index: 0",
        "Name: ROE, N65535 at index: 65535",
        "Name: null at index: 65536",
        "Total file line count: 65536",
    ] {
        assert!(ended.out.contains(line), "{line} in {}", ended.out);
    }
    archive(100_001);
    let message = format!("{name}: has more than 100000 members; unpack those that are wanted");
    assert_fails(run_with(&name), 2, &message);
}

#[test]
fn names_of_members_are_any_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let names: [&[u8]; 8] = [
        b"new\nline.txt",
        b"\x1b[31mred.txt",
        b"\xff\xfe.txt",
        "\u{202e}x.txt".as_bytes(),
        b"..txt",
        b"-o.txt",
        b"'$(x)'.txt",
        &[b"x".repeat(60_000), b".txt".to_vec()].concat(),
    ];
    let members = names.map(|name| Member::deflated(name, b"line\nodd"));
    fs::write(directory.path().join("a.zip"), zip(&members)).unwrap();
    let ended = run(fecscan(["--strict", "a.zip"]).current_dir(&directory));
    assert_eq!(ended.status, 1);
    for shown in [
        r"a.zip: new\nline.txt:1:",
        r"a.zip: \x1b[31mred.txt:2:",
        r"a.zip: \xff\xfe.txt:1:",
        r"a.zip: \u{202e}x.txt",
    ] {
        assert!(ended.err.contains(shown), "{shown} in {}", ended.err);
    }
    assert!(!ended.err.contains('\x1b'));

    // Names that would lead out of a folder, if anything were unpacked.
    let outside =
        ["../a.txt", "/etc/passwd.txt", "..\\b.txt"].map(|name| Member::stored(name, b"x\n"));
    fs::write(directory.path().join("b.zip"), zip(&outside)).unwrap();
    let ended = run(fecscan(["b.zip"]).current_dir(&directory));
    let message = "b.zip: has no .txt member outside of folders; its 3 members are ../a.txt, /etc/passwd.txt, \
                   ..\\b.txt; choose with --member PATTERN";
    assert_fails(ended, 2, message);
    let ended = run(fecscan(["count", "--member", "*", "b.zip"]).current_dir(&directory));
    assert_eq!((ended.status, ended.out.as_str()), (0, "3 b.zip\n"));
    let left = fs::read_dir(&directory).unwrap().count();
    assert_eq!(left, 2, "nothing was unpacked");
}

#[test]
fn a_compressed_stream_is_answered_when_it_ends() {
    let text = fs::read("fixtures/plain.txt").unwrap();
    for (kind, pack) in &KINDS[..4] {
        let mut child = fecscan(["count"]);
        let mut child = child
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // In drips, as a slow network would bring them.
        for drip in pack(&text).chunks(7) {
            pipe.write_all(drip).unwrap();
        }
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "8\n", "{kind}");
    }
}
