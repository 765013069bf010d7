//! Days of the calendar, as numbers that compare as the days do: `YYYYMMDD`.
//!
//! Only days that exist are parsed, of the years 1 to 9999. An absurd year is still a year.

use std::cell::Cell;

use super::trimmed;

/// The forms of a date, for advice.
pub(crate) const FORMS: &str = "dates are 2018-01-31, 20180131, 01312018, 01/31/2018 or 1/31/2018; if days stand before months: --dates dmy";

/// Parses a date: `MMDDYYYY` as in most of the FEC's files, `MM/DD/YYYY` as in `oppexp.txt` and `weball.txt`, or `YYYY-MM-DD` and
/// `YYYYMMDD`, which other programs write. Zeros in front of a month or a day may be missing beside slashes or hyphens. A time after
/// such a day, as in `4/30/2018 12:00:00 AM`, and ASCII white space at the ends are ignored.
///
/// ```
/// use fecscan::fec::date;
/// assert_eq!(date::of_column(b"04302018"), Some(20180430));
/// assert_eq!(date::of_column(b"20180430"), Some(20180430));
/// assert_eq!(date::of_column(b"2018-04-30"), Some(20180430));
/// assert_eq!(date::of_column(b"4/30/2018 12:00:00 AM"), Some(20180430));
/// assert_eq!(date::of_column(b"04312018"), None);
/// assert!(date::of_column(b"12312017") < date::of_iso(b"2018-01-01"));
/// ```
pub fn of_column(column: &[u8]) -> Option<u32> {
    let day = digits(trimmed(column)).and_then(of_digits);
    day.or_else(|| of_digits(other_digits(trimmed(column))?))
}

/// Parses a date as ISO 8601 writes it: `YYYY-MM-DD`.
pub fn of_iso(text: &[u8]) -> Option<u32> {
    match text {
        &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] => {
            of_digits([m1, m2, d1, d2, y1, y2, y3, y4])
        }
        _ => None,
    }
}

/// Writes a day `YYYYMMDD` as ISO 8601 does.
///
/// ```
/// assert_eq!(fecscan::fec::date::iso(20180430), "2018-04-30");
/// ```
pub fn iso(day: u32) -> String {
    iso_bytes(day).map(char::from).iter().collect()
}

/// Returns the same as bytes.
pub(crate) fn iso_bytes(day: u32) -> [u8; 10] {
    // Each digit by itself, so that none waits for another.
    let digit = |unit: u32| b'0' + (day / unit % 10) as u8;
    let [y1, y2, y3, y4] = [10_000_000, 1_000_000, 100_000, 10_000].map(digit);
    let [m1, m2, d1, d2] = [1000, 100, 10, 1].map(digit);
    [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2]
}

/// The days from the first of March of the year 0 to the first of 1970.
const EPOCH: i32 = 719_468;

/// Returns the number of days from the first of 1970 to `day`.
pub(crate) fn days_since_1970(day: u32) -> i32 {
    let (year, month, of_month) = (day / 10_000, day / 100 % 100, day % 100);
    // Years that begin in March end with the day that leap years have more.
    let year = (year - u32::from(month < 3)) as i32;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + of_month - 1;
    365 * year + year / 4 - year / 100 + year / 400 + of_year as i32 - EPOCH
}

/// Returns the day after this number of days from the first of 1970.
pub(crate) fn of_days_since_1970(days: i32) -> u32 {
    const DAYS_OF_400_YEARS: i32 = 146_097;
    let days = days + EPOCH;
    let (centuries, days) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (days - days / 1_460 + days / 36_524 - days / 146_096) / 365;
    let days = days - (365 * year + year / 4 - year / 100);
    let month = (5 * days + 2) / 153;
    let of_month = days - (153 * month + 2) / 5 + 1;
    let year = 400 * centuries + year + i32::from(month > 9);
    (year * 10_000 + ((month + 2) % 12 + 1) * 100 + of_month) as u32
}

/// Returns the days since a Monday.
pub(crate) fn weekday(day: u32) -> u32 {
    // The first of 1970 was a Thursday.
    (days_since_1970(day) + 3).rem_euclid(7) as u32
}

/// Returns the year and the number of the week by ISO 8601. The Thursday of a week decides its year.
pub(crate) fn week(day: u32) -> (u32, u32) {
    let thursday = days_since_1970(day) + 3 - weekday(day) as i32;
    let year = of_days_since_1970(thursday) / 10_000;
    let of_year = thursday - days_since_1970(year * 10_000 + 101);
    (year, of_year as u32 / 7 + 1)
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Returns the bytes where a date has the digits `MMDDYYYY`, in each form of a date.
#[inline]
pub(super) fn digits(date: &[u8]) -> Option<[u8; 8]> {
    match *date {
        [m1, m2, d1, d2, y1, y2, y3, y4]
        | [m1, m2, b'/', d1, d2, b'/', y1, y2, y3, y4]
        | [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2]
        | [
            y1,
            y2,
            y3,
            y4,
            b'-',
            m1,
            m2,
            b'-',
            d1,
            d2,
            b' ' | b'T',
            b'0'..=b'2',
            b'0'..=b'9',
            b':',
            ..,
        ] => Some([m1, m2, d1, d2, y1, y2, y3, y4]),
        _ => None,
    }
}

/// Returns the same of a form that few files have: `YYYYMMDD`, or a day without zeros or with a time. Notes a day before its month.
#[cold]
#[inline(never)]
pub(super) fn other_digits(date: &[u8]) -> Option<[u8; 8]> {
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
        let is_time = match time {
            [] => true,
            [_, b'0'..=b'9', b':', ..] => true,
            [_, b'0'..=b'2', b'0'..=b'9', b':', ..] => true,
            _ => false,
        };
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

/// Returns the digits `MMDDYYYY` of a day `YYYYMMDD` from 1300 on. No month begins like its year, so it is no day `MMDDYYYY`.
fn year_first(date: &[u8]) -> Option<[u8; 8]> {
    let &[y1, y2, y3, y4, m1, m2, d1, d2] = date else {
        return None;
    };
    let date = [m1, m2, d1, d2, y1, y2, y3, y4];
    (of_digits(date)? >= 13_000_000).then_some(date)
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

/// Parses `MMDDYYYY`, all digits at once.
fn of_digits(date: [u8; 8]) -> Option<u32> {
    const LENGTHS: [u8; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (digits, are_digits) = digits_of(date);
    if !are_digits {
        return None;
    }
    // Each even byte has the number of a pair of digits.
    let pairs = digits * 10 + (digits >> 8);
    let [month, _, of_month, _, century, _, of_century, _] = pairs.to_le_bytes();
    let year = u32::from(century) * 100 + u32::from(of_century);
    let days = LENGTHS.get(usize::from(month))? + u8::from(month == 2 && is_leap(year));
    let exists = year >= 1 && (1..=days).contains(&of_month);
    exists.then_some(year * 10_000 + u32::from(month) * 100 + u32::from(of_month))
}

/// Returns the values of eight digits, one in each byte, and whether the bytes are digits. With `Option`, the compiler emits a
/// branch.
#[inline(always)]
pub(super) fn digits_of(bytes: [u8; 8]) -> (u64, bool) {
    let values = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    // A value above 9 has its high bit, or gets it by adding 0x76.
    let above = values | values.wrapping_add(0x7676_7676_7676_7676);
    (values, above & 0x8080_8080_8080_8080 == 0)
}

/// Says whether eight bytes are digits, and the first two are 01 to 12.
#[inline(always)]
pub(super) fn begin_with_month(bytes: [u8; 8]) -> bool {
    let values = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    // The second value is 7 more after a 1, and one less: 0 to 8 for 01 to 12. That of 00 borrows, and so has its high bit.
    let values_and_month = values.wrapping_add((values & 0xff) * 0x700);
    let values_and_month = values_and_month.wrapping_sub(0x100);
    // A first value above 1 gets its high bit by adding 0x7e, and a second above 8 by adding 0x77.
    let above = values | values_and_month | values_and_month.wrapping_add(0x7676_7676_7676_777e);
    above & 0x8080_8080_8080_8080 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks through the calendar day by day, which tells the existing dates apart from all others.
    #[test]
    fn exactly_the_days_of_the_calendar_are_dates() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let years = (0..=2500)
            .step_by(7)
            .chain(1890..=2110)
            .chain([400, 1600, 9999]);
        for year in years {
            let leap = (year % 4 == 0) != (year % 100 == 0) || year % 400 == 0;
            for month in 0..=99 {
                for day in 0..=99 {
                    let last = match month {
                        2 if leap => 29,
                        1..=12 => lengths[month as usize - 1],
                        _ => 0,
                    };
                    let expected = (year > 0 && day >= 1 && day <= last)
                        .then_some(year * 10_000 + month * 100 + day);
                    let column = format!("{month:02}{day:02}{year:04}");
                    let slashes = format!("{month:02}/{day:02}/{year:04}");
                    let iso = format!("{year:04}-{month:02}-{day:02}");
                    let (century, of_century) = (year / 100, year % 100);
                    let year_first = format!("{month:02}{day:02}-{century:02}-{of_century:02}");
                    let year_first = of_iso(year_first.as_bytes()).filter(|_| month > 12);
                    let of_digits = expected.or(year_first);
                    assert_eq!(of_column(column.as_bytes()), of_digits, "{column}");
                    let bytes = column.as_bytes().first_chunk().unwrap();
                    assert_eq!(
                        begin_with_month(*bytes),
                        (1..=12).contains(&month),
                        "{column}"
                    );
                    assert_eq!(of_column(slashes.as_bytes()), expected, "{slashes}");
                    assert_eq!(of_iso(iso.as_bytes()), expected, "{iso}");
                }
            }
        }
    }

    #[test]
    fn every_other_byte_in_any_place_is_refused() {
        type Parse = fn(&[u8]) -> Option<u32>;
        for (parse, text) in [
            (of_column as Parse, &b"11112011"[..]),
            (of_column, b"11/11/2011"),
            (of_iso, b"2011-11-11"),
        ] {
            assert_eq!(parse(text), Some(20111111));
            for place in 0..text.len() {
                for byte in 0..=255_u8 {
                    let mut changed = text.to_vec();
                    changed[place] = byte;
                    let right = text[place] == byte
                        || text[place].is_ascii_digit() && byte.is_ascii_digit();
                    if !right {
                        assert_eq!(parse(&changed), None, "{}", changed.escape_ascii());
                    }
                }
            }
            assert_eq!(parse(&[text, b"0"].concat()), None);
            // A month beside a slash needs no zero.
            let shorter = (text == b"11/11/2011").then_some(20110111);
            assert_eq!(parse(&text[1..]), shorter);
            assert_eq!(parse(b""), None);
        }
        assert_eq!(of_column(b"\x0b 11112011\t\r"), Some(20111111));
        assert_eq!(of_iso(b" 2011-11-11"), None);
        for no_time in [" to 2012-01-01", "T", "Today", " 3"] {
            let column = format!("2011-11-11{no_time}");
            assert_eq!(of_column(column.as_bytes()), None, "{column}");
        }
        for time in [" 00:00:00", "T23:59:59.9Z", " 07:30"] {
            let column = format!("2011-11-11{time}");
            assert_eq!(of_column(column.as_bytes()), Some(20111111), "{column}");
            assert_eq!(of_column(&column.as_bytes()[1..]), None, "{column}");
        }
    }

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
            let _ = crate::fec::derived::month(column.as_bytes());
            assert_eq!(take_day_first(), proof, "month of {column}");
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

    #[test]
    fn days_are_numbered_from_1970_on() {
        let days = (1..=9999).flat_map(|year| (101..=1231).map(move |day| (year, day)));
        let days =
            days.filter_map(|(year, day)| of_column(format!("{day:04}{year:04}").as_bytes()));
        for (number, day) in (-719_162..).zip(days) {
            assert_eq!(days_since_1970(day), number, "{day}");
            assert_eq!(of_days_since_1970(number), day);
        }
        assert_eq!(of_days_since_1970(0), 19_700_101);
        assert_eq!(of_days_since_1970(2_932_896), 99_991_231);
    }

    /// Walks through 600 years, and counts the Thursdays of each. The first of them is in week 1.
    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut days = Vec::new();
        for year in 1700..2300 {
            for month in 1..=12 {
                let leap = month == 2 && is_leap(year);
                let last = lengths[month as usize - 1] + u32::from(leap);
                days.extend((1..=last).map(|day| year * 10_000 + month * 100 + day));
            }
        }
        // The first of January 1700 was a Friday.
        let mut thursdays = (0, 0);
        for (nth, week) in days[3..].chunks_exact(7).enumerate() {
            let year = week[3] / 10_000;
            thursdays = if thursdays.0 == year {
                (year, thursdays.1 + 1)
            } else {
                (year, 1)
            };
            for (place, &day) in week.iter().enumerate() {
                assert_eq!(weekday(day), place as u32, "{day}, week {nth}");
                assert_eq!(super::week(day), thursdays, "{day}");
            }
        }
        assert_eq!([17000101, 17000103].map(super::week), [(1699, 53); 2]);
        assert_eq!(super::week(10101), (1, 1));
    }
}
