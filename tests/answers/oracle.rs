//! The report against the answers of another program, the oracle.

use std::fs;
use std::path::Path;
use std::sync::Once;

use serde_json::Value;

use crate::common::accept::{accepts, assert_stored};
use crate::common::needs;
use crate::common::oracle;
use crate::common::program::{fecscan, run};
use crate::common::run::{Way, fixtures, settings};
use crate::common::twin::Asked;

const COLUMNS: [&str; 2] = ["IMAGE_NUM", "TRANSACTION_DT"];

/// Returns the question whose answers are stored.
fn asked(transaction_date: bool) -> Asked {
    Asked {
        names: vec![3, 0, 0, 1, 12],
        top: 4,
        transaction_date,
    }
}

#[test]
fn fixtures_have_the_answers_beside_them() {
    if accepts() && needs::has("python3") {
        ASKED.call_once(ask_the_oracle);
    }
    for (name, _) in fixtures() {
        let expected = fs::read(format!("fixtures/expected/{name}.json"));
        let expected = expected.expect("FECSCAN_ACCEPT=1 cargo test asks the oracle");
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        for column in COLUMNS {
            let path = format!("fixtures/{name}.txt");
            let mut command = fecscan(["--force", "-q", "-f", "json", "--name", "3,0,0,1,12"]);
            let ended = run(command.args(["--top", "4", "--month-column", column, &path]));
            assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{name}");
            let found: Value = serde_json::from_str(&ended.out).unwrap();
            assert_eq!(found, expected[column], "{name} by {column}");
        }
    }
}

/// What the oracle says is stored, for machines without Python.
#[test]
fn the_answers_beside_the_fixtures_are_those_of_the_oracle() {
    if needs::has("python3") {
        ASKED.call_once(ask_the_oracle);
    }
}

static ASKED: Once = Once::new();

fn ask_the_oracle() {
    let folder = tempfile::tempdir().unwrap();
    oracle::unpack("fixtures/indiv18.zip".as_ref(), folder.path());
    let member = folder.path().join("itcont.txt").display().to_string();
    let texts = fixtures()
        .into_iter()
        .map(|(name, _)| (format!("fixtures/{name}.txt"), name));
    for (path, name) in texts.chain([(member.clone(), "indiv18".to_owned())]) {
        let answers = [false, true].map(|date| oracle::text(path.as_ref(), &asked(date)));
        let [one, other] = answers.map(|answer| answer.replace(&member, "fixtures/indiv18.zip"));
        let text = format!("{{\n\"IMAGE_NUM\": {one},\n\"TRANSACTION_DT\": {other}\n}}\n");
        assert_stored(&format!("fixtures/expected/{name}.json"), &text);
    }
}

/// Returns rows of `generate`, every 50th byte of them replaced by one that means something, or nothing.
fn spoiled(rows: &[u8]) -> Vec<u8> {
    let mut rows = rows.to_vec();
    let odd = b"|\n\r, \t\"\x00\xff0".iter().cycle();
    for (byte, odd) in rows.iter_mut().skip(100).step_by(50).zip(odd) {
        *byte = *odd;
    }
    rows
}

#[test]
fn generated_files_have_the_answers_of_the_oracle_in_every_way_of_working() {
    if !needs::has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("itcont.txt");
    for (options, spoil) in [
        ("--rows 3000 --seed 21", false),
        ("--rows 3000 --seed 22 --hostile --old-image-numbers", false),
        ("--rows 2000 --seed 23 --hostile --old-image-numbers", true),
    ] {
        let ended = run(fecscan(["generate", "-o"])
            .arg(&path)
            .args(options.split(' ')));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{options}");
        if spoil {
            fs::write(&path, spoiled(&fs::read(&path).unwrap())).unwrap();
        }
        assert_equals_oracle(&path, &path, &[1, 2, 5], &[1000, 100_000, 2 << 20]);
    }
}

#[test]
fn real_files_have_the_answers_of_the_oracle_in_every_way_of_working() {
    if !(needs::has("python3") && needs::has("real")) {
        return;
    }
    let (threads, task_bytes) = ([1, 2, 3, 4, 5, 6, 7, 8], [4096, 100_000, 2 << 20]);
    let texts = oracle::real_files("txt");
    for path in &texts {
        assert_equals_oracle(path, path, &threads, &task_bytes);
    }
    let archives = oracle::real_files("zip");
    for archive in &archives {
        let folder = tempfile::tempdir().unwrap();
        oracle::unpack(archive, folder.path());
        let members = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let texts: Vec<_> = members.filter(|path| path.is_file()).collect();
        let [text] = &texts[..] else {
            panic!("{}: {texts:?}", archive.display());
        };
        assert_equals_oracle(text, text, &threads, &task_bytes);
        assert_equals_oracle(archive, text, &threads, &task_bytes);
    }
    assert!(
        !texts.is_empty() && !archives.is_empty(),
        "{texts:?} {archives:?}"
    );
}

/// Asserts that the report on `path` is the oracle's on `text`, a plain file with the same lines.
fn assert_equals_oracle(path: &Path, text: &Path, threads: &[usize], task_bytes: &[u64]) {
    for transaction_date in [false, true] {
        let asked = Asked {
            names: vec![0, 432, 43243, 9999],
            top: 7,
            transaction_date,
        };
        let mut expected: Value = serde_json::from_str(&oracle::text(text, &asked)).unwrap();
        expected["files"][0]["path"] = path.to_str().unwrap().into();
        for setting in settings(threads, task_bytes) {
            // An archive is read, however it was opened.
            if path == text || setting.way == Way::Read {
                let found = setting.json(&setting.engine(), &asked, &[path]);
                assert_eq!(found, expected, "{}: {setting:?}", path.display());
            }
        }
    }
}
