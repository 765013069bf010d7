//! Signals by which others end the program while it writes a result: nothing is left, and it dies of
//! them, unless they are ignored.

mod common;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::program::{Ended, fecscan, run, shell};

/// The program without /proc, where a file that has no name can't be given one, as on file systems
/// that have no such files.
const WITHOUT_PROC: &str = "exec unshare -m sh -c 'umount -l /proc && exec \"$0\" \"$@\"'";

#[test]
fn a_program_that_is_ended_by_a_signal_leaves_nothing_and_dies_of_it() {
    let may_unmount = Command::new("sh")
        .args(["-c", &format!("{WITHOUT_PROC} true")])
        .stderr(Stdio::null())
        .status();
    let before: &[&str] = match may_unmount.unwrap().success() {
        true => &["exec", WITHOUT_PROC],
        false => &["exec"],
    };
    for before in before {
        for (name, number) in [
            ("HUP", 1),
            ("INT", 2),
            ("QUIT", 3),
            ("KILL", 9),
            ("TERM", 15),
            ("XCPU", 24),
        ] {
            // The second waits for its input when its outputs are open.
            for arguments in [
                "generate --rows 1000000000 -o result",
                "-o result --rejects rejects -",
            ] {
                let what = format!("{before} {arguments}: {name}");
                let directory = tempfile::tempdir().unwrap();
                let script = format!("ulimit -c 0; {before} \"$F\" {arguments}");
                let mut child = Command::new("sh")
                    .args(["-c", &script])
                    .env("F", env!("CARGO_BIN_EXE_fecscan"))
                    .current_dir(&directory)
                    .stdin(Stdio::piped())
                    .spawn()
                    .unwrap();
                thread::sleep(Duration::from_millis(100));
                let there = || fs::read_dir(&directory).unwrap().count();
                let named = before == &WITHOUT_PROC;
                assert_eq!(there() > 0, named, "{what}");
                let killed = Command::new("kill")
                    .args([&format!("-{name}"), &child.id().to_string()])
                    .status();
                assert!(killed.unwrap().success());
                let status = child.wait().unwrap();
                assert_eq!(status.signal(), Some(number), "{what}");
                // A file with a temporary name may be left.
                if !named {
                    assert_eq!(there(), 0, "{what}");
                }
            }
        }
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap '' HUP; $F generate --rows 300000 -o result & P=$!; sleep 0.05; kill -HUP $P; wait $P";
    let ended = shell(&format!("cd {}; {script}", directory.path().display()));
    assert_eq!(
        ended,
        Ended {
            status: 0,
            out: String::new(),
            err: String::new()
        }
    );
    assert_eq!(
        run(fecscan(["count", "result"]).current_dir(&directory)).out,
        "300000 result\n"
    );
}
