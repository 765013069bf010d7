//! Bytes to lines to columns.
//!
//! A worker gets a `Chunk`: whole lines in a haystack that may go on after them. `Scan::chunk`
//! walks it block by block and hands each block to the fold as [`Rows`]: its lines, and the
//! columns that the fold named. A `RowFilter` drops lines before any other column is located.
//! Folds cannot tell how columns were found.
//!
//! # How columns are found
//!
//! ```text
//! skip:         if every line that passes the filter has one of some words, go to the next of them
//! for each block of the chunk, small enough to stay in the first-level cache:
//!     search:   for each window of 64 bytes: compare with the delimiter and newline, take the mask of both,
//!               store the position of each bit; prefetch some windows ahead
//!     shape:    does every line have the schema's width? then a column is an index;
//!               if not, list the lines
//!     filter:   test the columns that it names, the cheapest test first, and list the lines that pass
//!     fold:     one call with all rows of the block
//! ```
//!
//! With AVX-512 and VBMI2 one instruction packs the places of all bits of a mask side by side. All delimiters
//! are then found in hardly more time than newlines, and every column is known. Other levels take out one bit
//! after the other. Where few columns are named, and lie near the beginning of lines, they find newlines only, and then
//! search each line for these columns. `Scan::finding` decides. Either way a block is data: its bytes, and positions in them.
//!
//! No stage waits for one line before it begins the next, so the processor overlaps the work on
//! several lines. Filters and groups of short columns read the first bytes of 32 rows, and then work on them
//! side by side, without branches. The search for delimiters prefetches what follows, and so does the search for
//! columns. Newlines are found too fast for that to help.
//!
//! All of this is safe code but for the instructions of the levels. A mapped file can change during the
//! scan. Positions that were delimiters may then be other bytes, and columns hold those bytes. Nothing
//! worse happens.

mod blocks;
mod candidates;
mod cell;
mod filter;
mod needles;
mod odd_rows;
mod row;
mod rows;
mod search;
pub mod simd;
mod vector;
mod visit;

use std::ops::{AddAssign, Range};
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use self::blocks::{Blocks, Positions};
use self::candidates::Candidates;
pub(crate) use self::cell::COPIED_BYTES;
pub use self::cell::Cell;
pub(crate) use self::filter::RowFilter;
pub(crate) use self::needles::Needles;
pub use self::row::Row;
pub use self::rows::Rows;
pub(crate) use self::rows::chunk_at;
pub(crate) use self::search::HEAD_BYTES;
use self::search::{CODES, Search};
use self::simd::{Ahead, Simd, WINDOW_BYTES};
pub(crate) use self::vector::{ROWS, Vector};
pub(crate) use self::visit::{Cells, RowVisitor};
use crate::error::Error;
use crate::fec::layout::refuse_quotes;
use crate::fec::origin::{ORIGIN, Origin};
use crate::fec::schema::FirstLine;
use crate::plan::Cut;

/// The most columns that are searched for, at levels where tokenizing costs more.
///
/// From the second-level cache, AVX2 takes these nanoseconds a line to locate and read columns, by a search
/// and by all delimiters: 14 and 22 for CMTE_ID, 16 and 22 for STATE, 18 and 23 for IMAGE_NUM and NAME,
/// 24 and 23 for STATE and TRANSACTION_AMT, 27 and 25 for a third column.
const SEARCHED_MAX: usize = 2;

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
    /// The same, and the fold reads its two columns by a `RowVisitor`, which knows their numbers when it
    /// is compiled.
    #[doc(hidden)]
    Pair([usize; 2]),
}

/// The number of lines of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// All of them.
    pub(crate) scanned: u64,
    /// The lines that pass the filter.
    pub(crate) matched: u64,
    /// The lines among those whose number of columns is not the schema's.
    pub(crate) odd: u64,
    /// The lines that fail only because a condition of the filter is NULL for them.
    pub(crate) unread: u64,
}

impl AddAssign for Lines {
    fn add_assign(&mut self, more: Lines) {
        self.scanned += more.scanned;
        self.matched += more.matched;
        self.odd += more.odd;
        self.unread += more.unread;
    }
}

/// What is looked for in every byte of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tokens {
    /// Newlines. Columns, if any are wanted, are searched for in each line: by the scan, or by the fold's visitor.
    Newlines,
    /// Delimiters of columns, and newlines. Then every column is known.
    Delimiters,
}

/// The memory of a worker, kept from one chunk to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    positions: Positions,
    /// The numbers of the lines of a block that pass a filter.
    kept: Vec<u32>,
    /// The entries of columns that were searched for.
    found: Vec<u32>,
}

/// Receives the rows of a block.
pub(crate) type Show<'a> = dyn FnMut(&Rows<'_>) -> Result<(), Error> + 'a;

/// How the chunks of a part are scanned.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) simd: Simd,
    pub(crate) need: Need,
    /// Without one, every row passes.
    pub(crate) filter: Option<Arc<dyn RowFilter>>,
    /// The number of columns of a row, as the schema says.
    pub(crate) width: usize,
    /// The byte between columns.
    pub(crate) delimiter: u8,
    /// Whether the first line of the input is a row.
    pub(crate) first_line: FirstLine,
    /// Whether a field that begins with a quote is an error.
    pub(crate) refuses_quotes: bool,
    /// Whether a day before its month is an error where days are read.
    pub(crate) refuses_day_first: bool,
    /// Whether places in chunks are those in the file, because nothing was translated.
    pub(crate) are_bytes_of_file: bool,
    /// What all rows have in common.
    pub(crate) input: Arc<Origin>,
}

impl Scan {
    /// Returns where chunks may be cut.
    pub(crate) fn cut(&self) -> Cut {
        match self.need {
            // The end of the names has to be found, and the byte before a quote.
            Need::Newlines
                if self.filter.is_none()
                    && self.first_line == FirstLine::Row
                    && !self.refuses_quotes =>
            {
                Cut::Anywhere
            }
            _ => Cut::AtLines,
        }
    }

    /// Returns the lines of a chunk before the first that is refused, and the error of that line.
    pub(crate) fn before_refused<'a>(&self, chunk: &Chunk<'a>) -> (Chunk<'a>, Option<Error>) {
        let mut before = chunk.clone();
        if !self.refuses_quotes {
            return (before, None);
        }
        let lines = chunk.bytes();
        match refuse_quotes(lines, self.delimiter) {
            Ok(()) => (before, None),
            Err((place, error)) => {
                let end = memrchr(b'\n', &lines[..place]).map_or(0, |newline| newline + 1);
                before.range.end = before.range.start + end;
                (before, Some(error.at_byte(chunk.offset + place as u64)))
            }
        }
    }

    /// Scans `chunk`, shows its rows block by block, in order, and returns the number of its lines.
    /// An unterminated last line counts, except for [`Need::Newlines`] of lines without names and without a filter.
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
            Need::Pair(columns) => self.rows(columns, chunk, scratch, show),
            Need::Newlines if self.filter.is_some() => self.rows(&[], chunk, scratch, show),
            Need::Newlines => {
                let chunk = self.rows_of(chunk);
                let newlines = self.simd.count(chunk.bytes(), b'\n', Ahead::best());
                // The last row below names may lack its newline. Without names, such a line is none, as for `wc -l`.
                let is_row = self.first_line == FirstLine::Names
                    && chunk.bytes().last().is_some_and(|&last| last != b'\n');
                let count = newlines + u64::from(is_row);
                Ok(Lines {
                    scanned: count,
                    matched: count,
                    ..Lines::default()
                })
            }
        }
    }

    /// Returns the chunk without the names of columns, which may be the first line of the input.
    fn rows_of<'a>(&self, chunk: &Chunk<'a>) -> Chunk<'a> {
        let mut rows = chunk.clone();
        if self.first_line == FirstLine::Names && chunk.offset == 0 {
            let line = memchr(b'\n', chunk.bytes());
            let bytes = line.map_or(chunk.range.len(), |newline| newline + 1);
            rows.range.start += bytes;
            rows.offset += bytes as u64;
        }
        rows
    }

    /// Scans `chunk` for rows with these `columns`.
    pub(crate) fn rows(
        &self,
        columns: &[usize],
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        show: &mut Show<'_>,
    ) -> Result<Lines, Error> {
        let Scratch {
            positions,
            kept,
            found,
        } = scratch;
        let tested = self.tested();
        let (find, search) = self.finding(columns, chunk.bytes());
        let places = |columns: &[usize]| -> Vec<usize> {
            let place = |&column| {
                search
                    .as_ref()
                    .filter(|_| column < ORIGIN)
                    .map_or(column, |search| search.place(column))
            };
            columns.iter().map(place).collect()
        };
        let (columns, tested) = (places(columns), places(tested));
        // The report counts odd rows itself, where it is asked to.
        let is_pair = matches!(self.need, Need::Pair(_));
        let mut lines = Lines::default();
        let required = self.filter.as_ref().and_then(|filter| filter.required());
        let mut candidates = Candidates::new(self.rows_of(chunk), self.simd, required);
        while let Some((skipped, chunk)) = candidates.next() {
            lines.scanned += skipped;
            let mut blocks = Blocks::new(self, find, &chunk, lines.scanned, positions);
            while let Some(mut rows) = blocks.next() {
                lines.scanned += rows.len() as u64;
                if let Some(search) = &search {
                    rows = search.found(&rows, found);
                }
                if let Some(filter) = &self.filter {
                    lines.unread += filter.keep(&rows.with_places(&tested), kept)?;
                    rows.count = kept.len();
                    rows.numbers = Some(kept);
                }
                lines.matched += rows.len() as u64;
                if !is_pair {
                    lines.odd += rows.odd();
                }
                show(&rows.with_places(&columns))?;
            }
        }
        Ok(lines)
    }

    /// Returns the columns that the filter reads.
    fn tested(&self) -> &[usize] {
        self.filter.as_ref().map_or(&[], |filter| filter.columns())
    }

    /// Returns what to look for in every byte of `lines`, and then the search for the columns of the fold and of the filter,
    /// if that is faster than to find all delimiters.
    ///
    /// Where a level stores all places of a window at once, all delimiters cost little more than the
    /// newlines. Elsewhere a search is faster for a few columns that a delimiter follows, if it reaches them in most lines.
    fn finding(&self, columns: &[usize], lines: &[u8]) -> (Tokens, Option<Search>) {
        let all = || {
            let all = columns.iter().chain(self.tested()).copied();
            all.filter(|&column| column < ORIGIN)
        };
        if all().next().is_none() || self.visitor_searches() {
            return (Tokens::Newlines, None);
        }
        // A visitor knows its columns by their numbers in the schema, and a search numbers its own.
        let is_pair = matches!(self.need, Need::Pair(_));
        let are_followed = all().all(|column| column + 1 < self.width);
        let is_few = all().count() <= SEARCHED_MAX && are_followed;
        if is_pair || !is_few || self.simd.stores_at_once() {
            return (Tokens::Delimiters, None);
        }
        if all().any(|column| !is_near(column, lines, self.delimiter)) {
            return (Tokens::Delimiters, None);
        }
        (Tokens::Newlines, Some(Search::new(all())))
    }

    /// Says whether the fold's `RowVisitor` searches for its columns itself. Then the scan finds only newlines.
    ///
    /// A search for leading columns is faster at every level: one or two comparisons a line, compiled into the fold. By all
    /// delimiters the report takes 1.09 of the time on Zen 5, with one thread.
    fn visitor_searches(&self) -> bool {
        match self.need {
            Need::Pair([first, second]) if self.filter.is_none() => {
                let are_leading = first.max(second) <= CODES;
                let are_followed = first.max(second) + 1 < self.width;
                are_followed && (are_leading || !self.simd.stores_at_once())
            }
            _ => false,
        }
    }
}

/// The bytes at the beginning of a chunk whose lines tell where columns stand.
const SAMPLED_BYTES: usize = 4096;

/// Says whether a search finds `column` in most of the first of these `lines`: it begins with one window for the leading columns. It walks
/// over the bytes of other lines, which takes longer than to find all delimiters.
fn is_near(column: usize, lines: &[u8], delimiter: u8) -> bool {
    let lines = lines[..lines.len().min(SAMPLED_BYTES)].split(|&byte| byte == b'\n');
    let has_leading = |line: &&[u8]| {
        let window = &line[..line.len().min(WINDOW_BYTES)];
        memchr_iter(delimiter, window).count() > column.min(CODES - 1)
    };
    2 * lines.clone().filter(has_leading).count() >= lines.count()
}

#[cfg(test)]
mod tests;
