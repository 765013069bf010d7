//! Small files to join, and runs with them.

use std::fs;
use std::path::Path;

use super::program::{Ended, fecscan, run};
use tempfile::TempDir;

pub const CM: &str = "\
    C00000001|PIE PAC|T|1 ST||TOWN|CA|900491234|P|H|DEM|Q|C|PIE INC|H0CA00001\n\
    C00000002|CAKE PAC|T|1 ST||TOWN|NY|10001|P|S|REP|Q||CAKE INC|S0NY00001\n\
    C00000003|TEA PAC|T|1 ST||TOWN|NY|10001|U|N||Q|||\n";

pub const CN: &str = "\
    H0CA00001|PIE, ANN|DEM|2018|CA|H|01|I|C|C00000001|||TOWN|CA|90049\n\
    S0NY00001|CAKE, BOB|REP|2018|NY|S|00|C|C|C00000002|||TOWN|NY|10001\n";

pub const CCL: &str = "\
    H0CA00001|2018|2018|C00000001|H|P|1\n\
    S0NY00001|2018|2018|C00000003|S|A|2\n";

/// Returns a row of indiv of this committee and state.
pub fn row(committee: &str, state: &str, amount: &str) -> String {
    format!(
        "{committee}|N|Q1|P|201801019000000001|15|IND|ROE, JO|TOWN|{state}|90049|||01012018|{amount}||1|2|||3\n"
    )
}

pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        row("C00000001", "CA", "10"),
        row("C00000002", "CA", "20"),
        row("C00000001", "NY", "30"),
        row("C00000003", "NY", "40"),
        row("C00000009", "NY", "50"),
    ];
    let rows = rows.concat();
    for (name, text) in [
        ("cm.txt", CM),
        ("cn.txt", CN),
        ("ccl.txt", CCL),
        ("itcont.txt", &rows),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

pub fn run_in(folder: &Path, arguments: &[&str]) -> Ended {
    run(fecscan(arguments).current_dir(folder))
}

/// Runs `by` with the rows as CSV.
pub fn by(folder: &Path, keys: &str, more: &str) -> Ended {
    let mut arguments = vec!["by", keys, "-f", "csv", "itcont.txt"];
    arguments.extend(more.split_whitespace());
    run_in(folder, &arguments)
}

#[track_caller]
pub fn assert_prints(ended: Ended, out: &str, err: &str) {
    let expected = Ended {
        status: 0,
        out: out.to_owned(),
        err: err.to_owned(),
    };
    assert_eq!(ended, expected);
}

/// Asserts that a run fails and prints just this line, with what stands before the first file's name.
#[track_caller]
pub fn assert_refused(ended: Ended, message: &str) {
    assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{}", ended.err);
    assert!(
        ended.err.starts_with(&format!("fecscan: {message}")),
        "{}",
        ended.err
    );
    // A statement is shown below its error.
    let others = ended.err.lines().skip(1);
    assert!(
        others.clone().all(|line| line.starts_with("  ")),
        "{}",
        ended.err
    );
    assert!(others.count() <= 2, "{}", ended.err);
}
