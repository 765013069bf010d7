//! Slices of an archive as ranges: cut at every byte, lost, doubled and changed.

use std::fs;
use std::path::Path;

use fecscan::engine::Engine;
use fecscan::fec::schema::Schema;
use fecscan::fold::LineCount;
use fecscan::input::{Members, OpenOptions, Slice};
use fecscan::partial::{GapPolicy, Merged, Partial};

use crate::common::archives::{Member, sliced, zip};
use crate::common::partials::{Command, Way, by, count, report};
use crate::common::program::{Ended, shell};

const WAY: Way = Way {
    threads: 2,
    task_bytes: 64,
    filter: None,
};

fn row(state: &str, amount: u32) -> String {
    format!(
        "C1|N|Q|P|201801010{amount}|15|IND|DOE, JOHN {amount}|X|{state}|1|E|O|01012018|{amount}||T|1|||{amount}\n"
    )
}

/// Writes an archive of seven slices. One is empty, several have rows that break the schema, and one has no last newline.
fn small_archive(folder: &Path) -> std::path::PathBuf {
    let slices = [
        row("CA", 5) + "odd|row\n",
        String::new(),
        "odd\n".repeat(12),
        row("NY", 7) + &row("CA", 1),
        "odd\n".repeat(12),
        "\n\r\n".to_owned(),
        row("NY", 3) + row("WA", 9).trim_end(),
    ];
    let member = |(nth, text): (usize, &String)| {
        // Neither names nor the order of the directory ascend.
        Member::deflated(format!("by_date/{}.txt", nth * 3 % 7), text.as_bytes())
    };
    let mut members: Vec<_> = slices.iter().enumerate().map(member).collect();
    members.insert(
        3,
        Member::deflated("itcont.txt", slices.concat().as_bytes()),
    );
    let path = folder.join("indiv.zip");
    fs::write(&path, zip(&members)).unwrap();
    path
}

/// The result of merged ranges is that of one run: lines, odd rows with their numbers, the first twenty of them, groups.
#[test]
fn an_archive_may_be_cut_at_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_archive(folder.path());
    let whole = String::from_utf8(count().whole(&path, WAY)).unwrap();
    // Five rows, the last of them without a newline, one odd row, two dozens more, and two blank lines.
    assert!(whole.contains("\"lines\":31}"), "{whole}");
    for cut in 0..460 {
        let cuts = [cut];
        report().assert_merges(&path, &cuts, WAY);
        by().assert_merges(&path, &cuts, WAY);
        count().assert_merges(&path, &cuts, WAY);
    }
}

#[test]
fn ranges_may_have_no_slice_and_partials_come_from_any_way_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_archive(folder.path());
    for (nth, cut) in (0..460).step_by(7).enumerate() {
        let way = Way {
            threads: 1 + nth % 3,
            task_bytes: [1, 7, 64, 1 << 20][nth % 4],
            filter: [None, Some("STATE = 'CA'"), Some("amount >= 5")][nth % 3],
        };
        let cuts = [cut, cut, cut + 1, cut + 4, 400.max(cut + 4)];
        report().assert_merges(&path, &cuts, way);
        by().assert_merges(&path, &cuts, way);
        count().assert_merges(&path, &cuts, way);
    }
}

/// Runs a script where `a.zip` has the slices itcont_2.txt (5,000 bytes or so), itcont_1.txt and itcont_0.txt, and ten
/// bytes more than the first two have is `$TWO`.
fn run(script: &str) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let rows: Vec<_> = text.split_inclusive(|&b| b == b'\n').collect();
    fs::write(folder.path().join("a.zip"), sliced(&rows, &[40, 75])).unwrap();
    fs::write(folder.path().join("other.zip"), sliced(&rows, &[40, 74])).unwrap();
    let first = rows[75..].concat().len();
    let two = first + rows[40..75].concat().len();
    shell(&format!(
        "ONE={first}; TWO={two}; part() {{ $F count --slices --range $1 --partial $2 ${{3:-a.zip}}; }}; cd {} && {script}",
        folder.path().display()
    ))
}

#[test]
fn missing_and_doubled_slices_are_refused_by_name() {
    let three = "part :$ONE first && part $ONE:$TWO second && part $TWO: third";
    for (script, words) in [
        (
            "$F merge first third",
            &[
                "a.zip: no partial covers by_date/itcont_1.txt of it; a partial is missing after first",
                "--allow-gaps",
            ][..],
        ),
        (
            "$F merge second",
            &[
                "no partial covers by_date/itcont_2.txt and by_date/itcont_0.txt of it; partials are missing",
            ],
        ),
        (
            "part :10 none; $F merge none third",
            &["no partial covers by_date/itcont_1.txt of it"],
        ),
        (
            "$F merge third first second third",
            &["third: is merged twice: by_date/itcont_0.txt of a.zip would count double"],
        ),
        (
            "part 10: most; $F merge first most",
            &["most: covers bytes 10 to"],
        ),
        (
            "part $ONE: most; $F merge first second most",
            &["covers by_date/itcont_1.txt of a.zip, and so does"],
        ),
        (
            "part : all; $F merge all second",
            &["second: covers by_date/itcont_1.txt of a.zip, and so does all"],
        ),
        (
            "cp other.zip a.zip; part $TWO: third; $F merge first second third",
            &["third: is of another version of a.zip"],
        ),
        (
            "$F count --partial whole a.zip; $F merge first second third whole",
            &["whole: is of another question than first: its slices are false, not true"],
        ),
    ] {
        let ended = run(&format!("{three} && {script}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{script}: {ended:?}");
        for word in words {
            assert!(
                ended.err.contains(word),
                "{script}: '{word}' is not in {}",
                ended.err
            );
        }
    }
}

#[test]
fn missing_slices_may_be_allowed_and_are_listed() {
    let ended = run(
        "part :$ONE first && $F merge --allow-gaps first && $F count --slices --range :$ONE a.zip",
    );
    assert_eq!((ended.status, &*ended.out), (0, "25 a.zip\n25 a.zip\n"));
    for words in [
        "note: no partial covers by_date/itcont_1.txt, by_date/itcont_0.txt: ",
        "a.zip: note: only the slices that begin in bytes 0 to ",
    ] {
        assert!(ended.err.contains(words), "{}", ended.err);
    }
}

/// Rows of ranges follow each other as those of the archive do.
#[test]
fn rows_of_ranges_are_those_of_the_slices() {
    let ended = run(
        "E='$F export -f csv --columns SUB_ID --slices'; eval $E a.zip > whole; \
         (eval $E --range :$ONE a.zip; eval $E --range $ONE:9999 a.zip | tail -n +2; eval $E --range 9999: a.zip | tail -n +2) > ranges; \
         cmp whole ranges && sort whole > sorted && $F export -f csv --columns SUB_ID a.zip | sort | cmp - sorted && wc -l < whole",
    );
    assert_eq!((ended.status, ended.out.trim()), (0, "101"), "{ended:?}");
}

/// Like a range of a plain file without lines, it has the columns, and errors of names too.
#[test]
fn a_range_without_slices_has_no_rows_and_all_columns() {
    for (question, range, expected) in [
        (
            "export -f csv --columns NAME,state",
            "10:20",
            "NAME,STATE\n",
        ),
        ("export -f json", "10:20", "[]\n"),
        (
            "by state --sum amount -f csv",
            "10:20",
            "state,count,sum(amount)\n",
        ),
        ("count", "10:20", "0 a.zip\n"),
    ] {
        let ended = run(&format!("$F {question} --slices --range {range} a.zip"));
        assert_eq!((ended.status, &*ended.out), (0, expected), "{question}");
    }
    for question in ["export --columns NOSUCH -f csv", "by NOSUCH -f csv"] {
        let ended = run(&format!("$F {question} --slices --range 10:20 a.zip"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{question}");
        assert!(ended.err.contains("'NOSUCH'"), "{ended:?}");
    }
}

/// The directory says that the last slice is empty, and so no range of bytes has its rows.
#[test]
fn a_last_slice_that_is_longer_than_it_says_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let text = row("CA", 5);
    let mut lies = Member::deflated("by_date/last.txt", text.as_bytes());
    lies.bytes = 0;
    let members = [
        Member::deflated("itcont.txt", text.as_bytes()),
        Member::deflated("by_date/first.txt", text.as_bytes()),
        lies,
    ];
    fs::write(folder.path().join("lie.zip"), zip(&members)).unwrap();
    let bytes = text.len();
    let cd = format!("cd {}", folder.path().display());
    for range in [
        "",
        "--range 5:",
        &format!("--range 5:{bytes}"),
        &format!("--range {bytes}:"),
    ] {
        let ended = shell(&format!(
            "{cd}; $F count --slices {range} --schema indiv lie.zip"
        ));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{range}: {ended:?}");
        assert!(ended.err.contains("by_date/last.txt: "), "{ended:?}");
    }
}

/// Without a merge too, a row of a slice has its number in the slice.
#[test]
fn odd_rows_are_numbered_in_their_slice() {
    let folder = tempfile::tempdir().unwrap();
    small_archive(folder.path());
    let script = |rest: &str| shell(&format!("cd {} && {rest}", folder.path().display()));
    let strict = "$F --force --strict --slices -f json --schema indiv";
    let whole = script(&format!("{strict} indiv.zip"));
    assert!(
        whole
            .err
            .contains("indiv.zip: by_date/0.txt:2: byte 70: 2 columns"),
        "{whole:?}"
    );
    let range = script(&format!("{strict} --range 70: indiv.zip"));
    let (_, listed) = whole.err.split_once("2 columns, expected 21\n").unwrap();
    let first = listed.lines().next().unwrap();
    assert!(
        first.contains("indiv.zip: by_date/6.txt:1: byte 0: 1 column"),
        "{first}"
    );
    assert!(range.err.contains(first), "{range:?}");
}

/// The library may read such a range after other files.
#[test]
fn a_range_without_slices_adds_nothing_to_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_archive(folder.path());
    let engine = Engine::default();
    let mut run = engine.run(&LineCount);
    let mut opening = OpenOptions::default();
    run.input(opening.open("fixtures/generated.txt".as_ref()).unwrap())
        .unwrap();
    opening.members = Members::Slices;
    opening.range = Some(5..6);
    run.input(opening.open(path.as_os_str()).unwrap()).unwrap();
    let folded = run.finish();
    let lines: Vec<_> = folded.files.iter().map(|file| file.lines).collect();
    assert_eq!((folded.lines, lines), (100, vec![100, 0]));
}

/// The first of the partials has no slice, and another path of the archive. The result says all that one run says.
#[test]
fn partials_without_slices_may_come_first() {
    let ended = run(
        "Q='by STATE --sum amount --slices'; cp a.zip b.zip; $F $Q -f text a.zip > whole; \
         $F $Q --range 10:20 --partial none a.zip && $F $Q --range :10 --partial first b.zip && $F $Q --range 20: --partial rest b.zip && \
         $F merge none first rest > merged && grep -c refunds whole && diff whole merged",
    );
    assert_eq!((ended.status, ended.out.trim()), (0, "1"), "{ended:?}");
}

/// Lines of what is there are numbered, if something is missing.
#[test]
fn lines_by_number_are_those_of_the_slices_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_archive(folder.path());
    let partial = count().partial(&path, 100..u64::MAX, WAY);
    let partials = vec![("p".into(), Partial::read(partial).unwrap())];
    let merged = Merged::new(partials, GapPolicy::Allow).unwrap();
    let mut opening = OpenOptions::default();
    opening.members = Members::Slices;
    opening.schema = Some(Schema::Indiv);
    let found = merged.lines_by_number(&Engine::default(), &opening, &[0, 2, 99]);
    let found = found.unwrap();
    let numbers: Vec<_> = found.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [0, 2]);
    let row = |state, amount| row(state, amount).trim_end().as_bytes().to_vec();
    assert_eq!(found[0].1, row("NY", 7));
    assert_eq!(found[1].1, b"odd");
}

/// Sizes of slices that fit neither the pieces of the partial nor the other partials; other names.
#[test]
fn slices_that_lie_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_archive(folder.path());
    let read = |range| Partial::read(count().partial(&path, range, WAY)).unwrap();
    let slices = |partial: &mut Partial, change: fn(&mut Vec<Slice>)| {
        change(&mut partial.files[0].coverage.as_mut().unwrap().slices);
        let mut bytes = Vec::new();
        partial.write(&mut bytes).unwrap();
        Partial::read(bytes)
    };
    let mut first = read(0..100);
    assert!(slices(&mut first.clone(), |_| ()).is_ok());
    // The others have as many bytes together as before.
    let moved = slices(&mut first, |slices| {
        slices[2].bytes -= 1;
        slices[3].bytes += 1;
    });
    assert!(moved.unwrap_err().to_string().contains("damaged"));
    let renamed = slices(&mut read(100..u64::MAX), |slices| {
        slices[0].name = "by_date/other.txt".into();
    });
    let partials = [("a", read(0..100)), ("b", renamed.unwrap())];
    let partials = partials.map(|(name, partial)| (name.into(), partial));
    let error = Merged::new(partials.into(), GapPolicy::Refuse).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("b: names other slices of "), "{error}");
}

#[test]
fn only_slices_of_archives_have_ranges_and_their_sums_are_checked_for_each() {
    let ended = run("$F count --range 5: a.zip");
    assert_eq!(ended.status, 2);
    assert!(
        ended.err.contains(
            "a.zip: is a zip archive, and only its slices have ranges of bytes; add --slices"
        ),
        "{ended:?}"
    );
    let ended = shell("$F count --slices --range :10 fixtures/indiv18.zip");
    assert_eq!((ended.status, &*ended.out), (2, ""));
    for words in ["have 3263267 bytes together", "itcont.txt has 9588399"] {
        assert!(ended.err.contains(words), "{ended:?}");
    }
}
