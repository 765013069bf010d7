//! The commands in `README.md` and `docs/*.md` are run, and their output compared ([`crate::common::transcript`]). Messages are
//! held the same way, in `tests/messages/*.md`.

use std::fs;

use regex::Regex;

use crate::common::program::shell;
use crate::common::transcript::{Failures, check};

/// Returns the names of the files in a folder that end with `.md`.
fn markdown(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path().display().to_string());
    let mut paths: Vec<_> = paths.filter(|path| path.ends_with(".md")).collect();
    paths.sort();
    paths
}

/// Returns the names of all documents.
fn documents() -> Vec<String> {
    [vec!["README.md".to_owned()], markdown("docs")].concat()
}

#[test]
fn commands_of_the_documents_do_as_shown() {
    let files = documents();
    let commands = files.iter().map(|path| check(path, Failures::FailTheTest));
    assert!(commands.sum::<usize>() > 0);
}

#[test]
fn messages_are_those_of_the_transcripts() {
    let files = markdown("tests/messages");
    let commands = files.iter().map(|path| check(path, Failures::AreShown));
    assert!(commands.sum::<usize>() > 0);
}

/// A condition that chooses nothing teaches nothing. The file of the README is longer, and begins with these rows.
#[test]
fn conditions_of_the_readme_choose_rows_of_its_file() {
    let readme = fs::read_to_string("README.md").unwrap();
    let commands = readme
        .lines()
        .filter(|line| line.starts_with("fecscan ") && line.contains("--where \""));
    let mut conditions = 0;
    let option = Regex::new("--contributions|--where \"[^\"]*\"").unwrap();
    for command in commands {
        let options: Vec<_> = option
            .find_iter(command)
            .map(|found| found.as_str())
            .collect();
        conditions += options.len();
        let script = format!(
            "$F generate --rows 100000 | $F count --schema indiv {}",
            options.join(" ")
        );
        let ended = shell(&script);
        assert_eq!((ended.status, &*ended.err), (0, ""), "{command}");
        assert!(ended.out.trim() != "0", "{command}");
    }
    assert!(conditions >= 4, "only {conditions} conditions were found");
}

#[test]
fn the_test_command_of_the_readme_is_run_by_ci() {
    let readme = fs::read_to_string("README.md").unwrap();
    let ci = fs::read_to_string("ci/run").unwrap();
    assert!(readme.lines().any(|line| line.starts_with("cargo test")));
    assert!(ci.contains("step cargo test "));
}

/// CI compiles the examples, and a test compares the answer of the first.
#[test]
fn the_readme_shows_three_examples() {
    let readme = fs::read_to_string("README.md").unwrap();
    for name in ["sentence", "rows", "bytes"] {
        let example = fs::read_to_string(format!("examples/{name}.rs")).unwrap();
        let (_, main) = example.split_once("fn main()").unwrap();
        let lines = main.lines().skip(1);
        let lines = lines.take_while(|line| *line != "    Ok(())");
        let lines: Vec<_> = lines
            .map(|line| line.strip_prefix("    ").unwrap())
            .collect();
        assert!(readme.contains(&lines.join("\n")), "{name}");
    }
}
