//! Files cut at every byte, and what merges of the partials come to.

use std::fs;
use std::path::Path;

use crate::common::by::By;
use crate::common::partials::{Command, Way, by, count, report};

const WAY: Way = Way {
    threads: 2,
    task_bytes: 64,
    filter: None,
};

/// Rows of 21 columns and others: CR LF, blank lines, long and short ones, no newline at the end.
fn small_file(folder: &Path) -> std::path::PathBuf {
    let row = |state: &str, amount: &str, end: &str| {
        format!(
            "C1|N|Q|P|201801010{amount}|15|IND|DOE, JOHN|X|{state}|1|E|O|01{amount:0>2}2018|{amount}||T|1|||{amount}{end}"
        )
    };
    let text = [
        row("CA", "5", "\n"),
        row("CA", "7", "\r\n"),
        "\n\r\n".to_owned(),
        "short|row\n".to_owned(),
        row("NY", "-3", "\n"),
        row("NY", "x", "|22nd\n"),
        row("CA", "9", ""),
    ];
    let path = folder.join("small.txt");
    fs::write(&path, text.concat()).unwrap();
    path
}

#[test]
fn a_file_may_be_cut_at_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_file(folder.path());
    let bytes = fs::metadata(&path).unwrap().len();
    for cut in 0..bytes + 2 {
        report().assert_merges(&path, &[cut], WAY);
        by().assert_merges(&path, &[cut], WAY);
        count().assert_merges(&path, &[cut], WAY);
    }
}

/// Cuts at each place and a few bytes behind it, so that some ranges are empty or have no line.
#[test]
fn ranges_may_be_short_or_empty_and_partials_come_from_any_way_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_file(folder.path());
    let bytes = fs::metadata(&path).unwrap().len();
    for (nth, cut) in (0..bytes).step_by(3).enumerate() {
        let way = Way {
            threads: 1 + nth % 3,
            task_bytes: [1, 7, 64, 1 << 20][nth % 4],
            filter: [None, Some("STATE = 'CA'"), Some("amount >= 5")][nth % 3],
        };
        let cuts = [cut, cut, cut + 1, cut + 4];
        report().assert_merges(&path, &cuts, way);
        by().assert_merges(&path, &cuts, way);
        count().assert_merges(&path, &cuts, way);
    }
}

/// Groups in streams and partitions: more than stay in one table.
#[test]
fn many_groups_merge_to_those_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.txt");
    let rows = (0..60_000_u64).map(|nth| {
        let name = nth.wrapping_mul(2_654_435_761) % 50_000;
        format!("C|N|Q|P|2018|15|IND|NAME {name}|X|CA|1|E|O|01012018|{nth}||T|1|||{nth}\n")
    });
    fs::write(&path, rows.collect::<String>()).unwrap();
    let aggregates = "sum(amount), count(DISTINCT SUB_ID), arg_min(CITY, amount)";
    let command = By::new("NAME", aggregates);
    let way = Way {
        task_bytes: 1 << 16,
        ..WAY
    };
    command.assert_merges(&path, &[1_000_000, 1_000_001, 3_000_000], way);
}
