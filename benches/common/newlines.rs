//! Counting newlines at a level.

use fecscan::scan::simd::{Kernel, Level, Simd};
use fecscan::scan::{Chunk, count_newlines};

/// The number of newlines in `bytes`, counted at the level of `simd`.
pub fn newlines(simd: Simd, bytes: &[u8]) -> u64 {
    simd.dispatch(Newlines(bytes))
}

struct Newlines<'a>(&'a [u8]);

impl Kernel for Newlines<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        count_newlines(level, &Chunk::whole(self.0))
    }
}
