//! 64 bytes in one instruction: AVX-512 with BW, VL and VBMI2 (Ice Lake, Zen 4 and later).

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm512_add_epi32, _mm512_broadcast_i32x4, _mm512_castsi512_si128,
    _mm512_cmpeq_epi8_mask, _mm512_cmplt_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi32,
    _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_maskz_compress_epi8, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_shuffle_epi8, _mm512_storeu_si512,
};

use super::byte_set::ByteSet;
use super::{GROUP_BYTES, Kernel, Level, WINDOW_BYTES, WINDOWS_TOGETHER, Window, x86};

/// The places of the bytes of the windows of a group.
const PLACES: [Window; WINDOWS_TOGETHER] = {
    let mut places = [[0; WINDOW_BYTES]; WINDOWS_TOGETHER];
    let mut place = 0;
    while place < GROUP_BYTES {
        places[place / WINDOW_BYTES][place % WINDOW_BYTES] = place as u8;
        place += 1;
    }
    places
};

/// The proof that this processor has AVX-512 with F, BW, VL and VBMI2, AVX2, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Returns the level, if this processor and its operating system have it.
    pub(super) fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
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

    /// NDJSON takes 0.96 of the time that comparisons and the joining of their masks take.
    #[inline(always)]
    fn is_in<const N: usize>(self, window: &Window, set: &ByteSet<N>) -> u64 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn is_in(window: &Window, entries: &[u8; 16]) -> u64 {
            // SAFETY: the loads need 64 and 16 readable bytes at any alignment, which the references
            // guarantee.
            let (bytes, entries) = unsafe {
                (
                    _mm512_loadu_si512(window.as_ptr().cast()),
                    _mm_loadu_si128(entries.as_ptr().cast()),
                )
            };
            // The shuffle makes zeros of bytes beyond ASCII, and these are not zero themselves.
            let entries = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), bytes);
            _mm512_cmpeq_epi8_mask(bytes, entries)
        }
        // SAFETY: `self` exists, so `detect` has seen AVX-512F and BW.
        unsafe { is_in(window, set.entries()) }
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
    fn beyond_ascii(self, window: &Window) -> u64 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn beyond_ascii(window: &Window) -> u64 {
            // SAFETY: the load needs 64 readable bytes at any alignment, which the reference
            // `window` guarantees.
            let bytes = unsafe { _mm512_loadu_si512(window.as_ptr().cast()) };
            // As signed numbers, bytes of 0x80 and more are below zero.
            _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(b' ' as i8))
        }
        // SAFETY: `self` exists, so `detect` has seen AVX-512F and BW.
        unsafe { beyond_ascii(window) }
    }

    #[inline(always)]
    fn select(self, mask: u64, nth: u32) -> u32 {
        // SAFETY: `self` exists, so `detect` has seen BMI1 and BMI2.
        unsafe { x86::select(mask, nth) }
    }

    #[inline(always)]
    fn store_places(self, mask: u64, start: u32, window: usize, room: &mut [u32; WINDOW_BYTES]) {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        fn store_places(mask: u64, start: u32, places: &Window, room: &mut [u32; WINDOW_BYTES]) {
            let start = _mm512_set1_epi32(start.cast_signed());
            let store = |room: &mut [u32; 16], places: __m128i| {
                let positions = _mm512_add_epi32(_mm512_cvtepu8_epi32(places), start);
                // SAFETY: the store needs 64 writable bytes at any alignment, which the reference `room`
                // guarantees.
                unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), positions) };
            };
            // SAFETY: the load needs 64 readable bytes at any alignment, which the reference `places`
            // guarantees.
            let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
            let places = _mm512_maskz_compress_epi8(mask, places);
            let ([first, second, third, fourth], []) = room.as_chunks_mut::<16>() else {
                unreachable!("a window has 64 bytes")
            };
            store(first, _mm512_castsi512_si128(places));
            if mask.count_ones() > 16 {
                store(second, _mm512_extracti32x4_epi32::<1>(places));
                store(third, _mm512_extracti32x4_epi32::<2>(places));
                store(fourth, _mm512_extracti32x4_epi32::<3>(places));
            }
        }
        // SAFETY: `self` exists, so `detect` has seen AVX-512F, BW and VBMI2.
        unsafe { store_places(mask, start, &PLACES[window], room) }
    }

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi1,bmi2,popcnt")]
        fn compiled_for_avx512<K: Kernel>(level: Avx512, kernel: K) -> K::Output {
            kernel.run(level)
        }
        // SAFETY: `self` exists, so `detect` has seen that the processor has every feature named
        // above.
        unsafe { compiled_for_avx512(self, kernel) }
    }
}
