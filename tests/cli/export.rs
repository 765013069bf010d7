//! `fecscan export`: formats, columns, heads, and inputs that fail.

use std::fs::{self, File};
use std::io::Write;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::archives::{Member, gzip, zip};
use crate::common::program::{
    Ended, assert_fails, assert_usage_error, fecscan, on_a_terminal, run, run_with, shell,
};
use crate::{PLAIN, done};

#[test]
fn each_format_has_the_rows_in_the_order_of_the_input() {
    let export = |options: &str| {
        let arguments =
            format!("export --columns NAME,amount,date,memo --head 2 {options} {PLAIN}");
        run_with(&arguments)
    };
    let first = r#"{"NAME":"MARLOWE, JOHN Q","TRANSACTION_AMT":"50","TRANSACTION_DT":"03152018","MEMO_CD":""}"#;
    let second = r#"{"NAME":"QUILLFEATHER, MARY ANN","TRANSACTION_AMT":"250","TRANSACTION_DT":"03152018","MEMO_CD":""}"#;
    let ndjson = format!("{first}\n{second}\n");
    assert_eq!(export(""), done(&ndjson));
    assert_eq!(export("-f ndjson"), done(&ndjson));
    let json = format!("[\n{first},\n{second}\n]\n");
    assert_eq!(export("-f json"), done(&json));
    let csv = "NAME,TRANSACTION_AMT,TRANSACTION_DT,MEMO_CD\n\
               \"MARLOWE, JOHN Q\",50,03152018,\n\"QUILLFEATHER, MARY ANN\",250,03152018,\n";
    assert_eq!(export("-f csv"), done(csv));
    let tsv = "NAME\tTRANSACTION_AMT\tTRANSACTION_DT\tMEMO_CD\n\
               MARLOWE, JOHN Q\t50\t03152018\t\nQUILLFEATHER, MARY ANN\t250\t03152018\t\n";
    assert_eq!(export("-f tsv"), done(tsv));
    let text = "\
NAME                    TRANSACTION_AMT  TRANSACTION_DT  MEMO_CD
MARLOWE, JOHN Q                      50  03152018
QUILLFEATHER, MARY ANN              250  03152018
";
    assert_eq!(export("-f text"), done(text));
    let typed = r#"{"NAME":"MARLOWE, JOHN Q","TRANSACTION_AMT":50.00,"TRANSACTION_DT":"2018-03-15","MEMO_CD":null}"#;
    let ended = export("--types typed");
    assert!(ended.out.starts_with(typed), "{}", ended.out);
    let ended = export("--types typed -f csv");
    let expected = "\"MARLOWE, JOHN Q\",50.00,2018-03-15,\n";
    assert!(ended.out.contains(expected), "{}", ended.out);
}

#[test]
fn an_extension_chooses_the_format() {
    let directory = tempfile::tempdir().unwrap();
    for (name, begins) in [
        ("a.ndjson", "{\"CMTE_ID\""),
        ("a.json", "[\n{\"CMTE_ID\""),
        ("a.csv", "CMTE_ID,AMNDT_IND"),
        ("a.tsv", "CMTE_ID\tAMNDT_IND"),
        ("a.txt", "CMTE_ID    AMNDT_IND"),
    ] {
        let path = directory.path().join(name);
        let ended = run(fecscan(["export", PLAIN, "-o"]).arg(&path));
        assert_eq!(ended, done(""), "{name}");
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with(begins), "{name}: {text}");
    }
    let ended = run(fecscan(["export", PLAIN, "-o", "a.md"]).current_dir(&directory));
    let message = "a.md: the name says markdown, a format that this command lacks";
    assert!(ended.err.contains(message), "{}", ended.err);
}

#[test]
fn files_without_rows_are_whole_documents() {
    for (format, out) in [
        ("ndjson", ""),
        ("json", "[]\n"),
        ("csv", "NAME\n"),
        ("tsv", "NAME\n"),
        ("text", "NAME\n"),
    ] {
        let export = |rest: &str| run_with(&format!("export -f {format} --columns name {rest}"));
        assert_eq!(export("fixtures/empty.txt"), done(out), "{format}");
        assert_eq!(export(&format!("--head 0 {PLAIN}")), done(out), "{format}");
        let none = export(&format!("--where state=XX {PLAIN}"));
        assert_eq!((none.status, none.out.as_str()), (0, out), "{format}");
        // Without an input there is no result.
        let failed = export("missing");
        assert_eq!((failed.status, failed.out.as_str()), (2, ""), "{format}");
    }
}

#[test]
fn wrong_columns_are_usage_errors() {
    let export = |columns: &str| run(&mut fecscan(["export", "--columns", columns, PLAIN]));
    for (columns, message) in [
        ("NAME,name", "the column NAME is named twice; name it once"),
        ("#8,NAME", "the column NAME is named twice; name it once"),
        ("NAMES", "indiv has no column 'NAMES'; did you mean NAME? "),
        (
            "CMTE_NM",
            "indiv has no column 'CMTE_NM'; it is a column of cm: add --with cm.txt",
        ),
        (
            "month(NAME)",
            "month takes dates and image numbers, and NAME holds text",
        ),
        (
            "",
            "the columns '' have an empty one; write columns with commas between them",
        ),
        ("NAME,", "the columns 'NAME,' have an empty one; "),
        (
            "moth(date)",
            "there is no function 'moth'; did you mean month(date)? ",
        ),
        (
            "sum(amount)",
            "sum(amount) is an aggregate, not a column; 'fecscan by' has aggregates: --sum amount",
        ),
        (
            "zip5(zip",
            "the columns 'zip5(zip' lack a closing parenthesis; ",
        ),
    ] {
        let ended = export(columns);
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{columns}");
        assert!(ended.err.contains(message), "{columns}: {}", ended.err);
    }
    let twice = run_with(&format!(
        "export --columns NAME --columns STATE,zip5(zip) --head 1 -f csv {PLAIN}"
    ));
    assert!(
        twice.out.starts_with("NAME,STATE,zip5(ZIP_CODE)\n"),
        "{}",
        twice.out
    );
    assert_usage_error(
        "export --head many",
        "invalid value 'many' for '--head <N>'",
    );
    assert_usage_error(
        "export --types exact",
        "invalid value 'exact' for '--types <raw|typed>'",
    );
    assert_usage_error(
        "export --colums NAME",
        "unknown option '--colums'; did you mean '--columns'?",
    );
    assert_usage_error(
        "exprot",
        "exprot: No such file or directory; did you mean the command 'export'?",
    );
    assert_usage_error(
        "count --columns NAME",
        "unknown option '--columns'; it belongs to 'fecscan export'",
    );
}

/// Files, in a folder of their own.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    directory
}

fn rows(count: u64) -> Vec<u8> {
    run_with(&format!("generate --rows {count}"))
        .out
        .into_bytes()
}

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
    let message = "fecscan: cm.txt: has other columns than the input before it; export inputs of one schema, or name \
                   columns that all have: --columns CMTE_ID,NAME\n";
    assert_eq!(ended.err, message);
    // The amount is the 15th column of both, and the identifier that leads to cm the first.
    let ended =
        here("export -f csv --columns cmte_nm,amount,sub_id --with cm.txt itcont.txt itpas2.txt");
    assert_eq!(
        (ended.status, ended.out.lines().count()),
        (0, 7),
        "{}",
        ended.err
    );
}

#[test]
fn notes_count_what_could_not_be_parsed_and_rows_without_a_partner() {
    let row = |day: &str, amount: &str| {
        format!("C|N|M4|P|I|15|IND|N|C|CA|Z|E|O|{day}|{amount}||T|1|X||2\n")
    };
    let text = row("02302018", "1") + &row("", "x") + &row("12312018", "1,000") + &row(" ", "");
    let directory = folder(&[("itcont.txt", text.as_bytes()), ("cm.txt", b"C2|PAC\n")]);
    let here = |arguments: &str| run(fecscan(arguments.split_whitespace()).current_dir(&directory));
    let ended =
        here("export --types typed --columns date,amount,cmte_nm -f csv --with cm.txt itcont.txt");
    let csv = "TRANSACTION_DT,TRANSACTION_AMT,CMTE_NM\n,1.00,\n,,\n2018-12-31,,\n,,\n";
    assert_eq!((ended.status, ended.out.as_str()), (0, csv));
    let notes = "fecscan: note: 1 value of TRANSACTION_DT could not be parsed, and is null\n\
                 fecscan: note: 2 values of TRANSACTION_AMT could not be parsed, and are null\n\
                 fecscan: note: 4 rows have no partner in cm.txt, so columns of that file are empty\n";
    assert_eq!(ended.err, notes);
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

#[test]
fn a_result_that_can_not_be_written_stops_the_run_with_one_message() {
    let directory = folder(&[("itcont.txt", &rows(50_000))]);
    let here = |script: &str| {
        let path = directory.path().display();
        shell(&format!("cd {path}; {script}"))
    };
    for format in ["ndjson", "json", "csv", "tsv", "text"] {
        let export = format!("$F export -f {format} itcont.txt itcont.txt");
        let full = "standard output: can't be written: No space left on device";
        assert_fails(here(&format!("{export} > /dev/full")), 2, full);
        let ended = here(&format!("{export} | head -n 3"));
        assert_eq!((ended.status, &*ended.err), (0, ""), "{format}");
        // 512,000 bytes.
        let limited = here(&format!(
            "ulimit -f 1000; {export} > out; s=$?; rm out; exit $s"
        ));
        assert_fails(
            limited,
            2,
            "standard output: can't be written: File too large",
        );
        let limited = here(&format!("ulimit -f 1000; {export} -o out"));
        assert_fails(limited, 2, "out: can't be written: File too large");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "{format}");
    }
}

#[test]
fn a_terminal_gets_twenty_rows_of_text_whose_bytes_are_escaped() {
    let mut text = b"C|N|M4|P|I|15|IND|EVIL\x1b]0;title\x07, X\xff|\xe2\x80\xae|\n".to_vec();
    text.extend(rows(100));
    let directory = folder(&[("itcont.txt", &text)]);
    let path = directory.path().join("itcont.txt");
    let export = |options: &str| on_a_terminal(&format!("$F export {options} {}", path.display()));
    let ended = export("--columns NAME,CITY");
    let lines: Vec<_> = ended.out.lines().map(str::trim_end).collect();
    assert_eq!(lines.len(), 1 + 20 + 1, "{}", ended.out);
    assert!(lines[0].starts_with("\x1b[1mNAME ") && lines[0].ends_with("CITY\x1b[0m"));
    assert!(lines[1].starts_with(r"EVIL\x1b]0;title\x07, Xÿ") && lines[1].ends_with(r"\u{202e}"));
    let note =
        "fecscan: note: the first 20 rows are shown on a terminal; --head N shows another number";
    assert_eq!(lines[21], note);
    let ended = export("--columns NAME --head 3 --color never");
    assert_eq!(ended.out.lines().count(), 4, "{}", ended.out);
    for format in ["ndjson", "json", "csv", "tsv"] {
        let ended = export(&format!("-f {format}"));
        assert!(ended.out.lines().count() >= 101, "{format}");
        assert!(
            !ended.out.contains(['\x1b', '\x07', '\u{202e}']),
            "{}",
            ended.out
        );
    }
    // Columns that do not fit are left out.
    let path = path.display();
    let narrow = on_a_terminal(&format!("stty cols 60; $F export --color never {path}"));
    assert!(
        narrow.out.lines().all(|line| line.len() <= 100),
        "{}",
        narrow.out
    );
    let left_out = "(17 of 21 columns do not fit here: --columns chooses, -f ndjson has all)";
    assert!(narrow.out.contains(left_out), "{}", narrow.out);
}

/// Both readers of JSON and writers of the data see the same values.
#[test]
fn values_that_are_not_utf_8_are_decoded_in_json_and_kept_in_csv() {
    let directory = folder(&[]);
    let path = directory.path().join("itcont.txt");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"|||||||PE\xd1A \x80 \x81, \"X\"|PE\xc3\x91A\n")
        .unwrap();
    let export = |format: &str| {
        let mut command = fecscan([
            "export",
            "--schema",
            "indiv",
            "--columns",
            "NAME,CITY,MEMO_TEXT",
        ]);
        command
            .args(["-f", format])
            .arg(&path)
            .output()
            .unwrap()
            .stdout
    };
    let row: Value = serde_json::from_slice(&export("ndjson")).unwrap();
    let expected = json!({ "NAME": "PEÑA € \u{fffd}, \"X\"", "CITY": "PEÑA", "MEMO_TEXT": "" });
    assert_eq!(row, expected);
    let csv = b"NAME,CITY,MEMO_TEXT\n\"PE\xd1A \x80 \x81, \"\"X\"\"\",PE\xc3\x91A,\n";
    assert_eq!(export("csv"), csv);
}

#[cfg(not(any(feature = "arrow", feature = "parquet")))]
#[test]
fn formats_that_are_not_built_are_named() {
    for command in ["export", "by STATE"] {
        assert_usage_error(
            &format!("{command} -f parquet {PLAIN}"),
            "this program is built without Parquet; build it with: cargo build --release --features parquet",
        );
        assert_usage_error(
            &format!("{command} -o a.arrow {PLAIN}"),
            "this program is built without Arrow; build it with: cargo build --release --features arrow",
        );
    }
}
