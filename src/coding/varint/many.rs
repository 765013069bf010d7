//! Lists of numbers, without a branch that depends on how many bytes a number has: where lengths are mixed, each would
//! be guessed wrong now and then, at the price of a dozen numbers.
//!
//! **Writing.** The seven-bit groups of 256 numbers are spread in one loop, which the compiler turns into vectors. A
//! second loop writes each as eight bytes, over the needless ones of the number before.
//!
//! **Reading.** A bit for each of 64 bytes says whether a number ends there. Numbers are loaded as eight bytes between
//! one end and the next, cut by a mask, and the groups of all of them are joined in one loop of vectors.
//!
//! Both have a fast way for numbers of one byte each, and a slow one for numbers of nine and ten. Partials do not use
//! these lists yet.

use super::{BYTES_MAX, MORE, last_bytes, number_of, spread, take, word_of};

/// The numbers that are written together.
const TOGETHER: usize = 256;

/// The bytes that are read together, of as many numbers at most.
const WINDOW: usize = 64;

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

/// Appends numbers.
pub fn put_all(numbers: &[u64], out: &mut Vec<u8>) {
    let mut room = [0; TOGETHER * BYTES_MAX + WORD];
    for numbers in numbers.chunks(TOGETHER) {
        let end = match numbers.iter().fold(0, |all, number| all | number) {
            ..0x80 => {
                let pairs = room.iter_mut().zip(numbers);
                pairs.for_each(|(byte, number)| *byte = *number as u8);
                numbers.len()
            }
            0x80..0x0100_0000_0000_0000 => put_words(numbers, &mut room),
            _ => put_longest(numbers, &mut room),
        };
        out.extend_from_slice(&room[..end]);
    }
}

/// Writes numbers of up to eight bytes. Returns the number of bytes.
fn put_words(numbers: &[u64], room: &mut [u8]) -> usize {
    /// The highest bits of as many bytes as go before the last one.
    const MORE_BYTES: [u64; WORD + 1] = lowest_bytes(MORE);
    let mut words = [0; TOGETHER];
    let words = &mut words[..numbers.len()];
    let pairs = words.iter_mut().zip(numbers);
    pairs.for_each(|(word, number)| *word = spread(*number));
    let mut end = 0;
    for &word in &*words {
        let before = (word | 1).ilog2() as usize / 8;
        put_word(word | MORE_BYTES[before], end, room);
        end += before + 1;
    }
    end
}

/// Writes numbers, some of which have nine or ten bytes. Returns the number of bytes.
#[cold]
fn put_longest(numbers: &[u64], room: &mut [u8]) -> usize {
    let mut end = 0;
    for &number in numbers {
        let (word, length) = word_of(number);
        put_word(word, end, room);
        if length > WORD {
            room[end + WORD..end + BYTES_MAX].copy_from_slice(&last_bytes(number));
        }
        end += length;
    }
    end
}

#[inline(always)]
fn put_word(word: u64, place: usize, room: &mut [u8]) {
    let bytes = room[place..].first_chunk_mut();
    *bytes.expect("the room has eight bytes more than numbers take") = word.to_le_bytes();
}

/// Fills `numbers` from the start of `bytes`. Returns how many of these they have; none if [`take`] has none for
/// one of them.
pub fn take_all(bytes: &[u8], mut numbers: &mut [u64]) -> Option<usize> {
    let mut place = 0;
    while !numbers.is_empty() {
        let window = bytes[place..].first_chunk();
        let pair = window.zip(numbers.first_chunk_mut());
        let (length, count) = match pair.and_then(|(window, room)| take_window(window, room)) {
            Some(taken) => taken?,
            None => take_some(&bytes[place..], numbers)?,
        };
        place += length;
        numbers = &mut numbers[count..];
    }
    Some(place)
}

/// Takes a few numbers one by one. Returns the numbers of bytes and numbers.
fn take_some(bytes: &[u8], numbers: &mut [u64]) -> Option<(usize, usize)> {
    const SOME: usize = 8;
    let (mut place, mut count) = (0, 0);
    for number in numbers.iter_mut().take(SOME) {
        let length;
        (*number, length) = take(&bytes[place..])?;
        (place, count) = (place + length, count + 1);
    }
    Some((place, count))
}

/// Takes the numbers that end in a window, whose first byte begins one. Returns the numbers of bytes and numbers; `Some(None)`
/// if one of them has bytes that it does not need, and none if it may have more than eight.
///
/// All of them are wanted, and the one after them: there is room for as many numbers as the window has bytes.
#[inline(always)]
fn take_window(
    window: &[u8; WINDOW + WORD],
    numbers: &mut [u64; WINDOW],
) -> Option<Option<(usize, usize)>> {
    /// Masks of as many bytes as a number has.
    const BYTES: [u64; WORD + 1] = lowest_bytes(u64::MAX);
    /// The numbers that are taken without asking whether there are so many.
    const UNROLLED: usize = 4;
    let ends = ends_in(window);
    if ends == u64::MAX {
        let pairs = numbers.iter_mut().zip(window);
        pairs.for_each(|(number, byte)| *number = u64::from(*byte));
        return Some(Some((WINDOW, WINDOW)));
    }
    if has_long(ends) {
        return None;
    }
    // A zero that ends a number of several bytes.
    let needless = |(byte, next): (&u8, &u8)| byte & u8::from(*next == 0) << 7;
    let pairs = window[..WINDOW].iter().zip(&window[1..]);
    if pairs.map(needless).fold(0, |all, one| all | one) != 0 {
        return Some(None);
    }
    let mut words = [0; WINDOW];
    let (mut left, mut start, mut nth) = (ends, 0, 0);
    while left != 0 {
        // What is taken after the last number is not used.
        for word in &mut words[nth..nth + UNROLLED] {
            let end = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            let bytes = window[start % WINDOW..].first_chunk();
            let bytes = bytes.expect("the window has a word more than starts");
            *word = u64::from_le_bytes(*bytes) & BYTES[end.wrapping_sub(start) % WORD + 1];
            start = end + 1;
        }
        nth += UNROLLED;
    }
    let pairs = numbers[..nth].iter_mut().zip(&words);
    pairs.for_each(|(number, word)| *number = number_of(*word));
    let length = WINDOW - ends.leading_zeros() as usize;
    Some(Some((length, ends.count_ones() as usize)))
}

/// Returns a bit for each byte of a window that ends a number.
#[inline(always)]
fn ends_in(window: &[u8; WINDOW + WORD]) -> u64 {
    // Moves the lowest bit of each byte into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (words, _) = window[..WINDOW].as_chunks();
    let words = words.iter().zip((0..).step_by(WORD));
    words.fold(0, |all, (word, place)| {
        let ends = (!u64::from_le_bytes(*word) & MORE) >> 7;
        all | (ends.wrapping_mul(GATHER) >> 56) << place
    })
}

/// Says whether a number has more than eight bytes, or may have, if it does not end in the window.
#[inline(always)]
fn has_long(ends: u64) -> bool {
    // Each byte that has an end among itself and the seven before it. A number begins with the window.
    let near = ends | ends << 1;
    let near = near | near << 2;
    let near = near | near << 4;
    near | 0x7f != u64::MAX
}

/// Returns the lowest bytes of `word`, for each number of bytes from none to eight.
const fn lowest_bytes(word: u64) -> [u64; WORD + 1] {
    let (mut table, mut length) = ([0; WORD + 1], 1);
    while length <= WORD {
        table[length] = word & u64::MAX >> (64 - 8 * length);
        length += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::varint::put;

    /// Random numbers, each as long as a draw from `lengths`.
    fn numbers(seed: u64, lengths: &[u32]) -> Vec<u64> {
        let mut random = random(seed);
        let mut draw = || {
            let bits = 7 * lengths[random() as usize % lengths.len()];
            let number = random() << 32 | random();
            match bits {
                ..64 => (number | 1 << 63) >> (64 - bits),
                _ => number | 1 << 63,
            }
        };
        (0..1000).map(|_| draw()).collect()
    }

    fn random(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 32
        }
    }

    /// Takes as many numbers as `count`, one by one.
    fn one_by_one(bytes: &[u8], count: usize) -> Option<(Vec<u64>, usize)> {
        let mut place = 0;
        let mut next = || {
            let (number, length) = take(&bytes[place..])?;
            place += length;
            Some(number)
        };
        let numbers = (0..count).map(|_| next()).collect::<Option<_>>()?;
        Some((numbers, place))
    }

    fn together(bytes: &[u8], count: usize) -> Option<(Vec<u64>, usize)> {
        let mut numbers = vec![0; count];
        let place = take_all(bytes, &mut numbers)?;
        Some((numbers, place))
    }

    const LENGTHS: [&[u32]; 9] = [
        &[1],
        &[1, 1, 1, 1, 1, 1, 1, 2],
        &[5],
        &[1, 2, 3, 4, 5],
        &[8],
        &[7, 8, 9],
        &[9, 10],
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10],
    ];

    #[test]
    fn many_numbers_are_written_and_read_as_one_by_one() {
        for (seed, lengths) in (1..).zip(LENGTHS) {
            let numbers = numbers(seed, lengths);
            for skipped in [0, 1, 63, 500, 743, 744, 745, 936, 999, 1000] {
                let numbers = &numbers[skipped..];
                let (mut out, mut expected) = (vec![7], vec![7]);
                put_all(numbers, &mut out);
                numbers
                    .iter()
                    .for_each(|&number| put(number, &mut expected));
                assert!(out == expected, "{lengths:?} from {skipped}");
                let out = &out[1..];
                let taken = together(out, numbers.len()).expect("it is as written");
                assert!(taken.0 == numbers, "{lengths:?} from {skipped}");
                assert_eq!(taken.1, out.len());
                if let Some(cut) = out.len().checked_sub(1) {
                    assert_eq!(together(&out[..cut], numbers.len()), None);
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_read_as_one_by_one() {
        let mut random = random(1);
        let (mut refused, mut read) = (0, 0);
        for (seed, lengths) in (1..).zip(LENGTHS) {
            let mut bytes = Vec::new();
            put_all(&numbers(seed, lengths), &mut bytes);
            for _ in 0..2000 {
                let from = random() as usize % (bytes.len() - 200);
                let mut bytes = bytes[from..from + 200].to_vec();
                for _ in 0..random() % 3 {
                    let byte = [0, 1, 0x7f, 0x80, 0xff][random() as usize % 5];
                    bytes[random() as usize % 200] = byte;
                }
                let count = random() as usize % 210;
                let expected = one_by_one(&bytes, count);
                assert_eq!(together(&bytes, count), expected, "{count} of {bytes:x?}");
                match expected {
                    Some(_) => read += 1,
                    None => refused += 1,
                }
            }
        }
        assert!(
            read > 5000 && refused > 2000,
            "{read} read, {refused} refused"
        );
    }
}
