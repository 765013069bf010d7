//! The columns that a fold asks for, and where in a line they are.
//!
//! Columns are asked for, not split out. Column `c`, counted from zero, lies between the pipes `c -
//! 1` and `c` of its line. A window of 64 bytes is compared with the pipe where the line begins: it
//! has all seven codes that a row begins with. Behind them a window begins at every fourth column, as far
//! as columns are wanted, and those between are in it, or in the next 64 bytes. Pipes are selected
//! from the masks. The rest of the line is not looked at.
//!
//! Because windows begin where columns do, one window nearly always has all that is looked for, and the
//! processor need not guess how many it will take. With windows at fixed places, one
//! line in four has its NAME beyond the first, which cost a third of the report's time.
//!
//! Where most columns of a line are wanted, all of its pipes are found instead.

use super::simd::{Level, WINDOW_BYTES, Window};
use super::{Head, Line, NearLine, without_carriage_return};

/// Where in a line a column begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte of the column.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

impl Span {
    /// The span of a column that the line does not have: no line has these bytes.
    pub const ABSENT: Span = Span {
        start: usize::MAX,
        end: usize::MAX,
    };

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

    /// Where the columns lie that `line` has.
    fn locate<L: Level>(&self, level: L, line: Line<'_>) -> Self::Spans;

    /// The same, if the line has all of them, and they can be found in its head without looking
    /// far. None says nothing of the line.
    fn locate_near<L: Level>(&self, level: L, line: NearLine<'_>) -> Option<Self::Spans>;
}

/// Columns counted from zero, fixed in number where the fold is written. Ascending order costs
/// least.
///
/// ```
/// use fecscan::scan::columns::{Columns, Span};
/// use fecscan::scan::{Line, simd::Portable};
/// let line = Line { rest: b"ab|c|def\r\n", length: 9 };
/// assert_eq!([2, 0].locate(Portable, line), [Span { start: 5, end: 8 }, Span { start: 0, end: 2 }]);
/// assert_eq!([3].locate(Portable, line), [Span::ABSENT]);
/// ```
impl<const N: usize> Columns for [usize; N] {
    type Spans = [Span; N];

    /// Any columns, however long they are.
    #[inline(always)]
    fn locate<L: Level>(&self, level: L, line: Line<'_>) -> [Span; N] {
        let from = |start| Pipes::from(level, line, start);
        let mut spans = [Span::ABSENT; N];
        let (mut column, mut pipes) = (0, from(0));
        for (span, &wanted) in spans.iter_mut().zip(self) {
            if wanted < column {
                (column, pipes) = (0, from(0));
            }
            if wanted > column {
                let Some(before) = pipes.nth(wanted - column - 1) else {
                    continue;
                };
                (column, pipes) = (wanted, from(before + 1));
            }
            *span = match pipes.nth(0) {
                Some(end) => Span {
                    start: pipes.start,
                    end,
                },
                None => last_column(line, pipes.start),
            };
        }
        spans
    }

    #[inline(always)]
    fn locate_near<L: Level>(&self, level: L, line: NearLine<'_>) -> Option<[Span; N]> {
        if self.len() > 2 && self.len() * 2 > self.last().map_or(0, |last| last.saturating_add(1)) {
            locate_in_all(self, level, line)
        } else {
            locate_by_windows(self, level, line)
        }
    }
}

/// Locates ascending columns: the codes that a row begins with in its first window, the others in
/// windows that begin every few columns.
///
/// There is hardly a branch in it that one line takes and the next does not.
#[inline(always)]
fn locate_by_windows<L: Level, const N: usize>(
    columns: &[usize; N],
    level: L,
    line: NearLine<'_>,
) -> Option<[Span; N]> {
    if !columns.is_sorted() {
        return None;
    }
    let codes = |nth: usize| level.select(line.pipes, nth as u32) as usize;
    // A column where a window begins, behind the codes.
    let mut base: Option<(usize, NearPipes<'_, L>)> = None;
    let mut spans = [Span::ABSENT; N];
    for (span, &wanted) in spans.iter_mut().zip(columns) {
        if wanted < CODES {
            // If the window has not so many pipes, this is beyond it, and so is what comes last.
            *span = Span {
                start: if wanted == 0 {
                    0
                } else {
                    codes(wanted - 1) + 1
                },
                end: codes(wanted),
            };
            continue;
        }
        let (mut column, mut pipes) = match base {
            Some(base) => base,
            None => {
                let last_code = Some(codes(CODES - 1)).filter(|&place| place < WINDOW_BYTES)?;
                (CODES, NearPipes::from(level, line.head, last_code + 1)?)
            }
        };
        while wanted - column >= HOP {
            pipes = NearPipes::from(level, line.head, pipes.nth(HOP - 1)? + 1)?;
            column += HOP;
        }
        *span = if wanted == column {
            // In its window or not at all: so the end is known to be within 64 bytes, which
            // saves who looks at the column a check.
            Span {
                start: pipes.start,
                end: pipes.start + place_of(level, pipes.mask, 0)?,
            }
        } else {
            Span {
                start: pipes.nth(wanted - column - 1)? + 1,
                end: pipes.nth(wanted - column)?,
            }
        };
        base = Some((column, pipes));
    }
    // Pipes ascend: if the last one is in the line, all are.
    let end = spans.last()?.end;
    let found = (base.is_some() || end < WINDOW_BYTES) && end < line.length;
    found.then_some(spans)
}

/// The pipes of a line in the window of its head that begins at `start`.
#[derive(Clone, Copy)]
struct NearPipes<'a, L> {
    level: L,
    head: &'a Head,
    start: usize,
    mask: u64,
}

impl<'a, L: Level> NearPipes<'a, L> {
    #[inline(always)]
    fn from(level: L, head: &'a Head, start: usize) -> Option<NearPipes<'a, L>> {
        let window = head.get(start..)?.first_chunk()?;
        let mask = level.eq(window, b'|');
        Some(NearPipes {
            level,
            head,
            start,
            mask,
        })
    }

    /// Where in the line the pipe is that `nth` others precede, if it is in this window or the next.
    #[inline(always)]
    fn nth(self, nth: usize) -> Option<usize> {
        let NearPipes {
            level,
            head,
            start,
            mask,
        } = self;
        match place_of(level, mask, nth) {
            Some(place) => Some(start + place),
            None => {
                let next = NearPipes::from(level, head, start + WINDOW_BYTES)?;
                let nth = nth - mask.count_ones() as usize;
                Some(next.start + place_of(level, next.mask, nth)?)
            }
        }
    }
}

/// Locates columns that are most of a line's: all of its pipes are found first.
#[inline(always)]
fn locate_in_all<L: Level, const N: usize>(
    columns: &[usize; N],
    level: L,
    line: NearLine<'_>,
) -> Option<[Span; N]> {
    let bytes = without_carriage_return(line.head.get(..line.length)?);
    // What is written is kept only as far as it was found.
    let mut ends = [0_u16; PIPES_MAX + PIPES_TOGETHER + 1];
    let mut found = 0;
    let starts = (0..line.length).step_by(WINDOW_BYTES);
    for (window, start) in line.head.as_chunks().0.iter().zip(starts) {
        let mut pipes = level.eq(window, b'|');
        let left = line.length - start;
        if left < WINDOW_BYTES {
            pipes &= !(u64::MAX << left);
        }
        let count = pipes.count_ones() as usize;
        if found + count > PIPES_MAX {
            return None;
        }
        let mut take_first = || {
            let place = start + pipes.trailing_zeros() as usize;
            pipes &= pipes.wrapping_sub(1);
            place as u16
        };
        let (first, rest) = ends[found..].split_at_mut(PIPES_TOGETHER);
        first.fill_with(&mut take_first);
        if let Some(more) = count.checked_sub(PIPES_TOGETHER) {
            rest[..more].fill_with(&mut take_first);
        }
        found += count;
    }
    let last = bytes.len();
    ends[found] = last as u16;
    if last == 0 || columns.iter().any(|&column| column > found) {
        return None;
    }
    Some(columns.map(|column| {
        Span {
            start: column
                .checked_sub(1)
                .map_or(0, |before| usize::from(ends[before]) + 1),
            end: usize::from(ends[column]),
        }
    }))
}

/// The most pipes that a line may have for all of them to be found first.
const PIPES_MAX: usize = 63;

/// How many pipes of a window are written down without asking how many it has, which the processor
/// could only guess.
const PIPES_TOGETHER: usize = 10;

/// How many columns are located in one window: four are mostly less than 64 bytes, and each window
/// costs.
const HOP: usize = 4;

/// How many columns a row begins with that are codes, not text: in the files of contributions, those
/// before NAME have 42 bytes at most, and 7 pipes.
const CODES: usize = 7;

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

/// The span of the column that begins at `start` and ends with the line. A blank line has no
/// columns.
#[cold]
fn last_column(line: Line<'_>, start: usize) -> Span {
    let end = line.bytes().len();
    if end == 0 {
        Span::ABSENT
    } else {
        Span { start, end }
    }
}

/// The pipes of a line from a place on: at first those in the window that begins there.
#[derive(Clone, Copy)]
struct Pipes<'a, L> {
    level: L,
    line: Line<'a>,
    start: usize,
    mask: u64,
}

impl<'a, L: Level> Pipes<'a, L> {
    #[inline(always)]
    fn from(level: L, line: Line<'a>, start: usize) -> Pipes<'a, L> {
        let mask = match line.from(start) {
            Some(window) => level.eq(window, b'|'),
            None => level.eq(&padded(line.rest.get(start..).unwrap_or_default()), b'|'),
        };
        Pipes {
            level,
            line,
            start,
            mask,
        }
    }

    /// Where the pipe is that `nth` others precede; none if the line has no such pipe.
    #[inline(always)]
    fn nth(mut self, mut nth: usize) -> Option<usize> {
        while self.start < self.line.length {
            if let Some(place) = place_of(self.level, self.mask, nth) {
                return Some(self.start + place).filter(|&pipe| pipe < self.line.length);
            }
            nth -= self.mask.count_ones() as usize;
            self = Pipes::from(self.level, self.line, self.start + WINDOW_BYTES);
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
