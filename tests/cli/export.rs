//! `fecscan export`: formats, columns, and outputs.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{PLAIN, done};
use crate::common::archives::gzip;
use crate::common::program::{
    assert_fails, assert_usage_error, fecscan, on_a_terminal, run, run_with, shell,
};

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
               \"MARLOWE, JOHN Q\",50.00,2018-03-15,\n\"QUILLFEATHER, MARY ANN\",250.00,2018-03-15,\n";
    assert_eq!(export("-f csv"), done(csv));
    let tsv = "NAME\tTRANSACTION_AMT\tTRANSACTION_DT\tMEMO_CD\n\
               MARLOWE, JOHN Q\t50\t03152018\t\nQUILLFEATHER, MARY ANN\t250\t03152018\t\n";
    assert_eq!(export("-f tsv --types raw"), done(tsv));
    let text = "\
NAME                    TRANSACTION_AMT  TRANSACTION_DT  MEMO_CD
MARLOWE, JOHN Q                      50  03152018
QUILLFEATHER, MARY ANN              250  03152018
";
    assert_eq!(export("-f text"), done(text));
    let typed = r#"{"NAME":"MARLOWE, JOHN Q","TRANSACTION_AMT":50.00,"TRANSACTION_DT":"2018-03-15","MEMO_CD":""}"#;
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
        let none = export(&format!("--where state='XX' {PLAIN}"));
        assert_eq!((none.status, none.out.as_str()), (0, out), "{format}");
        // Without an input there is no result.
        let failed = export("missing");
        assert_eq!((failed.status, failed.out.as_str()), (2, ""), "{format}");
    }
}

/// Files, in a folder of their own.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    directory
}

pub(crate) fn rows(count: u64) -> Vec<u8> {
    run_with(&format!("generate --rows {count}"))
        .out
        .into_bytes()
}

#[test]
fn a_result_that_can_not_be_written_stops_the_run_with_one_message() {
    let directory = folder(&[("itcont.txt", &rows(50_000))]);
    let here = |script: &str| {
        let path = directory.path().display();
        shell(&format!("cd {path}; {script}"))
    };
    for format in ["ndjson", "json", "csv", "tsv", "text"] {
        let export = format!("$F export -q -f {format} itcont.txt itcont.txt");
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
    let mut text =
        b"C|N|M4|P|I|15|IND|EVIL\x1b]0;title\x07, X\xff|\xe2\x80\xae||||||||||||\n".to_vec();
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

#[test]
fn a_sample_is_the_same_in_every_way_of_reading() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let made = "generate --rows 3000 -o";
    assert_eq!(run(fecscan(made.split(' ')).arg(&path)), done(""));
    let archive = directory.path().join("itcont.txt.gz");
    fs::write(&archive, gzip(&fs::read(&path).unwrap())).unwrap();
    let export = |options: &str, path: &Path| {
        let all = format!("export --columns SUB_ID -f csv {options}");
        run(fecscan(all.split_whitespace()).arg(path))
    };
    let lines = |text: &str| text.lines().count() - 1;
    for sample in [
        "--sample 100",
        "--sample 5%",
        "--sample 100 --where STATE='CA'",
    ] {
        let first = export(sample, &path);
        assert_eq!((first.status, first.err.as_str()), (0, ""), "{sample}");
        for way in ["--threads 1", "--threads 3 --task-size 1000", "--io read"] {
            let options = format!("{sample} {way}");
            assert_eq!(export(&options, &path), first, "{options}");
            assert_eq!(export(&options, &archive).out, first.out, "{options}: gzip");
        }
        assert_ne!(
            export(&format!("{sample} --seed 2"), &path),
            first,
            "{sample}"
        );
        assert_eq!(
            export(&format!("{sample} --seed 1"), &path),
            first,
            "{sample}"
        );
    }
    assert_eq!(lines(&export("--sample 100", &path).out), 100);
    assert_eq!(lines(&export("--sample 100 --head 7", &path).out), 7);
    assert_eq!(export("--sample 3001", &path), export("", &path));
    assert_eq!(export("--sample 100%", &path), export("", &path));
    let few = lines(&export("--sample 5%", &path).out);
    assert!((100..200).contains(&few), "{few}");
    // A statement has the same rows, those that WHERE keeps of a sample of all.
    let all = export("--sample 100 --where STATE='CA'", &path).out;
    for (clause, sample) in [
        ("USING SAMPLE 100", "--sample 100"),
        ("USING SAMPLE 5%", "--sample 5%"),
        (
            "USING SAMPLE reservoir(9 ROWS) REPEATABLE (7)",
            "--sample 9 --seed 7",
        ),
        (
            "WHERE STATE = 'CA' USING SAMPLE 5 PERCENT (bernoulli, 3)",
            "--sample 5% --seed 3 --where STATE='CA'",
        ),
    ] {
        let statement = format!("SELECT SUB_ID FROM indiv {clause}");
        let expected = export(sample, &path);
        for (way, file) in [("2000", &path), ("2097152", &archive)] {
            let options = ["sql", "-f", "csv", "--task-size", way, &statement];
            assert_eq!(
                run(fecscan(options).arg(file)).out,
                expected.out,
                "{clause}"
            );
        }
    }
    let statement = "SELECT SUB_ID FROM indiv WHERE STATE = 'CA' USING SAMPLE 100";
    let some = run(fecscan(["sql", "-f", "csv", statement]).arg(&path)).out;
    let known = lines(&export("--sample 100", &path).out);
    assert!(lines(&some) < known && lines(&some) < lines(&all), "{some}");
    // A sample of a range is that of the file, as far as it goes.
    let range = export("--sample 5% --range :100000", &path).out;
    assert!(range.len() > 100 && export("--sample 5%", &path).out.starts_with(&range));
}

#[test]
fn samples_that_can_not_be_drawn_are_refused() {
    for size in ["0%", "101%", "x", "1.5", "%", "NaN%"] {
        let message = format!(
            "invalid value '{size}' for '--sample <N|P%>': a number of rows is needed, or a percentage above 0 and up to 100, as in --sample 0.1%"
        );
        assert_usage_error(&format!("export --sample {size} {PLAIN}"), &message);
    }
    let ended = shell(&format!("cat {PLAIN} | \"$F\" export --sample 5 -"));
    let message = "-: can be read once, and a sample of N rows reads twice; name a file, or a share of the rows: --sample 1%";
    assert_fails(ended, 2, message);
    let ended = shell(&format!(
        "cat {PLAIN} | \"$F\" export --columns NAME --sample 100% - | wc -l"
    ));
    assert_eq!(ended.status, 0);
    let ended = run_with("export --sample 5 fixtures/plain.txt fixtures/none.txt");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
}
