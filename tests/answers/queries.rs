//! Thirty queries against the answers of DuckDB: of fixtures, of generated files, and of real ones if there are any.
//!
//! `tests/queries/thirty.py` writes the answers to `answers.json` and `real.json`, and compares itself where DuckDB is
//! installed. An answer is text, or the number of its lines and its SHA-256. Real rows name real people, so `real.json`
//! has digests alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::common::accept::accepts;
use crate::common::needs;
use crate::common::program::{fecscan, run};

const ANSWERS: &str = "tests/queries/answers.json";
const REAL_ANSWERS: &str = "tests/queries/real.json";
const QUERIES: usize = 30;

/// The answers to all files.
#[derive(Deserialize)]
struct Answers {
    queries: BTreeMap<String, Vec<Vec<String>>>,
    files: Vec<Answered>,
}

/// The answers to one file, in the order of its queries.
#[derive(Deserialize)]
struct Answered {
    name: String,
    /// The digest of a real file. Another week's file has other answers.
    sha256: Option<String>,
    /// The options of `generate`, if the file is generated.
    generate: Option<Vec<String>>,
    options: Vec<String>,
    queries: String,
    answers: Vec<Value>,
}

#[test]
fn fixtures_and_generated_files_have_the_answers_of_duckdb() {
    if accepts() && needs::has("duckdb") {
        ASKED.call_once(ask_duckdb);
    }
    let all = answers(ANSWERS);
    let folder = tempfile::tempdir().unwrap();
    for file in &all.files {
        let path = match &file.generate {
            None => Path::new("fixtures").join(&file.name),
            Some(options) => {
                let path = folder.path().join(&file.name);
                let ended = run(fecscan(["generate", "-o"]).arg(&path).args(options));
                assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{}", file.name);
                path
            }
        };
        compare(&all, file, &path, folder.path());
    }
    let named: BTreeSet<_> = all.files.iter().map(|file| file.name.as_str()).collect();
    let has_answers = |path: &PathBuf| named.contains(name_of(path));
    let is_text = |path: &PathBuf| path.extension() == Some(OsStr::new("txt"));
    let fixtures = files_of(Path::new("fixtures")).into_iter().filter(is_text);
    let without: Vec<_> = fixtures.filter(|path| !has_answers(path)).collect();
    assert!(
        without.is_empty(),
        "{without:?}: FECSCAN_ACCEPT=1 cargo test asks DuckDB, if Python has it"
    );
}

#[test]
fn real_files_have_the_answers_of_duckdb() {
    if !needs::has("real") {
        return;
    }
    let real = needs::real_files().unwrap();
    let all = answers(REAL_ANSWERS);
    let folder = tempfile::tempdir().unwrap();
    let files = files_of(&real);
    assert!(!files.is_empty(), "{}: no files", real.display());
    for path in files {
        let file = all.files.iter().find(|file| file.name == name_of(&path));
        let file = file.unwrap_or_else(|| {
            panic!(
                "{}: FECSCAN_ACCEPT=1 cargo test asks DuckDB, if Python has it",
                path.display()
            )
        });
        let sha256 = Some(sha256_of(&path));
        assert_eq!(sha256, file.sha256, "{}: another version", path.display());
        compare(&all, file, &path, folder.path());
    }
}

#[test]
fn duckdb_has_these_answers() {
    if needs::has("duckdb") {
        ASKED.call_once(ask_duckdb);
    }
}

static ASKED: Once = Once::new();

/// Compares with DuckDB. Under `FECSCAN_ACCEPT`, its answers are stored, unless one differs.
fn ask_duckdb() {
    let real = needs::real_files();
    for folder in iter::once(None).chain(real.iter().map(Some)) {
        let mut command = Command::new(needs::python());
        command.args(["-B", "tests/queries/thirty.py", "--program"]);
        command.arg(env!("CARGO_BIN_EXE_fecscan"));
        command.args(accepts().then_some("--write"));
        if let Some(folder) = folder {
            command.arg("--real").arg(folder);
        }
        let ended = run(&mut command);
        assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    }
}

/// Asks all queries of a file, and compares the answers.
fn compare(all: &Answers, file: &Answered, path: &Path, scratch: &Path) {
    let queries = &all.queries[&file.queries];
    assert_eq!(
        (queries.len(), file.answers.len()),
        (QUERIES, QUERIES),
        "{}",
        file.name
    );
    for (query, expected) in queries.iter().zip(&file.answers) {
        let found = answer(query, &file.options, path);
        let found = match expected {
            Value::String(_) => Value::String(found.iter().map(|&byte| char::from(byte)).collect()),
            _ => digest(&found, scratch),
        };
        assert_eq!(
            &found,
            expected,
            "fecscan {query:?} {:?} {}",
            file.options,
            path.display()
        );
    }
}

/// Returns the rows of `by` without their header, or the number that `count` prints.
fn answer(query: &[String], options: &[String], path: &Path) -> Vec<u8> {
    let is_by = query[0] == "by";
    let format: &[&str] = if is_by { &["-f", "csv"] } else { &[] };
    let mut command = fecscan(query);
    let output = command.args(options).args(format).arg(path).output();
    let output = output.unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{command:?}: {message}");
    let out = output.stdout;
    if is_by {
        let header = out.iter().position(|&byte| byte == b'\n');
        return out[header.expect("a header") + 1..].to_vec();
    }
    let words: Vec<_> = out.trim_ascii_start().split(|&byte| byte == b' ').collect();
    [words[0], b"\n"].concat()
}

/// Returns what is committed of a long answer.
fn digest(answer: &[u8], scratch: &Path) -> Value {
    let path = scratch.join("answer");
    fs::write(&path, answer).unwrap();
    let lines = answer.iter().filter(|&&byte| byte == b'\n').count();
    json!({ "lines": lines, "sha256": sha256_of(&path) })
}

fn sha256_of(path: &Path) -> String {
    let ended = run(Command::new("sha256sum").arg("--").arg(path));
    assert_eq!(ended.status, 0, "sha256sum: {}", ended.err);
    ended.out[..64].to_owned()
}

fn answers(path: &str) -> Answers {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap()
}
