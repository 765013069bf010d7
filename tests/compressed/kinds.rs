//! Every kind of compressed file has the answers of the plain file, in every way of working.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use fecscan::scan::simd::Simd;

use super::{KINDS, asked};
use crate::common::archives::gzip;
use crate::common::needs;
use crate::common::program::{fecscan, run, run_with, shell};
use crate::common::run::{Way, fixtures, settings};
use crate::common::twin;

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

/// A download that failed leaves a file of no bytes. Names tell no format, so it has no lines.
#[test]
fn empty_files_with_names_of_archives_get_a_note() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.zip", "b.GZ", "c.txt.zst", "d.txt", "cm20.zip", "zip"] {
        fs::write(directory.path().join(name), "").unwrap();
    }
    fs::copy("fixtures/plain.txt", directory.path().join("plain.txt")).unwrap();
    let note = |name: &str, kind: &str| {
        format!("fecscan: {name}: note: is empty, and no {kind}; has its download failed?\n")
    };
    let run_here =
        |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    for (arguments, notes) in [
        ("count a.zip", note("a.zip", "zip archive")),
        ("a.zip", note("a.zip", "zip archive")),
        (
            "by STATE plain.txt b.GZ c.txt.zst",
            note("b.GZ", "gzip file") + &note("c.txt.zst", "zstd file"),
        ),
        ("count -f json plain.txt d.txt zip", String::new()),
        (
            "export --head 1 --with cm20.zip plain.txt",
            note("cm20.zip", "zip archive"),
        ),
    ] {
        let ended = run_here(arguments);
        assert_eq!(ended.status, 0, "{arguments}: {}", ended.err);
        let named: String = ended
            .err
            .split_inclusive('\n')
            .filter(|line| line.contains("empty"))
            .collect();
        assert_eq!(named, notes, "{arguments}");
    }
    assert_eq!(
        run_here("count a.zip plain.txt").out,
        "   0 a.zip\n   8 plain.txt\n   8 total\n"
    );
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
    if !needs::has("python3") {
        return;
    }
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
