//! Every level against the obvious way, one byte after the other.

use std::ops::Range;

use super::{Block, GROUP_BYTES, Kernel, Level, Simd, WINDOW_BYTES, Window};

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

struct Eq<'a>(&'a Window, u8);

impl Kernel for Eq<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.eq(self.0, self.1)
    }
}

struct Controls<'a>(&'a Window);

impl Kernel for Controls<'_> {
    type Output = [u64; 2];
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> [u64; 2] {
        [level.controls(self.0), level.run(ControlsAgain(self.0))]
    }
}

struct ControlsAgain<'a>(&'a Window);

impl Kernel for ControlsAgain<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.controls(self.0)
    }
}

struct BeyondAscii<'a>(&'a Window);

impl Kernel for BeyondAscii<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.beyond_ascii(self.0)
    }
}

struct Select(u64, u32);

impl Kernel for Select {
    type Output = u32;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u32 {
        level.select(self.0, self.1)
    }
}

/// Returns all of `haystack` as a block.
fn whole(haystack: &[u8], first: u32) -> Block<'_> {
    Block {
        haystack,
        start: 0,
        end: haystack.len(),
        first,
        pages_ahead: 4,
    }
}

/// Returns the positions of the newlines of `block`.
fn newlines(simd: Simd, block: &[u8]) -> Vec<u32> {
    const FIRST: u32 = 1_000_003;
    let mut positions = vec![u32::MAX; block.len() + 1];
    let found = simd.newlines(whole(block, FIRST), &mut positions);
    positions.truncate(found);
    positions.iter().map(|position| position - FIRST).collect()
}

#[test]
fn a_window_is_compared_byte_by_byte() {
    for simd in Simd::available() {
        for seed in 0..200 {
            let window: Window = text(WINDOW_BYTES, seed).try_into().unwrap();
            for byte in BYTES {
                let expected = (0..WINDOW_BYTES)
                    .filter(|&i| window[i] == byte)
                    .map(|i| 1_u64 << i)
                    .sum::<u64>();
                assert_eq!(
                    simd.dispatch(Eq(&window, byte)),
                    expected,
                    "{} seed {seed} byte {byte}",
                    simd.name()
                );
            }
        }
    }
}

#[test]
fn one_byte_that_matches_is_found_in_every_place() {
    for simd in Simd::available() {
        for byte in 0..=255 {
            for place in 0..WINDOW_BYTES {
                let mut window = [byte ^ 0x01; WINDOW_BYTES];
                window[place] = byte;
                assert_eq!(
                    simd.dispatch(Eq(&window, byte)),
                    1 << place,
                    "{} byte {byte}",
                    simd.name()
                );
            }
        }
    }
}

#[test]
fn controls_are_the_bytes_below_a_blank() {
    for simd in Simd::available() {
        for byte in 0..=255 {
            for place in 0..WINDOW_BYTES {
                let mut window = [if place % 2 == 0 { 0x1f } else { 0x20 }; WINDOW_BYTES];
                window[place] = byte;
                let bits = window
                    .iter()
                    .enumerate()
                    .map(|(i, &b)| u64::from(b < 0x20) << i);
                let expected: u64 = bits.sum();
                let found = simd.dispatch(Controls(&window));
                assert_eq!(
                    found,
                    [expected; 2],
                    "{} byte {byte} at {place}",
                    simd.name()
                );
            }
        }
    }
}

#[test]
fn bytes_beyond_ascii_are_controls_and_those_with_the_high_bit() {
    for simd in Simd::available() {
        // 0x7f may be of either kind.
        for byte in (0..0x7f).chain(0x80..=255) {
            for place in 0..WINDOW_BYTES {
                let mut window = [if place % 2 == 0 { 0x80 } else { b'~' }; WINDOW_BYTES];
                window[place] = byte;
                let bits = window
                    .iter()
                    .enumerate()
                    .map(|(i, &b)| u64::from(!(b' '..=b'~').contains(&b)) << i);
                let expected: u64 = bits.sum();
                assert_eq!(
                    simd.dispatch(BeyondAscii(&window)),
                    expected,
                    "{} byte {byte} at {place}",
                    simd.name()
                );
            }
        }
    }
}

#[test]
fn the_nth_bit_is_the_one_that_n_others_precede() {
    for simd in Simd::available() {
        for mask in [
            0,
            1,
            1 << 63,
            u64::MAX,
            0x8000_0000_0000_0001,
            0x0123_4567_89ab_cdef,
        ] {
            let places = (0..64)
                .filter(|place| mask >> place & 1 == 1)
                .chain(std::iter::repeat(64));
            for (nth, place) in (0..64).zip(places) {
                assert_eq!(
                    simd.dispatch(Select(mask, nth)),
                    place,
                    "{} mask {mask:x} {nth}",
                    simd.name()
                );
            }
        }
    }
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
                let counted = simd.count(block, b'\n');
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

/// Returns the positions of the delimiters of the block in `haystack`, and the number of newlines.
fn delimiters(simd: Simd, haystack: &[u8], block: Range<usize>) -> (Vec<usize>, usize) {
    let first = 7_000_000;
    let block = Block {
        haystack,
        start: block.start,
        end: block.end,
        first,
        pages_ahead: 4,
    };
    let mut positions = vec![u32::MAX; block.end - block.start + GROUP_BYTES];
    let found = simd.delimiters(block, &mut positions);
    let positions = positions[..found.all].iter();
    let places = positions.map(|position| (position - first) as usize);
    (places.collect(), found.newlines)
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
            assert_eq!(simd.count(&haystack, b'\n'), length as u64, "{name}");
            assert_eq!(simd.count(&haystack, b'|'), 0, "{name}");
            let found = delimiters(simd, &haystack, 0..length);
            let expected = ((0..length).collect(), length);
            assert!(found == expected, "{name} {length}");
        }
    }
}

struct Find<'a>(&'a [u64; 4], u64);

impl Kernel for Find<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> usize {
        level.find(self.0, self.1)
    }
}

#[test]
fn the_first_of_four_words_that_is_equal_is_found() {
    let word = 0x0123_4567_89ab_cdef_u64;
    // Words that are equal in part.
    let others = [
        0,
        !word,
        word ^ 1,
        word ^ 1 << 63,
        word ^ 1 << 31,
        word ^ 1 << 32,
    ];
    for simd in Simd::available() {
        for other in others {
            for places in 0..16_u32 {
                let words = std::array::from_fn(|nth| match places >> nth & 1 {
                    1 => word,
                    _ => other,
                });
                let found = simd.dispatch(Find(&words, word)).min(4);
                let expected = places.trailing_zeros().min(4) as usize;
                assert_eq!(found, expected, "{} {places:b} {other:x}", simd.name());
            }
        }
    }
}

struct Extract(u64, u64);

impl Kernel for Extract {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.extract(self.0, self.1)
    }
}

#[test]
fn bits_are_extracted_one_by_one() {
    let masks = [
        0,
        1,
        1 << 63,
        u64::MAX,
        0x0f01_0f01_0000_0000,
        0xaaaa_5555_00ff_f00f,
    ];
    for simd in Simd::available() {
        for (mask, seed) in masks
            .into_iter()
            .flat_map(|mask| (0..200).map(move |seed| (mask, seed)))
        {
            let word = u64::from_le_bytes(text(8, seed).try_into().unwrap());
            let bits = (0..64)
                .filter(|bit| mask & (1 << bit) != 0)
                .map(|bit| word >> bit & 1);
            let expected = bits.enumerate().map(|(nth, bit)| bit << nth).sum::<u64>();
            let name = simd.name();
            assert_eq!(
                simd.dispatch(Extract(word, mask)),
                expected,
                "{name} {word:x} {mask:x}"
            );
        }
    }
}
