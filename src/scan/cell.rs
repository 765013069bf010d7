//! A column of a row.

use std::ops::Deref;

use rowjson::Text;

use crate::fec::amount::{Hundredths, hundredths, hundredths_of_eight};
use crate::fec::word;

/// The bytes of one copy, for cells of any shorter length. So many bytes may be read after a cell.
pub(crate) const COPIED_BYTES: usize = 32;

/// A column of a row: its bytes, and quick ways to read short ones.
///
/// A column of up to eight bytes is one load, whatever its length, because bytes of the haystack follow it.
/// From a slice alone, loads would depend on the length, which no branch predictor can guess.
///
/// ```
/// use fecscan::scan::Cell;
/// let amount = Cell::from(&b"-17.5"[..]);
/// assert_eq!(amount.hundredths().unwrap().to_string(), "-17.50");
/// assert_eq!(&*amount, b"-17.5");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    haystack: &'a [u8],
    /// The first byte of the column, and the byte after its last. Whoever reads bytes compares both with the end of the
    /// haystack. A read of a known number of bytes takes one comparison.
    start: usize,
    end: usize,
}

impl<'a> Cell<'a> {
    /// Returns the cell of the first `length` of the bytes of `rest`, which has as many.
    #[inline(always)]
    pub(crate) fn new(rest: &'a [u8], length: usize) -> Cell<'a> {
        Cell {
            haystack: rest,
            start: 0,
            end: length,
        }
    }

    /// Returns the column between two positions in `haystack`. It has no bytes if it lies outside, as a column does that
    /// its line lacks, or if a changing file has turned the positions round.
    #[inline(always)]
    pub(crate) fn at(haystack: &'a [u8], [start, end]: [u32; 2]) -> Cell<'a> {
        Cell {
            haystack,
            start: start as usize,
            end: end as usize,
        }
    }

    /// Returns the bytes of the column.
    #[inline(always)]
    pub fn bytes(self) -> &'a [u8] {
        self.haystack.get(self.start..self.end).unwrap_or_default()
    }

    /// Appends the bytes to `out`. A copy of fixed length, whose unspecified bytes go, takes no loop: groups of three names take 0.9 of the
    /// time.
    #[inline(always)]
    pub(crate) fn append_to(self, out: &mut Vec<u8>) {
        match self.first_bytes::<COPIED_BYTES>() {
            Some(bytes) if self.len() <= COPIED_BYTES => {
                let end = out.len() + self.len();
                out.extend_from_slice(bytes);
                out.truncate(end);
            }
            _ => out.extend_from_slice(self.bytes()),
        }
    }

    /// Returns one to eight bytes as a number: zeros, and then the bytes. Only zeros in front can make it
    /// that of a shorter column.
    #[inline(always)]
    pub fn word(self) -> Option<u64> {
        let length = self.short_length::<8>()?;
        match self.first_bytes() {
            Some(bytes) => Some(u64::from_le_bytes(*bytes) << (u64::BITS - 8 * length as u32)),
            None => word(self.bytes()),
        }
    }

    /// Returns one to sixteen bytes as a number: zeros, and then the bytes. None if the first byte is a zero,
    /// so no other column has the same number.
    #[inline(always)]
    pub(crate) fn wide_word(self) -> Option<u128> {
        let length = self.short_length::<16>()?;
        let bytes = match self.first_bytes() {
            Some(bytes) => u128::from_le_bytes(*bytes),
            None => self.last_sixteen(),
        };
        let in_front = u128::BITS - 8 * length as u32;
        (bytes as u8 != 0).then_some(bytes << in_front)
    }

    #[cold]
    #[inline(never)]
    fn last_sixteen(self) -> u128 {
        let mut bytes = [0; 16];
        let all = self.bytes();
        bytes[..all.len()].copy_from_slice(all);
        u128::from_le_bytes(bytes)
    }

    /// Returns the number of bytes of the column, if it is one to `MOST`.
    #[inline(always)]
    fn short_length<const MOST: usize>(self) -> Option<usize> {
        // That of positions turned round is a great one.
        let length = self.end.wrapping_sub(self.start);
        (length.wrapping_sub(1) < MOST).then_some(length)
    }

    /// Returns what stands before the last `byte`; all without one.
    ///
    /// Inlined, because a cell that a call returns is written to memory in pieces, and waited for when it is loaded as a
    /// whole: groups by NAME took 1.4 of the time.
    #[inline(always)]
    pub(crate) fn before_last(self, byte: u8) -> Cell<'a> {
        let length = memchr::memrchr(byte, self.bytes());
        let end = length.map_or(self.end, |length| self.start + length);
        Cell { end, ..self }
    }

    /// Returns the `N` bytes from the beginning of the column on, unless the haystack ends before. Those after
    /// the column can be anything.
    #[inline(always)]
    pub(crate) fn first_bytes<const N: usize>(self) -> Option<&'a [u8; N]> {
        let end = self.start.saturating_add(N);
        self.haystack.get(self.start..end)?.first_chunk()
    }

    /// Returns the number of bytes of the column.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Says whether the column is empty.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the first byte of the column.
    #[inline(always)]
    pub fn first(self) -> Option<u8> {
        let first = self.haystack.get(self.start).copied();
        first.filter(|_| !self.is_empty())
    }

    /// Parses an amount, as [`hundredths`] does.
    #[inline(always)]
    pub fn hundredths(self) -> Option<Hundredths> {
        match self.short_hundredths() {
            Some(amount) => Some(Hundredths(i128::from(amount))),
            None => hundredths(self.bytes()).map(Hundredths),
        }
    }

    /// Parses an amount of one to eight bytes without decimals, as nearly every one is.
    #[inline(always)]
    pub(crate) fn short_hundredths(self) -> Option<i64> {
        let length = self.short_length::<8>()?;
        let bytes = u64::from_le_bytes(*self.first_bytes()?);
        hundredths_of_eight(bytes, length as u64)
    }
}

impl Deref for Cell<'_> {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}

impl<'a> From<Cell<'a>> for Text<'a> {
    #[inline(always)]
    fn from(cell: Cell<'a>) -> Text<'a> {
        Text::new(
            cell.haystack.get(cell.start..).unwrap_or_default(),
            cell.len(),
        )
    }
}

impl<'a> From<Text<'a>> for Cell<'a> {
    #[inline(always)]
    fn from(text: Text<'a>) -> Cell<'a> {
        Cell::new(text.rest(), text.bytes().len())
    }
}

impl<'a> From<&'a [u8]> for Cell<'a> {
    fn from(bytes: &'a [u8]) -> Cell<'a> {
        Cell::new(bytes, bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_whatever_follows() {
        for length in 0..=12 {
            let bytes = [0x80, 1, 0xfe, 3, 0x7c, 5, 0, 0xff, 9, 10, 11, 12];
            let alone = Cell::from(&bytes[..length]).word();
            assert_eq!(
                alone,
                word(&bytes[..length]).filter(|_| length > 0),
                "{length}"
            );
            assert_eq!(alone.is_some(), (1..=8).contains(&length));
            for behind in [0, 0x55, 0xff] {
                let rest = [&bytes[..length], &[behind; 9][..]].concat();
                assert_eq!(Cell::new(&rest, length).word(), alone, "{length} {behind}");
            }
        }
    }

    /// Amounts of all lengths, with every byte in every place.
    #[test]
    fn amounts_are_the_same_in_a_cell() {
        for text in [
            "7",
            "-7",
            "250",
            "-250",
            "1234567",
            "-1234567",
            "12345678",
            "123456789",
        ] {
            for place in 0..text.len() {
                for byte in 0..=255 {
                    let mut bytes = text.as_bytes().to_vec();
                    bytes[place] = byte;
                    let length = bytes.len();
                    let expected = hundredths(&bytes).map(Hundredths);
                    bytes.extend_from_slice(b"|0123456789");
                    let found = Cell::new(&bytes, length).hundredths();
                    assert_eq!(found, expected, "{}", bytes.escape_ascii());
                    assert_eq!(Cell::from(&bytes[..length]).hundredths(), expected);
                }
            }
        }
        assert_eq!(Cell::from(&b""[..]).hundredths(), None);
    }
}
