//! Days as people and spreadsheets write them, which few files have: without zeros, with a time, days before months.

use std::cell::Cell;

use super::{of_digits, year_first};
use crate::fec::trimmed;

/// Returns the same of a form that few files have: `YYYYMMDD`, or a day without zeros or with a time. Notes a day before its month.
#[cold]
#[inline(never)]
pub(in crate::fec) fn other_digits(date: &[u8]) -> Option<[u8; 8]> {
    if let Some(date) = year_first(date) {
        return Some(date);
    }
    let Written { numbers, order } = Written::of(date)?;
    let [[m1, m2], [d1, d2], [y1, y2], [y3, y4]] = numbers;
    let month_first = [m1, m2, d1, d2, y1, y2, y3, y4];
    let day_first = [d1, d2, m1, m2, y1, y2, y3, y4];
    let is_proof = order == Order::DayFirst || of_digits(month_first).is_none();
    if order != Order::YearFirst && is_proof && of_digits(day_first).is_some() {
        DAY_FIRST.set(Some(day_first));
    }
    (order != Order::DayFirst).then_some(month_first)
}

thread_local! {
    /// A day that was read on this thread and stands before its month, as the digits `MMDDYYYY`.
    static DAY_FIRST: Cell<Option<[u8; 8]>> = const { Cell::new(None) };
}

/// Returns a day before its month that was to be read on this thread since the last call, if there was one.
///
/// It proves that other days of the file, such as 05/01/2018, were read as months. Functions of values return no errors, so the
/// engine asks after each chunk.
pub(crate) fn take_day_first() -> Option<u32> {
    DAY_FIRST.take().and_then(of_digits)
}

/// A day as people and programs write it: numbers of one or two digits, and four for a year, with slashes or hyphens between them. A time
/// may follow.
struct Written {
    /// Month, day, and both halves of the year, or day and month instead.
    numbers: [[u8; 2]; 4],
    order: Order,
}

/// What the form of a day says about the order of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// With hyphens, the year comes first, and then the month.
    YearFirst,
    /// With slashes, the year comes last.
    YearLast,
    /// With points, days stand before months, and the year comes last.
    DayFirst,
}

impl Written {
    fn of(date: &[u8]) -> Option<Written> {
        let separator = *date.iter().find(|byte| !byte.is_ascii_digit())?;
        if !matches!(separator, b'/' | b'-' | b'.') {
            return None;
        }
        let end = date.iter().position(|byte| matches!(byte, b' ' | b'T'));
        let (day, time) = date.split_at(end.unwrap_or(date.len()));
        let is_time = matches!(
            time,
            [] | [_, b'0'..=b'9', b':', ..] | [_, b'0'..=b'2', b'0'..=b'9', b':', ..]
        );
        let mut parts = day.split(|&byte| byte == separator);
        let parts = [parts.next()?, parts.next()?, parts.next()?];
        let are_all = day.iter().filter(|&&byte| byte == separator).count() == 2;
        let two = |part: &[u8]| match *part {
            [digit] => Some([b'0', digit]),
            [tens, digit] => Some([tens, digit]),
            _ => None,
        };
        let four = |part: &[u8]| match *part {
            [y1, y2, y3, y4] => Some([[y1, y2], [y3, y4]]),
            _ => None,
        };
        if !is_time || !are_all {
            return None;
        }
        let (order, first, second, year) = match separator {
            b'-' => (Order::YearFirst, parts[1], parts[2], parts[0]),
            b'/' => (Order::YearLast, parts[0], parts[1], parts[2]),
            _ => (Order::DayFirst, parts[0], parts[1], parts[2]),
        };
        let (first, second, year) = (two(first)?, two(second)?, four(year)?);
        let numbers = [first, second, year[0], year[1]];
        Some(Written { numbers, order })
    }
}

/// Says whether a column is a day before its month, such as `31/12/2018`, and no month before its day.
pub(crate) fn is_day_first(column: &[u8]) -> bool {
    matches!(day_first(column), Some(DayFirst::Proven(_)))
}

/// A day of a column in which days stand before months.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DayFirst {
    /// A day that could also be a month before a day.
    Possible(u32),
    /// A day that is no month.
    Proven(u32),
    /// A month that stands before its day.
    Refuted,
}

/// Reads a day before its month and its year, with slashes or points between them: `31/12/2018`, `31.12.2018`, `1/5/2018 10:00`.
pub(crate) fn day_first(column: &[u8]) -> Option<DayFirst> {
    let Written { numbers, order } = Written::of(trimmed(column))?;
    let [first, second, [y1, y2], [y3, y4]] = numbers;
    let day_of = |[m1, m2]: [u8; 2], [d1, d2]: [u8; 2]| of_digits([m1, m2, d1, d2, y1, y2, y3, y4]);
    match (day_of(second, first), day_of(first, second)) {
        _ if order == Order::YearFirst => None,
        (day, _) if order == Order::DayFirst => day.map(DayFirst::Proven),
        (Some(day), Some(_)) => Some(DayFirst::Possible(day)),
        (Some(day), None) => Some(DayFirst::Proven(day)),
        (None, Some(_)) => Some(DayFirst::Refuted),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fec::date::of_column;

    /// Every day of some months, in all forms in which people and programs write it, with and without a time.
    #[test]
    fn days_need_no_zeros_and_may_have_a_time() {
        for (year, month, last) in [(2018, 1, 31), (2016, 2, 29), (2019, 10, 31)] {
            for day in 1..=31 {
                let exists = day <= last;
                let expected = exists.then_some(year * 10_000 + month * 100 + day);
                for form in [
                    format!("{month}/{day}/{year}"),
                    format!("{month:02}/{day}/{year}"),
                    format!("{month}/{day:02}/{year}"),
                    format!("{year}-{month}-{day}"),
                    format!("{year}-{month:02}-{day:02}"),
                ] {
                    for time in ["", " 0:05", " 12:00:00 AM", "T10:00:00", "T23:59:59.9Z"] {
                        let column = format!(" {form}{time} ");
                        assert_eq!(of_column(column.as_bytes()), expected, "{column}");
                    }
                    for other in [" 3", " at 10:00", "T", " :05", "/", "-1", " 123:00"] {
                        let column = format!("{form}{other}");
                        assert_eq!(of_column(column.as_bytes()), None, "{column}");
                    }
                }
                let points = format!("{month}.{day}.{year}");
                assert_eq!(of_column(points.as_bytes()), None, "{points}");
            }
        }
        for no_day in [
            "1/5/18",
            "001/5/2018",
            "1-5-2018",
            "/1/5/2018",
            "1//5/2018",
            "1/5",
            "5/2018",
        ] {
            assert_eq!(of_column(no_day.as_bytes()), None, "{no_day}");
        }
    }

    #[test]
    fn a_day_before_its_month_is_noticed_where_it_is_read() {
        take_day_first();
        for (column, proof) in [
            ("31/01/2018", Some(20180131)),
            ("13/1/2018 10:00", Some(20180113)),
            ("01/31/2018", None),
            ("1/5/2018", None),
            ("32/01/2018", None),
            ("31/13/2018", None),
            ("31.01.2018", Some(20180131)),
            ("1.2.2018", Some(20180201)),
            ("1.31.2018", None),
            ("2018-31-01", None),
            ("", None),
        ] {
            let _ = of_column(column.as_bytes());
            assert_eq!(take_day_first(), proof, "{column}");
            assert_eq!(take_day_first(), None, "it is told once");
        }
        for (column, read) in [
            ("5/1/2018", Some(DayFirst::Possible(20180105))),
            ("31.1.2018", Some(DayFirst::Proven(20180131))),
            ("5.1.2018", Some(DayFirst::Proven(20180105))),
            ("1.31.2018", None),
            ("1/31/2018", Some(DayFirst::Refuted)),
            ("2018-01-31", None),
            ("31-01-2018", None),
            ("32/13/2018", None),
        ] {
            assert_eq!(day_first(column.as_bytes()), read, "{column}");
        }
    }
}
