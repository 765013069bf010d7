//! Dates and numbers as people write them, against the days and numbers that were written.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use fecscan::scan::simd::Simd;

use crate::common::program::{assert_fails, fecscan, run};

/// Returns day and month of many days of 2019.
fn days(seed: u32, count: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..count).map(move |nth| {
        let bits = (nth + seed).wrapping_mul(0x9e37_79b9) >> 8;
        (bits % 28 + 1, bits / 28 % 12 + 1)
    })
}

#[test]
fn months_are_those_of_the_days_in_every_form() {
    type Form = fn(u32, u32) -> String;
    let month_first: [Form; 7] = [
        |d, m| format!("{m}/{d}/2019"),
        |d, m| format!("{m:02}/{d:02}/2019"),
        |d, m| format!("{m:02}/{d:02}/2019 12:00:00 AM"),
        |d, m| format!("{m}/{d}/2019 9:05"),
        |d, m| format!("2019-{m:02}-{d:02}T10:00:00"),
        |d, m| format!("2019-{m}-{d}"),
        |d, m| format!("{m:02}{d:02}2019"),
    ];
    let day_first: [Form; 5] = [
        |d, m| format!("{d}/{m}/2019"),
        |d, m| format!("{d:02}/{m:02}/2019"),
        |d, m| format!("{d}.{m}.2019"),
        |d, m| format!("{d:02}.{m:02}.2019 12:30"),
        |d, m| format!("2019-{m:02}-{d:02}"),
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("days.csv");
    let forms = month_first.map(|form| (form, "mdy"));
    let forms = forms.into_iter().chain(day_first.map(|form| (form, "dmy")));
    for (form, order) in forms {
        let mut text = "id,day\n".to_owned();
        let mut months = BTreeMap::<String, u64>::new();
        for (day, month) in days(7, 1500) {
            writeln!(text, "1,{}", form(day, month)).unwrap();
            *months.entry(format!("2019-{month:02}")).or_default() += 1;
        }
        fs::write(&path, &text).unwrap();
        let months = months
            .iter()
            .map(|(month, count)| format!("{month},{count}\n"));
        let expected = format!("month,count\n{}", months.collect::<String>());
        for level in Simd::available().map(Simd::name) {
            for task in ["50", "2000000"] {
                let by = [
                    "by",
                    "strftime(day, '%Y-%m') AS month",
                    "--sort",
                    "month",
                    "--types",
                    "day=date",
                    "-f",
                    "csv",
                    "--header",
                    "-q",
                ];
                let how = ["--dates", order, "--simd", level, "--task-size", task];
                let ended = run(fecscan([&by[..], &how].concat()).arg(&path));
                assert_eq!(
                    (ended.status, ended.out, &*ended.err),
                    (0, expected.clone(), ""),
                    "{text:.40} {how:?}"
                );
            }
        }
    }
}

/// A day in the place of a month may come anywhere: no month is then wrong, and no order is guessed.
#[test]
fn a_day_that_contradicts_the_order_is_an_error_wherever_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("days.csv");
    let shown = path.display();
    for before in [0, 5, 1200, 30_000] {
        for (days, contradiction, order) in [
            ("05/06/2019", "31/06/2019", None),
            ("05/06/2019", "31/05/2019", None),
            ("05/06/2019", "05/31/2019", Some("dmy")),
        ] {
            let head = format!("id,day\n{}", format!("1,{days}\n").repeat(before));
            let byte = head.len() + 2;
            fs::write(&path, format!("{head}2,{contradiction}\n3,{days}\n")).unwrap();
            let exists = contradiction != "31/06/2019";
            for question in [
                &["by", "month(day)", "--types", "day=date"][..],
                &["by", "id", "--agg", "max(day)", "--types", "day=date"],
                &[
                    "count",
                    "--where",
                    "day >= '2019-01-01'",
                    "--types",
                    "day=date",
                ],
                &["export", "--types", "day=date"],
            ] {
                for threads in ["1", "3"] {
                    let mut command = fecscan(question);
                    command.args(["--header", "-q", "--task-size", "3000", "-j", threads]);
                    order
                        .iter()
                        .for_each(|order| _ = command.args(["--dates", order]));
                    let ended = run(command.arg(&path));
                    if !exists {
                        // No day in either order: it proves nothing.
                        assert_eq!(ended.status, 0, "{before} {question:?} {ended:?}");
                        continue;
                    }
                    assert_eq!(
                        ended.status, 2,
                        "{before} {contradiction} {question:?} {ended:?}"
                    );
                    let says =
                        |text: &str| assert!(ended.err.contains(text), "{text}: {}", ended.err);
                    says("--dates ");
                    if order.is_some() {
                        says(&format!(
                            "{shown}: line {}: {contradiction} has a month before its day (byte {byte})",
                            before + 2
                        ));
                    } else if before > 1000 {
                        says(&format!(
                            "{shown}: has the day {contradiction}, and others may have been read as months (byte {byte})"
                        ));
                    }
                }
            }
            // Where no days are read, it is a text.
            let ended = run(
                fecscan(["by", "id", "-f", "csv", "--header", "-q", "--sort", "id"]).arg(&path),
            );
            assert_eq!(ended.status, 0, "{}", ended.err);
        }
    }
}

/// Writes thousandths as people do.
fn written(thousandths: i64, decimal: char, negative: usize) -> String {
    let thousands = if decimal == ',' { '.' } else { ',' };
    let (whole, rest) = (thousandths.abs() / 1000, thousandths.abs() % 1000);
    let digits = whole.to_string();
    let mut number = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            number.push(thousands);
        }
        number.push(digit);
    }
    if rest > 0 {
        let decimals = format!("{rest:03}");
        number.push(decimal);
        number += decimals.trim_end_matches('0');
    }
    match (thousandths < 0, negative) {
        (false, _) => number,
        (true, 0) => format!("-{number}"),
        (true, 1) => format!("{number}-"),
        (true, _) => format!("({number})"),
    }
}

#[test]
fn numbers_with_separators_have_the_sums_that_were_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("numbers.csv");
    for decimal in [',', '.'] {
        for delimiter in [';', ','] {
            let mut text = format!("key{delimiter}n{delimiter}id\n");
            let mut sums = BTreeMap::<u64, (u64, i64)>::new();
            for nth in 0..3000_u64 {
                let bits = nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                let digits = [10, 1_000, 1_000_000, 10_000_000_000][(bits % 4) as usize];
                let number = (bits / 4 % (2 * digits)) as i64 - digits as i64;
                let field = written(number, decimal, (bits / 64 % 3) as usize);
                let field = if field.contains(delimiter) {
                    format!("\"{field}\"")
                } else {
                    field
                };
                writeln!(text, "{}{delimiter}{field}{delimiter}1.234", nth % 3).unwrap();
                let group = sums.entry(nth % 3).or_default();
                *group = (group.0 + 1, group.1 + number);
            }
            fs::write(&path, &text).unwrap();
            let groups = sums.iter().map(|(key, (count, sum))| {
                let sign = if *sum < 0 { "-" } else { "" };
                format!(
                    "{key},1.234,{count},{sign}{}.{:03}\n",
                    sum.abs() / 1000,
                    sum.abs() % 1000
                )
            });
            let expected = format!("key,id,count,sum(n)\n{}", groups.collect::<String>());
            let (delimiter, decimal) = (delimiter.to_string(), decimal.to_string());
            let by = [
                "by", "key,id", "--sum", "n", "-f", "csv", "--header", "-q", "--sort", "key",
            ];
            let how = [
                "--delimiter",
                &delimiter,
                "--decimal-separator",
                &decimal,
                "--types",
                "n=number:3,id=text",
                "--task-size",
                "100",
            ];
            let ended = run(fecscan([&by[..], &how].concat()).arg(&path));
            assert_eq!(
                (ended.status, ended.out, &*ended.err),
                (0, expected, ""),
                "{how:?}"
            );
        }
    }
}

#[test]
fn decimal_commas_get_advice_and_no_wrong_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("euro.csv");
    fs::write(
        &path,
        "Konto;Betrag\nA;6.120,35\nA;0,50\nB;1.234\nB;-12,5\n",
    )
    .unwrap();
    let shown = path.display();
    let by = [
        "by",
        "Konto",
        "--sum",
        "Betrag",
        "--header",
        "--delimiter",
        ";",
        "-f",
        "csv",
        "-q",
    ];
    let advice = "if a comma stands before the decimals of its numbers: --decimal-separator ,";
    let refused = run(fecscan(by).arg(&path));
    assert_eq!((refused.status, &*refused.out), (2, ""));
    assert!(
        refused.err.contains("sum takes numbers, not VARCHAR"),
        "{}",
        refused.err
    );
    let typed = run(fecscan(by).args(["--types", "Betrag=number:3"]).arg(&path));
    assert_fails(
        typed,
        2,
        &format!("{shown}: Betrag is a column of numbers, and has 6.120,35; {advice}"),
    );
    let read = run(fecscan(by)
        .args(["--decimal-separator", ",", "--types", "Betrag=number"])
        .arg(&path));
    assert_eq!(
        (read.status, &*read.out),
        (0, "Konto,count,sum(Betrag)\nA,2,6120.85\nB,2,1221.50\n")
    );
    fs::write(&path, "Konto;Betrag\nA;6.120,35\nA;1.5\n").unwrap();
    let wrong = run(fecscan(by)
        .args(["--decimal-separator", ",", "--types", "Betrag=number"])
        .arg(&path));
    assert_fails(
        wrong,
        2,
        &format!(
            "{shown}: line 3: 1.5 has a point that stands between no thousands (byte 26); if a point stands before decimals: --decimal-separator .; if the column holds text: --types 'Betrag=text'"
        ),
    );
}

#[test]
fn columns_that_can_be_read_in_two_ways_get_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("doubts.csv");
    let doubt = |day: &str| {
        format!(
            "fecscan: note: v has days such as {day}, and none says whether days or months stand first, so months do; --dates dmy reads days first\n"
        )
    };
    let number = |number: &str| {
        format!(
            "fecscan: note: v has {number}, which is not a number; --decimal-separator . --types v=number reads it\n"
        )
    };
    for (values, option, note) in [
        (["03/04/2020", "05/06/2020"], "", doubt("03/04/2020")),
        (["", "5/6/2020 10:00"], "", doubt("5/6/2020 10:00")),
        (["03/04/2020", "05/31/2020"], "", String::new()),
        (["05/05/2020", "06/06/2020"], "", String::new()),
        (["03/04/2020", "05/06/2020"], "--dates=mdy", String::new()),
        (
            ["03/04/2020", "05/06/2020"],
            "--types=v=text",
            String::new(),
        ),
        (["2020-03-04", "x"], "", String::new()),
        (["5.00-", "7"], "", number("5.00-")),
        (["(5.00)", ""], "", number("(5.00)")),
        (["(5.00)", "x"], "", String::new()),
        (["(5.00)", "7"], "--types=v=text", String::new()),
    ] {
        let [one, other] = values;
        fs::write(&path, format!("id,v\n1,{one}\n2,{other}\n")).unwrap();
        let mut command = fecscan(["by", "id", "--header", "-f", "csv"]);
        command.args(Some(option).filter(|option| !option.is_empty()));
        let ended = run(command.arg(&path));
        assert_eq!((ended.status, ended.err), (0, note), "{values:?} {option}");
    }
}
