//! The numbers of pages are those of JSON.

use fecscan::error::escaped;
use serde_json::Value;

use super::page;
use crate::common::program::{fecscan, json_of};

pub fn json(arguments: &str) -> Value {
    json_of(&mut fecscan(
        format!("{arguments} -f json").split_whitespace(),
    ))
}

/// Returns a text of JSON as a page shows it.
fn visible(text: &Value) -> Option<String> {
    text.as_str().map(|text| escaped(text.as_bytes()))
}

/// Returns a number of JSON as people read it.
fn shown(number: &Value) -> String {
    let text = number.to_string();
    let (whole, decimals) = text
        .split_once('.')
        .map_or((&*text, ""), |(whole, d)| (whole, d));
    let digits = whole.trim_start_matches('-');
    let mut grouped = whole[..whole.len() - digits.len()].to_owned();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match decimals {
        "" => grouped,
        decimals => format!("{grouped}.{decimals:0<2}"),
    }
}

#[test]
fn numbers_of_the_report_are_those_of_json() {
    for arguments in [
        "--top 300 fixtures/generated.txt",
        "--top 5 --name 0,1,2,900 fixtures/generated-hostile.txt",
        "--top 3 fixtures/indiv18.zip",
        "--month-column TRANSACTION_DT --top 4 fixtures/names.txt fixtures/plain.txt",
        "--where state='OR' fixtures/plain.txt",
        "fixtures/old-image-numbers.txt",
        "--force fixtures/empty.txt",
    ] {
        let (page, _) = page(arguments);
        let json = json(arguments);
        let column = json["month_column"].as_str().unwrap();
        let months = json["months"].as_array().unwrap().iter();
        let is_calendar = |month: &str| {
            let (year, month) = month.split_once('-').unwrap();
            ("1975"..="2099").contains(&year) && ("01"..="12").contains(&month)
        };
        let (calendar, other): (Vec<_>, Vec<_>) =
            months.partition(|month| is_calendar(month["month"].as_str().unwrap()));
        let pairs = |months: &[&Value]| -> Vec<[String; 2]> {
            let pair = |month: &&Value| {
                [
                    month["month"].as_str().unwrap().to_owned(),
                    shown(&month["lines"]),
                ]
            };
            months.iter().map(pair).collect()
        };
        let mut expected = pairs(&calendar);
        if !other.is_empty() {
            let lines = other
                .iter()
                .map(|month| month["lines"].as_u64().unwrap())
                .sum::<u64>();
            expected.push(["(other)".to_owned(), shown(&lines.into())]);
        }
        if json["lines_without_month"] != 0 || calendar.len() + other.len() == 0 {
            expected.push(["(none)".to_owned(), shown(&json["lines_without_month"])]);
        }
        let first_two = |rows: &[Vec<String>]| -> Vec<[String; 2]> {
            rows.iter()
                .map(|row| [row[0].clone(), row[1].clone()])
                .collect()
        };
        assert_eq!(first_two(page.table(column)), expected, "{arguments}");
        if !other.is_empty() {
            let tables = page
                .tables
                .iter()
                .filter(|table| table[0].len() == 2 && table[0][0] == column);
            let listed: Vec<_> = tables.flat_map(|table| first_two(&table[1..])).collect();
            assert_eq!(listed, pairs(&other), "{arguments}");
        }
        let names = json["first_names"].as_array().unwrap().iter();
        let names =
            names.map(|name| [visible(&name["first_name"]).unwrap(), shown(&name["lines"])]);
        let none = [
            "(none)".to_owned(),
            shown(&json["lines_without_first_name"]),
        ];
        let names: Vec<_> = names.take(250).chain([none]).collect();
        assert_eq!(first_two(page.table("first name")), names, "{arguments}");
        let at = json["names"].as_array().unwrap().iter();
        let at = at.map(|name| (shown(&name["index"]), visible(&name["name"])));
        let found = page.table("line").iter();
        let found = found.map(|row| {
            (
                row[0].clone(),
                Some(row[1].clone()).filter(|name| !name.starts_with("(th")),
            )
        });
        assert_eq!(
            found.collect::<Vec<_>>(),
            at.collect::<Vec<_>>(),
            "{arguments}"
        );
        let files = json["files"].as_array().unwrap().iter();
        let files = files.map(|file| {
            [
                file["path"].as_str().unwrap().to_owned(),
                shown(&file["lines"]),
            ]
        });
        let sources = page
            .table("file")
            .iter()
            .map(|row| [row[0].clone(), row[3].clone()]);
        assert_eq!(
            sources.collect::<Vec<_>>(),
            files.collect::<Vec<_>>(),
            "{arguments}"
        );
        let facts = page.texts("dd").join(" ");
        for fact in [&json["lines"], &json["distinct_first_names"]] {
            assert!(facts.contains(&shown(fact)), "{facts}");
        }
    }
}

#[test]
fn numbers_of_groups_are_those_of_json() {
    for arguments in [
        "by STATE --sum amount fixtures/indiv18.zip",
        "by date_trunc('month',date),STATE --sum amount --agg min(date),count(NAME) --top 40 fixtures/generated.txt",
        "by year(date) --sum amount --agg min(amount),max(NAME) fixtures/plain.txt",
        "by month(date) --agg max(amount) --sort max(amount) --contributions fixtures/dates.txt",
        "by NAME --sum amount fixtures/generated-hostile.txt",
    ] {
        let (page, _) = page(arguments);
        let json = json(arguments);
        let first = &page.tables[0];
        let names = first[0].iter().filter(|name| *name != "share");
        let places = first[0]
            .iter()
            .enumerate()
            .filter(|(_, name)| *name != "share")
            .map(|(nth, _)| nth);
        let (names, places): (Vec<_>, Vec<_>) = (names.collect(), places.collect());
        let keys = first[0].iter().position(|name| name == "count").unwrap();
        let is_group = |row: &&Vec<String>| row[0] != "(rest)";
        let rows: Vec<_> = first[1..].iter().filter(is_group).collect();
        let objects = json.as_array().unwrap();
        assert_eq!(rows.len(), objects.len().min(250), "{arguments}");
        for (row, object) in rows.iter().zip(objects) {
            assert_eq!(names.len(), object.as_object().unwrap().len());
            for (name, &place) in names.iter().zip(&places) {
                let expected = match &object[*name] {
                    Value::Null if place < keys => "NULL".to_owned(),
                    Value::Null => "-".to_owned(),
                    Value::String(text) if text.is_empty() => "(empty)".to_owned(),
                    Value::String(_) => visible(&object[*name]).unwrap(),
                    // The year 2018 has no thousands.
                    number if place < keys => number.to_string(),
                    number => shown(number),
                };
                assert_eq!(row[place], expected, "{arguments}: {name}");
            }
        }
    }
}
