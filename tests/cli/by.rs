//! `fecscan by`: its statement, its order, its rest, its notes.

use std::fs;

use crate::cli::{PLAIN, done};
use crate::common::program::{fecscan, run, run_with, shell};

#[test]
fn the_options_are_short_for_a_statement() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    fs::write(at("sales.csv"), "city,price\nNome,1\nBarrow,2\n").unwrap();
    let sales = at("sales.csv");
    let types = "('10', '10J', '11', '11J', '15', '15E', '15J', '30', '30E', '30J', '30T', '31', '31E', '31J', '31T', '32', '32E', '32J', '32T')";
    for (options, statement) in [
        (
            format!("STATE {PLAIN}"),
            "SELECT STATE, count(*) AS count FROM indiv GROUP BY 1 ORDER BY 2 DESC, 1".to_owned(),
        ),
        (
            format!("'state, year(date) AS year' --sum amount -n 3 {PLAIN}"),
            "SELECT state, year(date) AS year, count(*) AS count, sum(amount) FROM indiv \
             GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 3"
                .to_owned(),
        ),
        (
            format!("STATE --agg 'max(date), median(amount) AS middle' --sum '#15' --sort 'middle DESC, STATE' {PLAIN}"),
            "SELECT STATE, count(*) AS count, sum(#15), max(date), median(amount) AS middle FROM indiv \
             GROUP BY 1 ORDER BY middle DESC, STATE, 1"
                .to_owned(),
        ),
        (
            format!("STATE --where 'amount > 5 OR memo = $$' {PLAIN}").replace("$$", "'\\'X\\''"),
            "SELECT STATE, count(*) AS count FROM indiv WHERE amount > 5 OR memo = 'X' GROUP BY 1 ORDER BY 2 DESC, 1"
                .to_owned(),
        ),
        (
            format!("STATE --where 'amount > 5 OR date IS NULL' --where 'amount < 9' {PLAIN}"),
            "SELECT STATE, count(*) AS count FROM indiv WHERE (amount > 5 OR date IS NULL) AND (amount < 9) \
             GROUP BY 1 ORDER BY 2 DESC, 1"
                .to_owned(),
        ),
        (
            format!("STATE --contributions {PLAIN}"),
            format!(
                "SELECT STATE, count(*) AS count FROM indiv WHERE TRANSACTION_TP IN {types} \
                 GROUP BY 1 ORDER BY 2 DESC, 1"
            ),
        ),
        (
            format!("city --sum price --header --types price=number {sales}"),
            format!("SELECT city, count(*) AS count, sum(price) FROM '{sales}' GROUP BY 1 ORDER BY 3 DESC, 1"),
        ),
        (
            format!("'#1' --delimiter comma {sales}"),
            format!("SELECT #1, count(*) AS count FROM '{sales}' GROUP BY 1 ORDER BY 2 DESC, 1"),
        ),
    ] {
        let ended = shell(&format!("$F by {options} --show-sql"));
        assert_eq!(ended, done(&format!("{statement}\n")), "{options}");
    }
}

/// What `--show-sql` prints is what `by` runs.
#[test]
fn the_statement_has_the_rows_of_the_groups() {
    for options in [
        "STATE",
        "'STATE, CITY' --sum amount",
        "\"date_trunc('month', date) AS month, TRANSACTION_TP\" --sum amount --sort 'month, count DESC' -n 4",
        "CMTE_ID --agg 'count(DISTINCT NAME) AS people, median(amount), avg(amount), min(NAME)' --contributions -n 7",
        "\"CASE WHEN amount < 200 THEN 'small' ELSE 'large' END AS size\" --agg 'max(date)' --where 'amount > 0'",
        "'zip5(zip) AS zip' --where \"STATE = 'CA'\" --where 'date IS NOT NULL OR amount > 9' --sort zip",
        "EMPLOYER --agg 'sum(amount) / count(*) AS mean' --sort 'mean DESC NULLS LAST' -n 0",
        "STATE --sum amount --contributions --where \"date >= '2018-03-01'\" --where 'amount >= 20'",
    ] {
        let groups = |format| {
            let script = format!("$F by {options} -q -f {format} fixtures/generated.txt");
            shell(&script)
        };
        let statement = shell(&format!(
            "$F by {options} --show-sql fixtures/generated.txt"
        ))
        .out;
        for format in ["csv", "json"] {
            let rows = run(fecscan(["sql", statement.trim_end(), "-q", "-f", format])
                .arg("fixtures/generated.txt"));
            assert_eq!(rows.status, 0, "{statement}: {}", rows.err);
            assert_eq!(groups(format).out, rows.out, "{statement}");
        }
    }
}

#[test]
fn the_statement_of_another_file_has_the_rows_of_its_groups() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sales's.csv");
    fs::write(&path, "city;price\nNome;1.5\nBarrow;2\nNome;3\n").unwrap();
    for (keys, layout) in [("city", "--header"), ("#1", "--names city,price --skip 1")] {
        let layout = format!("--delimiter ; --types price=number {layout}");
        let options = format!("--sum price --where price>1 -n 1 {layout}");
        let groups = |more: &[&str]| {
            let mut by = fecscan(["by", keys]);
            by.args(options.split_whitespace()).args(more).arg(&path);
            run(&mut by)
        };
        let statement = groups(&["--show-sql"]).out;
        assert!(
            statement.contains("sales''s.csv' WHERE price > 1 GROUP BY 1 "),
            "{statement}"
        );
        let mut sql = fecscan(["sql", statement.trim_end(), "-q", "-f", "csv"]);
        let rows = run(sql.args(layout.split_whitespace()));
        assert_eq!(rows.status, 0, "{}", rows.err);
        assert_eq!(groups(&["-q", "-f", "csv"]).out, rows.out, "{statement}");
        assert!(rows.out.ends_with("\nNome,2,4.50\n"), "{}", rows.out);
    }
}

#[test]
fn text_is_what_a_person_reads() {
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

STATE  count  sum(amount)     share
OR         7       400.00   88.89 %
WA         1        50.00   11.11 %

2 groups; 8 lines scanned.
Among them: refunds 1, conduit copies 0, memo rows 0. --contributions leaves them out.
";
    assert_eq!(
        run_with(&format!("by STATE --sum amount {PLAIN}")),
        done(expected)
    );
    // Sums and counts of the rest follow from those of all rows, and other aggregates do not.
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

month       type  count  sum(amount)     share  max(date)   avg(#15)  people  count(NAME)
2018-03-01  15        2       300.00   66.67 %  2018-03-15    150.00       2            2
2018-04-01  15        2       100.00   22.22 %  2018-04-30     50.00       2            2
2018-05-01  15        2       100.00   22.22 %  2018-05-31     50.00       2            2
(rest)                2       -50.00  -11.11 %  -                  -       -            2

3 of 5 groups; 8 lines scanned.
Among them: refunds 1, conduit copies 0, memo rows 0. --contributions leaves them out.
";
    let ended = shell(&format!(
        "$F by \"date_trunc('month', date) AS month, type\" --agg 'max(date)' --sum amount \
         --agg 'avg(#15), count(DISTINCT NAME) AS people, count(NAME)' --sort 'SUM(amount) DESC' --top 3 {PLAIN}"
    ));
    assert_eq!(ended, done(expected));
}

/// As texts, 9 is more than 10.
#[test]
fn an_order_by_a_key_of_numbers_is_that_of_their_values() {
    let first = |key: &str, order: &str| {
        let script =
            format!("$F by '{key}' --sort '{key} {order}' -n 3 -f csv fixtures/generated.txt");
        let rows = shell(&script).out;
        let keys = rows.lines().skip(1).filter_map(|row| row.split(',').next());
        keys.map(|key| key.parse().unwrap()).collect::<Vec<f64>>()
    };
    for key in ["length(NAME)", "amount"] {
        let (least, most) = (first(key, ""), first(key, "DESC"));
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

/// An empty text is a value, and an empty or malformed date is NULL.
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
    let ended = run_with(&format!("by STATE --sum amount --agg min(amount) {path}"));
    let expected = "\
STATE    count   sum(amount)     share  min(amount)
(empty)      2  1,232,221.83  100.00 %    -2,345.67
A            2             -         -            -

2 groups; 4 lines scanned.
Among them: refunds 0, conduit copies 0, memo rows 4. --where \"memo_cd <> 'X'\" leaves memo rows out.
";
    assert!(ended.out.ends_with(expected), "{}", ended.out);
    let note = "fecscan: note: 1 value of TRANSACTION_AMT is not a number, and NULL here\n";
    assert_eq!(ended.err, note);
    let csv = run_with(&format!(
        "by STATE --sum amount --agg min(amount) -f csv {path}"
    ));
    let expected = "STATE,count,sum(amount),min(amount)\n,2,1232221.83,-2345.67\nA,2,,\n";
    assert_eq!((&*csv.out, &*csv.err), (expected, note));
    let json = run_with(&format!("by STATE,date --sum amount -f json {path}")).out;
    let expected = "[\n{\"STATE\":\"\",\"date\":null,\"count\":2,\"sum(amount)\":1232221.83},\n\
                    {\"STATE\":\"A\",\"date\":null,\"count\":2,\"sum(amount)\":null}\n]\n";
    assert_eq!(json, expected);
    let text = run_with(&format!("by date -q {path}"));
    assert!(
        text.out.contains("\nNULL      4  100.00 %\n"),
        "{}",
        text.out
    );
    assert_eq!(text.err, "");
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
fn columns_are_the_keys_the_count_the_sums_and_the_other_aggregates() {
    let header = |options: &str| {
        let ended = shell(&format!("$F by {options} --top 0 -f tsv {PLAIN}"));
        ended.out.trim_end().replace('\t', "|")
    };
    assert_eq!(header("STATE"), "STATE|count");
    assert_eq!(
        header(
            "'state, year(date), #6 AS type' --agg 'min(amount), count( DISTINCT name )' --sum amount --agg 'max(#14) AS last' --sum=-amount"
        ),
        "state|year(date)|type|count|sum(amount)|sum(-amount)|min(amount)|count(DISTINCT name)|last"
    );
}

#[test]
fn groups_are_sorted_as_asked() {
    let dates = |options: &str| {
        let ended = shell(&format!("$F by TRANSACTION_DT {options} -f csv {PLAIN}"));
        let lines = ended.out.lines().skip(1);
        let keys = lines.map(|line| line.split(',').next().unwrap().replace("2018-", ""));
        keys.collect::<Vec<_>>().join(" ")
    };
    let by_count = "03-15 04-02 04-30 05-11 05-12 05-31 ";
    assert_eq!(dates(""), by_count);
    assert_eq!(dates("--sort 'count DESC'"), by_count);
    assert_eq!(dates("--sort '2 DESC'"), by_count);
    assert_eq!(
        dates("--sort count"),
        "04-02 04-30 05-11 05-12 05-31  03-15"
    );
    assert_eq!(
        dates("--sort 'TRANSACTION_DT NULLS FIRST'"),
        " 03-15 04-02 04-30 05-11 05-12 05-31"
    );
    let by_sum = "03-15 04-02 04-30 05-12 05-31  05-11";
    assert_eq!(dates("--sum amount"), by_sum);
    assert_eq!(dates("--sum amount --sort 'sum(amount) DESC'"), by_sum);
    // The aggregate of an order need not be listed.
    assert_eq!(dates("--sort 'sum(amount) DESC'"), by_sum);
    // The first aggregate is that of a sum, wherever it stands.
    assert_eq!(dates("--agg 'min(date)' --sum amount"), by_sum);
    assert_eq!(
        dates("--sum amount --sort 'sum(amount)'"),
        "05-11  04-02 04-30 05-12 05-31 03-15"
    );
    // NULL comes last either way, unless NULLS FIRST is written.
    let by_date = "--agg 'min(date) AS first' --sort";
    assert_eq!(
        dates(&format!("{by_date} 'first DESC'")),
        "05-31 05-12 05-11 04-30 04-02 03-15 "
    );
    assert_eq!(dates(&format!("{by_date} first")), by_count);
    for orders in ["'count DESC, date DESC'", "'count DESC' --sort 'date DESC'"] {
        assert_eq!(
            dates(&format!("--sort {orders} --limit 2")),
            "03-15 05-31",
            "{orders}"
        );
    }
}

/// What a shorter statement has no option for.
#[test]
fn having_is_written_in_sql() {
    let ended = shell(&format!(
        "$F sql \"SELECT STATE, count(*) AS count, sum(amount) FROM indiv GROUP BY 1 \
         HAVING count(*) >= 7 AND sum(amount) <> 400.01\" -f csv {PLAIN}"
    ));
    assert_eq!(ended, done("STATE,count,sum(amount)\nOR,7,400.00\n"));
}

/// Malformed dates are NULL. A note counts them, and conditions leave them out.
#[test]
fn dates_that_are_no_days_of_the_calendar_are_null() {
    let directory = tempfile::tempdir().unwrap();
    let row = |date: &str| {
        format!("C1|N|M4|P|201813990000000001|15|IND|N|C|CA|Z|E|O|{date}|10||T|1|||2\n")
    };
    let path = directory.path().join("itcont.txt");
    let dates = ["13152018", "00152018", "20181331", "01992018", "01312018"];
    fs::write(&path, dates.map(row).concat()).unwrap();
    let path = path.display();
    let note = "fecscan: note: 4 values of TRANSACTION_DT are not days, and NULL here\n";
    for (key, expected) in [
        ("month(date)", ",4\n1,1\n"),
        ("year(date)", ",4\n2018,1\n"),
        ("date_trunc('month', date)", ",4\n2018-01-01,1\n"),
        ("strftime(date, '%Y-%m')", ",4\n2018-01,1\n"),
        ("date", ",4\n2018-01-31,1\n"),
    ] {
        let ended = shell(&format!("$F by \"{key} AS key\" -f csv {path}"));
        let (_, groups) = ended.out.split_once('\n').unwrap();
        assert_eq!((groups, &*ended.err), (expected, note), "{key}");
    }
    let ended = shell(&format!("$F by 'left(IMAGE_NUM, 6)' -f csv {path}"));
    assert_eq!(ended.out, "\"left(IMAGE_NUM, 6)\",count\n201813,5\n");
    let ended = shell(&format!("$F count --where 'month(date) = 1' {path}"));
    let note = "fecscan: note: 4 lines are left out because a condition is NULL there: a number or a date is empty or malformed\n";
    assert_eq!((&*ended.out, &*ended.err), (&*format!("1 {path}\n"), note));
}
