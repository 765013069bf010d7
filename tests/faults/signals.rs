//! Signals that end the program while it writes a result: it dies of them, unless they are ignored.
//!
//! The result does not appear. Where the file system supports files without a name, nothing is
//! left. Elsewhere a recognisable temporary file may be left.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};

use crate::common::needs;
use crate::faults::waiting::{OpenInput, Running, has_open_in};

/// Hides /proc. Without it, an unnamed file can't be linked, so that temporary files need names.
const WITHOUT_PROC: &str = "unshare -m sh -c 'umount -l /proc && exec \"$0\" \"$@\"'";

const SIGNALS: [(&str, i32); 7] = [
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ABRT", 6),
    ("KILL", 9),
    ("TERM", 15),
    ("XCPU", 24),
];

/// The program in `folder`, started by a shell that becomes the program.
fn program(folder: &Path, before: &str, arguments: &str) -> Command {
    // Signals that the tests ignore, as under nohup, get their default action.
    let mut command = Command::new("env");
    let script = format!("ulimit -c 0; {before} \"$F\" {arguments}");
    command
        .args(["--default-signal", "sh", "-c", &script])
        .env("F", env!("CARGO_BIN_EXE_fecscan"))
        .env_remove("FECSCAN_SIMD")
        .current_dir(folder);
    command
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

fn supports_unnamed_files(folder: &Path) -> bool {
    let flags = OFlags::TMPFILE | OFlags::WRONLY;
    rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR).is_ok()
}

#[track_caller]
fn assert_dies(folder: &Path, mut running: Running, (name, number): (&str, i32), named: bool) {
    running.send(name);
    let status = running.wait_for_end();
    assert_eq!(status.signal(), Some(number), "{name}: {status:?}");
    for file in files_in(folder) {
        let recognisable = file.starts_with(".fecscan-") && file.ends_with(".tmp");
        assert!(named && recognisable, "{name}: {file} is left");
    }
}

fn assert_dies_of_each_signal(before: &str, unnamed_possible: bool) {
    for signal in SIGNALS {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().canonicalize().unwrap();
        let named = !unnamed_possible || !supports_unnamed_files(&folder);

        // There is no end to the rows.
        let arguments = format!("generate --rows {} -o result", u64::MAX);
        let mut command = program(&folder, before, &arguments);
        let mut running = Running::start(command.stdin(Stdio::null()));
        running.wait_until("the output is open", |id| has_open_in(id, &folder));
        assert_dies(&folder, running, signal, named);

        // There is no end to the input. Outputs are opened before the input is read.
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().canonicalize().unwrap();
        let mut command = program(&folder, before, "-o result --rejects rejects -");
        let mut input = OpenInput::of(&mut command);
        let mut running = Running::start(&mut command);
        // The command holds the reading end of the pipe.
        drop(command);
        input.write(b"a|b\n");
        running.wait_until("the input is read", |_| input.is_read());
        assert_eq!(!files_in(&folder).is_empty(), named, "{signal:?}");
        assert_dies(&folder, running, signal, named);
    }
}

#[test]
fn a_program_that_is_ended_by_a_signal_dies_of_it_and_leaves_no_result() {
    assert_dies_of_each_signal("exec", true);
}

#[test]
fn a_named_temporary_file_is_all_that_a_signal_leaves() {
    if !needs::has("root") {
        return;
    }
    assert_dies_of_each_signal(&format!("exec {WITHOUT_PROC}"), false);
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    for (signal, _) in SIGNALS.into_iter().filter(|&(name, _)| name != "KILL") {
        let directory = tempfile::tempdir().unwrap();
        let before = format!("trap '' {signal}; exec");
        let mut command = program(directory.path(), &before, "count -o result -");
        let mut input = OpenInput::of(&mut command);
        let mut running = Running::start(&mut command);
        drop(command);
        input.write(b"a\n");
        running.wait_until("the input is read", |_| input.is_read());
        running.send(signal);
        input.write(b"b\n");
        drop(input);
        assert_eq!(running.wait_for_end().code(), Some(0), "{signal}");
        assert_eq!(files_in(directory.path()), ["result"], "{signal}");
        let result = fs::read_to_string(directory.path().join("result")).unwrap();
        assert_eq!(result.split_whitespace().next(), Some("2"), "{signal}");
    }
}
