//! `--slices`: the slices of an archive instead of the member that they repeat.

use std::fs;

use serde_json::Value;

use crate::common::archives::{Member, sliced, zip};
use crate::common::program::{fecscan, run};

#[test]
fn slices_have_the_rows_of_the_whole_in_another_order() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let rows: Vec<_> = text.split_inclusive(|&b| b == b'\n').collect();
    fs::write(
        folder.path().join("indiv.zip"),
        sliced(&rows, &[10, 11, 60]),
    )
    .unwrap();
    let result = |arguments: &str| {
        let ended = run(fecscan(arguments.split_whitespace()).current_dir(&folder));
        assert_eq!(ended.status, 0, "{arguments}: {ended:?}");
        ended
    };
    let json = |arguments: &str| serde_json::from_str::<Value>(&result(arguments).out).unwrap();
    for threads in ["1", "2", "8"] {
        let mut whole = json(&format!("-j {threads} -f json indiv.zip"));
        let mut slices = json(&format!("-j {threads} --slices -f json indiv.zip"));
        assert_eq!(slices["names"], Value::Array(Vec::new()));
        for report in [&mut whole, &mut slices] {
            report["names"].take();
        }
        assert_eq!(slices, whole, "{threads}");
        for question in ["by STATE --sum amount -f json", "count -f json"] {
            let whole = json(&format!("{question} indiv.zip"));
            assert_eq!(
                json(&format!("{question} --slices indiv.zip")),
                whole,
                "{question}"
            );
        }
    }
    let note =
        "note: 4 slices in by_date are read instead of itcont.txt: as many bytes, in another order";
    assert!(result("--slices indiv.zip").out.contains(note));
    assert!(result("--slices -f json indiv.zip").err.contains(note));
    // One partial has all slices.
    let merged = run(
        fecscan(["by", "STATE", "--slices", "--partial", "p", "indiv.zip"]).current_dir(&folder),
    );
    assert_eq!(merged.status, 0, "{merged:?}");
    assert_eq!(
        result("merge p -f csv").out,
        result("by STATE -f csv indiv.zip").out
    );
}

#[test]
fn slices_that_do_not_add_up_are_refused_with_both_sums() {
    let refused = |arguments: &str, words: &[&str]| {
        let ended = run(&mut fecscan(arguments.split_whitespace()));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{ended:?}");
        for word in words {
            assert!(ended.err.contains(word), "'{word}' is not in {}", ended.err);
        }
    };
    refused(
        "count --slices fixtures/indiv18.zip",
        &[
            "its 4 slices in by_date have 3263267 bytes together",
            "itcont.txt has 9588399",
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zip");
    fs::write(&path, zip(&[Member::stored("itcont.txt", b"a\n")])).unwrap();
    refused(
        &format!("count --slices {}", path.display()),
        &["has no slices in a folder by_date"],
    );
    fs::write(&path, zip(&[Member::stored("by_date/itcont.txt", b"a\n")])).unwrap();
    refused(
        &format!("count --slices {}", path.display()),
        &["its slice in by_date has 2 bytes together, and there is no .txt member"],
    );
}

#[test]
fn slices_have_no_names_and_are_not_chosen_by_patterns() {
    for other in ["--name 3", "--member x"] {
        let ended = run(&mut fecscan(
            format!("report --slices {other} x.zip").split_whitespace(),
        ));
        assert_eq!(ended.status, 2, "{ended:?}");
        assert!(ended.err.contains("cannot be used with"), "{ended:?}");
    }
}
