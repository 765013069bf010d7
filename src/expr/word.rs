//! Keys of a few bytes, put together in registers for many rows side by side.

use super::{Call, KEY_SEPARATOR, KeyFunction};
use crate::fec::first_name::{Located, locate};
use crate::fec::{derived, is_space};
use crate::scan::simd::{Level, WINDOW_BYTES};
use crate::scan::{Cell, ROWS, Vector, chunk_at};

/// The keys of some rows, complete up to the last pushed column: zeros, and then the bytes of the key, as in
/// [`Cell::wide_word`].
///
/// Bytes that were just written in pieces can't be loaded at once: the processor waits until the pieces have reached
/// its cache. These are put together in registers. No loop over usual values has branches.
#[derive(Debug, Default)]
pub(crate) struct KeyWords {
    /// The first eight bytes of each key, and the last.
    low: [u64; ROWS],
    high: [u64; ROWS],
}

/// Both halves of a key that is longer than sixteen bytes, or has a value that is no word. A key of sixteen bytes that
/// begins with these eight is treated as such a key, too.
const NO_WORD: u64 = u64::MAX;

/// The values of some cells.
struct Values {
    /// Zeros, and then the bytes of each value.
    words: [u64; ROWS],
    /// The number of bits of each, or [`NO_VALUE`].
    bits: [u64; ROWS],
}

/// Stands for the number of bits of a value of more than eight bytes, or one that begins with a zero.
const NO_VALUE: u64 = u64::MAX;

impl KeyWords {
    /// Appends the values of `function` for a column to the keys of the first `rows`: after [`KEY_SEPARATOR`], unless
    /// the column is the first of the key. The keys of further rows are unspecified.
    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        level: impl Level,
        place: Place,
        function: &KeyFunction,
        column: &Vector<'_>,
        rows: usize,
    ) {
        let values = match function.call().map(Call::words) {
            None if place == Place::Alone && column.longest() > 8 => {
                return self.begin_wide(column);
            }
            None => Values::with(column, itself),
            Some(Some(WordFunction::Month)) => {
                let values = Values::with(column, month);
                values.completed(rows, |nth| word_of(derived::month(&column.cell(nth))))
            }
            Some(Some(WordFunction::Year)) => {
                let values = Values::with(column, year);
                values.completed(rows, |nth| word_of(derived::year(&column.cell(nth))))
            }
            Some(Some(WordFunction::Zip5)) => Values::with(column, zip5),
            Some(Some(WordFunction::Zip3)) => Values::with(column, zip3),
            Some(Some(WordFunction::Upper)) => {
                Values::with(column, |bytes, length| cased(bytes, length, b'a'))
            }
            Some(Some(WordFunction::Lower)) => {
                Values::with(column, |bytes, length| cased(bytes, length, b'A'))
            }
            Some(Some(WordFunction::Trim)) => Values::with(column, trim),
            Some(Some(WordFunction::Prefix(most))) => {
                Values::with(column, |bytes, length| prefix(bytes, length, most))
            }
            Some(Some(WordFunction::FirstName)) => {
                let mut values = Values::NONE;
                for nth in 0..rows {
                    let value = first_name(level, column.cell(nth));
                    (values.words[nth], values.bits[nth]) = value;
                }
                values
            }
            Some(Some(WordFunction::Each(word))) => {
                Values::NONE.completed(rows, |nth| word(&column.cell(nth)))
            }
            Some(None) => Values::NONE,
        };
        match place {
            Place::Alone => self.begin(&values, 1),
            Place::First => self.begin(&values, 0),
            Place::Further => self.append(&values),
        }
    }

    /// Begins the keys with values of at least this number of bits.
    #[inline(always)]
    fn begin(&mut self, values: &Values, bits_min: u64) {
        for nth in 0..ROWS {
            let bits = values.bits[nth];
            let is_word = bits >= bits_min && bits != NO_VALUE;
            self.low[nth] = if is_word { 0 } else { NO_WORD };
            self.high[nth] = if is_word { values.words[nth] } else { NO_WORD };
        }
    }

    /// Begins the keys with values of one to sixteen bytes.
    #[inline(always)]
    fn begin_wide(&mut self, column: &Vector<'_>) {
        let behind = column.words_at(8);
        for (nth, (bytes, length)) in column.heads().enumerate() {
            let bits = 8 * length;
            let is_word = (length.wrapping_sub(1) < 16) & (bytes as u8 != 0);
            let (short, wide) = (64_u64.wrapping_sub(bits), 128_u64.wrapping_sub(bits));
            let of_front = left(bytes, short) | right(bytes, short.wrapping_neg());
            let high = of_front | left(behind[nth], wide);
            self.low[nth] = if is_word { left(bytes, wide) } else { NO_WORD };
            self.high[nth] = if is_word { high } else { NO_WORD };
        }
    }

    /// Appends a separator and a value to each key.
    #[inline(always)]
    fn append(&mut self, values: &Values) {
        for nth in 0..ROWS {
            let (low, high) = (self.low[nth], self.high[nth]);
            let bits = values.bits[nth];
            let others = u64::from(u64::BITS).wrapping_sub(bits);
            // The separator, and then the value.
            let front = u64::from(KEY_SEPARATOR) << 56 | high >> 8;
            let back = high << 56 | low >> 8;
            let lost = low << 56 | left(back, others);
            let fits = lost == 0 && bits != NO_VALUE;
            let low = left(front, others) | right(back, bits);
            let high = right(front, bits) | values.words[nth];
            self.low[nth] = if fits { low } else { NO_WORD };
            self.high[nth] = if fits { high } else { NO_WORD };
        }
    }

    /// Returns the number of the first `rows` whose keys are no words.
    #[inline(always)]
    pub(crate) fn without(&self, rows: usize) -> usize {
        self.low[..rows]
            .iter()
            .filter(|&&low| low == NO_WORD)
            .count()
    }

    /// Returns the key of a row, if it is a word.
    #[inline(always)]
    pub(crate) fn get(&self, nth: usize) -> Option<u128> {
        let (low, high) = (self.low[nth], self.high[nth]);
        (low != NO_WORD).then_some(joined(low, high))
    }

    /// Returns the first eight bytes of each key, and the last.
    #[inline(always)]
    pub(crate) fn halves(&self) -> (&[u64; ROWS], &[u64; ROWS]) {
        (&self.low, &self.high)
    }
}

/// Returns the key with these halves.
#[inline(always)]
pub(crate) fn joined(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Where a column stands in keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The only column of the key. An empty value is no word.
    Alone,
    First,
    Further,
}

impl Place {
    /// Returns the place of a key's column.
    pub(crate) fn of(nth: usize, columns: usize) -> Place {
        match nth {
            0 if columns == 1 => Place::Alone,
            0 => Place::First,
            _ => Place::Further,
        }
    }
}

impl Values {
    const NONE: Values = Values {
        words: [0; ROWS],
        bits: [NO_VALUE; ROWS],
    };

    /// Returns what `value` makes of the first bytes and the length of each value of a column.
    #[inline(always)]
    fn with(column: &Vector<'_>, value: impl Fn(u64, u64) -> (u64, u64)) -> Values {
        let (mut words, mut bits) = ([0; ROWS], [0; ROWS]);
        let values = words.iter_mut().zip(&mut bits);
        for ((word, bits), (bytes, length)) in values.zip(column.heads()) {
            (*word, *bits) = value(bytes, length);
        }
        Values { words, bits }
    }

    /// Returns the values. `other` computes each of the first `rows` that is missing.
    #[inline(always)]
    fn completed(mut self, rows: usize, other: impl Fn(usize) -> (u64, u64)) -> Values {
        let missing = self.bits[..rows].iter().filter(|&&bits| bits == NO_VALUE);
        if missing.count() > 0 {
            for nth in 0..rows {
                if self.bits[nth] == NO_VALUE {
                    (self.words[nth], self.bits[nth]) = other(nth);
                }
            }
        }
        self
    }
}

/// Returns a value and its bits, if there `is` one. With `Option`, the compiler emitted a branch a row in some builds:
/// groups by month took 1.08 of the time.
#[inline(always)]
fn value_if(is: bool, word: u64, bits: u64) -> (u64, u64) {
    let mask = u64::from(is).wrapping_neg();
    (word & mask, bits | !mask)
}

/// Returns a value as it stands, and its bits.
#[inline(always)]
fn itself(bytes: u64, length: u64) -> (u64, u64) {
    let bits = 8 * length;
    let word = left(bytes, u64::from(u64::BITS).wrapping_sub(bits));
    // A value that begins with zeros would equal the value without them.
    let is_word = (length <= 8) & ((bytes as u8 != 0) | (length == 0));
    value_if(is_word, word, bits)
}

/// Returns the month of a date of eight digits, and its bits. A date in another form has no value here, though it may have a month.
#[inline(always)]
fn month(bytes: u64, length: u64) -> (u64, u64) {
    let (month, is_right) = derived::month_of_eight(bytes.to_le_bytes());
    value_if(is_right & (length == 8), month, 56)
}

/// Returns the year of a date of eight digits, and its bits.
#[inline(always)]
fn year(bytes: u64, length: u64) -> (u64, u64) {
    let (month, is_right) = derived::month_of_eight(bytes.to_le_bytes());
    value_if(is_right & (length == 8), month << 24, 32)
}

/// Returns the first five digits, and their bits. Any other value becomes the empty one.
#[inline(always)]
fn zip5(bytes: u64, length: u64) -> (u64, u64) {
    let word = bytes << 24;
    let values = word ^ 0x3030_3030_3000_0000;
    let above = values | values.wrapping_add(0x7676_7676_7600_0000);
    let is_right = (above & 0x8080_8080_8000_0000 == 0) & (length >= 5);
    let mask = u64::from(is_right).wrapping_neg();
    (word & mask, 40 & mask)
}

/// Returns the first three digits of a [`zip5`].
#[inline(always)]
fn zip3(bytes: u64, length: u64) -> (u64, u64) {
    let (word, bits) = zip5(bytes, length);
    (word << 16, bits.min(24))
}

/// Returns a value whose letters from `first` on, 26 of them, have the other case. Only ASCII has a value here.
#[inline(always)]
fn cased(bytes: u64, length: u64, first: u8) -> (u64, u64) {
    let (word, bits) = itself(bytes, length);
    let each = |byte: u8| u64::from(byte) * 0x0101_0101_0101_0101;
    // The high bit of each byte of ASCII that is at least the letter, and that is beyond the last.
    let from = word.wrapping_add(each(0x80 - first));
    let beyond = word.wrapping_add(each(0x80 - first - 26));
    let letters = (from & !beyond) & each(0x80);
    let is_ascii = word & each(0x80) == 0;
    value_if(is_ascii & (bits != NO_VALUE), word ^ letters >> 2, bits)
}

/// Returns a value without white space at its ends. One that has some has no value here.
#[inline(always)]
fn trim(bytes: u64, length: u64) -> (u64, u64) {
    let (word, bits) = itself(bytes, length);
    let has_spaces = is_space(bytes as u8) | is_space((word >> 56) as u8);
    value_if(
        (bits != NO_VALUE) & !(has_spaces & (length > 0)),
        word,
        bits,
    )
}

/// Returns the first `most` bytes. Only ASCII has a value here, because other characters have several bytes.
#[inline(always)]
fn prefix(bytes: u64, length: u64, most: u64) -> (u64, u64) {
    let (word, bits) = itself(bytes, length.min(most));
    let is_ascii = word & 0x8080_8080_8080_8080 == 0;
    value_if(is_ascii & (bits != NO_VALUE), word, bits)
}

/// Returns the first name of a name, and its bits, as the report finds it. A rare one has no value here.
#[inline(always)]
fn first_name(level: impl Level, name: Cell<'_>) -> (u64, u64) {
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

/// Returns a few bytes as a number, zeros and then the bytes, and the number of bits. None is empty.
pub(super) fn word_of<const N: usize>(bytes: Option<[u8; N]>) -> (u64, u64) {
    let Some(bytes) = bytes else { return (0, 0) };
    let mut word = [0; 8];
    word[8 - N..].copy_from_slice(&bytes);
    (u64::from_le_bytes(word), 8 * N as u64)
}

/// Returns the digits of a number, and the number of bits, if they are at most eight.
pub(super) fn word_of_number(mut number: usize) -> (u64, u64) {
    let (mut word, mut bits) = (0, 0);
    while bits < 64 {
        word |= (u64::from(b'0') + (number % 10) as u64) << (56 - bits);
        bits += 8;
        number /= 10;
        if number == 0 {
            return (word, bits);
        }
    }
    (0, NO_VALUE)
}

/// Shifts by any number of bits.
#[inline(always)]
fn left(word: u64, bits: u64) -> u64 {
    if bits < 64 { word << bits } else { 0 }
}

/// Shifts by any number of bits.
#[inline(always)]
fn right(word: u64, bits: u64) -> u64 {
    if bits < 64 { word >> bits } else { 0 }
}

/// A function whose values are words, made of many rows side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WordFunction {
    Month,
    Year,
    Zip5,
    Zip3,
    FirstName,
    Upper,
    Lower,
    Trim,
    /// Of at most this number of bytes.
    Prefix(u64),
    /// Any function with values of at most eight bytes, one row after the other.
    Each(fn(&[u8]) -> (u64, u64)),
}

#[cfg(test)]
mod tests;
