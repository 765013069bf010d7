//! The bytes of lines that a format must escape.

use std::ops::Range;

use crate::scan::simd::{GROUP_BYTES, Level, WINDOW_BYTES, WINDOWS_TOGETHER, Window};

/// The most places that are kept from one block to the next. Usual blocks have fewer bytes.
const KEPT_PLACES: usize = 1 << 16;

/// The special bytes of some lines.
#[derive(Debug, Default)]
pub(super) struct Specials {
    /// Their places in the haystack, ascending, the end after the last, and then noise.
    found: Vec<u32>,
    /// How many of these have been passed.
    passed: usize,
}

impl Specials {
    /// Finds those in `lines` of the haystack. A bit of `mask` says of each byte of a window whether it is one.
    #[inline(always)]
    pub(super) fn find<L: Level>(
        &mut self,
        level: L,
        haystack: &[u8],
        lines: Range<usize>,
        mask: impl Fn(&Window) -> u64,
    ) {
        self.find_in_groups::<L, false>(level, haystack, lines, mask);
    }

    /// Does the same where most groups of windows have none: 0.96 to 1.0 of the time of NDJSON. In CSV, three of four groups
    /// have some.
    #[inline(always)]
    pub(super) fn find_rare<L: Level>(
        &mut self,
        level: L,
        haystack: &[u8],
        lines: Range<usize>,
        mask: impl Fn(&Window) -> u64,
    ) {
        self.find_in_groups::<L, true>(level, haystack, lines, mask);
    }

    #[inline(always)]
    fn find_in_groups<L: Level, const RARE: bool>(
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
        // Few rows have more than one in 64 bytes.
        self.make_room(bytes.len() / 64);
        let (mut count, mut start) = (0, lines.start as u32);
        // One loop over all groups: what two loops call is not inlined.
        for group in groups.iter().chain([&last]) {
            let mut masks = [0; WINDOWS_TOGETHER];
            let mut second = 0;
            // A loop, because `array::from_fn` does not inline the closure: NDJSON took 1.16 of the time.
            for (window, to) in group.as_chunks().0.iter().zip(&mut masks) {
                *to = mask(window);
                second |= *to & to.wrapping_sub(1);
            }
            if RARE && masks.iter().fold(0, |all, mask| all | mask) == 0 {
                start = start.wrapping_add(GROUP_BYTES as u32);
                continue;
            }
            self.make_room(count);
            let room = self.found[count..].first_chunk_mut::<GROUP_BYTES>();
            let room = room.expect("there is room for a group");
            let mut found = 0;
            // Most windows have one or none, in no order that a branch predictor could learn.
            if second == 0 {
                for (nth, mask) in masks.into_iter().enumerate() {
                    let place = (nth * WINDOW_BYTES) as u32 + mask.trailing_zeros();
                    room[found] = start.wrapping_add(place);
                    found += usize::from(mask != 0);
                }
            } else {
                for (nth, mask) in masks.into_iter().enumerate() {
                    // No check remains of this: the compiler knows how many bits a mask has at most.
                    let room = room[found..].first_chunk_mut();
                    level.store_places(mask, start, nth, room.expect("there is room for a window"));
                    found += mask.count_ones() as usize;
                }
            }
            count += found;
            start = start.wrapping_add(GROUP_BYTES as u32);
        }
        self.found[count] = u32::MAX;
    }

    /// Gives unusual memory back. Nothing is found any more.
    pub(super) fn shrink(&mut self) {
        if self.found.len() > KEPT_PLACES {
            *self = Specials::default();
        }
    }

    /// Makes room for a group and the end, after the first `count`.
    #[inline(always)]
    fn make_room(&mut self, count: usize) {
        if self.found.len() <= count + GROUP_BYTES {
            self.found.resize(count + 2 * GROUP_BYTES, 0);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::simd::{Kernel, Simd};

    struct Find<'a>(&'a mut Specials, &'a [u8], Range<usize>, bool);

    impl Kernel for Find<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self, level: L) {
            let Find(specials, bytes, lines, are_rare) = self;
            let mask = |window: &Window| level.eq(window, b',');
            if are_rare {
                specials.find_rare(level, bytes, lines, mask);
            } else {
                specials.find(level, bytes, lines, mask);
            }
        }
    }

    /// None, one, two or all bytes of windows are special, in every order of four windows, in lines of many lengths.
    #[test]
    fn any_number_of_special_bytes_is_found() {
        for simd in Simd::available() {
            let mut specials = Specials::default();
            for order in 0..256_usize {
                for (before, length) in [(0, 256), (3, 300), (1, 255), (64, 900), (7, 10), (5, 0)] {
                    // Groups with and without.
                    let gap = 320..if length == 900 { 576 } else { 0 };
                    let special = |nth: usize| match order >> (2 * (nth / 64 % 4)) & 3 {
                        _ if gap.contains(&nth) => false,
                        0 => false,
                        1 => nth % 64 == 63,
                        2 => [0, order % 64].contains(&(nth % 64)),
                        _ => true,
                    };
                    let bytes = (0..before + length + 70).map(special);
                    let bytes: Vec<_> = bytes.map(|s| if s { b',' } else { b'-' }).collect();
                    let lines = before..before + length;
                    let marked = lines.clone().filter(|&nth| bytes[nth] == b',');
                    let expected: Vec<_> = marked.collect();
                    for are_rare in [false, true] {
                        simd.dispatch(Find(&mut specials, &bytes, lines.clone(), are_rare));
                        let mut found = Vec::new();
                        let mut next = specials.next_from(0);
                        while next < u32::MAX as usize {
                            found.push(next);
                            next = specials.next_from(next + 1);
                        }
                        assert_eq!(
                            found,
                            expected,
                            "{} {order} {length} {are_rare}",
                            simd.name()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_memory_of_many_special_bytes_is_not_kept() {
        let mut specials = Specials::default();
        let many = vec![b','; 4 * KEPT_PLACES];
        for simd in Simd::available() {
            simd.dispatch(Find(&mut specials, &many, 0..many.len(), true));
            assert_eq!(specials.before(many.len()).len(), many.len());
            specials.shrink();
            assert!(specials.found.capacity() <= KEPT_PLACES);
            simd.dispatch(Find(&mut specials, b"-,-", 0..3, true));
            specials.shrink();
            assert_eq!(specials.before(3), [1]);
        }
    }
}
