//! The lines of a block as folds see them.

use std::ops::Range;
use std::slice::SliceIndex;

use super::blocks::BLOCK_BYTES;
use super::odd_rows;
use super::row::Row;
use super::simd::{Kernel, Later, Places, Simd, WINDOW_BYTES, prefetch};
use crate::fec::origin::Origin;

/// No [`Rows`] look further than this, so that [`ABSENT`] lies outside of all of them.
pub(super) const BYTES_MAX: usize = u32::MAX as usize - 1;

/// The first byte of a column that its line does not have, and the byte after its last. No haystack
/// reaches them.
pub(super) const ABSENT: [u32; 2] = [u32::MAX; 2];

/// The lines of a block that pass the filter, each with the columns that the fold named.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(super) simd: Simd,
    pub(super) width: usize,
    pub(super) delimiter: u8,
    /// What all rows have in common.
    pub(super) input: &'a Origin,
    /// The haystack from the first of the block's lines on.
    pub(super) bytes: &'a [u8],
    /// The end of the block in `bytes`.
    pub(super) block_end: usize,
    /// What of the next block each row prefetches.
    pub(super) ahead: &'static Places,
    /// What vectors prefetch of the block after that.
    pub(super) later: &'a Later,
    /// Positions in `bytes`. The entries of a line begin with the byte before it, and end with its
    /// newline. Two neighbours between bound a column.
    pub(super) ends: &'a [u32],
    pub(super) lines: LineTable<'a>,
    /// The number of rows.
    pub(super) count: usize,
    /// The number of each row's line in the block, if some lines were dropped.
    pub(super) numbers: Option<&'a [u32]>,
    pub(super) widths: Widths,
    /// For each column that the fold named, the place in a line's entries of the byte before it.
    pub(super) places: &'a [usize],
    /// Whether the fold named all columns of the schema, in their order.
    pub(super) are_all: bool,
    /// The place of `bytes` in the input.
    pub(super) offset: u64,
    /// The number of lines of the chunk before the block.
    pub(super) lines_before: u64,
}

/// Which entries belong to which line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineTable<'a> {
    /// The entries of line `i` begin at `i * step`. The last one is also the first of line `i + 1`, if `length` is `step + 1`.
    Regular { step: usize, length: usize },
    /// Where the entries of each line begin. The last one is also the first of the next line.
    Listed(&'a [u32]),
}

/// What tells the number of columns of each line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Widths {
    /// Nothing: no question has asked for a column.
    Unknown,
    /// Its entries, one for each delimiter.
    Entries,
    /// The bytes after this column, the last that was searched for.
    After(usize),
}

impl LineTable<'_> {
    /// Returns the place of the entries of a line.
    #[inline(always)]
    fn entries(&self, line: usize) -> Range<usize> {
        match *self {
            LineTable::Regular { step, length } => line * step..line * step + length,
            LineTable::Listed(starts) => starts[line] as usize..starts[line + 1] as usize + 1,
        }
    }
}

impl<'a> Rows<'a> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Says whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of columns that a row has by its schema.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the byte between columns.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Returns how many rows have another number of columns than the schema. Without any column asked for, it is zero. A blank row
    /// has none.
    pub(crate) fn odd(&self) -> u64 {
        match (self.widths, self.lines) {
            (Widths::Unknown, _) => 0,
            (Widths::After(column), _) => odd_rows::count_after(self, column),
            (Widths::Entries, LineTable::Listed(_)) => self.odd_by_entries(),
            // A blank row looks like one of one column.
            (Widths::Entries, _) if self.width == 1 => self.odd_by_entries(),
            (Widths::Entries, _) => 0,
        }
    }

    #[cold]
    fn odd_by_entries(&self) -> u64 {
        let is_odd = |nth: &usize| {
            let columns = self.entries(*nth).len() - 1;
            columns != self.width || columns == 1 && self.row_at(*nth).line().is_empty()
        };
        (0..self.len()).filter(is_odd).count() as u64
    }

    /// Returns the rows, in the order of the input.
    pub fn iter(&self) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let rows = *self;
        (0..rows.len()).map(move |nth| rows.row_at(nth))
    }

    /// Runs `kernel`, which works on these rows, as compiled for the level.
    pub(crate) fn dispatch<K: Kernel>(&self, kernel: K) -> K::Output {
        self.simd.dispatch(kernel)
    }

    /// Returns the rows in `range`, in the same way.
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn slice(&self, range: Range<usize>) -> Rows<'a> {
        assert!(range.end <= self.len(), "there are fewer rows");
        let mut rows = *self;
        rows.count = range.len();
        match (&mut rows.numbers, &mut rows.lines) {
            (Some(numbers), _) => {
                *numbers = &numbers[range];
                return rows;
            }
            (None, LineTable::Regular { step, .. }) => {
                rows.ends = &rows.ends[range.start * *step..];
            }
            (None, LineTable::Listed(starts)) => *starts = &starts[range.start..],
        }
        rows.lines_before += range.start as u64;
        rows
    }

    /// Returns some of the rows by their numbers, a row perhaps several times. `lines` is memory for their places.
    pub(crate) fn chosen<'s>(&self, numbers: &[u32], lines: &'s mut Vec<u32>) -> Rows<'s>
    where
        'a: 's,
    {
        lines.clear();
        let line = |&nth: &u32| self.numbers.map_or(nth, |known| known[nth as usize]);
        lines.extend(numbers.iter().map(line));
        Rows {
            count: lines.len(),
            numbers: Some(lines),
            ..*self
        }
    }

    /// Returns the `nth` row.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub fn row(&self, nth: usize) -> Row<'a> {
        assert!(nth < self.len(), "there are fewer rows");
        self.row_at(nth)
    }

    /// Returns the place of the entries of the `nth` row.
    #[inline(always)]
    pub(super) fn entries(&self, nth: usize) -> Range<usize> {
        let line = self.numbers.map_or(nth, |numbers| numbers[nth] as usize);
        self.lines.entries(line)
    }

    /// Returns the `nth` row.
    #[inline(always)]
    pub(crate) fn row_at(self, nth: usize) -> Row<'a> {
        Row {
            input: self.input,
            bytes: self.bytes,
            ends: &self.ends[self.entries(nth)],
            places: self.places,
            are_all: self.are_all,
            offset: self.offset,
            nth,
            numbers: self.numbers,
            lines_before: self.lines_before,
        }
    }

    /// Prefetches bytes of the next block that are the share of the `nth` row.
    #[inline(always)]
    pub(super) fn prefetch(&self, nth: usize) {
        let ahead = self.block_end + usize::from(self.ahead[nth % self.ahead.len()]);
        prefetch(self.bytes, ahead);
        prefetch(self.bytes, ahead + WINDOW_BYTES);
        prefetch(self.bytes, ahead + 2 * WINDOW_BYTES);
    }

    /// Prefetches the share of a vector.
    #[inline(always)]
    pub(super) fn prefetch_later(&self) {
        self.later
            .prefetch(self.bytes, self.block_end + BLOCK_BYTES);
    }

    /// Returns the same rows with a few of the columns that the fold named.
    pub(crate) fn with_columns(
        &self,
        range: impl SliceIndex<[usize], Output = [usize]>,
    ) -> Rows<'a> {
        self.with_places(&self.places[range])
    }

    /// Returns the same rows with other columns, by the places of their entries.
    pub(super) fn with_places<'s>(&self, places: &'s [usize]) -> Rows<'s>
    where
        'a: 's,
    {
        Rows {
            places,
            are_all: places.iter().copied().eq(0..self.width),
            ..*self
        }
    }
}

impl Rows<'_> {
    /// Returns the number of columns that the fold named.
    pub(crate) fn columns(&self) -> usize {
        self.places.len()
    }

    /// Says whether the fold named the first columns of the schema, in their order.
    pub(crate) fn are_first_columns(&self) -> bool {
        self.places.iter().copied().eq(0..self.places.len())
    }
}

/// Returns the `N` items from `start` on, if they exist.
#[inline(always)]
pub(crate) fn chunk_at<T, const N: usize>(items: &[T], start: usize) -> Option<&[T; N]> {
    items.get(start..)?.first_chunk()
}

/// Returns the `N` items from `start` on, if they exist.
///
/// One comparison less than [`chunk_at`], because `start + N` cannot overflow.
#[inline(always)]
pub(super) fn near_chunk_at<T, const N: usize>(items: &[T], start: u32) -> Option<&[T; N]> {
    let start = start as usize;
    items.get(start..start.saturating_add(N))?.first_chunk()
}

#[cfg(test)]
mod tests;
