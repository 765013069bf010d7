//! Blocks of a chunk, tokenized: the positions of their delimiters, and which of these end lines.
//!
//! ```text
//! bytes       A|B|C⏎D|E|F⏎G|H⏎I|J|
//! positions  ↑ 1 3 5 7 9 … (the byte before the first line, then each delimiter)
//!            └─────┘
//!                  └─────┘      a line: its delimiters, after the entry for the newline before it
//!                        └───┘
//! ```
//!
//! The entries of a line overlap those of the next by one, so the column `c` of any line lies between
//! its entries `c` and `c + 1`, the first column included.
//!
//! A block is *regular* if every line has the schema's number of columns: if there are as many
//! newlines as lines of that width, and each of their last delimiters is a newline. The newlines are
//! counted by the search itself, independently of where they stand. Then the entries of line `i`
//! begin at `i * width`. In any other block the lines are listed one by one. From a line's beginning,
//! the newline is first looked for where a row of the schema has it, so that only odd lines take a
//! walk over their delimiters. If this finds fewer lines than there are newlines, it has jumped over
//! some, and every delimiter is looked at.
//!
//! The delimiters of a line that goes on in the next block are kept, so no byte is searched twice.

use std::ops::Range;

use super::rows::{BYTES_MAX, LineTable, Rows, Widths};
use super::simd::{Ahead, Block, GROUP_BYTES, Later, PAGE_BYTES, PAGES, Simd};
use super::{Chunk, Scan, Tokens};
use crate::fec::origin::Origin;

/// The number of bytes in a block.
///
/// With prefetching, the report took 1.03 of its time with 64 KiB at 128 KiB, 1.09 at 256 KiB, 0.95
/// at 32 KiB and 0.91 at 16 KiB: the block and its prefetched successor fit the first-level cache.
///
/// Blocks begin at multiples of this in the input, except for the first block of a chunk. In a file
/// mapped from its beginning, pages and cache lines therefore begin where blocks do.
pub(super) const BLOCK_BYTES: usize = PAGES * PAGE_BYTES;

/// The upper limit of a line: 2 GiB, so that positions fit 32 bits. The engine refuses lines much
/// shorter than that.
const LINE_BYTES: usize = 1 << 31;

/// The position before the first byte of the first line.
const BEFORE_FIRST: u32 = u32::MAX;

/// The memory of a worker for the positions of a block.
pub(super) struct Positions {
    /// The byte before the first line, and the delimiters after it. What follows is noise.
    ends: Vec<u32>,
    /// The first entry of each line, if lines are listed, and one more for their end.
    listed: Vec<u32>,
    later: Later,
}

/// The most positions that are kept from one chunk to the next. A line of delimiters alone takes 64 MiB of them.
const KEPT: usize = 16 * BLOCK_BYTES;

impl Positions {
    /// Frees what a very long line has taken. No positions are in use.
    fn shrink(&mut self) {
        if self.ends.len() > KEPT {
            self.ends = vec![BEFORE_FIRST];
        }
    }
}

impl Default for Positions {
    fn default() -> Positions {
        Positions {
            ends: vec![BEFORE_FIRST],
            listed: Vec::new(),
            later: Later::default(),
        }
    }
}

/// The blocks of a chunk.
pub(super) struct Blocks<'c, 's> {
    simd: Simd,
    ahead: Ahead,
    tokens: Tokens,
    width: usize,
    delimiter: u8,
    input: &'c Origin,
    chunk: &'c Chunk<'c>,
    /// The chunk and what follows it. Ends with the chunk if its last line has no newline.
    haystack: &'c [u8],
    has_newline_at_end: bool,
    /// The end of the last block in the haystack.
    block_end: usize,
    /// The first byte of the first line that has not been shown.
    origin: usize,
    positions: &'s mut Positions,
    /// The number of delimiters from the origin on.
    delimiters: usize,
    /// The number of those that belong to lines that have been shown.
    shown: usize,
    /// The number of lines of the task before the next block.
    lines: u64,
}

impl<'c, 's> Blocks<'c, 's> {
    pub(super) fn new(
        scan: &'c Scan,
        tokens: Tokens,
        chunk: &'c Chunk<'c>,
        lines_before: u64,
        positions: &'s mut Positions,
    ) -> Blocks<'c, 's> {
        let Range { start, end } = chunk.range;
        let has_newline_at_end = chunk.bytes().ends_with(b"\n");
        positions.shrink();
        Blocks {
            simd: scan.simd,
            ahead: Ahead::best(),
            tokens,
            width: scan.width,
            delimiter: scan.delimiter,
            input: &scan.input,
            chunk,
            haystack: if has_newline_at_end {
                chunk.haystack
            } else {
                &chunk.haystack[..end]
            },
            has_newline_at_end,
            block_end: start,
            origin: start,
            positions,
            delimiters: 0,
            shown: 0,
            lines: lines_before,
        }
    }

    /// Returns the lines that end in the next block that has any.
    ///
    /// # Panics
    /// If a line has 2 GiB or more. The engine refuses much shorter ones.
    pub(super) fn next(&mut self) -> Option<Rows<'_>> {
        self.drop_shown();
        let lines = loop {
            if self.block_end == self.chunk.range.end {
                return None;
            }
            let newlines = self.tokenize();
            if newlines > 0
                && let Some(lines) = self.lines(newlines)
            {
                break lines;
            }
        };
        self.positions.later.begin(self.ahead);
        let lines_before = self.lines;
        let (lines, count) = match lines {
            Shape::Regular { lines, step } => {
                self.shown = lines * step;
                let length = step + 1;
                (LineTable::Regular { step, length }, lines)
            }
            Shape::Listed => {
                let listed = &self.positions.listed[..];
                self.shown = listed[listed.len() - 1] as usize;
                (LineTable::Listed(listed), listed.len() - 1)
            }
        };
        self.lines += count as u64;
        let bytes = &self.haystack[self.origin..];
        Some(Rows {
            simd: self.simd,
            width: self.width,
            delimiter: self.delimiter,
            input: self.input,
            bytes: &bytes[..bytes.len().min(BYTES_MAX)],
            block_end: self.block_end - self.origin,
            ahead: self.ahead.places(),
            later: &self.positions.later,
            ends: &self.positions.ends[..=self.delimiters],
            lines,
            count,
            numbers: None,
            widths: match self.tokens {
                Tokens::Newlines => Widths::Unknown,
                Tokens::Delimiters => Widths::Entries,
            },
            places: &[],
            are_all: false,
            offset: self.chunk.offset + (self.origin - self.chunk.range.start) as u64,
            lines_before,
        })
    }

    /// Keeps of the positions those after the lines that have been shown.
    fn drop_shown(&mut self) {
        let ends = &mut self.positions.ends;
        if self.shown == 0 {
            ends[0] = BEFORE_FIRST;
            return;
        }
        let next = ends[self.shown] + 1;
        ends.copy_within(self.shown + 1..=self.delimiters, 1);
        self.delimiters -= self.shown;
        ends[1..=self.delimiters]
            .iter_mut()
            .for_each(|end| *end -= next);
        self.origin += next as usize;
        self.shown = 0;
    }

    /// Finds the delimiters of the next block. Returns how many of them are newlines, the end of an
    /// unterminated last line included.
    fn tokenize(&mut self) -> usize {
        let end = self.chunk.range.end;
        let start = self.block_end;
        let offset = self.chunk.offset + (start - self.chunk.range.start) as u64;
        let length = BLOCK_BYTES - (offset % BLOCK_BYTES as u64) as usize;
        self.block_end = end.min(start + length);
        let first = start - self.origin;
        assert!(first < LINE_BYTES, "lines are shorter than 2 GiB");
        let block = Block {
            haystack: self.haystack,
            start,
            end: self.block_end,
            first: first as u32,
            delimiter: self.delimiter,
            ahead: self.ahead,
        };

        // One position for each byte: all may be delimiters. Noise may follow.
        let ends = &mut self.positions.ends;
        let room = 1 + self.delimiters + BLOCK_BYTES + GROUP_BYTES;
        if ends.len() < room {
            ends.resize(room, 0);
        }
        let room = &mut ends[1 + self.delimiters..];
        let mut newlines = match self.tokens {
            Tokens::Delimiters => {
                let found = self.simd.delimiters(block, room);
                self.delimiters += found.all;
                found.newlines
            }
            Tokens::Newlines => {
                let found = self.simd.newlines(block, room);
                self.delimiters += found;
                found
            }
        };
        if self.block_end == end && !self.has_newline_at_end {
            // An unterminated line ends where its newline would be.
            self.delimiters += 1;
            ends[self.delimiters] = (end - self.origin) as u32;
            newlines += 1;
        }
        newlines
    }

    /// Finds out which delimiters end lines, given the number of newlines. None if no line ends; that
    /// takes a file that changes meanwhile.
    fn lines(&mut self, newlines: usize) -> Option<Shape> {
        if self.tokens == Tokens::Newlines {
            return Some(Shape::Regular {
                lines: newlines,
                step: 1,
            });
        }
        let bytes = &self.haystack[self.origin..];
        let ends = &self.positions.ends[..=self.delimiters];
        let is_newline = |end: &u32| bytes.get(*end as usize).is_none_or(|&b| b == b'\n');
        let width = self.width;
        let rows = ends[1..].chunks_exact(width).take(newlines);
        if rows.filter(|row| is_newline(&row[width - 1])).count() == newlines {
            return Some(Shape::Regular {
                lines: newlines,
                step: width,
            });
        }
        let listed = &mut self.positions.listed;
        for jump in [width, 1] {
            listed.clear();
            listed.push(0);
            let mut start = 0;
            let length_from = |start: usize| match ends.get(start + jump) {
                Some(end) if is_newline(end) => Some(jump),
                _ => ends[start + 1..].iter().position(is_newline).map(|n| n + 1),
            };
            while let Some(length) = length_from(start) {
                start += length;
                listed.push(start as u32);
            }
            if listed.len() == newlines + 1 {
                break;
            }
        }
        (listed.len() > 1).then_some(Shape::Listed)
    }
}

/// How the lines of a block are known.
enum Shape {
    /// Each has the same number of delimiters.
    Regular { lines: usize, step: usize },
    /// By a list.
    Listed,
}
