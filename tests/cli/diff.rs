//! `fecscan diff`.

use std::fs;

use super::done;
use crate::common::program::{run_with, shell};

const GENERATED: &str = "fixtures/generated.txt";

#[test]
fn versions_are_compared_in_every_format() {
    let with_plain = format!("{GENERATED} {GENERATED},fixtures/plain.txt");
    for (format, out) in [
        (
            "text",
            "+ added      8\n- removed    0\n~ changed    0\n= equal    100\n",
        ),
        ("csv", "change,rows\n+,8\n-,0\n~,0\n=,100\n"),
        ("tsv", "change\trows\n+\t8\n-\t0\n~\t0\n=\t100\n"),
        (
            "json",
            "{\"key\":\"SUB_ID\",\"added\":8,\"removed\":0,\"changed\":0,\"equal\":100,\
             \"old\":{\"rows\":100,\"without_key\":0,\"double_keys\":0,\"first_double_keys\":[]},\
             \"new\":{\"rows\":108,\"without_key\":0,\"double_keys\":0,\"first_double_keys\":[]}}\n",
        ),
        (
            "ndjson",
            "{\"change\":\"+\",\"rows\":8}\n{\"change\":\"-\",\"rows\":0}\n\
             {\"change\":\"~\",\"rows\":0}\n{\"change\":\"=\",\"rows\":100}\n",
        ),
    ] {
        assert_eq!(
            run_with(&format!("diff -f {format} {with_plain}")),
            done(out)
        );
    }
}

#[test]
fn conditions_choose_rows_of_both_versions() {
    let ended = run_with(&format!(
        "diff --where STATE=none {GENERATED} {GENERATED} -f csv"
    ));
    assert_eq!(ended.out, "change,rows\n+,0\n-,0\n~,0\n=,0\n");
}

#[test]
fn double_and_missing_keys_are_noted() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().display();
    let row = |name: &str, id: u32| format!("{}{name}{}{id}\n", "|".repeat(7), "|".repeat(13));
    let (a, b, c) = (row("A", 1), row("B", 2), row("C", 3));
    fs::write(
        directory.path().join("itcont.txt"),
        format!("{a}{a}\n{b}|x\n{c}"),
    )
    .unwrap();
    fs::write(
        directory.path().join("itcont,2.txt"),
        format!("{c}{}{b}{b}", row("D", 1)),
    )
    .unwrap();
    let ended = run_with(&format!(
        "diff -f csv {folder}/itcont.txt {folder}/itcont,2.txt"
    ));
    assert_eq!(ended.out, "change,rows\n+,0\n-,0\n~,1\n=,3\n");
    assert_eq!(
        ended.err,
        "fecscan: note: 2 rows of the old version have no SUB_ID, compared with none\n\
         fecscan: note: 1 value of SUB_ID stands in several rows of the old version: 1\n\
         fecscan: note: 1 value of SUB_ID stands in several rows of the new version: 2\n"
    );
    let ended = shell(&format!(
        "$F diff -f csv --schema indiv - {folder}/itcont,2.txt < {folder}/itcont.txt"
    ));
    assert_eq!(ended.out, "change,rows\n+,0\n-,0\n~,1\n=,3\n");
    assert!(
        ended
            .err
            .contains("1 value of SUB_ID stands in several rows of the old version\n")
    );
}

#[test]
fn a_version_that_cannot_be_read_gives_no_result() {
    for arguments in [
        "nowhere.txt fixtures/plain.txt",
        "fixtures/plain.txt fixtures/plain.txt,nowhere.txt",
    ] {
        let ended = run_with(&format!("diff {arguments}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{arguments}");
        assert!(ended.err.contains("nowhere.txt"), "{}", ended.err);
    }
    let ended = run_with("diff fixtures/plain.txt");
    assert_eq!((ended.status, &*ended.out), (2, ""));
    assert!(ended.err.contains("takes two versions"), "{}", ended.err);
    let ended = run_with("diff --key nothing fixtures/plain.txt fixtures/plain.txt");
    assert_eq!((ended.status, &*ended.out), (2, ""));
}
