//! Archives that other programs made.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::common::program::{fecscan, run, run_with};
use super::common::run::{Way, settings};
use super::common::twin::Asked;

/// The archive that comes with the project has the answers beside it, and holds what the program
/// generates.
#[test]
fn the_archive_among_the_fixtures_is_what_it_should_be() {
    const ARCHIVE: &str = "fixtures/indiv18.zip";
    assert!(fs::metadata(ARCHIVE).unwrap().len() < 3_000_000);
    let expected = fs::read("fixtures/expected/indiv18.json").unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for transaction_date in [false, true] {
        let asked = Asked {
            names: vec![3, 0, 0, 1, 12],
            top: 4,
            transaction_date,
        };
        let column = ["IMAGE_NUM", "TRANSACTION_DT"][usize::from(transaction_date)];
        for setting in settings(&[1, 2, 3, 4, 5, 6, 7, 8], &[100_000, 2 << 20]) {
            if setting.way == Way::Read {
                let found = setting.json(&setting.engine(), &asked, &[Path::new(ARCHIVE)]);
                assert_eq!(found, expected[column], "{column}: {setting:?}");
            }
        }
    }

    let directory = tempfile::tempdir().unwrap();
    const UNPACK: &str =
        "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let mut unpack = Command::new("python3");
    unpack.args(["-c", UNPACK, ARCHIVE]).arg(directory.path());
    assert!(unpack.status().unwrap().success());
    let whole = fs::read_to_string(directory.path().join("itcont.txt")).unwrap();
    let generated = run_with("generate --rows 50000").out;
    assert!(
        whole == generated,
        "fixtures/README.md says how to make {ARCHIVE} again"
    );
    let rows: HashSet<_> = whole.lines().collect();
    let mut repeated = 0;
    for slice in fs::read_dir(directory.path().join("by_date")).unwrap() {
        let slice = fs::read_to_string(slice.unwrap().path()).unwrap();
        assert!(slice.lines().all(|row| rows.contains(row)));
        repeated += slice.lines().count();
    }
    assert_eq!(
        run_with(&format!("count {ARCHIVE}")).out,
        format!("50000 {ARCHIVE}\n")
    );
    let mut count = fecscan(["count", "--member", "by_date/*", ARCHIVE]);
    assert_eq!(run(&mut count).out, format!("{repeated} {ARCHIVE}\n"));
}

/// The answers of the oracle to the unpacked member, in every way of working.
#[test]
fn real_archives_have_the_answers_of_the_oracle() {
    const REAL: &str = "../shared/real";
    const ORACLE: &str = "../shared/tools/oracle.py";
    if !Path::new(ORACLE).exists() {
        assert!(env::var_os("CI").is_none(), "there is no {ORACLE} here");
        eprintln!("skipped, because there is no {ORACLE} here");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let archives = fs::read_dir(REAL)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "zip"));
    let mut read = 0;
    for archive in archives {
        let unpacked = directory.path().join("member.txt");
        const UNPACK: &str = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); \
                              open(sys.argv[2], 'wb').write(z.read(z.namelist()[0]))";
        let mut unpack = Command::new("python3");
        unpack.args(["-c", UNPACK]).args([&archive, &unpacked]);
        assert!(unpack.status().unwrap().success());
        let asked = Asked {
            names: vec![0, 432, 9999, 43243],
            top: 7,
            transaction_date: false,
        };
        let output = Command::new("python3")
            .args([ORACLE, "--name", "0,432,9999,43243", "--top", "7"])
            .arg(&unpacked)
            .output()
            .unwrap();
        let mut expected: Value = serde_json::from_slice(&output.stdout).unwrap();
        expected["files"][0]["path"] = archive.to_str().unwrap().into();
        for setting in settings(&[1, 2, 3, 4, 5, 6, 7, 8], &[4096, 2 << 20]) {
            if setting.way == Way::Read {
                let found = setting.json(&setting.engine(), &asked, &[&archive]);
                assert_eq!(found, expected, "{}: {setting:?}", archive.display());
            }
        }
        read += 1;
    }
    assert!(read >= 3, "{read} archives");
}
