//! The bytes of lines that a format must escape.

use std::ops::Range;

use crate::scan::simd::{Level, WINDOW_BYTES, Window};

/// The special bytes of some lines.
#[derive(Debug, Default)]
pub(super) struct Specials {
    /// Their places in the haystack, ascending, the end after the last, and then noise.
    found: Vec<u32>,
    /// How many of these have been passed.
    passed: usize,
}

impl Specials {
    /// Finds those in `lines` of the haystack, of which `mask` returns a bit for each byte of a window.
    #[inline(always)]
    pub(super) fn find<L: Level>(
        &mut self,
        level: L,
        haystack: &[u8],
        lines: Range<usize>,
        mask: impl Fn(&Window) -> u64,
    ) {
        self.passed = 0;
        let (windows, rest) = haystack[lines.clone()].as_chunks::<WINDOW_BYTES>();
        let mut last = [b' '; WINDOW_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        let (mut count, mut start) = (0, lines.start as u32);
        // One loop over all windows: what two loops call is not inlined.
        for window in windows.iter().chain([&last]) {
            let mask = mask(window);
            if self.found.len() <= count + WINDOW_BYTES {
                self.found.resize(2 * (count + WINDOW_BYTES), 0);
            }
            let room = self.found[count..].first_chunk_mut();
            level.store_places(mask, start, 0, room.expect("there is room for a window"));
            count += mask.count_ones() as usize;
            start = start.wrapping_add(WINDOW_BYTES as u32);
        }
        self.found[count] = u32::MAX;
    }

    /// Passes those before `place`, and returns the next, or the highest number of 32 bits after
    /// the last.
    #[inline(always)]
    pub(super) fn next_from(&mut self, place: usize) -> usize {
        loop {
            let next = self.found[self.passed] as usize;
            if next >= place {
                return next;
            }
            self.passed += 1;
        }
    }

    /// Returns those between what has been passed and `place`.
    #[inline(always)]
    pub(super) fn before(&self, place: usize) -> &[u32] {
        let left = &self.found[self.passed..];
        let count = left.iter().take_while(|&&next| (next as usize) < place);
        &left[..count.count()]
    }
}
