//! The least and the greatest text of a row group, by which readers skip it.
//!
//! The statistics of the column writer compare each text in full, twice. Together with these, an export takes 8 % longer.

use arrow_array::{Array, StringArray};
use parquet::file::statistics::{Statistics, ValueStatistics};

/// Longer texts are cut. The greatest is then made greater, so it may have a few bytes more.
const BOUND_BYTES: usize = 64;

/// The number of bytes of a text that its key has.
const KEY_BYTES: usize = 7;

#[derive(Default)]
pub(super) struct Bounds {
    least: Option<String>,
    greatest: Option<String>,
    nulls: u64,
}

impl Bounds {
    pub(super) fn add(&mut self, texts: &StringArray) {
        self.nulls += texts.null_count() as u64;
        // Nulls have the key 0, and are neither.
        let null = u64::from(texts.is_nullable());
        let (mut least, mut greatest) = (self.least.as_deref(), self.greatest.as_deref());
        // Only texts with keys before `below`, or from `from` on, are compared in full: hardly any, once some are known.
        let mut below = least.map_or(u64::MAX, |text| end_of_less(key_of(text)));
        let mut from = greatest.map_or(null, |text| start_of_greater(key_of(text)));
        let bytes = texts.value_data();
        for (nth, ends) in texts.value_offsets().windows(2).enumerate() {
            let key = key(&bytes[ends[0] as usize..], (ends[1] - ends[0]) as usize);
            if key.wrapping_sub(null) < below.wrapping_sub(null) {
                let text = texts.value(nth);
                if least.is_none_or(|least| text < least) {
                    least = Some(text);
                    below = end_of_less(key);
                }
            }
            if key >= from {
                let text = texts.value(nth);
                if greatest.is_none_or(|greatest| text > greatest) {
                    greatest = Some(text);
                    from = start_of_greater(key);
                }
            }
        }
        let bounds = [least, greatest].map(|text| text.map(str::to_owned));
        [self.least, self.greatest] = bounds;
    }

    pub(super) fn statistics(self) -> Statistics {
        let least = self.least.as_deref().map(|least| &least[..cut(least)]);
        let greatest = self.greatest.as_deref().and_then(at_least);
        let is_exact = [least == self.least.as_deref(), greatest == self.greatest];
        let least = least.map(|least| least.into());
        let greatest = greatest.as_deref().map(|greatest| greatest.into());
        let statistics = ValueStatistics::new(least, greatest, None, Some(self.nulls), false);
        Statistics::ByteArray(
            statistics
                .with_min_is_exact(is_exact[0])
                .with_max_is_exact(is_exact[1]),
        )
    }
}

/// Returns a number that orders texts of at most [`KEY_BYTES`] bytes: the bytes, and how many there are. The text has
/// the first `length` of `bytes`.
#[inline(always)]
fn key(bytes: &[u8], length: usize) -> u64 {
    let taken = length.min(KEY_BYTES);
    let head = match bytes.first_chunk() {
        Some(head) => u64::from_be_bytes(*head),
        None => {
            let mut head = [0; 8];
            head[..taken].copy_from_slice(&bytes[..taken]);
            u64::from_be_bytes(head)
        }
    };
    head & !(u64::MAX >> (8 * taken)) | length.min(KEY_BYTES + 1) as u64
}

fn key_of(text: &str) -> u64 {
    key(text.as_bytes(), text.len())
}

/// Returns whether texts with this key can differ.
fn is_cut(key: u64) -> bool {
    key & 0xff > KEY_BYTES as u64
}

/// Returns the end of the keys that lesser texts than one with `key` can have.
fn end_of_less(key: u64) -> u64 {
    key + u64::from(is_cut(key))
}

/// Returns the first of the keys that greater texts than one with `key` can have.
fn start_of_greater(key: u64) -> u64 {
    key + u64::from(!is_cut(key))
}

/// Returns a short text that is no less. There is none if all characters are the last ones.
fn at_least(text: &str) -> Option<String> {
    if text.len() <= BOUND_BYTES {
        return Some(text.to_owned());
    }
    let mut bound = text[..cut(text)].to_owned();
    while let Some(last) = bound.pop() {
        if let Some(next) = char::from_u32(last as u32 + 1) {
            bound.push(next);
            return Some(bound);
        }
    }
    None
}

/// Returns where a text is cut: between two characters.
fn cut(text: &str) -> usize {
    let most = text.len().min(BOUND_BYTES);
    let places = (0..=most).rev();
    let mut boundaries = places.filter(|&at| text.is_char_boundary(at));
    boundaries.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_bounds(texts: &StringArray) {
        let mut bounds = Bounds::default();
        // In two batches, and with a text before that no offset of theirs has.
        for part in [texts.slice(0, 1), texts.slice(1, texts.len() - 1)] {
            bounds.add(&part);
        }
        let present = || texts.iter().flatten();
        assert_eq!(bounds.least.as_deref(), present().min());
        assert_eq!(bounds.greatest.as_deref(), present().max());
        assert_eq!(bounds.nulls, texts.null_count() as u64);
    }

    #[test]
    fn bounds_are_those_of_all_texts() {
        let words = [
            "",
            "\0",
            "a",
            "a\0",
            "abcdefg",
            "abcdefg\0",
            "abcdefgh",
            "abcdefgz",
            "é",
            "éééé",
            "z",
        ];
        for one in words {
            for other in words {
                for third in words {
                    let texts = [one, other, third];
                    assert_bounds(&StringArray::from_iter_values(texts));
                    let nulls = texts.map(|text| Some(text).filter(|text| !text.is_empty()));
                    assert_bounds(&StringArray::from_iter(nulls));
                }
            }
        }
    }

    #[test]
    fn long_bounds_are_cut() {
        let of = |text: &str| {
            let mut bounds = Bounds::default();
            bounds.add(&StringArray::from_iter_values([text]));
            let Statistics::ByteArray(of) = bounds.statistics() else {
                unreachable!()
            };
            let bounds = [of.min_opt(), of.max_opt()]
                .map(|bound| bound.map(|bound| String::from_utf8(bound.data().to_vec()).unwrap()));
            (bounds, [of.min_is_exact(), of.max_is_exact()])
        };
        let bounds = |least: String, greatest: Option<String>| [Some(least), greatest];
        let x = |count| "x".repeat(count);
        assert_eq!(of(&x(64)), (bounds(x(64), Some(x(64))), [true; 2]));
        assert_eq!(of(&x(65)), (bounds(x(64), Some(x(63) + "y")), [false; 2]));
        let cut = bounds(x(63), Some(x(62) + "y"));
        assert_eq!(of(&(x(63) + "éx")), (cut, [false; 2]));
        let last = char::MAX.to_string().repeat(17);
        let cut = bounds(char::MAX.to_string().repeat(16), None);
        assert_eq!(of(&last), (cut, [false; 2]));
    }
}
