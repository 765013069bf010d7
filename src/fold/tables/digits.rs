//! Keys of digits as numbers of 64 bits.
//!
//! ```text
//! "" 0   "0" 1 … "9" 10   "00" 11   "01" 12 … "99" 110   "000" 111 …
//! ```
//!
//! There are 1.1 × 10^19 texts of up to 19 digits, so each has a number of its own, leading zeros and all. An identifier
//! of 19 digits takes 8 bytes instead of 20, and one comparison.

use std::ops::Range;

use super::words::MASKS;
use crate::scan::Cell;

/// The most digits of such a key.
pub(crate) const DIGITS_MAX: usize = 19;

/// The bytes that are read of a key: three words of eight digits.
const READ_BYTES: usize = 24;

/// The powers of ten up to that of the longest key.
const POWERS: [u64; DIGITS_MAX + 1] = {
    let mut powers = [1; DIGITS_MAX + 1];
    let mut nth = 1;
    while nth <= DIGITS_MAX {
        powers[nth] = powers[nth - 1] * 10;
        nth += 1;
    }
    powers
};

/// The inverses of powers of five, in 64 bits. They divide multiples of a power of ten, once these are shifted.
const INVERSES: [u64; DIGITS_MAX + 1] = {
    const OF_FIVE: u64 = 0xcccc_cccc_cccc_cccd;
    let mut inverses = [1_u64; DIGITS_MAX + 1];
    let mut nth = 1;
    while nth <= DIGITS_MAX {
        inverses[nth] = inverses[nth - 1].wrapping_mul(OF_FIVE);
        nth += 1;
    }
    inverses
};

/// For each length the number of shorter texts, and then that of all.
const SHORTER: [u64; DIGITS_MAX + 2] = {
    let mut shorter = [0; DIGITS_MAX + 2];
    let mut length = 1;
    while length <= DIGITS_MAX + 1 {
        shorter[length] = shorter[length - 1] * 10 + 1;
        length += 1;
    }
    shorter
};

/// For each count of bits the length of the first key: the first whose number has that many bits.
const LENGTHS: [u8; 65] = {
    let mut lengths = [0; 65];
    let (mut bits, mut length) = (1, 0);
    while bits <= 64 {
        while length < DIGITS_MAX && SHORTER[length + 1] <= 1 << (bits - 1) {
            length += 1;
        }
        lengths[bits] = length as u8;
        bits += 1;
    }
    lengths
};

/// A key of up to 19 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits(pub(super) u64);

impl Digits {
    /// Returns the number of a key, if it has digits only, and no more than 19.
    #[inline(always)]
    pub(super) fn of(key: Cell<'_>) -> Option<Digits> {
        match key.first_bytes() {
            Some(bytes) => Digits::of_bytes(bytes, key.len()),
            None => Digits::of_last(&key),
        }
    }

    /// Returns the number of a key.
    pub(crate) fn of_key(key: &[u8]) -> Option<Digits> {
        Digits::of(Cell::from(key))
    }

    /// Returns the number of a key near the end of the haystack.
    #[cold]
    #[inline(never)]
    fn of_last(key: &[u8]) -> Option<Digits> {
        let mut bytes = [0; READ_BYTES];
        bytes.get_mut(..key.len())?.copy_from_slice(key);
        Digits::of_bytes(&bytes, key.len())
    }

    /// Returns the number of the first `length` bytes. No branch depends on a length of up to 19.
    #[inline(always)]
    fn of_bytes(bytes: &[u8; READ_BYTES], length: usize) -> Option<Digits> {
        if length > DIGITS_MAX {
            return None;
        }
        let (words, _) = bytes.as_chunks();
        // Zeros instead of missing digits.
        let digits = [0, 1, 2].map(|nth| {
            let word = u64::from_le_bytes(words[nth]);
            (word ^ u64::from_le_bytes([b'0'; 8])) & MASKS[length][nth]
        });
        // The high bit of a byte that is above nine, or that is after one. Most other keys differ in the first byte.
        let above_nine = |word: u64| word.wrapping_add(u64::from_le_bytes([0x76; 8])) | word;
        const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
        if above_nine(digits[0]) & HIGH != 0
            || (above_nine(digits[1]) | above_nine(digits[2])) & HIGH != 0
        {
            return None;
        }
        let [first, second, last] = digits;
        let aligned = number(first) * 100_000_000_000 + number(second) * 1000 + number(last << 40);
        let missing = DIGITS_MAX - length;
        let value = (aligned >> missing).wrapping_mul(INVERSES[missing]);
        Some(Digits(value + SHORTER[length]))
    }

    /// Returns the number of the key.
    #[inline(always)]
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    /// Returns the numbers of the keys of the same length that come later.
    pub(crate) fn after(self) -> Range<u64> {
        self.0 + 1..SHORTER[self.length() + 1]
    }

    #[inline(always)]
    fn length(self) -> usize {
        let length = usize::from(LENGTHS[(u64::BITS - self.0.leading_zeros()) as usize]);
        length + usize::from(SHORTER[length + 1] <= self.0)
    }

    /// Returns the key, in `room`.
    pub(crate) fn bytes(self, room: &mut [u8; DIGITS_MAX]) -> &[u8] {
        let length = self.length();
        // With zeros instead of the missing digits.
        let aligned = (self.0 - SHORTER[length]) * POWERS[DIGITS_MAX - length];
        // In three pieces, which do not wait for each other.
        let (first, rest) = (aligned / POWERS[11], aligned % POWERS[11]);
        put(first, &mut room[..8]);
        put(rest / POWERS[3], &mut room[8..16]);
        put(rest % POWERS[3], &mut room[16..]);
        &room[..length]
    }
}

/// Writes a number, with zeros in front.
#[inline(always)]
fn put(mut number: u64, room: &mut [u8]) {
    for digit in room.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Returns eight digits as a number. The first is in the lowest byte.
#[inline(always)]
fn number(digits: u64) -> u64 {
    const BYTES: u64 = 0x0000_00ff_0000_00ff;
    // Neighbours are joined: two digits, then four, then eight.
    let twos = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let upper = (twos & BYTES).wrapping_mul(1_000_000 << 32 | 100);
    let lower = (twos >> 16 & BYTES).wrapping_mul(10_000 << 32 | 1);
    upper.wrapping_add(lower) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a key in a haystack that goes on with `after`.
    fn number_of(key: &[u8], after: &[u8]) -> Option<u64> {
        let haystack = [key, after].concat();
        let digits = Digits::of(Cell::new(&haystack, key.len()));
        digits.map(Digits::number)
    }

    fn check(key: &str, expected: u64) {
        for after in [&b""[..], b"|", b"5", &[b'9'; 30], &[0xff; 24], &[0; 24]] {
            assert_eq!(number_of(key.as_bytes(), after), Some(expected), "{key}");
        }
        let mut room = [b'x'; DIGITS_MAX];
        let found = Digits(expected).bytes(&mut room);
        assert_eq!(found, key.as_bytes(), "{expected}");
    }

    #[test]
    fn texts_of_digits_are_numbered_by_length_and_value() {
        let mut expected = 0;
        check("", 0);
        for length in 1..=5_usize {
            for value in 0..10_u64.pow(length as u32) {
                expected += 1;
                check(&format!("{value:0length$}"), expected);
            }
        }
    }

    #[test]
    fn long_texts_of_digits_have_numbers_too() {
        for length in 1..=DIGITS_MAX {
            let shorter: u128 = (0..length as u32).map(|length| 10_u128.pow(length)).sum();
            let many = 10_u128.pow(length as u32);
            let random = (0..2000_u128).map(|nth| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c));
            let edges = (0..40).flat_map(|nth| [nth, nth * many / 40, many - 1 - nth % many]);
            for value in random.chain(edges).map(|value| value % many) {
                check(&format!("{value:0length$}"), (shorter + value) as u64);
            }
        }
        assert_eq!(number_of(&[b'9'; DIGITS_MAX], b""), Some(SHORTER[20] - 1));
    }

    #[test]
    fn other_bytes_and_longer_texts_have_no_number() {
        for length in 1..=DIGITS_MAX {
            for place in 0..length {
                for byte in 0..=u8::MAX {
                    let mut key = vec![b'0' + (length % 10) as u8; length];
                    key[place] = byte;
                    for after in [&b""[..], &[b'1'; 24]] {
                        let is_number = number_of(&key, after).is_some();
                        assert_eq!(is_number, byte.is_ascii_digit(), "{key:?}");
                    }
                }
            }
        }
        for length in [20, 21, 23, 24, 25, 32, 40, 300] {
            for after in [&b""[..], b"7", &[b'1'; 40]] {
                assert_eq!(number_of(&vec![b'4'; length], after), None);
            }
        }
    }

    #[test]
    fn keys_after_one_are_those_of_its_length() {
        let keys = [
            "", "0", "8", "9", "00", "08", "10", "99", "000", "999", "0000",
        ];
        for one in keys {
            let after = Digits::of_key(one.as_bytes()).unwrap().after();
            for other in keys {
                let number = Digits::of_key(other.as_bytes()).unwrap().number();
                let expected = other.len() == one.len() && other > one;
                assert_eq!(after.contains(&number), expected, "{one} {other}");
            }
        }
        let last = Digits::of_key(&[b'9'; DIGITS_MAX]).unwrap();
        assert!(last.after().is_empty());
    }
}
