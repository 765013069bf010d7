//! Numbers for people.

use std::fmt::Display;

/// Returns `number` with a comma between every three digits.
pub fn grouped(number: u64) -> String {
    with_commas(&number.to_string())
}

/// Returns a number with a noun, or a noun and a verb: `1 row has`, `2 rows have`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), one_or_many(number, one, many))
}

/// Says of how many lines rows are. A line with several matches is several rows.
pub(crate) fn of_scanned(rows: u64, lines: u64) -> String {
    let of = if rows > lines { "rows of" } else { "of" };
    format!("{of} {}", counted(lines, "line", "lines"))
}

pub(crate) fn one_or_many<'w>(number: u64, one: &'w str, many: &'w str) -> &'w str {
    if number == 1 { one } else { many }
}

/// Returns an amount with its decimals, and a comma between every three digits before them.
///
/// ```
/// use fecscan::fec::amount::Hundredths;
/// assert_eq!(fecscan::render::grouped_amount(Hundredths(-123_456_75)), "-123,456.75");
/// ```
pub fn grouped_amount(amount: impl Display) -> String {
    let text = amount.to_string();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", &text[..]),
    };
    let (whole, decimals) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    format!("{sign}{}{decimals}", with_commas(whole))
}

fn with_commas(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number of bytes, to three digits, in units of a thousand.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fec::amount::Hundredths;

    #[test]
    fn numbers_have_a_comma_between_every_three_digits_before_the_decimals() {
        let cases = [
            (0, "0.00"),
            (-5, "-0.05"),
            (99_999, "999.99"),
            (-100_000, "-1,000.00"),
            (
                i128::MAX,
                "1,701,411,834,604,692,317,316,873,037,158,841,057.27",
            ),
        ];
        for (hundredths, text) in cases {
            assert_eq!(grouped_amount(Hundredths(hundredths)), text);
        }
    }

    #[test]
    fn sizes_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (9_996, "10.0 kB"),
            (99_960, "100 kB"),
            (999_600, "1.00 MB"),
            (3_510_318_573, "3.51 GB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes), text);
        }
    }
}
