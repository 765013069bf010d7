//! The walk over the rows of a block with the level's instructions at hand.

use super::rows::{ABSENT, LineTable, Rows, near_chunk_at};
use super::search::{BATCH_ROWS, Line};
use super::simd::{Kernel, Level};

/// Receives the rows of a block, with two columns.
///
/// A trait, because a closure cannot be `#[inline(always)]`, and only inlined code can use the level's
/// instructions. With a closure, the report took 1.45 times the instructions.
pub(crate) trait RowVisitor {
    /// The columns that the fold named, ascending. Constants, so that the compiler keeps only the code that
    /// locates these.
    const COLUMNS: [usize; 2];

    /// Looks at the next row. Implementations are `#[inline(always)]`.
    fn row<L: Level>(&mut self, level: L, row: Cells<'_>);

    /// Looks at the next row, of an unusual shape. Implementations are cold.
    fn odd_row(&mut self, row: Cells<'_>);
}

/// The columns of a row.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    /// The haystack from the first line of the block on.
    pub(super) bytes: &'a [u8],
    /// The first byte of each column and the byte after its last.
    pub(super) spans: [[u32; 2]; 2],
}

impl<'a> Cells<'a> {
    /// Returns the `nth` column, if the row has it.
    pub(crate) fn column(&self, nth: usize) -> Option<&'a [u8]> {
        let [start, end] = self.spans[nth];
        self.bytes.get(start as usize..end as usize)
    }

    /// Returns the number of bytes of the `nth` column.
    #[inline(always)]
    pub(crate) fn length(&self, nth: usize) -> usize {
        let [start, end] = self.spans[nth];
        end.saturating_sub(start) as usize
    }

    /// Returns the `K` bytes from the beginning of the `nth` column on, unless the haystack ends before.
    /// Those after the column can be anything.
    #[inline(always)]
    pub(crate) fn first_bytes<const K: usize>(&self, nth: usize) -> Option<&'a [u8; K]> {
        near_chunk_at(self.bytes, self.spans[nth][0])
    }
}

impl Rows<'_> {
    /// Shows every row to `visitor`, in order.
    ///
    /// # Panics
    /// If the fold named other columns than the visitor's.
    pub(crate) fn each_row<V: RowVisitor>(&self, visitor: V) {
        assert_eq!(self.places, V::COLUMNS, "the fold named other columns");
        self.simd.dispatch(EachRow {
            rows: self,
            visitor,
        });
    }
}

/// The number of a line's entries that are read with one comparison for all.
const ENTRIES: usize = 16;

/// Shows rows to a visitor.
struct EachRow<'a, V> {
    rows: &'a Rows<'a>,
    visitor: V,
}

impl<V: RowVisitor> Kernel for EachRow<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let EachRow { rows, visitor } = self;
        match (rows.numbers, rows.lines) {
            (None, LineTable::Regular { step: 1, .. }) => search(level, rows, visitor),
            (None, LineTable::Regular { step, length }) if length >= ENTRIES => {
                read_regular(level, rows, step, visitor);
            }
            _ => read_listed(level, rows, visitor),
        }
    }
}

/// Shows rows whose columns stand at the same places of each line's entries.
#[inline(always)]
fn read_regular<L: Level, V: RowVisitor>(level: L, rows: &Rows<'_>, step: usize, mut visitor: V) {
    const { assert!(V::COLUMNS[0] < V::COLUMNS[1], "columns ascend") };
    const { assert!(V::COLUMNS[1] + 2 < ENTRIES, "neither is the last") };
    let mut from = 0;
    for _ in 0..rows.len() {
        let ends: &[u32; ENTRIES] = near_chunk_at(rows.ends, from).expect("lines have entries");
        let spans = V::COLUMNS.map(|column| [ends[column].wrapping_add(1), ends[column + 1]]);
        let bytes = rows.bytes;
        visitor.row(level, Cells { bytes, spans });
        from += step as u32;
    }
}

/// Shows rows of any shape.
#[inline(always)]
fn read_listed<L: Level, V: RowVisitor>(level: L, rows: &Rows<'_>, mut visitor: V) {
    for row in rows.iter() {
        let spans = [0, 1].map(|nth| row.span(nth).unwrap_or(ABSENT));
        let bytes = rows.bytes;
        visitor.row(level, Cells { bytes, spans });
    }
}

/// Shows rows whose columns are yet to be searched for.
#[inline(always)]
fn search<L: Level, V: RowVisitor>(level: L, rows: &Rows<'_>, mut visitor: V) {
    let delimiter = rows.delimiter;
    let mut lines = [Line::default(); BATCH_ROWS];
    for first in (0..rows.len()).step_by(BATCH_ROWS) {
        let batch = &mut lines[..BATCH_ROWS.min(rows.len() - first)];
        Line::read(level, rows, delimiter, first, batch);
        for (nth, line) in (first..).zip(&*batch) {
            rows.prefetch(nth);
            let bytes = rows.bytes;
            match line.two::<L, V>(level, rows, delimiter) {
                Some(spans) => visitor.row(level, Cells { bytes, spans }),
                None => visitor.odd_row(line.split_two::<V>(rows)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Simd;
    use super::super::{Chunk, Need, Scan, Scratch};
    use super::*;

    struct Names;

    impl RowVisitor for Names {
        const COLUMNS: [usize; 2] = [1, 7];

        #[inline(always)]
        fn row<L: Level>(&mut self, _: L, _: Cells<'_>) {}

        fn odd_row(&mut self, _: Cells<'_>) {}
    }

    /// Otherwise a fold would read columns that it did not name.
    #[test]
    #[should_panic(expected = "the fold named other columns")]
    fn a_visitor_gets_no_other_columns_than_the_fold_named() {
        let line = b"0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20\n";
        let scan = Scan::of(Simd::best(), Need::Pair([1, 4]), 21);
        let chunk = Chunk {
            haystack: line,
            range: 0..line.len(),
            offset: 0,
        };
        let show = &mut |rows: &Rows<'_>| {
            rows.each_row(Names);
            Ok(())
        };
        let _ = scan.chunk(&chunk, &mut Scratch::default(), show);
    }
}
