//! Joined files of partials, which the merge reads again.

use std::fs;

use fecscan::input::OpenOptions;
use fecscan::partial::Joined;
use fecscan::sql::Join;

use super::command::assert_refused;
use crate::common::archives::{Member, zip};
use crate::common::program::shell;
use crate::common::small_joins::{self, CM, run_in};

#[test]
fn joined_files_must_be_the_same() {
    let halves =
        "$F generate --schema cm --rows 50 -o cm.txt && $F by CMTE_NM --with cm.txt --partial a $G";
    assert_refused(
        &format!("{halves} && printf x >> cm.txt && $F merge a"),
        &["cm.txt: is not the file that was joined"],
    );
}

/// Also if only one byte of many differs, wherever it stands.
#[test]
fn joined_files_of_the_same_size_must_have_the_same_bytes() {
    let made = "$F generate --schema cm --rows 9000 -o cm.txt && $F by CMTE_NM --with cm.txt --partial a $G";
    for byte in [0, 300_000, 777_777] {
        let change = format!("printf '~' | dd of=cm.txt bs=1 seek={byte} conv=notrunc 2>/dev/null");
        assert_refused(
            &format!("{made} && {change} && $F merge a"),
            &["cm.txt: is not the file that was joined"],
        );
    }
}

/// Rows without a partner are counted for each schema, also if one archive holds both.
#[test]
fn one_archive_may_hold_files_of_several_schemas_to_join() {
    let folder = tempfile::tempdir().unwrap();
    let member = |name| Member::deflated(name, b"");
    fs::write(
        folder.path().join("all.zip"),
        zip(&[member("cm.txt"), member("cn.txt")]),
    )
    .unwrap();
    let question =
        "count --where cm.CMTE_TP<>'X' --where CAND_ICI<>'X' --with all.zip --schema pas2";
    let script = format!(
        "cd {}; $F generate --schema pas2 --rows 100 -o itpas2.txt; Q=\"{question}\"; $F $Q itpas2.txt; \
         $F $Q --range :9000 --partial a itpas2.txt; $F $Q --range 9000: --partial b itpas2.txt; \
         $F merge a b; $F merge --partial j a b; $F merge j",
        folder.path().display()
    );
    let ended = shell(&script);
    let lines: Vec<_> = ended.out.lines().collect();
    assert_eq!((ended.status, lines.len()), (0, 3), "{ended:?}");
    assert!(lines.iter().all(|line| *line == lines[0]), "{ended:?}");
    let notes = ended.err.matches("100 rows have no partner in c");
    assert_eq!(notes.count(), 6, "{ended:?}");
}

/// The content of a joined file counts: machines may have it at other paths. The merge takes one that is there.
#[test]
fn joined_files_may_have_other_paths() {
    let question = "by CMTE_PTY_AFFILIATION --where \"CMTE_TP <> 'H'\"";
    let folder = tempfile::tempdir().unwrap();
    let run = |script: &str| {
        let setting = "G=$PWD/fixtures/generated.txt; cd";
        shell(&format!(
            "{setting} {} && {script}",
            folder.path().display()
        ))
    };
    let made = run(&format!(
        "mkdir one two && $F generate --schema cm --rows 9 -o one/cm.txt && cp one/cm.txt two/committees \
         && $F {question} --with one/cm.txt --range :9000 --partial a $G \
         && $F {question} --with two/committees --range 9000: --partial b $G",
    ));
    assert_eq!(made.status, 0, "{made:?}");
    for (gone, left) in [
        ("two/committees", "one/cm.txt"),
        ("one/cm.txt", "two/committees"),
    ] {
        run("cp one/cm.txt two/committees || cp two/committees one/cm.txt");
        run(&format!("rm {gone}"));
        let mut whole = run(&format!("$F {question} --with {left} -f json $G"));
        // A merge reads no rows, and shows no keys of them.
        if let Some(keys) = whole.err.find("; its keys") {
            whole.err.replace_range(keys.., "\n");
        }
        assert!(whole.err.contains("have no partner in cm"), "{whole:?}");
        for merge in [
            "$F merge -f json a b",
            "$F merge -f json b a",
            "$F merge --partial j b a && $F merge -f json j",
        ] {
            assert_eq!(run(merge), whole, "{merge}");
        }
        run(&format!("cp {left} {gone}"));
    }
    // The same bytes, read by another schema, in which the same column stands elsewhere.
    let other = run(
        "cp one/cm.txt two/ccl.txt && $F by CMTE_TP --with one/cm.txt --range :9000 --partial a2 $G \
         && $F by CMTE_TP --with two/ccl.txt --range 9000: --partial c $G && $F merge a2 c",
    );
    assert_eq!(other.status, 2, "{other:?}");
    assert!(
        other
            .err
            .contains("c: is of another question than a2: its with are ["),
        "{other:?}"
    );
    let gone = run("rm one/cm.txt two/committees; $F merge a b");
    assert!(gone.err.contains("one/cm.txt: No such file"), "{gone:?}");
    let others = "other partials have it at two/committees, where it is not either";
    assert!(gone.err.contains(others), "{gone:?}");
}

/// Each path is checked, and without any the file's own.
#[test]
fn a_joined_file_is_found_where_it_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (first, copy, other) = (path("first.txt"), path("copy.txt"), path("other.txt"));
    fs::copy("fixtures/generated.txt", &first).unwrap();
    fs::copy(&first, &copy).unwrap();
    fs::copy("fixtures/plain.txt", &other).unwrap();
    let opening = OpenOptions::default();
    let joined = Joined::of(&Join::new(&first), None, &opening).unwrap();
    let found = |paths: &[&String]| {
        let mut joined = joined.clone();
        let paths: Vec<_> = paths.iter().map(|path| path.to_string()).collect();
        let found = joined.find_at(&paths, &opening);
        found.map(|()| joined.path).map_err(|e| e.with_advice())
    };
    assert_eq!(found(&[]), Ok(first.clone()));
    assert_eq!(found(&[&copy]), Ok(copy.clone()));
    assert_eq!(found(&[&other, &copy]), Ok(copy.clone()));
    let another = found(&[&other]).unwrap_err();
    assert!(another.contains("is not the file that was joined"));
    let nowhere = found(&[&other, &other]).unwrap_err();
    let more = format!("other partials have it at {other}, where it is not either");
    assert!(nowhere.starts_with(&another) && nowhere.ends_with(&more));
    fs::remove_file(&first).unwrap();
    assert!(found(&[]).unwrap_err().contains("first.txt: No such file"));
}

/// Behind a join with several matches, more rows than lines can lack one.
#[test]
fn more_rows_than_lines_may_lack_a_partner() {
    let folder = small_joins::folder();
    let path = folder.path();
    let here = |words: &str| run_in(path, &words.split(' ').collect::<Vec<_>>());
    fs::write(path.join("cm.txt"), CM.repeat(3)).unwrap();
    fs::write(path.join("cn.txt"), "").unwrap();
    let asked = "count --with cm.txt --with cn.txt --where cn.CAND_NAME||'x'<>cm.CMTE_NM||'x'";
    let counted = here(&format!("{asked} itcont.txt"));
    assert!(
        counted.err.contains("13 rows have no partner in cn"),
        "{counted:?}"
    );
    let written = here(&format!("{asked} itcont.txt --partial p"));
    assert!(!written.err.contains("partner"), "{written:?}");
    assert_eq!(here("merge p"), counted);
}
