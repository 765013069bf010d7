//! Limits: of what is produced, of memory, of descriptors.

use std::fs;

use crate::common::archives::{Member, deflated_zeros, gzip, zip, zstd};
use crate::common::program::{assert_fails, fecscan, run, run_with, shell};

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

/// Whatever memory there is, inflating ends with the answer or a message.
#[test]
fn inflating_without_memory_is_an_error_that_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let packed = [
        ("a.gz", gzip(&text)),
        ("a.zst", zstd(&text)),
        ("a.zip", zip(&[Member::deflated("a.txt", &text)])),
    ];
    let count = text.iter().filter(|&&b| b == b'\n').count();
    // With too little, Rust's runtime may panic before the program begins.
    let starts = |kibibytes: &u32| {
        let version = shell(&format!("ulimit -v {kibibytes}; $F --version 2>/dev/null"));
        version.status == 0
    };
    // The larger the program, the more it takes.
    let least = (4000..64 << 10).step_by(250).find(starts).unwrap();
    for (name, bytes) in packed {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.display();
        let (mut done, mut failed) = (0, 0);
        // From limits in which it can hardly start to those in which it has all that it needs. The
        // system and Rust's runtime end programs that have no memory to start.
        for kibibytes in (least - 500..least + 4000).step_by(50).chain([96 << 10]) {
            let run =
                format!("$F --version >/dev/null 2>&1 || exit 1; $F count -j 1 {path}; echo $?");
            let ended = shell(&format!("ulimit -v {kibibytes}; {run}"));
            let all = format!("{count} {path}\n0\n");
            let told = ended.err.contains("not enough memory");
            match ended.out.as_str() {
                "2\n" if told => {
                    assert!(ended.err.contains("; use fewer threads"), "{}", ended.err);
                    failed += 1;
                }
                out if *out == all => done += 1,
                out => assert_eq!((out, ended.status), ("", 1), "{ended:?}"),
            }
        }
        assert!(
            done > 0 && failed > 0,
            "{name}: {done} done, {failed} failed"
        );
    }
}

#[test]
fn fewer_files_are_read_at_once_where_descriptors_run_out() {
    let directory = tempfile::tempdir().unwrap();
    for n in 0..100 {
        let path = directory.path().join(format!("{n:03}.gz"));
        fs::write(path, gzip(&b"line\n".repeat(n))).unwrap();
    }
    let ended = |limit: &str| {
        let directory = directory.path().display();
        shell(&format!(
            "cd {directory}; ulimit -n {limit}; $F count -j 64 --task-size 2097152 *.gz"
        ))
    };
    let expected = ended("1024");
    assert_eq!((expected.status, expected.err.as_str()), (0, ""));
    assert!(expected.out.ends_with(" 4950 total\n"));
    for limit in ["64", "20", "10"] {
        assert_eq!(ended(limit), expected, "{limit} descriptors");
    }
}
