//! Lines that become rows of CSV or TSV: copied as they stand, but for what is between their columns.
//!
//! ```text
//! line   C00990405|A|ROE, ANN|OR|…
//! row    C00990405,A,"ROE, ANN",OR,…
//! ```
//!
//! Only columns with bytes that the format quotes or escapes are written by themselves. Whatever lies
//! between two of them is one copy, over the ends of lines as well.

use std::ops::Range;

use super::EncodeScratch;
use super::spare_bytes::SpareBytes;
use super::specials::Specials;
use super::template::Literal;
use crate::render::TableFormat;
use crate::scan::Rows;
use crate::scan::simd::{ByteSet, Kernel, Level, WINDOW_BYTES, Window};
use crate::scan::{Ends, Run};

/// A table whose columns are the first ones of lines.
#[derive(Clone, Debug)]
pub(super) struct CopiedTable {
    format: TableFormat,
    /// At least two: a row of one empty column is written in another way.
    width: usize,
    between: u8,
    /// The bytes that a value cannot have as it stands, but for a newline, which is in no column of a line.
    special: ByteSet<3>,
    /// The same, of lines that have the format's own byte between columns.
    special_in_columns: ByteSet<3>,
    quote: Literal,
}

impl CopiedTable {
    /// Returns the table with so many columns, if the format has rows that can be copied.
    pub(super) fn new(format: TableFormat, width: usize) -> Option<CopiedTable> {
        let [between, other] = match format {
            TableFormat::Csv => *b",\"",
            TableFormat::Tsv => *b"\t\\",
            TableFormat::Markdown => return None,
        };
        (width > 1).then_some(CopiedTable {
            format,
            width,
            between,
            special: ByteSet::new([between, other, b'\r']),
            special_in_columns: ByteSet::new([other, other, b'\r']),
            quote: Literal::new(b"\"")?,
        })
    }

    /// Appends `rows`, if the table has all of their columns in their order. Else returns false, and
    /// appends nothing.
    pub(super) fn push(
        &self,
        rows: &Rows<'_>,
        scratch: &mut EncodeScratch,
        out: &mut Vec<u8>,
    ) -> bool {
        rows.dispatch(PushRows {
            table: self,
            rows,
            specials: &mut scratch.specials,
            out,
        })
    }

    /// Appends a row that has not the columns of its schema.
    #[cold]
    fn push_odd_row(&self, rows: &Rows<'_>, nth: usize, out: &mut Vec<u8>) {
        let row = rows.row(nth);
        let cells: Vec<_> = (0..self.width).map(|nth| row.cell(nth)).collect();
        let values: Vec<&[u8]> = cells.iter().map(|cell| &**cell).collect();
        self.format.push_row(out, &values);
    }
}

struct PushRows<'a, 'r> {
    table: &'a CopiedTable,
    rows: &'a Rows<'r>,
    specials: &'a mut Specials,
    out: &'a mut Vec<u8>,
}

impl Kernel for PushRows<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> bool {
        let PushRows {
            table,
            rows,
            specials,
            out,
        } = self;
        let Some(ends) = rows.all_ends() else {
            return false;
        };
        // Not read from the table for each window: the places of the last one might lie there, as the compiler sees it.
        let set = if rows.delimiter() == table.between {
            table.special_in_columns
        } else {
            table.special
        };
        let special = |window: &Window| level.is_in(window, &set);
        let lines = rows.all_lines();
        let is_whole = lines.is_some();
        if let Some(lines) = lines {
            specials.find(level, ends.haystack(), lines, special);
        }
        let mut copy = Copy {
            table,
            ends,
            delimiter: rows.delimiter(),
            spare: SpareBytes::of(out),
            due: 0..0,
        };
        let mut nth = 0;
        while nth < rows.len() {
            let run = if table.width == rows.width() {
                rows.run_from(nth)
            } else {
                // Each line is copied by itself, because it has more columns than the table.
                rows.first_end(nth).map(|first| Run {
                    first,
                    count: 1,
                    step: rows.width(),
                })
            };
            let Some(run) = run else {
                copy.flush(level);
                copy.spare.vector(|out| table.push_odd_row(rows, nth, out));
                nth += 1;
                continue;
            };
            nth += run.count;
            let last = run.first + (run.count - 1) * run.step + table.width - 1;
            let lines = ends.column(run.first).start..ends.column(last).end;
            if !is_whole {
                specials.find(level, ends.haystack(), lines.clone(), special);
            }
            copy.push_lines(level, run, lines, specials);
        }
        copy.flush(level);
        specials.shrink();
        true
    }
}

/// A copy of lines under way.
struct Copy<'a, 'r> {
    table: &'a CopiedTable,
    ends: Ends<'r>,
    delimiter: u8,
    spare: SpareBytes<'a>,
    /// The bytes of the haystack to be copied next.
    due: Range<usize>,
}

impl Copy<'_, '_> {
    /// Copies what is due.
    #[inline(always)]
    fn flush<L: Level>(&mut self, level: L) {
        let due = self.due.clone();
        let (haystack, between) = (self.ends.haystack(), self.table.between);
        self.spare
            .copy(level, haystack, due, self.delimiter, between);
        self.due.start = self.due.end;
    }

    /// Appends the lines of the run, which stand side by side at `lines`. The last gets a newline if it has none.
    ///
    /// A line takes no step of its own, but each column with special bytes does: 0.89 of the time of lines in turn. Most such
    /// columns are the same of each line, the NAME, and are tried first.
    #[inline(always)]
    fn push_lines<L: Level>(
        &mut self,
        level: L,
        Run { first, count, step }: Run,
        lines: Range<usize>,
        specials: &mut Specials,
    ) {
        debug_assert!(
            count == 1 || step == self.table.width,
            "nothing stands between the lines"
        );
        if self.due.end != lines.start {
            self.flush(level);
            self.due = lines.start..lines.start;
        }
        let ends = self.ends;
        let mut special = specials.next_from(lines.start);
        // The number of a column: at first that of the first special byte. It moves on by whole lines until it ends behind the next
        // one or there are no more lines. So that byte is in it, or in one of the `step - 1` columns before it.
        let mut usual = first;
        if special < lines.end {
            usual += ends.column_at(level, first, special);
        }
        while special < lines.end {
            while ends.end(usual).is_some_and(|end| end < special) {
                usual += step;
            }
            let column = match ends.end(usual) {
                Some(_) if ends.column(usual).start <= special => usual,
                _ => {
                    let after = usual + 1 - step;
                    after + ends.column_at(level, after, special)
                }
            };
            let field = ends.column(column);
            self.due.end = field.start;
            self.flush(level);
            self.push_field(level, field.clone());
            self.due = field.end..field.end;
            // Not from the end itself: in a file that changes it can be special by now, and would come again.
            special = specials.next_from(field.end + 1);
        }
        self.due.end = lines.end;
        match ends.haystack().get(lines.end) {
            Some(b'\n') => self.due.end += 1,
            _ => {
                self.flush(level);
                self.spare.reserve(1);
                self.spare.push_byte(b'\n');
            }
        }
    }

    /// Appends a column with special bytes.
    #[inline(always)]
    fn push_field<L: Level>(&mut self, level: L, field: Range<usize>) {
        // The byte before leaves spare for the quote.
        let before = field.start.wrapping_sub(1);
        if self.table.format == TableFormat::Csv
            && field.len() < WINDOW_BYTES
            && let Some(rest) = self.ends.haystack().get(before..)
            && let Some(near) = rest.first_chunk::<{ 2 * WINDOW_BYTES }>()
        {
            let window = from_place(near, 0);
            let bytes = !(u64::MAX << field.len()) << 1;
            if level.eq(window, b'\r') & bytes == 0 {
                // Bytes and quotes need two windows at most. The third is for the last store, which is a whole window.
                self.spare.reserve(3 * WINDOW_BYTES);
                // Up to each quote, and from it again.
                let mut quotes = level.eq(window, b'"') & bytes;
                let mut start = 0;
                let mut part =
                    level.with_first(window, self.table.quote.window(), self.table.quote.len());
                while quotes != 0 {
                    let quote = quotes.trailing_zeros() as usize;
                    self.spare.push(&part, quote + 1 - start);
                    (start, part) = (quote, *from_place(near, quote));
                    quotes &= quotes - 1;
                }
                self.spare.push(&part, 1 + field.len() - start);
                self.spare.push_byte(b'"');
                return;
            }
        }
        let haystack = self.ends.haystack();
        let mut value = &haystack[field.clone()];
        // A line may end with a carriage return too, which is no part of its last column.
        if haystack.get(field.end).is_none_or(|&byte| byte == b'\n') {
            value = value.strip_suffix(b"\r").unwrap_or(value);
        }
        let format = self.table.format;
        self.spare.vector(|out| format.push_field(out, value));
    }
}

/// Returns the window from `place` on, which lies in the first of two.
#[inline(always)]
fn from_place(windows: &[u8; 2 * WINDOW_BYTES], place: usize) -> &Window {
    debug_assert!(place < WINDOW_BYTES, "the place is in the first window");
    let window = windows[place % WINDOW_BYTES..].first_chunk();
    window.expect("a whole window follows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::simd::Simd;

    struct PushLines<'a> {
        table: &'a CopiedTable,
        ends: Ends<'a>,
        lines: Range<usize>,
        out: &'a mut Vec<u8>,
    }

    impl Kernel for PushLines<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self, level: L) {
            let PushLines {
                table,
                ends,
                lines,
                out,
            } = self;
            let mut specials = Specials::default();
            let special = |window: &Window| level.is_in(window, &table.special);
            specials.find(level, ends.haystack(), lines.clone(), special);
            let mut copy = Copy {
                table,
                ends,
                delimiter: b'|',
                spare: SpareBytes::of(out),
                due: 0..0,
            };
            let run = Run {
                first: 0,
                count: 3,
                step: 3,
            };
            copy.push_lines(level, run, lines, &mut specials);
            copy.flush(level);
        }
    }

    /// A mapped file can change after its delimiters were found: any of them can be special by now, and any column.
    #[test]
    fn delimiters_that_have_changed_end_no_copy_early_or_never() {
        let lines = b"a|b|c\nd|e|f\ng|h|i\n";
        let places = 0..lines.len();
        let ends: Vec<u32> = places
            .clone()
            .filter(|&nth| matches!(lines[nth], b'|' | b'\n'))
            .map(|nth| nth as u32)
            .collect();
        let ends = [&[u32::MAX], &ends[..]].concat();
        for (simd, format) in Simd::available()
            .flat_map(|simd| [TableFormat::Csv, TableFormat::Tsv].map(|format| (simd, format)))
        {
            let table = CopiedTable::new(format, 3).unwrap();
            for (one, other) in places
                .clone()
                .flat_map(|one| places.clone().map(move |other| (one, other)))
            {
                for behind in [0, 400] {
                    let mut haystack = [&lines[..], &vec![b'z'; behind]].concat();
                    (haystack[one], haystack[other]) = (table.special.bytes()[0], b'\r');
                    let mut out = Vec::new();
                    simd.dispatch(PushLines {
                        table: &table,
                        ends: Ends::new(&haystack, &ends).unwrap(),
                        lines: 0..lines.len() - 1,
                        out: &mut out,
                    });
                    let is_letter = |byte: &&u8| (b'a'..=b'i').contains(*byte);
                    let kept: Vec<_> = haystack.iter().filter(is_letter).collect();
                    // TSV writes \t and \r as letters, but of those kept it has none.
                    let found: Vec<_> = out.iter().filter(is_letter).collect();
                    assert_eq!(found, kept, "{} {format:?} {one} {other}", simd.name());
                }
            }
        }
    }
}
