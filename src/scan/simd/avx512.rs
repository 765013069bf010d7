//! 64 bytes in one instruction: AVX-512 with byte and word instructions (Skylake-X, Ice Lake, Zen 4
//! and later).

#![allow(unsafe_code)]

use std::arch::x86_64::{
    _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_loadu_si512, _mm512_set1_epi8,
};

use super::{Kernel, Level, Window, x86};

/// The proof that this processor has AVX-512F and BW, AVX2, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Returns the level, if this processor and its operating system have it.
    pub(super) fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Avx512(()))
    }
}

impl Level for Avx512 {
    #[inline(always)]
    fn eq(self, window: &Window, byte: u8) -> u64 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn eq(window: &Window, byte: u8) -> u64 {
            // SAFETY: the load needs 64 readable bytes at any alignment, which the reference
            // `window` guarantees.
            let bytes = unsafe { _mm512_loadu_si512(window.as_ptr().cast()) };
            _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
        }
        // SAFETY: `self` exists, so `detect` has seen AVX-512F and BW.
        unsafe { eq(window, byte) }
    }

    #[inline(always)]
    fn controls(self, window: &Window) -> u64 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn controls(window: &Window) -> u64 {
            // SAFETY: the load needs 64 readable bytes at any alignment, which the reference
            // `window` guarantees.
            let bytes = unsafe { _mm512_loadu_si512(window.as_ptr().cast()) };
            _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(b' ' as i8))
        }
        // SAFETY: `self` exists, so `detect` has seen AVX-512F and BW.
        unsafe { controls(window) }
    }

    #[inline(always)]
    fn select(self, mask: u64, nth: u32) -> u32 {
        // SAFETY: `self` exists, so `detect` has seen BMI1 and BMI2.
        unsafe { x86::select(mask, nth) }
    }

    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        // SAFETY: `self` exists, so `detect` has seen BMI2.
        unsafe { x86::extract(word, mask) }
    }

    #[inline(always)]
    fn find(self, words: &[u64; 4], word: u64) -> usize {
        // SAFETY: `self` exists, so `detect` has seen AVX2.
        unsafe { x86::find(words, word) }
    }

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,popcnt")]
        fn compiled_for_avx512<K: Kernel>(level: Avx512, kernel: K) -> K::Output {
            kernel.run(level)
        }
        // SAFETY: `self` exists, so `detect` has seen that the processor has every feature named
        // above.
        unsafe { compiled_for_avx512(self, kernel) }
    }

    #[inline(always)]
    fn prefetch_line(self, haystack: &[u8], place: usize) {
        x86::prefetch_line(haystack, place);
    }

    #[inline(always)]
    fn prefetch<T>(self, items: &[T], place: usize) {
        x86::prefetch(items.as_ptr().wrapping_add(place).cast());
    }
}
