//! The commands in `README.md` and `docs/*.md` are run, and their output is compared.
//!
//! Each document has a scratch folder, in which its code blocks are run in their order by bash,
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
//! Two things are replaced. `cargo run` with options and `--` is the program under test, and
//! `cargo` with another command of [`CARGO`] does nothing, because CI runs it by itself. A number
//! of rows after `--rows` that has six digits or more is 1000.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;

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

/// Returns the names of all documents, and their text.
pub fn documents() -> Vec<(String, String)> {
    let mut paths = vec!["README.md".to_owned()];
    for entry in fs::read_dir("docs").into_iter().flatten() {
        let path = entry
            .unwrap()
            .path()
            .into_os_string()
            .into_string()
            .unwrap();
        paths.extend(path.ends_with(".md").then_some(path));
    }
    paths.sort();
    let read = |path: String| (fs::read_to_string(&path).unwrap(), path);
    paths
        .into_iter()
        .map(read)
        .map(|(text, path)| (path, text))
        .collect()
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

/// Fills the scratch folder, and returns the path on which `fecscan` and `cargo` are found.
fn prepare(folder: &Path) -> String {
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

/// Runs `script`; it must succeed. Returns standard output and standard error together.
#[track_caller]
fn run_script(folder: &Path, path: &str, place: &str, script: &str) -> String {
    let many = Regex::new(r"(--rows[ =])\d{6,}").unwrap();
    let script = format!("exec 2>&1\n{}", many.replace_all(script, "${1}1000"));
    let ended = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &script])
        .current_dir(folder)
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("FECSCAN_SIMD")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(
        ended.status.success(),
        "{place}:\n{script}\nended with {}:\n{output}",
        ended.status
    );
    output
}

#[test]
fn commands_of_the_documents_do_as_shown() {
    let mut commands = 0;
    for (document, text) in documents() {
        let directory = tempfile::tempdir().unwrap();
        let path = prepare(directory.path());
        let run = |line: usize, script: &str| {
            run_script(
                directory.path(),
                &path,
                &format!("{document}:{line}"),
                script,
            )
        };
        for step in steps(&text) {
            match step {
                Step::Script { line, script } => {
                    run(line, &script);
                    let of_script = script.lines().filter(|line| !line.trim().is_empty());
                    commands += of_script.count();
                }
                Step::Shown {
                    line,
                    command,
                    output,
                } => {
                    let found = run(line, &command);
                    assert!(
                        matches(&found, &output),
                        "{document}:{line} shows:\n{output}\nbut the program prints:\n{found}"
                    );
                    commands += 1;
                }
            }
        }
    }
    assert!(commands > 0);
}

/// A condition that chooses nothing teaches nothing. The file of the README is longer, and begins with these rows.
#[test]
fn conditions_of_the_readme_choose_rows_of_its_file() {
    let readme = fs::read_to_string("README.md").unwrap();
    let commands = readme
        .lines()
        .filter(|line| line.starts_with("fecscan --") && line.contains("--where '"));
    let mut conditions = 0;
    let option = Regex::new("--contributions|--where '[^']*'").unwrap();
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
        let ended = crate::common::program::shell(&script);
        assert_eq!((ended.status, &*ended.err), (0, ""), "{command}");
        assert!(ended.out.trim() != "0", "{command}");
    }
    assert!(conditions >= 6, "only {conditions} conditions were found");
}

#[test]
fn the_test_command_of_the_readme_is_run_by_ci() {
    let readme = fs::read_to_string("README.md").unwrap();
    let ci = fs::read_to_string(".ci/run").unwrap();
    assert!(readme.lines().any(|line| line.starts_with("cargo test")));
    assert!(ci.contains("step cargo test "));
}

/// CI compiles the example, and a test compares its answer.
#[test]
fn the_readme_shows_the_example_that_counts_rows_by_state() {
    let readme = fs::read_to_string("README.md").unwrap();
    let example = fs::read_to_string("examples/rows_by_state.rs").unwrap();
    let (_, code) = example.split_once("\n\n").unwrap();
    assert!(readme.contains(&format!("```rust\n{code}```\n")));
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
}
