//! Every level against the obvious way, one byte after the other.

mod windows;
mod words;

use std::fmt::Debug;
use std::ops::Range;

use super::{Ahead, Block, GROUP_BYTES, Simd};

/// Bytes that look alike to wrong arithmetic: neighbours, and the same with the high bit set.
const BYTES: [u8; 8] = [
    b'\n',
    b'\n' + 1,
    b'\n' - 1,
    b'\n' | 0x80,
    b'|',
    b'|' ^ 1,
    0x00,
    0xff,
];

/// Text over [`BYTES`] that repeats only after a long time.
fn text(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        BYTES[(state >> 61) as usize]
    };
    (0..length).map(next).collect()
}

/// Returns what `find` finds in this part of `haystack`. It must find the same whatever is prefetched.
fn find<T: PartialEq + Debug>(
    haystack: &[u8],
    part: Range<usize>,
    first: u32,
    find: impl Fn(Block<'_>) -> T,
) -> T {
    let blocks = Ahead::ALL.into_iter().map(|ahead| Block {
        delimiter: b'|',
        haystack,
        start: part.start,
        end: part.end,
        first,
        ahead,
    });
    let mut found = blocks.map(find);
    let first = found.next().expect("there are several");
    found.for_each(|next| assert_eq!(next, first));
    first
}

/// Returns the positions of the newlines of `block`.
fn newlines(simd: Simd, block: &[u8]) -> Vec<u32> {
    const FIRST: u32 = 1_000_003;
    find(block, 0..block.len(), FIRST, |block| {
        let mut positions = vec![u32::MAX; block.end + 1];
        let found = simd.newlines(block, &mut positions);
        positions.truncate(found);
        positions.iter().map(|position| position - FIRST).collect()
    })
}

/// Returns how often `byte` is in `haystack`.
fn count(simd: Simd, haystack: &[u8], byte: u8) -> u64 {
    let [count, other] = Ahead::ALL.map(|ahead| simd.count(haystack, byte, ahead));
    assert_eq!(count, other, "{}", simd.name());
    count
}

#[test]
fn newlines_are_found_and_counted_at_every_length_and_alignment() {
    for simd in Simd::available() {
        for length in 0..=321 {
            for start in [0, 1, 31, 63] {
                let text = text(start + length, length as u64);
                let block = &text[start..];
                let expected: Vec<u32> = (0..)
                    .zip(block)
                    .filter(|&(_, &b)| b == b'\n')
                    .map(|(i, _)| i)
                    .collect();
                assert_eq!(
                    newlines(simd, block),
                    expected,
                    "{} {length} from {start}",
                    simd.name()
                );
                let counted = count(simd, block, b'\n');
                assert_eq!(
                    counted,
                    expected.len() as u64,
                    "{} {length} from {start}",
                    simd.name()
                );
            }
        }
    }
}

/// Returns the positions of the delimiters in this part of `haystack`, and the number of newlines.
fn delimiters(simd: Simd, haystack: &[u8], part: Range<usize>) -> (Vec<usize>, usize) {
    const FIRST: u32 = 7_000_000;
    find(haystack, part, FIRST, |block| {
        let mut positions = vec![u32::MAX; block.end - block.start + GROUP_BYTES];
        let found = simd.delimiters(block, &mut positions);
        let positions = positions[..found.all].iter();
        let places = positions.map(|position| (position - FIRST) as usize);
        (places.collect(), found.newlines)
    })
}

#[test]
fn delimiters_are_found_at_every_length_and_alignment() {
    for simd in Simd::available() {
        for length in 0..=641 {
            for start in [0, 1, 31, 63] {
                let text = text(start + length + 64, length as u64);
                let block = &text[start..start + length];
                let is = |wanted: &[u8]| {
                    let places = block.iter().enumerate();
                    let found = places.filter(|(_, b)| wanted.contains(b));
                    found.map(|(place, _)| place).collect::<Vec<_>>()
                };
                let expected = (is(b"|\n"), is(b"\n").len());
                let found = delimiters(simd, &text, start..start + length);
                assert_eq!(found, expected, "{} {length} from {start}", simd.name());
            }
        }
    }
}

/// Any number of delimiters in a window: 16 are stored at once, or 10.
#[test]
fn a_window_has_any_number_of_delimiters() {
    for simd in Simd::available() {
        for count in 0..=256 {
            let text: Vec<u8> = (0..256)
                .map(|nth| if nth * 37 % 256 < count { b'|' } else { b'x' })
                .collect();
            let expected: Vec<usize> = (0..256).filter(|&nth| text[nth] == b'|').collect();
            let found = delimiters(simd, &text, 0..256);
            assert_eq!(found, (expected, 0), "{} {count}", simd.name());
        }
    }
}

#[test]
fn a_block_of_nothing_but_newlines_has_room_for_them() {
    for simd in Simd::available() {
        for length in [64, 65, 4096] {
            let expected: Vec<u32> = (0..length).collect();
            assert_eq!(
                newlines(simd, &vec![b'\n'; length as usize]),
                expected,
                "{}",
                simd.name()
            );
        }
    }
}

/// Counters of few bits would overflow.
#[test]
fn pages_of_nothing_but_one_byte_are_counted() {
    for simd in Simd::available() {
        for length in [255, 256, 4095, 4096, 4097, 40_000, 70_000] {
            let haystack = vec![b'\n'; length];
            let name = simd.name();
            assert_eq!(count(simd, &haystack, b'\n'), length as u64, "{name}");
            assert_eq!(count(simd, &haystack, b'|'), 0, "{name}");
            let found = delimiters(simd, &haystack, 0..length);
            let expected = ((0..length).collect(), length);
            assert!(found == expected, "{name} {length}");
        }
    }
}
