//! The report against the answers of another program, the oracle.
//!
//! Its answers to the fixtures are committed. For real files it is run, if it is beside the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{fecscan, json_of, run};
use crate::common::run::{fixtures, settings};
use crate::common::twin::Asked;
use serde_json::Value;

const ORACLE: &str = "../shared/tools/oracle.py";
const REAL: &str = "../shared/real";

#[test]
fn fixtures_have_the_answers_beside_them() {
    for (name, _) in fixtures() {
        let expected = std::fs::read(format!("fixtures/expected/{name}.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        for month_column in ["IMAGE_NUM", "TRANSACTION_DT"] {
            let path = format!("fixtures/{name}.txt");
            let options = [
                "--force",
                "-f",
                "json",
                "--name",
                "3,0,0,1,12",
                "--top",
                "4",
                "--month-column",
                month_column,
            ];
            let ended = run(fecscan(options).arg(path));
            assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{name}");
            let found: Value = serde_json::from_str(&ended.out).unwrap();
            assert_eq!(found, expected[month_column], "{name} by {month_column}");
        }
    }
}

#[test]
fn real_files_have_the_answers_of_the_oracle_in_every_way_of_working() {
    if !Path::new(ORACLE).exists() {
        let missing = format!("there is no {ORACLE}, so real files are not compared");
        assert!(std::env::var_os("CI").is_none(), "{missing}");
        eprintln!("skipped: {missing}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let files = real_files(directory.path());
    assert!(!files.is_empty(), "the oracle comes with real files");
    for path in files {
        for transaction_date in [false, true] {
            let asked = Asked {
                names: vec![0, 432, 43243, 9999],
                top: 7,
                transaction_date,
            };
            let expected = oracle(&path, &asked);
            for setting in settings(&[1, 2, 3, 4, 5, 6, 7, 8], &[4096, 100_000, 2 << 20]) {
                let found = setting.json(&setting.engine(), &asked, &[&path]);
                assert_eq!(found, expected, "{}: {setting:?}", path.display());
            }
        }
    }
}

/// Returns the real files. Unpacks the first members of archives into `directory`.
fn real_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(REAL).unwrap() {
        let path = entry.unwrap().path();
        let unpacked = directory.join(path.with_extension("txt").file_name().unwrap());
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("txt") => files.push(path),
            Some("zip") => {
                const UNPACK: &str = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); \
                                      open(sys.argv[2], 'wb').write(z.read(z.namelist()[0]))";
                let done = Command::new("python3")
                    .args(["-c", UNPACK])
                    .args([&path, &unpacked])
                    .status()
                    .unwrap();
                assert!(done.success());
                files.push(unpacked);
            }
            _ => {}
        }
    }
    files
}

fn oracle(path: &Path, asked: &Asked) -> Value {
    let names: Vec<_> = asked.names.iter().map(u64::to_string).collect();
    let column = if asked.transaction_date {
        "TRANSACTION_DT"
    } else {
        "IMAGE_NUM"
    };
    let options = [
        "--name",
        &names.join(","),
        "--top",
        &asked.top.to_string(),
        "--month-column",
        column,
    ];
    let mut command = Command::new("python3");
    json_of(command.arg(ORACLE).args(options).arg(path))
}
