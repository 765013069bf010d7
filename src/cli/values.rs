//! Values as they are typed: numbers, sizes.

use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};
use std::str::FromStr;

/// More threads than any machine has processors are a mistake.
const THREADS_MAX: usize = 4096;

/// A number, with blanks around it if need be.
pub fn number<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, &'static str> {
    text.trim()
        .parse::<N>()
        .map_err(|error| match error.kind() {
            IntErrorKind::PosOverflow => "that is more than can be counted",
            _ => "a whole number is needed, without separators",
        })
}

/// A number of bytes, perhaps in a unit.
pub fn byte_count(text: &str) -> Result<u64, &'static str> {
    let unit = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("a whole number is needed, and perhaps one of K, M, G, T"),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| "a whole number is needed, and perhaps one of K, M, G, T")?;
    number
        .checked_mul(1 << shift)
        .ok_or("that is more than can be counted")
}

/// A number of threads.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|n: &NonZeroUsize| n.get() <= THREADS_MAX);
    number.ok_or_else(|| format!("a number from 1 to {THREADS_MAX} is needed"))
}
