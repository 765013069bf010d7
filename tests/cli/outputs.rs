//! Where results go, and what happens if they can not go there.

use std::fs::{self, File};
use std::io::pipe;
use std::os::unix::fs::PermissionsExt;

use crate::common::program::{assert_fails, fecscan, run, run_into, run_with, shell};
use crate::{PLAIN, done};

#[test]
fn a_result_that_can_not_be_written_is_an_error() {
    let full = "standard output: can't be written: No space left on device";
    let closed = "standard output: can't be written: Bad file descriptor";
    let results = ["-f text", "-f json", "-f challenge", "count", "--strict"]
        .map(|options| format!("{options} {PLAIN}"));
    for arguments in
        results
            .iter()
            .map(String::as_str)
            .chain(["--help", "--version", "count --help"])
    {
        assert_fails(run_into("/dev/full", arguments), 2, full);
        assert_fails(shell(&format!("$F {arguments} >&-")), 2, closed);
    }
    for arguments in results {
        let ended = run_with(&format!("{arguments} -o /dev/full"));
        assert_fails(
            ended,
            2,
            "/dev/full: can't be written: No space left on device",
        );
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in ["", "-f json", "-f challenge", "count", "--help"] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ended = run(fecscan(arguments.split_whitespace())
            .arg(PLAIN)
            .stdout(writer));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{arguments}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_what_else_went_wrong() {
    for (arguments, status) in [
        ("missing.txt", 2),
        ("count missing.txt", 2),
        ("--strict fixtures/cut-off-row.txt", 1),
    ] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ended = run(fecscan(arguments.split_whitespace())
            .arg(PLAIN)
            .stdout(writer));
        assert_eq!(
            (ended.status, ended.err.is_empty()),
            (status, false),
            "{arguments}: {}",
            ended.err
        );
    }
}

#[test]
fn a_standard_output_that_is_open_for_reading_only_is_an_error() {
    for arguments in ["", "count", "generate --rows 5", "--help"] {
        let out = File::open("/dev/null").unwrap();
        let mut command = fecscan(arguments.split_whitespace());
        if !arguments.contains("--") {
            command.arg(PLAIN);
        }
        let message = "standard output: can't be written: Bad file descriptor";
        assert_fails(run(command.stdout(out)), 2, message);
    }
}

#[test]
fn nobody_listening_on_standard_error_changes_nothing() {
    let ended = shell("$F count fixtures/plain.txt missing 2>&-");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 2));
    let ended = shell("$F count fixtures/plain.txt missing 2>/dev/full");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 2));
}

#[test]
fn output_files_are_whole_or_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let listing = || {
        let mut names: Vec<_> = fs::read_dir(&directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let plain = fs::canonicalize(PLAIN).unwrap();
    let run_here = |arguments: &[&str]| run(fecscan(arguments).arg(&plain).current_dir(&directory));

    assert_eq!(run_here(&["-f", "challenge", "-o", "result"]), done(""));
    let result = fs::read_to_string(directory.path().join("result")).unwrap();
    assert_eq!(result, run_here(&["-f", "challenge"]).out);
    let mode = fs::metadata(directory.path().join("result"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o600, 0o600);

    // What is there is replaced, and keeps its permissions; a link to it stays a link.
    fs::set_permissions(
        directory.path().join("result"),
        fs::Permissions::from_mode(0o662),
    )
    .unwrap();
    std::os::unix::fs::symlink("result", directory.path().join("link")).unwrap();
    assert_eq!(run_here(&["count", "-o", "link"]), done(""));
    assert!(
        fs::read_to_string(directory.path().join("result"))
            .unwrap()
            .starts_with("8 ")
    );
    assert_eq!(
        fs::metadata(directory.path().join("result"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o662
    );
    assert!(
        fs::symlink_metadata(directory.path().join("link"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(listing(), ["link", "result"]);

    // Without a result, what is there stays, and nothing is left beside it.
    let ended = run(fecscan(["-o", "result", "missing"]).current_dir(&directory));
    assert_fails(
        ended,
        2,
        "missing: No such file or directory; check the name",
    );
    assert!(
        fs::read_to_string(directory.path().join("result"))
            .unwrap()
            .starts_with("8 ")
    );
    assert_eq!(listing(), ["link", "result"]);

    fs::set_permissions(
        directory.path().join("result"),
        fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    assert_fails(
        run_here(&["-o", "result"]),
        2,
        "result: can't be written: Permission denied",
    );
    assert_eq!(
        run_here(&["count", "-o", "-"]).out,
        format!("8 {}\n", plain.display())
    );
    assert_eq!(listing(), ["link", "result"]);

    let ended = run_here(&["-o", "no/such/folder"]);
    assert_fails(
        ended,
        2,
        "no/such/folder: can't be written: No such file or directory",
    );
}

#[test]
fn an_input_is_not_taken_for_the_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.txt");
    fs::copy(PLAIN, &path).unwrap();
    fs::hard_link(&path, directory.path().join("link")).unwrap();
    for script in [
        "$F -o data.txt data.txt",
        "$F -o link data.txt",
        "$F -o data.txt < link",
        "$F count -o link - < link",
    ] {
        let ended = shell(&format!("cd {}; {script}", directory.path().display()));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{script}");
        assert!(
            ended
                .err
                .contains(" is an input, and would be lost as the output; write to another file\n"),
            "{}",
            ended.err
        );
        assert_eq!(fs::read(&path).unwrap(), fs::read(PLAIN).unwrap());
    }
}
