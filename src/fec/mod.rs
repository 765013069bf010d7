//! The domain: what the FEC's files mean.
//!
//! Schemas, dates, amounts and first names are total functions on byte slices. They return `None`
//! for malformed bytes, never panic and do no I/O. The scanner finds the columns; the folds count.

pub mod amount;
mod columns;
pub mod date;
pub mod first_name;
pub mod month;
pub mod schema;

/// Checks for ASCII white space: the blank and the five controls from tab to carriage return.
///
/// The regular expression class `\s` has the same. `u8::is_ascii_whitespace` lacks the vertical
/// tab.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns `bytes` without the ASCII white space at its ends.
///
/// ```
/// assert_eq!(fecscan::fec::trimmed(b" \x0b PEREZ, JOHN A\t"), b"PEREZ, JOHN A");
/// assert_eq!(fecscan::fec::trimmed(b" \t "), b"");
/// ```
pub fn trimmed(bytes: &[u8]) -> &[u8] {
    let Some(start) = bytes.iter().position(|&b| !is_space(b)) else {
        return &[];
    };
    let end = bytes
        .iter()
        .rposition(|&b| !is_space(b))
        .map_or(start, |last| last + 1);
    &bytes[start..end]
}
