//! The program, run as a user runs it.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program, in the folder of the project, with nothing on standard input.
pub fn fecscan<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fecscan"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("FECSCAN_SIMD")
        .env_remove("NO_COLOR")
        .env("LC_ALL", "C.UTF-8");
    command
}

/// What a run came to, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// Runs `command`. Whatever it does, it must not panic, nor die of a signal.
pub fn run(command: &mut Command) -> Ended {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&stdout), text(&stderr));
    assert_eq!(status.signal(), None, "{command:?} died of a signal: {err}");
    assert!(!err.contains("panicked"), "{command:?}: {err}");
    Ended {
        status: status.code().unwrap(),
        out,
        err,
    }
}

/// Runs the program with these arguments, separated by blanks.
pub fn run_with(arguments: &str) -> Ended {
    run(&mut fecscan(arguments.split_whitespace()))
}

/// Runs `script` in a shell, where `$F` is the program.
pub fn shell(script: &str) -> Ended {
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .env("F", env!("CARGO_BIN_EXE_fecscan"))
        .stdin(Stdio::null());
    command.env_remove("FECSCAN_SIMD").env_remove("NO_COLOR");
    command.env("LC_ALL", "C.UTF-8");
    run(&mut command)
}

/// Runs `command` of a shell with a terminal as all three standard descriptors. What it prints
/// comes with CR LF.
pub fn on_a_terminal(command: &str) -> Ended {
    on_a_terminal_with_log(command, "/dev/null".as_ref())
}

/// Does so while the file `log` grows by what the terminal gets.
pub fn on_a_terminal_with_log(command: &str, log: &Path) -> Ended {
    let command = command.replace("$F", env!("CARGO_BIN_EXE_fecscan"));
    let mut script = Command::new("script");
    script
        .args(["-qfec", &command])
        .arg(log)
        .env_remove("NO_COLOR")
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "xterm");
    run(&mut script)
}

/// Runs the program with standard output to `path`.
pub fn run_into(path: &str, arguments: &str) -> Ended {
    let out = File::options().write(true).open(path).unwrap();
    run(fecscan(arguments.split_whitespace()).stdout(out))
}

/// What another program prints, which is to be JSON; it must succeed.
pub fn json_of(command: &mut Command) -> Value {
    let ended = run(command);
    assert_eq!(ended.status, 0, "{command:?}: {}", ended.err);
    serde_json::from_str(&ended.out).unwrap()
}

/// Asserts that these arguments, separated by blanks, are a usage error whose message begins so.
#[track_caller]
pub fn assert_usage_error(arguments: &str, message: &str) {
    let ended = run_with(arguments);
    assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{arguments}");
    assert!(
        ended.err.starts_with(&format!("fecscan: {message}")),
        "{arguments}: {}",
        ended.err
    );
}

/// Asserts that the run failed with this status, said nothing on standard output and just `message`
/// on standard error.
#[track_caller]
pub fn assert_fails(ended: Ended, status: i32, message: &str) {
    let expected = Ended {
        status,
        out: String::new(),
        err: format!("fecscan: {message}\n"),
    };
    assert_eq!(ended, expected);
}
