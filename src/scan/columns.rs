//! Columns of lines that all have the same number of delimiters.

use super::cell::Cell;
use super::heads::{Heads, ROWS};
use super::rows::{LineTable, Rows, near_chunk_at};

/// A column of rows.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    pub(super) bytes: &'a [u8],
    /// From the first line's entry before the column on.
    ends: &'a [u32],
    /// The number of entries from one line to the next.
    step: usize,
    /// The numbers of the rows among the lines, if they are not all lines.
    numbers: Option<&'a [u32]>,
}

impl<'a> Column<'a> {
    /// Returns the column of the `nth` row.
    ///
    /// # Panics
    /// If there are fewer rows.
    #[inline(always)]
    pub(crate) fn cell(&self, nth: usize) -> Cell<'a> {
        let line = self.numbers.map_or(nth, |numbers| numbers[nth] as usize);
        Cell::at(self.bytes, self.span(line))
    }

    /// Returns the first byte of the column in a line, and the byte after its last.
    ///
    /// # Panics
    /// If there are fewer lines.
    #[inline(always)]
    pub(super) fn span(&self, line: usize) -> [u32; 2] {
        // Fewer entries than bytes, and so in 32 bits.
        let entry = (line * self.step) as u32;
        let &[before, end] = near_chunk_at(self.ends, entry).expect("lines have entries");
        [before.wrapping_add(1), end]
    }
}

impl<'a> Rows<'a> {
    /// Returns a column that the fold named, if no row lacks it or ends with it. Fewer comparisons than
    /// [`Row::cell`](super::Row::cell) takes.
    #[inline(always)]
    pub(crate) fn column(&self, nth: usize) -> Option<Column<'a>> {
        let place = self.places[nth];
        let (step, length, numbers) = match self.lines {
            LineTable::Regular { step, length, .. } => (step, length, None),
            LineTable::Kept {
                numbers,
                step,
                length,
            } => (step, length, Some(numbers)),
            LineTable::Listed(_) => return None,
        };
        // Without rows there may be no entries.
        let ends = self.ends.get(place..)?;
        (place + 2 < length).then_some(Column {
            bytes: self.bytes,
            ends,
            step,
            numbers,
        })
    }

    /// Reads the heads of a column in the rows from `start` on, as far as there are.
    ///
    /// # Panics
    /// If there are no rows from `start` on.
    #[inline(always)]
    pub(crate) fn read_heads(&self, column: &Column<'_>, start: usize, heads: &mut Heads) {
        let end = self.len().min(start + ROWS);
        match column.numbers {
            None => heads.read(column, start..end),
            Some(numbers) => {
                let lines = numbers[start..end].iter();
                heads.read(column, lines.map(|&line| line as usize));
            }
        }
    }

    /// Returns these columns of one row after the other, if each is one of [`Rows::column`].
    #[inline(always)]
    pub(crate) fn columns<const N: usize>(
        &self,
        nths: [usize; N],
    ) -> Option<impl Iterator<Item = [Cell<'a>; N]> + use<'a, N>> {
        let columns = nths.map(|nth| self.column(nth));
        if columns.iter().any(Option::is_none) {
            return None;
        }
        let columns = columns.map(|column| column.expect("all are there"));
        Some((0..self.len()).map(move |nth| columns.map(|column| column.cell(nth))))
    }
}
