//! 64 bytes in two instructions: AVX2 with bit manipulation (Haswell, Zen and later).

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_set1_epi8,
    _mm256_shuffle_epi8,
};

use super::byte_set::ByteSet;
use super::{Kernel, Level, Window, x86};

/// The proof that this processor has AVX2, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Returns the level, if this processor and its operating system have it.
    pub(super) fn detect() -> Option<Avx2> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Avx2(()))
    }
}

impl Level for Avx2 {
    #[inline(always)]
    fn eq(self, window: &Window, byte: u8) -> u64 {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn eq(half: &[u8; 32], byte: u8) -> u32 {
            // SAFETY: the load needs 32 readable bytes at any alignment, which the reference
            // `half` guarantees.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast::<__m256i>()) };
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))) as u32
        }
        let ([low, high], []) = window.as_chunks::<32>() else {
            unreachable!("a window has 64 bytes")
        };
        // SAFETY: `self` exists, so `detect` has seen AVX2.
        let (low, high) = unsafe { (eq(low, byte), eq(high, byte)) };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn is_in<const N: usize>(self, window: &Window, set: &ByteSet<N>) -> u64 {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn is_in(half: &[u8; 32], entries: &[u8; 16]) -> u32 {
            // SAFETY: the loads need 32 and 16 readable bytes at any alignment, which the references
            // guarantee.
            let (bytes, entries) = unsafe {
                (
                    _mm256_loadu_si256(half.as_ptr().cast::<__m256i>()),
                    _mm_loadu_si128(entries.as_ptr().cast()),
                )
            };
            // The shuffle makes zeros of bytes beyond ASCII, and these are not zero themselves.
            let entries = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), bytes);
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, entries)) as u32
        }
        let ([low, high], []) = window.as_chunks::<32>() else {
            unreachable!("a window has 64 bytes")
        };
        // SAFETY: `self` exists, so `detect` has seen AVX2.
        let (low, high) = unsafe { (is_in(low, set.entries()), is_in(high, set.entries())) };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn controls(self, window: &Window) -> u64 {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn controls(half: &[u8; 32]) -> u32 {
            // SAFETY: as in `eq`.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast::<__m256i>()) };
            // There is no unsigned "less": bytes that the minimum leaves alone are not above it.
            let least = _mm256_min_epu8(bytes, _mm256_set1_epi8(b' ' as i8 - 1));
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, least)) as u32
        }
        let ([low, high], []) = window.as_chunks::<32>() else {
            unreachable!("a window has 64 bytes")
        };
        // SAFETY: `self` exists, so `detect` has seen AVX2.
        let (low, high) = unsafe { (controls(low), controls(high)) };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn beyond_ascii(self, window: &Window) -> u64 {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn beyond_ascii(half: &[u8; 32]) -> u32 {
            // SAFETY: as in `eq`.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast::<__m256i>()) };
            // As signed numbers, bytes of 0x80 and more are below zero.
            _mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8(b' ' as i8), bytes)) as u32
        }
        let ([low, high], []) = window.as_chunks::<32>() else {
            unreachable!("a window has 64 bytes")
        };
        // SAFETY: `self` exists, so `detect` has seen AVX2.
        let (low, high) = unsafe { (beyond_ascii(low), beyond_ascii(high)) };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn select(self, mask: u64, nth: u32) -> u32 {
        // SAFETY: `self` exists, so `detect` has seen BMI1 and BMI2.
        unsafe { x86::select(mask, nth) }
    }

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn compiled_for_avx2<K: Kernel>(level: Avx2, kernel: K) -> K::Output {
            kernel.run(level)
        }
        // SAFETY: `self` exists, so `detect` has seen that the processor has every feature named
        // above.
        unsafe { compiled_for_avx2(self, kernel) }
    }
}
