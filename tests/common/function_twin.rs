//! The slow twin of functions: values as the contract words them, by regular expressions and the days of the calendar.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::condition;
use super::twin::{columns, trim};

/// The column with this number; an empty one if the line lacks it.
pub fn column(line: &[u8], number: usize) -> &[u8] {
    columns(line).get(number - 1).copied().unwrap_or_default()
}

/// Returns the day of a date, or of an image number of 18 digits, as `YYYYMMDD`.
fn day(column: &[u8]) -> Option<usize> {
    static IMAGE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)^\s*(\d{4})(\d{4})\d{10}\s*$").unwrap());
    let of_image = || {
        let found = IMAGE.captures(column)?;
        condition::date(&[&found[2], &found[1]].concat())
    };
    let date = condition::date(column).or_else(of_image)?;
    Some(date.parse().unwrap())
}

/// Returns the number of days of a year.
fn days(year: usize) -> usize {
    let is_leap = year.is_multiple_of(4) != year.is_multiple_of(100) || year.is_multiple_of(400);
    365 + usize::from(is_leap)
}

/// Returns the number of days before a day. The first was a Monday, in the year 1.
fn days_before(day: usize) -> usize {
    let (year, month, day) = (day / 10_000, day / 100 % 100, day % 100);
    let february = days(year) - 337;
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    (1..year).map(days).sum::<usize>() + months[..month - 1].iter().sum::<usize>() + day - 1
}

/// Returns what several functions make of a column, as `called` shows them.
fn nested(calls: &str, column: &[u8]) -> Vec<u8> {
    if calls == "@" {
        return column.to_vec();
    }
    let (name, inner) = calls.strip_suffix(')').unwrap().split_once('(').unwrap();
    let end = inner.rfind(')').map_or(0, |end| end + 1);
    let end = inner[end..]
        .find(',')
        .map_or(inner.len(), |comma| end + comma);
    let arguments: Vec<_> = inner[end..].split(',').skip(1).collect();
    let value = nested(&inner[..end], column);
    let text = std::str::from_utf8(&value).ok();
    // Characters, or bytes as characters of no case beyond ASCII.
    let pieces: Vec<Vec<u8>> = match text {
        Some(text) => text.chars().map(|c| c.to_string().into_bytes()).collect(),
        None => value.iter().map(|&byte| vec![byte]).collect(),
    };
    match name {
        "upper" => text.map_or_else(
            || value.to_ascii_uppercase(),
            |text| text.to_uppercase().into(),
        ),
        "lower" => text.map_or_else(
            || value.to_ascii_lowercase(),
            |text| text.to_lowercase().into(),
        ),
        "trim" => trim(&value).to_vec(),
        "len" => pieces.len().to_string().into_bytes(),
        "prefix" => pieces
            .into_iter()
            .take(arguments[0].parse().unwrap())
            .flatten()
            .collect(),
        "bin" => {
            let Some(number) = condition::number(&value) else {
                return Vec::new();
            };
            let less = |bound: &&str| number < condition::number(bound.as_bytes()).unwrap();
            let last = arguments.last().unwrap();
            let label = match arguments.iter().position(less) {
                None => format!(">={last}"),
                Some(0) => format!("<{}", arguments[0]),
                Some(nth) => format!("{} to <{}", arguments[nth - 1], arguments[nth]),
            };
            label.into_bytes()
        }
        function => key(function, &value),
    }
}

/// Says whether two digits are a month of the calendar.
fn is_month(digits: &[u8]) -> bool {
    (1..=12).any(|month| format!("{month:02}").as_bytes() == digits)
}

pub fn key(function: &str, column: &[u8]) -> Vec<u8> {
    if function.contains('@') {
        return nested(function, column);
    }
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^(?:(?P<m>\d\d)\d\d(?P<y>\d{4})|(?P<n>\d\d)/\d\d/(?P<z>\d{4})|(?P<w>\d{4})(?P<o>\d\d)\d{12}|(?P<v>\d{4})-(?P<p>\d\d)-\d\d|(?P<u>(?:19|20)\d\d)(?P<q>\d\d))$")
            .unwrap()
    });
    static FIRST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u), \s*([^, ]+)").unwrap());
    static ZIP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)^\d{5}").unwrap());
    let date = || {
        let text = condition::with_dashes(column);
        let found = DATE.captures(&text)?;
        let part = |names: [&str; 5]| {
            let mut parts = names.into_iter().filter_map(|name| found.name(name));
            parts.next().unwrap().as_bytes().to_vec()
        };
        let month = part(["m", "n", "o", "p", "q"]);
        is_month(&month).then(|| (part(["y", "z", "w", "v", "u"]), month))
    };
    match function {
        "" => column.to_vec(),
        "month" => date().map_or(Vec::new(), |(year, month)| [year, month].join(&b'-')),
        "quarter" => date().map_or(Vec::new(), |(year, month)| {
            let month: u32 = std::str::from_utf8(&month).unwrap().parse().unwrap();
            [year, format!("Q{}", month.div_ceil(3)).into_bytes()].join(&b'-')
        }),
        "weekday" => day(column).map_or(Vec::new(), |day| {
            (days_before(day) % 7 + 1).to_string().into_bytes()
        }),
        "day" => day(column).map_or(Vec::new(), |day| {
            format!(
                "{:04}-{:02}-{:02}",
                day / 10_000,
                day / 100 % 100,
                day % 100
            )
            .into_bytes()
        }),
        "week" => day(column).map_or(Vec::new(), |day| {
            // The year is that of the Thursday, whose number among its Thursdays is the week's.
            let mut thursday = days_before(day) / 7 * 7 + 3;
            let mut year = 1;
            while thursday >= days(year) {
                thursday -= days(year);
                year += 1;
            }
            format!("{year:04}-W{:02}", thursday / 7 + 1).into_bytes()
        }),
        "zip3" => ZIP
            .find(column)
            .map_or(Vec::new(), |zip| zip.as_bytes()[..3].to_vec()),
        "year" => date().map_or(Vec::new(), |(year, _)| year),
        "zip5" => ZIP
            .find(column)
            .map_or(Vec::new(), |zip| zip.as_bytes().to_vec()),
        "first_name" => {
            let found = FIRST.captures(trim(column));
            found.map_or(Vec::new(), |found| found[1].to_vec())
        }
        "last_name" => trim(column.split(|&b| b == b',').next().unwrap()).to_vec(),
        other => panic!("{other} is no function"),
    }
}
