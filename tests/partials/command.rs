//! `--range`, `--partial` and `merge`, as users type them.

use std::fs;

use crate::common::program::{Ended, run_with, shell};

/// Asserts that `$F merge` of what `script` writes says this.
pub fn assert_refused(script: &str, words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "G=$PWD/fixtures/generated.txt; P=$PWD/fixtures/plain.txt; cd {} && {script}",
        folder.path().display()
    );
    let ended = shell(&script);
    assert_eq!((ended.status, &*ended.out), (2, ""), "{script}: {ended:?}");
    for word in words {
        assert!(
            ended.err.contains(word),
            "{script}: '{word}' is not in {}",
            ended.err
        );
    }
}

#[test]
fn refusals_name_the_culprit() {
    let halves = "$F count --range :5000 --partial a $G && $F count --range 5000: --partial b $G";
    for (script, words) in [
        (
            "$F merge a a b",
            &["a: is merged twice: bytes 0 to 5000 of", "generated.txt"][..],
        ),
        (
            r"printf '\n' | dd of=a bs=1 seek=8 conv=notrunc status=none; $F merge a b",
            &[
                "a: is a partial of version 10, and this program reads version 16; write and merge partials with the same program",
            ],
        ),
        (
            "$F merge a",
            &[
                "generated.txt: no partial covers bytes 5000 to 20970",
                "missing after a",
                "--allow-gaps",
            ],
        ),
        (
            "$F merge b",
            &["generated.txt: no partial covers bytes 0 to 5000"],
        ),
        (
            "cp a c; $F merge a b c",
            &["c: covers bytes 0 to 5000 of", "and so does a"],
        ),
        (
            "$F count --partial w $G; $F merge w b",
            &["b: covers bytes 5000 to 20970 of", "so does w"],
        ),
        (
            "$F by STATE --range 5000: --partial c $G; $F merge a c",
            &["c: is of another question than a: it is of the command 'by', not 'count'"],
        ),
        (
            "$F count --where \"state='CA'\" --range 5000: --partial c $G; $F merge a c",
            &["c: is of another question than a: its conditions are [\"STATE = 'CA'\"], not []"],
        ),
        (
            "$F by STATE --top 3 --range 5000: --partial c $G; $F by STATE --range :5000 --partial d $G; $F merge d c",
            &["c: is of another question than d: its top is 3, not none"],
        ),
        (
            "echo hello > c; $F merge a c",
            &["c: is not a partial", "--partial FILE"],
        ),
        ("head -c 50 b > c; $F merge a c", &["c: is damaged"]),
        (
            "cp $G g; $F count --range :5000 --partial a g; printf x >> g; $F count --range 5000: --partial b g; $F merge a b",
            &["b: is of another version of g"],
        ),
        ("$F merge a missing", &["missing: No such file"]),
        (
            "$F merge -f html a b",
            &["'html' is not a format of 'fecscan count'", "text, json"],
        ),
    ] {
        assert_refused(&format!("{halves} && {script}"), words);
    }
}

#[test]
fn a_name_is_looked_up_in_the_file_that_the_partials_were_made_of() {
    let halves = "cp $G g && $F --range :9000 --partial a g && $F --range 9000: --partial b g";
    assert_refused(
        &format!("{halves} && printf x >> g && $F merge a b"),
        &[
            "g: is not as it was when its partials were written",
            "a name is looked up in it",
        ],
    );
    assert_refused(
        &format!("{halves} && rm g && $F merge a b"),
        &[
            "g: No such file",
            "a name is looked up in it: merge where the files are as they were; reports of --name none need no files",
        ],
    );
}

/// Groups of the same key count once. A merge into a partial is limited too.
#[test]
fn a_merge_has_as_many_groups_as_are_allowed() {
    for (most, merge, status) in [
        (35, "merge a b", 0),
        (34, "merge a b", 2),
        (35, "merge --partial j a b", 0),
        (34, "merge --partial j a b", 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ended = shell(&format!(
            "G=$PWD/fixtures/generated.txt; cd {} && $F by STATE --max-groups {most} --range :10000 --partial a $G \
             && $F by STATE --max-groups {most} --range 10000: --partial b $G && $F {merge} > out",
            folder.path().display()
        ));
        assert_eq!(ended.status, status, "{most} {merge}: {ended:?}");
        let refused = ended
            .err
            .contains(&format!("fecscan: there are more than {most} groups"));
        assert_eq!(refused, status == 2, "{most} {merge}: {ended:?}");
    }
}

#[test]
fn ranges_and_partials_are_refused_where_they_mean_nothing() {
    for (script, words) in [
        ("$F count --range 5:3 $G", &["ends before it starts"][..]),
        ("$F count --range 5 $G", &["START:END is needed"]),
        (
            "$F count --range 5: $G $P",
            &["one file, and there are several"],
        ),
        (
            "$F count --range 5: < $G",
            &["standard input: is standard input", "only plain files"],
        ),
        (
            "gzip -c $G > g.gz; $F count --range 5: g.gz",
            &["g.gz: is compressed"],
        ),
        (
            "$F count --partial a < $G",
            &["nothing would tell its partial"],
        ),
        ("$F count --partial a -f json $G", &["cannot be used with"]),
        ("$F count --partial a $G $G", &["is named twice"]),
        (
            "cp $G g; $F count --partial a $G g",
            &["is the same file as"],
        ),
        (
            "$F count --partial a $G missing; test ! -e a && exit 2",
            &["missing: No such file"],
        ),
        ("$F merge", &["PARTIAL"]),
    ] {
        let ended = shell(&{
            let folder = tempfile::tempdir().unwrap();
            format!(
                "G=$PWD/fixtures/generated.txt; P=$PWD/fixtures/plain.txt; cd {} && {script}",
                folder.keep().display()
            )
        });
        assert_eq!(ended.status, 2, "{script}: {ended:?}");
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
fn gaps_may_be_allowed_and_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let script = "G=$PWD/fixtures/generated.txt; cd $D && $F count --range 1000:5000 --partial a $G \
                  && $F merge --allow-gaps -f json a && $F count -f json --range 1000:5000 $G";
    let ended = shell(&script.replace("$D", &folder.path().display().to_string()));
    assert_eq!(ended.status, 0, "{ended:?}");
    let lines: Vec<_> = ended.out.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, lines[1]));
    assert!(
        ended
            .err
            .contains("note: no partial covers bytes 0 to 1000: "),
        "{}",
        ended.err
    );
    assert!(
        ended
            .err
            .contains("note: no partial covers bytes 5000 to 20970"),
        "{}",
        ended.err
    );
}

/// Rows that break the schema have the numbers that they have in the whole file.
#[test]
fn odd_rows_are_numbered_in_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let row = format!("a{}\n", "|".repeat(20));
    fs::write(
        folder.path().join("odd.txt"),
        format!("{row}{row}odd\n{row}odd|two\n{row}"),
    )
    .unwrap();
    let script = |rest: &str| format!("cd {} && {rest}", folder.path().display());
    let whole = shell(&script("$F --force --strict -f csv odd.txt"));
    assert_eq!(whole.status, 1, "{whole:?}");
    let merged = shell(&script(
        "for r in :30 30:48 48:; do $F --force --strict --range $r --partial $r.part odd.txt; done; \
         $F merge -f csv 48:.part :30.part 30:48.part",
    ));
    assert_eq!(merged, whole);
    let joined = shell(&script(
        "$F merge --partial j :30.part 30:48.part; $F merge -f csv j 48:.part",
    ));
    assert_eq!(joined, whole);
    // Without a partial, lines before the range are counted.
    let range = shell(&script(
        "$F --force --strict --range 48: --rejects r.csv -f csv odd.txt; cat r.csv",
    ));
    assert!(
        range.err.contains("odd.txt:5: byte 70: 2 columns"),
        "{range:?}"
    );
    assert!(range.out.contains("odd.txt,5,70,2,odd|two"), "{range:?}");
}

#[test]
fn a_partial_can_be_written_to_a_pipe_and_read_from_one() {
    let whole = run_with("by STATE -f json fixtures/generated.txt");
    let merged = shell("$F by STATE --partial - fixtures/generated.txt | $F merge -f json -");
    assert_eq!(merged, whole);
    let noted = shell("$F count --range :5000 fixtures/generated.txt");
    assert!(
        noted
            .err
            .contains("note: only the lines that begin in bytes 0 to 5000 are read"),
        "{noted:?}"
    );
}

/// A column has one name in a partial, however often and in whatever words it was typed.
#[test]
fn columns_may_be_typed_in_several_words() {
    for question in [
        "by state --sum amount --agg 'min(TRANSACTION_AMT), max(#15)' --sort 'max(amount)'",
        "by 'zip5(zip)' --agg 'avg(amount)' --sum Amount --agg 'count(DISTINCT name), min(date)'",
        "by state,'month(date) AS \"the month\"' --sum '#15' --agg 'min(date) AS first' --sort 'state desc' --sort '\"the month\", first' --top 7",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display();
        let ranges = format!(
            "$F {question} --range :7000 --partial {path}/a fixtures/generated.txt && \
             $F {question} --range 7000: --partial {path}/b fixtures/generated.txt && $F merge -f json {path}/a {path}/b"
        );
        let merged = shell(&ranges);
        let whole = shell(&format!("$F {question} -f json fixtures/generated.txt"));
        assert_eq!(whole.status, 0, "{whole:?}");
        assert_eq!(merged, whole, "{question}");
    }
    // Numbers of columns mean others in another schema.
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "G=$PWD/fixtures/generated.txt; cd {} && $F generate --schema cm --rows 9 -o cm.txt; Q=\"report --force --name 0,101 --where #10<>'X'\"; \
         $F $Q -f json $G cm.txt && $F $Q --partial a $G cm.txt && $F merge -f json a",
        folder.path().display()
    );
    let ended = shell(&script);
    assert_eq!(ended.status, 0, "{ended:?}");
    let half = ended.out.len() / 2;
    assert_eq!(ended.out[..half], ended.out[half..]);
}

/// Odd rows of compressed files, whose bytes are counted unpacked; of copies; merged once and twice.
#[test]
fn odd_rows_of_archives_and_copies_are_those_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let row = format!("a{}\n", "|".repeat(20));
    let odd = format!("{}odd\n{}odd|two\n", row.repeat(400), row.repeat(600));
    fs::write(folder.path().join("a.txt"), &odd).unwrap();
    fs::write(folder.path().join("b.txt"), format!("{row}{odd}")).unwrap();
    let run = |script: &str| shell(&format!("cd {} && {script}", folder.path().display()));
    let made = run(
        "gzip -k a.txt b.txt && cp -p a.txt copy.txt && for f in a b; do $F --force --strict --name none --partial $f.gz.part $f.txt.gz; done \
                    && $F --force --strict --name none --partial b.part b.txt \
                    && $F --force --strict --name none --range :9000 --partial a1 a.txt && $F --force --strict --name none --range 9000: --partial a2 copy.txt",
    );
    assert_eq!((made.status, &*made.err), (0, ""), "{made:?}");
    for (inputs, partials) in [
        ("a.txt.gz b.txt.gz", "a.gz.part b.gz.part"),
        ("b.txt a.txt", "b.part a1 a2"),
    ] {
        let whole = run(&format!("$F --force --strict --name none -f json {inputs}"));
        assert_eq!(whole.status, 1, "{whole:?}");
        assert_eq!(run(&format!("$F merge -f json {partials}")), whole);
        assert_eq!(
            run(&format!(
                "$F merge --partial j {partials} && $F merge -f json j"
            )),
            whole
        );
    }
}

/// A terabyte without a byte on disk: to read it takes more memory than there is.
#[test]
fn of_a_file_that_is_no_partial_a_few_bytes_are_read() {
    let script = |merged: &str| {
        let large = "truncate -s 1T large && $F count --partial a $P";
        assert_refused(
            &format!("{large} && $F merge {merged}"),
            &["is not a partial; partials are written with --partial FILE"],
        );
    };
    script("large");
    script("- < large");
    // The third is opened in another way: its groups may stay in the file.
    script("-j 1 a large");
}

/// Writes a large file, and partials of its halves. In between, `change` is done to it.
fn merged_halves(change: &str) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    shell(&format!(
        "cd {} && $F generate --rows 5000 -o g.txt && touch -d @1500000000 g.txt && cp -p g.txt old.txt \
         && $F by STATE --range :400000 --partial a g.txt && {change} \
         && $F by STATE --range 400000: --partial b g.txt && $F merge -f csv a b > merged && $F by STATE -f csv old.txt | cmp - merged",
        folder.path().display()
    ))
}

#[test]
fn bytes_that_changed_beside_a_cut_are_noticed() {
    let (untouched, at_cut, elsewhere) = (
        "true",
        "printf x | dd of=g.txt bs=1 seek=399999 conv=notrunc status=none && touch -d @1500000000 g.txt",
        "touch -d @1500000001 g.txt",
    );
    let ended = merged_halves(untouched);
    assert_eq!((ended.status, &*ended.err), (0, ""));
    let ended = merged_halves(at_cut);
    let error = "fecscan: b: has other bytes around byte 400000 of g.txt than the partial before; the file was changed \
                 between the runs: write the partials again\n";
    assert_eq!((ended.status, &*ended.err), (2, error));
    let ended = merged_halves(elsewhere);
    let note = "fecscan: g.txt: note: it has different times of modification in a and b: it was copied, or changed where \
                partials take no samples of it\n";
    assert_eq!((ended.status, &*ended.err), (0, note));
}

/// Lines for which a condition is NULL, none that meets them, and values that are skipped.
#[test]
fn a_merge_repeats_the_notes_of_its_parts() {
    let conditions = "--where \"TRANSACTION_AMT >= -2000 AND TRANSACTION_DT <> '2018-01-31'\"";
    let none = "--where 'amount > 1000000000'";
    for (command, conditions, notes) in [
        ("count", conditions, 2),
        ("count", none, 2),
        ("report --name none", conditions, 1),
        ("report --name none", none, 2),
        ("by STATE --sum TRANSACTION_AMT", conditions, 2),
    ] {
        let run = format!("$F {command} {conditions}");
        let whole = shell(&format!("{run} -f json fixtures/columns.txt"));
        assert_eq!(whole.err.matches("note: ").count(), notes, "{whole:?}");
        let merged = shell(&format!(
            "{run} --partial - fixtures/columns.txt 2>/dev/null | $F merge -f json -"
        ));
        assert_eq!(merged, whole, "{command}");
    }
}

#[test]
fn what_the_format_needs_is_no_part_of_the_question() {
    let whole = run_with("report --top 0 -f challenge fixtures/generated.txt");
    let merged =
        shell("$F report --top 0 --partial - fixtures/generated.txt | $F merge -f challenge -");
    assert_eq!(merged, whole);
    let note =
        "fecscan: note: no line meets the conditions; = compares exactly, and ILIKE ignores case\n";
    let merged =
        shell("$F count --where \"STATE = 'xx'\" --partial - fixtures/generated.txt | $F merge -");
    assert_eq!((merged.status, &*merged.err), (0, note));
}

#[test]
fn names_are_looked_up_in_rows_of_any_width() {
    let folder = tempfile::tempdir().unwrap();
    let ended = shell(&format!(
        "P=$PWD/fixtures/plain.txt; cd {} && sed 's/$/|more/' $P > wide.txt \
         && $F wide.txt --name 0,1 --partial part -q && $F merge -q part -f json > merged \
         && $F -q wide.txt --name 0,1 -f json > whole && cmp merged whole",
        folder.path().display()
    ));
    assert_eq!((ended.status, &*ended.out, &*ended.err), (0, "", ""));
}
