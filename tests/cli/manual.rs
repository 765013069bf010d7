//! Completions and manual pages. `tests/shells` loads the scripts in their shells.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use crate::cli::done;
use crate::common::program::{assert_fails, assert_usage_error, on_a_terminal, run_with};

const COMMANDS: [&str; 10] = [
    "report",
    "count",
    "by",
    "export",
    "diff",
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

/// Returns the manual page as text.
fn manual() -> String {
    let ended = run_with("man");
    assert_eq!((ended.status, &*ended.err), (0, ""));
    ended.out.replace("\\-", "-")
}

#[test]
fn the_manual_has_every_option_of_every_command() {
    let manual = manual();
    for command in COMMANDS {
        let section = format!(".SH \"FECSCAN {}\"\n", command.to_uppercase());
        let (_, section) = manual.split_once(&section).expect(command);
        let section = section.split("\n.SH ").next().unwrap();
        let help = run_with(&format!("help {command}")).out;
        let missing: Vec<_> = options(&help)
            .difference(&options(section))
            .cloned()
            .collect();
        assert!(missing.is_empty(), "{command}: {missing:?}");
        assert!(section.contains("fB--help"), "{command}");
    }
    assert!(manual.contains("--month-column") && !manual.contains("task-size"));
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
        "missing: is no directory; make it first: mkdir -p",
    );
}

#[test]
fn scripts_of_all_shells_know_commands_options_and_columns() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let ended = run_with(&format!("completions {shell}"));
        assert_eq!((ended.status, &*ended.err), (0, ""));
        for word in [
            "generate",
            "month-column",
            "STATE",
            "TRANSACTION_AMT",
            "amount",
            "CMTE_PTY_AFFILIATION",
        ] {
            assert!(ended.out.contains(word), "{shell}: {word}");
        }
        assert!(!ended.out.contains(" --task-size "), "{shell}");
    }
    assert_usage_error("completions tcsh", "invalid value 'tcsh'");
    let shells =
        "the following required arguments were not provided:\n  <bash|zsh|fish|powershell>";
    assert_usage_error("completions", shells);
}

#[test]
fn the_manual_of_one_command_is_found() {
    assert_fails(
        run_with("man by"),
        2,
        "'man' takes no command: try 'fecscan help by'; 'fecscan man --directory .' writes a page for each, which \
         'man ./fecscan-by.1' shows",
    );
    assert_usage_error("man nosuch", "unexpected argument 'nosuch' found");
}

/// Options have their values, and files their dots, as in the help.
#[test]
fn the_manual_shows_the_usage_of_the_help() {
    let manual = manual();
    let plain = manual
        .replace("\\fB", "")
        .replace("\\fR", "")
        .replace("\\&", "");
    for usage in [
        "fecscan [OPTIONS] [FILE]...\n.br\nfecscan <COMMAND> [OPTIONS] [FILE]...\n",
        "\nfecscan by [OPTIONS] <KEY[,KEY]...> [FILE]...\n",
        "\nfecscan man [OPTIONS]\n",
        "\nfecscan help [COMMAND]\n",
    ] {
        assert!(plain.contains(usage), "{usage}");
    }
    assert!(!manual.contains("[\\fB"), "the short form of options");
    let directory = tempfile::tempdir().unwrap();
    run_with(&format!("man --directory {}", directory.path().display()));
    let page = fs::read_to_string(directory.path().join("fecscan-by.1")).unwrap();
    let synopsis = ".SH SYNOPSIS\n\\fBfecscan by\\fR [OPTIONS] <KEY[,KEY]...> [FILE]...\n.SH";
    assert!(page.contains(synopsis), "{page}");
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
    let known = options(&manual());
    let readme = options(&fs::read_to_string("README.md").unwrap());
    let is_known =
        |option: &&String| known.contains(*option) || OF_CARGO.contains(&option.as_str());
    let unknown: Vec<_> = readme.iter().filter(|option| !is_known(option)).collect();
    assert!(
        unknown.is_empty() && readme.contains("--contributions"),
        "{unknown:?}"
    );
}
