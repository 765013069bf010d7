//! Rows whose columns are wanted in their order and as they stand: copied in vectors.
//!
//! A row without bytes that the format must escape is copied with what the format has between its columns.
//! In any other row, the columns with such bytes are escaped one by one, and the runs between them are copied.

use std::ops::Range;

use super::specials::Specials;
use crate::scan::Rows;
use crate::scan::simd::{Ends, Kernel, Level, Window};

/// A format of rows.
pub(super) trait RowText {
    /// Returns the number of columns.
    fn width(&self) -> usize;

    /// Returns a bit for each byte of `window` that a value cannot have as it stands. Pipes and newlines
    /// are no parts of values.
    fn special<L: Level>(&self, level: L, window: &Window) -> u64;

    /// Appends `columns` of a row without special bytes, each after what stands before it in a row. The row
    /// begins at the end number `first`.
    fn copy<L: Level>(
        &self,
        level: L,
        ends: &Ends<'_>,
        first: usize,
        columns: Range<usize>,
        out: &mut Vec<u8>,
    );

    /// Appends any `value` of this column, after what stands before it in a row.
    fn value(&self, column: usize, value: &[u8], out: &mut Vec<u8>);

    /// Appends the same for a value with special bytes.
    fn special_value(&self, column: usize, value: &[u8], out: &mut Vec<u8>) {
        self.value(column, value, out);
    }

    /// Appends what stands after the last value of a row.
    fn end(&self, out: &mut Vec<u8>);
}

/// Appends `rows`, if all columns are wanted in their order. Else returns false, and appends nothing.
pub(super) fn push<T: RowText>(text: &T, rows: &Rows<'_>, out: &mut Vec<u8>) -> bool {
    rows.dispatch(PushRows { text, rows, out })
}

struct PushRows<'a, 'r, T> {
    text: &'a T,
    rows: &'a Rows<'r>,
    out: &'a mut Vec<u8>,
}

impl<T: RowText> Kernel for PushRows<'_, '_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> bool {
        let PushRows { text, rows, out } = self;
        let Some(ends) = rows.all_ends() else {
            return false;
        };
        let width = text.width();
        let mut specials = Specials::default();
        let special = |window: &Window| text.special(level, window);
        let lines = rows.all_lines();
        if let Some(lines) = lines.clone() {
            specials.find(level, ends.haystack(), lines, special);
        }
        for nth in 0..rows.len() {
            let Some(first) = rows.first_end(nth) else {
                let row = rows.row(nth);
                (0..width).for_each(|column| text.value(column, &row.cell(column), out));
                text.end(out);
                continue;
            };
            let line = ends.column(first).start..ends.column(first + width - 1).end;
            if lines.is_none() {
                specials.find(level, ends.haystack(), line.clone(), special);
            }
            match specials.next_from(line.start) < line.end {
                false => text.copy(level, &ends, first, 0..width, out),
                true => level.run(PushEscaped {
                    text,
                    ends: &ends,
                    first,
                    line,
                    specials: &mut specials,
                    out,
                }),
            }
            text.end(out);
        }
        true
    }
}

/// A row with special bytes.
struct PushEscaped<'a, 'r, T> {
    text: &'a T,
    ends: &'a Ends<'r>,
    first: usize,
    line: Range<usize>,
    specials: &'a mut Specials,
    out: &'a mut Vec<u8>,
}

impl<T: RowText> Kernel for PushEscaped<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushEscaped {
            text,
            ends,
            first,
            line,
            specials,
            out,
        } = self;
        let width = text.width();
        let mut next = 0;
        while next < width {
            // The columns before the next one with a special byte.
            let special = specials.next_from(ends.column(first + next).start);
            let plain = next;
            while next < width && (special >= line.end || ends.column(first + next).end <= special)
            {
                next += 1;
            }
            if plain < next {
                text.copy(level, ends, first, plain..next, out);
            }
            if next < width {
                let mut value = &ends.haystack()[ends.column(first + next)];
                match next == width - 1 && line_ends_here(ends, first + next) {
                    true => {
                        value = value.strip_suffix(b"\r").unwrap_or(value);
                        text.value(next, value, out);
                    }
                    false => text.special_value(next, value, out),
                }
                next += 1;
            }
        }
    }
}

/// Says whether the column with this number is the last of its line.
fn line_ends_here(ends: &Ends<'_>, column: usize) -> bool {
    let after = ends.haystack().get(ends.column(column).end);
    after.is_none_or(|&byte| byte == b'\n')
}
