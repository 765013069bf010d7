//! Transcripts in Markdown: commands with their output, which are run and compared.
//!
//! Each file has a scratch folder, in which its code blocks are run in their order by bash,
//! with `-e` and `pipefail`. So a later block may use the files of an earlier one. The folder has
//!
//! - `fixtures`, a link to the folder of the project, with `fixtures/indiv18.zip`;
//! - the names of [`FILES`], as small copies of fixtures;
//! - `fecscan`, the program under test, on the path.
//!
//! Blocks differ by their language:
//!
//! - `sh`: each command must succeed.
//! - `console`: lines that begin with `$ ` are commands, which must succeed. The lines below are
//!   their exact output, standard output and standard error together, without a terminal. A line
//!   `...` stands for any number of lines. To show an exit status: `$ fecscan --strict x || echo $?`.
//! - `sh no_run` and `console no_run` are not run: for commands that need a network, a cluster,
//!   another program or a large file.
//! - Blocks of [`OTHER_LANGUAGES`] are not looked at. An unknown language is an error.
//!
//! A line `<!-- before: COMMAND -->` outside a block runs COMMAND, and readers do not see it. It can
//! make a file under the name that the next block uses: `<!-- before: cp itcont.txt a.txt -->`.
//!
//! A command that fails fails the test, but among messages: there, a line `exit status N` follows its output.
//!
//! Under `FECSCAN_ACCEPT`, outputs that differ are written into the file. Lines `...` stay.
//!
//! Two things are replaced. `cargo run` with options and `--` is the program under test, and
//! `cargo` with another command of [`CARGO`] does nothing, because CI runs it by itself. A number
//! of rows after `--rows` that has six digits or more is 1000.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use regex::Regex;
use tempfile::TempDir;

use super::accept;

/// Names in the scratch folder, and the fixtures that they are copies of.
const FILES: [(&str, &str); 3] = [
    ("itcont.txt", "plain.txt"),
    ("indiv18.zip", "indiv18.zip"),
    ("indiv16.zip", "indiv18.zip"),
];

/// Commands of cargo that documents may show.
const CARGO: &str = "add|bench|build|doc|install|test";

/// Languages of blocks that are not run here.
const OTHER_LANGUAGES: &str = "sh no_run|console no_run|pycon|python|python no_run|r|rust|sql|sql no_run|text|yaml|toml|json|csv";

/// What a command may do that fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Failures {
    FailTheTest,
    AreShown,
}

/// Something to run, and the number of its line.
#[derive(Debug, PartialEq)]
enum Step {
    Script {
        line: usize,
        script: String,
    },
    Shown {
        line: usize,
        command: String,
        output: String,
    },
}

/// Returns the steps of a document in their order.
fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        if let Some(hidden) = line.strip_prefix("<!-- before: ") {
            let script = hidden
                .strip_suffix(" -->")
                .expect("the comment ends on its line");
            steps.push(Step::Script {
                line: number,
                script: script.to_owned(),
            });
        }
        let Some(language) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let block: Vec<_> = lines
            .by_ref()
            .take_while(|(_, line)| line.trim() != "```")
            .map(|(number, line)| (number, line.get(indent..).unwrap_or("")))
            .collect();
        match language {
            "sh" => {
                let script = block.iter().map(|(_, line)| format!("{line}\n")).collect();
                steps.push(Step::Script {
                    line: number,
                    script,
                });
            }
            "console" => steps.extend(shown(&block)),
            other => assert!(
                OTHER_LANGUAGES.split('|').any(|language| language == other),
                "line {number}: a block in an unknown language: {other}"
            ),
        }
    }
    steps
}

/// Returns the commands of a console block and their outputs.
fn shown(block: &[(usize, &str)]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for &(line, text) in block {
        match (text.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step::Shown {
                line,
                command: command.to_owned(),
                output: String::new(),
            }),
            (None, Some(Step::Shown { output, .. })) => *output += &format!("{text}\n"),
            _ => panic!("line {line}: output without a command"),
        }
    }
    steps
}

/// Returns whether `found` is `expected`, in which lines `...` stand for any lines.
fn matches(found: &str, expected: &str) -> bool {
    let pattern: String = expected
        .split_inclusive('\n')
        .map(|line| match line {
            "...\n" => "(?:.*\n)*".to_owned(),
            _ => regex::escape(line),
        })
        .collect();
    Regex::new(&format!("^{pattern}$")).unwrap().is_match(found)
}

/// Returns `found` as it is shown in the place of `expected`, which may leave out lines in the middle.
fn shown_as(expected: &str, found: &str) -> String {
    let Some((first, last)) = expected.split_once("...\n") else {
        return found.to_owned();
    };
    let lines: Vec<_> = found.split_inclusive('\n').collect();
    let (first, last) = (first.lines().count(), last.lines().count());
    if expected.matches("...\n").count() > 1 || first + last >= lines.len() {
        return found.to_owned();
    }
    let (first, last) = (&lines[..first], &lines[lines.len() - last..]);
    first.concat() + "...\n" + &last.concat()
}

/// Runs all steps of the file at `path`, and compares the outputs. Returns the number of commands.
pub fn check(path: &str, failures: Failures) -> usize {
    let _lock = accept::lock();
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let scratch = Scratch::new();
    let (mut commands, mut differences) = (0, String::new());
    // Line numbers of earlier steps stay, so the last one is replaced first.
    let mut replaced = Vec::new();
    for step in steps(&text) {
        match step {
            Step::Script { line, script } => {
                scratch.run(&format!("{path}:{line}"), &script, Failures::FailTheTest);
                let of_script = script.lines().filter(|line| !line.trim().is_empty());
                commands += of_script.count();
            }
            Step::Shown {
                line,
                command,
                output,
            } => {
                let found = scratch.run(&format!("{path}:{line}"), &command, failures);
                if !matches(&found, &output) {
                    let differs = accept::diff(&output, &found);
                    differences += &format!("{path}:{line}: {command}\n{differs}");
                    replaced.push((line, output.lines().count(), shown_as(&output, &found)));
                }
                commands += 1;
            }
        }
    }
    if accept::accepts() {
        for (line, count, output) in replaced.into_iter().rev() {
            let command = &lines[line - 1];
            let indent = " ".repeat(command.len() - command.trim_start().len());
            let output = output.lines().map(|line| format!("{indent}{line}"));
            lines.splice(line..line + count, output.collect::<Vec<_>>());
        }
        fs::write(path, lines.join("\n") + "\n").unwrap();
    } else {
        let advice = "FECSCAN_ACCEPT=1 cargo test writes the outputs anew";
        assert!(differences.is_empty(), "{differences}{advice}");
    }
    commands
}

/// A folder in which the steps of a file are run.
struct Scratch {
    folder: TempDir,
    path: String,
}

impl Scratch {
    fn new() -> Scratch {
        let folder = tempfile::tempdir().unwrap();
        let path = prepare(folder.path());
        Scratch { folder, path }
    }

    /// Runs `script`. Returns standard output and standard error together.
    fn run(&self, place: &str, script: &str, failures: Failures) -> String {
        let many = Regex::new(r"(--rows[ =])\d{6,}").unwrap();
        let script = format!("exec 2>&1\n{}", many.replace_all(script, "${1}1000"));
        let ended = Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &script])
            .current_dir(&self.folder)
            .env("PATH", &self.path)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("FECSCAN_SIMD")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&ended.stdout).into_owned();
        match ended.status.code() {
            Some(0) => output,
            Some(status) if failures == Failures::AreShown => {
                format!("{output}exit status {status}\n")
            }
            _ => panic!("{place}:\n{script}\nended with {}:\n{output}", ended.status),
        }
    }
}

/// Fills the scratch folder, and returns the path on which `fecscan` and `cargo` are found.
fn prepare(folder: &std::path::Path) -> String {
    let fixtures = fs::canonicalize("fixtures").unwrap();
    for (name, fixture) in FILES {
        fs::copy(fixtures.join(fixture), folder.join(name)).unwrap();
    }
    symlink(fixtures, folder.join("fixtures")).unwrap();
    let programs = folder.join(".programs");
    fs::create_dir(&programs).unwrap();
    symlink(env!("CARGO_BIN_EXE_fecscan"), programs.join("fecscan")).unwrap();
    let cargo = format!(
        "#!/bin/sh\ncase $1 in\nrun) while [ \"$1\" != -- ]; do shift; done; shift; exec fecscan \"$@\";;\n\
         {CARGO}) ;;\n*) echo \"the test knows no cargo $1\" >&2; exit 2;;\nesac\n"
    );
    fs::write(programs.join("cargo"), cargo).unwrap();
    fs::set_permissions(programs.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap())
}

#[test]
fn steps_are_found_with_their_output() {
    let text = "text\n<!-- before: touch x -->\n```sh\nls # x\n```\n```sh no_run\nrm x\n```\n- item\n  ```console\n  $ a\n  1\n\n  $ b\n  ```\n";
    let script = |line, script: &str| Step::Script {
        line,
        script: script.to_owned(),
    };
    let shown = |line, command: &str, output: &str| Step::Shown {
        line,
        command: command.to_owned(),
        output: output.to_owned(),
    };
    assert_eq!(
        steps(text),
        [
            script(2, "touch x"),
            script(3, "ls # x\n"),
            shown(11, "a", "1\n\n"),
            shown(14, "b", "")
        ]
    );
    assert!(matches("a\nb\nc\n", "a\n...\nc\n") && matches("a.\n", "a.\n"));
    assert!(!matches("a\nb\n", "a\n") && !matches("ab\n", "a.\n"));
    assert_eq!(shown_as("a\n...\nd\n", "A\nb\nc\nD\n"), "A\n...\nD\n");
    assert_eq!(shown_as("...\n", "A\nb\n"), "...\n");
    assert_eq!(shown_as("a\n...\nb\n", "A\nB\n"), "A\nB\n");
}
