//! Functions of columns of the FEC's files: zip codes, first and last names, and months of dates in their own form.
//!
//! All are total functions on bytes. Malformed or missing values give no bytes. They allocate nothing: a text is a part of the column.

use super::{date, trimmed};

/// Returns the month of a date `MMDDYYYY` as a number: a zero, and then the bytes of `YYYY-MM`. Says whether the bytes are digits that begin with a
/// month.
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
