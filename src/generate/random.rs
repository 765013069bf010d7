//! Random numbers that depend on the seed and the place alone.
//!
//! Every block of rows has its own sequence, so workers share no state. Every committee and candidate
//! has some too, so all files draw the same names. The sequence is xoshiro256++
//! (Blackman and Vigna, <https://prng.di.unimi.it/>). The crate `rand_xoshiro` promises to keep it.

use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use super::words::Choice;

pub(super) struct Random(Xoshiro256PlusPlus);

/// The kinds of sequences: rows have the place of their schema in `SCHEMAS`. The numbers are part of the
/// files: another number gives other rows.
pub(super) mod stream {
    pub(in super::super) const COMMITTEE_FACTS: u64 = 16;
    pub(in super::super) const COMMITTEE_NAME: u64 = 17;
    pub(in super::super) const COMMITTEE_ADDRESS: u64 = 18;
    pub(in super::super) const CANDIDATE_FACTS: u64 = 19;
    pub(in super::super) const CANDIDATE_ADDRESS: u64 = 20;
    pub(in super::super) const REVISIONS: u64 = 21;
    pub(in super::super) const DONORS: u64 = 22;
    pub(in super::super) const MONTHS: u64 = 255;
}

impl Random {
    /// Starts sequence `number` of `stream` under `seed`. Numbers have 56 bits.
    pub(super) fn new(seed: u64, stream: u64, number: u64) -> Random {
        // Seeding mixes its argument. Mixing the seed first keeps two seeds from sharing blocks.
        let mixed = SplitMix64::seed_from_u64(seed).next_u64();
        let place = stream << 56 | number;
        Random(Xoshiro256PlusPlus::seed_from_u64(mixed ^ place))
    }

    #[inline(always)]
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number less than `bound`. The bias is at most `bound` in 2^32.
    #[inline(always)]
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        scaled(self.bits() >> 32, bound)
    }

    /// Returns true in `thousandths` of all calls.
    pub(super) fn chance(&mut self, thousandths: u32) -> bool {
        self.below(1000) < thousandths
    }

    pub(super) fn one_of(&mut self, choice: &Choice) -> &'static str {
        choice.at(self.below(choice.total()))
    }
}

/// Multiplies `bound` by the low 32 bits of `fraction`, as a number from 0 to 1.
#[inline(always)]
pub(super) fn scaled(fraction: u64, bound: u32) -> u32 {
    (((fraction & 0xffff_ffff) * u64::from(bound)) >> 32) as u32
}
