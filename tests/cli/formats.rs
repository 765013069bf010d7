//! What the report looks like in each format.

use std::fs;

use serde_json::Value;

use crate::cli::{PLAIN, done};
use crate::common::program::{fecscan, run, run_with, shell};

#[test]
fn text_is_what_a_person_reads() {
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

Names (by line, counted from zero)
       0  MARLOWE, JOHN Q
     432  (there is no such line)
  43,243  (there is no such line)

Rows by month (IMAGE_NUM)
  Refunds and conduit copies are rows too; --contributions leaves them out.
  2018-04  2
  2018-05  2
  2018-06  3
  2018-07  1

Most common first names (4 different)
  JOHN    3  37.50 %
  (none)  1  12.50 %

Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift.
--month-column TRANSACTION_DT counts by the date of the gift.
";
    assert_eq!(run_with(PLAIN), done(expected));
    assert_eq!(run_with(&format!("report {PLAIN}")), done(expected));
    let by_date = run_with(&format!(
        "-q --month-column transaction_dt --top 2 --name 7 fixtures/plain.txt {PLAIN}"
    ));
    let expected = "\
fixtures/plain.txt  1.29 kB   8 lines
fixtures/plain.txt  1.29 kB   8 lines
all files           2.58 kB  16 lines

Names (by line, counted from zero)
  7  BLACKTHORNE, AGNES  & PETER

Rows by month (TRANSACTION_DT)
  Refunds and conduit copies are rows too; --contributions leaves them out.
  2018-03  4
  2018-04  4
  2018-05  6
  (none)   2

Most common first names (4 different)
  JOHN    6  37.50 %
  MARY    4  25.00 %
  (none)  2  12.50 %

Months are those of TRANSACTION_DT, column 14: the date of the gift as it was filed.
";
    assert_eq!(by_date, done(expected));
}

#[test]
fn text_with_a_condition_says_how_many_lines_it_chose_from() {
    let ended = run_with(&format!("--name 0,1 --where state='WA' {PLAIN}"));
    let expected = "\
fixtures/plain.txt  1.29 kB  1 of 8 lines

Names (by matching line, counted from zero)
  0  VANTERPOOL, DR. EZRA JR.
  1  (there is no such line)

Rows by month (IMAGE_NUM)
  Only rows that meet the conditions: 1 of 8. Without --contributions, refunds and conduit copies may be among them.
  2018-05  1
";
    assert!(ended.out.starts_with(expected), "{}", ended.out);
    // What the conditions have left out is not said to be there.
    let ended = run_with(&format!("--contributions --where state='WA' {PLAIN}"));
    let expected = "  Only rows that meet the conditions: 1 of 8. --contributions has left out refunds and conduit copies.\n";
    assert!(ended.out.contains(expected), "{}", ended.out);
    let rules = |arguments: &str| run_with(&format!("-f html {arguments} {PLAIN}")).out;
    for (arguments, memo_rows) in [
        ("", "not a gift: memo rows are among them."),
        (
            "--contributions",
            "not a gift: memo rows may be among them.",
        ),
        (
            "--where #19<>'X'",
            "A line is a row. Memo rows are left out.",
        ),
        (
            "--where memo=''",
            "A line is a row. Memo rows are left out.",
        ),
        (
            "--where memo='X'",
            "not a gift: memo rows may be among them.",
        ),
    ] {
        let page = rules(arguments);
        assert!(page.contains(memo_rows), "{arguments}: {page}");
    }
    let ended = run_with(&format!("--where state='OR' {PLAIN} fixtures/one-line.txt"));
    let expected = "\
fixtures/plain.txt     1.29 kB  7 matching lines
fixtures/one-line.txt    156 B  1 matching line
all files              1.45 kB  8 of 9 lines
";
    assert!(ended.out.starts_with(expected), "{}", ended.out);
}

#[test]
fn text_abbreviates_a_long_list_of_months_that_are_none() {
    let rows = "seq 100001 100025 | sed 's/.*/C|N|M4|P|&|15|IND|A, B|||||||||||||/'";
    let ended = shell(&format!("{rows} | $F"));
    let expected =
        "  1000-20   1  no calendar month\n  ... and 5 more; the other formats list all\n\nMost";
    assert!(ended.out.contains(expected), "{}", ended.out);
    assert!(
        shell(&format!("{rows} | $F -f csv"))
            .out
            .contains("\nmonth,1000-25,1\n")
    );
}

#[test]
fn text_of_rows_without_months_does_not_explain_them() {
    let ended = shell("printf '||||||||||||||||||||\\n' | $F --name 0 --force");
    let advice = "1 of 1 rows have no calendar month in IMAGE_NUM (--force: are they contributions?).\n\
                  If so, --month-column TRANSACTION_DT counts by the date of the gift instead.\n\nstandard";
    assert!(ended.out.starts_with(advice), "{}", ended.out);
    assert!(ended.out.ends_with("100.00 %\n"), "{}", ended.out);
    let ended = shell("printf '||||||||||||||||||||\\n' | $F --name 0");
    let advice = "1 of 1 rows have no calendar month in IMAGE_NUM.\n";
    assert!(ended.out.starts_with(advice), "{}", ended.out);
}

#[test]
fn text_lists_months_that_are_no_calendar_months_apart_and_marks_them() {
    let ended = run_with("--name 0,1,99 fixtures/columns.txt fixtures/old-image-numbers.txt");
    let expected = "
Names (by line, counted from zero)
   0  (the line has no column 8)
   1  (the line has no column 8)
  99  (there is no such line)

Rows by month (IMAGE_NUM)
  Refunds and conduit copies are rows too; --contributions leaves them out.
  2018-04  9
  2018-05  1
  (other)  5  no calendar months, listed below
  (none)   8

Other than calendar months (IMAGE_NUM, 5 different)
  0002-00  1  no calendar month
  1502-14  1  no calendar month
  1595-11  1  no calendar month
  1597-02  1  no calendar month
  9903-45  1  no calendar month

Most common first names";
    assert!(ended.out.contains(expected), "{}", ended.out);
    let advice = "13 of 23 rows have no calendar month in IMAGE_NUM: before July 2015 it did not begin with a date.\n\
                  --month-column TRANSACTION_DT counts by the date of the gift instead.\n\nfixtures/columns.txt";
    assert!(ended.out.starts_with(advice), "{}", ended.out);
    assert_eq!(ended.out.matches("--month-column").count(), 1);

    let ended = shell("grep -v '|2018' fixtures/old-image-numbers.txt | $F");
    let expected = "
Rows by month (IMAGE_NUM)
  Refunds and conduit copies are rows too; --contributions leaves them out.
  (other)  5  no calendar months, listed below

Other than";
    assert!(ended.out.contains(expected), "{}", ended.out);
}

#[test]
fn columns_that_are_too_wide_to_align_are_not_aligned() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wide.txt");
    fs::write(&path, format!("|||||||X, {}|\n", "y".repeat(70_000))).unwrap();
    let ended = run(fecscan(["--force", "--top", "2"]).arg(&path));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert!(
        ended
            .out
            .contains(&format!("  {}  1  100.00 %\n", "y".repeat(70_000)))
    );
}

#[test]
fn json_has_its_keys_in_order_on_one_line() {
    let expected = concat!(
        r#"{"files":[{"path":"fixtures/plain.txt","bytes":1291,"lines":8}],"lines":8,"#,
        r#""names":[{"index":1,"name":"QUILLFEATHER, MARY ANN"},{"index":8,"name":null}],"month_column":"IMAGE_NUM","#,
        r#""months":[{"month":"2018-04","lines":2},{"month":"2018-05","lines":2},{"month":"2018-06","lines":3},"#,
        r#"{"month":"2018-07","lines":1}],"lines_without_month":0,"#,
        r#""first_names":[{"first_name":"JOHN","lines":3},{"first_name":"MARY","lines":2}],"#,
        r#""distinct_first_names":4,"lines_without_first_name":1}"#,
        "\n"
    );
    assert_eq!(
        run_with(&format!("-f json --name 1 --name 8 --top 2 {PLAIN}")),
        done(expected)
    );
}

#[test]
fn challenge_prints_the_sentences_of_the_reference_programs() {
    let expected = "\
Name: MARLOWE, JOHN Q at index: 0
Name: QUILLFEATHER, MARY ANN at index: 1
Name: null at index: 99
Total file line count: 8
Donations per month and year: 2018-04 and donation count: 2
Donations per month and year: 2018-05 and donation count: 2
Donations per month and year: 2018-06 and donation count: 3
Donations per month and year: 2018-07 and donation count: 1
The most common first name is: JOHN and it occurs: 3 times.
";
    assert_eq!(
        run_with(&format!("-f challenge --name 0,1,99 --top 0 {PLAIN}")),
        done(expected)
    );
    let expected = "\
Name: null at index: 0
Total file line count: 0
The most common first name is: null and it occurs: 0 times.
";
    assert_eq!(
        run_with("-f challenge --name 0 fixtures/empty.txt"),
        done(expected)
    );
}

#[test]
fn challenge_keeps_the_bytes_of_names() {
    let mut command = fecscan([
        "-f",
        "challenge",
        "--name",
        "0",
        "fixtures/windows-1252.txt",
    ]);
    let out = command.output().unwrap().stdout;
    assert!(
        out.starts_with(b"Name: PE\xd1A, JOS\xc9 at index: 0\n"),
        "{out:?}"
    );
}

/// The report of two files in which nothing is missing from the JSON.
const TABLE: [[&str; 3]; 16] = [
    ["section", "key", "lines"],
    ["file", "fixtures/plain.txt", "8"],
    ["file_bytes", "fixtures/plain.txt", "1291"],
    ["lines", "", "8"],
    ["name_at_1", "QUILLFEATHER, MARY ANN", "1"],
    ["name_at_8", "", "0"],
    ["month_column", "IMAGE_NUM", "8"],
    ["month", "2018-04", "2"],
    ["month", "2018-05", "2"],
    ["month", "2018-06", "3"],
    ["month", "2018-07", "1"],
    ["lines_without_month", "", "0"],
    ["first_name", "JOHN", "3"],
    ["first_name", "MARY", "2"],
    ["distinct_first_names", "", "4"],
    ["lines_without_first_name", "", "1"],
];

#[test]
fn tables_have_rows_of_section_key_and_lines() {
    let tables = [
        ("csv", "", ",", ""),
        ("tsv", "", "\t", ""),
        ("markdown", "| ", " | ", " |"),
    ];
    for (format, before, between, after) in tables {
        let mut expected = String::new();
        for (nth, row) in TABLE.iter().enumerate() {
            let row = row.map(|field| {
                if format == "csv" && field.contains(',') {
                    format!("\"{field}\"")
                } else {
                    field.to_owned()
                }
            });
            expected += &format!("{before}{}{after}\n", row.join(between));
            if nth == 0 && format == "markdown" {
                expected += "|---|---|---|\n";
            }
        }
        let arguments = format!("-f {format} --name 1,8 --top 2 {PLAIN}");
        assert_eq!(run_with(&arguments), done(&expected));
    }
}

#[test]
fn tables_have_the_number_of_lines_scanned_if_there_is_a_condition() {
    let rows = run_with(&format!("-f csv --where state='WA' {PLAIN}")).out;
    assert!(
        rows.contains("\nlines,,1\nlines_scanned,,8\nname_at_0,"),
        "{rows}"
    );
    let markdown = run_with(&format!("-f markdown {PLAIN}"));
    assert_eq!(run_with(&format!("-f md {PLAIN}")), markdown);
}

#[test]
fn count_has_the_files_and_lines_of_the_json_report() {
    let arguments = format!("{PLAIN} fixtures/indiv18.zip missing");
    let ended = run_with(&format!("count -f json {arguments}"));
    assert_eq!((ended.status, ended.out.lines().count()), (2, 1));
    let [count, report] = [&ended.out, &run_with(&format!("-f json {arguments}")).out]
        .map(|json| serde_json::from_str::<Value>(json).unwrap());
    assert_eq!(count["lines"], 50_008);
    assert_eq!(count["files"], report["files"]);
    assert_eq!(count.as_object().unwrap().len(), 2);

    let csv = run_with(&format!("count -f csv {arguments}"));
    let bytes = |path: &str| {
        report["files"]
            .as_array()
            .unwrap()
            .iter()
            .find(|f| f["path"] == path)
            .unwrap()["bytes"]
            .clone()
    };
    let rows = [(PLAIN, 8), ("fixtures/indiv18.zip", 50_000)];
    let rows = rows.map(|(path, lines)| format!("{path},{lines},{}\n", bytes(path)));
    assert_eq!(csv.out, format!("file,lines,bytes\n{}", rows.concat()));
    assert_eq!(csv.status, 2);
}

#[test]
fn the_text_of_an_archive_says_both_sizes_and_what_is_left_out() {
    let ended = run_with("fixtures/indiv18.zip");
    let packed = fs::metadata("fixtures/indiv18.zip").unwrap().len();
    let expected = format!(
        "fixtures/indiv18.zip  {:.2} MB, 9.59 MB unpacked  50,000 lines\n  note: 4 members in a folder are left out; \
         --member 'by_date/*' chooses what is there\n\nNames",
        packed as f64 / 1e6
    );
    assert!(ended.out.starts_with(&expected), "{}", ended.out);
    assert_eq!(ended.err, "");
    let ended = run_with("-f json fixtures/indiv18.zip");
    assert!(
        ended
            .err
            .starts_with("fecscan: fixtures/indiv18.zip: note: 4 members"),
        "{}",
        ended.err
    );
    // The sizes of several files are added up.
    let ended = run_with("fixtures/indiv18.zip fixtures/plain.txt");
    assert!(ended.out.contains("\nall files  "), "{}", ended.out);
    assert!(
        ended.out.contains(" MB, 9.59 MB unpacked  50,008 lines\n"),
        "{}",
        ended.out
    );
}

/// Files of committees' transactions have other types of rows, so that advice to use the option would empty them.
#[test]
fn contributions_by_individuals_are_advised_for_files_of_individuals_alone() {
    let folder = tempfile::tempdir().unwrap();
    let row = |kind: &str, columns: usize| {
        let columns = columns - 6;
        format!(
            "C00000001|N|Q1|P|201801019000000001|{kind}{}\n",
            "|".repeat(columns)
        )
    };
    let rows = |columns| [row("24K", columns), row("22Y", columns)].concat();
    for (name, columns, is_advised) in [
        ("itcont.txt", 21, true),
        ("itoth.txt", 21, false),
        ("itpas2.txt", 22, false),
    ] {
        fs::write(folder.path().join(name), rows(columns)).unwrap();
        let here =
            |arguments: &str| run(fecscan(arguments.split(' ')).arg(name).current_dir(&folder));
        for command in ["report", "by STATE"] {
            let out = here(command).out;
            assert_eq!(out.contains("--contributions"), is_advised, "{name}: {out}");
        }
        let filtered = here("report --contributions");
        let claims = filtered
            .out
            .contains("has left out refunds and conduit copies");
        assert_eq!(claims, is_advised, "{name}: {}", filtered.out);
    }
}
