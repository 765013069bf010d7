//! The files of `--with`: errors if they can't be joined, and notes.

use std::fs;

use fecscan::input::LINE_BYTES_MAX;

use crate::common::archives::{Member, gzip, zip};
use crate::common::program::shell;
use crate::common::small_joins::{CM, assert_prints, assert_refused, by, folder, run_in};

#[test]
fn files_that_cant_be_joined_end_the_run_before_it_begins() {
    let folder = folder();
    let path = folder.path();
    let mut damaged = gzip(CM.as_bytes());
    let end = damaged.len() - 8;
    damaged[end] ^= 1;
    let cut = &gzip(CM.as_bytes())[..60];
    let oppexp = zip(&[Member::stored("oppexp.txt", b"x")]);
    for (name, bytes) in [
        ("damaged.gz", &damaged[..]),
        ("cut.gz", cut),
        ("oppexp.zip", &oppexp),
        ("text", b"# notes\n\nno rows\n"),
        ("empty", b""),
        ("itpas2.txt", b""),
    ] {
        fs::write(path.join(name), bytes).unwrap();
    }
    let advice = "--with joins files of cm (committees), cn (candidates) and ccl (links between both) as they are; \
         for another table say how rows lead to it: --with NAME=FILE --on COLUMN=NAME.COLUMN\n";
    for (file, message) in [
        ("missing.txt", "No such file or directory".to_owned()),
        ("damaged.gz", String::new()),
        ("cut.gz", String::new()),
        (".", "Is a directory".to_owned()),
        (
            "oppexp.zip",
            format!(
                "oppexp.txt: is a file of schema oppexp, which can't be joined without a name; {advice}"
            ),
        ),
        (
            "itcont.txt",
            format!("is a file of schema indiv, which can't be joined without a name; {advice}"),
        ),
        (
            "itpas2.txt",
            format!("is a file of schema pas2, which can't be joined without a name; {advice}"),
        ),
        (
            "text",
            format!(
                "is of no known schema by its name or its first rows, and can't be joined without a name; {advice}"
            ),
        ),
        ("empty", "is of no known schema ".to_owned()),
    ] {
        for command in [&["by", "STATE"][..], &["count"], &[]] {
            let all = [command, &["--with", "cm.txt", "--with", file, "itcont.txt"]].concat();
            assert_refused(run_in(path, &all), &format!("{file}: {message}"));
        }
    }
}

/// A value in quotes may have any number of lines, which are one row.
#[test]
fn rows_of_joined_csv_have_the_length_of_lines_at_most() {
    let folder = folder();
    let path = folder.path();
    let args = "--with t=long.csv --on CMTE_ID=t.id";
    for (more, message) in [
        (0, None),
        (
            1,
            Some("line 2 has more than 16 MiB; close its quotes, or leave out its long columns\n"),
        ),
    ] {
        let lines = "wide\n".repeat(4 << 20);
        let row = format!("C00000001,\"{lines}");
        let row = format!("{}\"", &row[..LINE_BYTES_MAX + 1 + more]);
        fs::write(path.join("long.csv"), format!("id,text\n{row}")).unwrap();
        let ended = by(path, "length(t.text)", args);
        match message {
            None => assert!(ended.out.contains("\n16777206,2\n"), "{ended:?}"),
            Some(message) => assert_refused(ended, &format!("long.csv: {message}")),
        }
    }
}

#[test]
fn notes_count_rows_that_join_several_times_or_never() {
    let folder = folder();
    let path = folder.path();
    let more = CM.replace("PIE PAC", "NEW PIE") + "|NO KEY\n\n" + &CM[..CM.find('\n').unwrap()];
    fs::write(path.join("cm18.txt"), more).unwrap();
    // Rows without an identifier are rows of the table, too.
    let several =
        |rows: &str| {
            format!(
            "fecscan: note: {rows} of indiv have several matches in cm, and count once for each\n"
        )
        .replace("1 row of indiv have", "1 row of indiv has")
        .replace("has several matches in cm, and count", "has several matches in cm, and counts")
        };
    assert_prints(
        by(path, "CMTE_NM", "--with cm18.txt --where state='CA'"),
        "CMTE_NM,count\nCAKE PAC,1\nNEW PIE,1\nPIE PAC,1\n",
        &several("1 row"),
    );
    // Two files of one schema are one table.
    let ended = by(
        path,
        "CMTE_NM",
        "--with cm.txt --with ./cm18.txt --where coalesce(cm.party,'')IN('DEM','') --where state='NY'",
    );
    let same = "fecscan: ./cm18.txt: note: 3 rows are the same as others, so a row that matches them is counted once for each\n";
    assert_prints(
        ended,
        "CMTE_NM,count\nPIE PAC,2\nTEA PAC,2\nNEW PIE,1\n,1\n",
        &format!(
            "{same}{}fecscan: note: 1 row has no partner in cm, whose columns are NULL there\n",
            several("2 rows")
        ),
    );
    let archive = zip(&[
        Member::stored("cm.txt", CM.as_bytes()),
        Member::stored("old/cm.txt", b"x"),
    ]);
    fs::write(path.join("cm.zip"), archive).unwrap();
    let ended = by(
        path,
        "CMTE_NM",
        "--with cm.zip --where CMTE_ID<>'C00000009'",
    );
    assert_eq!(ended.out.lines().count(), 4);
    assert!(
        ended.err.starts_with("fecscan: cm.zip: note: "),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("old"), "{}", ended.err);
}

#[test]
fn files_without_use_get_a_note() {
    let folder = folder();
    let unused = |file: &str| format!("fecscan: {file}: note: none of its columns is used\n");
    let ended = run_in(folder.path(), &["count", "--with", "cm.txt", "itcont.txt"]);
    assert_eq!(ended.err, unused("cm.txt"));
}

#[test]
fn standard_input_is_read_once_and_outputs_replace_no_joined_file() {
    let folder = folder();
    let in_folder = |script: &str| shell(&format!("cd {} && {script}", folder.path().display()));
    let ended = in_folder("$F by CMTE_NM --top 1 -f csv --with - itcont.txt < cm.txt");
    assert_eq!(ended.out, "CMTE_NM,count\nPIE PAC,2\n");
    let ended = in_folder("cat cm.txt | $F by CMTE_NM --top 1 -f csv --with - itcont.txt");
    assert_eq!(ended.out, "CMTE_NM,count\nPIE PAC,2\n");
    let ended = in_folder("$F by CMTE_NM --top 1 -f csv --with cm.txt < itcont.txt");
    assert_eq!(ended.out, "CMTE_NM,count\nPIE PAC,2\n");
    for arguments in ["--with -", "--with - -", "--with - --with - itcont.txt"] {
        let ended = in_folder(&format!("$F by CMTE_NM {arguments} < cm.txt"));
        assert_refused(
            ended,
            "standard input: can be read once, and is named twice; name a file for one of them",
        );
    }
    let ended = in_folder("$F by CMTE_NM --with cm.txt -o cm.txt itcont.txt");
    assert_refused(
        ended,
        "cm.txt: is an input, and would be lost as the output; ",
    );
    let ended = in_folder(
        "$F --with cm.txt --where \"party='DEM'\" --rejects cm.txt -o new.txt itcont.txt",
    );
    assert_refused(
        ended,
        "cm.txt: is an input, and would be lost as the output; ",
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("cm.txt")).unwrap(),
        CM
    );
}

#[test]
fn a_line_end_in_a_quoted_value_is_a_blank() {
    let folder = folder();
    let table = "state,region\r\nCA,\"the\r\nwest\"\nNY,\"the\neast\"\n";
    fs::write(folder.path().join("geo.csv"), table).unwrap();
    let ended = by(
        folder.path(),
        "geo.region",
        "--with geo=geo.csv --on STATE=geo.state",
    );
    assert_eq!(ended.err, "");
    assert_prints(ended, "region,count\nthe east,3\nthe west,2\n", "");
}

#[test]
fn rejects_of_a_missing_file_are_no_header() {
    let folder = folder();
    let arguments = ["missing.txt", "--rejects", "/dev/stdout", "-o", "result"];
    let ended = run_in(folder.path(), &arguments);
    assert_eq!((ended.status, &*ended.out), (2, ""), "{}", ended.err);
}
