//! The domain: what the FEC's files mean.
//!
//! Schemas, dates, amounts, names and other derived keys are total functions on byte slices. They return `None`
//! for malformed bytes, never panic and do no I/O. The scanner finds the columns; the folds count.

pub mod amount;
pub(crate) mod by_schema;
mod columns;
pub mod date;
mod decimal;
pub mod derived;
pub mod first_name;
mod kinds_by_column;
mod lasting;
pub mod layout;
mod like;
pub mod month;
pub(crate) mod number;
pub mod origin;
mod recognition;
pub mod schema;
pub mod texts;
mod transaction_types;

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

/// Returns a text without the byte-order mark that spreadsheets put in front.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Returns up to eight bytes as a number: zeros, and then the bytes. Only zeros in front can make it
/// that of a shorter text.
#[inline(always)]
pub(crate) fn word(bytes: &[u8]) -> Option<u64> {
    let missing = 8_usize.checked_sub(bytes.len())?;
    // Two loads that overlap.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let low = u64::from(u32::from_le_bytes(*first));
        let high = u64::from(u32::from_le_bytes(*last));
        return Some(high << 32 | low << (8 * missing));
    }
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return Some(0);
    };
    let half = bytes.len() / 2;
    let [first, middle, last] = [first, bytes[half], last].map(u64::from);
    Some(last << 56 | middle << (8 * (missing + half)) | first << (8 * missing))
}
