//! Conditions on functions of columns, their notes, and their errors.

use std::fs;
use std::path::Path;

use crate::common::program::{Ended, fecscan, run};
use crate::common::small_joins;
use tempfile::TempDir;

/// Rows with these names, zip codes and dates. The image numbers are of April 2018.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |(name, zip, date)| {
        format!(
            "C00000001|N|Q1|P|201804019000000001|15|IND|{name}|TOWN|CA|{zip}|||{date}|10||1|2|||3\n"
        )
    };
    let rows = [
        ("SMITH, JOHN A", "941051234", "12312017"),
        ("SMITH, MARTHA", "94105", "01152018"),
        ("ROE, MARY ANN", "94110", "03012018"),
        ("ACTBLUE", "K1A 0B1", "13012018"),
        ("DE LA CRUZ , ANA", "02138", "2018"),
        ("", "", ""),
    ];
    let rows: String = rows.into_iter().map(row).collect();
    fs::write(folder.path().join("itcont.txt"), rows).unwrap();
    folder
}

fn count(folder: &Path, condition: &str) -> Ended {
    run(fecscan(["count", "itcont.txt", "--where", condition]).current_dir(folder))
}

#[test]
fn conditions_on_functions_of_columns_choose_lines() {
    let folder = folder();
    for (condition, lines) in [
        ("month(date)=2018-01", 1),
        ("month(date) = 2018-01, 2018-03", 2),
        ("month(date)!=2018-01", 5),
        // Missing and malformed values have the empty key, as in by.
        ("month(date)=", 2),
        ("month(date)~^$", 2),
        ("month(date)^=2018", 3),
        // The order of the calendar, in which digits count as they stand.
        ("month(date)>=2018-03", 2),
        ("month(date)>2018-12", 1),
        ("month(date)<2018-01", 1),
        ("month(date)<=2018-01", 2),
        ("MONTH( #14 )=2017-12", 1),
        ("month(image)=2018-04", 6),
        ("year(TRANSACTION_DT)=2018", 3),
        ("year(TRANSACTION_DT)>=2018", 3),
        ("year(TRANSACTION_DT)<02018.0", 1),
        ("year(date)!=2018", 3),
        ("zip5(zip)=94105,94110", 3),
        ("zip5(zip)=", 2),
        ("zip5(zip)!=", 4),
        ("zip5(zip)<5000", 1),
        ("first_name(NAME)=MARY", 1),
        ("first_name(NAME)~^MAR", 2),
        ("first_name(NAME)~AR.H", 1),
        ("first_name(NAME)!~A", 3),
        ("first_name(NAME)=", 2),
        ("last_name(name)^=SMI", 2),
        ("last_name(name)=DE LA CRUZ,ACTBLUE", 2),
        ("last_name(name)=", 1),
        // Any column of text.
        ("last_name(CITY)=TOWN", 6),
    ] {
        let ended = count(folder.path(), condition);
        let expected = (0, format!("{lines} itcont.txt\n"), String::new());
        assert_eq!(
            (ended.status, ended.out, ended.err),
            expected,
            "{condition}"
        );
    }
    for command in ["report -f json", "export", "by STATE -f csv"] {
        let mut arguments: Vec<_> = command.split(' ').collect();
        arguments.extend(["itcont.txt", "--where", "first_name(NAME)=MARTHA,ANA"]);
        let two = match command {
            "export" => "\"NAME\":\"SMITH, MARTHA\"",
            "by STATE -f csv" => "CA,2\n",
            _ => "\"lines\":2,\"lines_scanned\":6,",
        };
        let ended = run(fecscan(&arguments).current_dir(folder.path()));
        assert!(ended.out.contains(two), "{command}: {ended:?}");
    }
}

#[test]
fn functions_of_joined_columns_are_conditions() {
    let folder = small_joins::folder();
    for (condition, lines) in [
        ("first_name(cn.CAND_NAME)=ANN", 2),
        ("first_name(CAND_NAME)=", 2),
        ("last_name(CAND_NAME)!=PIE", 3),
        ("zip5(cmte_zip)=90049", 2),
        ("zip5(cm.zip)^=1", 2),
        ("month(date)=2018-01", 5),
    ] {
        let arguments = [
            "count",
            "itcont.txt",
            "--with",
            "cm.txt",
            "--with",
            "cn.txt",
            "--where",
            condition,
        ];
        let ended = small_joins::run_in(folder.path(), &arguments);
        assert_eq!(
            ended.out,
            format!("{lines} itcont.txt\n"),
            "{condition}: {}",
            ended.err
        );
    }
    let arguments = [
        "count",
        "itcont.txt",
        "--with",
        "cm.txt",
        "--where",
        "year(CMTE_NM)=2018",
    ];
    small_joins::assert_refused(
        small_joins::run_in(folder.path(), &arguments),
        "itcont.txt: year takes dates and image numbers, and CMTE_NM holds text; cm has no column of them\n",
    );
}

#[test]
fn values_that_a_function_never_makes_get_a_note() {
    let folder = folder();
    for (condition, is, advice) in [
        (
            "month(date)=01/2018",
            "month(date) is a month such as 2018-01, never '01/2018'",
            "month(date)=2018-01",
        ),
        (
            "month(date)!=2018-1",
            "month(date) is a month such as 2018-01, never '2018-1'",
            "month(date)!=2018-01",
        ),
        (
            "month(date)=2018-01,201803",
            "month(date) is a month such as 2018-01, never '201803'",
            "month(date)=2018-03",
        ),
        (
            "month(date)=01152018",
            "month(date) is a month such as 2018-01, never '01152018'",
            "month(date)=2018-01",
        ),
        (
            "month(date)=2018-01-15",
            "month(date) is a month such as 2018-01, never '2018-01-15'",
            "month(date)=2018-01",
        ),
        (
            "month(date)=2018",
            "month(date) is a month such as 2018-01, never '2018'",
            "year(date)=2018",
        ),
        (
            "month(date)=JAN",
            "month(date) is a month such as 2018-01, never 'JAN'",
            "",
        ),
        (
            "month(date)=13/2018",
            "month(date) is a month such as 2018-01, never '13/2018'",
            "",
        ),
        (
            "year(date)=2018-01",
            "year(date) is a year such as 2018, never '2018-01'",
            "month(date)=2018-01",
        ),
        (
            "year(date)=18",
            "year(date) is a year such as 2018, never '18'",
            "",
        ),
        (
            "zip5(zip)!=94105-1234",
            "zip5(zip) is five digits, never '94105-1234'",
            "zip5(zip)!=94105",
        ),
        (
            "zip5(zip)=2138",
            "zip5(zip) is five digits, never '2138'",
            "zip5(zip)=02138",
        ),
        (
            "zip5(zip)=K1A 0B1",
            "zip5(zip) is five digits, never 'K1A 0B1'",
            "",
        ),
        (
            "first_name(NAME)=MARY ANN",
            "first_name(NAME) is one word, never 'MARY ANN'",
            "first_name(NAME)=MARY",
        ),
        (
            "first_name(#8)=\"ROE, MARY\"",
            "first_name(#8) is one word, never 'ROE, MARY'",
            "first_name(#8)=MARY",
        ),
        (
            "last_name(name)='SMITH, JOHN'",
            "last_name(name) is the part before the comma, without blanks around it, never 'SMITH, JOHN'",
            "last_name(name)=SMITH",
        ),
        (
            "last_name(name)='D=X, JOHN'",
            "last_name(name) is the part before the comma, without blanks around it, never 'D=X, JOHN'",
            "",
        ),
    ] {
        let ended = count(folder.path(), condition);
        let operator = if condition.contains("!=") { "!=" } else { "=" };
        let advice = match advice {
            "" => String::new(),
            advice => format!(": write '{advice}'"),
        };
        let note = format!("fecscan: note: {operator} compares text, and {is}{advice}");
        assert_eq!(ended.err.lines().next(), Some(&note[..]), "{condition}");
        assert_eq!(ended.status, 0, "{condition}");
    }
    for condition in [
        "month(date)=,2018-13,0000-00",
        "year(date)=1597,",
        "zip5(zip)=00000,",
        "first_name(NAME)=O'NEIL,J.,-",
        "last_name(NAME)=DE LA CRUZ,",
        "month(date)^=01/",
    ] {
        let ended = count(folder.path(), condition);
        assert!(
            !ended.err.contains("compares text"),
            "{condition}: {}",
            ended.err
        );
    }
}

#[test]
fn conditions_on_functions_that_are_wrong_are_usage_errors() {
    let folder = folder();
    let write = "; write COLUMN, an operator and a value, in quotes ";
    for (condition, message) in [
        (
            "month(date)<2018",
            format!("compares months with '2018': write 2018-01, or compare year(date){write}"),
        ),
        (
            "month(date)>=03/2018",
            format!("compares months with '03/2018': write 2018-03{write}"),
        ),
        (
            "month(date)>2018-01-31",
            format!("compares months with '2018-01-31': write 2018-01{write}"),
        ),
        (
            "month(date)<5",
            format!("compares months with '5': write a month as 2018-01{write}"),
        ),
        (
            "year(date)<2018-03",
            format!("compares years with '2018-03': write 2018, or compare month(date){write}"),
        ),
        (
            "year(date)<x",
            format!("compares years with 'x': write a year as 2018{write}"),
        ),
        (
            "first_name(name)>B",
            "compares with a value that is neither a number such as 1000 nor ".to_owned(),
        ),
        ("month()=x", format!("names no column{write}")),
        (
            "month(date=x",
            format!("is neither on a column nor on a function of one, such as month(date){write}"),
        ),
        (
            "month(date)y=x",
            format!("is neither on a column nor on a function of one, such as month(date){write}"),
        ),
        (
            "month((date))=x",
            format!("is neither on a column nor on a function of one, such as month(date){write}"),
        ),
    ] {
        let ended = count(folder.path(), condition);
        assert_eq!((ended.status, &*ended.out), (2, ""), "{condition}");
        let message = format!("fecscan: the condition '{condition}' {message}");
        assert!(
            ended.err.starts_with(&message),
            "{condition}: {}",
            ended.err
        );
    }
    for (condition, message) in [
        (
            "monht(date)=x",
            "there is no function 'monht'; did you mean month(date)? The functions are month, ",
        ),
        (
            "sum(amount)>5",
            "sum(amount) is an aggregate, not a column; conditions choose rows one by one; ",
        ),
        (
            "month(NAME)=x",
            "itcont.txt: month takes dates and image numbers, and NAME holds text; write month(TRANSACTION_DT) or ",
        ),
        (
            "zip5(NAME)=x",
            "itcont.txt: zip5 takes zip codes, and NAME holds text; write zip5(ZIP_CODE)\n",
        ),
        (
            "first_name(date)=x",
            "itcont.txt: first_name takes names, and TRANSACTION_DT holds dates; write first_name(NAME)\n",
        ),
        (
            "month=2018-01",
            "itcont.txt: indiv has no column 'month'; did you mean 'month(TRANSACTION_DT)' or 'month(IMAGE_NUM)'? ",
        ),
        (
            "zip5(zip)<2018-01-31",
            "itcont.txt: zip5(ZIP_CODE) holds no dates, and is compared with one; ",
        ),
        (
            "first_name(NAM)=x",
            "itcont.txt: indiv has no column 'NAM'; did you mean NAME? ",
        ),
    ] {
        let ended = count(folder.path(), condition);
        assert_eq!((ended.status, &*ended.out), (2, ""), "{condition}");
        let lines: Vec<_> = ended
            .err
            .lines()
            .filter(|line| !line.contains(": note: "))
            .collect();
        let message = format!("fecscan: {message}");
        assert!(
            format!("{}\n", lines.join("\n")).starts_with(&message),
            "{condition}: {}",
            ended.err
        );
    }
}

/// A comma behind `^=` is a part of the beginning, as names have it. Without a blank it is nearly always a list.
#[test]
fn a_list_of_beginnings_gets_a_note() {
    for (condition, write) in [
        ("zip^=900,100", Some("'zip~^(900|100)'")),
        ("month(date)^=2018,2017", Some("'month(date)~^(2018|2017)'")),
        ("employer^=A.B,C", Some("'employer~^(A\\.B|C)'")),
        ("name^=ROE, JO", None),
        ("name^=ROE,", None),
        ("name^=\"ROE,JO\"", None),
    ] {
        let mut ended = fecscan(["count", "--where", condition, "fixtures/generated.txt"]);
        let ended = run(&mut ended);
        assert_eq!(ended.status, 0, "{condition}");
        match write {
            Some(write) => assert!(ended.err.contains(write), "{condition}: {}", ended.err),
            None => assert!(!ended.err.contains("~^("), "{condition}: {}", ended.err),
        }
    }
}
