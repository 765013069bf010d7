//! Days of the calendar, as numbers that compare as the days do: `YYYYMMDD`.
//!
//! Only days that exist are parsed, of the years 1 to 9999. An absurd year is still a year.

use super::trimmed;

/// Parses a TRANSACTION_DT: `MMDDYYYY`, or `MM/DD/YYYY` as in `oppexp.txt`. ASCII white space at
/// the ends is ignored.
///
/// ```
/// use fecscan::fec::date;
/// assert_eq!(date::of_column(b"04302018"), Some(20180430));
/// assert_eq!(date::of_column(b"04312018"), None);
/// assert!(date::of_column(b"12312017") < date::of_iso(b"2018-01-01"));
/// ```
pub fn of_column(column: &[u8]) -> Option<u32> {
    match trimmed(column) {
        &[m1, m2, d1, d2, y1, y2, y3, y4] | &[m1, m2, b'/', d1, d2, b'/', y1, y2, y3, y4] => {
            day([y1, y2, y3, y4], [m1, m2], [d1, d2])
        }
        _ => None,
    }
}

/// Parses a date as ISO 8601 writes it: `YYYY-MM-DD`.
pub fn of_iso(text: &[u8]) -> Option<u32> {
    match text {
        &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] => day([y1, y2, y3, y4], [m1, m2], [d1, d2]),
        _ => None,
    }
}

/// Writes a day `YYYYMMDD` as ISO 8601 does.
///
/// ```
/// assert_eq!(fecscan::fec::date::iso(20180430), "2018-04-30");
/// ```
pub fn iso(day: u32) -> String {
    let (year, month, day) = (day / 10_000, day / 100 % 100, day % 100);
    format!("{year:04}-{month:02}-{day:02}")
}

fn day(year: [u8; 4], month: [u8; 2], day: [u8; 2]) -> Option<u32> {
    let [year, month, day] = [number(&year)?, number(&month)?, number(&day)?];
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => return None,
    };
    (year >= 1 && (1..=days).contains(&day)).then_some(year * 10_000 + month * 100 + day)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u32::from(byte - b'0'))
    })
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
                    assert_eq!(of_column(column.as_bytes()), expected, "{column}");
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
            assert_eq!(parse(&text[1..]), None);
            assert_eq!(parse(b""), None);
        }
        assert_eq!(of_column(b"\x0b 11112011\t\r"), Some(20111111));
        assert_eq!(of_iso(b" 2011-11-11"), None);
    }
}
