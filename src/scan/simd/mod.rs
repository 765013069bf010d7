//! What differs between processors: how 64 bytes are compared with one, and how the n-th bit of a
//! mask is found.
//!
//! There is one file a level. A level is a value of a type that can only be had from a function
//! that checks the processor, so that holding it is the proof that its instructions may run;
//! `Level` is the trait that the scanner is written over. [`Simd`] is the choice between the
//! levels, made once at start. [`Simd::dispatch`] leaves it behind: it runs a [`Kernel`], a piece
//! of generic code, as it was compiled for the level, which happens once for each chunk and never
//! for each line.
//!
//! The level must be inlined all the way: a kernel, and whatever it does with the level in its
//! loops, is `#[inline(always)]`, so that it becomes part of the one function that is compiled with
//! the level's instructions. What was not inlined would be slow, not wrong.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub use self::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use self::avx512::Avx512;
pub use self::portable::Portable;

/// The number of bytes that are looked at together: the bits of a mask.
pub const WINDOW_BYTES: usize = 64;

/// How many windows are searched for newlines in one step.
const WINDOWS_TOGETHER: usize = 4;

/// How many bytes the memory is asked for at a time: three cache lines, as a row of the mean length
/// has.
pub const PREFETCHED_BYTES: usize = 3 * 64;

/// Bytes that are looked at together.
pub type Window = [u8; WINDOW_BYTES];

/// What a processor level can do.
pub trait Level: Copy + Send + Sync {
    /// A bit for each byte of `window` that is `byte`, the first byte in the lowest bit.
    fn eq(self, window: &Window, byte: u8) -> u64;

    /// A bit for each byte of `window` that is below a blank: ASCII's control characters.
    fn controls(self, window: &Window) -> u64;

    /// The place of the bit of `mask` that `nth` lower ones precede. 64 if there is none.
    fn select(self, mask: u64, nth: u32) -> u32;

    /// The bits of `word` that `mask` has, side by side, its lowest lowest.
    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        let (mut bits, mut found, mut left) = (0, 0, mask);
        while left != 0 {
            // Bits side by side move together. With a mask that is known, this is all that is left.
            let first = left.trailing_zeros();
            let count = (left >> first).trailing_ones();
            let side_by_side = (u64::MAX >> (u64::BITS - count)) << first;
            bits |= ((word & side_by_side) >> first) << found;
            found += count;
            left &= !side_by_side;
        }
        bits
    }

    /// Where in `words` the first is that is `word`; a number above theirs if none is.
    ///
    /// No branch depends on where it is.
    #[inline(always)]
    fn find(self, words: &[u64; 4], word: u64) -> usize {
        let is = |nth: usize| u32::from(words[nth] == word) << nth;
        (is(0) | is(1) | is(2) | is(3)).trailing_zeros() as usize
    }

    /// Runs `kernel`, compiled for this level, as a call: for what is seldom done, and would only be in
    /// the way of what is done often.
    fn outlined<K: Kernel>(self, kernel: K) -> K::Output;

    /// Asks the memory for [`PREFETCHED_BYTES`] of `haystack` at `place`, which may lie outside. Changes
    /// nothing but the time that looking at them will take.
    #[inline(always)]
    fn prefetch_line(self, _haystack: &[u8], _place: usize) {}

    /// Asks the memory for the item of `items` at `place`, which is about to be used, or may lie outside.
    #[inline(always)]
    fn prefetch<T>(self, _items: &[T], _place: usize) {}

    /// The number of bytes in `haystack` that are `byte`.
    ///
    /// Eight pages are read side by side: the processor fetches ahead within each page by itself, so
    /// that it has eight times as much under way as in one page after the other: 0.81 of the time.
    ///
    /// In the assembly of the inner loop, look for eight comparisons with memory, each with its
    /// mask moved once and counted, and nothing else but the end of the loop: no check of a length.
    #[inline(always)]
    fn count(self, haystack: &[u8], byte: u8) -> u64 {
        const PAGE_BYTES: usize = 4096;
        const PAGES: usize = 8;
        let count = |window| u64::from(self.eq(window, byte).count_ones());
        let (groups, rest) = haystack.as_chunks::<{ PAGES * PAGE_BYTES }>();
        let mut counted = 0;
        for group in groups {
            let (pages, _) = group.as_chunks::<PAGE_BYTES>();
            for nth in 0..PAGE_BYTES / WINDOW_BYTES {
                for page in pages {
                    counted += count(&page.as_chunks().0[nth]);
                }
            }
        }
        let (windows, rest) = rest.as_chunks();
        counted += windows.iter().map(count).sum::<u64>();
        counted + rest.iter().filter(|&&b| b == byte).count() as u64
    }

    /// Writes where in `block` the newlines are into `positions`, ascending, and answers how many
    /// there are. The block's first byte is counted as `first`.
    ///
    /// In the assembly of the inner loop, look for four comparisons and ten instructions for each,
    /// and two branches in all: whether there is room for four more positions, and whether a window
    /// has two newlines.
    ///
    /// # Panics
    /// If `positions` is not longer than the number of newlines. Positions of 2^32 and more are wrong.
    #[inline(always)]
    fn newlines(self, block: &[u8], first: u32, positions: &mut [u32]) -> usize {
        let (windows, rest) = block.as_chunks();
        let (groups, ungrouped) = windows.as_chunks::<WINDOWS_TOGETHER>();
        let mut found = 0;
        let mut start = first;
        for group in groups {
            let masks = group.each_ref().map(|window| self.eq(window, b'\n'));
            let second = |mask: u64| mask & mask.wrapping_sub(1);
            let none_has_two = masks.iter().fold(0, |all, &mask| all | second(mask)) == 0;
            match positions[found..].first_chunk_mut::<WINDOWS_TOGETHER>() {
                // Lines are longer than a window, so most windows have one newline or none, in no
                // order that a branch predictor could learn. It is therefore written in any case,
                // and counts only if it is there.
                Some(positions) if none_has_two => {
                    let mut written = 0;
                    for mask in masks {
                        positions[written] = start + mask.trailing_zeros();
                        written += usize::from(mask != 0);
                        start += WINDOW_BYTES as u32;
                    }
                    found += written;
                }
                _ => {
                    for mask in masks {
                        found = write_all(mask, start, positions, found);
                        start += WINDOW_BYTES as u32;
                    }
                }
            }
        }
        for window in ungrouped {
            found = write_all(self.eq(window, b'\n'), start, positions, found);
            start += WINDOW_BYTES as u32;
        }
        for (nth, _) in rest.iter().enumerate().filter(|&(_, &b)| b == b'\n') {
            positions[found] = start + nth as u32;
            found += 1;
        }
        found
    }
}

/// Writes the place of each bit of `mask`, counted from `start`, into `positions` behind the first `found`, and
/// answers how many there are then.
#[inline(always)]
fn write_all(mut mask: u64, start: u32, positions: &mut [u32], mut found: usize) -> usize {
    while mask != 0 {
        positions[found] = start + mask.trailing_zeros();
        found += 1;
        mask &= mask - 1;
    }
    found
}

/// A piece of work that is compiled for every level.
pub trait Kernel {
    /// What the work comes to.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`.
    fn run<L: Level>(self, level: L) -> Self::Output;
}

/// A level, chosen.
///
/// ```
/// use fecscan::scan::simd::Simd;
/// assert!(Simd::available().any(|simd| simd == Simd::best()));
/// assert_eq!(Simd::named("portable"), Some(Simd::available().last().unwrap()));
/// assert_eq!(Simd::named("sse9"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// 64 bytes in one instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// 64 bytes in two instructions.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Whatever the compiler and the `memchr` crate make of it.
    Portable(Portable),
}

impl Simd {
    /// The names of all levels, best first, whether or not this processor has them.
    pub const NAMES: [&'static str; 3] = ["avx512", "avx2", "portable"];

    /// The levels that this processor has, best first.
    pub fn available() -> impl Iterator<Item = Simd> {
        Simd::NAMES.into_iter().filter_map(Simd::named)
    }

    /// The best level that this processor has.
    pub fn best() -> Simd {
        Simd::available().next().unwrap_or(Simd::Portable(Portable))
    }

    /// The level of this name, if this processor has it.
    pub fn named(name: &str) -> Option<Simd> {
        match name {
            #[cfg(target_arch = "x86_64")]
            "avx512" => Avx512::detect().map(Simd::Avx512),
            #[cfg(target_arch = "x86_64")]
            "avx2" => Avx2::detect().map(Simd::Avx2),
            "portable" => Some(Simd::Portable(Portable)),
            _ => None,
        }
    }

    /// The name of the level.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2(_) => "avx2",
            Simd::Portable(_) => "portable",
        }
    }

    /// Runs `kernel` at this level.
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512(level) => level.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2(level) => level.run(kernel),
            Simd::Portable(level) => kernel.run(level),
        }
    }
}

#[cfg(test)]
mod tests;
