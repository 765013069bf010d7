//! Random numbers, the same for everybody who names the same seed and block.
//!
//! Each block of rows has a generator of its own, seeded by the seed and the number of the block
//! alone. Nobody waits for anybody, and no worker's numbers depend on what others have drawn. The
//! generator is xoshiro256++ (Blackman and Vigna, <https://prng.di.unimi.it/>), from the crate
//! `rand_xoshiro`, which promises to keep its sequence.

use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Draws(Xoshiro256PlusPlus);

impl Draws {
    /// The sequence of `block` under `seed`.
    pub fn of_block(seed: u64, block: u64) -> Draws {
        // Seeding mixes all bits of its argument. The seed is mixed before, so that two seeds do
        // not share blocks.
        let mixed = SplitMix64::seed_from_u64(seed).next_u64();
        Draws(Xoshiro256PlusPlus::seed_from_u64(mixed ^ block))
    }

    /// 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, each as likely as any other to within one in 2^32 / `bound`.
    ///
    /// ```
    /// use fecscan::generate::draws::Draws;
    /// let mut draws = Draws::of_block(1, 0);
    /// assert!((0..1000).all(|_| draws.below(49) < 49));
    /// ```
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        scaled(self.bits() >> 32, bound)
    }

    /// Whether something happens that happens `times` in 4096.
    #[inline(always)]
    pub fn in_4096(&mut self, times: u32) -> bool {
        self.below(4096) < times
    }
}

/// The 32 bits of `fraction`, a number from 0 to 1, times `bound`.
#[inline(always)]
pub(super) fn scaled(fraction: u64, bound: u32) -> u32 {
    ((fraction * u64::from(bound)) >> 32) as u32
}
