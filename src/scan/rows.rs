//! The lines of a block as folds see them.

use std::cell;
use std::ops::Range;

use super::Find;
use super::blocks::PAGES;
use super::cell::Cell;
use super::search::Search;
use super::simd::{Ends, Kernel, PAGE_BYTES, Simd, WINDOW_BYTES, prefetch};

/// No [`Rows`] look further than this, so that [`ABSENT`] lies outside of all of them.
pub(super) const BYTES_MAX: usize = u32::MAX as usize - 1;

/// The first byte of a column that its line does not have, and the byte after its last. No haystack
/// reaches them.
pub(super) const ABSENT: [u32; 2] = [u32::MAX; 2];

/// The places in the next block to prefetch: for each row three cache lines, in its pages in turn.
///
/// Short lines prefetch the same bytes again. The last third of the table does so in any case: a block has
/// some 85 rows.
const PREFETCHED: [u16; 128] = {
    let mut places = [0; 128];
    let mut nth = 0;
    while nth < places.len() {
        let (page, turn) = (nth % PAGES, nth / PAGES);
        places[nth] = (page * PAGE_BYTES + turn * 3 * WINDOW_BYTES % PAGE_BYTES) as u16;
        nth += 1;
    }
    places
};

/// The lines of a block that pass the filter, each with the columns that the fold named.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(super) simd: Simd,
    pub(super) width: usize,
    /// The haystack from the first of the block's lines on.
    pub(super) bytes: &'a [u8],
    /// The end of the block in `bytes`.
    pub(super) block_end: usize,
    /// Positions in `bytes`. The entries of a line begin with the byte before it, and end with its
    /// newline. Two neighbours between bound a column.
    pub(super) ends: &'a [u32],
    pub(super) lines: LineTable<'a>,
    /// The number of each line in the block, if some lines were dropped.
    pub(super) numbers: Option<&'a [u32]>,
    /// For each column that the fold named, the place in a line's entries of the byte before it.
    pub(super) places: &'a [usize],
    /// Whether the fold named all columns of the schema, in their order.
    pub(super) are_all: bool,
    /// The columns yet to be searched for.
    pub(super) search: Option<&'a Search<'a>>,
    /// The place of `bytes` in the input.
    pub(super) offset: u64,
    /// The number of lines of the chunk before the block.
    pub(super) lines_before: u64,
    /// Whether the rows have been looked at one by one.
    pub(super) is_visited: &'a cell::Cell<bool>,
}

/// Which entries belong to which line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineTable<'a> {
    /// The entries of line `i` begin at `i * step`.
    Regular {
        lines: usize,
        step: usize,
        length: usize,
    },
    /// Each line has entries of its own.
    Listed(&'a [Entries]),
}

/// The entries of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    start: u32,
    length: u32,
}

impl Entries {
    pub(super) fn new(start: usize, length: usize) -> Entries {
        Entries {
            start: start as u32,
            length: length as u32,
        }
    }

    #[inline(always)]
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}

impl LineTable<'_> {
    fn len(&self) -> usize {
        match self {
            LineTable::Regular { lines, .. } => *lines,
            LineTable::Listed(lines) => lines.len(),
        }
    }

    /// Returns the place of the entries of the `nth` line.
    #[inline(always)]
    pub(super) fn entries(&self, nth: usize) -> Range<usize> {
        match *self {
            LineTable::Regular { step, length, .. } => nth * step..nth * step + length,
            LineTable::Listed(lines) => lines[nth].range(),
        }
    }
}

impl<'a> Rows<'a> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Says whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of columns that a row has by its schema.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the rows, in the order of the input.
    pub fn iter(&self) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let rows = self.located();
        rows.is_visited.set(true);
        (0..rows.len()).map(move |nth| {
            rows.prefetch(nth);
            rows.located_row(nth)
        })
    }

    /// Runs `kernel`, which works on these rows, as compiled for the level.
    pub(crate) fn dispatch<K: Kernel>(&self, kernel: K) -> K::Output {
        self.simd.dispatch(kernel)
    }

    /// Returns the rows once more, without prefetching for a walk that has been made.
    #[inline(always)]
    pub(crate) fn again(&self) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let rows = self.located();
        (0..rows.len()).map(move |nth| rows.located_row(nth))
    }

    /// Returns the rows in `range`, with all columns located.
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn slice(&self, range: Range<usize>) -> Rows<'a> {
        assert!(range.end <= self.len(), "there are fewer rows");
        let rows = self.located();
        let (ends, lines) = match rows.lines {
            LineTable::Regular { step, length, .. } => {
                let lines = range.len();
                let regular = LineTable::Regular {
                    lines,
                    step,
                    length,
                };
                (&rows.ends[range.start * step..], regular)
            }
            LineTable::Listed(lines) => (rows.ends, LineTable::Listed(&lines[range.clone()])),
        };
        Rows {
            ends,
            lines,
            numbers: rows.numbers.map(|numbers| &numbers[range.clone()]),
            lines_before: match rows.numbers {
                None => rows.lines_before + range.start as u64,
                Some(_) => rows.lines_before,
            },
            ..rows
        }
    }

    /// Returns the `nth` row.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub fn row(&self, nth: usize) -> Row<'a> {
        assert!(nth < self.len(), "there are fewer rows");
        self.located().located_row(nth)
    }

    /// Returns the `nth` row of located rows.
    #[inline(always)]
    pub(super) fn located_row(self, nth: usize) -> Row<'a> {
        Row {
            bytes: self.bytes,
            ends: &self.ends[self.lines.entries(nth)],
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
        let ahead = self.block_end + usize::from(PREFETCHED[nth % PREFETCHED.len()]);
        prefetch(self.bytes, ahead);
        prefetch(self.bytes, ahead + WINDOW_BYTES);
        prefetch(self.bytes, ahead + 2 * WINDOW_BYTES);
    }

    /// Returns the rows with these `columns`, yet to be searched for unless all delimiters are known.
    pub(super) fn with_columns<'s>(
        &self,
        columns: &'s [usize],
        find: Find,
        search: &'s Search<'s>,
    ) -> Rows<'s>
    where
        'a: 's,
    {
        let is_searched = find == Find::Newlines && !columns.is_empty();
        Rows {
            places: columns,
            are_all: columns.iter().copied().eq(0..self.width),
            search: is_searched.then_some(search),
            ..*self
        }
    }

    /// Returns these columns of one row after the other, if no row lacks one of them or ends with it. Fewer
    /// comparisons than [`Row::cell`] takes.
    #[inline(always)]
    pub(crate) fn columns<const N: usize>(
        &self,
        nths: [usize; N],
    ) -> Option<impl Iterator<Item = [Cell<'a>; N]> + use<'a, N>> {
        let rows = self.located();
        let columns = rows.columns_again(nths)?;
        rows.is_visited.set(true);
        Some(columns.enumerate().map(move |(nth, cells)| {
            rows.prefetch(nth);
            cells
        }))
    }

    /// Returns the same once more, without prefetching for a walk that has been made.
    #[inline(always)]
    pub(crate) fn columns_again<const N: usize>(
        &self,
        nths: [usize; N],
    ) -> Option<impl Iterator<Item = [Cell<'a>; N]> + use<'a, N>> {
        let rows = self.located();
        let places = nths.map(|nth| rows.places[nth]);
        let (bytes, ends) = (rows.bytes, rows.ends);
        match rows.lines {
            LineTable::Regular {
                lines,
                step,
                length,
            } if places.iter().all(|place| place + 2 < length) => {
                let mut columns = places.map(|place| ends[place..].chunks(step));
                Some((0..lines).map(move |_| {
                    columns.each_mut().map(|column| {
                        let Some(&[before, end, ..]) = column.next() else {
                            unreachable!("lines have entries")
                        };
                        cell_at(bytes, [before.wrapping_add(1), end])
                    })
                }))
            }
            _ => None,
        }
    }

    /// Returns the ends of all columns of these rows, if the fold named the first columns in their order.
    #[inline(always)]
    pub(crate) fn all_ends(&self) -> Option<Ends<'a>> {
        let are_first = self.places.iter().copied().eq(0..self.places.len());
        match are_first && self.search.is_none() {
            true => Ends::new(self.bytes, self.ends),
            false => None,
        }
    }

    /// Returns the place of the lines in the haystack of their ends, if none was dropped between them.
    pub(crate) fn all_lines(&self) -> Option<Range<usize>> {
        let last = self.len().checked_sub(1)?;
        let start = self.ends[self.lines.entries(0).start].wrapping_add(1);
        let end = self.ends[self.lines.entries(last).end - 1];
        let is_whole = self.numbers.is_none();
        is_whole.then_some(start as usize..end as usize)
    }

    /// Returns the number, among [`Rows::all_ends`], of the first column of the `nth` row, if the row has all
    /// columns of the schema and no more. Prefetches as a walk does.
    #[inline(always)]
    pub(crate) fn first_end(&self, nth: usize) -> Option<usize> {
        self.prefetch(nth);
        let entries = self.lines.entries(nth);
        (entries.len() == self.width + 1).then_some(entries.start)
    }

    /// Returns the rows with all columns located.
    #[inline(always)]
    pub(super) fn located(&self) -> Rows<'a> {
        self.search.map_or(*self, |search| search.found(self))
    }
}

/// A line, and the columns that the fold named.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The haystack from the first line of the block on.
    bytes: &'a [u8],
    /// The entries of the line.
    ends: &'a [u32],
    places: &'a [usize],
    are_all: bool,
    /// The place of `bytes` in the input.
    offset: u64,
    /// The number of rows of the block before this one.
    nth: usize,
    numbers: Option<&'a [u32]>,
    lines_before: u64,
}

impl<'a> Row<'a> {
    /// Returns the `nth` of the columns that the fold named, if the line has it. A blank line has no
    /// columns.
    ///
    /// # Panics
    /// If the fold named fewer columns.
    #[inline(always)]
    pub fn column(&self, nth: usize) -> Option<&'a [u8]> {
        let [start, end] = self.span(nth)?;
        self.bytes.get(start as usize..end as usize)
    }

    /// Returns the same column as a cell; an empty one, if the line does not have it.
    ///
    /// # Panics
    /// If the fold named fewer columns.
    #[inline(always)]
    pub fn cell(&self, nth: usize) -> Cell<'a> {
        cell_at(self.bytes, self.span(nth).unwrap_or(ABSENT))
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
            let rest = &self.bytes[start as usize..];
            see(Cell::new(rest, end.saturating_sub(start) as usize));
            start = end + 1;
        }
        see(self.cell(count - 1));
    }

    /// Returns the whole line, without its line end.
    #[inline]
    pub fn line(&self) -> &'a [u8] {
        &self.bytes[self.line_span()]
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

    /// Returns the first byte of a column and the byte after its last, outside of `bytes` if it is absent.
    #[inline(always)]
    pub(super) fn span(&self, nth: usize) -> Option<[u32; 2]> {
        let place = self.places[nth];
        let &[before, end] = chunk_at(self.ends, place)?;
        match place == self.ends.len() - 2 {
            false => Some([before.wrapping_add(1), end]),
            true => self.last_span(before),
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
    fn line_span(&self) -> Range<usize> {
        let start = self.ends[0].wrapping_add(1) as usize;
        let end = self.ends[self.ends.len() - 1] as usize;
        let has_return = self.bytes[start..end].ends_with(b"\r");
        start..end - usize::from(has_return)
    }
}

/// Returns the column between two positions; an empty one, if it is absent.
#[inline(always)]
fn cell_at(bytes: &[u8], [start, end]: [u32; 2]) -> Cell<'_> {
    match bytes.get(start as usize..) {
        // A changing file can turn a span round.
        Some(rest) => Cell::new(rest, end.saturating_sub(start) as usize),
        None => Cell::from(&[][..]),
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
