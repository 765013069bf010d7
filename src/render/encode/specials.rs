//! The bytes of lines that a format must escape.

use std::ops::Range;

use crate::scan::simd::{GROUP_BYTES, Level, Window};

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
        let bytes = &haystack[lines.clone()];
        let (groups, rest) = bytes.as_chunks::<GROUP_BYTES>();
        let mut last = [b' '; GROUP_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        // Few rows have more than one in 32 bytes.
        self.make_room(bytes.len() / 32);
        let (mut count, mut start) = (0, lines.start as u32);
        // One loop over all groups: what two loops call is not inlined.
        for group in groups.iter().chain([&last]) {
            self.make_room(count);
            let room = self.found[count..].first_chunk_mut::<GROUP_BYTES>();
            let room = room.expect("there is room for a group");
            let mut found = 0;
            for (nth, window) in group.as_chunks().0.iter().enumerate() {
                let mask = mask(window);
                // No check remains of this: the compiler knows how many bits a mask has at most.
                let room = room[found..].first_chunk_mut();
                level.store_places(mask, start, nth, room.expect("there is room for a window"));
                found += mask.count_ones() as usize;
            }
            count += found;
            start = start.wrapping_add(GROUP_BYTES as u32);
        }
        self.found[count] = u32::MAX;
    }

    /// Makes room for a group and the end, after the first `count`.
    #[inline(always)]
    fn make_room(&mut self, count: usize) {
        if self.found.len() <= count + GROUP_BYTES {
            self.found.resize(2 * (count + GROUP_BYTES), 0);
        }
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
