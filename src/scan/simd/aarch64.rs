//! Instructions of 64-bit ARM processors that belong to no level.

#![allow(unsafe_code)]

use std::arch::asm;

/// Prefetches the cache line at `place`.
///
/// The standard library has this operation for x86 only.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    // SAFETY: prefetching is a hint without a visible effect, at unreadable addresses too. The instruction is
    // part of the architecture, and changes neither registers nor flags.
    unsafe {
        asm!("prfm pldl1keep, [{place}]", place = in(reg) place, options(readonly, nostack, preserves_flags));
    }
}

/// Prefetches the cache line at `place` into the second-level cache.
#[inline(always)]
pub(super) fn prefetch_far(place: *const u8) {
    // SAFETY: as above.
    unsafe {
        asm!("prfm pldl2keep, [{place}]", place = in(reg) place, options(readonly, nostack, preserves_flags));
    }
}
