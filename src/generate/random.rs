//! Random numbers that depend on the seed and the block alone.
//!
//! Every block of rows has its own sequence, so workers share no state. The sequence is xoshiro256++
//! (Blackman and Vigna, <https://prng.di.unimi.it/>). The crate `rand_xoshiro` promises to keep it.

use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// A sequence of random numbers.
pub(super) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Starts the sequence of `block` under `seed`.
    pub(super) fn of_block(seed: u64, block: u64) -> Random {
        // Seeding mixes its argument. Mixing the seed first keeps two seeds from sharing blocks.
        let mixed = SplitMix64::seed_from_u64(seed).next_u64();
        Random(Xoshiro256PlusPlus::seed_from_u64(mixed ^ block))
    }

    /// Returns 64 random bits.
    #[inline(always)]
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number less than `bound`. The bias is at most `bound` in 2^32.
    #[inline(always)]
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        scaled(self.bits() >> 32, bound)
    }
}

/// Multiplies `bound` by the low 32 bits of `fraction`, as a number from 0 to 1.
#[inline(always)]
pub(super) fn scaled(fraction: u64, bound: u32) -> u32 {
    (((fraction & 0xffff_ffff) * u64::from(bound)) >> 32) as u32
}
