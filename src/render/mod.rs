//! Results as bytes: the only code that writes them, one file a format.
//!
//! Formats for machines keep the bytes of the data: JSON as text that says the same, the others as
//! they are. Text for people is made harmless when it goes to a terminal. Every renderer fills a
//! buffer; [`output`] writes it, whole or not at all.

pub mod challenge;
mod destination;
pub mod json;
pub mod ordered;
pub mod output;
pub mod rejects;
pub mod text;
pub mod wc;

use std::borrow::Cow;

/// `bytes` as text: as they stand if they are UTF-8, otherwise as Windows-1252, the encoding of the
/// FEC's older files. The five bytes that are not defined there become U+FFFD.
///
/// ```
/// use fecscan::render::decoded;
/// assert_eq!(decoded("PEÑA".as_bytes()), "PEÑA");
/// assert_eq!(decoded(b"PE\xd1A \x80 \x81"), "PEÑA € \u{fffd}");
/// ```
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    /// The characters of the bytes 0x80 to 0x9f; the other bytes are those of Latin-1.
    const HIGH: [char; 32] = [
        '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
        '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ',
        '\u{fffd}', 'ž', 'Ÿ',
    ];
    let character = |&byte: &u8| match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(character).collect()),
    }
}
