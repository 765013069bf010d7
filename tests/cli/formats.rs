//! What the report looks like in each format.

use std::fs;

use crate::common::program::{fecscan, run, run_with, shell};
use crate::{PLAIN, done};

#[test]
fn text_is_what_a_person_reads() {
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

Names (by line, counted from zero)
       0  MARLOWE, JOHN Q
     432  (there is no such line)
  43,243  (there is no such line)

Donations by month (IMAGE_NUM)
  2018-04  2
  2018-05  2
  2018-06  3
  2018-07  1

Most common first names (4 different)
  JOHN    3  37.50 %
  (none)  1  12.50 %

Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift; \
--month-column TRANSACTION_DT counts by the date of the gift.
";
    assert_eq!(run_with(PLAIN), done(expected));
    assert_eq!(run_with(&format!("report {PLAIN}")), done(expected));
    let by_date = run_with(&format!(
        "--month-column transaction_dt --top 2 --name 7 fixtures/plain.txt {PLAIN}"
    ));
    let expected = "\
fixtures/plain.txt  1.29 kB   8 lines
fixtures/plain.txt  1.29 kB   8 lines
all files           2.58 kB  16 lines

Names (by line, counted from zero)
  7  BLACKTHORNE, AGNES  & PETER

Donations by month (TRANSACTION_DT)
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
fn text_lists_months_that_are_no_calendar_months_apart_and_marks_them() {
    let ended = run_with("--name 0,1,99 fixtures/columns.txt fixtures/old-image-numbers.txt");
    let expected = "
Names (by line, counted from zero)
   0  (the line has no column 8)
   1  (the line has no column 8)
  99  (there is no such line)

Donations by month (IMAGE_NUM)
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
    assert!(
        ended
            .out
            .contains("Until July 2015, its numbers did not begin with a date;"),
        "{}",
        ended.out
    );

    let ended = shell("grep -v '|2018' fixtures/old-image-numbers.txt | $F");
    let expected = "
Donations by month (IMAGE_NUM)
  (other)  5  no calendar months, listed below

Other than";
    assert!(ended.out.contains(expected), "{}", ended.out);
}

#[test]
fn columns_that_are_too_wide_to_align_are_not_aligned() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wide.txt");
    fs::write(&path, format!("|||||||X, {}|\n", "y".repeat(70_000))).unwrap();
    let ended = run(fecscan(["--top", "2"]).arg(&path));
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
