//! The lines of a block, and the walk over them.

use super::BLOCK_BYTES;
use super::columns::Span;
use super::simd::{Kernel, Level, PREFETCHED_BYTES, Simd, WINDOW_BYTES};

/// The position before the first byte of the first line.
pub(super) const BEFORE_FIRST: u32 = u32::MAX;

/// No [`Rows`] look further than this, so that [`Span::ABSENT`] lies outside of all of them.
pub(super) const BYTES_MAX: usize = u32::MAX as usize - 1;

/// The lines of a block that pass the filter, each with the columns that the fold named.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(super) simd: Simd,
    pub(super) width: usize,
    /// The haystack from the first of the block's lines on.
    pub(super) bytes: &'a [u8],
    /// The end of the block in `bytes`.
    pub(super) block_end: usize,
    /// For each line, the position of the byte before it, and of its newline.
    pub(super) before: &'a [u32],
    pub(super) ends: &'a [u32],
    /// The number of each line in the block, if some lines were dropped.
    pub(super) numbers: Option<&'a [u32]>,
    pub(super) columns: usize,
    /// The columns of the first line, then the columns of the second, and so on.
    pub(super) spans: &'a [Span],
    /// The place of `bytes` in the input.
    pub(super) offset: u64,
    /// The number of lines of the chunk before the block.
    pub(super) lines_before: u64,
}

impl<'a> Rows<'a> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Says whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of columns that a row has by its schema.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the rows, in the order of the input.
    pub fn iter(&self) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let rows = *self;
        (0..rows.len()).map(move |nth| rows.row(nth))
    }

    /// Returns the `nth` row.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub fn row(&self, nth: usize) -> Row<'a> {
        let start = self.before[nth].wrapping_add(1);
        let first = nth * self.columns;
        let number = self
            .numbers
            .map_or(nth as u64, |numbers| u64::from(numbers[nth]));
        Row {
            line: Line {
                bytes: self.bytes,
                start,
                length: self.ends[nth] - start,
            },
            spans: &self.spans[first..first + self.columns],
            byte: self.offset + u64::from(start),
            number: self.lines_before + number,
        }
    }

    /// Shows every line to `visitor`, in order, and prefetches the next block meanwhile.
    pub(crate) fn each_line<V: LineVisitor>(&self, visitor: V) {
        self.simd.dispatch(EachLine {
            rows: self,
            visitor,
        });
    }
}

/// A line, and the columns that the fold named.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    line: Line<'a>,
    spans: &'a [Span],
    byte: u64,
    number: u64,
}

impl<'a> Row<'a> {
    /// Returns the `nth` of the columns that the fold named, if the line has it. A blank line has no
    /// columns.
    ///
    /// # Panics
    /// If the fold named fewer columns.
    #[inline]
    pub fn column(&self, nth: usize) -> Option<&'a [u8]> {
        self.spans[nth].of(self.line.rest())
    }

    /// Returns the whole line, without its line end.
    #[inline]
    pub fn line(&self) -> &'a [u8] {
        self.line.bytes()
    }

    /// Returns the place of the line in the input, in bytes.
    pub fn byte(&self) -> u64 {
        self.byte
    }

    /// Returns the number of lines before this one in its chunk, dropped ones included.
    pub(crate) fn number_in_chunk(&self) -> u64 {
        self.number
    }
}

/// A line, and the bytes after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The haystack from the first line of the block on.
    bytes: &'a [u8],
    start: u32,
    /// The number of bytes, without the newline.
    length: u32,
}

impl<'a> Line<'a> {
    /// Returns the number of bytes of the line, without its newline.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.length as usize
    }

    /// Returns the line, without its newline, and without one carriage return before that.
    #[inline(always)]
    pub(crate) fn bytes(self) -> &'a [u8] {
        let line = &self.rest()[..self.len()];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Returns the bytes from the beginning of the line to the end of the haystack.
    #[inline(always)]
    pub(super) fn rest(self) -> &'a [u8] {
        &self.bytes[self.start as usize..]
    }

    /// Returns the head of the line, if it lies in the haystack, as all but the last few do.
    #[inline(always)]
    pub(super) fn head(self) -> Option<&'a Head> {
        head(self.bytes, self.start)
    }
}

/// The bytes from the beginning of a line in which windows need no comparison with the haystack's
/// length. Those after the line can be anything.
pub(crate) type Head = [u8; HEAD_BYTES];

/// The number of bytes of a head: 20 windows. A row has 180 bytes, and six windows locate any one
/// of its columns.
pub(crate) const HEAD_BYTES: usize = 20 * WINDOW_BYTES;

/// Returns the head of the line that begins at `start`, if it lies in `bytes`.
#[inline(always)]
fn head(bytes: &[u8], start: u32) -> Option<&Head> {
    // One comparison less than `chunk_at`.
    let start = start as usize;
    bytes.get(start..start + HEAD_BYTES)?.first_chunk()
}

/// Returns the `N` items from `start` on, if they exist.
#[inline(always)]
pub(crate) fn chunk_at<T, const N: usize>(items: &[T], start: usize) -> Option<&[T; N]> {
    items.get(start..)?.first_chunk()
}

/// Receives the lines of a block.
///
/// A trait, because a closure cannot be `#[inline(always)]`, and only inlined code can use the level's
/// instructions. With a closure, the report took 1.45 times the instructions.
pub(crate) trait LineVisitor {
    /// Looks at the next line, with `pipes` in the first window of its head. Implementations are
    /// `#[inline(always)]`.
    fn line<L: Level>(&mut self, level: L, line: Line<'_>, pipes: u64);
}

/// The number of lines in a batch.
///
/// The processor overlaps the work on lines that are at most some 350 instructions apart. Locating
/// a line's columns and then reading them is a chain of dependent loads and comparisons. In two
/// passes over a few lines each chain is shorter, and more of them overlap. One pass has 7
/// instructions less a line, but from the second-level cache the report takes 1.15 of the time.
const BATCH_LINES: usize = 16;

/// The places in the next block to prefetch: for each line of a batch three cache lines, in four
/// pages in turn.
///
/// The processor prefetches within each page under read. Four pages keep more requests under way than
/// one. The report takes 0.95 of the time.
///
/// Short lines prefetch the same bytes again, never later blocks. The last third of the table does
/// so in any case; it fills the last batch.
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

/// Shows lines to a visitor.
struct EachLine<'a, V> {
    rows: &'a Rows<'a>,
    visitor: V,
}

impl<V: LineVisitor> Kernel for EachLine<'_, V> {
    type Output = ();

    /// Look at the assembly of the two loops over a batch. Each window and byte takes one comparison,
    /// and its mask moves to a general register once. Each line and pass takes one comparison with
    /// the haystack's length. Only cold calls remain. A line of the report takes some 170
    /// instructions.
    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let EachLine { rows, mut visitor } = self;
        let before = rows.before.chunks(BATCH_LINES);
        let batches = before.zip(rows.ends.chunks(BATCH_LINES));
        for ((before, ends), ahead) in batches.zip(PREFETCHED.iter().cycle()) {
            let mut first_pipes = [0; BATCH_LINES];
            for (&before, pipes) in before.iter().zip(&mut first_pipes) {
                let head = head(rows.bytes, before.wrapping_add(1));
                *pipes = head.map_or(0, |head| level.eq(&head.as_chunks().0[0], b'|'));
            }
            let lines = before.iter().zip(ends).zip(&first_pipes);
            for (((&before, &end), &pipes), &ahead) in lines.zip(ahead) {
                level.prefetch_line(rows.bytes, rows.block_end + usize::from(ahead));
                let start = before.wrapping_add(1);
                let line = Line {
                    bytes: rows.bytes,
                    start,
                    length: end - start,
                };
                visitor.line(level, line, pipes);
            }
        }
    }
}
