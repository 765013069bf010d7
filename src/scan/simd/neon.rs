//! 64 bytes in four instructions: NEON, which every 64-bit ARM processor has.
//!
//! NEON has no instruction that gathers a bit of each byte. One load therefore deals the bytes of a window
//! out to four registers in turn, so that bits which belong side by side lie in the same lane:
//!
//! ```text
//! load      lane i: the bytes 4i, 4i + 1, 4i + 2, 4i + 3, one in each register
//! compare   lane i: 0x00 or 0xff in each register
//! insert    lane i: a bit of each as a nibble, twice
//! narrow    byte i: the nibbles of the lanes 2i and 2i + 1
//! ```
//!
//! A mask takes ten instructions: a load, four comparisons, three insertions, the narrowing, and a move. From
//! four plain loads, by weights and pairwise sums, it takes fifteen. Comparisons of one window share the load,
//! and those for one mask all that follows them.

#![allow(unsafe_code)]

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, vaddlvq_u8, vaddq_u8, vaddvq_s8, vandq_u8, vceqq_u8, vcltq_s8,
    vcltq_u8, vdupq_n_s8, vdupq_n_u8, vget_lane_u64, vld1q_u8, vld1q_u8_x4, vld4q_u8, vorrq_u8,
    vqtbl1q_u8, vreinterpret_u64_u8, vreinterpretq_s8_u8, vreinterpretq_u16_u8, vshrn_n_u16,
    vsubq_u8,
};
use std::arch::{asm, is_aarch64_feature_detected};
use std::array;

use super::ahead::Ahead;
use super::byte_set::ByteSet;
use super::level::PLACES_TOGETHER;
use super::{Kernel, Level, PAGE_BYTES, WINDOW_BYTES, WINDOWS_TOGETHER, Window};

/// A window dealt out to four registers, or what became of it.
type Dealt = [uint8x16_t; 4];

/// The proof that this processor has NEON, and that it counts bytes and lanes in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon(());

impl Neon {
    /// Returns the level, if this processor and its operating system have it.
    pub(super) fn detect() -> Option<Neon> {
        let has = cfg!(target_endian = "little") && is_aarch64_feature_detected!("neon");
        has.then_some(Neon(()))
    }
}

/// Deals the bytes of `window` out to four registers in turn.
#[inline]
#[target_feature(enable = "neon")]
fn deal(window: &Window) -> Dealt {
    // SAFETY: the load needs 64 readable bytes at any alignment, which the reference `window` guarantees.
    let uint8x16x4_t(first, second, third, fourth) = unsafe { vld4q_u8(window.as_ptr()) };
    [first, second, third, fourth]
}

/// Returns all bits of each byte that equals `byte`.
#[inline]
#[target_feature(enable = "neon")]
fn equal(bytes: Dealt, byte: u8) -> Dealt {
    bytes.map(|bytes| vceqq_u8(bytes, vdupq_n_u8(byte)))
}

/// Returns the bits that are in `one`, in `other` or in both.
#[inline]
#[target_feature(enable = "neon")]
fn either(one: Dealt, other: Dealt) -> Dealt {
    array::from_fn(|nth| vorrq_u8(one[nth], other[nth]))
}

/// Returns the bits of `from` under `mask`, and those of `into` elsewhere.
///
/// The compiler would see through an intrinsic, and put a mask together by four conjunctions and three
/// disjunctions.
#[inline]
#[target_feature(enable = "neon")]
fn insert(from: uint8x16_t, mask: uint8x16_t, mut into: uint8x16_t) -> uint8x16_t {
    // SAFETY: the instruction is part of NEON, and changes no register but `into`.
    unsafe {
        asm!(
            "bit {into:v}.16b, {from:v}.16b, {mask:v}.16b",
            into = inout(vreg) into,
            from = in(vreg) from,
            mask = in(vreg) mask,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    into
}

/// Returns a bit for each byte that `found` has all bits of, the first byte lowest.
#[inline]
#[target_feature(enable = "neon")]
fn mask(found: Dealt) -> u64 {
    let [first, second, third, fourth] = found;
    let (even, lower) = (vdupq_n_u8(0b0101_0101), vdupq_n_u8(0b0011_0011));
    let (low, high) = (insert(first, even, second), insert(third, even, fourth));
    let nibbles = insert(low, lower, high);
    // Of each pair of lanes, the upper half of the first and the lower half of the second.
    let mask = vshrn_n_u16::<4>(vreinterpretq_u16_u8(nibbles));
    vget_lane_u64::<0>(vreinterpret_u64_u8(mask))
}

/// Adds one to the count of each lane for each byte of `window` there that equals `byte`.
#[inline]
#[target_feature(enable = "neon")]
fn add_equal(counts: Dealt, window: &Window, byte: u8) -> Dealt {
    // SAFETY: as in `deal`. Lanes need no order here.
    let uint8x16x4_t(first, second, third, fourth) = unsafe { vld1q_u8_x4(window.as_ptr()) };
    let found = equal([first, second, third, fourth], byte);
    // All bits together are -1.
    array::from_fn(|nth| vsubq_u8(counts[nth], found[nth]))
}

/// Returns the place of the highest bit of `left`, counted from the top, and clears it. If there is none, the
/// place is noise.
#[inline(always)]
fn take_first(left: &mut u64) -> u32 {
    let place = left.leading_zeros();
    *left &= !(1_u64 << (u64::BITS - 1)).wrapping_shr(place);
    place
}

impl Level for Neon {
    #[inline(always)]
    fn eq(self, window: &Window, byte: u8) -> u64 {
        #[inline]
        #[target_feature(enable = "neon")]
        fn eq(window: &Window, byte: u8) -> u64 {
            mask(equal(deal(window), byte))
        }
        // SAFETY: `self` exists, so `detect` has seen NEON.
        unsafe { eq(window, byte) }
    }

    #[inline(always)]
    fn is_in<const N: usize>(self, window: &Window, set: &ByteSet<N>) -> u64 {
        #[inline]
        #[target_feature(enable = "neon")]
        fn is_in(window: &Window, entries: &[u8; 16]) -> u64 {
            // SAFETY: the load needs 16 readable bytes at any alignment, which the reference `entries` guarantees.
            let entries = unsafe { vld1q_u8(entries.as_ptr()) };
            let entry = |bytes| vqtbl1q_u8(entries, vandq_u8(bytes, vdupq_n_u8(0x0f)));
            mask(deal(window).map(|bytes| vceqq_u8(bytes, entry(bytes))))
        }
        // SAFETY: `self` exists, so `detect` has seen NEON.
        unsafe { is_in(window, set.entries()) }
    }

    #[inline(always)]
    fn controls(self, window: &Window) -> u64 {
        #[inline]
        #[target_feature(enable = "neon")]
        fn controls(window: &Window) -> u64 {
            mask(deal(window).map(|bytes| vcltq_u8(bytes, vdupq_n_u8(b' '))))
        }
        // SAFETY: `self` exists, so `detect` has seen NEON.
        unsafe { controls(window) }
    }

    #[inline(always)]
    fn beyond_ascii(self, window: &Window) -> u64 {
        #[inline]
        #[target_feature(enable = "neon")]
        fn beyond_ascii(window: &Window) -> u64 {
            // As signed numbers, bytes of 0x80 and more are below zero.
            let below =
                |bytes| vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(b' '.cast_signed()));
            mask(deal(window).map(below))
        }
        // SAFETY: `self` exists, so `detect` has seen NEON.
        unsafe { beyond_ascii(window) }
    }

    #[inline(always)]
    fn delimiters_of(self, window: &Window, delimiter: u8) -> (u64, usize) {
        #[inline]
        #[target_feature(enable = "neon")]
        fn delimiters_of(window: &Window, delimiter: u8) -> (u64, usize) {
            let bytes = deal(window);
            let newlines = equal(bytes, b'\n');
            let all = mask(either(newlines, equal(bytes, delimiter)));
            // All bits together are -1.
            let [first, second, third, fourth] = newlines;
            let found = vaddq_u8(vaddq_u8(first, second), vaddq_u8(third, fourth));
            let minus = isize::from(vaddvq_s8(vreinterpretq_s8_u8(found)));
            (all, (-minus).cast_unsigned())
        }
        // SAFETY: `self` exists, so `detect` has seen NEON.
        unsafe { delimiters_of(window, delimiter) }
    }

    /// Goes through the mask from its reversed end: the first place takes no reversal of its own then.
    #[inline(always)]
    fn store_places(self, mask: u64, start: u32, window: usize, room: &mut [u32; WINDOW_BYTES]) {
        let start = start + (window * WINDOW_BYTES) as u32;
        let mut left = mask.reverse_bits();
        let (together, rest) = room.split_at_mut(PLACES_TOGETHER);
        for place in together {
            *place = start + take_first(&mut left);
        }
        for place in rest {
            if left == 0 {
                break;
            }
            *place = start + take_first(&mut left);
        }
    }

    /// Counts without masks, lane by lane.
    #[inline(always)]
    fn count(self, haystack: &[u8], byte: u8, _: Ahead) -> u64 {
        #[inline]
        #[target_feature(enable = "neon")]
        fn count(windows: &[Window], byte: u8) -> u64 {
            let mut counted = 0;
            // No lane counts to more than the windows of a page, or twice that in the sum of two.
            for windows in windows.chunks(PAGE_BYTES / WINDOW_BYTES) {
                let mut counts = [vdupq_n_u8(0); 4];
                let (groups, rest) = windows.as_chunks::<WINDOWS_TOGETHER>();
                for group in groups {
                    for window in group {
                        counts = add_equal(counts, window, byte);
                    }
                }
                for window in rest {
                    counts = add_equal(counts, window, byte);
                }
                let [first, second, third, fourth] = counts;
                let sum = |one, other| u64::from(vaddlvq_u8(vaddq_u8(one, other)));
                counted += sum(first, second) + sum(third, fourth);
            }
            counted
        }
        let (windows, rest) = haystack.as_chunks();
        // SAFETY: `self` exists, so `detect` has seen NEON.
        let counted = unsafe { count(windows, byte) };
        counted + rest.iter().filter(|&&b| b == byte).count() as u64
    }

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        #[target_feature(enable = "neon")]
        fn compiled_for_neon<K: Kernel>(level: Neon, kernel: K) -> K::Output {
            kernel.run(level)
        }
        // SAFETY: `self` exists, so `detect` has seen that the processor has the feature named above.
        unsafe { compiled_for_neon(self, kernel) }
    }
}
