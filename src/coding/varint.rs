//! Integers in as few bytes as they need: seven bits a byte, the lowest first, and the highest bit of a byte says
//! that another one follows (LEB128).
//!
//! Signed integers are turned into unsigned ones first, so that small ones of either sign stay small: 0, -1, 1, -2
//! become 0, 1, 2, 3 (zigzag).
//!
//! Up to eight bytes are made and read as one word, without a loop over bytes and without memory of their own.

/// The most bytes of an integer of 64 bits.
pub const BYTES_MAX: usize = 10;

/// The highest bit of each byte.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Turns a signed integer into an unsigned one.
///
/// ```
/// use fecscan::coding::varint::{unzigzag, zigzag};
/// assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
/// assert_eq!(unzigzag(zigzag(i64::MIN)), i64::MIN);
/// ```
#[inline]
pub fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Does the reverse of [`zigzag`].
#[inline]
pub fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Appends a number.
///
/// ```
/// use fecscan::coding::varint::{put, take};
/// let mut bytes = Vec::new();
/// put(300, &mut bytes);
/// assert_eq!(bytes, [0xac, 2]);
/// assert_eq!(take(&bytes), Some((300, 2)));
/// ```
#[inline]
pub fn put(number: u64, out: &mut Vec<u8>) {
    let (word, length) = word_of(number);
    let end = out.len() + length;
    out.extend_from_slice(&word.to_le_bytes());
    if length > 8 {
        out.extend_from_slice(&last_bytes(number));
    }
    out.truncate(end);
}

/// Returns the lowest 56 bits, seven in each byte: halves of 28 bits move apart, their halves, and theirs.
#[inline(always)]
fn spread(number: u64) -> u64 {
    // A factor of 2^n and the part itself are one addition.
    let word = number & 0x00ff_ffff_ffff_ffff;
    let word = word + (word & 0x00ff_ffff_f000_0000) * 15;
    let word = word + (word & 0x0fff_c000_0fff_c000) * 3;
    word + (word & 0x3f80_3f80_3f80_3f80)
}

/// Returns the first eight bytes of a number as a word, and the number of all its bytes.
#[inline(always)]
fn word_of(number: u64) -> (u64, usize) {
    let bits = u64::BITS - (number | 1).leading_zeros();
    let length = (bits as usize).div_ceil(7);
    let more = match length {
        1..=8 => MORE & ((1 << (8 * (length - 1))) - 1),
        _ => MORE,
    };
    (spread(number) | more, length)
}

/// Returns the ninth and the tenth byte of a number.
#[cold]
fn last_bytes(number: u64) -> [u8; 2] {
    let ninth = (number >> 56) as u8 & 0x7f;
    match (number >> 63) as u8 {
        0 => [ninth, 0],
        tenth => [ninth | 0x80, tenth],
    }
}

/// Returns the number at the start of `bytes`, and how many of them it has. None if it does not end, or has more
/// than 64 bits, or bytes that it does not need: each number has one way to be written.
#[inline]
pub fn take(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes {
        [byte @ 0..0x80, ..] => Some((u64::from(*byte), 1)),
        _ => take_longer(bytes),
    }
}

#[inline]
fn take_longer(bytes: &[u8]) -> Option<(u64, usize)> {
    let Some(word) = bytes.first_chunk().map(|word| u64::from_le_bytes(*word)) else {
        let mut padded = [0; BYTES_MAX];
        padded[..bytes.len()].copy_from_slice(bytes);
        return take_longer(&padded).filter(|(_, length)| *length <= bytes.len());
    };
    let ends = !word & MORE;
    if ends == 0 {
        return take_longest(bytes, number_of(word));
    }
    let length = ends.trailing_zeros() as usize / 8 + 1;
    let number = number_of(word & (ends ^ (ends - 1)));
    let last = (word >> (8 * (length - 1))) as u8;
    (last != 0 || length == 1).then_some((number, length))
}

#[cold]
fn take_longest(bytes: &[u8], low: u64) -> Option<(u64, usize)> {
    let (&ninth, rest) = bytes[8..].split_first()?;
    let number = low | u64::from(ninth & 0x7f) << 56;
    match ninth {
        0 => None,
        1..0x80 => Some((number, 9)),
        _ => (*rest.first()? == 1).then_some((number | 1 << 63, 10)),
    }
}

/// Returns the number of the lower seven bits of each byte.
#[inline(always)]
fn number_of(word: u64) -> u64 {
    let word = word & 0x007f_007f_007f_007f | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let word = word & 0x0000_3fff_0000_3fff | (word & 0x3fff_0000_3fff_0000) >> 2;
    word & 0x0fff_ffff | (word & 0x0fff_ffff_0000_0000) >> 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, byte by byte.
    fn twin(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    /// All 16-bit numbers and their complements at every shift: all lengths, and all bits around their limits.
    fn numbers() -> impl Iterator<Item = u64> {
        let small = 0..=u64::from(u16::MAX);
        let shifted = small.flat_map(|number| (0..64).step_by(3).map(move |by| number << by));
        shifted.flat_map(|number| [number, !number])
    }

    #[test]
    fn numbers_are_written_and_read_as_byte_by_byte() {
        let mut out = Vec::new();
        for number in numbers() {
            out.clear();
            put(number, &mut out);
            assert_eq!(out, twin(number), "{number:#x}");
            assert_eq!(take(&out), Some((number, out.len())), "{number:#x}");
            let length = out.len();
            out.extend_from_slice(&[0xff; 9]);
            assert_eq!(take(&out), Some((number, length)), "{number:#x}");
            for cut in 0..length {
                assert_eq!(take(&out[..cut]), None, "{number:#x} cut to {cut}");
            }
        }
    }

    #[test]
    fn each_number_has_one_way_to_be_written() {
        for bytes in [
            &[0x80, 0][..],
            &[0xff, 0],
            &[0x80; 11],
            &[0x80, 0x80, 0x80, 0],
        ] {
            assert_eq!(take(bytes), None, "{bytes:x?}");
        }
        for length in 2..=10 {
            let mut bytes = vec![0x80; length - 1];
            bytes.push(0);
            assert_eq!(take(&bytes), None, "{bytes:x?}");
            bytes.resize(20, 0);
            assert_eq!(take(&bytes), None, "{bytes:x?}");
        }
        let beyond = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        assert_eq!(take(&beyond), None);
    }

    /// All 16-bit numbers, and the ends of 64 bits.
    #[test]
    fn small_numbers_of_either_sign_stay_small() {
        for number in i64::from(i16::MIN)..=i64::from(i16::MAX) {
            assert_eq!(unzigzag(zigzag(number)), number);
            assert_eq!(
                zigzag(number),
                (number.unsigned_abs() * 2) - u64::from(number < 0)
            );
        }
        for number in [i64::MIN, i64::MIN + 1, i64::MAX] {
            assert_eq!(unzigzag(zigzag(number)), number);
        }
    }
}
