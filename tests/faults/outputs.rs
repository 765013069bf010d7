//! Outputs that are not replaced, results of runs with failed inputs, and options without effect.

use std::fs;
use std::process::Command;

use crate::common::archives::{Member, gzip, zip};
use crate::common::needs;
use crate::common::program::{Ended, assert_fails, fecscan, run, run_with, shell};

const PLAIN: &str = "fixtures/plain.txt";

/// What `script` does in a new folder, and what is in the file `log` there afterwards. In the
/// script, `$F` is the program and `$P` a file of 8 lines.
fn in_a_folder(script: &str) -> (Ended, String) {
    let directory = tempfile::tempdir().unwrap();
    let plain = fs::canonicalize(PLAIN).unwrap();
    let here = directory.path().display();
    // Where a script is broken, the program may wait for itself.
    let script = format!("F=\"timeout 60 $F\"; P={}; {script}", plain.display());
    let ended = shell(&format!("cd {here}; {script}"));
    let log = fs::read_to_string(directory.path().join("log")).unwrap_or_default();
    (ended, log.replace(&plain.display().to_string(), "P"))
}

#[test]
fn what_the_shell_has_opened_is_written_to_where_it_stands() {
    let rows = run_with("generate --rows 2").out;
    for (script, log) in [
        ("$F count -o /dev/stdout $P >> log", "before\n8 P\n"),
        ("$F count -o /dev/stdout $P > log", "8 P\n"),
        (
            "{ echo a; $F count -o /dev/stdout $P; echo b; } > log",
            "a\n8 P\nb\n",
        ),
        (
            "{ echo a; $F count -o /dev/stdout $P; echo b; } 1<> log",
            "a\n8 P\nb\n",
        ),
        ("$F count -o /dev/stdout $P | cat >> log", "before\n8 P\n"),
        ("$F count -o /dev/stderr $P 2>> log", "before\n8 P\n"),
        ("$F count -o /dev/fd/7 $P 7>> log", "before\n8 P\n"),
        ("$F count -o /proc/self/fd/7 $P 7>> log", "before\n8 P\n"),
        (
            "$F count -o /proc/thread-self/fd/7 $P 7>> log",
            "before\n8 P\n",
        ),
        // Another process has it open.
        ("$F count -o /proc/$$/fd/7 $P; true", "before\n8 P\n"),
        // The file has lost its name.
        (
            "exec 7<> old; rm old; $F count -o /dev/fd/7 $P; cat /dev/fd/7 >> log; ls >> log",
            "before\n8 P\nlog\n",
        ),
        (
            "$F count -o /dev/null --stats $P 2> /dev/null; cat log >> log2",
            "before\n",
        ),
        (
            "mkfifo fifo; cat fifo >> log & $F count -o fifo $P; wait",
            "before\n8 P\n",
        ),
        (
            "$F -o /dev/null --rejects /dev/stdout $P >> log",
            "before\nfile,line,byte,columns,text\n",
        ),
        (
            "$F generate --rows 2 -o /dev/stdout >> log",
            &format!("before\n{rows}"),
        ),
    ] {
        let script = format!("echo before > log; exec 7>> log; {script}");
        let (ended, found) = in_a_folder(&script);
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{script}");
        assert_eq!(found, log, "{script}");
    }
}

#[test]
fn what_can_not_be_written_to_is_refused_before_anything_is_read() {
    let not_written = |name: &str, why: &str| format!("{name}: can't be written: {why}");
    let bad = |name: &str| not_written(name, "Bad file descriptor");
    let input = "is an input, and would be lost as the output; write to another file";
    let taken = "is where the result goes already; write to another file";
    for (script, message) in [
        ("$F count -o /dev/stdout fifo >&-", bad("/dev/stdout")),
        (
            "$F count -o /dev/fd/7 fifo",
            not_written("/dev/fd/7", "No such file or directory"),
        ),
        ("$F count fifo 1< /dev/null", bad("standard output")),
        (
            "$F count -o /dev/fd/x fifo",
            not_written("/dev/fd/x", "No such file or directory"),
        ),
        ("$F count -o fifo fifo", format!("fifo: {input}")),
        (
            "echo | $F count -o /dev/stdin",
            format!("/dev/stdin: {input}"),
        ),
        (
            "$F --rejects /dev/stdout fifo | cat; exit 2",
            format!("/dev/stdout: {taken}"),
        ),
        (
            "$F -o /dev/fd/1 --rejects /dev/stdout fifo | cat; exit 2",
            format!("/dev/stdout: {taken}"),
        ),
        (
            "$F -o log --rejects /dev/stdout fifo >> log",
            format!("/dev/stdout: {taken}"),
        ),
    ] {
        let (ended, log) = in_a_folder(&format!("echo before > log; mkfifo fifo; {script}"));
        assert_fails(ended, 2, &message);
        assert_eq!(log, "before\n", "{script}");
    }
}

#[test]
fn a_terminal_is_one_by_whatever_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hostile.txt");
    fs::write(&path, "|||||||EVIL\x1b]0;title\x07, X|\n").unwrap();
    for output in ["", "-o /dev/stdout", "-o /dev/tty", "-o -"] {
        let program = env!("CARGO_BIN_EXE_fecscan");
        let command = format!("{program} --force --name 0 {output} {}", path.display());
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]);
        let ended = run(script.env_remove("NO_COLOR").env("TERM", "xterm"));
        assert_eq!(ended.status, 0, "{output}: {}", ended.out);
        assert!(ended.out.contains("\x1b[1mNames\x1b[0m"), "{}", ended.out);
        assert!(ended.out.contains(r"EVIL\x1b]0;title"), "{}", ended.out);
    }
}

#[test]
fn the_result_is_that_of_the_inputs_that_were_read_and_json_says_which() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::copy(PLAIN, at("plain.txt")).unwrap();
    let cut = gzip(b"|\n|\n");
    fs::write(at("cut.gz"), &cut[..cut.len() - 9]).unwrap();
    let here = |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    let alone = here("-f json plain.txt").out;
    assert!(
        alone.starts_with(r#"{"files":[{"path":"plain.txt","#),
        "{alone}"
    );

    let ended = here("-f json missing cut.gz plain.txt");
    assert_eq!((ended.status, &ended.out), (2, &alone));
    assert_eq!(ended.err.lines().count(), 2, "{}", ended.err);
    let ended = here("-f json -o result missing cut.gz plain.txt");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(!at("result").exists(), "a file would not say what it lacks");

    // A file that is there stays as it is.
    fs::write(at("result"), &alone).unwrap();
    for command in ["", "count", "-f json", "-f challenge"] {
        for inputs in [
            "missing",
            "cut.gz",
            ".",
            "missing cut.gz",
            "plain.txt cut.gz",
        ] {
            let ended = here(&format!("{command} -o result {inputs}"));
            assert_eq!(
                (ended.status, ended.out.as_str()),
                (2, ""),
                "{command} {inputs}"
            );
            let result = fs::read_to_string(at("result")).unwrap();
            assert_eq!(result, alone, "{command} {inputs}");
        }
    }
}

#[test]
fn options_that_change_nothing_are_noted() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let text = fs::read(PLAIN).unwrap();
    fs::write(at("plain.txt"), &text).unwrap();
    fs::write(at("a.gz"), gzip(&text)).unwrap();
    fs::write(at("a.zip"), zip(&[Member::deflated("itcont.txt", &text)])).unwrap();
    let here = |arguments: &str| {
        let mut command = fecscan(arguments.split_whitespace());
        let input = fs::File::open(at("plain.txt")).unwrap();
        run(command.current_dir(&directory).stdin(input))
    };
    let top = "fecscan: note: --format challenge names one first name, whatever --top says; the other formats list \
               more\n";
    let member = |name: &str| {
        let what = "is not a zip archive, so it has no members to choose; all of it is read";
        format!("fecscan: {name}: note: {what}\n")
    };
    for (option, arguments, note) in [
        // It says which columns there are, and whether there is a report.
        ("--schema indiv", "-f json plain.txt", ""),
        ("--top 2", "-f challenge plain.txt", top),
        ("--top 1", "-f challenge plain.txt", ""),
        ("--member *", "count plain.txt", &member("plain.txt")),
        ("--member *", "count a.gz", &member("a.gz")),
        ("--member *", "count -", &member("standard input")),
        ("--member *", "count a.zip plain.txt", &member("plain.txt")),
        ("--member *", "count a.zip", ""),
    ] {
        let without = here(arguments);
        let (command, rest) = match arguments.strip_prefix("count ") {
            Some(rest) => ("count ", rest),
            None => ("", arguments),
        };
        let with = here(&format!("{command}{option} {rest}"));
        assert_eq!(
            (with.status, with.out),
            (0, without.out),
            "{option} {arguments}"
        );
        assert_eq!(
            (with.err.as_str(), without.err.as_str()),
            (note, ""),
            "{arguments}"
        );
    }
}

#[test]
fn numbers_that_are_too_large_are_told_from_what_is_no_number() {
    let more = "that is more than can be counted";
    let none = "a whole number is needed, without separators";
    for (arguments, why) in [
        ("--name 18446744073709551615", None),
        ("--name 18446744073709551616", Some(more)),
        ("--name 0,99999999999999999999999", Some(more)),
        ("--top 18446744073709551616", Some(more)),
        ("--name 1x", Some(none)),
        ("--name -99999999999999999999", Some(none)),
        ("generate --rows 18446744073709551616", Some(more)),
        ("generate --rows 0 --seed 18446744073709551616", Some(more)),
    ] {
        let file = if arguments.contains("generate") {
            ""
        } else {
            PLAIN
        };
        let ended = run_with(&format!("{arguments} {file}"));
        match why {
            None => assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{arguments}"),
            Some(why) => {
                assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{arguments}");
                assert!(ended.err.contains(&format!(": {why}")), "{}", ended.err);
            }
        }
    }
}

/// As `docker -v $PWD/out.csv:/out.csv` mounts one. Nothing can be renamed to it.
#[test]
fn a_file_that_is_mounted_is_written_over() {
    if !needs::has("root") {
        return;
    }
    let script = "echo a longer text than the result > log; echo before > other; mount --bind other log; \
                  $F count -o log $P && cat log other; \
                  $F count -o log missing; cat log";
    let (ended, _) = in_a_folder(&format!("unshare -m sh -c \"{script}\""));
    let plain = fs::canonicalize(PLAIN).unwrap();
    assert_eq!(ended.out, format!("8 {}\n", plain.display()).repeat(3));
    assert!(ended.err.contains("missing: No such file"), "{}", ended.err);
}
