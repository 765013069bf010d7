//! Texts as formats write them: as they stand, in quotes, or escaped. Vectors find the bytes that are special in a format.

use rowjson::{Buffer, Text};

use crate::render::TableFormat;
use crate::render::json::push_text;
use crate::scan::Row;
use crate::scan::chunk_at;
use crate::scan::simd::{ByteSet, Kernel, Level, WINDOW_BYTES, Window};

/// Which bytes a text cannot have as they stand, and how it is written then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    special: ByteSet<4>,
    /// Bits for all bytes of a window, if control characters and bytes beyond ASCII are special too.
    beyond_ascii: u64,
    /// The byte around a text that has special bytes, but not this one.
    quote: Option<u8>,
    push: fn(&[u8], &mut Vec<u8>),
}

pub(super) const JSON: Escape = Escape {
    special: ByteSet::new(*b"\"\\\r\n"),
    beyond_ascii: u64::MAX,
    quote: None,
    push: push_text,
};

pub(super) const CSV: Escape = Escape {
    special: ByteSet::new(*b",\"\r\n"),
    beyond_ascii: 0,
    quote: Some(b'"'),
    push: |text, out| TableFormat::Csv.push_field(out, text),
};

pub(super) const TSV: Escape = Escape {
    special: ByteSet::new(*b"\t\\\r\n"),
    beyond_ascii: 0,
    quote: None,
    push: |text, out| TableFormat::Tsv.push_field(out, text),
};

#[inline(always)]
pub(super) fn first_bits(count: usize) -> u64 {
    if count < WINDOW_BYTES {
        !(u64::MAX << count)
    } else {
        u64::MAX
    }
}

/// The most columns of a line among which those with special bytes are known.
pub(super) const SPECIAL_COLUMNS_MAX: usize = u64::BITS as usize;

/// An escape by the instructions of a level.
#[derive(Clone, Copy)]
pub(super) struct Leveled<'a, L>(pub(super) L, pub(super) &'a Escape);

impl<L: Level> Leveled<'_, L> {
    /// Returns a bit for each byte of `window` that a text cannot have as it stands.
    #[inline(always)]
    pub(super) fn special(self, window: &Window) -> u64 {
        let Leveled(level, escape) = self;
        level.is_in(window, &escape.special) | level.beyond_ascii(window) & escape.beyond_ascii
    }

    /// Returns a bit for each column of the line that may have special bytes, the first one lowest.
    #[inline(always)]
    pub(super) fn special_columns(self, row: Row<'_>) -> u64 {
        let (haystack, line) = (row.haystack(), row.line_span());
        let (mut next, mut columns) = (line.start, 0);
        while next < line.end {
            let Some(window) = chunk_at(haystack, next) else {
                return u64::MAX;
            };
            let mut special = self.special(window) & first_bits(line.end - next);
            while special != 0 {
                let column = row.column_at(next + special.trailing_zeros() as usize);
                columns |= 1_u64.checked_shl(column as u32).unwrap_or_default();
                special &= special - 1;
            }
            next += WINDOW_BYTES;
        }
        columns
    }
}

impl<L: Level> rowjson::Escape for Leveled<'_, L> {
    #[inline(always)]
    fn is_plain<const N: usize>(self, bytes: &[u8; N], len: usize) -> bool {
        let mut window = [0; WINDOW_BYTES];
        window[..N].copy_from_slice(bytes);
        self.special(&window) & first_bits(len) == 0
    }

    #[inline(always)]
    fn push(self, text: Text<'_>, out: &mut Buffer) {
        let Leveled(level, escape) = self;
        let len = text.bytes().len();
        match (escape.quote, text.rest().first_chunk()) {
            // A comma, mostly: names have one.
            (Some(quote), Some(window))
                if len <= WINDOW_BYTES && level.eq(window, quote) & first_bits(len) == 0 =>
            {
                out.extend_from_slice(&[quote]);
                out.push_window(window, len);
                out.extend_from_slice(&[quote]);
            }
            _ => out.push_with(|out| (escape.push)(text.bytes(), out)),
        }
    }
}

/// Appends a text, escaped if necessary. Out of line: the loop over a copied row needs the registers.
pub(super) struct PushText<'a>(
    pub(super) &'a Escape,
    pub(super) Text<'a>,
    pub(super) &'a mut Buffer,
);

impl Kernel for PushText<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        self.2.push_text(Leveled(level, self.0), self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::simd::Simd;

    /// A special byte in each place of texts of each length, and one after the text.
    #[test]
    fn special_bytes_are_seen_wherever_they_stand() {
        for simd in Simd::available() {
            for (escape, special) in [(JSON, b"\"\x1f\xe9"), (CSV, b",\"\r"), (TSV, b"\t\\\n")] {
                for len in (0..=66).chain([127, 128, 129, 200]) {
                    for (place, behind) in (0..=len).flat_map(|place| [(place, 1), (place, 80)]) {
                        let mut bytes = vec![b'-'; len + behind];
                        bytes[place] = special[place % special.len()];
                        bytes[len] = special[len % special.len()];
                        let mut expected = Vec::new();
                        (escape.push)(&bytes[..len], &mut expected);
                        let mut out = Buffer::default();
                        simd.dispatch(PushText(&escape, Text::new(&bytes, len), &mut out));
                        assert_eq!(*out, expected[..], "{} {len} {place}", simd.name());
                    }
                }
            }
        }
    }
}
