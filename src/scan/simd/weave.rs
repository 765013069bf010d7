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
//! Half a window is enough for most columns. One that has needed more gets a whole one from then on, in all blocks and
//! threads.

#![allow(unsafe_code)]

use std::ops::Range;

use super::level::PLACES_COMPARED;
use super::thread::Thread;
use super::{Level, Piece, WINDOW_BYTES, Weft};

/// Lines whose columns follow each other among [`Ends`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
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

    /// Returns where the column with this number ends. Returns none if there are fewer columns.
    #[inline(always)]
    pub(crate) fn end(&self, nth: usize) -> Option<usize> {
        self.ends.get(nth + 1).map(|&end| end as usize)
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
        let Some(line) = self.with_margins(ends) else {
            self.weave_bytes(first, pieces, out);
            return out.extend_from_slice(after.bytes());
        };
        // All pieces count as long as the longest: they are not added up for every line.
        let pieces_bytes = (pieces.len() + 1) * Piece::BYTES_MAX;
        let mut thread = Thread::new(self.haystack, line.len() + pieces_bytes, out);
        // SAFETY: the columns ascend and have margins, and there is room for them and for all pieces.
        unsafe { thread.put_line(level, ends[0], &ends[1..], pieces, after) };
        thread.end();
    }

    /// Appends lines as [`Ends::weave`] does, and stops after the first whose last woven column ends behind the byte
    /// at `until`. Near the start or the end of the haystack, it appends one line. Returns the number of lines.
    ///
    /// # Panics
    /// If there are fewer columns, a line has fewer than there are pieces, or there is no line.
    #[inline(always)]
    pub(crate) fn weave_lines<L: Level>(
        &self,
        level: L,
        Run { first, count, step }: Run,
        weft: &Weft,
        until: usize,
        out: &mut Vec<u8>,
    ) -> usize {
        let (pieces, after) = (weft.pieces(), weft.after());
        let width = pieces.len();
        // So lines do not overlap, and there are no more of them than ends.
        assert!((1..=step).contains(&width), "a line has all columns");
        let last = count
            .checked_sub(1)
            .and_then(|lines| lines.checked_mul(step));
        let last = last.and_then(|last| last.checked_add(width));
        let ends = &self.ends[first..][..=last.expect("there are lines")];
        let Some(lines) = self.with_margins(ends) else {
            self.weave(level, first, pieces, after, out);
            return 1;
        };
        let room = count.saturating_mul(weft.len()).saturating_add(lines.len());
        let mut thread = Thread::new(self.haystack, room, out);
        let mut woven = 0;
        let mut before = ends[0];
        for line in ends[1..].chunks(step) {
            let columns = &line[..width];
            // SAFETY: the columns ascend and have margins, and there is room for all lines and their pieces.
            unsafe { thread.put_line(level, before, columns, pieces, after) };
            woven += 1;
            if columns[width - 1] as usize > until {
                break;
            }
            before = line[line.len() - 1];
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

    /// Returns the place of some columns in the haystack, given their `ends` and the one before. Returns none if the haystack
    /// has fewer than [`WINDOW_BYTES`] bytes on either side.
    #[inline(always)]
    fn with_margins(&self, ends: &[u32]) -> Option<Range<usize>> {
        let (&before, &end) = (ends.first()?, ends.last()?);
        let (start, end) = (before.wrapping_add(1) as usize, end as usize);
        let has_margins = start >= WINDOW_BYTES && end + WINDOW_BYTES <= self.haystack.len();
        has_margins.then_some(start..end)
    }
}

#[cfg(test)]
mod tests;
