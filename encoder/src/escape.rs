//! Bytes that texts cannot have as they stand.

use crate::Buffer;

/// The number of bytes that are looked at together.
pub const WINDOW_BYTES: usize = 64;

/// Bytes that are looked at together.
pub type Window = [u8; WINDOW_BYTES];

/// What a format makes of texts. [`Json`] is one; other formats, and other ways to find bytes, can use the same [`Buffer`].
pub trait Escape: Copy {
    /// Says whether the first `len` bytes of `window`, at most all, can stand as they are.
    fn is_plain(self, window: &Window, len: usize) -> bool;

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
    fn is_plain(self, window: &Window, len: usize) -> bool {
        let mut special = 0;
        for (&byte, &place) in window.iter().zip(&PLACES) {
            let is_special = byte.cast_signed() < 0x20 || byte == b'"' || byte == b'\\';
            special |= u8::from(is_special & (place < len as i8));
        }
        special == 0
    }

    fn push(self, text: &[u8], out: &mut Vec<u8>) {
        push_text(String::from_utf8_lossy(text).as_bytes(), out);
    }
}

/// Appends a text of UTF-8 in quotes.
pub fn push_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    push_text(text, out);
    out.push(b'"');
}

/// Appends a text of UTF-8 as it stands between quotes.
pub fn push_text(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut rest = text;
    // All bytes that are escaped are ASCII, so runs between them are whole characters.
    while let Some(run) = rest
        .iter()
        .position(|&b| b < b' ' || b == b'"' || b == b'\\')
    {
        out.extend_from_slice(&rest[..run]);
        let byte = rest[run];
        let letter = match byte {
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
            let [high, low] = [byte >> 4, byte & 15].map(|half| HEX[usize::from(half)]);
            out.extend_from_slice(&[b'0', b'0', high, low]);
        }
        rest = &rest[run + 1..];
    }
    out.extend_from_slice(rest);
}
