//! `fecscan by`: its formats, its notes, its order.

use std::fs;

use crate::cli::{PLAIN, done};
use crate::common::program::{assert_usage_error, fecscan, run, run_with};

#[test]
fn extremes_of_whole_numbers_are_whole() {
    let ended = run_with(&format!(
        "by STATE --max len(NAME) --min year(date) --mean len(NAME) --having max(len(NAME))>=27 -f csv {PLAIN}"
    ));
    let header = "STATE,count,max(len(NAME)),min(year(TRANSACTION_DT)),mean(len(NAME))";
    assert_eq!(ended.out, format!("{header}\nOR,7,27,2018,17.86\n"));
}

#[test]
fn an_order_may_number_a_column_of_any_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sales.csv");
    fs::write(&path, "city,price\nNome,1\nBarrow,2\n").unwrap();
    let by = |options: &str| {
        let all = format!("by city --header -f csv {options}");
        run(fecscan(all.split_whitespace()).arg(&path))
    };
    for (sum, order) in [("price", "#2"), ("#2", "price")] {
        let ended = by(&format!("--sum {sum} --sort sum({order})"));
        assert_eq!(
            ended.out, "city,count,sum(price)\nBarrow,1,2.00\nNome,1,1.00\n",
            "{order}"
        );
    }
    let ended = by("--sum price --sort sum(#1)");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.contains("can't be sorted by 'sum(#1)'"),
        "{}",
        ended.err
    );
}

#[test]
fn text_is_what_a_person_reads() {
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

STATE  count  sum(TRANSACTION_AMT)     share
OR         7                400.00   88.89 %
WA         1                 50.00   11.11 %

2 groups; 8 lines scanned.
Among them: refunds 1, conduit copies 0, memo rows 0. --contributions leaves them out.
";
    assert_eq!(
        run_with(&format!("by STATE --sum amount {PLAIN}")),
        done(expected)
    );
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

month(TRANSACTION_DT)  TRANSACTION_TP  count  max(TRANSACTION_DT)  sum(TRANSACTION_AMT)     share  mean(TRANSACTION_AMT)  distinct(NAME)
2018-03                15                  2           2018-03-15                300.00   66.67 %                 150.00               2
2018-04                15                  2           2018-04-30                100.00   22.22 %                  50.00               2
2018-05                15                  2           2018-05-31                100.00   22.22 %                  50.00               2
(rest)                                     2           2018-05-11                -50.00  -11.11 %                 -25.00               -

3 of 5 groups; 8 lines scanned.
1 line has no date for max(TRANSACTION_DT).
Among them: refunds 1, conduit copies 0, memo rows 0. --contributions leaves them out.
";
    let ended = run_with(&format!(
        "by month(date),type --max date --sum amount --mean #15 --distinct NAME --sort SUM(#15) --top 3 {PLAIN}"
    ));
    assert_eq!(ended, done(expected));
}

/// As texts, 9 is more than 10.
#[test]
fn an_order_by_a_key_of_numbers_is_that_of_their_values() {
    let first = |key: &str, order: &str| {
        let words = [
            "by",
            key,
            "--sort",
            order,
            "--top",
            "3",
            "-f",
            "csv",
            "fixtures/generated.txt",
        ];
        let rows = run(&mut fecscan(words)).out;
        let keys = rows.lines().skip(1).filter_map(|row| row.split(',').next());
        keys.map(|key| key.parse().unwrap()).collect::<Vec<f64>>()
    };
    for key in ["len(NAME)", "amount"] {
        let (least, most) = (first(key, "key"), first(key, &format!("{key} desc")));
        assert!(least.is_sorted(), "{least:?}");
        assert!(most.is_sorted_by(|one, other| one >= other), "{most:?}");
        assert!(least[2] < most[2], "{least:?} {most:?}");
    }
}

#[test]
fn memo_rows_are_counted_where_rows_have_no_type() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("oppexp.txt");
    let row = |memo: &str| {
        let image = "201804179108121900";
        let to = "OAK LLC|NOME|AK|99762|03/31/2018|5|P2018|RENT|001|";
        format!("C00990001|N|2018|Q1|{image}|17|F3|SB|{to}|{memo}||ORG|4|1|T||\n")
    };
    fs::write(&path, row("X") + &row("")).unwrap();
    let ended = run_with(&format!("by STATE --sum amount {}", path.display()));
    let expected = "\nAmong them: memo rows 1. --where \"memo_cd <> 'X'\" leaves memo rows out.\n";
    assert!(ended.out.ends_with(expected), "{}{}", ended.out, ended.err);
}

#[test]
fn empty_keys_and_missing_values_are_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let row = |state: &str, amount: &str| {
        format!("C00990001|N|M4|P|I|15|IND|N|C|{state}|Z|E|O|D|{amount}||T|1|X||2\n")
    };
    let rows = row("", "1234567.5") + &row("", "-2345.67") + &row("A", "x") + &row("A", "");
    fs::write(&path, rows).unwrap();
    let path = path.display();
    let ended = run_with(&format!("by STATE --sum amount --min amount {path}"));
    let expected = "\
STATE    count  sum(TRANSACTION_AMT)     share  min(TRANSACTION_AMT)
(empty)      2          1,232,221.83  100.00 %             -2,345.67
A            2                     -         -                     -

2 groups; 4 lines scanned.
2 lines have no number for sum(TRANSACTION_AMT), min(TRANSACTION_AMT).
Among them: refunds 0, conduit copies 0, memo rows 4. --where \"memo_cd <> 'X'\" leaves memo rows out.
";
    assert!(ended.out.ends_with(expected), "{}", ended.out);
    let csv = run_with(&format!("by STATE --sum amount --min amount -f csv {path}"));
    let expected =
        "STATE,count,sum(TRANSACTION_AMT),min(TRANSACTION_AMT)\n,2,1232221.83,-2345.67\nA,2,,\n";
    assert_eq!(csv.out, expected);
    let note =
        "fecscan: note: 2 lines have no number for sum(TRANSACTION_AMT), min(TRANSACTION_AMT)\n";
    assert_eq!(csv.err, note);
    let json = run_with(&format!("by STATE --sum amount -f json {path}")).out;
    let expected = "[\n{\"STATE\":\"\",\"count\":2,\"sum(TRANSACTION_AMT)\":1232221.83},\n\
                    {\"STATE\":\"A\",\"count\":2,\"sum(TRANSACTION_AMT)\":null}\n]\n";
    assert_eq!(json, expected);
}

#[test]
fn the_header_and_the_footer_count_lines_scanned_and_matching() {
    let ended = run_with(&format!(
        "by STATE --where state='WA' --top 1 {PLAIN} fixtures/one-line.txt"
    ));
    let expected = "\
fixtures/plain.txt     1.29 kB  1 matching line
fixtures/one-line.txt    156 B  0 matching lines
all files              1.45 kB  1 of 9 lines

STATE  count     share
WA         1  100.00 %

1 group; 9 lines scanned, 1 matching.
Among them are no refunds, conduit copies or memo rows.
";
    assert_eq!(ended, done(expected));
    let ended = run_with("by STATE --top 1 fixtures/indiv18.zip");
    let expected =
        "  note: 4 members in a folder are left out; --member 'by_date/*' chooses what is there\n";
    assert!(
        ended.out.contains(expected) && ended.err.is_empty(),
        "{ended:?}"
    );
    assert!(ended.out.contains("\n(rest) "), "{}", ended.out);
    let ended = run_with("by STATE --top 1 -f csv fixtures/indiv18.zip");
    assert!(
        ended.err.contains("4 members in a folder are left out"),
        "{}",
        ended.err
    );
}

#[test]
fn no_groups_are_said_to_be_none() {
    let ended = run_with("by STATE fixtures/empty.txt");
    let expected = "\
fixtures/empty.txt  0 B  0 lines

There are no groups: there are no lines.
0 groups; 0 lines scanned.
";
    assert_eq!(ended, done(expected));
    let ended = run_with(&format!("by STATE --where state='XX' {PLAIN}"));
    let said = "\n\nThere are no groups: no line meets the conditions.\n0 groups; 8 lines scanned, 0 matching.\n";
    assert!(ended.out.ends_with(said), "{}", ended.out);
    for (format, expected) in [
        ("json", "[]\n"),
        ("csv", "STATE,count\n"),
        ("tsv", "STATE\tcount\n"),
        ("markdown", "| STATE | count |\n|---|---|\n"),
    ] {
        let ended = run_with(&format!("by STATE -f {format} fixtures/empty.txt"));
        assert_eq!(ended, done(expected), "{format}");
    }
}

#[test]
fn aggregates_keep_the_order_in_which_they_are_typed() {
    let header = |options: &str| {
        let ended = run_with(&format!("by STATE {options} --top 0 -f csv {PLAIN}"));
        ended.out.trim_end().to_owned()
    };
    assert_eq!(
        header("--min amount --sum amount --distinct NAME --min date --mean amount"),
        "STATE,count,min(TRANSACTION_AMT),sum(TRANSACTION_AMT),distinct(NAME),min(TRANSACTION_DT),mean(TRANSACTION_AMT)"
    );
    assert_eq!(header(""), "STATE,count");
}

#[test]
fn groups_are_sorted_as_asked() {
    let states = |options: &str| {
        let ended = run_with(&format!("by TRANSACTION_DT {options} -f csv {PLAIN}"));
        let lines = ended.out.lines().skip(1);
        let keys = lines.map(|line| line.split(',').next().unwrap().to_owned());
        keys.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        states(""),
        "03152018  04022018 04302018 05112018 05122018 05312018"
    );
    assert_eq!(
        states("--sort count --ascending"),
        " 04022018 04302018 05112018 05122018 05312018 03152018"
    );
    assert_eq!(
        states("--sort KEY"),
        " 03152018 04022018 04302018 05112018 05122018 05312018"
    );
    let by_sum = "--sum TRANSACTION_AMT --sort sum(amount)";
    assert_eq!(
        states(by_sum),
        "03152018 04022018 04302018 05122018 05312018  05112018"
    );
    assert_eq!(
        states(&format!("{by_sum} --ascending")),
        "05112018  04022018 04302018 05122018 05312018 03152018"
    );
    // The empty date has no first date, and comes last either way.
    let by_date = "--min date --sort min(date)";
    assert_eq!(
        states(by_date),
        "05312018 05122018 05112018 04302018 04022018 03152018 "
    );
    assert_eq!(
        states(&format!("{by_date} --ascending")),
        "03152018 04022018 04302018 05112018 05122018 05312018 "
    );
    let descending = |orders: &[&str]| {
        let mut command = fecscan(["by", "TRANSACTION_DT", "-f", "csv", "--limit", "2"]);
        run(command.args(orders).arg(PLAIN)).out
    };
    let header = "TRANSACTION_DT,count\n";
    assert_eq!(
        descending(&["--sort", "date desc"]),
        format!("{header}05312018,1\n05122018,1\n")
    );
    assert_eq!(
        descending(&["--sort", "count", "--sort", "KEY desc"]),
        format!("{header}03152018,2\n05312018,1\n")
    );
}

#[test]
fn groups_that_do_not_meet_conditions_are_in_the_rest() {
    let question = "by state --sum amount --having count>=7 --having sum(#15)!=400.01";
    let expected = "\
STATE   count  sum(TRANSACTION_AMT)     share
OR          7                400.00   88.89 %
(rest)      1                 50.00   11.11 %

1 of 2 groups; 8 lines scanned.
1 group does not meet count>=7 and sum(TRANSACTION_AMT)!=400.01.
";
    let text = run_with(&format!("{question} {PLAIN}")).out;
    assert!(text.contains(expected), "{text}");
    let csv = run_with(&format!("{question} -f csv {PLAIN}"));
    assert_eq!(csv, done("STATE,count,sum(TRANSACTION_AMT)\nOR,7,400.00\n"));
    let none = run_with(&format!("by state --having count>8 -n 1 {PLAIN}")).out;
    assert!(none.contains("0 of 2 groups; 8 lines"), "{none}");
}

/// #1 is CAND_ID in ccl and CMTE_ID elsewhere. #15 is TRANSACTION_AMT in indiv, and TRANSACTION_PGI in oppexp.
#[test]
fn the_schema_tells_which_aggregate_an_order_means() {
    let directory = tempfile::tempdir().unwrap();
    let ccl = directory.path().join("ccl.txt").display().to_string();
    fs::write(
        &ccl,
        "H1|2016|2016|C1|H|P|1\nH1|2016|2016|C2|S|P|2\nH2|2016|2016|C2|S|P|3\n",
    )
    .unwrap();
    let by_type = format!("by CMTE_TP --distinct CAND_ID -f csv {ccl}");
    for order in ["distinct(#1)", "distinct(candidate)", "DISTINCT(cand_id)"] {
        let ended = run_with(&format!("{by_type} --sort {order} --ascending"));
        assert_eq!(
            ended.out, "CMTE_TP,count,distinct(CAND_ID)\nH,1,1\nS,2,2\n",
            "{}",
            ended.err
        );
    }
    let refused = "groups can't be sorted by";
    let no_such = format!("by CMTE_TP --distinct CMTE_ID --sort distinct(#1) {ccl}");
    assert_usage_error(&no_such, &format!("{ccl}: {refused} 'distinct(#1)'"));
    let nowhere = format!("by CMTE_TP --distinct #1 --sort distinct(#4) {ccl}");
    assert_usage_error(&nowhere, &format!("{refused} 'distinct(#4)'"));
    let by_sum = |order| format!("by STATE --sum amount --sort {order} --schema oppexp {PLAIN}");
    assert_usage_error(
        &by_sum("sum(#15)"),
        &format!("{PLAIN}: {refused} 'sum(#15)'"),
    );
    assert_eq!(run_with(&by_sum("sum(#14)")).status, 0);
}

/// Malformed dates have the empty key, as in days and weeks. Conditions count them, and the column itself stays as it is.
#[test]
fn dates_without_a_month_of_the_calendar_have_the_empty_key() {
    let directory = tempfile::tempdir().unwrap();
    let row = |image: &str, date: &str| {
        format!("C1|N|M4|P|{image}|15|IND|N|C|CA|Z|E|O|{date}|10||T|1|||2\n")
    };
    let rows = [
        row("201813990000000001", "13152018"),
        row("201800150000000001", "00152018"),
        row("15970235141", "20181331"),
        row("201801990000000001", "01992018"),
    ];
    fs::write(directory.path().join("itcont.txt"), rows.concat()).unwrap();
    let run_here = |arguments: &[&str]| run(fecscan(arguments).current_dir(&directory));
    for (key, expected) in [
        ("month(date)", ",3\n2018-01,1\n"),
        ("month(image)", ",3\n2018-01,1\n"),
        ("year(date)", ",3\n2018,1\n"),
        ("quarter(date)", ",3\n2018-Q1,1\n"),
        ("date", "00152018,1\n01992018,1\n13152018,1\n20181331,1\n"),
    ] {
        let ended = run_here(&["by", key, "-f", "csv", "itcont.txt"]);
        let (_, groups) = ended.out.split_once('\n').unwrap();
        assert_eq!(groups, expected, "{key}: {}", ended.err);
    }
    let ended = run_here(&["count", "--where", "month(date) = 1", "itcont.txt"]);
    let note = "fecscan: note: no line meets the conditions\n\
                fecscan: note: 4 lines are left out because a condition is NULL there: a number or a date is empty or malformed\n";
    assert_eq!((&*ended.out, &*ended.err), ("0 itcont.txt\n", note));
}
