//! The slices of an archive instead of the member that they repeat, by `--slices` or where the order does not matter.

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
        let mut whole = json(&format!("-j {threads} --no-slices -f json indiv.zip"));
        let mut slices = json(&format!("-j {threads} --slices -f json indiv.zip"));
        assert_eq!(slices["names"], Value::Array(Vec::new()));
        for report in [&mut whole, &mut slices] {
            report["names"].take();
        }
        assert_eq!(slices, whole, "{threads}");
        for question in ["by STATE --sum amount -f json", "count -f json"] {
            let whole = json(&format!("{question} --no-slices indiv.zip"));
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
        result("by STATE -f csv --no-slices indiv.zip").out
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

/// Without an option, slices are read for every answer that does not depend on the order of the rows: it is that of the whole.
#[test]
fn slices_are_read_where_the_order_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let rows: Vec<_> = text.split_inclusive(|&b| b == b'\n').collect();
    let archive = sliced(&rows, &[10, 11, 60]);
    for name in ["indiv18.zip", "some.zip"] {
        fs::write(folder.path().join(name), &archive).unwrap();
    }
    let result = |arguments: &str, other: &str| {
        let arguments = arguments.split_whitespace().chain(other.split_whitespace());
        let ended = run(fecscan(arguments).current_dir(&folder));
        assert_eq!(ended.status, 0, "{ended:?}");
        let all = format!("{}{}", ended.out, ended.err);
        (ended.out, all.contains("slices in by_date are read"))
    };
    for (question, by_slices) in [
        ("-f csv indiv18.zip", true),
        ("-f json --name 0,9,10,11,59,60,99,100 indiv18.zip", true),
        ("-f csv --name 0,150,199,200 indiv18.zip some.zip", true),
        ("-f csv --name none --where STATE=CA some.zip", true),
        ("-f csv --where STATE=CA some.zip", false),
        ("-f csv --strict some.zip", false),
        ("by STATE --sum amount -f csv indiv18.zip", true),
        ("by cycle,STATE -f csv indiv18.zip", true),
        ("by cycle,STATE -f csv some.zip", false),
        ("by member -f csv indiv18.zip", false),
        ("by STATE --distinct Member -f csv indiv18.zip", false),
        ("by STATE --also upper(member) -f json indiv18.zip", false),
        ("by STATE --across member -f csv indiv18.zip", false),
        (
            "by STATE -f csv --where member=itcont.txt indiv18.zip",
            false,
        ),
        ("count -f json --where amount>100 some.zip", true),
        ("count some.zip indiv18.zip", true),
        ("export --head 5 -f csv some.zip", false),
    ] {
        for threads in [" -j 1", " -j 3 --task-size 100"] {
            let whole = result(question, &format!("--no-slices{threads}"));
            let fast = result(question, threads);
            assert_eq!(
                (&fast.0, fast.1),
                (&whole.0, by_slices),
                "{question}{threads}"
            );
            assert!(!whole.1, "{question}");
        }
    }
    assert!(
        result("some.zip", "")
            .0
            .contains("are read instead of itcont.txt")
    );
}

/// An archive whose slices are no copy of one member, by sizes, by names or by what can be read, is read as ever.
#[test]
fn slices_that_do_not_add_up_are_left_out() {
    let (one, other): (&[u8], &[u8]) = (b"a\nb\n", b"c\n");
    let text = [one, other].concat();
    let member = |name: &str, bytes: &[u8]| Member::stored(name, bytes);
    let encrypted = Member {
        flags: 1,
        ..member("by_date/itcont_2.txt", other)
    };
    let first = || member("by_date/itcont_1.txt", one);
    let second = || member("by_date/itcont_2.txt", other);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zip");
    let lines = |members: &[Member]| {
        fs::write(&path, zip(members)).unwrap();
        let ended = run(fecscan(["count", "-f", "json"]).arg(&path));
        assert_eq!(ended.status, 0, "{ended:?}");
        let answer: Value = serde_json::from_str(&ended.out).unwrap();
        let by_slices = ended.err.contains("are read instead of");
        (answer["lines"].as_u64().unwrap(), by_slices, ended.err)
    };
    let whole = || member("itcont.txt", &text);
    let (count, by_slices, notes) = lines(&[whole(), first(), second(), member("x/y.txt", b"z\n")]);
    assert_eq!((count, by_slices), (3, true));
    assert!(
        notes.contains("1 member in a folder is left out"),
        "{notes}"
    );
    for members in [
        vec![whole(), first()],
        vec![whole(), first(), encrypted],
        vec![whole(), first(), member("by_date/cm.txt", other)],
        vec![
            member("itcont.txt", one),
            member("more.txt", other),
            first(),
            second(),
        ],
    ] {
        let (count, by_slices, notes) = lines(&members);
        assert_eq!((count, by_slices), (3, false), "{notes}");
    }
}

/// Slices may have the bytes of the member, and other lines. Names are those of the member's lines.
#[test]
fn names_are_those_of_the_whole_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("indiv.zip");
    let text = fs::read("fixtures/generated.txt").unwrap();
    let mut other = text.clone();
    for byte in other.iter_mut().filter(|byte| **byte == b'\n').skip(50) {
        *byte = b' ';
    }
    let end = text.iter().position(|&b| b == b'\n').unwrap() + 1;
    let write = |end: usize| {
        let members = [
            Member::stored("itcont.txt", &other),
            Member::stored("by_date/itcont_1.txt", &text[..end]),
            Member::stored("by_date/itcont_2.txt", &text[end..]),
        ];
        fs::write(&path, zip(&members)).unwrap();
    };
    write(end);
    let ended = run(fecscan(["--name", "50", "-f", "json"]).arg(&path));
    assert_eq!(ended.status, 0, "{ended:?}");
    let ended = run(fecscan(["--name", "70", "-f", "json"]).arg(&path));
    assert_eq!((ended.status, &*ended.out), (2, ""), "{ended:?}");
    assert!(
        ended
            .err
            .contains("itcont.txt: has fewer lines than its slices"),
        "{ended:?}"
    );

    write(end - 1);
    let ended = run(fecscan(["--name", "1", "-f", "json"]).arg(&path));
    assert_eq!((ended.status, &*ended.out), (2, ""), "{ended:?}");
    assert!(
        ended
            .err
            .contains("by_date/itcont_1.txt: ends within a line"),
        "{ended:?}"
    );
}
