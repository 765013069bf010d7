//! The inputs of `fecscan export`: their beginnings, inputs that fail, and what is noted about them.

use std::fs;

use serde_json::Value;

use crate::cli::export::{folder, rows};
use crate::common::archives::{Member, gzip, zip};
use crate::common::program::{Ended, fecscan, run, run_with, shell};

fn names_of(ended: &Ended) -> Vec<Value> {
    let lines = ended.out.lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["NAME"].clone())
        .collect()
}
#[test]
fn a_head_is_the_same_of_files_archives_and_pipes() {
    let text = rows(20_000);
    let member = |name: &str, bytes: &[u8]| Member::deflated(name, bytes);
    let half = text.iter().position(|&b| b == b'\n').unwrap() + 1;
    let damaged = Member {
        crc: 1,
        ..member("z.txt", b"never read\n")
    };
    let packed = gzip(&text);
    let directory = folder(&[
        ("itcont.txt", &text),
        ("a.gz", &packed),
        ("cut.gz", &packed[..packed.len() - 5]),
        (
            "a.zip",
            &zip(&[
                member("a.txt", &text[..half]),
                member("b.txt", &text[half..]),
            ]),
        ),
        ("damaged.zip", &zip(&[member("a.txt", &text), damaged])),
    ]);
    let here = |script: &str| {
        let path = directory.path().display();
        shell(&format!("cd {path}; {script}"))
    };
    for head in [1, 20, 5000] {
        let expected = here(&format!(
            "head -n {head} itcont.txt | $F export --schema indiv"
        ));
        assert_eq!(expected.out.lines().count(), head);
        for input in [
            "itcont.txt",
            "--io read itcont.txt",
            "a.gz",
            "cut.gz",
            "a.zip",
            "damaged.zip",
            "itcont.txt missing",
            "a.zip itcont.txt cut.gz",
            "< itcont.txt",
            "< a.gz",
        ] {
            for options in [
                "-j 1",
                "-j 2",
                "-j 7 --task-size 1000",
                "-j 3 --task-size 100000",
            ] {
                let ended = here(&format!("$F export --head {head} {options} {input}"));
                assert_eq!(
                    (ended.status, &*ended.err),
                    (0, ""),
                    "{head} {options} {input}"
                );
                assert!(ended.out == expected.out, "{head} {options} {input}");
            }
        }
        // An endless writer gets a closed pipe.
        let endless = "while cat itcont.txt; do :; done 2> /dev/null";
        let ended = here(&format!(
            "({endless}) | $F export --head {head} -j 4 --task-size 9999"
        ));
        assert_eq!(ended, expected);
    }
    // Rows that meet a condition, over several files.
    let matching = "--where 'amount>=1000' --columns NAME";
    let all = names_of(&here(&format!("$F export {matching} itcont.txt a.gz")));
    for head in [1, all.len() / 2 + 1, all.len() - 1, all.len() + 1] {
        let ended = here(&format!(
            "$F export {matching} --head {head} -j 3 --task-size 5000 itcont.txt a.gz"
        ));
        assert_eq!(names_of(&ended), all[..head.min(all.len())]);
    }
}

#[test]
fn an_input_that_fails_halfway_leaves_whole_rows_and_status_2() {
    let text = rows(30_000);
    let packed = gzip(&text);
    let directory = folder(&[
        ("cut.gz", &packed[..packed.len() / 2]),
        (
            "itcont.txt",
            &text[..text.iter().rposition(|&b| b == b'\n').unwrap()],
        ),
        ("long.txt", &[&text[..], &vec![b'x'; 17 << 20]].concat()),
    ]);
    let here = |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    let whole = here("export itcont.txt");
    let alone = here("export cut.gz");
    assert_eq!(alone.status, 2);
    // The row that is cut off is in no result.
    assert!(whole.out.starts_with(&alone.out) && alone.out.ends_with('\n'));
    let rows = alone.out.lines().count();
    assert!((1000..30_000).contains(&rows), "{rows}");
    for options in ["-j 1", "-j 4 --task-size 500000", "-j 4 --task-size 3000"] {
        let ended = here(&format!("export {options} cut.gz"));
        assert!(ended == alone, "{options}");
        // Other inputs are exported all the same.
        let both = here(&format!("export {options} cut.gz itcont.txt missing"));
        assert_eq!(both.status, 2);
        assert!(both.out == alone.out.clone() + &whole.out, "{options}");
        assert_eq!(both.err.lines().count(), 2, "{}", both.err);
        // An array is closed.
        let ended = here(&format!("export -f json {options} --columns NAME cut.gz"));
        let array: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(array.as_array().unwrap().len(), rows);
        // Of an overlong line, and of rows of other workers at that time, there is nothing.
        let ended = here(&format!("export {options} long.txt"));
        assert_eq!(ended.status, 2);
        assert!(whole.out.starts_with(&ended.out) && ended.out.lines().count() <= 30_000);
    }
    // With -o nothing is written, and an existing file stays.
    for name in ["result.csv", "old.csv"] {
        fs::write(directory.path().join("old.csv"), "old").unwrap();
        let ended = here(&format!("export -o {name} cut.gz itcont.txt"));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""));
        let note = format!("fecscan: {name}: note: is not written, because an input failed\n");
        assert!(ended.err.ends_with(&note), "{}", ended.err);
    }
    assert_eq!(fs::read(directory.path().join("old.csv")).unwrap(), b"old");
    assert_eq!(
        fs::read_dir(&directory).unwrap().count(),
        4,
        "nothing else is left"
    );
}

#[test]
fn inputs_with_other_columns_are_refused() {
    let cm = run_with("generate --schema cm --rows 3").out;
    let pas2 = run_with("generate --schema pas2 --rows 3").out;
    let directory = folder(&[
        ("itcont.txt", &rows(3)),
        ("itoth.txt", &rows(2)),
        ("cm.txt", cm.as_bytes()),
        ("itpas2.txt", pas2.as_bytes()),
    ]);
    let here = |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    let ended = here("export itcont.txt cm.txt itoth.txt");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 5));
    let message = "fecscan: cm.txt: has other columns than the input before it; export inputs of one schema, or \
                   columns that all have under one name: --columns CMTE_ID\n";
    assert_eq!(ended.err, message);
    // A statement is about rows of one schema.
    let ended =
        here("export -f csv --columns cmte_nm,amount,sub_id --with cm.txt itcont.txt itpas2.txt");
    assert_eq!(
        (ended.status, ended.err.contains("is a file of schema pas2")),
        (2, true),
        "{}",
        ended.err
    );
    let ended = here("export -f csv --columns cmte_id cm.txt itcont.txt");
    assert_eq!((ended.status, ended.out.lines().count()), (0, 7));
}

/// Its rows have the columns that it was to give to others, so they would look like an answer.
#[test]
fn a_file_to_be_joined_that_lacks_its_with_is_refused() {
    let made = |schema| run_with(&format!("generate --schema {schema} --rows 3")).out;
    let directory = folder(&[
        ("itcont.txt", &rows(3)),
        ("cm.txt", made("cm").as_bytes()),
        ("ccl.txt", made("ccl").as_bytes()),
    ]);
    for inputs in [
        "itcont.txt --with cm.txt ccl.txt",
        "--with cm.txt --head 2 ccl.txt itcont.txt",
    ] {
        let arguments = format!("export -f csv --columns cmte_nm {inputs}");
        let ended = run(fecscan(arguments.split_whitespace()).current_dir(&directory));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{inputs}");
        for part in [
            "their columns differ, so their rows are not one table",
            "to join ccl.txt, write --with before it too: --with ccl.txt",
        ] {
            assert!(ended.err.contains(part), "{}", ended.err);
        }
    }
}

#[test]
fn notes_count_what_could_not_be_parsed_and_rows_without_a_partner() {
    let row = |day: &str, amount: &str| {
        format!("C|N|M4|P|I|15|IND|N|C|CA|Z|E|O|{day}|{amount}||T|1|X||2\n")
    };
    let text = row("02302018", "1") + &row("", "x") + &row("12312018", "1,000") + &row(" ", "");
    let directory = folder(&[("itcont.txt", text.as_bytes()), ("cm.txt", b"C2|PAC\n")]);
    let here = |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    let csv = "TRANSACTION_DT,TRANSACTION_AMT,CMTE_NM\n,1.00,\n,,\n2018-12-31,,\n,,\n";
    let notes = "fecscan: note: 1 value of TRANSACTION_DT could not be parsed, and is null\n\
                 fecscan: note: 2 values of TRANSACTION_AMT could not be parsed, and are null\n\
                 fecscan: note: 4 rows have no partner in cm, whose columns are NULL there\n";
    // With --io read, a small file is a stream. Its notes are the same.
    for io in ["auto", "mmap", "read"] {
        let question = "export --types typed --columns date,amount,cmte_nm -f csv --with cm.txt";
        let ended = here(&format!("{question} --io {io} itcont.txt"));
        let found = (ended.status, ended.out.as_str(), ended.err.as_str());
        assert_eq!(found, (0, csv, notes), "{io}");
    }
    let sample = here("export --sample 4 --columns cmte_nm -f csv --with cm.txt itcont.txt");
    assert!(
        sample
            .err
            .contains("a sample is of rows that are not joined"),
        "{}",
        sample.err
    );
    let none = here("export --sample 4 --where name='nobody' itcont.txt");
    assert_eq!(none.err.matches("note: ").count(), 1, "{}", none.err);
    let unused = here("export --head 1 --columns date --with cm.txt itcont.txt");
    assert!(unused.err.contains("cm.txt: note: "), "{}", unused.err);
}

#[test]
fn lines_of_stats_and_notes_on_archives_are_those_of_other_commands() {
    let text = rows(100);
    let member = |name: &str| Member::deflated(name, &text);
    let directory = folder(&[(
        "a.zip",
        &zip(&[member("itcont.txt"), member("by_date/x.txt")]),
    )]);
    let here = |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    let ended = here("export --stats a.zip");
    assert_eq!(ended.out.lines().count(), 100);
    let (note, stats) = ended.err.split_once('\n').unwrap();
    let expected = "fecscan: a.zip: note: 1 member in a folder is left out; --member 'by_date/*' chooses what is there";
    assert_eq!(note, expected);
    assert!(
        stats.contains(" 100 lines, ") && stats.contains("io zip"),
        "{stats}"
    );
}

/// Few of them stay open between passes.
#[test]
fn more_files_than_descriptors_are_read_in_all_passes() {
    let files: Vec<_> = (0..300).map(|nth| format!("{nth}.txt")).collect();
    let files: Vec<_> = files.iter().map(|name| (&**name, PLAIN_ROW)).collect();
    let directory = folder(&files);
    for (question, lines) in [
        ("by STATE -f csv *.txt", 2),
        ("export --sample 900 --columns STATE -f csv *.txt", 301),
        (
            "diff \"$(ls *.txt | paste -sd,)\" 0.txt -f csv --columns STATE --key '#10'",
            1,
        ),
    ] {
        let at = directory.path().display();
        let ended = shell(&format!("cd {at} && ulimit -n 128 && $F {question}"));
        let found = (ended.status, ended.out.lines().count());
        assert_eq!(found, (0, lines), "{question}: {}", ended.err);
    }
}

const PLAIN_ROW: &[u8] =
    b"C00990001|N|M4|P|201804129112345678|15|IND|ROE, JANE|C|OR|97477|E|O|03152018|50|||||1|2\n";
