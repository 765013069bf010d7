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
