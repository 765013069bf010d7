//! Members of archives: their schemas, their choice, their number and their names.

use std::fs;

use crate::common::archives::{Member, zip};
use crate::common::program::{Ended, assert_fails, fecscan, run, run_with};

#[test]
fn the_schema_is_told_by_the_member_before_the_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cm16.zip");
    let archive = |members: &[(&str, &[u8])]| {
        let members: Vec<_> = members
            .iter()
            .map(|(name, bytes)| Member::deflated(name, bytes))
            .collect();
        fs::write(&path, zip(&members)).unwrap();
    };
    let strict = || run(fecscan(["--force", "--strict", "cm16.zip"]).current_dir(&directory));

    archive(&[
        ("ccl.txt", b"1|2|3|4|5|6|7\n"),
        ("other.txt", &b"|".repeat(14)),
    ]);
    let ended = strict();
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));

    archive(&[
        ("other.txt", b"x\n"),
        ("itcont.txt", &b"|".repeat(20)),
        ("ccl.txt", b"\n1|2\n"),
    ]);
    let ended = strict();
    let expected = "fecscan: cm16.zip: other.txt:1: byte 0: 1 column, expected 15\n\
                    fecscan: cm16.zip: ccl.txt:1: byte 0: 0 columns, expected 7\n\
                    fecscan: cm16.zip: ccl.txt:2: byte 1: 2 columns, expected 7\n\
                    fecscan: 3 rows break the schema; they are counted like all others\n";
    assert_eq!((ended.status, ended.err.as_str()), (1, expected));
}

#[test]
fn members_in_folders_are_left_out_with_a_note_or_chosen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("indiv.zip");
    let members = [
        Member::stored("by_date/", b""),
        Member::stored("by_date/itcont_1.txt", b"1\n1\n"),
        Member::stored("itcont.txt", b"all\n"),
        Member::stored("by_date/itcont_2.txt", b"2\n"),
        Member::stored("header.csv", b"CMTE_ID\r\n"),
    ];
    fs::write(&path, zip(&members)).unwrap();
    let count = |options: &[&str]| {
        run(fecscan(["count"])
            .args(options)
            .arg("indiv.zip")
            .current_dir(&directory))
    };
    let done = |lines: u64, err: &str| Ended {
        status: 0,
        out: format!("{lines} indiv.zip\n"),
        err: err.to_owned(),
    };
    let note = "fecscan: indiv.zip: note: 2 members in a folder are left out; --member 'by_date/*' chooses what is there\n\
                fecscan: indiv.zip: note: 1 member, header.csv, is not .txt and left out; --member 'header.csv' chooses it\n";
    assert_eq!(count(&[]), done(1, note));
    assert_eq!(count(&["--member", "by_date/*"]), done(3, ""));
    assert_eq!(count(&["--member", "*"]), done(5, ""));
    assert_eq!(
        count(&["--member", "*_1.txt", "--member", "header.???"]),
        done(3, "")
    );
    let unmatched = "fecscan: indiv.zip: note: no member matches 'typo'\n";
    assert_eq!(
        count(&["--member", "itcont.txt", "--member", "typo"]),
        done(1, unmatched)
    );
    assert_fails(
        count(&["--member", "ITCONT.txt"]),
        2,
        "indiv.zip: has no member that matches a pattern; its 4 members are by_date/itcont_1.txt, itcont.txt, \
         by_date/itcont_2.txt, header.csv; choose with --member PATTERN",
    );
}

#[test]
fn archives_of_many_members_are_read_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.zip");
    let archive = |members: usize| {
        let members: Vec<_> = (0..members)
            .map(|n| Member::stored(format!("{n}.txt"), format!("|||||||ROE, N{n}\n").as_bytes()))
            .collect();
        fs::write(&path, zip(&members)).unwrap();
    };
    let name = path.display().to_string();
    archive(65_536);
    let ended = run_with(&format!("--force -f challenge --name 0,65535,65536 {name}"));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    for line in [
        "Name: ROE, N0 at index: 0",
        "Name: ROE, N65535 at index: 65535",
        "Name: null at index: 65536",
        "Total file line count: 65536",
    ] {
        assert!(ended.out.contains(line), "{line} in {}", ended.out);
    }
    archive(100_001);
    let message = format!("{name}: has more than 100000 members; unpack those that are wanted");
    assert_fails(run_with(&name), 2, &message);
}

#[test]
fn names_of_members_are_any_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let names: [&[u8]; 8] = [
        b"new\nline.txt",
        b"\x1b[31mred.txt",
        b"\xff\xfe.txt",
        "\u{202e}x.txt".as_bytes(),
        b"..txt",
        b"-o.txt",
        b"'$(x)'.txt",
        &[b"x".repeat(60_000), b".txt".to_vec()].concat(),
    ];
    let members = names.map(|name| Member::deflated(name, b"line\nodd"));
    fs::write(directory.path().join("a.zip"), zip(&members)).unwrap();
    let ended = run(fecscan(["--force", "--strict", "a.zip"]).current_dir(&directory));
    assert_eq!(ended.status, 1);
    for shown in [
        r"a.zip: new\nline.txt:1:",
        r"a.zip: \x1b[31mred.txt:2:",
        r"a.zip: \xff\xfe.txt:1:",
        r"a.zip: \u{202e}x.txt",
    ] {
        assert!(ended.err.contains(shown), "{shown} in {}", ended.err);
    }
    assert!(!ended.err.contains('\x1b'));

    // Names that would lead out of a folder, if anything were unpacked.
    let outside =
        ["../a.txt", "/etc/passwd.txt", "..\\b.txt"].map(|name| Member::stored(name, b"x\n"));
    fs::write(directory.path().join("b.zip"), zip(&outside)).unwrap();
    let ended = run(fecscan(["b.zip"]).current_dir(&directory));
    let message = "b.zip: has no .txt member outside of folders; its 3 members are ../a.txt, /etc/passwd.txt, \
                   ..\\b.txt; choose with --member PATTERN";
    assert_fails(ended, 2, message);
    let ended = run(fecscan(["count", "--member", "*", "b.zip"]).current_dir(&directory));
    assert_eq!((ended.status, ended.out.as_str()), (0, "3 b.zip\n"));
    let left = fs::read_dir(&directory).unwrap().count();
    assert_eq!(left, 2, "nothing was unpacked");
}
