//! The operations that the levels of x86-64 share.

#![allow(unsafe_code)]

use std::arch::x86_64::{__cpuid, _MM_HINT_T0, _MM_HINT_T1, _mm_prefetch, _pdep_u64};

/// Returns the place of the bit of `mask` after `nth` lower ones, or 64: deposits that bit alone.
///
/// One instruction on Intel's processors and AMD's since Zen 3. Before that AMD's took some 20
/// cycles and more.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
pub(super) fn select(mask: u64, nth: u32) -> u32 {
    debug_assert!(nth < u64::BITS);
    _pdep_u64(1 << nth, mask).trailing_zeros()
}

/// Prefetches the cache line at `place`.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    // SAFETY: prefetching is a hint without a visible effect, at unreadable addresses too. SSE, to
    // which it belongs, is part of the architecture.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
}

/// Prefetches the cache line at `place` into the second-level cache.
#[inline(always)]
pub(super) fn prefetch_far(place: *const u8) {
    // SAFETY: as above.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(place.cast()) };
}

/// Says whether AMD made the processor, or Hygon by AMD's design.
pub(super) fn is_of_amd() -> bool {
    // SAFETY: every processor of the architecture has the instruction. The compiler knows that since Rust 1.94.
    #[allow(unused_unsafe)]
    let leaf = unsafe { __cpuid(0) };
    let maker = [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes);
    matches!(maker.as_flattened(), b"AuthenticAMD" | b"HygonGenuine")
}
