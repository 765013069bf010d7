//! Values from anywhere, appended in vectors.

use super::spare_bytes::SpareBytes;
use super::template::{Literal, NOTHING};
use crate::scan::simd::{ByteSet, Level, WINDOW_BYTES, Window};

/// Bytes that a value of a format cannot have as they stand.
///
/// No closure: code for a level inlines it only where it is called once.
pub(super) trait Special: Copy {
    /// Returns a bit for each of these bytes in `window`.
    fn mask<L: Level>(self, level: L, window: &Window) -> u64;
}

impl<const N: usize> Special for &ByteSet<N> {
    #[inline(always)]
    fn mask<L: Level>(self, level: L, window: &Window) -> u64 {
        level.is_in(window, self)
    }
}

/// Appends the literal and `value`. If there are special bytes in the value, appends only the literal, and returns false.
#[inline(always)]
pub(super) fn push_plain<L: Level>(
    level: L,
    literal: &Literal,
    value: &[u8],
    special: impl Special,
    spare: &mut SpareBytes<'_>,
) -> bool {
    // The literal and the last window that does not count are two windows more.
    spare.reserve(value.len() + 2 * WINDOW_BYTES);
    let start = spare.len() + literal.len();
    let (window, first) = level.appended(literal.window(), literal.len(), value);
    spare.push(&window, literal.len() + first);
    let of_value = !(u64::MAX << first) << literal.len();
    let mut found = special.mask(level, &window) & of_value;
    if first < value.len() {
        let mut rest = &value[first..];
        while let Some((window, more)) = rest.split_first_chunk() {
            found |= special.mask(level, window);
            spare.push(window, WINDOW_BYTES);
            rest = more;
        }
        let (window, last) = level.appended(NOTHING.window(), NOTHING.len(), rest);
        found |= special.mask(level, &window) & !(u64::MAX << last);
        spare.push(&window, last);
    }
    if found != 0 {
        spare.truncate(start);
    }
    found == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::simd::{Kernel, Simd};

    const SPECIAL: ByteSet<2> = ByteSet::new(*b",\"");

    struct Push<'a>(&'a Literal, &'a [u8], &'a mut Vec<u8>);

    impl Kernel for Push<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<L: Level>(self, level: L) -> bool {
            push_plain(level, self.0, self.1, &SPECIAL, &mut SpareBytes::of(self.2))
        }
    }

    /// A special byte in each place of values of each length, none, and one behind the value.
    #[test]
    fn special_bytes_are_seen_wherever_they_stand() {
        for simd in Simd::available() {
            for literal in [&b""[..], b"\",", &[b','; Literal::BYTES_MAX]] {
                let literal = Literal::new(literal).unwrap();
                for length in 0..=200 {
                    for special in 0..=length {
                        let mut bytes = vec![b'-'; length + 1];
                        bytes[special] = b'"';
                        let value = &bytes[..length];
                        let mut out = b"before".to_vec();
                        let is_plain = simd.dispatch(Push(&literal, value, &mut out));
                        assert_eq!(is_plain, special == length, "{} {length}", simd.name());
                        let expected = if is_plain { value } else { b"" };
                        let expected = [b"before", literal.bytes(), expected].concat();
                        assert_eq!(out, expected, "{} {length} {special}", simd.name());
                    }
                }
            }
        }
    }
}
