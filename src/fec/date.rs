//! Days of the calendar, as numbers that compare as the days do: `YYYYMMDD`.
//!
//! Only days that exist are parsed, of the years 1 to 9999. An absurd year is still a year.

mod written;

use super::trimmed;

pub(super) use self::written::other_digits;
pub(crate) use self::written::{DayFirst, day_first, is_day_first, take_day_first};

/// The forms of a date in a scanned file, for advice.
pub(super) const FORMS_OF_FILES_ADVICE: &str = "dates are 2018-01-31, 20180131, 01312018, 01/31/2018 or 1/31/2018; if days stand before months: --dates dmy";

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

/// Says whether a number `YYYYMMDD` is a day of the calendar.
pub(crate) fn is_day(day: u32) -> bool {
    of_iso(&iso_bytes(day)) == Some(day)
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

/// Returns the digits `MMDDYYYY` of a day `YYYYMMDD` from 1300 on. No month begins like its year, so it is no day `MMDDYYYY`.
fn year_first(date: &[u8]) -> Option<[u8; 8]> {
    let &[y1, y2, y3, y4, m1, m2, d1, d2] = date else {
        return None;
    };
    let date = [m1, m2, d1, d2, y1, y2, y3, y4];
    (of_digits(date)? >= 13_000_000).then_some(date)
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
    use crate::fec::is_space;

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
                    // A month beside a slash needs no zero, and white space does not count.
                    let is_shorter = place == 0 && text[2] == b'/' && is_space(byte);
                    let right = text[place] == byte
                        || text[place].is_ascii_digit() && byte.is_ascii_digit()
                        || is_shorter;
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
