//! The slices of an archive instead of the member that they repeat, by `--slices`.

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

/// Slices may differ from the member in a digit, with the same sizes. Every command reads the member, and with `--slices` every one the slices.
#[test]
fn every_command_reads_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let row = |amount: u32| {
        format!("C1|N|Q|P|201801010|15|IND|DOE, JOHN|X|CA|1|E|O|01012018|{amount}||T|1|||1\n")
    };
    let whole: String = (0..30).map(|nth| row(200 + nth % 7)).collect();
    let other = whole.replacen("|206|", "|106|", 2);
    let (first, second) = other.split_at(row(200).len() * 11);
    let members = [
        Member::deflated("itcont.txt", whole.as_bytes()),
        Member::deflated("by_date/1.txt", first.as_bytes()),
        Member::deflated("by_date/2.txt", second.as_bytes()),
    ];
    let path = folder.path().join("indiv18.zip");
    fs::write(&path, zip(&members)).unwrap();
    let passing = |text: &str| text.matches("|206|").count();
    for (option, expected) in [("", passing(&whole)), ("--slices", passing(&other))] {
        for question in [
            "count -f json --where amount=206",
            "by amount -f json --where amount=206",
            "export -f csv --where amount=206 --columns amount",
            "report -f json --name none --where amount=206",
            "report -f json --where amount=206",
        ] {
            let question = if option.is_empty() {
                question.to_owned()
            } else {
                question.replace("--name none ", "")
            };
            let arguments = question.split_whitespace().chain(option.split_whitespace());
            let ended = run(fecscan(arguments).arg(&path));
            assert_eq!(ended.status, 0, "{ended:?}");
            let found = match serde_json::from_str::<Value>(&ended.out) {
                Ok(json) => {
                    let json = json.get(0).unwrap_or(&json);
                    let count = json.get("lines").or(json.get("count"));
                    count.and_then(Value::as_u64).unwrap() as usize
                }
                Err(_) => ended.out.lines().count() - 1,
            };
            assert_eq!(found, expected, "{question} {option}");
        }
    }
}

/// The checksums of slices tell that they are the member, or tell nothing.
#[test]
fn a_note_says_whether_slices_are_known_to_be_the_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zip");
    let note = |slices: &[&str], text: &str| {
        let named = (0..).map(|nth| format!("by_date/{nth}.txt")).zip(slices);
        let mut members: Vec<_> = named
            .map(|(name, text)| Member::stored(name, text.as_bytes()))
            .collect();
        members.push(Member::stored("itcont.txt", text.as_bytes()));
        fs::write(&path, zip(&members)).unwrap();
        let ended = run(fecscan(["count", "--slices"]).arg(&path));
        assert_eq!(ended.status, 0, "{ended:?}");
        ended.err
    };
    for (slices, is_known) in [
        (["a\n", "", "b\nc\n"], true),
        (["b\nc\n", "a\n", ""], false),
        (["a\n", "b\n", "d\n"], false),
        (["a\nb\n", "c\n", ""], true),
    ] {
        let note = note(&slices, "a\nb\nc\n");
        let [same, other] = ["the same bytes", "in another order"].map(|word| note.contains(word));
        assert_eq!((same, other), (is_known, !is_known), "{slices:?}: {note}");
    }
}

/// A slice that ends within a line makes two rows of one, or joins two, so it is refused. The last may lack its newline as the member does.
#[test]
fn slices_that_cut_lines_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zip");
    let row = "C1|N|Q|P|201801010|15|IND|DOE, JOHN|X|CA|1|E|O|01012018|5||T|1|||1\n";
    let text = row.repeat(3);
    let (begin, end) = (&text[..row.len() + 9], &text[row.len() + 9..]);
    let bare = text.trim_end();
    for (whole, slices, expected) in [
        (&*text, [begin, end], None),
        (&*text, [end, begin], None),
        (bare, [row, &bare[row.len()..]], Some(3)),
        (bare, [&bare[row.len()..], row], None),
    ] {
        let [first, second] = slices.map(str::as_bytes);
        let members = [
            Member::deflated("itcont.txt", whole.as_bytes()),
            Member::deflated("by_date/1.txt", first),
            Member::deflated("by_date/2.txt", second),
        ];
        fs::write(&path, zip(&members)).unwrap();
        for question in [
            "by STATE -f json",
            "report -f json",
            "export -f json --columns STATE",
            "count --where STATE='CA' -f json",
        ] {
            for threads in ["1", "3"] {
                let arguments = question.split_whitespace();
                let arguments = arguments.chain(["--slices", "-j", threads]);
                let ended = run(fecscan(arguments).arg(&path));
                let Some(rows) = expected else {
                    assert_eq!(ended.status, 2, "{question}: {ended:?}");
                    assert!(ended.err.contains("ends within a line"), "{ended:?}");
                    continue;
                };
                assert_eq!(ended.status, 0, "{question}: {ended:?}");
                let is_export = question.starts_with("export");
                let rows = if is_export {
                    "CA".to_owned()
                } else {
                    rows.to_string()
                };
                assert!(ended.out.contains(&rows), "{question}: {ended:?}");
            }
        }
        // The member is read without a word of its slices.
        let ended = run(fecscan(["by", "STATE", "-f", "csv"]).arg(&path));
        assert_eq!((ended.status, &*ended.out), (0, "STATE,count\nCA,3\n"));
    }
}
