//! Functions of texts: letters of one case, beginnings, lengths.
//!
//! A text that is not UTF-8 has a character for each byte, and only letters of ASCII have a case there.

use std::borrow::Cow;

/// Appends a text in capitals.
pub(crate) fn upper(text: &[u8], out: &mut Vec<u8>) {
    cased(text, out, <[u8]>::make_ascii_uppercase, str::to_uppercase);
}

/// Appends a text in small letters.
pub(crate) fn lower(text: &[u8], out: &mut Vec<u8>) {
    cased(text, out, <[u8]>::make_ascii_lowercase, str::to_lowercase);
}

#[inline(always)]
fn cased(text: &[u8], out: &mut Vec<u8>, ascii: fn(&mut [u8]), unicode: fn(&str) -> String) {
    let start = out.len();
    match with_wide_characters(text) {
        Some(text) => out.extend_from_slice(unicode(text).as_bytes()),
        None => {
            out.extend_from_slice(text);
            ascii(&mut out[start..]);
        }
    }
}

/// Returns a text with characters of several bytes. Nearly all texts are ASCII, which takes less time to find out.
fn with_wide_characters(text: &[u8]) -> Option<&str> {
    let is_wide = !text.is_ascii();
    is_wide.then(|| std::str::from_utf8(text).ok()).flatten()
}

/// Returns the first `length` characters, or all.
///
/// ```
/// use fecscan::fec::texts::prefix;
/// assert_eq!(prefix("Muñoz".as_bytes(), 3), "Muñ".as_bytes());
/// assert_eq!(prefix(b"Mu\xf1oz", 3), b"Mu\xf1");
/// ```
pub fn prefix(text: &[u8], length: usize) -> &[u8] {
    if text.len() <= length {
        return text;
    }
    let end = with_wide_characters(text).map(|text| {
        let mut chars = text.char_indices().skip(length);
        chars.next().map_or(text.len(), |(end, _)| end)
    });
    &text[..end.unwrap_or(length)]
}

/// Returns the number of characters.
///
/// ```
/// use fecscan::fec::texts::len;
/// assert_eq!(len("Muñoz".as_bytes()), 5);
/// assert_eq!(len(b"Mu\xf1oz"), 5);
/// ```
pub fn len(text: &[u8]) -> usize {
    with_wide_characters(text).map_or(text.len(), |text| text.chars().count())
}

/// Appends the digits of a number.
pub(crate) fn push_number(mut number: usize, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            return out[start..].reverse();
        }
    }
}

/// Decodes `bytes` as UTF-8, or else as Windows-1252, the encoding of the FEC's older files. Its five
/// undefined bytes become U+FFFD.
///
/// ```
/// use fecscan::fec::texts::decoded;
/// assert_eq!(decoded("PEÑA".as_bytes()), "PEÑA");
/// assert_eq!(decoded(b"PE\xd1A \x80 \x81"), "PEÑA € \u{fffd}");
/// ```
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    /// The characters of the bytes 0x80 to 0x9f. All other bytes are Latin-1.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the functions of strings, character by character.
    #[test]
    fn characters_are_those_of_strings_or_else_bytes() {
        let made = |function: fn(&[u8], &mut Vec<u8>), text: &[u8]| {
            let mut out = b"before ".to_vec();
            function(text, &mut out);
            out.split_off(7)
        };
        for text in ["", "a", "Straße 7, ñ", "ABC def", "ǆ", "日本"] {
            assert_eq!(made(upper, text.as_bytes()), text.to_uppercase().as_bytes());
            assert_eq!(made(lower, text.as_bytes()), text.to_lowercase().as_bytes());
            assert_eq!(len(text.as_bytes()), text.chars().count());
            for length in 0..20 {
                let expected: String = text.chars().take(length).collect();
                assert_eq!(prefix(text.as_bytes(), length), expected.as_bytes());
            }
        }
        assert_eq!(made(upper, b"mu\xf1oz"), b"MU\xf1OZ");
        assert_eq!(made(lower, b"MU\xd1OZ"), b"mu\xd1oz");
        assert_eq!(len(b"\xff\xfe"), 2);
    }

    #[test]
    fn numbers_are_their_digits() {
        for number in (0..2000).chain([65_535, 16_777_216]) {
            let mut out = b"7".to_vec();
            push_number(number, &mut out);
            assert_eq!(out, format!("7{number}").as_bytes());
        }
    }
}
