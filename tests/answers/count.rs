//! `fecscan count` against `wc -l` of GNU coreutils, byte for byte.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Files with and without a final newline, empty, large enough for several tasks, and names that
/// need care.
fn files() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: OsString, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    put("terminated".into(), b"a\nb\n");
    put("unterminated".into(), b"a\nb");
    put("empty".into(), b"");
    put("only-newlines".into(), &[b'\n'; 1234]);
    put("crlf".into(), b"a\r\nb\r\n\r");
    put("large".into(), &b"0123456789\n".repeat(500_000));
    put(
        "large-unterminated".into(),
        &[b"0123456789\n".repeat(500_000), b"x".repeat(3 << 20)].concat(),
    );
    put("with blank".into(), b"\n");
    put("new\nline".into(), b"\n");
    put("'quoted'\nand\ttabbed \\ \"\n".into(), b"\n");
    put("\u{e9}\n\u{7f}\u{85}".into(), b"\n");
    put(OsString::from_vec(b"not\xffutf-8".to_vec()), b"\n");
    put(
        OsString::from_vec(b"not\xff\xfe\nutf-8\x01".to_vec()),
        b"\n",
    );
    put("-dash".into(), b"\n");
    fs::create_dir(directory.path().join("directory")).unwrap();
    directory
}

/// Standard output of the program, and whether it succeeded.
fn outcome(program: &mut Command, directory: &Path, stdin: Option<&str>) -> (Vec<u8>, bool) {
    let stdin = stdin.map_or(Stdio::null(), |name| {
        File::open(directory.join(name)).unwrap().into()
    });
    let output = program
        .current_dir(directory)
        .stdin(stdin)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    assert!([0, 1, 2].contains(&output.status.code().unwrap()));
    (output.stdout, output.status.success())
}

#[track_caller]
fn assert_same(arguments: &[&OsStr], stdin: Option<&str>) {
    let directory = files();
    let mut wc = Command::new("wc");
    wc.arg("-l").args(arguments);
    let expected = outcome(&mut wc, directory.path(), stdin);
    for io in ["auto", "mmap", "read"] {
        for threads in ["1", "2", "5"] {
            let mut count = Command::new(env!("CARGO_BIN_EXE_fecscan"));
            count
                .args(["count", "--io", io, "-j", threads])
                .args(arguments);
            let found = outcome(&mut count, directory.path(), stdin);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(
                text(&found.0),
                text(&expected.0),
                "{arguments:?} --io {io} -j {threads}"
            );
            assert_eq!(found, expected, "{arguments:?} --io {io} -j {threads}");
        }
    }
}

/// Arguments separated by blanks.
#[track_caller]
fn assert_same_for(arguments: &str) {
    let arguments: Vec<_> = arguments.split_whitespace().map(OsStr::new).collect();
    assert_same(&arguments, Some("large"));
}

#[test]
fn one_file_has_no_padding() {
    for file in [
        "terminated",
        "unterminated",
        "empty",
        "only-newlines",
        "crlf",
        "large",
        "large-unterminated",
    ] {
        assert_same_for(file);
    }
}

#[test]
fn several_files_are_padded_to_the_digits_of_their_bytes_and_have_a_total() {
    for files in [
        "terminated empty",
        "empty empty",
        "large terminated",
        "large large-unterminated crlf only-newlines",
    ] {
        assert_same_for(files);
    }
}

#[test]
fn standard_input_has_a_name_only_if_it_was_given_one() {
    for arguments in ["", "-", "- terminated", "terminated -"] {
        assert_same_for(arguments);
    }
    assert_same(
        &[OsStr::new("-"), OsStr::new("terminated")],
        Some("unterminated"),
    );
    assert_same(&[], Some("empty"));
}

#[test]
fn missing_files_and_directories_are_left_to_standard_error() {
    for arguments in [
        "missing",
        "missing missing",
        "terminated missing",
        "missing large",
        "directory",
        "terminated directory",
    ] {
        assert_same_for(arguments);
    }
}

#[test]
fn files_of_unknown_size_widen_the_columns() {
    for arguments in [
        "/dev/null",
        "terminated /dev/null",
        "/proc/self/limits",
        "/proc/self/limits terminated",
    ] {
        assert_same_for(arguments);
    }
}

#[test]
fn files_that_the_kernel_makes_up_are_read_to_their_end() {
    // They say that they have 4096 bytes.
    let made_up = "/sys/kernel/mm/transparent_hugepage/enabled";
    if Path::new(made_up).exists() {
        assert_same_for(made_up);
        assert_same_for(&format!("{made_up} terminated"));
    }
}

#[test]
fn names_stand_as_they_are_unless_they_have_a_newline() {
    let directory = files();
    let mut names: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    for name in &names {
        assert_same(&[OsStr::new("--"), name], None);
    }
    let all: Vec<_> = [OsStr::new("--")]
        .into_iter()
        .chain(names.iter().map(|name| name.as_os_str()))
        .collect();
    assert_same(&all, None);
}

#[test]
fn a_pipe_is_counted_from_where_it_stands() {
    let directory = files();
    for program in ["wc -l", concat!(env!("CARGO_BIN_EXE_fecscan"), " count")] {
        let script = format!(
            "cat large | {program}; {{ read line; {program}; }} < terminated; {{ {program}; wc -c; }} < large"
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(directory.path())
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "500000\n1\n500000\n0\n",
            "{program}"
        );
    }
}
