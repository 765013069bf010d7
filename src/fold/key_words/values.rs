//! Values of a few bytes in registers, of many rows side by side.

use super::NULL_PART;
use crate::fec::first_name::{Located, locate};
use crate::scan::simd::{Level, WINDOW_BYTES};
use crate::scan::{Cell, ROWS, Vector, chunk_at};

/// The values of some cells, or what a function makes of them.
#[derive(Debug)]
pub(crate) struct ValueWords {
    /// Zeros, and then the bytes of each value.
    pub(super) words: [u64; ROWS],
    /// The number of bits of each, or [`NO_VALUE`].
    pub(super) bits: [u64; ROWS],
}

/// Stands for the number of bits of a value of more than eight bytes, or one that begins with a zero.
pub(super) const NO_VALUE: u64 = u64::MAX;

impl ValueWords {
    pub(super) const NONE: ValueWords = ValueWords {
        words: [0; ROWS],
        bits: [NO_VALUE; ROWS],
    };

    /// Returns what `value` makes of the first bytes and the length of each value of a column.
    #[inline(always)]
    pub(super) fn with(column: &Vector<'_>, value: impl Fn(u64, u64) -> (u64, u64)) -> ValueWords {
        let (mut words, mut bits) = ([0; ROWS], [0; ROWS]);
        let values = words.iter_mut().zip(&mut bits);
        for ((word, bits), (bytes, length)) in values.zip(column.heads()) {
            (*word, *bits) = value(bytes, length);
        }
        ValueWords { words, bits }
    }

    /// Returns the same byte for all rows.
    #[inline(always)]
    pub(crate) fn same(byte: u8) -> ValueWords {
        ValueWords {
            words: [u64::from(byte) << 56; ROWS],
            bits: [8; ROWS],
        }
    }

    /// Returns what `value` makes of these values.
    #[inline(always)]
    pub(super) fn then(mut self, value: impl Fn(u64, u64) -> (u64, u64)) -> ValueWords {
        for (word, bits) in self.words.iter_mut().zip(&mut self.bits) {
            let bytes = right(*word, u64::from(u64::BITS).wrapping_sub(*bits));
            let (made, made_bits) = value(bytes, *bits / 8);
            // Without a value there is none of it.
            *bits = if *bits == NO_VALUE {
                NO_VALUE
            } else {
                made_bits
            };
            *word = made;
        }
        self
    }

    /// Returns the values: zeros, and then the bytes of each. No value begins with a zero. One that is missing is unspecified.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u64; ROWS] {
        &self.words
    }

    /// Returns a bit for each of the first `rows` whose value is missing.
    #[inline(always)]
    pub(crate) fn missing(&self, rows: usize) -> u32 {
        if !self.lacks_some(rows) {
            return 0;
        }
        let bits = self.bits[..rows].iter().enumerate();
        bits.fold(0, |missing, (nth, &bits)| {
            missing | u32::from(bits == NO_VALUE) << nth
        })
    }

    /// Says whether a value of the first `rows` is missing.
    #[inline(always)]
    pub(crate) fn lacks_some(&self, rows: usize) -> bool {
        let missing = self.bits[..rows].iter().filter(|&&bits| bits == NO_VALUE);
        missing.count() > 0
    }

    /// Appends the value of a row, which is not missing.
    #[inline(always)]
    pub(crate) fn append_to(&self, row: usize, out: &mut Vec<u8>) {
        let bits = self.bits[row];
        let bytes = right(self.words[row], u64::from(u64::BITS).wrapping_sub(bits)).to_le_bytes();
        out.extend_from_slice(&bytes);
        out.truncate(out.len() - bytes.len() + bits as usize / 8);
    }

    /// Returns the values. Those of the first `rows` that are missing are taken from `others`, as they stand.
    #[inline(always)]
    pub(crate) fn completed_by(mut self, rows: usize, others: &Vector<'_>) -> ValueWords {
        if self.lacks_some(rows) {
            let others = ValueWords::with(others, itself);
            for nth in 0..rows {
                if self.bits[nth] == NO_VALUE {
                    (self.words[nth], self.bits[nth]) = (others.words[nth], others.bits[nth]);
                }
            }
        }
        self
    }
}

/// Returns a value and its bits, if there `is` one. With `Option`, the compiler emitted a branch a row in some builds:
/// groups by month took 1.08 of the time.
#[inline(always)]
pub(super) fn value_if(is: bool, word: u64, bits: u64) -> (u64, u64) {
    let mask = u64::from(is).wrapping_neg();
    (word & mask, bits | !mask)
}

/// Does the same, with NULL for a text of no bytes.
#[inline(always)]
pub(super) fn value_or_null(length: u64, is: bool, word: u64, bits: u64) -> (u64, u64) {
    const NULL: u64 = (u16::from_le_bytes(NULL_PART) as u64) << 48;
    let is_null = u64::from(length == 0).wrapping_neg();
    let (word, bits) = value_if(is | (length == 0), word, bits);
    (
        word & !is_null | NULL & is_null,
        bits & !is_null | 16 & is_null,
    )
}

/// Returns a value as it stands, and its bits.
#[inline(always)]
pub(super) fn itself(bytes: u64, length: u64) -> (u64, u64) {
    let bits = 8 * length;
    let word = left(bytes, u64::from(u64::BITS).wrapping_sub(bits));
    // A value that begins with zeros would equal the value without them.
    let is_word = (length <= 8) & ((bytes as u8 != 0) | (length == 0));
    value_if(is_word, word, bits)
}

/// Returns the first five digits, and their bits. Any other value becomes the empty one.
#[inline(always)]
pub(super) fn zip5(bytes: u64, length: u64) -> (u64, u64) {
    let word = bytes << 24;
    let values = word ^ 0x3030_3030_3000_0000;
    let above = values | values.wrapping_add(0x7676_7676_7600_0000);
    let is_right = (above & 0x8080_8080_8000_0000 == 0) & (length >= 5);
    let mask = u64::from(is_right).wrapping_neg();
    (word & mask, 40 & mask)
}

/// Returns a whole number without a zero or a sign in front, as it stands.
#[inline(always)]
pub(super) fn whole(bytes: u64, length: u64) -> (u64, u64) {
    let (word, bits) = itself(bytes, length);
    let is_right = are_digits(word, bits) & (bytes as u8 != b'0') & (bits != NO_VALUE);
    value_or_null(length, is_right, word, bits)
}

/// Returns the hundredths of an amount without a point and without a zero in front, as digits.
#[inline(always)]
pub(super) fn amount(bytes: u64, length: u64) -> (u64, u64) {
    let (word, bits) = itself(bytes, length);
    let is_negative = u64::from(bytes as u8 == b'-');
    let first = bytes >> (8 * is_negative) & 0xff;
    let has_digits = (length > is_negative) & (first != u64::from(b'0')) & (bits != NO_VALUE);
    let of_digits = bits.wrapping_sub(8 * is_negative);
    let is_right = are_digits(word, of_digits) & has_digits & (length <= 6);
    let hundredths = word >> 16 | 0x3030_0000_0000_0000;
    value_or_null(length, is_right, hundredths, bits.wrapping_add(16))
}

/// Says whether the last bytes of a word, of this number of bits, are digits.
#[inline(always)]
fn are_digits(word: u64, bits: u64) -> bool {
    let others = u64::from(u64::BITS).wrapping_sub(bits);
    let each = |byte: u64| left(byte * 0x0101_0101_0101_0101, others);
    let ours = word & each(0xff);
    let values = ours ^ each(0x30);
    // Ten and more reach the high bit.
    let above = values | values.wrapping_add(each(0x76));
    above & each(0x80) == 0
}

/// Returns a value whose letters from `first` on, 26 of them, have the other case. Only ASCII has a value here.
#[inline(always)]
pub(super) fn cased(bytes: u64, length: u64, first: u8) -> (u64, u64) {
    let (word, bits) = itself(bytes, length);
    let each = |byte: u8| u64::from(byte) * 0x0101_0101_0101_0101;
    // The high bit of each byte of ASCII that is at least the letter, and that is beyond the last.
    let from = word.wrapping_add(each(0x80 - first));
    let beyond = word.wrapping_add(each(0x80 - first - 26));
    let letters = (from & !beyond) & each(0x80);
    let is_ascii = word & each(0x80) == 0;
    value_if(is_ascii & (bits != NO_VALUE), word ^ letters >> 2, bits)
}

/// Returns the first `most` bytes. Only ASCII has a value here, because other characters have several bytes.
#[inline(always)]
pub(super) fn prefix(bytes: u64, length: u64, most: u64) -> (u64, u64) {
    let (word, bits) = itself(bytes, length.min(most));
    let is_ascii = word & 0x8080_8080_8080_8080 == 0;
    value_if(is_ascii & (bits != NO_VALUE), word, bits)
}

/// Returns the first name of a name, and its bits, as the report finds it. A rare one has no value here.
#[inline(always)]
pub(super) fn first_name(level: impl Level, name: Cell<'_>) -> (u64, u64) {
    let Some(bytes) = name.first_bytes::<{ WINDOW_BYTES + 8 }>() else {
        return (0, NO_VALUE);
    };
    let window = bytes.first_chunk().expect("the bytes begin with a window");
    let (commas, blanks) = (level.eq(window, b','), level.eq(window, b' '));
    match locate(name.len(), commas, blanks, level.controls(window)) {
        Located::At(start, length) => match chunk_at(bytes, start) {
            Some(head) => itself(u64::from_le_bytes(*head), length as u64),
            None => (0, NO_VALUE),
        },
        Located::Nowhere => (0, 0),
        Located::Unclear => (0, NO_VALUE),
    }
}

/// Shifts by any number of bits.
#[inline(always)]
pub(super) fn left(word: u64, bits: u64) -> u64 {
    if bits < 64 { word << bits } else { 0 }
}

/// Shifts by any number of bits.
#[inline(always)]
pub(super) fn right(word: u64, bits: u64) -> u64 {
    if bits < 64 { word >> bits } else { 0 }
}
