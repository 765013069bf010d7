//! The columns that a fold asks for, and where in a line they are.
//!
//! Columns are asked for, not split out. Column `c`, counted from zero, lies between the pipes `c -
//! 1` and `c` of its line. A window of 64 bytes is compared with the pipe where the line begins, and
//! one more where each of the wanted columns does; the pipes are selected from the masks. The rest
//! of the line is not looked at.
//!
//! Because windows begin where columns do, one window nearly always has all that is between two of
//! them, and the processor need not guess how many it will take: IMAGE_NUM begins in the first 64
//! bytes of a line, and NAME ends in the 64 bytes behind that.

use std::ops::Range;

use super::simd::{Kernel, Level, WINDOW_BYTES, Window};
use super::{window, without_carriage_return};

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

impl Span {
    /// The number of bytes of the column.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the column has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
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
        match locate_near(self, level, haystack, line.clone()) {
            Some(spans) => spans,
            None => level.outlined(LocateFar {
                columns: self,
                haystack,
                line,
            }),
        }
    }
}

/// Locates ascending columns of which each begins and ends in the window that begins where the one
/// before it does. Such are most columns that are asked for of most lines.
///
/// There is no branch in it that one line takes and the next does not.
#[inline(always)]
fn locate_near<L: Level, const N: usize>(
    columns: &[usize; N],
    level: L,
    haystack: &[u8],
    line: Range<usize>,
) -> Option<[Span; N]> {
    let pipes_from = |start: usize| Some(level.eq(window(haystack, start)?, b'|'));
    let mut spans = [Span::ABSENT; N];
    let (mut column, mut start) = (0, line.start);
    let mut pipes = pipes_from(start)?;
    for (span, &wanted) in spans.iter_mut().zip(columns) {
        if wanted > column {
            start += place_of(level, pipes, wanted - column - 1)? + 1;
            pipes = pipes_from(start)?;
        } else if wanted < column {
            return None;
        }
        column = wanted;
        let end = start + pipes.trailing_zeros() as usize;
        *span = Span { start, end };
    }
    // Pipes ascend: if the last one is in its window, and in the line, all are.
    let last_end = spans.last().map_or(line.start, |last| last.end);
    (pipes != 0 && last_end < line.end).then_some(spans)
}

/// The place of the bit of `mask` that `nth` lower ones precede.
#[inline(always)]
fn place_of<L: Level>(level: L, mask: u64, nth: usize) -> Option<usize> {
    let place = match nth {
        0 => mask.trailing_zeros(),
        1..WINDOW_BYTES => level.select(mask, nth as u32),
        _ => return None,
    };
    (place < u64::BITS).then_some(place as usize)
}

/// Locates columns however long they are, in any order, and tells which the line does not have.
struct LocateFar<'a, const N: usize> {
    columns: &'a [usize; N],
    haystack: &'a [u8],
    line: Range<usize>,
}

impl<const N: usize> Kernel for LocateFar<'_, N> {
    type Output = [Span; N];

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> [Span; N] {
        let LocateFar {
            columns,
            haystack,
            line,
        } = self;
        let from = |start| Pipes::from(level, haystack, start);
        let mut spans = [Span::ABSENT; N];
        let (mut column, mut pipes) = (0, from(line.start));
        for (span, &wanted) in spans.iter_mut().zip(columns) {
            if wanted < column {
                (column, pipes) = (0, from(line.start));
            }
            if wanted > column {
                let Some(before) = pipes.nth(wanted - column - 1, line.end) else {
                    continue;
                };
                (column, pipes) = (wanted, from(before + 1));
            }
            *span = match pipes.nth(0, line.end) {
                Some(end) => Span {
                    start: pipes.start,
                    end,
                },
                None => last_column(haystack, &line, pipes.start),
            };
        }
        spans
    }
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

/// The pipes from a place on: at first those in the window that begins there.
#[derive(Clone, Copy)]
struct Pipes<'a, L> {
    level: L,
    haystack: &'a [u8],
    start: usize,
    mask: u64,
}

impl<'a, L: Level> Pipes<'a, L> {
    #[inline(always)]
    fn from(level: L, haystack: &'a [u8], start: usize) -> Pipes<'a, L> {
        let mask = match window(haystack, start) {
            Some(window) => level.eq(window, b'|'),
            None => level.eq(&padded(haystack.get(start..).unwrap_or_default()), b'|'),
        };
        Pipes {
            level,
            haystack,
            start,
            mask,
        }
    }

    /// Where the pipe is that `nth` others precede; none if it would not be before `end`.
    #[inline(always)]
    fn nth(mut self, mut nth: usize, end: usize) -> Option<usize> {
        while self.start < end {
            if let Some(place) = place_of(self.level, self.mask, nth) {
                return Some(self.start + place).filter(|&pipe| pipe < end);
            }
            nth -= self.mask.count_ones() as usize;
            self = Pipes::from(self.level, self.haystack, self.start + WINDOW_BYTES);
        }
        None
    }
}

/// A window of the fewer than 64 bytes that are left of a haystack.
#[cold]
fn padded(rest: &[u8]) -> Window {
    let mut window = [0; WINDOW_BYTES];
    window[..rest.len()].copy_from_slice(rest);
    window
}
