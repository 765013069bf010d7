//! Inputs whose columns differ: columns of one name hold other things, so their rows are not added up.

use std::fs;
use std::path::Path;

use crate::common::archives::{Member, gzip, zip};
use crate::common::program::{Ended, fecscan, run, shell};
use tempfile::TempDir;

const ROW: &str =
    "C00000001|N|Q1|P|201801019000000001|15|IND|ROE, JO|TOWN|CA|90049|||01012018|10||1|2|||3\n";
const PAS2: &str = "C00000001|N|Q1|P|201801019000000001|24K|CCM|PAC|TOWN|CA|90049|||01012018|10|C00000002|H0CA00001|1|2|||3\n";
const CM: &str = "C00000001|PIE PAC|T|1 ST||TOWN|CA|900491234|P|H|DEM|Q|C|PIE INC|H0CA00001\n";
const CCL: &str = "H0CA00001|2018|2018|C00000001|H|P|1\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let two = [
        Member::stored("itcont.txt", ROW.as_bytes()),
        Member::stored("cm.txt", CM.as_bytes()),
    ];
    let again = [Member::stored("itcont.txt", ROW.as_bytes())];
    for (name, bytes) in [
        ("itcont.txt", ROW.as_bytes()),
        ("itoth.txt", ROW.as_bytes()),
        ("other.txt", ROW.as_bytes()),
        ("oth.gz", &gzip(ROW.as_bytes())),
        ("itpas2.txt", PAS2.as_bytes()),
        ("pas2.gz", &gzip(PAS2.as_bytes())),
        ("cm.txt", CM.as_bytes()),
        ("ccl.txt", CCL.as_bytes()),
        ("two.zip", &zip(&two)),
        ("indiv18.zip", &zip(&again)),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn run_in(folder: &Path, arguments: &str) -> Ended {
    run(fecscan(arguments.split(' ')).current_dir(folder))
}

/// The commands that look at columns.
const COMMANDS: [&str; 5] = [
    "by committee",
    "report",
    "--strict",
    "count --where committee<>'X'",
    "count --contributions",
];

/// A forgotten --with makes an input of a file to join. Nothing is counted then.
#[test]
fn a_file_to_join_among_the_inputs_is_refused_with_advice() {
    let folder = folder();
    for command in COMMANDS {
        for (inputs, message) in [
            (
                "itcont.txt --with cm.txt ccl.txt",
                "ccl.txt: is read as ccl, and itcont.txt as indiv: their columns differ, so rows are not added up; \
                 to join ccl.txt, write --with before it too: --with ccl.txt",
            ),
            (
                "cm.txt itcont.txt",
                "itcont.txt: is read as indiv, and cm.txt as cm: their columns differ, so rows are not added up; \
                 to join cm.txt, write --with before it too: --with cm.txt",
            ),
        ] {
            let ended = run_in(folder.path(), &format!("{command} {inputs}"));
            assert_eq!((ended.status, &*ended.out), (2, ""), "{command}");
            assert_eq!(ended.err, format!("fecscan: {message}\n"), "{command}");
        }
    }
}

#[test]
fn names_of_files_and_members_tell_schemas_that_differ() {
    let folder = folder();
    for (inputs, message) in [
        (
            "itcont.txt missing.txt itpas2.txt",
            "itpas2.txt: is read as pas2, and itcont.txt as indiv: their columns differ, so rows are not added up; \
             read one after the other\n",
        ),
        (
            "pas2.gz other.txt",
            "other.txt: is read as indiv, and pas2.gz as pas2: their columns differ, so rows are not added up; \
             read one after the other; if both have the same columns, name their schema: --schema pas2\n",
        ),
        (
            "two.zip",
            "two.zip: cm.txt: is read as cm, and two.zip: itcont.txt as indiv: their columns differ, so rows are not \
             added up; choose members with the same columns: --member PATTERN; ",
        ),
        (
            "itpas2.txt indiv18.zip",
            "indiv18.zip: itcont.txt: is read as indiv, and itpas2.txt as pas2: their ",
        ),
        (
            "- itpas2.txt",
            "itpas2.txt: is read as pas2, and standard input as indiv: their ",
        ),
    ] {
        let ended = run_in(folder.path(), &format!("by committee {inputs}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{inputs}");
        let message = format!("fecscan: {message}");
        assert!(ended.err.starts_with(&message), "{inputs}: {}", ended.err);
    }
    // The directory of an archive on standard input tells its members.
    let script = format!(
        "cd {}; $F by committee -f csv - cm.txt --member cm.txt < two.zip",
        folder.path().display()
    );
    assert_eq!(shell(&script).out, "committee,count\nC00000001,2\n");
}

#[test]
fn inputs_with_the_same_columns_are_added_up() {
    let folder = folder();
    for (inputs, rows) in [
        ("itcont.txt other.txt indiv18.zip", 3),
        ("itcont.txt itoth.txt", 2),
        ("oth.gz other.txt indiv18.zip", 3),
        ("--schema indiv itcont.txt itoth.txt oth.gz", 3),
        ("--schema indiv two.zip --member itcont.txt itoth.txt", 2),
        ("--member itcont.txt two.zip", 1),
        ("--member cm.txt two.zip", 1),
    ] {
        let ended = run_in(folder.path(), &format!("by committee -f csv {inputs}"));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let expected = format!("committee,count\nC00000001,{rows}\n");
        assert_eq!(ended.out, expected, "{inputs}");
    }
    for command in [
        "report -f json itcont.txt itoth.txt",
        "report --force -f json itcont.txt itpas2.txt",
        "count -f json --where STATE='CA' itoth.txt itcont.txt",
    ] {
        let ended = run_in(folder.path(), command);
        assert!(ended.out.contains("\"lines\":2,"), "{command}: {ended:?}");
    }
    let ended = run_in(folder.path(), "export --columns NAME itcont.txt itoth.txt");
    assert_eq!(ended.out, "{\"NAME\":\"ROE, JO\"}\n".repeat(2), "{ended:?}");
}

/// `count` without conditions looks at no columns, as `wc -l`.
#[test]
fn newlines_are_counted_in_files_of_any_schema() {
    let folder = folder();
    let ended = run_in(folder.path(), "count itcont.txt cm.txt ccl.txt");
    let lines: Vec<_> = ended.out.lines().map(str::trim_start).collect();
    assert_eq!(
        lines,
        ["1 itcont.txt", "1 cm.txt", "1 ccl.txt", "3 total"],
        "{}",
        ended.err
    );
}
