//! Bytes to lines to columns.
//!
//! A [`Chunk`] is what a worker gets: whole lines in a haystack that may go on behind them.
//! [`records`] walks its lines and hands each to the fold as a [`Record`], with the [`columns`]
//! that the fold asked for; [`count_newlines`] is for those that ask for nothing else. Both are
//! written once over a [`simd::Level`], a value which proves that the processor can do what the
//! level needs.
//!
//! # How lines are found
//!
//! ```text
//! for each block of the chunk, small enough to stay in the first-level cache:
//!     newlines:  for each window of 64 bytes: compare, take the mask, write down the position of each bit
//!     for each batch of positions:
//!         pipes:     a line ends here, the next begins behind it
//!                    compare its first 64 bytes with `|`, write down the mask
//!         records:   select the bits that bound the wanted columns, further on with more windows
//!                    show the line and its columns to the fold
//! ```
//!
//! Three stages, so that the lines of a block do not wait for each other: where the next line begins
//! is known before this one has been looked at, and the processor overlaps the work on several.
//! Nothing is carried from one line to the next except where it begins.
//!
//! The first stage would wait for memory and the others leave memory idle. So while the lines of a
//! block are shown, the next block is asked for: with that, the report takes 0.71 of the time.
//!
//! All of this is safe code. A mapped file can change while it is scanned; then positions that were
//! newlines may be so no longer, columns come out as other bytes, and that is all that happens.

pub mod columns;
mod record;
pub mod simd;

use std::ops::Range;

use self::columns::Columns;
use self::record::Place;
pub use self::record::{HEAD_BYTES, Head, Line, NearLine, Record, without_carriage_return};
use self::simd::{Kernel, Level, PREFETCHED_BYTES, WINDOW_BYTES};

/// The number of bytes whose newlines are found before their lines are looked at.
///
/// With prefetching, the report took 1.03 of its time with 64 KiB at 128 KiB, 1.09 at 256 KiB, 0.95
/// at 32 KiB and 0.91 at 16 KiB: small enough for the block and its prefetched successor to stay in
/// the first-level cache.
///
/// Blocks begin at multiples of this in the input, but for the first of a chunk. So in a file
/// that is mapped from its beginning, pages and cache lines begin where blocks do.
pub const BLOCK_BYTES: usize = 16 * 1024;

/// Whole lines to scan: the bytes of `haystack` in `range`.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// The bytes around the lines. Those behind `range` are no part of the lines, but a window may
    /// cover them: with at least [`HEAD_BYTES`] more, the last lines cost no more than the others.
    pub haystack: &'a [u8],
    /// Where in the haystack the lines lie. It ends behind a newline, or at the end of the input.
    pub range: Range<usize>,
    /// How many bytes of the input come before `range`.
    pub offset: u64,
}

impl<'a> Chunk<'a> {
    /// A chunk of all of `bytes`, at the beginning of an input.
    pub fn whole(bytes: &'a [u8]) -> Chunk<'a> {
        Chunk {
            haystack: bytes,
            range: 0..bytes.len(),
            offset: 0,
        }
    }

    /// The bytes of the lines.
    pub fn bytes(&self) -> &'a [u8] {
        &self.haystack[self.range.clone()]
    }
}

/// What a worker needs to scan, kept from one chunk to the next.
pub struct Scratch {
    newlines: Box<[u32]>,
    block_lines: Vec<u16>,
}

impl Scratch {
    /// For each block of [`BLOCK_BYTES`] of the chunk that [`records`] has scanned last, how many
    /// lines end in it.
    pub fn block_lines(&self) -> &[u16] {
        &self.block_lines
    }

    /// Makes room for another chunk.
    pub fn clear(&mut self) {
        self.block_lines.clear();
    }
}

impl Default for Scratch {
    fn default() -> Scratch {
        // One position for each byte, in case that all are newlines, and some that are written before
        // it is known that they count.
        Scratch {
            newlines: vec![0; BLOCK_BYTES + WINDOW_BYTES].into_boxed_slice(),
            block_lines: Vec::new(),
        }
    }
}

/// Who is shown the records of a chunk.
///
/// A trait and not a closure, because a closure can't be made `#[inline(always)]`, and what is not
/// inlined can't use the level's instructions: as a closure, the report took 1.45 times as many.
pub trait Visitor<S> {
    /// Looks at the next record. Implementations are `#[inline(always)]`.
    fn record<L: Level>(&mut self, level: L, record: Record<'_, S>);
}

/// Shows every line of `chunk` to `visitor`, in order, with the `columns` asked for. The answer is
/// the number of lines; an unterminated last one counts.
///
/// In the assembly of the two loops over a batch, look for: one comparison for each window and byte
/// that is looked for, its mask moved to a general register once; one look at the length of the
/// haystack for each line and pass, none for windows, columns and names in its head; of what is located, nothing
/// written down but the pipes of the first pass; no calls but cold ones (unusual lines, names that are not in their first
/// group); and the few values that are kept in memory instead of a register, which are only read.
/// There are more of them than registers. The report's line is some 170 instructions in all.
///
/// # Panics
/// If a line has 2 GiB or more. The engine refuses much shorter ones.
#[inline(always)]
pub fn records<L: Level, C: Columns>(
    level: L,
    chunk: &Chunk<'_>,
    columns: &C,
    scratch: &mut Scratch,
    visitor: &mut impl Visitor<C::Spans>,
) -> u64 {
    const { assert!(BLOCK_BYTES < u16::MAX as usize) };
    scratch.clear();
    let end = chunk.range.end;
    // Behind a line is a newline, or nothing.
    let haystack = match chunk.bytes().ends_with(b"\n") {
        true => chunk.haystack,
        false => &chunk.haystack[..end],
    };
    let mut lines = 0;
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
        let mut found = level.newlines(bytes, before as u32, &mut scratch.newlines);
        block_end += bytes.len();
        if block_end == end && !bytes.ends_with(b"\n") {
            // The end of an unterminated line is where its newline would be.
            scratch.newlines[found] = (block_end - origin) as u32;
            found += 1;
        }
        let mut block = Block {
            haystack,
            origin,
            from_origin: &haystack[origin..],
            end: block_end,
            next_line: 0,
        };
        let batches = scratch.newlines[..found].chunks(BATCH_LINES);
        for (newlines, ahead) in batches.zip(PREFETCHED.iter().cycle()) {
            block.show_batch(level, newlines, ahead, columns, visitor);
        }
        line_start = origin + block.next_line as usize;
        scratch.block_lines.push(found as u16);
        lines += found as u64;
    }
    lines
}

/// A block whose newlines have been found, and how far its lines have been shown.
///
/// Positions are counted from where the first of its lines begins. In numbers of 32 bits, so that to add a
/// head's length can't overflow, which would cost a check more for each line.
struct Block<'a> {
    haystack: &'a [u8],
    /// Where in the haystack its first line begins, perhaps in an earlier block.
    origin: usize,
    from_origin: &'a [u8],
    /// Where in the haystack the block ends.
    end: usize,
    /// The position of the first line not yet shown.
    next_line: u32,
}

impl Block<'_> {
    /// Shows the lines that end at `newlines`, and asks for what is `ahead` of each.
    #[inline(always)]
    fn show_batch<L: Level, C: Columns>(
        &mut self,
        level: L,
        newlines: &[u32],
        ahead: &[u16; BATCH_LINES],
        columns: &C,
        visitor: &mut impl Visitor<C::Spans>,
    ) {
        // The pipes in the first window of each line.
        let mut first_pipes = [0; BATCH_LINES];
        let mut start = self.next_line;
        for (&newline, pipes) in newlines.iter().zip(&mut first_pipes) {
            let head = head(self.from_origin, start);
            *pipes = head.map_or(0, |head| level.eq(&head.as_chunks().0[0], b'|'));
            start = newline + 1;
        }
        let seen = newlines.iter().zip(&first_pipes);
        for ((&newline, &pipes), &ahead) in seen.zip(ahead) {
            level.prefetch_line(self.haystack, self.end + usize::from(ahead));
            let start = self.next_line;
            self.next_line = newline + 1;
            let length = (newline - start) as usize;
            let place = Place {
                haystack: self.haystack,
                start: self.origin + start as usize,
                length,
            };
            if let Some(head) = head(self.from_origin, start)
                && let Some(spans) = columns.locate_near(
                    level,
                    NearLine {
                        head,
                        pipes,
                        length,
                    },
                )
            {
                let head = Some(head);
                visitor.record(level, Record { place, head, spans });
            } else {
                level.outlined(FarRecord {
                    place,
                    columns,
                    visitor: &mut *visitor,
                });
            }
        }
    }
}

/// No line is so long.
const LINE_BYTES: usize = 1 << 31;

/// The head of the line that begins at `start`, if it lies in the haystack.
#[inline(always)]
fn head(haystack: &[u8], start: u32) -> Option<&Head> {
    let start = start as usize;
    haystack.get(start..start + HEAD_BYTES)?.first_chunk()
}

/// How many lines are looked at together.
///
/// The processor can overlap the work on lines that are at most some 350 instructions apart. To locate
/// the columns of a line and then to look at them is a chain of loads and comparisons that depend on
/// each other. In two passes over a few lines, each chain is shorter, and more of them overlap: in one
/// pass, which has 7 instructions less for each line, the report takes 1.15 of the time from the
/// second-level cache.
const BATCH_LINES: usize = 16;

/// Which bytes of the next block are asked for while the lines of this block are looked at: for each
/// line of a batch, about as many as a line has, of four pages by turns.
///
/// Page after page would do as well if the processor did not fetch ahead by itself. But it does,
/// within each page that is being read, so that four pages keep more requests under way than one: with
/// this, the report takes 0.95 of the time.
///
/// Where lines are short, the same bytes are asked for again, not those of later blocks; by the last third of
/// the table in any case, which is there because it has whole batches.
const PREFETCHED: [[u16; BATCH_LINES]; 8] = {
    const PAGES: usize = 4;
    const PAGE_BYTES: usize = 4096;
    assert!(BLOCK_BYTES == PAGES * PAGE_BYTES);
    let mut places = [[0; BATCH_LINES]; 8];
    let mut nth = 0;
    while nth < 8 * BATCH_LINES {
        let (page, turn) = (nth % PAGES, nth / PAGES);
        let place = page * PAGE_BYTES + (turn * PREFETCHED_BYTES) % PAGE_BYTES;
        places[nth / BATCH_LINES][nth % BATCH_LINES] = place as u16;
        nth += 1;
    }
    places
};

/// How many bytes of an input come before the next block, behind the first `offset`.
fn bytes_to_next_block(offset: u64) -> usize {
    BLOCK_BYTES - (offset % BLOCK_BYTES as u64) as usize
}

/// A line whose columns are not where they usually are.
struct FarRecord<'a, C, V> {
    place: Place<'a>,
    columns: &'a C,
    visitor: &'a mut V,
}

impl<C: Columns, V: Visitor<C::Spans>> Kernel for FarRecord<'_, C, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let FarRecord { place, .. } = self;
        let spans = self.columns.locate(level, place.line());
        let head = None;
        self.visitor.record(level, Record { place, head, spans });
    }
}

/// The number of newlines in `chunk`, as `wc -l` counts lines: an unterminated last line does not
/// count.
#[inline(always)]
pub fn count_newlines<L: Level>(level: L, chunk: &Chunk<'_>) -> u64 {
    level.count(chunk.bytes(), b'\n')
}

/// The number of columns of `line`: one more than it has pipes, none if it is blank.
#[inline(always)]
pub fn count_columns<L: Level>(level: L, line: &[u8]) -> u64 {
    if line.is_empty() {
        0
    } else {
        level.count(line, b'|') + 1
    }
}
