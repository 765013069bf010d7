//! Weaves constant bytes between the columns of a line: the copy that makes rows of text.
//!
//! ```text
//! line      C00990405|A|M4|…
//! pieces    {"CMTE_ID":"   ","AMNDT_IND":"   ","RPT_TP":"   …
//! room      {"CMTE_ID":"C00990405","AMNDT_IND":"A","RPT_TP":"M4…
//! ```
//!
//! For each column, one load takes its first bytes together with some before it, one blend puts the
//! piece in place of these, and one store writes both. What a store writes too much, the next one covers.

#![allow(unsafe_code)]

use std::ops::Range;
use std::ptr;

use super::level::PLACES_COMPARED;
use super::{Level, WINDOW_BYTES, Window};

/// Bytes before a column that every line repeats.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Piece {
    /// The bytes, and zeros.
    window: Window,
    /// The number of the bytes: [`Piece::BYTES_MAX`] at most.
    length: u32,
}

impl Piece {
    /// The most bytes of a piece: a byte of its column follows it in the same window.
    pub(crate) const BYTES_MAX: usize = WINDOW_BYTES - 1;

    /// The piece of no bytes.
    pub(crate) const EMPTY: Piece = Piece {
        window: [0; WINDOW_BYTES],
        length: 0,
    };

    /// Returns the piece of these bytes, unless they are too many.
    pub(crate) fn new(bytes: &[u8]) -> Option<Piece> {
        let mut piece = Piece::EMPTY;
        piece.window[..Piece::BYTES_MAX]
            .get_mut(..bytes.len())?
            .copy_from_slice(bytes);
        piece.length = bytes.len() as u32;
        Some(piece)
    }

    /// Returns the bytes, and zeros.
    #[inline(always)]
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// Returns the number of the bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.length as usize
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.window[..self.len()]
    }
}

/// The ends of columns in a haystack: the proof that they ascend and lie inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<'a> {
    haystack: &'a [u8],
    /// The byte before the first column, and then the byte after each.
    ends: &'a [u32],
}

impl<'a> Ends<'a> {
    /// Returns the `ends`, if they ascend within the haystack. The first is the byte before the first column,
    /// which may be one before the haystack: 2^32 - 1.
    #[inline(always)]
    pub(crate) fn new(haystack: &'a [u8], ends: &'a [u32]) -> Option<Ends<'a>> {
        let (before, inside) = ends.split_first()?;
        let last = *inside.last()? as usize;
        // No search that stops early: the compiler makes vectors of this, and of a loop with the level's
        // instructions.
        let mut falls = false;
        for (end, next) in inside.iter().zip(&inside[1..]) {
            falls |= end >= next;
        }
        let ascend = !falls && before.wrapping_add(1) <= inside[0];
        (ascend && last <= haystack.len()).then_some(Ends { haystack, ends })
    }

    /// Returns the haystack.
    #[inline(always)]
    pub(crate) fn haystack(&self) -> &'a [u8] {
        self.haystack
    }

    /// Returns the place of the column with this number in the haystack.
    ///
    /// # Panics
    /// If there are fewer columns.
    #[inline(always)]
    pub(crate) fn column(&self, nth: usize) -> Range<usize> {
        self.ends[nth].wrapping_add(1) as usize..self.ends[nth + 1] as usize
    }

    /// Appends each of the columns from `first` on after one of the `pieces`, until there are no more pieces, and
    /// then the piece `after`.
    ///
    /// # Panics
    /// If there are fewer columns.
    #[inline(always)]
    pub(crate) fn weave<L: Level>(
        &self,
        level: L,
        mut first: usize,
        mut pieces: &[Piece],
        after: &Piece,
        out: &mut Vec<u8>,
    ) {
        if self.column(first).start < WINDOW_BYTES {
            // Of the first line of a haystack.
            let near = self.columns_near_start(first, pieces.len());
            self.weave_bytes(first, &pieces[..near], out);
            (first, pieces) = (first + near, &pieces[near..]);
        }
        let ends = &self.ends[first..][..=pieces.len()];
        let Some((line, ends)) = self.with_margins(ends) else {
            self.weave_bytes(first, pieces, out);
            return out.extend_from_slice(after.bytes());
        };
        // All pieces count as long as the longest: they are not added up for every line.
        let written_max = (pieces.len() + 1) * Piece::BYTES_MAX + line.len();
        out.reserve(written_max + WINDOW_BYTES);
        let mut thread = Thread {
            from: self.haystack.as_ptr(),
            start: line.start,
            to: out.spare_capacity_mut().as_mut_ptr().cast(),
            at: 0,
        };
        // Three columns a turn: 0.9 of the time.
        let ((threes, rest), (ends, last)) = (pieces.as_chunks::<3>(), ends.as_chunks::<3>());
        for (pieces, ends) in threes.iter().zip(ends) {
            for nth in 0..3 {
                // SAFETY: see below.
                unsafe { thread.put(level, &pieces[nth], ends[nth] as usize) };
            }
        }
        for (piece, &end) in rest.iter().zip(last) {
            // SAFETY: see below.
            unsafe { thread.put(level, piece, end as usize) };
        }
        // SAFETY: each call has written all bytes from its `at` up to the next, and so `at` bytes from the old
        // length on. They are reserved, and so are a window and a piece more.
        unsafe {
            ptr::write(thread.to.add(thread.at).cast::<Window>(), *after.window());
            out.set_len(out.len() + thread.at + after.len());
        }
    }

    /// Returns how many of `count` columns from `first` on begin too near to the start of the haystack for a load
    /// with a piece's bytes before them.
    #[cold]
    fn columns_near_start(&self, first: usize, count: usize) -> usize {
        let is_near = |&nth: &usize| self.column(first + nth).start < WINDOW_BYTES;
        (0..count).take_while(is_near).count()
    }

    /// Does the same byte by byte.
    #[cold]
    #[inline(never)]
    fn weave_bytes(&self, first: usize, pieces: &[Piece], out: &mut Vec<u8>) {
        for (nth, piece) in pieces.iter().enumerate() {
            out.extend_from_slice(piece.bytes());
            out.extend_from_slice(&self.haystack[self.column(first + nth)]);
        }
    }

    /// Returns the number, counted from `first`, of the column in which the byte at `place` of the haystack
    /// stands.
    ///
    /// # Panics
    /// If there is no column with the number `first`.
    #[inline(always)]
    pub(crate) fn column_at<L: Level>(&self, level: L, first: usize, place: usize) -> usize {
        let ends = &self.ends[first + 1..];
        let is_before = |&&end: &&u32| (end as usize) < place;
        // A comparison with all of them instead of a search: two vectors, and no branch.
        match ends.first_chunk::<PLACES_COMPARED>() {
            Some(near) if near[PLACES_COMPARED - 1] as usize >= place => {
                level.count_below(near, place as u32)
            }
            _ => ends.iter().take_while(is_before).count(),
        }
    }

    /// Returns the place of some columns in the haystack, and the end of each, given their `ends` and the one
    /// before. None if the haystack has not [`WINDOW_BYTES`] more bytes on both sides.
    #[inline(always)]
    fn with_margins(&self, ends: &'a [u32]) -> Option<(Range<usize>, &'a [u32])> {
        let (&before, ends) = ends.split_first()?;
        let (start, end) = (before.wrapping_add(1) as usize, *ends.last()? as usize);
        let has_margins = start >= WINDOW_BYTES && end + WINDOW_BYTES <= self.haystack.len();
        has_margins.then_some((start..end, ends))
    }
}

/// A weave under way.
struct Thread {
    from: *const u8,
    /// The place of the next column in `from`.
    start: usize,
    to: *mut u8,
    /// The number of bytes written.
    at: usize,
}

impl Thread {
    /// Writes the piece, and the column that ends at `end`.
    ///
    /// # Safety
    /// - From `from` on, bytes are readable up to `WINDOW_BYTES` after `end`, and `start` is at least
    ///   `WINDOW_BYTES`.
    /// - `start` is at most `end`.
    /// - From `to` on, bytes are writable up to `WINDOW_BYTES` after `at`, the piece and the column. They do
    ///   not overlap the others.
    #[inline(always)]
    unsafe fn put<L: Level>(&mut self, level: L, piece: &Piece, end: usize) {
        let (before, length) = (piece.len(), end - self.start);
        let woven = before + length;
        let from = self.from.wrapping_add(self.start - before);
        let to = self.to.wrapping_add(self.at);
        // SAFETY: a piece is shorter than a window. Bytes that change meanwhile are read as something or
        // other. The caller guarantees the room.
        unsafe {
            let bytes = ptr::read(from.cast::<Window>());
            ptr::write(to.cast::<Window>(), level.pieced(&bytes, piece));
        }
        if woven > WINDOW_BYTES {
            // SAFETY: the last bytes of the column follow those that are written.
            unsafe {
                let (from, to) = (from.add(WINDOW_BYTES), to.add(WINDOW_BYTES));
                ptr::copy_nonoverlapping(from, to, woven - WINDOW_BYTES);
            }
        }
        self.at += woven;
        self.start = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, Simd};
    use super::*;

    struct Weave<'a>(Ends<'a>, usize, &'a [Piece], &'a Piece, &'a mut Vec<u8>);

    impl Kernel for Weave<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self, level: L) {
            self.0.weave(level, self.1, self.2, self.3, self.4);
        }
    }

    struct ColumnAt<'a>(Ends<'a>, usize, usize);

    impl Kernel for ColumnAt<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<L: Level>(self, level: L) -> usize {
            self.0.column_at(level, self.1, self.2)
        }
    }

    /// Returns a haystack with columns of these lengths after `before` bytes, and their ends.
    fn columns(before: usize, lengths: &[usize], after: usize) -> (Vec<u8>, Vec<u32>) {
        let mut haystack = vec![b'<'; before];
        let mut ends = vec![(before as u32).wrapping_sub(1)];
        for (nth, &length) in lengths.iter().enumerate() {
            haystack.extend((0..length).map(|byte| b'A' + ((nth + byte) % 50) as u8));
            ends.push(haystack.len() as u32);
            haystack.push(b'|');
        }
        haystack.pop();
        haystack.resize(haystack.len() + after, b'>');
        (haystack, ends)
    }

    /// Columns and pieces of all lengths around a window, with and without bytes around the columns.
    #[test]
    fn columns_of_all_lengths_are_woven_at_every_level() {
        let lengths = [
            0, 1, 2, 16, 17, 30, 31, 32, 33, 61, 62, 63, 64, 65, 66, 127, 128, 129, 300,
        ];
        for simd in Simd::available() {
            for &length in &lengths {
                for piece_length in [0, 1, 3, 4, 7, 8, 15, 16, 20, 31, 32, 62, 63] {
                    for (before, after) in
                        [(0, 0), (0, 64), (63, 64), (64, 63), (64, 64), (200, 300)]
                    {
                        let all = [length, 3, 0, length, 1, length];
                        let (haystack, ends) = columns(before, &all, after);
                        let ends = Ends::new(&haystack, &ends).unwrap();
                        let piece = |nth: usize| {
                            let bytes =
                                (0..piece_length).map(|byte| b'a' + ((nth + byte) % 25) as u8);
                            Piece::new(&bytes.collect::<Vec<_>>()).unwrap()
                        };
                        for (first, count) in [(0, 6), (1, 4), (2, 3), (5, 1), (3, 0)] {
                            let pieces: Vec<_> = (first..first + count).map(piece).collect();
                            let after = piece(7);
                            let mut expected = b"before".to_vec();
                            for (nth, piece) in pieces.iter().enumerate() {
                                expected.extend_from_slice(piece.bytes());
                                expected.extend_from_slice(&haystack[ends.column(first + nth)]);
                            }
                            expected.extend_from_slice(after.bytes());
                            let mut woven = b"before".to_vec();
                            simd.dispatch(Weave(ends, first, &pieces, &after, &mut woven));
                            assert_eq!(woven, expected, "{} {all:?} {piece_length}", simd.name());
                        }
                    }
                }
            }
        }
    }

    /// Rows of a few columns and of many, with the end of the haystack near and far.
    #[test]
    fn a_byte_is_found_in_its_column_at_every_level() {
        for simd in Simd::available() {
            for lengths in [
                &[2, 0, 5][..],
                &[1; 40],
                &[3; 31],
                &[0, 70, 1, 1, 0, 300, 2],
            ] {
                for rows in [1, 2, 20] {
                    let lengths = lengths.repeat(rows);
                    let (haystack, ends) = columns(5, &lengths, 3);
                    let ends = Ends::new(&haystack, &ends).unwrap();
                    for first in 0..lengths.len() {
                        for column in first..lengths.len() {
                            for place in ends.column(column).step_by(29) {
                                let found = simd.dispatch(ColumnAt(ends, first, place));
                                assert_eq!(found, column - first, "{} {first}", simd.name());
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn ends_ascend_and_lie_inside() {
        let haystack = [b'x'; 10];
        for good in [
            &[u32::MAX, 0][..],
            &[u32::MAX, 3, 4, 10],
            &[2, 3, 10],
            &[9, 10],
        ] {
            assert!(Ends::new(&haystack, good).is_some(), "{good:?}");
        }
        for bad in [
            &[][..],
            &[0],
            &[u32::MAX, 11],
            &[0, 3, 3],
            &[0, 4, 3],
            &[3, 3],
            &[5, 4, 9],
            &[1, 2, 3, 2, 9],
        ] {
            assert!(Ends::new(&haystack, bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn a_piece_leaves_room_for_a_byte_in_its_window() {
        assert!(Piece::new(&[b'p'; 63]).is_some());
        assert!(Piece::new(&[b'p'; 64]).is_none());
    }
}
