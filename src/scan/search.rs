//! Few columns, searched for line by line.
//!
//! Where all bits of a mask can't be stored at once, tokenizing a line costs more than a search for a column
//! or two. The window of 64 bytes at the beginning of a line holds all seven codes of a
//! row. After them a window begins at every fourth column, as far as columns are wanted. The columns
//! between lie in that window or in the next 64 bytes. Delimiters are selected from the masks. The rest of
//! the line is never read.
//!
//! Windows begin where columns do, so one window nearly always suffices, and the processor need not
//! guess how many it takes. With windows at fixed places, one line in four has its NAME in a second
//! window, which cost a third of the report's time.

use std::iter;

use memchr::memchr_iter;

use super::rows::{ABSENT, LineTable, Rows, Widths, chunk_at, near_chunk_at};
use super::simd::{Kernel, Level, WINDOW_BYTES};
use super::visit::{Cells, RowVisitor};

/// Few columns of each line, in ascending order.
///
/// The entries of a line are the byte before it, the bytes before and after each of these columns, and its newline.
#[derive(Debug)]
pub(super) struct Search {
    columns: Vec<usize>,
}

impl Search {
    /// Will search for `columns`. The last column of the schema should not be among them: no delimiter
    /// follows it, so each line would be split.
    pub(super) fn new(columns: impl Iterator<Item = usize>) -> Search {
        let mut columns: Vec<_> = columns.collect();
        columns.sort_unstable();
        columns.dedup();
        Search { columns }
    }

    /// Returns the place, in a line's entries, of the byte before `column`, which is searched for.
    pub(super) fn place(&self, column: usize) -> usize {
        1 + 2 * self.columns.partition_point(|&known| known < column)
    }

    /// Finds the columns of `rows`, whose newlines alone are known. Stores the entries in `ends`.
    pub(super) fn found<'a>(&self, rows: &Rows<'a>, ends: &'a mut Vec<u32>) -> Rows<'a> {
        rows.dispatch(EachLine {
            rows,
            columns: &self.columns,
            entries: ends,
        });
        let length = 2 + 2 * self.columns.len();
        Rows {
            ends,
            lines: LineTable::Regular {
                step: length,
                length,
            },
            widths: Widths::After(self.columns[self.columns.len() - 1]),
            ..*rows
        }
    }
}

/// The number of rows in a batch whose columns are searched for.
///
/// The processor overlaps the work on rows that are at most some 350 instructions apart. Locating
/// a row's columns and then reading them is a chain of dependent loads and comparisons. In two
/// passes over a few rows each chain is shorter, and more of them overlap.
pub(super) const BATCH_ROWS: usize = 16;

/// Searches for ascending columns in one line after the other, and stores the entries.
struct EachLine<'a, 'r> {
    rows: &'a Rows<'r>,
    columns: &'a [usize],
    entries: &'a mut Vec<u32>,
}

impl Kernel for EachLine<'_, '_> {
    type Output = ();

    /// The compiler knows the FEC's delimiter, by a constant parameter: of two calls with values it made one. Groups by STATE
    /// take 0.99 of the instructions of AVX2.
    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        if self.rows.delimiter == b'|' {
            self.search::<L, true>(level);
        } else {
            self.search::<L, false>(level);
        }
    }
}

impl EachLine<'_, '_> {
    #[inline(always)]
    fn search<L: Level, const PIPE: bool>(self, level: L) {
        let EachLine {
            rows,
            columns,
            entries,
        } = self;
        let delimiter = if PIPE { b'|' } else { rows.delimiter };
        let length = 2 + 2 * columns.len();
        entries.resize(rows.len() * length, 0);
        let mut lines = [Line::default(); BATCH_ROWS];
        for (nth, of_batch) in entries.chunks_mut(BATCH_ROWS * length).enumerate() {
            let batch = &mut lines[..of_batch.len() / length];
            Line::read(level, rows, delimiter, nth * BATCH_ROWS, batch);
            let of_lines = iter::zip(&*batch, of_batch.chunks_exact_mut(length));
            for (nth, (line, of_line)) in (nth * BATCH_ROWS..).zip(of_lines) {
                rows.prefetch(nth);
                if let [before, bounds @ .., end] = of_line {
                    (*before, *end) = (line.start.wrapping_sub(1), line.end);
                    let (bounds, _) = bounds.as_chunks_mut();
                    line.search(level, rows, delimiter, columns, bounds);
                    // The entry before a column, instead of its first byte.
                    for [start, _] in bounds {
                        *start = start.wrapping_sub(1);
                    }
                }
            }
        }
    }
}

/// A line, and the delimiters in its first window.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    start: u32,
    /// Its newline.
    end: u32,
    delimiters: u64,
}

impl Line {
    #[inline(always)]
    fn new<L: Level>(level: L, rows: &Rows<'_>, delimiter: u8, before: u32, end: u32) -> Line {
        let start = before.wrapping_add(1);
        let head: Option<&Head> = near_chunk_at(rows.bytes, start);
        let delimiters = head.map_or(0, |head| level.eq(&head.as_chunks().0[0], delimiter));
        Line {
            start,
            end,
            delimiters,
        }
    }

    #[inline(always)]
    fn of<L: Level>(level: L, rows: &Rows<'_>, delimiter: u8, nth: usize) -> Line {
        let entries = rows.entries(nth);
        let (before, end) = (rows.ends[entries.start], rows.ends[entries.end - 1]);
        Line::new(level, rows, delimiter, before, end)
    }

    /// Reads a few lines, from the line `first` on.
    #[inline(always)]
    pub(super) fn read<L: Level>(
        level: L,
        rows: &Rows<'_>,
        delimiter: u8,
        first: usize,
        lines: &mut [Line],
    ) {
        if let LineTable::Regular { step: 1, .. } = rows.lines {
            let ends = rows.ends[first..].windows(2);
            for (line, ends) in lines.iter_mut().zip(ends) {
                *line = Line::new(level, rows, delimiter, ends[0], ends[1]);
            }
        } else {
            for (nth, line) in (first..).zip(lines) {
                *line = Line::of(level, rows, delimiter, nth);
            }
        }
    }

    /// Stores the first byte of each of the ascending `columns`, and the byte after its last.
    #[inline(always)]
    fn search<L: Level>(
        &self,
        level: L,
        rows: &Rows<'_>,
        delimiter: u8,
        columns: &[usize],
        spans: &mut [[u32; 2]],
    ) {
        if self
            .by_windows(level, rows, delimiter, columns, spans)
            .is_none()
        {
            self.split(rows, columns, spans);
        }
    }

    /// Does the same for a line of the usual shape.
    #[inline(always)]
    fn by_windows<L: Level>(
        &self,
        level: L,
        rows: &Rows<'_>,
        delimiter: u8,
        columns: &[usize],
        spans: &mut [[u32; 2]],
    ) -> Option<()> {
        let mut windows = Windows::new(level, rows, delimiter, self)?;
        for (span, &column) in iter::zip(spans, columns) {
            *span = windows.locate(column)?;
        }
        windows.end_in_line().then_some(())
    }

    /// Returns the first byte of each of the visitor's columns, and the byte after its last, if the line is
    /// of the usual shape.
    ///
    /// Look at the assembly. Each window and byte takes one comparison, and its mask moves to a general
    /// register once. Each line takes two comparisons with the haystack's length.
    #[inline(always)]
    pub(super) fn two<L: Level, V: RowVisitor>(
        &self,
        level: L,
        rows: &Rows<'_>,
        delimiter: u8,
    ) -> Option<[[u32; 2]; 2]> {
        let mut windows = Windows::new(level, rows, delimiter, self)?;
        // Not in a loop: the compiler keeps only the code for each of two constants.
        let [first, second] = V::COLUMNS;
        let spans = [windows.locate(first)?, windows.locate(second)?];
        windows.end_in_line().then_some(spans)
    }

    /// Locates the visitor's columns in a line of any shape.
    #[cold]
    #[inline(never)]
    pub(super) fn split_two<'a, V: RowVisitor>(&self, rows: &Rows<'a>) -> Cells<'a> {
        let mut spans = [ABSENT; 2];
        self.split(rows, &V::COLUMNS, &mut spans);
        Cells {
            bytes: rows.bytes,
            spans,
        }
    }

    /// Does the same for a line of any shape. A blank line has no columns.
    #[cold]
    #[inline(never)]
    fn split(&self, rows: &Rows<'_>, columns: &[usize], spans: &mut [[u32; 2]]) {
        spans.fill(ABSENT);
        let line = rows.bytes.get(self.start as usize..self.end as usize);
        let line = line.unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return;
        }
        let mut wanted = columns.iter().zip(spans).peekable();
        let mut start = self.start;
        let ends = memchr_iter(rows.delimiter, line).chain([line.len()]);
        for (column, end) in ends.enumerate() {
            let end = self.start + end as u32;
            while let Some((_, span)) = wanted.next_if(|(wanted, _)| **wanted == column) {
                *span = [start, end];
            }
            if wanted.peek().is_none() {
                return;
            }
            start = end + 1;
        }
    }
}

/// The bytes from the beginning of a line in which windows need no comparison with the haystack's
/// length. Those after the line can be anything.
type Head = [u8; HEAD_BYTES];

/// The number of bytes of a head: 20 windows. A row has 180 bytes, and six windows locate any one
/// of its columns.
pub(crate) const HEAD_BYTES: usize = 20 * WINDOW_BYTES;

/// Locates ascending columns of a line: the leading codes in the first window, the others in windows
/// that begin every few columns. Fails if columns are long, or near the end of the haystack.
///
/// It has hardly a branch that one line takes and the next does not. With one call for each constant
/// column, the compiler keeps only the code of that column. In a loop over two constants it did not, and
/// the report by TRANSACTION_DT took 1.4 times the instructions.
struct Windows<'a, L> {
    level: L,
    line: &'a Line,
    delimiter: u8,
    /// The head of the line, in which all windows lie.
    head: &'a Head,
    /// The column with which the window begins: the first, or one after the codes.
    column: usize,
    /// The first byte of the window.
    start: usize,
    /// The delimiters in the window.
    delimiters: u64,
    /// The place in the head of the delimiter after the last column that was located.
    end: usize,
}

impl<'a, L: Level> Windows<'a, L> {
    #[inline(always)]
    fn new(level: L, rows: &Rows<'a>, delimiter: u8, line: &'a Line) -> Option<Windows<'a, L>> {
        Some(Windows {
            level,
            line,
            delimiter,
            head: near_chunk_at(rows.bytes, line.start)?,
            column: 0,
            start: 0,
            delimiters: line.delimiters,
            end: 0,
        })
    }

    /// Returns the first byte of `column`, which is not before any located already, and the byte after
    /// its last. They are valid if [`Windows::end_in_line`] says so.
    #[inline(always)]
    fn locate(&mut self, column: usize) -> Option<[u32; 2]> {
        let start = self.start_of(column)?;
        let [start, end] = [start, self.end].map(|place| self.line.start + place as u32);
        Some([start, end])
    }

    /// Returns the place of the first byte of `column` in the head, and finds its end.
    #[inline(always)]
    fn start_of(&mut self, column: usize) -> Option<usize> {
        if column < CODES {
            let code = |nth: usize| self.level.select(self.delimiters, nth as u32) as usize;
            // With fewer delimiters in the window, the place is beyond it, and fails the check at the end.
            self.end = code(column);
            return Some(column.checked_sub(1).map_or(0, |before| code(before) + 1));
        }
        if self.column == 0 {
            let last_code = place_of(self.level, self.delimiters, CODES - 1)?;
            self.go_on(CODES, last_code + 1)?;
        }
        while column - self.column >= HOP {
            self.go_on(HOP, self.nth(HOP - 1)? + 1)?;
        }
        let start;
        if column == self.column {
            start = self.start;
            self.end = start + place_of(self.level, self.delimiters, 0)?;
        } else {
            start = self.nth(column - self.column - 1)? + 1;
            self.end = self.nth(column - self.column)?;
        }
        Some(start)
    }

    /// Says whether all columns located are columns of the line. Delimiters ascend: if the last one is in the
    /// line, all are.
    #[inline(always)]
    fn end_in_line(&self) -> bool {
        let length = (self.line.end - self.line.start) as usize;
        (self.column > 0 || self.end < WINDOW_BYTES) && self.end < length
    }

    /// Goes on to the window that begins at `start`, `columns` further.
    #[inline(always)]
    fn go_on(&mut self, columns: usize, start: usize) -> Option<()> {
        self.delimiters = self.level.eq(chunk_at(self.head, start)?, self.delimiter);
        self.start = start;
        self.column += columns;
        Some(())
    }

    /// Returns the place of the delimiter after `nth` others, if it is in this window or the next.
    #[inline(always)]
    fn nth(&self, nth: usize) -> Option<usize> {
        if let Some(place) = place_of(self.level, self.delimiters, nth) {
            return Some(self.start + place);
        }
        let next = self.start + WINDOW_BYTES;
        let delimiters = self.level.eq(chunk_at(self.head, next)?, self.delimiter);
        let nth = nth - self.delimiters.count_ones() as usize;
        Some(next + place_of(self.level, delimiters, nth)?)
    }
}

/// The number of columns located in one window. Four mostly have less than 64 bytes.
const HOP: usize = 4;

/// The number of leading columns with codes instead of text. In the files of contributions, the codes
/// before NAME have 42 bytes at most, and 7 delimiters.
pub(super) const CODES: usize = 7;

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
