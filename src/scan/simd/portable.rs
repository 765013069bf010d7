//! Any processor: the `memchr` crate for long searches, plain arithmetic for a window.
//!
//! `memchr` brings vectors of its own (SSE2, AVX2, NEON, WebAssembly) and chooses among them itself.

use std::array;

use memchr::memchr_iter;

use super::ahead::Ahead;
use super::{Block, Kernel, Level, Window};

/// The level that needs no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

/// Returns a bit for each byte of `window`: whether it `is` so.
///
/// The compiler makes vectors of the loop over the bytes. Eight bytes at a time, their lowest bits
/// gather in the highest byte of a product: it puts bit 8i at 56 + i, and no two bits meet anywhere on
/// the way, so nothing is carried.
#[inline(always)]
fn mask(window: &Window, is: impl Fn(u8) -> bool) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let found: Window = array::from_fn(|nth| u8::from(is(window[nth])));
    let (words, _) = found.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, word| {
        mask << 8 | u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56
    })
}

impl Level for Portable {
    #[inline(always)]
    fn eq(self, window: &Window, byte: u8) -> u64 {
        mask(window, |b| b == byte)
    }

    #[inline(always)]
    fn controls(self, window: &Window) -> u64 {
        mask(window, |b| b < b' ')
    }

    #[inline(always)]
    fn beyond_ascii(self, window: &Window) -> u64 {
        mask(window, |b| b.cast_signed() < b' '.cast_signed())
    }

    #[inline(never)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn count(self, haystack: &[u8], byte: u8, _: Ahead) -> u64 {
        memchr_iter(byte, haystack).count() as u64
    }

    #[inline(always)]
    fn newlines(self, block: Block<'_>, positions: &mut [u32]) -> usize {
        let mut found = 0;
        for newline in memchr_iter(b'\n', block.bytes()) {
            positions[found] = block.first + newline as u32;
            found += 1;
        }
        found
    }
}
