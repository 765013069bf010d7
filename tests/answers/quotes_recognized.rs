//! Which files are read as CSV with quotes, which lines are left out, and which files are refused.

use std::fs;

use crate::common::program::{assert_fails, fecscan, run, run_with, shell};

#[test]
fn quotes_in_the_first_rows_are_recognized_in_files_and_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let [quoted, late] = ["quoted.csv", "late.csv"].map(|name| directory.path().join(name));
    fs::write(&quoted, "name,city\n\"Ann, B\",Nome\n").unwrap();
    let rows = "Bob,Nome\n".repeat(2000);
    fs::write(&late, format!("name,city\n{rows}\"Ann, B\",Nome\n")).unwrap();
    let (quoted, late) = (quoted.display(), late.display());
    let answer = "name,count\n\"Ann, B\",1\n";
    let so = "so one thread reads";
    for (script, note) in [
        (
            format!("$F by name -f csv --header {quoted}"),
            format!(
                "fecscan: note: {quoted} has values in quotes, {so} files as CSV, which is slower; --quotes data reads quotes as bytes\n"
            ),
        ),
        (
            format!("cat {quoted} | $F by name -f csv --header"),
            format!(
                "fecscan: standard input: note: has values in quotes, {so} it as CSV, which is slower; --quotes data reads quotes as bytes\n"
            ),
        ),
        (
            format!(
                "$F by name -q -f csv --header {quoted} | $F by name -q --sum count --types count=number -f csv --header"
            ),
            String::new(),
        ),
    ] {
        let ended = shell(&script);
        assert_eq!((ended.status, ended.err), (0, note), "{script}");
        if script.matches("$F").count() == 1 {
            assert_eq!(ended.out, answer, "{script}");
        } else {
            assert_eq!(ended.out, "name,count,sum(count)\n\"Ann, B\",1,1.00\n");
        }
    }
    let refused = run_with(&format!("count --header {late}"));
    let what = "a field begins with a quote, and quotes may hide delimiters and newlines (byte 18010); read them as CSV has them, by one thread: --quotes csv; or as bytes like others: --quotes data";
    assert_fails(refused, 2, &format!("{late}: {what}"));
    let ended = run_with(&format!("count -q --header --quotes csv {late}"));
    assert_eq!((ended.status, ended.out), (0, format!("2001 {late}\n")));
}

#[test]
fn malformed_quotes_and_marks_are_errors_with_their_places() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    let data = "or read quotes as bytes like others: --quotes data";
    let marks = "a value has one of the bytes 0x1d, 0x1e and 0x1f, which stand between translated columns and for line breaks";
    for (text, message) in [
        (
            "a,b\n1,\"x\n2,y\n".to_owned(),
            format!("line 2: a quote is not closed (byte 6); close it; {data}"),
        ),
        (
            "a,b\n\"1\n1\",2\n3,\"x\"y\n".to_owned(),
            format!("line 4: a value goes on after its closing quote (byte 17); a quote within quotes is written twice; {data}"),
        ),
        (
            "a,b\n1,x\u{1f}y\n".to_owned(),
            format!("line 2: {marks} (byte 7); take them out: tr -d '\\035-\\037'"),
        ),
        (
            format!("a,b\n1,2\n\"{}\",3\n", "x\n".repeat(9 << 20)),
            "line 3: a row has nearly 16 MiB or more (byte 8); close its quotes, or leave out its long columns".to_owned(),
        ),
    ] {
        fs::write(&path, text).unwrap();
        for threads in ["1", "3"] {
            let command = ["by", "b", "-q", "--header", "--quotes", "csv", "-j", threads];
            let ended = run(fecscan(command).arg(&path));
            assert_fails(ended, 2, &format!("{}: {message}", path.display()));
        }
    }
}

#[test]
fn lines_that_are_no_rows_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    for (text, options) in [
        ("a title\n\"of, two\na,b\n1,2\n3,4\n", "--header --skip 2"),
        ("a,b\n# a comment\n1,2\n#3,4\n3,4\n", "--header --comment #"),
        ("# a title\na,b\n1,2\n3,4", "--header --comment #"),
        ("sep=;\r\na;b\r\n1;2\r\n3;4\r\n", "--header"),
        ("\u{feff}sep=;\na;b\n1;2\n3;4\n", "--header --delimiter ;"),
        ("sep=,\na,b\n\"1\",2\n3,4\n", "--header"),
        ("1,2\n3,4\n", "--names a,b --skip 0"),
        ("0,0\n1,2\n3,4\n", "--names a,b --skip 1"),
    ] {
        fs::write(&path, text).unwrap();
        let ask =
            |command: &str| run(fecscan(format!("{command} -q {options}").split(' ')).arg(&path));
        let exported = ask("export -f csv");
        assert_eq!(
            (exported.status, &*exported.out),
            (0, "a,b\n1,2\n3,4\n"),
            "{text:?} {exported:?}"
        );
        // Without names, a line without its newline does not count.
        let counted = ask("count");
        assert_eq!(counted.out.split(' ').next(), Some("2"), "{text:?}");
    }
    let refused = run_with(&format!(
        "by #1 --header --skip 1 --range 0:9 {}",
        path.display()
    ));
    assert_fails(
        refused,
        2,
        &format!(
            "{}: is translated to rows, which have no ranges of bytes; read it whole",
            path.display()
        ),
    );
}
