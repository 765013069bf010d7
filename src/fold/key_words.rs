//! Keys of a few bytes, put together in registers for many rows side by side.

mod steps;
mod values;

pub(crate) use self::steps::{DayPart, WordStep};
pub(crate) use self::values::ValueWords;
use self::values::{NO_VALUE, itself, left, right};
use crate::scan::{ROWS, Vector};

/// Separates the values of several keys. No column of a row has this byte, because it ends lines.
pub(crate) const KEY_SEPARATOR: u8 = b'\n';

/// The part of a key for NULL. Texts have escapes for the first byte, so none is written so.
pub(crate) const NULL_PART: [u8; 2] = [0x1b, b'n'];

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

impl KeyWords {
    /// Appends the values of a column to the keys: after [`KEY_SEPARATOR`], unless the column is the first of the key. The keys of further
    /// rows are unspecified.
    #[inline(always)]
    pub(crate) fn push(&mut self, place: Place, column: &Vector<'_>) {
        if place != Place::Further && column.longest() > 8 {
            return self.begin_wide(column, u64::from(place == Place::Alone));
        }
        self.push_values(place, &ValueWords::with(column, itself));
    }

    /// Appends values to the keys.
    #[inline(always)]
    pub(crate) fn push_values(&mut self, place: Place, values: &ValueWords) {
        match place {
            Place::Alone => self.begin(values, 1),
            Place::First => self.begin(values, 0),
            Place::Further => self.append(values),
        }
    }

    /// Begins the keys with values of at least this number of bits.
    #[inline(always)]
    fn begin(&mut self, values: &ValueWords, bits_min: u64) {
        for nth in 0..ROWS {
            let bits = values.bits[nth];
            let is_word = bits >= bits_min && bits != NO_VALUE;
            self.low[nth] = if is_word { 0 } else { NO_WORD };
            self.high[nth] = if is_word { values.words[nth] } else { NO_WORD };
        }
    }

    /// Begins the keys with values of at most sixteen bytes, and at least this number.
    #[inline(always)]
    fn begin_wide(&mut self, column: &Vector<'_>, least: u64) {
        let behind = column.words_at(8);
        for (nth, (bytes, length)) in column.heads().enumerate() {
            let bits = 8 * length;
            let is_right = length.wrapping_sub(least) <= 16 - least;
            // A value that begins with zeros would equal the value without them.
            let is_word = is_right & ((bytes as u8 != 0) | (length == 0));
            let (short, wide) = (64_u64.wrapping_sub(bits), 128_u64.wrapping_sub(bits));
            let of_front = left(bytes, short) | right(bytes, short.wrapping_neg());
            let high = of_front | left(behind[nth], wide);
            self.low[nth] = if is_word { left(bytes, wide) } else { NO_WORD };
            self.high[nth] = if is_word { high } else { NO_WORD };
        }
    }

    /// Appends a separator and a value to each key.
    #[inline(always)]
    fn append(&mut self, values: &ValueWords) {
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

#[cfg(test)]
mod tests;
