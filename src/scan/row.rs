//! A line as folds see it.

use std::ops::Range;

use super::cell::Cell;
use super::rows::{ABSENT, chunk_at};
use crate::fec::origin::Origin;

/// A line, and the columns that the fold named.
///
/// ```
/// let long = fecscan::by_row(
///     ["STATE"],
///     Vec::new,
///     |states, row| {
///         if row.line().len() > 150 {
///             states.push(row.column(0).unwrap_or_default().to_vec());
///         }
///     },
///     |states, others| states.extend(others),
/// );
/// let states = fecscan::scan(["fixtures/plain.txt"]).fold(long)?;
/// assert_eq!(states[0], b"OR");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub(super) input: &'a Origin,
    /// The haystack from the first line of the block on.
    pub(super) bytes: &'a [u8],
    /// The entries of the line.
    pub(super) ends: &'a [u32],
    pub(super) places: &'a [usize],
    pub(super) are_all: bool,
    /// The place of `bytes` in the input.
    pub(super) offset: u64,
    /// The number of rows of the block before this one.
    pub(super) nth: usize,
    pub(super) numbers: Option<&'a [u32]>,
    pub(super) lines_before: u64,
}

impl<'a> Row<'a> {
    /// Returns the `nth` of the columns that the fold named, if the line has it. A blank line has no
    /// columns.
    ///
    /// # Panics
    /// If the fold named fewer columns.
    #[inline(always)]
    pub fn column(&self, nth: usize) -> Option<&'a [u8]> {
        match self.span(nth) {
            Some([start, end]) => self.bytes.get(start as usize..end as usize),
            None => self.of_input(nth).map(Cell::bytes),
        }
    }

    /// Returns the same column as a cell; an empty one, if the line does not have it.
    ///
    /// # Panics
    /// If the fold named fewer columns.
    #[inline(always)]
    pub fn cell(&self, nth: usize) -> Cell<'a> {
        match self.span(nth) {
            Some(span) => Cell::at(self.bytes, span),
            None => self.of_input(nth).unwrap_or(Cell::at(self.bytes, ABSENT)),
        }
    }

    /// Returns a column that no line has, and every input.
    #[inline(never)]
    fn of_input(&self, nth: usize) -> Option<Cell<'a>> {
        let (values, span) = self.input.value(self.places[nth])?;
        Some(Cell::at(values, span))
    }

    /// Calls `see` with each of the columns that the fold named, in their order; with an empty one, if the
    /// line does not have it. Faster than [`Row::cell`] for all columns of a row.
    #[inline(always)]
    pub fn each_cell(&self, mut see: impl FnMut(Cell<'a>)) {
        let count = self.places.len();
        if !self.are_all || self.ends.len() != count + 1 {
            return (0..count).for_each(|nth| see(self.cell(nth)));
        }
        let mut start = self.ends[0].wrapping_add(1);
        for &end in &self.ends[1..count] {
            see(Cell::at(self.bytes, [start, end]));
            start = end + 1;
        }
        see(self.cell(count - 1));
    }

    /// Returns the whole line, without its line end.
    #[inline]
    pub fn line(&self) -> &'a [u8] {
        &self.bytes[self.line_span()]
    }

    /// Returns how many files and members of archives the run has read before that of the line.
    pub(crate) fn part(&self) -> usize {
        self.input.part
    }

    /// Returns the place of the line in the input, in bytes.
    pub fn byte(&self) -> u64 {
        self.offset + self.line_span().start as u64
    }

    /// Returns the number of lines before this one in its chunk, dropped ones included.
    pub(crate) fn number_in_chunk(&self) -> u64 {
        let number = self.numbers.map_or(self.nth as u64, |n| n[self.nth].into());
        self.lines_before + number
    }

    /// Says whether the line has `count` columns, all of them located.
    #[inline(always)]
    pub(crate) fn has_columns(&self, count: usize) -> bool {
        self.ends.len() == count + 1
    }

    /// Returns the bytes in which spans lie.
    #[inline(always)]
    pub(crate) fn haystack(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the bytes before all columns of the line and after the last, in the haystack, and the end of the line, which may be a carriage
    /// return before the last of them.
    #[inline(always)]
    pub(crate) fn column_ends(&self) -> (&'a [u32], u32) {
        (self.ends, self.line_span().end as u32)
    }

    /// Returns the number of the line's column in which the byte at `place` of the haystack stands.
    #[inline(always)]
    pub(crate) fn column_at(&self, place: usize) -> usize {
        // A comparison with all of them instead of a search: vectors, and no branch.
        let is_before = |&end: &u32| u32::from(end < place as u32);
        self.ends[1..].iter().map(is_before).sum::<u32>() as usize
    }

    /// Returns the first byte of a column and the byte after its last, outside of `bytes` if it is absent.
    #[inline(always)]
    pub(crate) fn span(&self, nth: usize) -> Option<[u32; 2]> {
        let place = self.places[nth];
        let &[before, end] = chunk_at(self.ends, place)?;
        if place == self.ends.len() - 2 {
            self.last_span(before)
        } else {
            Some([before.wrapping_add(1), end])
        }
    }

    /// The last column ends before a carriage return, and an empty line has no columns.
    #[inline]
    fn last_span(&self, before: u32) -> Option<[u32; 2]> {
        let line = self.line_span();
        (!line.is_empty()).then_some([before.wrapping_add(1), line.end as u32])
    }

    /// Returns the place of the line in `bytes`.
    #[inline(always)]
    pub(crate) fn line_span(&self) -> Range<usize> {
        let start = self.ends[0].wrapping_add(1) as usize;
        let end = self.ends[self.ends.len() - 1] as usize;
        let has_return = self.bytes[start..end].ends_with(b"\r");
        start..end - usize::from(has_return)
    }
}
