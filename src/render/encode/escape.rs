//! Values as formats write them: as they stand, in quotes, or escaped. The one place of escapes in rows.

use super::row_bytes::RowBytes;
use crate::render::TableFormat;
use crate::render::json::push_text;
use crate::scan::simd::{ByteSet, Kernel, Level, WINDOW_BYTES, Window};
use crate::scan::{Cell, Row, chunk_at};

/// Which bytes a value cannot have as they stand, and how it is written then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    special: ByteSet<4>,
    /// Bits for all bytes of a window, if control characters and bytes beyond ASCII are special too.
    beyond_ascii: u64,
    /// The byte around a value that has special bytes, but not this one.
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
    push: |value, out| TableFormat::Csv.push_field(out, value),
};

pub(super) const TSV: Escape = Escape {
    special: ByteSet::new(*b"\t\\\r\n"),
    beyond_ascii: 0,
    quote: None,
    push: |value, out| TableFormat::Tsv.push_field(out, value),
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

impl Escape {
    /// Returns a bit for each byte of `window` that a value cannot have as it stands.
    #[inline(always)]
    pub(super) fn special<L: Level>(&self, level: L, window: &Window) -> u64 {
        level.is_in(window, &self.special) | level.beyond_ascii(window) & self.beyond_ascii
    }

    /// Returns a bit for each column of the line that may have special bytes, the first one lowest.
    #[inline(always)]
    pub(super) fn special_columns<L: Level>(&self, level: L, row: Row<'_>) -> u64 {
        let (haystack, line) = (row.haystack(), row.line_span());
        let (mut next, mut columns) = (line.start, 0);
        while next < line.end {
            let Some(window) = chunk_at(haystack, next) else {
                return u64::MAX;
            };
            let mut special = self.special(level, window) & first_bits(line.end - next);
            while special != 0 {
                let column = row.column_at(next + special.trailing_zeros() as usize);
                columns |= 1_u64.checked_shl(column as u32).unwrap_or_default();
                special &= special - 1;
            }
            next += WINDOW_BYTES;
        }
        columns
    }

    #[inline(always)]
    pub(super) fn push_value<L: Level>(&self, level: L, value: Cell<'_>, out: &mut RowBytes) {
        let (bytes, mut padded) = (value.bytes(), [0; WINDOW_BYTES]);
        let window = match value.first_bytes() {
            Some(window) if bytes.len() < WINDOW_BYTES => window,
            _ => match bytes.last_chunk() {
                Some(last) => {
                    let windows = bytes.as_chunks().0.iter().chain([last]);
                    let special = |all, window| all | self.special(level, window);
                    return if windows.fold(0, special) == 0 {
                        out.extend_from_slice(bytes);
                    } else {
                        out.push_escaped(|out| (self.push)(bytes, out));
                    };
                }
                None => {
                    padded[..bytes.len()].copy_from_slice(bytes);
                    &padded
                }
            },
        };
        let of_value = first_bits(bytes.len());
        if self.special(level, window) & of_value == 0 {
            return out.push_window(window, bytes.len());
        }
        match self.quote {
            // A comma, mostly: names have one.
            Some(quote) if level.eq(window, quote) & of_value == 0 => {
                out.push_window(&[quote; WINDOW_BYTES], 1);
                out.push_window(window, bytes.len());
                out.push_window(&[quote; WINDOW_BYTES], 1);
            }
            _ => out.push_escaped(|out| (self.push)(bytes, out)),
        }
    }
}

/// Appends a value, escaped if necessary. Out of line: the loop over a copied row needs the registers.
pub(super) struct PushValue<'a>(
    pub(super) &'a Escape,
    pub(super) Cell<'a>,
    pub(super) &'a mut RowBytes,
);

impl Kernel for PushValue<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        self.0.push_value(level, self.1, self.2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::simd::Simd;

    /// A special byte in each place of values of each length, and one after the value.
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
                        let mut out = RowBytes::default();
                        simd.dispatch(PushValue(&escape, Cell::new(&bytes, len), &mut out));
                        let (out, expected) = (out.bytes(), &expected[..]);
                        assert_eq!(out, expected, "{} {len} {place}", simd.name());
                    }
                }
            }
        }
    }
}
