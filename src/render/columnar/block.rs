//! Cells on their way from rows to columns.

use std::ops::Range;

use crate::fold::export::Source;
use crate::render::encode;
use crate::scan::{Cell, ROWS, Vector};

/// The number of bytes that are copied at once, whatever the length of a cell.
const COPIED_BYTES: usize = 32;

/// The most memory that a column keeps for other rows. Columns of chunks of 2 MiB have far less.
const KEPT_BYTES: usize = 4 << 20;

/// Whole rows, column by column.
#[derive(Clone, Debug)]
pub struct Block {
    pub(super) columns: Vec<Cells>,
}

/// The cells of a column, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The bytes of all cells, and at least [`COPIED_BYTES`] more.
    bytes: Vec<u8>,
    used: usize,
    /// Zero, and where each cell ends.
    ends: Vec<i32>,
}

impl Block {
    /// Returns a block without rows.
    pub(crate) fn new(columns: usize) -> Block {
        Block {
            columns: vec![Cells::default(); columns],
        }
    }

    /// Returns the number of bytes of memory that the rows take.
    pub(crate) fn memory(&self) -> usize {
        let memory = |cells: &Cells| cells.used + size_of_val(&cells.ends[..]);
        self.columns.iter().map(memory).sum()
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, Cells::len)
    }

    /// Returns the number of bytes of the cells of these rows.
    pub(super) fn bytes_of(&self, rows: Range<usize>) -> usize {
        let bytes = |cells: &Cells| cells.bytes_of(rows.clone());
        self.columns.iter().map(bytes).sum()
    }

    /// Adds the rows of `from`, with the same columns.
    pub(crate) fn add_rows(&mut self, from: &encode::Block<'_>) {
        let rows = from.rows;
        for (cells, column) in self.columns.iter_mut().zip(from.columns()) {
            let nth = match column.source {
                Source::Row(nth) => nth,
                Source::Made(nth) => {
                    let value = |row| Cell::from(from.made.value(row, nth));
                    cells.extend((0..rows.len()).map(value));
                    continue;
                }
            };
            let mut column = Vector::new(&[]);
            for start in (0..rows.len()).step_by(ROWS) {
                let count = rows.read(nth, start, &mut column);
                cells.extend((0..count).map(|nth| column.cell(nth)));
            }
        }
    }

    /// Adds some rows of `other`.
    pub(super) fn append(&mut self, other: &Block, rows: Range<usize>) {
        for (cells, others) in self.columns.iter_mut().zip(&other.columns) {
            cells.append(others, rows.clone());
        }
    }

    /// Returns a block without rows, with memory for some more than these.
    pub(super) fn emptied(&self) -> Block {
        Block {
            columns: self.columns.iter().map(Cells::emptied).collect(),
        }
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Cells::clear);
    }
}

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            bytes: vec![0; COPIED_BYTES],
            used: 0,
            ends: vec![0],
        }
    }
}

impl Cells {
    /// Returns the number of cells.
    pub(super) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns the bytes of all cells.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    /// Returns the same, and zero and where each cell ends.
    pub(super) fn into_bytes_and_ends(mut self) -> (Vec<u8>, Vec<i32>) {
        self.bytes.truncate(self.used);
        (self.bytes, self.ends)
    }

    /// Returns the cells. Those of few bytes are quick to read, because bytes follow them.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        self.ends.windows(2).map(|ends| {
            let [start, end] = [ends[0] as usize, ends[1] as usize];
            Cell::new(&self.bytes[start..], end - start)
        })
    }

    /// Removes all cells. Memory that is unusually large is given back.
    pub(super) fn clear(&mut self) {
        if self.bytes.len() > KEPT_BYTES {
            *self = Cells::default();
        }
        self.used = 0;
        self.ends.truncate(1);
    }

    /// Adds cells, some at a time.
    #[inline(always)]
    pub(super) fn extend<'c>(&mut self, mut cells: impl Iterator<Item = Cell<'c>>) {
        let mut ends = [0; 128];
        loop {
            let mut used = self.used;
            let mut count = 0;
            self.grow_to(used + ends.len() * COPIED_BYTES);
            for (end, cell) in ends.iter_mut().zip(cells.by_ref()) {
                let to = self.bytes.get_mut(used..);
                let to = to.and_then(|to| to.first_chunk_mut::<COPIED_BYTES>());
                match (cell.first_bytes(), to) {
                    (Some(from), Some(to)) if cell.len() <= COPIED_BYTES => {
                        *to = *from;
                        used += cell.len();
                    }
                    _ => {
                        self.used = used;
                        self.push_long(cell.bytes());
                        used = self.used;
                    }
                }
                *end = used as i32;
                count += 1;
            }
            self.used = used;
            self.ends.extend_from_slice(&ends[..count]);
            if count < ends.len() {
                return self.grow_to(self.used);
            }
        }
    }

    #[inline(never)]
    fn push_long(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        assert!(i32::try_from(end).is_ok(), "blocks are far smaller");
        self.grow_to(end);
        self.bytes[self.used..end].copy_from_slice(bytes);
        self.used = end;
    }

    /// Makes room for so many bytes, and for what is copied behind them.
    #[inline(always)]
    fn grow_to(&mut self, end: usize) {
        if self.bytes.len() < end + COPIED_BYTES {
            self.grow(end);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize) {
        let size = end.max(2 * self.bytes.len());
        self.bytes.resize(size + COPIED_BYTES, 0);
    }

    /// Adds some cells of `other`. Touches no memory beyond them.
    fn append(&mut self, other: &Cells, rows: Range<usize>) {
        let ends = &other.ends[rows.start..=rows.end];
        let (start, end) = (ends[0], ends[rows.len()]);
        let bytes = &other.bytes[start as usize..end as usize + COPIED_BYTES];
        let moved = self.used as i32 - start;
        self.bytes.truncate(self.used);
        self.bytes.extend_from_slice(bytes);
        self.used += bytes.len() - COPIED_BYTES;
        self.ends.extend(ends[1..].iter().map(|end| end + moved));
    }

    /// Returns the number of bytes of these cells.
    fn bytes_of(&self, rows: Range<usize>) -> usize {
        (self.ends[rows.end] - self.ends[rows.start]) as usize
    }

    /// Returns no cells, with memory for some more than these.
    fn emptied(&self) -> Cells {
        let room = |used: usize| used + used / 16;
        let mut bytes = Vec::with_capacity(room(self.used) + COPIED_BYTES);
        bytes.resize(COPIED_BYTES, 0);
        let mut ends = Vec::with_capacity(room(self.ends.len()));
        ends.push(0);
        Cells {
            bytes,
            used: 0,
            ends,
        }
    }
}
