//! Rows of JSON whose first columns are wanted in their order and as they stand: written in vectors.
//!
//! Rows are written with the keys as if nothing in them had to be escaped, up to one in which something has. Then
//! backslashes are put before its quotes and backslashes. A row with other bytes to escape is made once more: the
//! columns with such bytes by themselves, and the runs between them in vectors.

use std::ops::Range;

use super::EncodeScratch;
use super::json::Strings;
use super::specials::Specials;
use super::template::NOTHING;
use crate::scan::Rows;
use crate::scan::simd::{Kernel, Level, Window};
use crate::scan::{Ends, Run};

/// Appends `rows`, if the first columns are wanted in their order. Else returns false, and appends nothing.
pub(super) fn push(
    strings: &Strings,
    rows: &Rows<'_>,
    scratch: &mut EncodeScratch,
    out: &mut Vec<u8>,
) -> bool {
    let specials = &mut scratch.specials;
    rows.dispatch(PushRows {
        strings,
        rows,
        specials,
        out,
    })
}

struct PushRows<'a, 'r> {
    strings: &'a Strings,
    rows: &'a Rows<'r>,
    specials: &'a mut Specials,
    out: &'a mut Vec<u8>,
}

impl Kernel for PushRows<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> bool {
        let PushRows {
            strings,
            rows,
            specials,
            out,
        } = self;
        let Some(ends) = rows.all_ends() else {
            return false;
        };
        let width = strings.width();
        let delimiter = rows.delimiter();
        let is_special = delimiter < b' ';
        let special = |window: &Window| {
            let found = strings.special(level, window);
            // A tab between columns is no part of a value either.
            if is_special {
                found & !level.eq(window, delimiter)
            } else {
                found
            }
        };
        let lines = rows.all_lines();
        let is_whole = lines.is_some();
        if let Some(lines) = lines {
            specials.find_rare(level, ends.haystack(), lines, special);
        }
        let mut nth = 0;
        while nth < rows.len() {
            let Some(run) = rows.run_from(nth) else {
                let row = rows.row(nth);
                (0..width).for_each(|column| strings.value(column, &row.cell(column), out));
                strings.end(out);
                nth += 1;
                continue;
            };
            nth += run.count;
            let first = |nth: usize| run.first + nth * run.step;
            let line = |nth| ends.column(first(nth)).start..ends.column(first(nth) + width - 1).end;
            if !is_whole {
                let lines = line(0).start..line(run.count - 1).end;
                specials.find_rare(level, ends.haystack(), lines, special);
            }
            let mut written = 0;
            while written < run.count {
                let until = specials.next_from(line(written).start);
                let left = Run {
                    first: first(written),
                    count: run.count - written,
                    ..run
                };
                written += ends.write_rows(level, left, strings.template(), until, out);
                let (first, line) = (first(written - 1), line(written - 1));
                if specials.next_from(line.start) < line.end {
                    level.run(Escape {
                        strings,
                        ends: &ends,
                        first,
                        row_start: out.len() - strings.written_bytes(line.len()),
                        line,
                        specials,
                        out,
                    });
                }
            }
        }
        specials.shrink();
        true
    }
}

/// A row with special bytes, written as if it had none.
struct Escape<'a, 'r> {
    strings: &'a Strings,
    ends: &'a Ends<'r>,
    first: usize,
    line: Range<usize>,
    specials: &'a mut Specials,
    row_start: usize,
    out: &'a mut Vec<u8>,
}

impl Kernel for Escape<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let (haystack, line) = (self.ends.haystack(), self.line.clone());
        let places = self.specials.before(line.end);
        let is_quoted = |&place: &u32| matches!(haystack[place as usize], b'"' | b'\\');
        if !places.iter().all(is_quoted) {
            self.out.truncate(self.row_start);
            return self.push_again(level);
        }
        // From the right, so that each byte moves once.
        let mut end = self.out.len();
        self.out.resize(end + places.len(), 0);
        for (nth, &place) in places.iter().enumerate().rev() {
            let place = place as usize;
            let column = self.ends.column_at(level, self.first, place);
            let start = self.row_start + place - line.start + self.strings.written_before(column);
            self.out.copy_within(start..end, start + nth + 1);
            self.out[start + nth] = b'\\';
            end = start;
        }
    }
}

impl Escape<'_, '_> {
    /// Appends the row with each column that has special bytes by itself.
    #[inline(always)]
    fn push_again<L: Level>(self, level: L) {
        let Escape {
            strings,
            ends,
            first,
            line,
            specials,
            out,
            ..
        } = self;
        let width = strings.width();
        let mut next = 0;
        while next < width {
            // The columns before the next one with a special byte.
            let special = specials.next_from(ends.column(first + next).start);
            let plain = next;
            next = if special < line.end {
                ends.column_at(level, first, special)
            } else {
                width
            };
            if plain < next {
                let literals = &strings.template().literals()[plain..next];
                ends.write_row(level, first + plain, literals, &NOTHING, out);
            }
            if next < width {
                let mut value = &ends.haystack()[ends.column(first + next)];
                if next == width - 1 && line_ends_here(ends, first + next) {
                    value = value.strip_suffix(b"\r").unwrap_or(value);
                }
                strings.value(next, value, out);
                next += 1;
            }
        }
        strings.end(out);
    }
}

/// Says whether the column with this number is the last of its line.
fn line_ends_here(ends: &Ends<'_>, column: usize) -> bool {
    let after = ends.haystack().get(ends.column(column).end);
    after.is_none_or(|&byte| byte == b'\n')
}
