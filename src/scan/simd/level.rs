//! The operations of a level, and the searches made of them.

use std::array;

use super::ahead::{Ahead, Block, COUNT_AHEAD, prefetch};
use super::byte_set::ByteSet;

/// The number of bytes in a window: the bits of a mask.
pub(crate) const WINDOW_BYTES: usize = 64;

/// The number of bytes of a page of memory.
pub(in crate::scan) const PAGE_BYTES: usize = 4096;

/// The number of windows searched in one step.
pub(crate) const WINDOWS_TOGETHER: usize = 4;

/// The number of bytes searched in one step.
pub(crate) const GROUP_BYTES: usize = WINDOWS_TOGETHER * WINDOW_BYTES;

/// The number of places of a window that are stored without a branch on how many it has. A row has some
/// seven delimiters in a window.
pub(super) const PLACES_TOGETHER: usize = 10;

/// Bytes that one comparison covers.
pub(crate) type Window = [u8; WINDOW_BYTES];

/// The operations of a processor level.
pub(crate) trait Level: Copy + Send + Sync {
    /// Runs `kernel` as a call into code compiled for this level. Within a kernel, that keeps rare
    /// or separate work out of the registers of a loop.
    fn run<K: Kernel>(self, kernel: K) -> K::Output;

    /// Returns a bit for each byte of `window`, the first byte lowest: whether it equals `byte`.
    fn eq(self, window: &Window, byte: u8) -> u64;

    /// Returns a bit for each byte of `window`: whether it is in `set`.
    #[inline(always)]
    fn is_in<const N: usize>(self, window: &Window, set: &ByteSet<N>) -> u64 {
        let found = set.bytes().map(|byte| self.eq(window, byte));
        found.iter().fold(0, |all, mask| all | mask)
    }

    /// Returns a bit for each byte of `window` below the blank: ASCII's control characters.
    fn controls(self, window: &Window) -> u64;

    /// Returns a bit for each byte of `window` that is no printable ASCII: control characters, and bytes of
    /// 0x80 and more. 0x7f may count as printable.
    fn beyond_ascii(self, window: &Window) -> u64;

    /// Returns a bit for each `delimiter` or newline of `window`, and the number of newlines.
    #[inline(always)]
    fn delimiters_of(self, window: &Window, delimiter: u8) -> (u64, usize) {
        let newlines = self.eq(window, b'\n');
        let all = newlines | self.eq(window, delimiter);
        (all, newlines.count_ones() as usize)
    }

    /// Returns the place of the bit of `mask` after `nth` lower ones, or 64.
    #[inline(always)]
    fn select(self, mask: u64, nth: u32) -> u32 {
        (0..nth)
            .fold(mask, |mask, _| mask & mask.wrapping_sub(1))
            .trailing_zeros()
    }

    /// Stores `start` plus the place of each bit of `mask`, ascending. The places of the window's bytes
    /// are 64 times `window`, which is 0 to 3, and on. The entries after these are noise.
    #[inline(always)]
    fn store_places(
        self,
        mut mask: u64,
        start: u32,
        window: usize,
        room: &mut [u32; WINDOW_BYTES],
    ) {
        let start = start + (window * WINDOW_BYTES) as u32;
        let (together, rest) = room.split_at_mut(PLACES_TOGETHER);
        for place in together {
            *place = start + mask.trailing_zeros();
            mask &= mask.wrapping_sub(1);
        }
        for place in rest {
            if mask == 0 {
                break;
            }
            *place = start + mask.trailing_zeros();
            mask &= mask - 1;
        }
    }

    /// Counts the bytes of `haystack` that equal `byte`.
    ///
    /// By pages, eight are read side by side: the processor prefetches within each page, so eight pages
    /// keep more requests under way than one after the other. This took 0.81 of the time.
    ///
    /// In the assembly of the inner loops, look for eight and four comparisons with memory, each mask moved
    /// and counted once, and no other branch than the end of the loop.
    #[inline(always)]
    fn count(self, haystack: &[u8], byte: u8, ahead: Ahead) -> u64 {
        const PAGES: usize = 8;
        let count = |window| u64::from(self.eq(window, byte).count_ones());
        let mut counted = 0;
        let rest = match ahead {
            Ahead::InOrder => {
                let (groups, rest) = haystack.as_chunks::<GROUP_BYTES>();
                for (turn, group) in groups.iter().enumerate() {
                    let start = turn * GROUP_BYTES + COUNT_AHEAD;
                    for (nth, window) in group.as_chunks().0.iter().enumerate() {
                        prefetch(haystack, start + nth * WINDOW_BYTES);
                        counted += count(window);
                    }
                }
                rest
            }
            Ahead::ByPages => {
                let (groups, rest) = haystack.as_chunks::<{ PAGES * PAGE_BYTES }>();
                for group in groups {
                    let (pages, _) = group.as_chunks::<PAGE_BYTES>();
                    for nth in 0..PAGE_BYTES / WINDOW_BYTES {
                        for page in pages {
                            counted += count(&page.as_chunks().0[nth]);
                        }
                    }
                }
                rest
            }
        };
        let (windows, rest) = rest.as_chunks();
        counted += windows.iter().map(count).sum::<u64>();
        counted + rest.iter().filter(|&&b| b == byte).count() as u64
    }

    /// Stores the positions of the newlines of `block` in `positions`, ascending, and returns their
    /// number.
    ///
    /// In the assembly of the inner loop, look for four comparisons with ten instructions each, and
    /// two branches in all: room for four more positions, and a window with two newlines.
    ///
    /// # Panics
    /// If `positions` is not longer than the number of newlines. Positions of 2^32 and more are wrong.
    #[inline(always)]
    fn newlines(self, block: Block<'_>, positions: &mut [u32]) -> usize {
        let (windows, rest) = block.bytes().as_chunks();
        let (groups, ungrouped) = windows.as_chunks::<WINDOWS_TOGETHER>();
        let mut found = 0;
        let mut start = block.first;
        for group in groups {
            let masks = group.each_ref().map(|window| self.eq(window, b'\n'));
            let second = |mask: u64| mask & mask.wrapping_sub(1);
            let none_has_two = masks.iter().fold(0, |all, &mask| all | second(mask)) == 0;
            match positions[found..].first_chunk_mut::<WINDOWS_TOGETHER>() {
                // Lines are longer than a window, so most windows have one newline or none, in no
                // order that a branch predictor could learn. The store is therefore unconditional,
                // and counts only if there is a newline.
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

    /// Stores the positions of the delimiters of columns and the newlines of `block` in `positions`, ascending.
    ///
    /// In the assembly of the inner loop at the AVX-512 level, look for two comparisons a window, two
    /// masks moved and counted once, one compression, and one branch, on more than 16 places.
    ///
    /// # Panics
    /// If `positions` has not [`GROUP_BYTES`] more entries than there are delimiters. Positions of 2^32
    /// and more are wrong.
    #[inline(always)]
    fn delimiters(self, block: Block<'_>, positions: &mut [u32]) -> Delimiters {
        let (windows, rest) = block.bytes().as_chunks();
        let (groups, ungrouped) = windows.as_chunks::<WINDOWS_TOGETHER>();
        let mut found = Delimiters::default();
        let mut start = block.first;
        for (turn, group) in groups.iter().enumerate() {
            block.prefetch(turn);
            let room = room_after(positions, found);
            found.add(store_delimiters(self, group, block.delimiter, start, room));
            start += GROUP_BYTES as u32;
        }
        for window in ungrouped {
            let room = room_after(positions, found);
            found.add(store_delimiters(
                self,
                array::from_ref(window),
                block.delimiter,
                start,
                room,
            ));
            start += WINDOW_BYTES as u32;
        }
        if !rest.is_empty() {
            let mut window = [0; WINDOW_BYTES];
            window[..rest.len()].copy_from_slice(rest);
            let room = room_after(positions, found);
            found.add(store_delimiters(
                self,
                &[window],
                block.delimiter,
                start,
                room,
            ));
        }
        found
    }
}

/// Returns the room for the positions of a group of windows.
#[inline(always)]
fn room_after(positions: &mut [u32], found: Delimiters) -> &mut [u32; GROUP_BYTES] {
    let room = positions[found.all..].first_chunk_mut();
    room.expect("there is room for a group of windows")
}

/// How many delimiters a block has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delimiters {
    /// Delimiters of columns, and newlines.
    pub(crate) all: usize,
    pub(crate) newlines: usize,
}

impl Delimiters {
    #[inline(always)]
    fn add(&mut self, more: Delimiters) {
        self.all += more.all;
        self.newlines += more.newlines;
    }
}

/// Stores the positions of the delimiters of `windows`, and returns how many there are. The first byte of
/// the first window has the position `start`.
#[inline(always)]
fn store_delimiters<L: Level, const N: usize>(
    level: L,
    windows: &[Window; N],
    delimiter: u8,
    start: u32,
    room: &mut [u32; GROUP_BYTES],
) -> Delimiters {
    let mut found = Delimiters::default();
    for (nth, window) in windows.iter().enumerate() {
        let (all, newlines) = level.delimiters_of(window, delimiter);
        // No check remains of this: the compiler knows how many bits a mask has at most.
        let room = room[found.all..].first_chunk_mut();
        level.store_places(all, start, nth, room.expect("there is room for a window"));
        found.all += all.count_ones() as usize;
        found.newlines += newlines;
    }
    found
}

/// Stores the place of each bit of `mask`, counted from `start`, after the first `found` of
/// `positions`, and returns the new number of positions.
#[inline(always)]
fn write_all(mut mask: u64, start: u32, positions: &mut [u32], mut found: usize) -> usize {
    while mask != 0 {
        positions[found] = start + mask.trailing_zeros();
        found += 1;
        mask &= mask - 1;
    }
    found
}

/// A piece of work, compiled for every level.
pub(crate) trait Kernel {
    /// The result of the work.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`.
    fn run<L: Level>(self, level: L) -> Self::Output;
}
