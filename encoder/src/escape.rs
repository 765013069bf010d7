//! Bytes that texts cannot have as they stand.

use crate::Buffer;

/// The number of bytes that are looked at together.
pub const WINDOW_BYTES: usize = 64;

/// Bytes that are looked at together.
pub type Window = [u8; WINDOW_BYTES];

/// What a format makes of texts. [`Json`] is one; other formats, and other ways to find bytes, can use the same [`Buffer`].
pub trait Escape: Copy {
    /// Says whether the first `len` of `bytes`, at most all of a window or less, can stand as they are.
    fn is_plain<const N: usize>(self, bytes: &[u8; N], len: usize) -> bool;

    /// Appends a text with bytes that cannot stand as they are.
    fn push(self, text: &[u8], out: &mut Vec<u8>);

    /// Appends such a text of fewer bytes than a window, the first `len` of `window`.
    #[inline(always)]
    fn push_short(self, window: &Window, len: usize, out: &mut Buffer) {
        out.push_with(|out| self.push(&window[..len], out));
    }
}

/// The places of the bytes of a window, of their size: vectors of whole words would be eight times as many.
const PLACES: [i8; WINDOW_BYTES] = {
    let mut places = [0; WINDOW_BYTES];
    let mut place = 0;
    while place < WINDOW_BYTES {
        places[place] = place as i8;
        place += 1;
    }
    places
};

/// Texts between the quotes of JSON. Bytes that are no UTF-8 become U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Escape for Json {
    /// The compiler makes vectors of the loop: no branch, and no early end. Bytes beyond ASCII are below zero as signed numbers.
    #[inline(always)]
    fn is_plain<const N: usize>(self, bytes: &[u8; N], len: usize) -> bool {
        if N < 32 {
            let words = bytes
                .as_chunks()
                .0
                .iter()
                .map(|word| u64::from_le_bytes(*word));
            return words.fold(true, |all, word| all & is_plain_word(word));
        }
        let mut is_plain = true;
        for (&byte, &place) in bytes.iter().zip(&PLACES) {
            let is_special = (byte.cast_signed() < 0x20) | (byte == b'"') | (byte == b'\\');
            is_plain &= !(is_special & (place < len as i8));
        }
        is_plain
    }

    fn push(self, text: &[u8], out: &mut Vec<u8>) {
        push_text(String::from_utf8_lossy(text).as_bytes(), out);
    }
}

/// Says the same of eight bytes in a register: each subtraction borrows the high bit of the lowest byte that is special.
#[inline(always)]
fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    let quotes = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslashes = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    let controls = word.wrapping_sub(ONES * 0x20);
    (word | quotes | backslashes | controls) & (ONES << 7) == 0
}

/// Appends a text of UTF-8 in quotes.
pub fn push_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    push_text(text, out);
    out.push(b'"');
}

/// Appends a text of UTF-8 as it stands between quotes.
pub fn push_text(text: &[u8], out: &mut Vec<u8>) {
    let (pieces, rest) = text.as_chunks::<16>();
    for piece in pieces {
        push_piece(piece, out);
    }
    push_piece(rest, out);
}

/// The compiler makes vectors of the loop over a piece of constant size.
#[inline(always)]
fn push_piece(piece: &[u8], out: &mut Vec<u8>) {
    let is_special = |byte: u8| (byte < b' ') | (byte == b'"') | (byte == b'\\');
    if !piece
        .iter()
        .fold(false, |any, &byte| any | is_special(byte))
    {
        return out.extend_from_slice(piece);
    }
    for &byte in piece {
        let letter = match byte {
            _ if !is_special(byte) => {
                out.push(byte);
                continue;
            }
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            0x08 => b'b',
            0x0c => b'f',
            b'"' | b'\\' => byte,
            _ => b'u',
        };
        out.extend_from_slice(&[b'\\', letter]);
        if letter == b'u' {
            out.extend_from_slice(format!("{byte:04x}").as_bytes());
        }
    }
}
