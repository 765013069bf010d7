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
//! If most columns of a line are wanted, all of its pipes are found instead. So are those of a line
//! whose columns are not where they usually are.

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
            let most = columns.len() > 2 && columns.len() > last / 2;
            // The last column has no pipe after it.
            let by_windows = !most && last.saturating_add(1) < self.width && columns.is_sorted();
            self.each_line(StoreSpans {
                columns,
                search: match by_windows {
                    true => Search::Windows,
                    false => Search::AllPipes,
                },
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
    search: Search,
    /// The highest of the columns.
    last: usize,
    /// The spans of this line and of those after it.
    spans: ChunksExactMut<'a, Span>,
    /// Memory for the ends of the columns of a line, after an entry for the byte before the line.
    ends: &'a mut Vec<u32>,
}

/// How columns are searched first.
#[derive(PartialEq)]
enum Search {
    /// By windows: for a few ascending columns.
    Windows,
    /// By all pipes of the line.
    AllPipes,
}

impl LineVisitor for StoreSpans<'_> {
    #[inline(always)]
    fn line<L: Level>(&mut self, level: L, line: Line<'_>, pipes: u64) {
        let Some(spans) = self.spans.next() else {
            return;
        };
        let is_located = self.search == Search::Windows
            && locate_by_windows(level, self.columns, line, pipes, spans).is_some();
        if !is_located {
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

/// Locates ascending columns: the leading codes in the first window, the others in windows that
/// begin every few columns. Returns the head of the line, if all columns lie there and are close.
/// Otherwise `spans` are undefined, and the line may still have the columns.
///
/// It has hardly a branch that one line takes and the next does not.
#[inline(always)]
pub(crate) fn locate_by_windows<'a, L: Level>(
    level: L,
    columns: &[usize],
    line: Line<'a>,
    pipes: u64,
    spans: &mut [Span],
) -> Option<&'a Head> {
    let head = line.head()?;
    let codes = |nth: usize| level.select(pipes, nth as u32) as usize;
    // A column where a window begins, after the codes.
    let mut base: Option<(usize, Pipes<'_, L>)> = None;
    let mut end = 0;
    for (span, &wanted) in spans.iter_mut().zip(columns) {
        if wanted < CODES {
            // With fewer pipes in the window, the place is beyond it, and fails the check at the end.
            let start = match wanted {
                0 => 0,
                _ => codes(wanted - 1) + 1,
            };
            end = codes(wanted);
            *span = Span::new(start, end);
            continue;
        }
        let (mut column, mut pipes) = match base {
            Some(base) => base,
            None => {
                let last_code = Some(codes(CODES - 1)).filter(|&place| place < WINDOW_BYTES)?;
                (CODES, Pipes::from(level, head, last_code + 1)?)
            }
        };
        while wanted - column >= HOP {
            pipes = Pipes::from(level, head, pipes.nth(HOP - 1)? + 1)?;
            column += HOP;
        }
        let start;
        if wanted == column {
            // In its window or not at all. A known maximum of 64 bytes saves later checks.
            start = pipes.start;
            end = pipes.start + place_of(level, pipes.mask, 0)?;
        } else {
            start = pipes.nth(wanted - column - 1)? + 1;
            end = pipes.nth(wanted - column)?;
        }
        *span = Span::new(start, end);
        base = Some((column, pipes));
    }
    // Pipes ascend: if the last one is in the line, all are.
    let found = (base.is_some() || end < WINDOW_BYTES) && end < line.len();
    found.then_some(head)
}

/// The pipes of a line in the window of its head that begins at `start`.
#[derive(Clone, Copy)]
struct Pipes<'a, L> {
    level: L,
    head: &'a Head,
    start: usize,
    mask: u64,
}

impl<'a, L: Level> Pipes<'a, L> {
    #[inline(always)]
    fn from(level: L, head: &'a Head, start: usize) -> Option<Pipes<'a, L>> {
        let mask = level.eq(chunk_at(head, start)?, b'|');
        Some(Pipes {
            level,
            head,
            start,
            mask,
        })
    }

    /// Returns the place of the pipe after `nth` others, if it is in this window or the next.
    #[inline(always)]
    fn nth(self, nth: usize) -> Option<usize> {
        if let Some(place) = place_of(self.level, self.mask, nth) {
            return Some(self.start + place);
        }
        let next = Pipes::from(self.level, self.head, self.start + WINDOW_BYTES)?;
        let nth = nth - self.mask.count_ones() as usize;
        Some(next.start + place_of(self.level, next.mask, nth)?)
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
