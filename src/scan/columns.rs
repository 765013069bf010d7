//! The columns that a fold asks for, and where in a line they are.
//!
//! Columns are asked for, not split out. Column `c`, counted from zero, lies between the pipes `c -
//! 1` and `c` of its line, so two columns cost four pipes; the rest of the line is not looked at. A
//! `Pipes` cursor takes the line in windows of 64 bytes, one comparison each, and selects the
//! wanted bits from the window's mask. In 91 of 100 lines of the contributions' file the first
//! eight columns end within the first window.

use std::ops::Range;

use super::simd::{Level, WINDOW_BYTES, Window};
use super::without_carriage_return;

/// Where in a haystack a column begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte of the column.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

impl Span {
    /// The span of a column that the line does not have: no haystack has these bytes.
    pub const ABSENT: Span = Span {
        start: usize::MAX,
        end: usize::MAX,
    };
}

/// A choice of columns.
pub trait Columns: Sync {
    /// One span for each column of the choice.
    type Spans: AsRef<[Span]>;

    /// Where the columns lie that `line` has. `line` is without its newline, and lies in
    /// `haystack`.
    fn locate<L: Level>(&self, level: L, haystack: &[u8], line: Range<usize>) -> Self::Spans;
}

/// Columns counted from zero, fixed in number where the fold is written. Ascending order costs
/// least.
///
/// ```
/// use fecscan::scan::columns::{Columns, Span};
/// use fecscan::scan::simd::Portable;
/// let spans = [2, 0].locate(Portable, b"ab|c|def\r\n", 0..9);
/// assert_eq!(spans, [Span { start: 5, end: 8 }, Span { start: 0, end: 2 }]);
/// assert_eq!([3].locate(Portable, b"ab|c|def\r\n", 0..9), [Span::ABSENT]);
/// ```
impl<const N: usize> Columns for [usize; N] {
    type Spans = [Span; N];

    #[inline(always)]
    fn locate<L: Level>(&self, level: L, haystack: &[u8], line: Range<usize>) -> [Span; N] {
        let last = self.iter().copied().max().unwrap_or(0);
        let window = pipes_in_window(level, haystack, line.start, line.end);
        if window.count_ones() as usize <= last {
            return locate_far(self, level, haystack, line);
        }
        // The window has every pipe that is asked for.
        let pipe = |nth: usize| line.start + level.select(window, nth as u32) as usize;
        let mut spans = [Span::ABSENT; N];
        for (span, &column) in spans.iter_mut().zip(self) {
            let start = if column == 0 {
                line.start
            } else {
                pipe(column - 1) + 1
            };
            *span = Span {
                start,
                end: pipe(column),
            };
        }
        spans
    }
}

/// The same for columns that may reach beyond the first window, or that the line may not have.
#[inline(always)]
fn locate_far<L: Level, const N: usize>(
    columns: &[usize; N],
    level: L,
    haystack: &[u8],
    line: Range<usize>,
) -> [Span; N] {
    let mut pipes = Pipes::of(level, haystack, line.clone());
    let mut spans = [Span::ABSENT; N];
    for (span, &column) in spans.iter_mut().zip(columns) {
        let start = match column.checked_sub(1) {
            None => line.start,
            Some(before) => match pipes.nth(before) {
                None => continue,
                Some(pipe) => pipe + 1,
            },
        };
        *span = match pipes.nth(column) {
            Some(end) => Span { start, end },
            None => last_column(haystack, &line, start),
        };
    }
    spans
}

/// The span of the column that begins at `start` and ends with the line. A blank line has no
/// columns.
#[cold]
fn last_column(haystack: &[u8], line: &Range<usize>, start: usize) -> Span {
    let end = line.start + without_carriage_return(&haystack[line.clone()]).len();
    if end == line.start {
        Span::ABSENT
    } else {
        Span { start, end }
    }
}

/// A cursor over the pipes of a line.
struct Pipes<'a, L> {
    level: L,
    haystack: &'a [u8],
    line: Range<usize>,
    /// Where the current window begins.
    window_start: usize,
    /// The pipes of the line in the current window.
    mask: u64,
    /// The number of pipes before the current window.
    before: usize,
}

impl<'a, L: Level> Pipes<'a, L> {
    #[inline(always)]
    fn of(level: L, haystack: &'a [u8], line: Range<usize>) -> Pipes<'a, L> {
        let window_start = line.start;
        let mask = pipes_in_window(level, haystack, window_start, line.end);
        Pipes {
            level,
            haystack,
            line,
            window_start,
            mask,
            before: 0,
        }
    }

    /// Where the pipe is that `nth` others precede; none if the line has no such pipe.
    #[inline(always)]
    fn nth(&mut self, nth: usize) -> Option<usize> {
        if nth < self.before {
            *self = Pipes::of(self.level, self.haystack, self.line.clone());
        }
        while nth >= self.before + self.mask.count_ones() as usize {
            if self.line.end - self.window_start <= WINDOW_BYTES {
                return None;
            }
            self.before += self.mask.count_ones() as usize;
            self.window_start += WINDOW_BYTES;
            self.mask =
                pipes_in_window(self.level, self.haystack, self.window_start, self.line.end);
        }
        Some(self.window_start + self.level.select(self.mask, (nth - self.before) as u32) as usize)
    }
}

/// A bit for each pipe in the 64 bytes of `haystack` from `start`, as far as they lie before `end`.
#[inline(always)]
fn pipes_in_window<L: Level>(level: L, haystack: &[u8], start: usize, end: usize) -> u64 {
    let mask = match haystack.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(window) => level.eq(window, b'|'),
        None => level.eq(&padded(haystack.get(start..).unwrap_or_default()), b'|'),
    };
    let bytes = end - start;
    if bytes < WINDOW_BYTES {
        mask & !(u64::MAX << bytes)
    } else {
        mask
    }
}

/// A window of the fewer than 64 bytes that are left of a haystack.
#[cold]
fn padded(rest: &[u8]) -> Window {
    let mut window = [0; WINDOW_BYTES];
    window[..rest.len()].copy_from_slice(rest);
    window
}
