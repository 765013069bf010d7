//! Every level's operations on words of 64 bits.

use crate::scan::simd::{Kernel, Level, Simd};

struct Select(u64, u32);

impl Kernel for Select {
    type Output = u32;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u32 {
        level.select(self.0, self.1)
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
