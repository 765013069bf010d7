//! The domain: what the FEC's files mean.
//!
//! Schemas, months and first names as total functions on byte slices: an answer or none, never a
//! panic, no I/O. Which bytes make up a column is the scanner's matter, what is counted is the
//! folds'.

pub mod first_name;
pub mod month;
pub mod schema;

/// White space as the regular expression class `\s` has it for ASCII: the blank, and the five
/// controls from tab to carriage return. (`u8::is_ascii_whitespace` leaves the vertical tab out.)
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A control character: a byte below the blank. Some of them are white space.
pub fn is_control(byte: u8) -> bool {
    byte < b' '
}

/// `bytes` without the ASCII white space at its ends.
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
