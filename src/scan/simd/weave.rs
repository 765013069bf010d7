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
//! Half a window is enough for most columns. One that has needed more gets a whole one from then on.

#![allow(unsafe_code)]

use std::ops::Range;

use super::level::PLACES_COMPARED;
use super::thread::Thread;
use super::{Level, Piece, WINDOW_BYTES};

/// Lines whose columns follow each other among [`Ends`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    /// The number of the first column.
    pub(crate) first: usize,
    /// The number of lines.
    pub(crate) count: usize,
    /// The number of columns of each line.
    pub(crate) step: usize,
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
        mut pieces: &mut [Piece],
        after: &Piece,
        out: &mut Vec<u8>,
    ) {
        if self.column(first).start < WINDOW_BYTES {
            // Of the first line of a haystack.
            let near = self.columns_near_start(first, pieces.len());
            self.weave_bytes(first, &pieces[..near], out);
            (first, pieces) = (first + near, &mut pieces[near..]);
        }
        let ends = &self.ends[first..][..=pieces.len()];
        let Some(line) = self.with_margins(ends) else {
            self.weave_bytes(first, pieces, out);
            return out.extend_from_slice(after.bytes());
        };
        // All pieces count as long as the longest: they are not added up for every line.
        let pieces_bytes = (pieces.len() + 1) * Piece::BYTES_MAX;
        let mut thread = Thread::new(self.haystack, line.len() + pieces_bytes, out);
        // SAFETY: the columns ascend and have margins, and there is room for them and for all pieces.
        unsafe { thread.put_line(level, ends, pieces, after) };
        thread.end();
    }

    /// Appends lines as [`Ends::weave`] does, one after the other, and stops after the first that reaches beyond
    /// the byte at `until`. Returns the number of lines.
    ///
    /// # Panics
    /// If there are fewer columns, a line has fewer than there are pieces, or there is no line.
    #[inline(always)]
    pub(crate) fn weave_lines<L: Level>(
        &self,
        level: L,
        Lines { first, count, step }: Lines,
        pieces: &mut [Piece],
        after: &Piece,
        until: usize,
        out: &mut Vec<u8>,
    ) -> usize {
        let width = pieces.len();
        // So lines do not overlap, and there are no more of them than ends.
        assert!(step >= width.max(1), "a line has all columns");
        let last = (count - 1).checked_mul(step).expect("lines have ends");
        let ends = &self.ends[first..][..=last + width];
        let Some(lines) = self.with_margins(ends) else {
            self.weave(level, first, pieces, after, out);
            return 1;
        };
        let pieces_bytes = pieces.iter().map(Piece::len).sum::<usize>() + after.len();
        let room = lines.len() + count.saturating_mul(pieces_bytes);
        let mut thread = Thread::new(self.haystack, room, out);
        let mut woven = 0;
        loop {
            let ends = &ends[woven * step..][..=width];
            // SAFETY: the columns ascend and have margins, and there is room for all lines and their pieces.
            unsafe { thread.put_line(level, ends, pieces, after) };
            woven += 1;
            if woven == count || ends[width] as usize > until {
                break;
            }
        }
        thread.end();
        woven
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

    /// Returns the place of some columns in the haystack, given their `ends` and the one before. None if the haystack
    /// has not [`WINDOW_BYTES`] more bytes on both sides.
    #[inline(always)]
    fn with_margins(&self, ends: &[u32]) -> Option<Range<usize>> {
        let (&before, &end) = (ends.first()?, ends.last()?);
        let (start, end) = (before.wrapping_add(1) as usize, end as usize);
        let has_margins = start >= WINDOW_BYTES && end + WINDOW_BYTES <= self.haystack.len();
        has_margins.then_some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, Simd};
    use super::*;

    struct Weave<'a>(Ends<'a>, usize, &'a mut [Piece], &'a Piece, &'a mut Vec<u8>);

    impl Kernel for Weave<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self, level: L) {
            self.0.weave(level, self.1, self.2, self.3, self.4);
        }
    }

    struct WeaveLines<'a> {
        ends: Ends<'a>,
        lines: Lines,
        pieces: &'a mut [Piece],
        after: &'a Piece,
        until: usize,
        out: &'a mut Vec<u8>,
    }

    impl Kernel for WeaveLines<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<L: Level>(self, level: L) -> usize {
            let (lines, until) = (self.lines, self.until);
            self.ends
                .weave_lines(level, lines, self.pieces, self.after, until, self.out)
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

    /// Returns a piece of this length.
    fn piece(nth: usize, length: usize) -> Piece {
        let bytes = (0..length).map(|byte| b'a' + ((nth + byte) % 25) as u8);
        Piece::new(&bytes.collect::<Vec<_>>()).unwrap()
    }

    /// Columns outgrow half a window or a whole one in some lines only. Each byte ends the weave once.
    #[test]
    fn lines_are_woven_at_every_level() {
        for simd in Simd::available() {
            for (lengths, step) in [
                (&[9, 1, 20, 9, 1, 70, 9, 30, 20, 9, 0, 0, 9, 1, 20][..], 3),
                (&[0, 31, 5, 40, 0, 33, 0, 2, 200, 0, 0, 0, 1, 63, 9, 9], 4),
                (&[3; 30], 5),
            ] {
                for (before, after) in [(0, 0), (64, 64), (40, 64), (64, 30), (100, 100)] {
                    let (haystack, ends) = columns(before, lengths, after);
                    let ends = Ends::new(&haystack, &ends).unwrap();
                    let all = lengths.len() / step;
                    for width in 1..=step {
                        for until in 0..=haystack.len() {
                            let longest = [20, 31, 32, 63][until % 4];
                            let piece_of = |nth| piece(nth, longest - nth * 4);
                            let mut pieces: Vec<_> = (0..width).map(piece_of).collect();
                            let after = piece(9, until % 64);
                            let (mut expected, mut lines) = (b"before".to_vec(), 0);
                            let mut woven = expected.clone();
                            while lines < all {
                                for (nth, piece) in pieces.iter().enumerate() {
                                    expected.extend_from_slice(piece.bytes());
                                    let column = ends.column(lines * step + nth);
                                    expected.extend_from_slice(&haystack[column]);
                                }
                                expected.extend_from_slice(after.bytes());
                                lines += 1;
                                if ends.column(lines * step - step + width - 1).end > until {
                                    break;
                                }
                            }
                            let mut count = 0;
                            while count < lines {
                                count += simd.dispatch(WeaveLines {
                                    ends,
                                    lines: Lines {
                                        first: count * step,
                                        count: all - count,
                                        step,
                                    },
                                    pieces: &mut pieces,
                                    after: &after,
                                    until,
                                    out: &mut woven,
                                });
                            }
                            assert_eq!((count, &woven), (lines, &expected), "{}", simd.name());
                        }
                    }
                }
            }
        }
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
                        let piece = |nth| piece(nth, piece_length);
                        for (first, count) in [(0, 6), (1, 4), (2, 3), (5, 1), (3, 0)] {
                            let mut pieces: Vec<_> = (first..first + count).map(piece).collect();
                            let after = piece(7);
                            let mut expected = b"before".to_vec();
                            for (nth, piece) in pieces.iter().enumerate() {
                                expected.extend_from_slice(piece.bytes());
                                expected.extend_from_slice(&haystack[ends.column(first + nth)]);
                            }
                            expected.extend_from_slice(after.bytes());
                            let mut woven = b"before".to_vec();
                            simd.dispatch(Weave(ends, first, &mut pieces, &after, &mut woven));
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
        let whole = [u32::MAX, 3, 4, 10];
        for good in [&whole[..2], &whole, &[u32::MAX, 0], &[2, 3, 10], &[9, 10]] {
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
}
