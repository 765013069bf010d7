//! Bytes to lines to columns.
//!
//! A worker gets a `Chunk`: whole lines in a haystack that may go on after them. `Scan::chunk`
//! walks it block by block and hands each block to the fold as [`Rows`]: its lines, and the
//! columns that the fold named. A [`Filter`] drops lines before any other column is located.
//! Folds cannot tell how columns were found.
//!
//! # How lines are found
//!
//! ```text
//! for each block of the chunk, small enough to stay in the first-level cache:
//!     newlines:  for each window of 64 bytes: compare, take the mask, store the position of each bit
//!     filter:    locate the columns that it names, keep the lines that pass
//!     columns:   for each batch of lines: compare the first 64 bytes with `|`, store the mask;
//!                select the bits that bound the columns, in more windows further on
//!     fold:      one call with all rows of the block
//! ```
//!
//! Separate stages keep the lines of a block independent: the start of the next line is known
//! before this line is looked at, so the processor overlaps the work on several lines.
//!
//! The first stage waits for memory, and the others leave memory idle. Therefore the columns stage
//! prefetches the next block: the report then takes 0.71 of the time.
//!
//! All of this is safe code. A mapped file can change during the scan. Positions that were newlines
//! may then be other bytes, and columns hold those bytes. Nothing worse happens.

pub(crate) mod columns;
mod filter;
mod rows;
pub mod simd;

use std::ops::Range;

use self::columns::Span;
pub use self::filter::Filter;
pub(crate) use self::filter::Predicates;
pub(crate) use self::rows::{HEAD_BYTES, Line, LineVisitor, chunk_at};
pub use self::rows::{Row, Rows};
use self::simd::{Simd, WINDOW_BYTES};
use crate::error::Error;
use crate::plan::Cut;

/// The number of bytes in a block.
///
/// With prefetching, the report took 1.03 of its time with 64 KiB at 128 KiB, 1.09 at 256 KiB, 0.95
/// at 32 KiB and 0.91 at 16 KiB: the block and its prefetched successor fit the first-level cache.
///
/// Blocks begin at multiples of this in the input, except for the first block of a chunk. In a file
/// mapped from its beginning, pages and cache lines therefore begin where blocks do.
pub(crate) const BLOCK_BYTES: usize = 16 * 1024;

/// The upper limit of a line: 2 GiB, so that positions fit 32 bits. The engine refuses lines much
/// shorter than that.
const LINE_BYTES: usize = 1 << 31;

/// Whole lines to scan: the bytes of `haystack` in `range`.
#[derive(Clone, Debug)]
pub(crate) struct Chunk<'a> {
    /// The bytes around the lines. Bytes after `range` are no part of the lines, but a window may
    /// cover them: with at least [`HEAD_BYTES`] more, the last lines cost no more than the others.
    pub(crate) haystack: &'a [u8],
    /// The place of the lines in the haystack. It ends after a newline, or at the end of the input.
    pub(crate) range: Range<usize>,
    /// The number of bytes of the input before `range`.
    pub(crate) offset: u64,
}

impl<'a> Chunk<'a> {
    /// Returns the bytes of the lines.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        &self.haystack[self.range.clone()]
    }

    /// Returns the place of the lines in the input.
    pub(crate) fn place(&self) -> Range<u64> {
        self.offset..self.offset + self.range.len() as u64
    }
}

/// What a fold needs of each line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// The number of newlines. Lines are not even told apart.
    Newlines,
    /// Rows, with these columns located, counted from zero. [`Row::column`] numbers them in this
    /// order.
    Rows(Vec<usize>),
}

/// The number of lines of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// All of them.
    pub(crate) scanned: u64,
    /// The lines that pass the filter.
    pub(crate) matched: u64,
}

/// The memory of a worker, kept from one chunk to the next.
pub(crate) struct Scratch {
    /// The newlines of a block, after one entry for the newline before its first line.
    newlines: Box<[u32]>,
    spans: Vec<Span>,
    kept: Kept,
}

/// The lines of a block that pass a filter.
#[derive(Default)]
struct Kept {
    spans: Vec<Span>,
    before: Vec<u32>,
    ends: Vec<u32>,
    numbers: Vec<u32>,
}

impl Kept {
    /// Returns the rows for which the predicates hold.
    fn keep<'a>(&'a mut self, predicates: &Predicates, rows: Rows<'a>) -> Rows<'a> {
        self.before.clear();
        self.ends.clear();
        self.numbers.clear();
        let located = rows.located(predicates.columns(), &mut self.spans);
        for (nth, row) in (0..).zip(located.iter()) {
            if predicates.hold(&row) {
                self.before.push(rows.before[nth as usize]);
                self.ends.push(rows.ends[nth as usize]);
                self.numbers.push(nth);
            }
        }
        Rows {
            before: &self.before,
            ends: &self.ends,
            numbers: Some(&self.numbers),
            ..rows
        }
    }
}

impl Default for Scratch {
    fn default() -> Scratch {
        // One position for each byte: all may be newlines. The kernel also writes positions before
        // it knows that they count.
        Scratch {
            newlines: vec![0; 1 + BLOCK_BYTES + WINDOW_BYTES].into_boxed_slice(),
            spans: Vec::new(),
            kept: Kept::default(),
        }
    }
}

/// Receives the rows of a block.
pub(crate) type Show<'a> = dyn FnMut(&Rows<'_>) -> Result<(), Error> + 'a;

/// How the chunks of a part are scanned.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) simd: Simd,
    pub(crate) need: Need,
    pub(crate) predicates: Predicates,
    /// The number of columns of a row, as the schema says.
    pub(crate) width: usize,
}

impl Scan {
    /// Returns where chunks may be cut.
    pub(crate) fn cut(&self) -> Cut {
        match self.need {
            Need::Newlines if self.predicates.is_empty() => Cut::Anywhere,
            _ => Cut::AtLines,
        }
    }

    /// Scans `chunk`, shows its rows block by block, in order, and returns the number of its lines.
    /// An unterminated last line counts, except for [`Need::Newlines`] without a filter.
    ///
    /// # Errors
    /// The first error of `show`, which ends the scan.
    ///
    /// # Panics
    /// If a line has 2 GiB or more. The engine refuses much shorter ones.
    pub(crate) fn chunk(
        &self,
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        show: &mut Show<'_>,
    ) -> Result<Lines, Error> {
        match &self.need {
            Need::Rows(columns) => self.rows(columns, chunk, scratch, show),
            Need::Newlines if !self.predicates.is_empty() => self.rows(&[], chunk, scratch, show),
            Need::Newlines => {
                let count = self.simd.count(chunk.bytes(), b'\n');
                Ok(Lines {
                    scanned: count,
                    matched: count,
                })
            }
        }
    }

    /// Scans `chunk` for rows with these `columns`.
    pub(crate) fn rows(
        &self,
        columns: &[usize],
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        show: &mut Show<'_>,
    ) -> Result<Lines, Error> {
        let end = chunk.range.end;
        // A line ends before a newline or at the end of the haystack.
        let haystack = match chunk.bytes().ends_with(b"\n") {
            true => chunk.haystack,
            false => &chunk.haystack[..end],
        };
        let mut lines = Lines::default();
        let mut line_start = chunk.range.start;
        let mut block_end = chunk.range.start;
        let mut block_bytes = bytes_to_next_block(chunk.offset);
        let mut rest = chunk.bytes();
        while !rest.is_empty() {
            let bytes;
            (bytes, rest) = rest.split_at(block_bytes.min(rest.len()));
            block_bytes = BLOCK_BYTES;
            let origin = line_start;
            let before = block_end - origin;
            assert!(before < LINE_BYTES, "lines are shorter than 2 GiB");
            let newlines = &mut scratch.newlines;
            newlines[0] = rows::BEFORE_FIRST;
            let positions = &mut newlines[1..];
            let mut found = self.simd.newlines(bytes, before as u32, positions);
            block_end += bytes.len();
            if block_end == end && !bytes.ends_with(b"\n") {
                // An unterminated line ends where its newline would be.
                found += 1;
                newlines[found] = (block_end - origin) as u32;
            }
            if found == 0 {
                continue;
            }
            line_start = origin + newlines[found] as usize + 1;
            let from_origin = &haystack[origin..];
            let mut rows = Rows {
                simd: self.simd,
                width: self.width,
                bytes: &from_origin[..from_origin.len().min(rows::BYTES_MAX)],
                block_end: block_end - origin,
                before: &newlines[..found],
                ends: &newlines[1..=found],
                numbers: None,
                columns: 0,
                spans: &[],
                offset: chunk.offset + (origin - chunk.range.start) as u64,
                lines_before: lines.scanned,
            };
            lines.scanned += found as u64;
            if !self.predicates.is_empty() {
                rows = scratch.kept.keep(&self.predicates, rows);
            }
            lines.matched += rows.len() as u64;
            show(&rows.located(columns, &mut scratch.spans))?;
        }
        Ok(lines)
    }
}

/// Returns the number of bytes before the next block, after the first `offset` of an input.
fn bytes_to_next_block(offset: u64) -> usize {
    BLOCK_BYTES - (offset % BLOCK_BYTES as u64) as usize
}
