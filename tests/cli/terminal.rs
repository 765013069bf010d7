//! The program at a terminal.

use std::fs;
use std::process::Command;

use crate::common::program::{on_a_terminal, on_a_terminal_with_log, run_with};

#[test]
fn a_terminal_gets_colour_and_bars_but_no_bytes_that_play_tricks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hostile.txt");
    let row = |name: &str| format!("C|N|M4|P|201804129112345678|15|IND|{name}|X\n");
    fs::write(
        &path,
        row("EVIL\x1b]0;title\x07\u{202e}, \x1b[2JX") + &row("PE\u{d1}A, JOS\u{c9}"),
    )
    .unwrap();
    let path = path.display();

    let ended = on_a_terminal(&format!("$F --force --name 0,1 {path}"));
    assert_eq!(ended.status, 0);
    assert!(ended.out.contains("\x1b[1mNames\x1b[0m"), "{}", ended.out);
    assert!(ended.out.contains("█"), "{}", ended.out);
    assert!(
        ended
            .out
            .contains(r"EVIL\x1b]0;title\x07\u{202e}, \x1b[2JX"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("PE\u{d1}A, JOS\u{c9}"), "{}", ended.out);

    for (command, expected) in [
        (
            "--force -f challenge --name 0",
            r"Name: EVIL\x1b]0;title\x07\u{202e}, \x1b[2JX at index: 0",
        ),
        ("count", r"2 "),
    ] {
        let named = format!(
            "cd {}; cp hostile.txt $'\\e[31m'",
            directory.path().display()
        );
        let ended = on_a_terminal(&format!("{named}; $F {command} $'\\e[31m'"));
        assert!(ended.out.starts_with(expected), "{}", ended.out);
        assert!(!ended.out.contains('\x1b'), "{}", ended.out);
    }
    for plain in [
        format!("$F --force --color never {path}"),
        format!("NO_COLOR=1 $F --force {path}"),
        format!("TERM=dumb $F --force {path}"),
    ] {
        let ended = on_a_terminal(&plain);
        assert!(
            ended.out.contains("\nNames (by line") && !ended.out.contains('\x1b'),
            "{plain}: {}",
            ended.out
        );
    }
    let piped = run_with(&format!("--force --color always --name 0 {path}"));
    assert!(
        piped.out.contains("\x1b[1mNames\x1b[0m") && piped.out.contains("█"),
        "{}",
        piped.out
    );
    assert!(
        piped.out.contains("EVIL\x1b]0;title\x07"),
        "off a terminal, bytes are exact: {}",
        piped.out
    );
}

#[test]
fn machine_formats_are_escaped_on_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.txt");
    fs::write(&path, "|||||||A\u{7f}\u{9b}\u{202e}\x1b, B\n").unwrap();
    let path = path.display();
    let printed = on_a_terminal(&format!("$F --force -f json --name 0 {path}")).out;
    assert!(
        printed.contains(r#""name":"A\u007f\u009b\u202e\u001b, B""#),
        "{printed}"
    );
    let piped = run_with(&format!("--force -f json --name 0 {path}")).out;
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(json(&printed), json(&piped));
    for (command, expected) in [
        (
            "-f csv --name 0",
            r#"name_at_0,"A\x7f\u{9b}\u{202e}\x1b, B",1"#,
        ),
        ("-f tsv --name 0", r"A\x7f\u{9b}\u{202e}\x1b, B"),
        (
            "-o /dev/null --rejects /dev/stdout",
            r"A\x7f\u{9b}\u{202e}\x1b, B",
        ),
    ] {
        let ended = on_a_terminal(&format!("$F --force {command} {path}"));
        assert!(ended.out.contains(expected), "{command}: {}", ended.out);
        assert!(
            !ended.out.contains(['\x1b', '\x7f', '\u{9b}', '\u{202e}']),
            "{command}"
        );
    }
}

#[test]
fn bars_are_as_wide_as_the_terminal_allows() {
    for (columns, longest) in [(30, 16), (54, 40), (200, 186), (5, 1)] {
        let ended = on_a_terminal(&format!("stty cols {columns}; $F fixtures/plain.txt"));
        let bars = ended.out.lines().map(|line| line.matches('█').count());
        assert_eq!(bars.max(), Some(longest), "{columns}: {}", ended.out);
        let ended = on_a_terminal(&format!(
            "stty cols {columns}; LC_ALL=C $F fixtures/plain.txt; LC_ALL=C $F by NAME fixtures/long-names.txt"
        ));
        let bars = ended.out.lines().map(|line| line.matches('#').count());
        assert!(bars.max() >= Some(longest), "{columns}: {}", ended.out);
        assert!(ended.out.is_ascii(), "{columns}: {}", ended.out);
    }
}

#[test]
fn the_header_of_the_report_has_the_months_on_one_line() {
    let ended = on_a_terminal("stty cols 80; $F fixtures/plain.txt; $F fixtures/generated.txt");
    for line in [
        "  ▆▆█▃  2018-04 to 2018-07\r\n",
        "  ▁     █       ▅  2017-10 to 2018-12\r\n",
    ] {
        assert!(ended.out.contains(line), "{}", ended.out);
    }
    let narrow = on_a_terminal("stty cols 46; $F fixtures/generated.txt");
    let line = "  ▁ █ ▅  2017-10 to 2018-12, 3 months a mark\r\n";
    assert!(narrow.out.contains(line), "{}", narrow.out);
    let piped = run_with("--color always fixtures/plain.txt");
    assert!(
        piped.out.contains("▆▆█▃  2018-04 to 2018-07\n"),
        "{}",
        piped.out
    );
    for plain in [
        "$F fixtures/plain.txt | cat",
        "LC_ALL=C $F fixtures/plain.txt",
        "$F fixtures/one-line.txt",
    ] {
        let ended = on_a_terminal(plain);
        assert!(
            !ended.out.contains(" to 2018-") && !ended.out.contains('▆'),
            "{plain}: {}",
            ended.out
        );
    }
}

/// Returns a script that prints rows until the terminal with this log has shown a frame of the bar. The limit of five
/// minutes only ends a hang.
fn rows_until_a_bar(log: &str) -> String {
    format!(
        "n=0; until grep -q B/s {log} || [ $n = 3000 ]; do
           n=$((n + 1)); printf '|||||||A, B\\n'; sleep 0.1; done"
    )
}

/// The input ends when the terminal has shown a frame of the bar.
#[test]
fn the_bar_leaves_the_cursor_at_the_beginning_of_its_line_and_is_cleared() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let rows = rows_until_a_bar(&log.display().to_string());
    let program = "$F --force -o /dev/null --task-size 1";
    let ended = on_a_terminal_with_log(&format!("({rows}) | {program}"), &log);
    assert_eq!(ended.status, 0, "{}", ended.out);
    let frames = ended.out.strip_suffix("\x1b[2K").expect(&ended.out);
    let frames = frames.strip_suffix("B/s\r").expect(&ended.out);
    assert!(
        frames.starts_with("\x1b[2K") && frames.contains(" B, "),
        "{frames:?}"
    );
}

/// The module for Python draws the frames in a notebook.
#[test]
fn a_program_that_wants_the_bar_gets_it_without_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log").display().to_string();
    let script = format!(
        "({}) | FECSCAN_PROGRESS=1 {} --force -o /dev/null --task-size 1 2>{log}",
        rows_until_a_bar(&log),
        env!("CARGO_BIN_EXE_fecscan")
    );
    let status = Command::new("sh").args(["-c", &script]).status().unwrap();
    assert!(status.success());
    let printed = fs::read_to_string(log).unwrap();
    let frames = printed.strip_suffix("B/s\r\x1b[2K").expect(&printed);
    assert!(frames.starts_with("\x1b[2K"), "{printed:?}");
}

/// The input ends when the terminal of another run has shown a frame of the bar. This run has waited
/// as long.
#[test]
fn without_progress_there_is_no_bar() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let row = "printf '|||||||A, B\\n'";
    let program = format!(
        "{} --force -o /dev/null --task-size 1",
        env!("CARGO_BIN_EXE_fecscan")
    );
    let log = at("log");
    let with_bar = format!("({}) | {program}\n", rows_until_a_bar(&log));
    fs::write(at("with-bar"), with_bar).unwrap();
    let with_bar = format!(
        "script -qfec 'sh {}' {log} </dev/null >/dev/null",
        at("with-bar")
    );
    let ended = on_a_terminal(&format!(
        "({row}; {with_bar}; {row}) | {program} --no-progress"
    ));
    assert_eq!((ended.status, &*ended.out), (0, ""));
    assert!(fs::read_to_string(log).unwrap().contains("B/s"));
}

/// The signal is sent when the terminal has shown a frame of the bar. The input is open until then,
/// and until the program is gone if it is to die. Signals that the tests ignore, as under nohup, get
/// their default action.
#[test]
fn a_signal_removes_the_bar_and_the_program_dies_of_it_unless_it_is_ignored() {
    for (before, signal, status) in [
        ("", "INT", 128 + 2),
        ("", "TERM", 128 + 15),
        ("", "HUP", 128 + 1),
        ("trap '' INT;", "INT", 0),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name).display().to_string();
        let (log, id) = (at("log"), at("id"));
        let then = match status {
            0 => "",
            // The limit of five minutes only ends a hang.
            _ => "timeout 300 tail --pid=$id -f /dev/null",
        };
        let script = format!(
            "({}; id=$(cat {id}); kill -s {signal} $id; {then}) |
             env --default-signal sh -c \"{before} echo \\$\\$ > {id}; exec {} --force -o /dev/null --task-size 1\"\n",
            rows_until_a_bar(&log),
            env!("CARGO_BIN_EXE_fecscan")
        );
        fs::write(at("script"), script).unwrap();
        let ended = on_a_terminal_with_log(&format!("sh {}", at("script")), log.as_ref());
        let end = if status == 0 {
            "\r\x1b[2K"
        } else {
            "\r\r\x1b[2K"
        };
        // The shell may add the name of the signal.
        let after_frames = ended.out.rsplit_once("B/s").map(|(_, after)| after);
        assert!(
            ended.status == status && after_frames.is_some_and(|after| after.starts_with(end)),
            "{before} {signal}: {ended:?}"
        );
    }
}

#[test]
fn without_files_on_a_terminal_nobody_is_kept_waiting() {
    for command in ["$F", "$F count"] {
        let ended = on_a_terminal(command);
        assert_eq!(ended.status, 2, "{}", ended.out);
        assert!(ended.out.starts_with(
            "fecscan: no FILE is named, and standard input is a terminal; name a file"
        ));
    }
}
