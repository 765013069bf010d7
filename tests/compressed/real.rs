//! An archive that another program made.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::needs;
use crate::common::oracle;
use crate::common::program::{fecscan, run, run_with};
use crate::common::run::{Way, settings};
use crate::common::twin::Asked;

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

    if !needs::has("python3") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    oracle::unpack(ARCHIVE.as_ref(), directory.path());
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
