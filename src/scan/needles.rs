//! Words that are searched for in all bytes of a text.

use super::simd::{Kernel, Level, Simd, WINDOW_BYTES, prefetch};

/// The bytes of ASCII that words have, the rarest in the FEC's files first. Dates, amounts and identifiers are digits.
const RARE: &[u8] = b"QZXJKVYGWFUBHDPMLCSTNORIEA 0123456789";

/// How far ahead bytes are prefetched.
const AHEAD_BYTES: usize = 4096;

/// A set of words.
///
/// A window is compared with two bytes of each word, the rarest, at their places. Where both are, the whole word is compared. An
/// automaton for all words of `(?i)google`, 16 beginnings of four letters, takes five times as long.
#[derive(Clone, Debug)]
pub(crate) struct Needles(Vec<Needle>);

#[derive(Clone, Debug)]
struct Needle {
    /// The bytes, each in both cases if case does not matter.
    bytes: Box<[[u8; 2]]>,
    /// The places of one or two bytes. As an array, AVX2 takes 2.3 times as long: the compiler joins the masks bit by bit.
    rare: Box<[usize]>,
}

impl Needles {
    /// Returns the set of some words, none of them empty.
    pub(crate) fn new<'w>(
        words: impl Iterator<Item = &'w [u8]>,
        does_case_matter: bool,
    ) -> Needles {
        let needle = |word: &[u8]| {
            let rank = |byte: u8| {
                let known = RARE
                    .iter()
                    .position(|&rare| rare == byte.to_ascii_uppercase());
                known.unwrap_or(0)
            };
            let mut places: Vec<usize> = (0..word.len()).collect();
            places.sort_by_key(|&place| rank(word[place]));
            places.truncate(2);
            let cases = |byte: &u8| {
                if does_case_matter {
                    [*byte; 2]
                } else {
                    [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
                }
            };
            Needle {
                bytes: word.iter().map(cases).collect(),
                rare: places.into(),
            }
        };
        Needles(words.map(needle).collect())
    }

    /// Returns where the first of the words begins in `bytes`.
    pub(super) fn find(&self, simd: Simd, bytes: &[u8]) -> Option<usize> {
        simd.dispatch(Find(&self.0, bytes))
    }
}

impl Needle {
    fn is_at(&self, bytes: &[u8], start: usize) -> bool {
        let found = bytes.get(start..start + self.bytes.len());
        found.is_some_and(|found| {
            let mut pairs = self.bytes.iter().zip(found);
            pairs.all(|(cases, byte)| cases.contains(byte))
        })
    }
}

struct Find<'a>(&'a [Needle], &'a [u8]);

impl Kernel for Find<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Option<usize> {
        let Find(needles, bytes) = self;
        let longest = needles.iter().map(|needle| needle.bytes.len()).max()?;
        let mut start = 0;
        while start + longest + WINDOW_BYTES <= bytes.len() {
            prefetch(bytes, start + AHEAD_BYTES);
            let mut first = None;
            for needle in needles {
                let mut both = u64::MAX;
                for &place in &needle.rare {
                    let window = bytes[start + place..].first_chunk();
                    let window = window.expect("a window and a word are left");
                    let [lower, upper] = needle.bytes[place];
                    both &= level.eq(window, lower) | level.eq(window, upper);
                }
                while both != 0 {
                    let at = start + both.trailing_zeros() as usize;
                    if needle.is_at(bytes, at) {
                        first = Some(first.map_or(at, |first: usize| first.min(at)));
                        break;
                    }
                    both &= both - 1;
                }
            }
            if first.is_some() {
                return first;
            }
            start += WINDOW_BYTES;
        }
        (start..bytes.len()).find(|&at| needles.iter().any(|needle| needle.is_at(bytes, at)))
    }
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    #[test]
    fn the_first_match_is_that_of_an_expression() {
        let mut state = 1_u64;
        let mut below = |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let expressions = [
            "aab",
            "(?i)ab",
            "(?i)baa|abab|a b",
            "bbbbbbbb",
            "a|bab",
            "(?i)a1",
        ];
        for text in expressions {
            let expression = Regex::new(text).unwrap();
            let words = text.strip_prefix("(?i)").unwrap_or(text);
            let words = words.split('|').map(str::as_bytes);
            let needles = Needles::new(words, !text.starts_with("(?i)"));
            for _ in 0..2000 {
                let alphabet = [&b"ab"[..], b"abAB1 ", b"aBcdefgh\n|"][below(3)];
                let length = below(300);
                let bytes: Vec<u8> = (0..length)
                    .map(|_| alphabet[below(alphabet.len())])
                    .collect();
                let expected = expression.find(&bytes).map(|found| found.start());
                for simd in Simd::available() {
                    assert_eq!(needles.find(simd, &bytes), expected, "{text} in {bytes:?}");
                }
            }
        }
    }
}
