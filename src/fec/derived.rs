//! Functions of a column that give keys: days, weeks, months, quarters, years, zip codes, first and last names.
//!
//! All are total functions on bytes. Malformed or missing values give `None` or no bytes, which is the
//! empty key. They allocate nothing: the result is a part of the column, or a small array.

use super::{date, trimmed};

/// Returns the month of a date or an image number as `YYYY-MM`.
///
/// After trimming, it is a date in one of the forms of [`of_column`](super::date::of_column), a month such as `201801` of the years 1900
/// to 2099, or an image number of 18 digits, which begins with `YYYYMMDD`. The month must exist, and the day need not.
///
/// ```
/// use fecscan::fec::derived::month;
/// assert_eq!(month(b"01312018"), Some(*b"2018-01"));
/// assert_eq!(month(b"01/31/2018"), Some(*b"2018-01"));
/// assert_eq!(month(b"2018-01-31"), Some(*b"2018-01"));
/// assert_eq!(month(b"1/31/2018 9:05"), Some(*b"2018-01"));
/// assert_eq!(month(b"20180131"), Some(*b"2018-01"));
/// assert_eq!(month(b"201801"), Some(*b"2018-01"));
/// assert_eq!(month(b"201802029090000001"), Some(*b"2018-02"));
/// assert_eq!(month(b"20181331"), None, "neither the month 13 of 2018 nor the month 20 of 1331");
/// assert_eq!(month(b"15970235141"), None, "older image numbers begin with no date");
/// assert_eq!(month(b""), None);
/// ```
pub fn month(column: &[u8]) -> Option<[u8; 7]> {
    let ([y1, y2, y3, y4], [m1, m2]) = year_and_month(column)?;
    Some([y1, y2, y3, y4, b'-', m1, m2])
}

/// Returns the month of a date of eight digits, as [`month`] does, as a number: a zero, and then its bytes.
#[inline(always)]
pub(crate) fn month_of_date(date: [u8; 8]) -> Option<u64> {
    let (month, is_right) = month_of_eight(date);
    is_right.then_some(month)
}

/// Returns the same of any eight bytes, and whether they are digits that begin with a month.
#[inline(always)]
pub(crate) fn month_of_eight(date: [u8; 8]) -> (u64, bool) {
    let is_right = date::begin_with_month(date);
    let date = u64::from_le_bytes(date);
    // The year and a mask. With `date >> 32 << 8` the compiler makes one SHLD of this and `date << 48`, which is slow on
    // AMD's processors.
    let year = date >> 24 & 0x00ff_ffff_ff00;
    let month = year | u64::from(b'-') << 40 | date << 48;
    (month, is_right)
}

/// Returns the year of a date or an image number, as [`month`] finds it.
///
/// ```
/// use fecscan::fec::derived::year;
/// assert_eq!(year(b" 12312017"), Some(*b"2017"));
/// assert_eq!(year(b"2017"), None);
/// ```
pub fn year(column: &[u8]) -> Option<[u8; 4]> {
    year_and_month(column).map(|(year, _)| year)
}

/// Returns the quarter of a date or an image number, as `YYYY-Q` and a digit. [`month`] says which have one.
///
/// ```
/// use fecscan::fec::derived::quarter;
/// assert_eq!(quarter(b"03312018"), Some(*b"2018-Q1"));
/// assert_eq!(quarter(b"10/01/2018"), Some(*b"2018-Q4"));
/// assert_eq!(quarter(b"13312018"), None);
/// ```
pub fn quarter(column: &[u8]) -> Option<[u8; 7]> {
    let ([y1, y2, y3, y4], month) = year_and_month(column)?;
    let quarter = match &month {
        b"01" | b"02" | b"03" => b'1',
        b"04" | b"05" | b"06" => b'2',
        b"07" | b"08" | b"09" => b'3',
        _ => b'4',
    };
    Some([y1, y2, y3, y4, b'-', b'Q', quarter])
}

/// Returns the day of a date or an image number, as the module `date` has days. The day must exist.
///
/// ```
/// use fecscan::fec::derived::date;
/// assert_eq!(date(b"01312018"), Some(20180131));
/// assert_eq!(date(b"201802029090000001"), Some(20180202));
/// assert_eq!(date(b"02302018"), None);
/// ```
pub fn date(column: &[u8]) -> Option<u32> {
    date::of_column(column).or_else(|| match trimmed(column) {
        number if number.len() != 18 || !number.iter().all(u8::is_ascii_digit) => None,
        &[y1, y2, y3, y4, m1, m2, d1, d2, ..] => date::of_column(&[m1, m2, d1, d2, y1, y2, y3, y4]),
        _ => None,
    })
}

/// Returns the day of the week of a date or an image number, from `1`, Monday, to `7`, Sunday. The day must exist.
///
/// ```
/// use fecscan::fec::derived::weekday;
/// assert_eq!(weekday(b"01312018"), Some(b'3'));
/// assert_eq!(weekday(b"11/06/2016"), Some(b'7'));
/// assert_eq!(weekday(b"02302018"), None);
/// ```
pub fn weekday(column: &[u8]) -> Option<u8> {
    date(column).map(|day| b'1' + date::weekday(day) as u8)
}

/// Returns the week of a date or an image number by ISO 8601, as `YYYY-W` and two digits. It begins on a Monday, and belongs to
/// the year of its Thursday. The day must exist.
///
/// ```
/// use fecscan::fec::derived::week;
/// assert_eq!(week(b"01312018"), Some(*b"2018-W05"));
/// assert_eq!(week(b"12312018"), Some(*b"2019-W01"));
/// assert_eq!(week(b"01012017"), Some(*b"2016-W52"));
/// ```
pub fn week(column: &[u8]) -> Option<[u8; 8]> {
    let (year, week) = date::week(date(column)?);
    let digit = |number: u32| b'0' + (number % 10) as u8;
    let [y1, y2, y3, y4] = [year / 1000, year / 100, year / 10, year].map(digit);
    Some([y1, y2, y3, y4, b'-', b'W', digit(week / 10), digit(week)])
}

fn year_and_month(column: &[u8]) -> Option<([u8; 4], [u8; 2])> {
    let column = trimmed(column);
    let is_image_number = column.len() == 18 && column.iter().all(u8::is_ascii_digit);
    let date = match *column {
        [y1, y2, y3, y4, m1, m2, d1, d2, ..] if is_image_number => {
            Some([m1, m2, d1, d2, y1, y2, y3, y4])
        }
        _ => date::digits(column),
    };
    let [m1, m2, _, _, year @ ..] = match date {
        Some(date) if date::begin_with_month(date) => date,
        _ => other_month(column)?,
    };
    Some((year, [m1, m2]))
}

/// Returns the digits of a month in a form that few files have, with any day: `201801`, `1/31/2018`.
#[cold]
#[inline(never)]
fn other_month(column: &[u8]) -> Option<[u8; 8]> {
    let date = match *column {
        // Other numbers of six digits are rarely months.
        [y1, y2, y3, y4, m1, m2] if [*b"19", *b"20"].contains(&[y1, y2]) => {
            [m1, m2, b'0', b'1', y1, y2, y3, y4]
        }
        _ => date::other_digits(column)?,
    };
    date::begin_with_month(date).then_some(date)
}

/// Returns the first five bytes of a zip code if they are digits, and else no bytes. Nothing is trimmed.
///
/// ```
/// use fecscan::fec::derived::zip5;
/// assert_eq!(zip5(b"900491234"), b"90049");
/// assert_eq!(zip5(b"K1A 0B1"), b"");
/// ```
#[inline(always)]
pub fn zip5(column: &[u8]) -> &[u8] {
    match column.first_chunk::<5>() {
        Some(five) if five.iter().all(u8::is_ascii_digit) => five,
        _ => &[],
    }
}

/// Returns the first name in a name, or no bytes. The rule is that of
/// [`first_name`](super::first_name::first_name).
///
/// ```
/// use fecscan::fec::derived::first_name;
/// assert_eq!(first_name(b"PEREZ, JOHN A"), b"JOHN");
/// assert_eq!(first_name(b"ACTBLUE"), b"");
/// ```
pub fn first_name(column: &[u8]) -> &[u8] {
    super::first_name::first_name(column).unwrap_or_default()
}

/// Returns what stands before the first comma of a name, trimmed. A name without a comma is a last name,
/// as that of an organisation.
///
/// ```
/// use fecscan::fec::derived::last_name;
/// assert_eq!(last_name(b" DE LA CRUZ , ANA"), b"DE LA CRUZ");
/// assert_eq!(last_name(b"ACTBLUE "), b"ACTBLUE");
/// assert_eq!(last_name(b", ANA"), b"");
/// ```
pub fn last_name(column: &[u8]) -> &[u8] {
    let end = memchr::memchr(b',', column).unwrap_or(column.len());
    trimmed(&column[..end])
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    /// Returns all strings of up to `longest` bytes over `letters`.
    fn strings(letters: &[u8], longest: u32) -> impl Iterator<Item = Vec<u8>> {
        let count = letters.len();
        let nth = move |length: u32, number: usize| {
            let letter = |place| letters[number / count.pow(place) % count];
            (0..length).map(letter).collect()
        };
        (0..=longest).flat_map(move |length| (0..count.pow(length)).map(move |n| nth(length, n)))
    }

    #[test]
    fn months_of_eight_digits_are_those_of_all_forms() {
        for place in 0..8 {
            for other in 0..8 {
                for byte in 0..=255 {
                    let mut date = *b"12312018";
                    (date[place], date[other]) = (byte, byte);
                    let found = month_of_date(date);
                    let found = found.map(|month| month.to_le_bytes());
                    let found = found.map(|month| *month.last_chunk::<7>().unwrap());
                    // Blanks at the ends make it shorter than a date, and years have another way.
                    let is_whole = date.iter().all(u8::is_ascii_digit);
                    let expected = month(&date).filter(|_| is_whole && date[..2] <= b"12"[..]);
                    assert_eq!(found, expected, "{}", date.escape_ascii());
                }
            }
        }
    }

    /// Compares with regular expressions: every byte in every place of each form, and every length.
    #[test]
    fn months_and_years_are_those_of_three_forms() {
        let forms = r"(?-u)^\s*(?:(MM)\d\d(\d{4})|(0?[1-9]|1[0-2])/\d\d?/(\d{4})|(\d{4})(MM)\d{12}|((?:19|20)\d\d)(MM))\s*$";
        let forms = Regex::new(&forms.replace("MM", "0[1-9]|1[0-2]")).unwrap();
        let check = |text: &[u8]| {
            let found = forms.captures(text);
            let found = found.as_ref().map(|found| {
                let part = |group| found.get(group).map(|part| part.as_bytes());
                let month = part(1).or(part(3)).or(part(6)).or(part(8)).unwrap();
                let year = part(2).or(part(4)).or(part(5)).or(part(7)).unwrap();
                let zero: &[u8] = if month.len() == 1 { b"0" } else { b"" };
                (year, [year, b"-", zero, month].concat())
            });
            let shown = text.escape_ascii();
            let expected = found.as_ref().map(|(_, month)| &month[..]);
            assert_eq!(month(text).as_ref().map(|m| &m[..]), expected, "{shown}");
            let expected = found.as_ref().map(|(year, month)| {
                let month: u32 = std::str::from_utf8(&month[5..]).unwrap().parse().unwrap();
                let year = std::str::from_utf8(year).unwrap();
                format!("{year}-Q{}", month.div_ceil(3))
            });
            let quarter = quarter(text).map(|quarter| quarter.to_vec());
            assert_eq!(quarter, expected.map(String::into_bytes), "{shown}");
            let expected = found.as_ref().map(|(year, _)| *year);
            assert_eq!(year(text).as_ref().map(|y| &y[..]), expected, "{shown}");
        };
        for form in [
            "01312018",
            "12/00/0000",
            "201802029090000001",
            "0131201",
            "",
        ] {
            for place in 0..form.len() {
                for byte in 0..=255 {
                    let mut text = form.as_bytes().to_vec();
                    text[place] = byte;
                    check(&text);
                }
            }
            for around in [" ", "\t\x0b", "0", "x"] {
                check(format!("{around}{form}").as_bytes());
                check(format!("{form}{around}").as_bytes());
            }
        }
        for length in 0..40 {
            check(&b"1234567890".repeat(4)[..length]);
        }
        strings(b"0/ ", 10).for_each(|text| check(&text));
    }

    #[test]
    fn zip_codes_are_cut_to_five_digits_or_empty() {
        let five = Regex::new("(?-u)^[0-9]{5}").unwrap();
        for text in strings(b"07- K", 6) {
            let expected = five.find(&text).map_or(&b""[..], |found| found.as_bytes());
            assert_eq!(zip5(&text), expected, "{}", text.escape_ascii());
        }
        assert_eq!(zip5(b"123456789"), b"12345");
    }

    #[test]
    fn last_names_end_at_the_first_comma() {
        let before = Regex::new(r"(?-u)^\s*([^,]*?)\s*(?:,(?s:.*))?$").unwrap();
        for text in strings(b", a\t", 6).chain([b"A\xff, \n".to_vec(), b"\n, \n".to_vec()]) {
            let expected = before.captures(&text).unwrap().get(1).unwrap().as_bytes();
            assert_eq!(last_name(&text), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn first_names_are_the_defined_ones_or_empty() {
        let defined = Regex::new(r"(?-u), \s*([^, ]+)").unwrap();
        for text in strings(b", a\t\x0b", 6) {
            let found = defined.captures(trimmed(&text));
            let expected = found.map_or(&b""[..], |found| found.get(1).unwrap().as_bytes());
            assert_eq!(first_name(&text), expected, "{}", text.escape_ascii());
        }
    }
}
