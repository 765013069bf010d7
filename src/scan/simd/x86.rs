//! What the levels of this architecture have in common.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    _MM_HINT_T0, _mm_prefetch, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_loadu_si256,
    _mm256_movemask_pd, _mm256_set1_epi64x, _pdep_u64, _pext_u64,
};

use super::PREFETCHED_BYTES;

/// The place of the bit of `mask` that `nth` lower ones precede: that bit alone is deposited, and
/// found. 64 if there is none.
///
/// One instruction on Intel's processors and AMD's since Zen 3. Before that AMD's took some 20
/// cycles and more.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
pub(super) fn select(mask: u64, nth: u32) -> u32 {
    debug_assert!(nth < u64::BITS);
    _pdep_u64(1 << nth, mask).trailing_zeros()
}

/// The bits of `word` that `mask` has, side by side. As fast as [`select`].
#[inline]
#[target_feature(enable = "bmi2")]
pub(super) fn extract(word: u64, mask: u64) -> u64 {
    _pext_u64(word, mask)
}

/// Where in `words` the first is that is `word`; 32 if none is.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn find(words: &[u64; 4], word: u64) -> usize {
    // SAFETY: the load needs 32 readable bytes at any alignment, and `words` is a reference to just
    // these.
    let words = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
    let same = _mm256_cmpeq_epi64(words, _mm256_set1_epi64x(word.cast_signed()));
    let mask = _mm256_movemask_pd(_mm256_castsi256_pd(same));
    mask.trailing_zeros() as usize
}

/// Asks for the cache lines of [`PREFETCHED_BYTES`] from `place` on.
#[inline(always)]
pub(super) fn prefetch_line(haystack: &[u8], place: usize) {
    let start = haystack.as_ptr().wrapping_add(place);
    for cache_line in 0..PREFETCHED_BYTES / 64 {
        prefetch(start.wrapping_add(64 * cache_line));
    }
}

/// Asks for the cache line at `place`.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    // SAFETY: prefetching is a hint. It reads nothing that the program could see, and at an address
    // that can't be read it does nothing. SSE, which it belongs to, is part of the architecture.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
}
