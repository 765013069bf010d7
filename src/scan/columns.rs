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
//! If most columns of a line are wanted, all of its pipes are found instead.

use super::rows::{Head, Line, LineVisitor, NearLine, Place, Rows, each_line};
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
}

/// Locates `columns` in every line of `rows`, and stores the spans of one line after the other.
#[inline(always)]
pub(super) fn locate_rows<L: Level>(
    level: L,
    rows: &Rows<'_>,
    columns: &[usize],
    spans: &mut Vec<Span>,
) {
    spans.clear();
    spans.resize(rows.len() * columns.len(), Span::ABSENT);
    let search = Search::of(columns);
    let mut store = StoreSpans {
        columns,
        search,
        spans,
    };
    each_line(level, rows, &mut store);
}

struct StoreSpans<'a> {
    columns: &'a [usize],
    search: Search,
    /// The spans of this line and of those after it.
    spans: &'a mut [Span],
}

impl StoreSpans<'_> {
    #[inline(always)]
    fn next_line(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        self.spans = &mut spans[self.columns.len()..];
    }
}

impl LineVisitor for StoreSpans<'_> {
    #[inline(always)]
    fn near<L: Level>(&mut self, level: L, _: Place<'_>, line: NearLine<'_>) -> bool {
        let spans = &mut self.spans[..self.columns.len()];
        let near = locate_near(level, self.columns, self.search, line, spans).is_some();
        if near {
            self.next_line();
        }
        near
    }

    #[inline(always)]
    fn far<L: Level>(&mut self, level: L, place: Place<'_>) {
        let spans = &mut self.spans[..self.columns.len()];
        level.run(LocateFar {
            place,
            columns: self.columns,
            spans,
        });
        self.next_line();
    }
}

/// Locates columns of a line whose columns are not where they usually are.
pub(crate) struct LocateFar<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) columns: &'a [usize],
    pub(crate) spans: &'a mut [Span],
}

impl Kernel for LocateFar<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        locate_far(level, self.columns, self.place.line(), self.spans);
    }
}

/// How columns are searched in a near line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// By windows: for a few columns.
    Windows,
    /// By all pipes of the line: for most columns.
    AllPipes,
    /// Not at all: columns that do not ascend are located one by one.
    OneByOne,
}

impl Search {
    /// Chooses the cheapest search for `columns`.
    #[inline(always)]
    pub(crate) fn of(columns: &[usize]) -> Search {
        let last = columns.last().map_or(0, |last| last.saturating_add(1));
        match columns.len() > 2 && columns.len() * 2 > last {
            true => Search::AllPipes,
            false if columns.is_sorted() => Search::Windows,
            false => Search::OneByOne,
        }
    }
}

/// Locates `columns` in a near line, if it has all of them and they are close. Otherwise `spans` are
/// undefined, and the line may still have the columns.
#[inline(always)]
pub(crate) fn locate_near<L: Level>(
    level: L,
    columns: &[usize],
    search: Search,
    line: NearLine<'_>,
    spans: &mut [Span],
) -> Option<()> {
    match search {
        Search::Windows => locate_by_windows(level, columns, line, spans),
        Search::AllPipes => locate_in_all(level, columns, line, spans),
        Search::OneByOne => None,
    }
}

/// Locates any columns in a line of any shape.
#[inline(always)]
fn locate_far<L: Level>(level: L, columns: &[usize], line: Line<'_>, spans: &mut [Span]) {
    let from = |start| Pipes::from(level, line, start);
    let (mut column, mut pipes) = (0, from(0));
    spans.fill(Span::ABSENT);
    for (span, &wanted) in spans.iter_mut().zip(columns) {
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
            Some(end) => Span::new(pipes.start, end),
            None => last_column(line, pipes.start),
        };
    }
}

/// Locates ascending columns: the leading codes in the first window, the others in windows that
/// begin every few columns.
///
/// It has hardly a branch that one line takes and the next does not.
#[inline(always)]
fn locate_by_windows<L: Level>(
    level: L,
    columns: &[usize],
    line: NearLine<'_>,
    spans: &mut [Span],
) -> Option<()> {
    let codes = |nth: usize| level.select(line.pipes, nth as u32) as usize;
    // A column where a window begins, after the codes.
    let mut base: Option<(usize, NearPipes<'_, L>)> = None;
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
                (CODES, NearPipes::from(level, line.head, last_code + 1)?)
            }
        };
        while wanted - column >= HOP {
            pipes = NearPipes::from(level, line.head, pipes.nth(HOP - 1)? + 1)?;
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
    let found = (base.is_some() || end < WINDOW_BYTES) && end < line.length;
    found.then_some(())
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

    /// Returns the place of the pipe after `nth` others, if it is in this window or the next.
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

/// Locates columns that are most of a line's, after finding all of its pipes.
#[inline(always)]
fn locate_in_all<L: Level>(
    level: L,
    columns: &[usize],
    line: NearLine<'_>,
    spans: &mut [Span],
) -> Option<()> {
    let bytes = line.head.get(..line.length)?;
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    // Entries after the first `found` are noise.
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
    for (span, &column) in spans.iter_mut().zip(columns) {
        let before = column.checked_sub(1);
        let start = before.map_or(0, |before| usize::from(ends[before]) + 1);
        *span = Span::new(start, usize::from(ends[column]));
    }
    Some(())
}

/// The most pipes of a line that [`Search::AllPipes`] handles.
const PIPES_MAX: usize = 63;

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

/// Returns the span of the column that begins at `start` and ends with the line. A blank line has
/// no columns.
#[cold]
fn last_column(line: Line<'_>, start: usize) -> Span {
    let end = line.bytes().len();
    if end == 0 {
        Span::ABSENT
    } else {
        Span::new(start, end)
    }
}

/// The pipes of a line from a place on, beginning with those in the window there.
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

    /// Returns the place of the pipe after `nth` others, if the line has it.
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

/// Returns a window of the last bytes of a haystack, fewer than 64.
#[cold]
fn padded(rest: &[u8]) -> Window {
    let mut window = [0; WINDOW_BYTES];
    window[..rest.len()].copy_from_slice(rest);
    window
}
