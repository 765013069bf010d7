//! Rows with another number of columns, where columns are searched for and not all delimiters are known.

use std::ops::Range;

use memchr::memchr_iter;

use super::rows::{Rows, chunk_at, near_chunk_at};
use super::simd::{Kernel, Level, WINDOW_BYTES, Window};

/// Returns the number of rows with another number of columns than the schema's. The delimiters after `column` tell, the last
/// that was searched for.
///
/// Only rows that pass the filter are counted. The search for newlines could count the delimiters of all lines instead. That took 1.13 of
/// the CPU time for rows with a state, and 1.12 for groups by STATE, with AVX2 and one thread on a busy Xeon.
pub(super) fn count_after(rows: &Rows<'_>, column: usize) -> u64 {
    let expected = rows.width - 1 - column;
    rows.dispatch(CountOdd { rows, expected })
}

struct CountOdd<'a, 'r> {
    rows: &'a Rows<'r>,
    /// The number of delimiters after the last column that was searched for.
    expected: usize,
}

impl Kernel for CountOdd<'_, '_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        let rows = self.rows;
        let mut odd = 0;
        for nth in 0..rows.len() {
            // The byte after the column, and the newline.
            let Range { end, .. } = rows.entries(nth);
            let found = delimiters_in(level, rows, rows.ends[end - 2]..rows.ends[end - 1]);
            odd += u64::from(found != Some(self.expected));
        }
        odd
    }
}

/// Returns the number of delimiters between two places. There is none if the line lacks the first place.
#[inline(always)]
fn delimiters_in<L: Level>(level: L, rows: &Rows<'_>, places: Range<u32>) -> Option<usize> {
    let length = places.end.checked_sub(places.start)? as usize;
    let count = |window: &Window, length: usize| {
        let all = level.eq(window, rows.delimiter);
        let wanted = match length {
            0..WINDOW_BYTES => all & ((1 << length) - 1),
            _ => all,
        };
        wanted.count_ones() as usize
    };
    let Some(head) = near_chunk_at::<_, { 2 * WINDOW_BYTES }>(rows.bytes, places.start) else {
        let bytes = rows.bytes.get(places.start as usize..places.end as usize);
        return bytes.map(|bytes| memchr_iter(rows.delimiter, bytes).count());
    };
    // Most rows end in these, so the processor need not guess how many windows a row has.
    let (windows, _) = head.as_chunks();
    let mut found = count(&windows[0], length);
    found += count(&windows[1], length.saturating_sub(WINDOW_BYTES));
    let mut done = 2 * WINDOW_BYTES;
    while done < length {
        let start = places.start as usize + done;
        found += match chunk_at(rows.bytes, start) {
            Some(window) => count(window, length - done),
            None => {
                let rest = rows.bytes.get(start..places.end as usize)?;
                memchr_iter(rows.delimiter, &rest[..rest.len().min(WINDOW_BYTES)]).count()
            }
        };
        done += WINDOW_BYTES;
    }
    Some(found)
}
