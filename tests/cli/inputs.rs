//! Inputs of all kinds, and those that can not be read.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::cli::{PLAIN, done};
use crate::common::program::{Ended, assert_fails, fecscan, run, run_with, shell};

#[test]
fn standard_input_is_read_when_no_file_is_named() {
    let expected = run_with(&format!("-f challenge {PLAIN}"));
    for script in [
        "$F -f challenge < fixtures/plain.txt",
        "cat fixtures/plain.txt | $F -f challenge",
        "cat fixtures/plain.txt | $F -f challenge -",
        "$F -f challenge --io mmap - < fixtures/plain.txt",
        "{ echo; cat fixtures/plain.txt; } > $T; { read line; $F -f challenge --io mmap; } < $T",
        "{ echo; cat fixtures/plain.txt; } > $T; { read line; $F -f challenge; } < $T",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let script = format!("T={}/file; {script}", directory.path().display());
        assert_eq!(shell(&script), expected, "{script}");
    }
    let json = shell("cat fixtures/plain.txt | $F -f json");
    assert!(
        json.out
            .starts_with(r#"{"files":[{"path":"-","bytes":1291,"lines":8}]"#),
        "{}",
        json.out
    );
    let text = shell("$F --strict < fixtures/cut-off-row.txt");
    assert!(text.out.starts_with("standard input  "), "{}", text.out);
    assert!(
        text.err.starts_with("fecscan: standard input:8: "),
        "{}",
        text.err
    );
}

/// The first reader would take all bytes, and the second would find an empty file.
#[test]
fn an_input_that_can_be_read_once_is_not_read_twice() {
    for script in [
        "cat fixtures/plain.txt | $F diff - -",
        "cat fixtures/plain.txt | $F diff - /dev/stdin",
        "cat fixtures/plain.txt | $F diff fixtures/plain.txt,- /dev/stdin",
        "$F by STATE - - < fixtures/plain.txt",
        "$F - - < fixtures/plain.txt",
        "$F count - fixtures/plain.txt - < fixtures/plain.txt",
        "cat fixtures/plain.txt | $F count - /dev/stdin",
        "cat fixtures/plain.txt | $F export /dev/fd/0 -",
        "cat fixtures/plain.txt | $F info - -",
        "cat fixtures/plain.txt | $F by CMTE_NM --with -",
        "cat fixtures/plain.txt | $F by STATE --delimiter pipe --names-from - -",
        "cat fixtures/plain.txt | $F by STATE --delimiter pipe --names-from /dev/stdin",
        "cat fixtures/plain.txt | $F by STATE --delimiter pipe --names-from - --with a=- --on a=a.b fixtures/plain.txt",
        "$F count --partial p fixtures/plain.txt; cat p | $F merge - -; rm p; exit 2",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display();
        let ended = shell(&format!("cp -r fixtures {path} && cd {path} && {script}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{script}: {ended:?}");
        let message = ": can be read once, and is named twice; name a file for one of them\n";
        assert!(ended.err.ends_with(message), "{script}: {ended:?}");
    }
    let ended = shell("$F count fixtures/plain.txt fixtures/plain.txt - < fixtures/plain.txt");
    assert_eq!(ended.status, 0, "{ended:?}");
    let ended =
        shell("printf 'a,b' | $F by b --delimiter pipe --names-from - -f csv fixtures/plain.txt");
    assert_eq!(
        (ended.status, ended.out.lines().next()),
        (0, Some("b,count")),
        "{ended:?}"
    );
}

#[test]
fn a_closed_standard_input_is_not_an_empty_one() {
    assert_fails(shell("$F <&-"), 2, "standard input: Bad file descriptor");
    assert_fails(
        shell("$F count -f json <&-"),
        2,
        "standard input: Bad file descriptor",
    );
    // wc -l <&- prints the same lines.
    for (script, out) in [
        ("$F count <&-", "0\n"),
        (
            "$F count - fixtures/plain.txt <&-",
            "   0 -\n   8 fixtures/plain.txt\n   8 total\n",
        ),
    ] {
        let err = "fecscan: standard input: Bad file descriptor\n".to_owned();
        let out = out.to_owned();
        assert_eq!(
            shell(script),
            Ended {
                status: 2,
                out,
                err
            }
        );
    }
    assert_eq!(
        shell("$F count fixtures/plain.txt <&-"),
        done("8 fixtures/plain.txt\n")
    );
}

#[test]
fn special_files_are_read_to_their_end() {
    assert_eq!(run_with("count /dev/null"), done("0 /dev/null\n"));
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let script = format!(
        "cat {PLAIN} > {0} & $F -f json --name 0 {0}",
        fifo.display()
    );
    assert!(shell(&script).out.contains("MARLOWE, JOHN Q"));
}

#[test]
fn file_names_of_all_kinds_work() {
    let directory = tempfile::tempdir().unwrap();
    let names = [
        "new\nline",
        "tab\t",
        "-dash",
        "--",
        "$(x)",
        "*",
        "'",
        "\"",
        "\\",
        "ü",
        "count ",
        "\u{202e}x",
    ];
    for name in names {
        let path = directory.path().join(name);
        fs::copy(PLAIN, &path).unwrap();
        let ended = run(fecscan(["-f", "json", "--", name]).current_dir(&directory));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{name:?}");
        let value: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(value["files"][0]["path"], name);
        fs::remove_file(path).unwrap();
    }
    let ended = run(fecscan(["gone\n\x1b[31m\u{202e}.txt"]).current_dir(&directory));
    assert_fails(
        ended,
        2,
        r"gone\n\x1b[31m\u{202e}.txt: No such file or directory; check the name",
    );
}

/// Fewer descriptors than compressed files that could be read at the same time.
#[test]
fn files_that_can_be_read_one_by_one_are_read() {
    let script = "ulimit -n 12; $F count -j 40 --task-size 1000";
    let ended = shell(&format!("{script}{}", " fixtures/indiv18.zip".repeat(20)));
    assert_eq!(
        (ended.status, ended.out.lines().count()),
        (0, 21),
        "{}",
        ended.err
    );
    assert!(ended.out.ends_with(" 1000000 total\n"), "{}", ended.out);
}

#[test]
fn inputs_that_can_not_be_opened_are_reported_and_the_others_read() {
    let missing = "missing.txt: No such file or directory; check the name";
    assert_fails(run_with("missing.txt"), 2, missing);
    let directory = "src: Is a directory; name the files in it";
    assert_fails(run_with("src"), 2, directory);

    let command = "count: No such file or directory; check the name (a command goes first: \
                   fecscan count [OPTIONS] ...)";
    let ended = run_with("missing.txt count");
    assert_eq!((ended.status, &*ended.out), (2, ""));
    assert!(ended.err.contains(command), "{}", ended.err);

    // Only the first argument stands where a command would.
    let misspelt =
        |name: &str| format!("{name}: No such file or directory; did you mean the command");
    for (typed, command) in [
        ("cuont", "count"),
        ("reports", "report"),
        ("generat", "generate"),
        ("group", "by"),
        ("bye", "by"),
        ("convert", "export"),
        ("query", "sql"),
    ] {
        let message = format!("{} '{command}'?", misspelt(typed));
        assert_fails(run_with(typed), 2, &message);
        // No report on the files after it.
        assert_fails(run_with(&format!("{typed} STATE {PLAIN}")), 2, &message);
    }
    let message = "cuont: No such file or directory; check the name";
    assert_fails(run_with("count cuont"), 2, message);

    let ended = run_with(&format!("-f challenge missing.txt {PLAIN} src"));
    let expected = run_with(&format!("-f challenge {PLAIN}"));
    assert_eq!((ended.status, ended.out), (2, expected.out));
    assert_eq!(
        ended.err,
        format!("fecscan: {missing}\nfecscan: {directory}\n")
    );
}

#[test]
fn a_file_without_permission_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = directory.path().join("fecscan");
    let secret = directory.path().join("secret.txt");
    // A program that we had open for writing could not be run while another test starts its own.
    assert!(
        Command::new("cp")
            .args([env!("CARGO_BIN_EXE_fecscan").as_ref(), program.as_path()])
            .status()
            .unwrap()
            .success()
    );
    fs::write(&secret, "|\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();

    let mut command = Command::new(program);
    command.arg("secret.txt").current_dir(&directory);
    if File::open(&secret).is_ok() {
        // We are root, who may read everything; nobody may not.
        command.uid(65534).gid(65534);
    }
    assert_fails(
        run(&mut command),
        2,
        "secret.txt: Permission denied; check its permissions and those of its folder (ls -l)",
    );
}

#[test]
fn files_that_can_not_be_decompressed_are_refused_and_not_counted() {
    let directory = tempfile::tempdir().unwrap();
    for (magic, kind, tool) in [
        (&b"\xfd7zXZ\0\0"[..], "an xz file", "xz -dc FILE"),
        (b"BZh91AY&SY", "a bzip2 file", "bzip2 -dc FILE"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "7z e -so FILE"),
    ] {
        let path = directory.path().join("data.txt");
        fs::write(&path, magic).unwrap();
        let path = path.display();
        let message =
            format!("{path}: is {kind}, which can't be read; pipe it in: {tool} | fecscan ...");
        assert_fails(run_with(&path.to_string()), 2, &message);
        assert_fails(run_with(&format!("count {path}")), 2, &message);
        let message = message.replace(&path.to_string(), "standard input");
        assert_fails(shell(&format!("$F < {path}")), 2, &message);
        assert_fails(shell(&format!("cat {path} | $F")), 2, &message);
    }
}
