//! Cases in which other programs have lost rows or counted them twice, as their users reported.

use std::fs;
use std::path::Path;

use crate::common::partials::{Command, Way, by, count, report};

const WAY: Way = Way {
    threads: 2,
    task_bytes: 512,
    filter: None,
};

/// Asserts that a file of these bytes, cut at `cuts`, has the lines of the whole, each once.
fn assert_right(bytes: &[u8], cuts: &[u64]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("itcont.txt");
    fs::write(&path, bytes).unwrap();
    let lines = count().whole(&path, WAY);
    let newlines = bytes.iter().filter(|&&b| b == b'\n').count();
    let text = String::from_utf8(lines).unwrap();
    assert!(
        text.contains(&format!("\"lines\":{newlines}}}")),
        "{newlines}: {text}"
    );
    for_all(&path, cuts);
}

fn for_all(path: &Path, cuts: &[u64]) {
    count().assert_merges(path, cuts, WAY);
    report().assert_merges(path, cuts, WAY);
    by().assert_merges(path, cuts, WAY);
}

/// duckdb#25164: rows that end in CR CR LF came twice where a boundary fell between both CRs.
#[test]
fn boundaries_between_two_carriage_returns() {
    let row = |nth: u32| format!("{nth}|x|y\r\r\n");
    let text: String = (0..60).map(row).collect();
    for cut in 0..40 {
        assert_right(text.as_bytes(), &[cut, cut + 61, cut + 200]);
    }
}

/// duckdb#25825: the last row was lost if it was longer than a buffer.
#[test]
fn a_last_row_that_is_longer_than_everything() {
    for end in ["", "\n"] {
        let text = format!("{}LAST|{}{end}", "A|B\n".repeat(200), "x".repeat(200_000));
        for cut in [0, 799, 800, 801, 802, 100_000, 200_000] {
            assert_right(text.as_bytes(), &[cut]);
        }
    }
}

/// cudf#946: a row was lost that began before the boundary of two ranges and ended after it; a range past the end crashed.
#[test]
fn rows_on_both_sides_of_a_boundary_and_ranges_past_the_end() {
    let text: String = (0..10).map(|nth| format!("{nth},{nth},{nth}\n")).collect();
    for cut in 0..text.len() as u64 + 1 {
        assert_right(text.as_bytes(), &[cut, 1000, 2000]);
    }
}

/// cudf#14881: a row before blank lines was lost at the end of a range.
#[test]
fn blank_lines_at_a_boundary() {
    let text = "a\n1\n2\n\n\n\n\n3\n";
    for first in 0..=text.len() as u64 {
        for second in first..=text.len() as u64 {
            assert_right(text.as_bytes(), &[first, second]);
        }
    }
}

/// datafusion-ballista#1777: each of several tasks read all files. Such partials cover bytes twice, and are refused.
#[test]
fn tasks_that_all_read_the_whole_are_refused() {
    let path = Path::new("fixtures/generated.txt");
    let whole = count().partial(path, 0..u64::MAX, WAY);
    let half = count().partial(path, 0..5_000, WAY);
    for partials in [
        [whole.clone(), whole.clone()],
        [whole.clone(), half.clone()],
        [half, whole],
    ] {
        let error = count().merge(&partials, WAY).unwrap_err().to_string();
        assert!(
            error.starts_with("partial 1: ") || error.starts_with("partial 0: "),
            "{error}"
        );
        assert!(error.contains("fixtures/generated.txt"), "{error}");
    }
}
