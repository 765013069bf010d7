//! The first name in a donor's name.
//!
//! NAME is usually `LAST, FIRST MIDDLE SUFFIX TITLE`. The first name is the capture of the regular
//! expression `, \s*([^, ]+)`, leftmost match, as in the programs of the challenge. [`first_name`]
//! is that definition without the machinery. [`locate`] finds the same from bit masks in a few
//! instructions, for all but rare names.

use super::{is_space, trimmed};

/// Returns the first name in `name`, the bytes of a NAME column, trimmed or not.
///
/// It is the capture of `, \s*([^, ]+)` as a backtracking engine matches it on the trimmed bytes.
/// `\s` is ASCII white space.
///
/// ```
/// use fecscan::fec::first_name::first_name;
/// assert_eq!(first_name(b"PEREZ, JOHN A"), Some(&b"JOHN"[..]));
/// assert_eq!(first_name(b"SCULLY, JR., TIMOTHY"), Some(&b"JR."[..]));
/// assert_eq!(first_name(b"A, ,B"), None);
/// assert_eq!(first_name(b"TURTON,DANIEL"), None);
/// ```
pub fn first_name(name: &[u8]) -> Option<&[u8]> {
    let name = trimmed(name);
    let mut from = 0;
    loop {
        let comma = from + name[from..].windows(2).position(|pair| pair == b", ")?;
        if let Some(found) = capture(name, comma + 2) {
            return Some(found);
        }
        from = comma + 1;
    }
}

/// Returns the capture of `\s*([^, ]+)` at `at`.
///
/// `\s*` is greedy. If it runs up to a comma or the end, it gives bytes back until the capture can
/// begin. White space other than a blank can begin it.
fn capture(name: &[u8], at: usize) -> Option<&[u8]> {
    let spaces = name[at..].iter().take_while(|&&b| is_space(b)).count();
    let start = (at..=at + spaces)
        .rev()
        .find(|&i| name.get(i).is_some_and(|&b| !ends_first_name(b)))?;
    let length = name[start..]
        .iter()
        .take_while(|&&b| !ends_first_name(b))
        .count();
    Some(&name[start..start + length])
}

fn ends_first_name(byte: u8) -> bool {
    byte == b',' || byte == b' '
}

/// The result of [`locate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// The first byte and the number of bytes of the first name. It has at least one byte, and no
    /// control characters.
    At(usize, usize),
    /// The name has no first name.
    Nowhere,
    /// A rare case that the masks do not decide: call [`first_name`].
    Unclear,
}

/// Finds the first name in an untrimmed name of `bytes` bytes from masks with one bit a byte.
///
/// `commas`, `blanks` and `controls` mark the commas, blanks and control characters. Bits beyond
/// the name are ignored.
///
/// The first name follows the first comma with a blank, and ends before the next comma or blank.
/// More blanks after the comma need [`first_name`]. So do control characters, because some are
/// white space.
///
/// ```
/// use fecscan::fec::first_name::{Located, locate};
/// // ROE, ANN: a bit for each byte, the first byte lowest, so that the masks read from right to left.
/// assert_eq!(locate(8, 0b0000_1000, 0b0001_0000, 0), Located::At(5, 3));
/// // ROE,ANN
/// assert_eq!(locate(7, 0b0000_1000, 0, 0), Located::Nowhere);
/// ```
#[inline(always)]
pub fn locate(bytes: usize, commas: u64, blanks: u64, controls: u64) -> Located {
    if bytes >= u64::BITS as usize {
        return Located::Unclear;
    }
    let behind = 1_u64 << bytes;
    let start = (commas & (blanks >> 1)).trailing_zeros() as usize + 2;
    if start > bytes {
        return Located::Nowhere;
    }
    let length = ((commas | blanks | behind) >> start).trailing_zeros();
    if length == 0 || controls & (behind - 1) != 0 {
        return Located::Unclear;
    }
    Located::At(start, length as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(name: &[u8], is: impl Fn(u8) -> bool) -> u64 {
        name.iter()
            .enumerate()
            .filter(|&(_, &b)| is(b))
            .map(|(i, _)| 1 << i)
            .sum()
    }

    /// Tries all names of up to six bytes over the letters that matter, and the same at the end of
    /// 63 and 64 bytes.
    #[test]
    fn located_names_are_the_defined_ones() {
        let mut unclear = 0_u32;
        for length in 0..=6_u32 {
            for number in 0..5_u32.pow(length) {
                let letters =
                    (0..length).map(|i| b", \ta\x0b"[(number / 5_u32.pow(i) % 5) as usize]);
                let mut name: Vec<u8> = letters.collect();
                unclear += assert_located(&name);
                name.splice(0..0, vec![b'x'; 63 - name.len()]);
                unclear += assert_located(&name);
                name.insert(0, b'x');
                unclear += assert_located(&name);
            }
        }
        assert!(unclear > 0, "some of these names need the slow way");
    }

    fn assert_located(name: &[u8]) -> u32 {
        let expected = first_name(name);
        // The scanner does not clear the bits beyond the name.
        let beyond = if name.len() < 64 {
            u64::MAX << name.len()
        } else {
            0
        };
        for noise in [0, beyond] {
            let [commas, blanks] = [b',', b' '].map(|byte| mask(name, |b| b == byte) | noise);
            let controls = mask(name, |b| b < b' ') | noise;
            match locate(name.len(), commas, blanks, controls) {
                Located::At(start, length) => {
                    assert_eq!(Some(&name[start..start + length]), expected, "{name:?}");
                }
                Located::Nowhere => assert_eq!(None, expected, "{name:?}"),
                Located::Unclear => return 1,
            }
        }
        0
    }
}
