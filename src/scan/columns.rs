//! Where in a line the wanted columns are.
//!
//! Column `c`, counted from zero, lies between the pipes `c - 1` and `c` of its line. The window of
//! 64 bytes at the beginning of a line holds all seven codes of a row. After them a window begins
//! at every fourth column, as far as columns are wanted. The columns between lie in that window or
//! in the next 64 bytes. Pipes are selected from the masks. The rest of the line is never read.
//!
//! Windows begin where columns do, so one window nearly always suffices, and the processor need not
//! guess how many it takes. With windows at fixed places, one line in four has its NAME in a second
//! window, which cost a third of the report's time.
//!
//! Windows do not pay for most columns of a line, columns out of order, or the schema's last column.
//! Then all pipes up to the last wanted column are found instead. Lines that windows fail on take the
//! same way.

use std::slice::ChunksExactMut;

use super::rows::{BEFORE_FIRST, Head, Line, LineVisitor, Rows, chunk_at};
use super::simd::{Kernel, Level, WINDOW_BYTES, Window};

/// Where in a line a column begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first byte of the column.
    pub(crate) start: u32,
    /// The byte after its last.
    pub(crate) end: u32,
}

impl Span {
    /// The span of a column that the line does not have. No haystack reaches it.
    pub(crate) const ABSENT: Span = Span {
        start: u32::MAX,
        end: u32::MAX,
    };

    #[inline(always)]
    fn new(start: usize, end: usize) -> Span {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// Returns the number of bytes of the column.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns the column, if it lies in `bytes`, which begin with its line.
    #[inline(always)]
    pub(crate) fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        bytes.get(self.start as usize..self.end as usize)
    }
}

impl<'a> Rows<'a> {
    /// Returns the rows with `columns` located. Their `spans` are stored line by line.
    pub(super) fn located<'s>(&self, columns: &[usize], spans: &'s mut Vec<Span>) -> Rows<'s>
    where
        'a: 's,
    {
        spans.resize(self.len() * columns.len(), Span::ABSENT);
        if let Some(last) = columns.iter().max() {
            let most = *last >= CODES && columns.len() > last.div_ceil(2);
            // The last column has no pipe after it.
            let is_last = last.saturating_add(1) >= self.width;
            self.each_line(StoreSpans {
                columns,
                by_windows: !most && !is_last && columns.is_sorted(),
                last: *last,
                spans: spans.chunks_exact_mut(columns.len()),
                ends: &mut Vec::new(),
            });
        }
        Rows {
            columns: columns.len(),
            spans,
            ..*self
        }
    }
}

/// Locates the columns of one line after the other.
struct StoreSpans<'a> {
    columns: &'a [usize],
    /// Whether windows are tried first.
    by_windows: bool,
    /// The highest of the columns.
    last: usize,
    /// The spans of this line and of those after it.
    spans: ChunksExactMut<'a, Span>,
    /// Memory for the ends of the columns of a line, after an entry for the byte before the line.
    ends: &'a mut Vec<u32>,
}

impl LineVisitor for StoreSpans<'_> {
    #[inline(always)]
    fn line<L: Level>(&mut self, level: L, line: Line<'_>, pipes: u64) {
        let Some(spans) = self.spans.next() else {
            return;
        };
        let mut locate = || {
            let mut windows = Windows::first(level, line, pipes)?;
            for (span, &column) in spans.iter_mut().zip(self.columns) {
                *span = windows.locate(column)?;
            }
            windows.end_in(line).then_some(())
        };
        if !self.by_windows || locate().is_none() {
            level.run(AllPipes {
                columns: self.columns,
                last: self.last,
                line,
                spans,
                ends: self.ends,
            });
        }
    }
}

/// Locates columns, in any order, in a line of any shape. A blank line has none.
///
/// A call, to keep it out of the registers of the loop over lines.
struct AllPipes<'a> {
    columns: &'a [usize],
    last: usize,
    line: Line<'a>,
    spans: &'a mut [Span],
    ends: &'a mut Vec<u32>,
}

impl Kernel for AllPipes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let AllPipes {
            columns,
            last,
            line,
            spans,
            ends,
        } = self;
        let bytes = line.bytes();
        if bytes.is_empty() {
            return spans.fill(Span::ABSENT);
        }
        // The number of pipes. Entries after their ends are noise.
        let mut found = 0;
        let mut start = 0;
        while start < line.len() && found <= last {
            if ends.len() < found + 2 + WINDOW_BYTES {
                ends.resize(2 * (found + 2 + WINDOW_BYTES), BEFORE_FIRST);
            }
            let mut pipes = match chunk_at(line.rest(), start) {
                Some(window) => level.eq(window, b'|'),
                None => level.eq(&padded(&line.rest()[start..]), b'|'),
            };
            let left = line.len() - start;
            if left < WINDOW_BYTES {
                pipes &= !(u64::MAX << left);
            }
            let count = pipes.count_ones() as usize;
            let mut take_first = || {
                let place = start as u32 + pipes.trailing_zeros();
                pipes &= pipes.wrapping_sub(1);
                place
            };
            let (first, rest) = ends[found + 1..].split_at_mut(PIPES_TOGETHER);
            first.fill_with(&mut take_first);
            if let Some(more) = count.checked_sub(PIPES_TOGETHER) {
                rest[..more].fill_with(&mut take_first);
            }
            found += count;
            start += WINDOW_BYTES;
        }
        ends[found + 1] = bytes.len() as u32;
        for (span, &column) in spans.iter_mut().zip(columns) {
            *span = match chunk_at(&ends[..found + 2], column) {
                Some(&[before, end]) => Span {
                    start: before.wrapping_add(1),
                    end,
                },
                None => Span::ABSENT,
            };
        }
    }
}

/// Locates ascending columns of a line: the leading codes in the first window, the others in windows
/// that begin every few columns. Fails if columns are long, or near the end of the haystack.
///
/// It has hardly a branch that one line takes and the next does not. With one call for each constant
/// column, the compiler keeps only the code of that column. In a loop over two constants it did not, and
/// the report by TRANSACTION_DT took 1.4 times the instructions.
pub(crate) struct Windows<'a, L> {
    level: L,
    /// The head of the line, in which all windows lie.
    pub(crate) head: &'a Head,
    /// The column with which the window begins: the first, or one after the codes.
    column: usize,
    /// The first byte of the window.
    start: usize,
    /// The pipes in the window.
    pipes: u64,
    /// The place of the pipe after the last column that was located.
    end: usize,
}

impl<'a, L: Level> Windows<'a, L> {
    /// Returns the first window of `line`, which has these `pipes`.
    #[inline(always)]
    pub(crate) fn first(level: L, line: Line<'a>, pipes: u64) -> Option<Windows<'a, L>> {
        Some(Windows {
            level,
            head: line.head()?,
            column: 0,
            start: 0,
            pipes,
            end: 0,
        })
    }

    /// Locates `column`, which is not before any located already. Spans are valid if
    /// [`Windows::end_in`] says so.
    #[inline(always)]
    pub(crate) fn locate(&mut self, column: usize) -> Option<Span> {
        if column < CODES {
            let code = |nth: usize| self.level.select(self.pipes, nth as u32) as usize;
            // With fewer pipes in the window, the place is beyond it, and fails the check at the end.
            self.end = code(column);
            let start = column.checked_sub(1).map_or(0, |before| code(before) + 1);
            return Some(Span::new(start, self.end));
        }
        if self.column == 0 {
            let last_code = place_of(self.level, self.pipes, CODES - 1)?;
            self.go_on(CODES, last_code + 1)?;
        }
        while column - self.column >= HOP {
            self.go_on(HOP, self.nth(HOP - 1)? + 1)?;
        }
        let start;
        if column == self.column {
            // In its window or not at all. A known maximum of 64 bytes saves later checks.
            start = self.start;
            self.end = start + place_of(self.level, self.pipes, 0)?;
        } else {
            start = self.nth(column - self.column - 1)? + 1;
            self.end = self.nth(column - self.column)?;
        }
        Some(Span::new(start, self.end))
    }

    /// Says whether all columns located are columns of `line`. Pipes ascend: if the last one is in the
    /// line, all are.
    #[inline(always)]
    pub(crate) fn end_in(&self, line: Line<'_>) -> bool {
        (self.column > 0 || self.end < WINDOW_BYTES) && self.end < line.len()
    }

    /// Goes on to the window that begins at `start`, `columns` further.
    #[inline(always)]
    fn go_on(&mut self, columns: usize, start: usize) -> Option<()> {
        self.pipes = self.level.eq(chunk_at(self.head, start)?, b'|');
        self.start = start;
        self.column += columns;
        Some(())
    }

    /// Returns the place of the pipe after `nth` others, if it is in this window or the next.
    #[inline(always)]
    fn nth(&self, nth: usize) -> Option<usize> {
        if let Some(place) = place_of(self.level, self.pipes, nth) {
            return Some(self.start + place);
        }
        let next = self.start + WINDOW_BYTES;
        let pipes = self.level.eq(chunk_at(self.head, next)?, b'|');
        let nth = nth - self.pipes.count_ones() as usize;
        Some(next + place_of(self.level, pipes, nth)?)
    }
}

/// The number of pipes of a window that are stored without a branch on how many it has.
const PIPES_TOGETHER: usize = 10;

/// The number of columns located in one window. Four mostly have less than 64 bytes.
const HOP: usize = 4;

/// The number of leading columns with codes instead of text. In the files of contributions, the codes
/// before NAME have 42 bytes at most, and 7 pipes.
const CODES: usize = 7;

/// Returns the place of the bit of `mask` after `nth` lower ones.
#[inline(always)]
fn place_of<L: Level>(level: L, mask: u64, nth: usize) -> Option<usize> {
    let place = match nth {
        0 => mask.trailing_zeros(),
        1..WINDOW_BYTES => level.select(mask, nth as u32),
        _ => return None,
    };
    (place < u64::BITS).then_some(place as usize)
}

/// Returns a window of the last bytes of a haystack, fewer than 64.
#[cold]
fn padded(rest: &[u8]) -> Window {
    let mut window = [0; WINDOW_BYTES];
    window[..rest.len()].copy_from_slice(rest);
    window
}
