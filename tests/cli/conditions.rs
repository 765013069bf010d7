//! Notes on conditions: values that files write in another way, commas in numbers, and answers without lines.

use std::fs;
use std::path::Path;

use crate::common::program::{Ended, fecscan, run};
use tempfile::TempDir;

/// Rows of 500 and 1000 dollars, given in January and February 2015; and a payment in oppexp's form.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |date: &str, amount: &str| {
        format!("C00000001|N|Q1|P|I|15|IND|ROE, JO|TOWN|CA|90049|||{date}|{amount}||1|2|||3\n")
    };
    let rows = row("01152015", "500") + &row("02012015", "1000") + &row("02012015", "-25.5");
    let payment = "C1|N|2018|Q1|I|17|F3|SB|SHOP|CITY|OR|97477|03/31/2018|12.5|P||||||ORG|1|2|T||\n";
    fs::write(folder.path().join("itcont.txt"), rows).unwrap();
    fs::write(folder.path().join("oppexp.txt"), payment).unwrap();
    fs::write(
        folder.path().join("cm.txt"),
        "C00000001|PIE PAC|T|1 ST||TOWN|CA|90049||||||||\n",
    )
    .unwrap();
    folder
}

fn count(folder: &Path, conditions: &[&str], file: &str) -> Ended {
    let mut command = fecscan(["count", file]);
    for condition in conditions {
        command.args(["--where", condition]);
    }
    run(command.current_dir(folder))
}

/// Asserts the number of lines that meet a condition, and the notes.
#[track_caller]
fn assert_counts(folder: &Path, condition: &str, file: &str, lines: u64, notes: &[&str]) {
    let ended = count(folder, &[condition], file);
    let no_lines = (lines == 0).then_some("no line meets the conditions");
    let notes = notes.iter().copied().chain(no_lines);
    let notes: String = notes
        .map(|note| format!("fecscan: note: {note}\n"))
        .collect();
    assert_eq!(ended.err, notes, "{condition}");
    assert_eq!(
        (ended.status, ended.out),
        (0, format!("{lines} {file}\n")),
        "{condition}"
    );
}

#[test]
fn numbers_that_files_write_otherwise_get_a_note_on_text() {
    let folder = folder();
    for (condition, lines, notes) in [
        (
            "amount=500.00",
            0,
            &[
                "= compares text, and files write 500.00 as 500: write 'amount=500', or compare numbers: \
               --where 'amount>=500' --where 'amount<=500'",
            ][..],
        ),
        (
            "TRANSACTION_AMT!=0500",
            3,
            &[
                "!= compares text, and files write 0500 as 500: write 'TRANSACTION_AMT!=500'; \
               < <= > >= compare numbers",
            ],
        ),
        (
            "amount=500,1000.0,x",
            1,
            &[
                "= compares text, and files write 1000.0 as 1000: write 'amount=1000', or compare numbers: \
               --where 'amount>=1000' --where 'amount<=1000'",
            ],
        ),
        (
            "#15=$500",
            0,
            &[
                "= compares text, and files write $500 as 500: write '#15=500', or compare numbers: \
               --where '#15>=500' --where '#15<=500'",
            ],
        ),
        (
            "amount=-25.50",
            0,
            &[
                "= compares text, and files write -25.50 as -25.5: write 'amount=-25.5', or compare numbers: \
               --where 'amount>=-25.5' --where 'amount<=-25.5'",
            ],
        ),
        (
            "amount!=many",
            3,
            &[
                "!= compares text, and files never write 'many' in a column of numbers such as amount; write \
               numbers as 1000 or -25.5, or compare them with < <= > >=",
            ],
        ),
        ("amount=500", 1, &[]),
        ("amount=-25.5", 1, &[]),
        ("amount!=", 3, &[]),
        ("amount!=.5,0.5,-.5,-0.5,0,10.25", 3, &[]),
        ("amount>=500.00", 2, &[]),
        // Text may look like a number.
        ("zip=090049", 0, &[]),
        ("FILE_NUM=2,02", 3, &[]),
    ] {
        assert_counts(folder.path(), condition, "itcont.txt", lines, notes);
    }
}

#[test]
fn dates_that_files_write_otherwise_get_a_note_on_text() {
    let folder = folder();
    let range = "write a day as 'date=2018-01-31', and a longer time as a range: \
                 --where 'date>=2018-01-01' --where 'date<2018-02-01'";
    let month = "= compares '2015-01' as text, and files write dates as MMDDYYYY: write 'month(date)=2015-01'";
    let words =
        format!("= compares '1/15/2015' as text, and files write dates as MMDDYYYY: {range}");
    for (condition, lines, notes) in [
        (
            "date=01/15/2015",
            0,
            &[
                "= compares '01/15/2015' as text, and files write dates as MMDDYYYY: write 'date=2015-01-15', \
               which compares days",
            ][..],
        ),
        (
            "date!=20150115",
            3,
            &[
                "!= compares '20150115' as text, and files write dates as MMDDYYYY: write 'date!=2015-01-15', \
               which compares days",
            ],
        ),
        ("date=2015-01", 0, &[month]),
        ("date=1/15/2015", 0, &[&words]),
        // Days are compared, in either form.
        ("date=2015-01-15", 1, &[]),
        ("date=01152015", 1, &[]),
        ("date!=", 3, &[]),
        // Such a day may stand in a file.
        ("date!=02302015", 3, &[]),
        ("date!=00000000", 3, &[]),
    ] {
        assert_counts(folder.path(), condition, "itcont.txt", lines, notes);
    }
    let digits = "= compares '03312018' as text, and files write dates as MM/DD/YYYY: write 'date=2018-03-31', \
                  which compares days";
    for (condition, lines, notes) in [
        ("date=03312018", 0, &[digits][..]),
        ("date=03/31/2018", 1, &[]),
        ("date!=02/30/2018", 1, &[]),
        ("date=2018-03-31", 1, &[]),
    ] {
        assert_counts(folder.path(), condition, "oppexp.txt", lines, notes);
    }
}

#[test]
fn a_comma_in_a_number_separates_values_and_gets_a_note() {
    let folder = folder();
    for (condition, lines, note) in [
        (
            "amount=1,000",
            0,
            "a comma separates values, so 'amount=1,000' compares with 1 and with 000; numbers have no commas: \
             write 'amount=1000'",
        ),
        (
            "amount!=1,000,500.00",
            3,
            "a comma separates values, so 'amount!=1,000,500.00' compares with 1 and with 000 and with 500.00; \
             numbers have no commas: write 'amount!=1000500'",
        ),
        (
            "amount=250,500",
            1,
            "a comma separates values, so 'amount=250,500' compares with 250 and with 500; numbers have no \
             commas: write 'amount=250500'",
        ),
    ] {
        assert_counts(folder.path(), condition, "itcont.txt", lines, &[note]);
    }
    let quoted = "= compares text, and files write 1,000 as 1000: write 'amount=1000', or compare numbers: \
                  --where 'amount>=1000' --where 'amount<=1000'";
    assert_counts(
        folder.path(),
        "amount=\"1,000\"",
        "itcont.txt",
        0,
        &[quoted],
    );
    // Blanks and other lengths make a list.
    for condition in [
        "amount=250, 500",
        "amount=500,1000",
        "amount=500,25",
        "amount=2500,500",
    ] {
        let lines = if condition.contains("1000") { 2 } else { 1 };
        assert_counts(folder.path(), condition, "itcont.txt", lines, &[]);
    }
    for (condition, why) in [
        (
            "amount>1,000",
            ": a number has no commas and no $, so write 1000; ",
        ),
        (
            "amount<=$2,500.50",
            ": a number has no commas and no $, so write 2500.5; ",
        ),
        ("date>01/15/2015", ": write 2015-01-15; "),
        (
            "amount>much",
            ": texts have no order, ^= finds beginnings and ~ patterns; ",
        ),
        ("amount>=1000,2000", ": write one value; "),
        ("amount>=12,3456", ": write one value; "),
        ("date>=2015-02-30", ": there is no such day; "),
        ("date<2/30/2015", ": there is no such day; "),
        ("amount>1e9", "; "),
    ] {
        let ended = count(folder.path(), &[condition], "itcont.txt");
        assert_eq!((ended.status, &*ended.out), (2, ""), "{condition}");
        let message = format!(
            "fecscan: the condition '{condition}' compares with a value that is neither a number such as 1000 \
             nor a date such as 2018-01-31{why}"
        );
        assert!(
            ended.err.starts_with(&message),
            "{condition}: {}",
            ended.err
        );
    }
}

/// The blank after a comma is nearly always one of a name.
#[test]
fn a_comma_in_a_name_separates_values_and_gets_a_note() {
    let folder = folder();
    let note = |condition: &str, values: &str, quoted: &str| {
        format!(
            "a comma separates values, so '{condition}' compares with {values}; quotes protect a comma: {quoted}"
        )
    };
    for (condition, lines, values, quoted) in [
        ("name=ROE, JO", 0, "ROE and with JO", "name=\"ROE, JO\""),
        (
            "EMPLOYER!= GOOGLE, INC., CO ",
            3,
            "GOOGLE and with INC. and with CO",
            "EMPLOYER!=\"GOOGLE, INC., CO\"",
        ),
        ("state=CA, NY", 3, "CA and with NY", "state=\"CA, NY\""),
        (
            "name=O'ROE, JO",
            0,
            "O'ROE and with JO",
            "name=\"O'ROE, JO\"",
        ),
    ] {
        let note = note(condition.trim_end(), values, quoted);
        let note = note.replace("!= G", "!=G");
        let ended = count(folder.path(), &[condition], "itcont.txt");
        let first = ended.err.lines().next().unwrap_or_default();
        assert_eq!(first, format!("fecscan: note: {note}"), "{condition}");
        assert_eq!(ended.out, format!("{lines} itcont.txt\n"), "{condition}");
        assert_eq!(ended.err.lines().count(), if lines == 0 { 2 } else { 1 });
    }
    for condition in [
        "name=\"ROE, JO\"",
        "name='ROE, JO'",
        "name!=\"ROE\", \"JO\"",
        "state=CA,NY",
        "state=CA, ",
        "amount=500, 1000",
        "date=2015-01-15, 2015-01-16",
        "first_name(name)=JO, MARY",
        "name~ROE, JO",
        "name^=ROE, J",
    ] {
        let ended = count(folder.path(), &[condition], "itcont.txt");
        assert!(!ended.err.contains("comma"), "{condition}: {}", ended.err);
    }
}

/// The schema of a joined column tells its kind.
#[test]
fn notes_know_joined_columns_and_schemas() {
    let folder = folder();
    let note = |arguments: &[&str]| {
        let ended = run(fecscan(arguments).current_dir(folder.path()));
        ended.err.contains("compares text")
    };
    let with = ["--with", "cm.txt", "--where"];
    assert!(!note(
        &[&["count", "itcont.txt"], &with[..], &["cm.#15=500.00"]].concat()
    ));
    assert!(note(
        &[&["count", "itcont.txt"], &with[..], &["indiv.#15=500.00"]].concat()
    ));
    assert!(!note(&["count", "oppexp.txt", "--where", "#15=500.00"]));
    assert!(note(&["count", "oppexp.txt", "--where", "#14=500.00"]));
    for command in ["report", "by STATE", "report --force"] {
        let mut arguments: Vec<_> = command.split(' ').collect();
        arguments.extend(["itcont.txt", "--where", "amount=500.00"]);
        assert!(note(&arguments), "{command}");
    }
}

/// The case of letters is named only where it can be the reason.
#[test]
fn no_lines_have_a_note_that_fits_the_conditions() {
    let folder = folder();
    let plain = "no line meets the conditions";
    let case = "no line meets the conditions; = and ^= compare exactly, ~(?i) ignores case";
    let exclude = "no line meets the conditions; all of them must hold, and one = takes several values: STATE=CA,NY";
    let several = "no line meets the conditions; all of them must hold, so try them one by one";
    for (conditions, note) in [
        (&["STATE=ca"][..], case),
        (&["STATE=ca", "amount>5"], case),
        (&["NAME^=Roe"], case),
        (&["NAME~Roe"], case),
        (&["NAME~\\d+x"], case),
        (&["NAME~(?i)smith"], plain),
        (&["NAME~^\\d+$"], plain),
        (&["NAME!~\\w"], plain),
        (&["amount>99999"], plain),
        (&["amount=7"], plain),
        (&["zip^=1"], plain),
        (&["STATE!=CA"], plain),
        (&["amount>5000", "date<2015-01-01"], several),
        (&["STATE=CA", "STATE=NY"], exclude),
        (&["STATE=CA,NY", "state=OR,CA", "STATE=ny"], exclude),
        (&["STATE=CA,ny", "STATE=ny"], case),
    ] {
        let ended = count(folder.path(), conditions, "itcont.txt");
        assert_eq!(
            ended.err,
            format!("fecscan: note: {note}\n"),
            "{conditions:?}"
        );
    }
    let ended = run(fecscan([
        "count",
        "--contributions",
        "oppexp.txt",
        "--schema",
        "indiv",
    ])
    .current_dir(folder.path()));
    assert_eq!(ended.err, format!("fecscan: note: {plain}\n"));
}

/// Files write zip codes of five digits and of nine, so they have no order as numbers.
#[test]
fn zip_codes_compared_as_numbers_get_a_note() {
    for condition in ["zip>=90000", "ZIP_CODE <90000", "#11<=96162"] {
        let mut ended = fecscan(["count", "--where", condition, "fixtures/generated.txt"]);
        let ended = run(&mut ended);
        let at = condition.find(['<', '>']).unwrap();
        let (column, rest) = condition.split_at(at);
        let write = format!("of nine: write 'zip5({}){rest}'\n", column.trim());
        assert_eq!(ended.status, 0);
        assert!(ended.err.contains(&write), "{condition}: {}", ended.err);
    }
    let condition = "zip5(zip)>=90000";
    let ended = run(&mut fecscan([
        "count",
        "--where",
        condition,
        "fixtures/generated.txt",
    ]));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}
