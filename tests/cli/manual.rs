//! Completions and manual pages. `tests/shells` loads the scripts in their shells.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use crate::cli::done;
use crate::common::program::{
    assert_fails, assert_usage_error, fecscan, on_a_terminal, run, run_with,
};

const COMMANDS: [&str; 13] = [
    "report",
    "count",
    "by",
    "export",
    "sql",
    "diff",
    "merge",
    "info",
    "columns",
    "generate",
    "completions",
    "man",
    "help",
];

/// Options of cargo in README.md.
const OF_CARGO: [&str; 6] = [
    "--bench",
    "--example",
    "--locked",
    "--open",
    "--path",
    "--release",
];

/// Returns the options that a text names.
fn options(text: &str) -> BTreeSet<String> {
    let option = Regex::new(r"--[a-z][a-z-]*[a-z]").unwrap();
    option
        .find_iter(text)
        .map(|found| found.as_str().to_owned())
        .collect()
}

/// Returns the manual page of a command, or of the program, as text.
fn manual(command: &str) -> String {
    let ended = run_with(&format!("man {command}"));
    assert_eq!((ended.status, &*ended.err), (0, ""));
    ended.out.replace("\\-", "-")
}

#[test]
fn the_manual_has_every_option_of_every_command() {
    for command in COMMANDS {
        let manual = manual(command);
        let help = run_with(&format!("help {command}")).out;
        let missing: Vec<_> = options(&help)
            .difference(&options(&manual))
            .cloned()
            .collect();
        assert!(missing.is_empty(), "{command}: {missing:?}");
        assert!(manual.contains("fB--help"), "{command}");
        assert!(!manual.contains("task-size"), "{command}");
    }
    assert!(manual("").contains("--month-column"));
}

#[test]
fn manual_pages_can_be_one_for_each_command() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    assert_eq!(run_with(&format!("man --directory {path}")), done(""));
    for command in COMMANDS {
        let page =
            fs::read_to_string(directory.path().join(format!("fecscan-{command}.1"))).unwrap();
        assert!(page.contains(&format!(".TH fecscan-{command} 1")), "{page}");
    }
    assert!(directory.path().join("fecscan.1").exists());
    let whole = directory.path().join("whole.1");
    assert_eq!(run_with(&format!("man -o {}", whole.display())), done(""));
    assert_eq!(fs::read_to_string(whole).unwrap(), run_with("man").out);
    let ended = run_with("man --directory missing");
    assert_fails(
        ended,
        2,
        "missing/fecscan.1: can't be written: No such file or directory; make its directory first: mkdir -p",
    );
}

/// Asks for completions of the last of these words, as the script of fish does.
fn completed(words: &[&str]) -> Vec<String> {
    let mut command = fecscan(["--", "fecscan"]);
    let ended = run(command.args(words).env("FECSCAN_COMPLETE", "fish"));
    assert_eq!((ended.status, &*ended.err), (0, ""), "{words:?}");
    let words = ended.out.lines();
    words
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

/// `tests/shells` presses the Tab key.
#[test]
fn the_program_completes_commands_options_values_and_columns() {
    for (words, expected) in [
        (&["expo"][..], &["export"][..]),
        (&["--simd", "por"], &["portable"]),
        (&["by", "--contr"], &["--contributions"]),
        (&["by", "CITY,ST"], &["CITY,STATE"]),
        (
            &["by", "STATE", "--sum", "TRANSACTION_A"],
            &["TRANSACTION_AMT"],
        ),
        (&["by", "STATE", "-f", "mark"], &["markdown"]),
        (&["export", "--columns", "NAME,OCC"], &["NAME,OCCUPATION"]),
        (&["count", "--where", "EMPLOY"], &["EMPLOYER"]),
        (&["count", "--schema", "op"], &["oppexp"]),
        (&["columns", "pa"], &["pas2"]),
        (&["help", "exp"], &["export"]),
        (&["man", "exp"], &["export"]),
        (&["count", "fixtures/pla"], &["fixtures/plain.txt"]),
        (&["by", "STATE", "fixtures/pla"], &["fixtures/plain.txt"]),
        (&["fixtures/pla"], &["fixtures/plain.txt"]),
    ] {
        assert_eq!(completed(words), expected, "{words:?}");
    }
}

#[test]
fn the_script_of_every_shell_asks_the_program() {
    for shell in ["bash", "zsh", "fish", "PowerShell"] {
        let ended = run_with(&format!("completions {shell}"));
        assert_eq!((ended.status, &*ended.err), (0, ""));
        assert!(ended.out.contains("FECSCAN_COMPLETE"), "{shell}");
    }
    assert_usage_error("completions tcsh", "invalid value 'tcsh'");
    let shells =
        "the following required arguments were not provided:\n  <bash|zsh|fish|powershell>";
    assert_usage_error("completions", shells);
}

#[test]
fn the_manual_of_an_unknown_command_is_refused() {
    let ended = run_with("man export2");
    let message = "there is no command 'export2'; did you mean 'export'?";
    assert_fails(ended, 2, message);
}

#[test]
fn the_manual_on_a_terminal_says_how_to_read_it() {
    let note = if cfg!(target_os = "macos") {
        "note: that is for man to draw: fecscan man | mandoc -a"
    } else {
        "note: that is for man to draw: fecscan man | man -l -"
    };
    let shown = on_a_terminal("$F man");
    assert!(shown.out.trim_end().ends_with(note), "{shown:?}");
    assert!(!on_a_terminal("$F man | cat").out.contains(note));
}

#[test]
fn options_in_the_readme_exist() {
    let known: BTreeSet<_> = COMMANDS
        .iter()
        .flat_map(|command| options(&manual(command)))
        .collect();
    let readme = options(&fs::read_to_string("README.md").unwrap());
    let is_known =
        |option: &&String| known.contains(*option) || OF_CARGO.contains(&option.as_str());
    let unknown: Vec<_> = readme.iter().filter(|option| !is_known(option)).collect();
    assert!(
        unknown.is_empty() && readme.contains("--contributions"),
        "{unknown:?}"
    );
}
