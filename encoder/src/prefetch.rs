//! A hint to the processor, the only unsafe code of the crate.

/// Prefetches what lies this number of bytes after the start of `bytes`, which may be outside.
#[allow(unsafe_code)]
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8], ahead: usize) {
    let place = bytes.as_ptr().wrapping_add(ahead);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor for x86-64 has the instruction. It faults for no address, and changes nothing that a program can read.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
