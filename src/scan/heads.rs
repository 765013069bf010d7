//! Short columns of many rows: read first, and then worked on side by side.

use super::cell::Cell;
use super::columns::Column;
use super::rows::near_chunk_at;
use crate::fec::word;

/// The number of rows that are worked on together. A block has some 85 rows of contributions; places without a row
/// cost little.
pub(crate) const ROWS: usize = 32;

/// What begins each of some cells of a column: loops over it have no branches, so that the compiler makes them of
/// instructions for several rows.
///
/// One cell after the other, month, state and amount of a row, and adding it to its group, took 231 instructions of
/// AVX-512, and two filters 107. Side by side they take 114 and 86.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    /// The first eight bytes of each cell, the first one lowest. Of a shorter cell, the others are the bytes behind it.
    bytes: [u64; ROWS],
    /// The number of bytes of each cell. If a changing file has turned its positions round, any number.
    lengths: [u64; ROWS],
}

impl Heads {
    /// Returns the heads of some cells.
    #[cfg(test)]
    pub(crate) fn of(cells: &[Cell<'_>]) -> Heads {
        let mut heads = Heads::default();
        for (nth, &cell) in cells.iter().enumerate() {
            [heads.bytes[nth], heads.lengths[nth]] = Heads::of_cell(cell);
        }
        heads
    }

    /// Returns the first bytes and the length of a cell.
    #[inline(always)]
    pub(super) fn of_cell(cell: Cell<'_>) -> [u64; 2] {
        let bytes = match cell.first_bytes() {
            Some(first) => u64::from_le_bytes(*first),
            None => last_bytes(cell.bytes(), 0),
        };
        [bytes, cell.len() as u64]
    }

    /// Returns the first bytes and the length of each cell.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&u64, &u64)> {
        self.bytes.iter().zip(&self.lengths)
    }

    /// Reads the heads of a column, in the lines with these numbers. Places without a line keep what was read before.
    #[inline(always)]
    pub(super) fn read(&mut self, column: &Column<'_>, lines: impl Iterator<Item = usize>) {
        let places = self.bytes.iter_mut().zip(&mut self.lengths);
        for (line, (bytes, length)) in lines.zip(places) {
            let [start, end] = column.span(line);
            *length = end.wrapping_sub(start).into();
            *bytes = match near_chunk_at(column.bytes, start) {
                Some(first) => u64::from_le_bytes(*first),
                None => last_bytes(column.bytes, start),
            };
        }
    }
}

/// Returns fewer than eight bytes from `start` on, and zeros.
#[cold]
#[inline(never)]
fn last_bytes(bytes: &[u8], start: u32) -> u64 {
    let bytes = bytes.get(start as usize..).unwrap_or_default();
    let in_front = u64::BITS - 8 * bytes.len() as u32;
    let word = word(bytes).unwrap_or_default();
    word.checked_shr(in_front).unwrap_or_default()
}
