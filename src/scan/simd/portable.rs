//! Any processor: the `memchr` crate for long searches, plain arithmetic for a window.
//!
//! `memchr` brings vectors of its own (SSE2, AVX2, NEON, WebAssembly) and chooses among them itself.

use memchr::memchr_iter;

use super::{Kernel, Level, Window};

/// The level that needs no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Returns a bit for each byte of `window`: the highest bit of the byte that `found` makes of it.
/// `found` works on eight bytes at a time.
#[inline(always)]
fn mask(window: &Window, found: impl Fn(u64) -> u64) -> u64 {
    // Gathers the high bits of eight bytes into the highest byte: the product puts bit 8i+7 at
    // 56+i, and no two bits meet anywhere on the way, so nothing is carried.
    const GATHER: u64 = 0x0002_0408_1020_4081;
    let (words, _) = window.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, word| {
        let found = found(u64::from_le_bytes(*word)) & !LOW_BITS;
        mask << 8 | found.wrapping_mul(GATHER) >> 56
    })
}

impl Level for Portable {
    #[inline(always)]
    fn eq(self, window: &Window, byte: u8) -> u64 {
        let pattern = u64::from_ne_bytes([byte; 8]);
        mask(window, |word| {
            let difference = word ^ pattern;
            // The high bit of each nonzero byte. It is exact, because no carry leaves a byte.
            !(((difference & LOW_BITS) + LOW_BITS) | difference)
        })
    }

    #[inline(always)]
    fn controls(self, window: &Window) -> u64 {
        const CARRY: u64 = u64::from_ne_bytes([0x80 - b' '; 8]);
        // The high bit of each byte from the blank on. It is exact, because no carry leaves a byte.
        mask(window, |word| !(((word & LOW_BITS) + CARRY) | word))
    }

    #[inline(always)]
    fn select(self, mask: u64, nth: u32) -> u32 {
        (0..nth)
            .fold(mask, |mask, _| mask & mask.wrapping_sub(1))
            .trailing_zeros()
    }

    #[inline(never)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn count(self, haystack: &[u8], byte: u8) -> u64 {
        memchr_iter(byte, haystack).count() as u64
    }

    #[inline(always)]
    fn newlines(self, block: &[u8], first: u32, positions: &mut [u32]) -> usize {
        let mut found = 0;
        for newline in memchr_iter(b'\n', block) {
            positions[found] = first + newline as u32;
            found += 1;
        }
        found
    }
}
