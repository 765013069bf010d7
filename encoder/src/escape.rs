//! Bytes that texts cannot have as they stand.

use crate::{Buffer, Text};

/// The number of bytes that are looked at together.
pub const WINDOW_BYTES: usize = 64;

/// Bytes that are looked at together.
pub type Window = [u8; WINDOW_BYTES];

/// What a format makes of texts. [`Json`] is one; other formats, and other ways to find bytes, can use the same [`Buffer`].
pub trait Escape: Copy {
    /// Says whether the first `len` of `bytes`, at most a window, can stand as they are.
    fn is_plain<const N: usize>(self, bytes: &[u8; N], len: usize) -> bool;

    /// Appends a text with bytes that cannot stand as they are.
    fn push(self, text: Text<'_>, out: &mut Buffer);
}

/// Texts between the quotes of JSON. Bytes that are no UTF-8 become U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Escape for Json {
    /// The compiler makes vectors of the loop: no branch, and no early end. Bytes beyond ASCII are below zero as signed numbers.
    #[inline(always)]
    fn is_plain<const N: usize>(self, bytes: &[u8; N], len: usize) -> bool {
        if N < 32 {
            // In registers: each subtraction sets the high bit of the lowest special byte of a word.
            const ONES: u64 = u64::MAX / 255;
            let special = bytes.as_chunks().0.iter().fold(0, |special, word| {
                let word = u64::from_le_bytes(*word);
                let quotes = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
                let backslashes = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
                special | word | quotes | backslashes | word.wrapping_sub(ONES * 0x20)
            });
            return special & (ONES << 7) == 0;
        }
        let mut is_plain = true;
        // Places have the size of a byte. With whole words, the compiler emitted eight times as many vectors.
        for (place, &byte) in (0..N as i8).zip(bytes) {
            let is_special = (byte.cast_signed() < 0x20) | (byte == b'"') | (byte == b'\\');
            is_plain &= !(is_special & (place < len as i8));
        }
        is_plain
    }

    #[inline(always)]
    fn push(self, text: Text<'_>, out: &mut Buffer) {
        out.push_with(|out| {
            for chunk in text.bytes().utf8_chunks() {
                push_text(chunk.valid().as_bytes(), out);
                if !chunk.invalid().is_empty() {
                    out.extend_from_slice("\u{fffd}".as_bytes());
                }
            }
        });
    }
}

/// Appends a text of UTF-8 as it stands between quotes.
pub fn push_text(text: &[u8], out: &mut Vec<u8>) {
    let (pieces, rest) = text.as_chunks::<16>();
    pieces.iter().for_each(|piece| push_piece(piece, out));
    push_piece(rest, out);
}

/// The compiler makes vectors of the search in a piece of constant size.
#[inline(always)]
fn push_piece(piece: &[u8], out: &mut Vec<u8>) {
    let is_special = |&byte: &u8| (byte < b' ') | (byte == b'"') | (byte == b'\\');
    if !piece.iter().fold(false, |any, byte| any | is_special(byte)) {
        return out.extend_from_slice(piece);
    }
    for &byte in piece {
        let digit = b"0123456789abcdef"[usize::from(byte % 16)];
        match byte {
            8..=10 | 12 | 13 => out.extend_from_slice(&[b'\\', b"btn-fr"[usize::from(byte) - 8]]),
            0..b' ' => out.extend_from_slice(&[b'\\', b'u', b'0', b'0', b'0' + byte / 16, digit]),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
}
