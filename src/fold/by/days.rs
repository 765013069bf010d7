//! Days as people type them, for advice.

use crate::fec::date;

/// Returns the day that a value such as `9/15/2018`, `2018-9-15`, `20180915` or `09152018` means, if there is such a day.
pub(super) fn meant(value: &str) -> Option<u32> {
    date::of_column(value.as_bytes()).or_else(|| match three_numbers(value)? {
        [month, day, year] if year.len() == 4 => day_of(year, month, day),
        [year, month, day] => day_of(year, month, day),
    })
}

/// Returns the three numbers of a value that has the form of a day.
fn three_numbers(value: &str) -> Option<[&str; 3]> {
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<_> = value.trim().split(['-', '/', '.']).collect();
    let numbers: [&str; 3] = parts.try_into().ok()?;
    numbers.iter().all(is_number).then_some(numbers)
}

fn day_of(year: &str, month: &str, day: &str) -> Option<u32> {
    date::of_iso(format!("{year}-{month:0>2}-{day:0>2}").as_bytes())
}
