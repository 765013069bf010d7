//! Cells on their way from rows to columns.

use std::iter;
use std::ops::Range;

use crate::fold::export::Source;
use crate::render::{decoded, encode};
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
    /// Where each cell ends, up to some cell after which all are empty.
    ends: Vec<u32>,
    length: usize,
}

impl Block {
    /// Returns a block without rows.
    pub(super) fn new(columns: usize) -> Block {
        Block {
            columns: vec![Cells::default(); columns],
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Cells::len)
    }

    /// Returns the number of bytes of all cells.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|cells| cells.used).sum()
    }

    /// Returns the number of bytes of memory that the rows take.
    pub(crate) fn size(&self) -> usize {
        let size = |cells: &Cells| cells.used + size_of_val(&cells.ends[..]);
        self.columns.iter().map(size).sum()
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

    /// Adds a row of these `cells`, one for each column.
    ///
    /// # Panics
    /// If there are more or fewer.
    pub fn add_row<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.push(cells.next().expect("a row has a cell for each column"));
        }
        assert!(cells.next().is_none(), "a row has a cell for each column");
    }

    /// Adds the rows of `other`.
    pub(super) fn append(&mut self, other: &Block) {
        for (cells, others) in self.columns.iter_mut().zip(&other.columns) {
            cells.append(others);
        }
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Cells::clear);
    }

    /// Returns the number of bytes of these rows.
    pub(super) fn bytes_of(&self, rows: Range<usize>) -> usize {
        let span = |cells: &Cells| cells.start(rows.end) - cells.start(rows.start);
        self.columns.iter().map(span).sum()
    }
}

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            bytes: vec![0; COPIED_BYTES],
            used: 0,
            ends: Vec::new(),
            length: 0,
        }
    }
}

impl Cells {
    /// Returns the number of cells.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Removes all cells. Memory that is unusually large is given back.
    fn clear(&mut self) {
        if self.bytes.len() > KEPT_BYTES {
            *self = Cells::default();
        }
        self.used = 0;
        self.ends.clear();
        self.length = 0;
    }

    /// Adds a cell.
    pub(super) fn push(&mut self, cell: Cell<'_>) {
        self.extend([cell].into_iter());
    }

    /// Adds cells, some at a time: their ends need no room in memory while all are empty.
    #[inline(always)]
    fn extend<'c>(&mut self, mut cells: impl Iterator<Item = Cell<'c>>) {
        let mut ends = [0; 128];
        loop {
            let before = self.used;
            let mut count = 0;
            self.grow_to(before + ends.len() * COPIED_BYTES);
            let mut used = before;
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
                *end = used as u32;
                count += 1;
            }
            self.used = used;
            if self.used > before {
                self.ends.resize(self.length, before as u32);
                self.ends.extend_from_slice(&ends[..count]);
            }
            self.length += count;
            if count < ends.len() {
                return self.grow_to(self.used);
            }
        }
    }

    #[inline(never)]
    fn push_long(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        assert!(u32::try_from(end).is_ok(), "blocks are far smaller");
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

    fn append(&mut self, other: &Cells) {
        let before = self.used as u32;
        if other.used > 0 {
            self.ends.resize(self.length, before);
            self.push_long(&other.bytes[..other.used]);
            self.ends.extend(other.ends.iter().map(|&end| end + before));
        }
        self.length += other.length;
    }

    /// Returns the first byte of the `nth` cell, or the byte after the last cell.
    #[inline(always)]
    pub(super) fn start(&self, nth: usize) -> usize {
        match nth.checked_sub(1) {
            Some(before) => self.ends.get(before).map_or(self.used, |&end| end as usize),
            None => 0,
        }
    }

    /// Returns the bytes of these cells.
    pub(super) fn bytes_of(&self, rows: Range<usize>) -> &[u8] {
        &self.bytes[self.start(rows.start)..self.start(rows.end)]
    }

    /// Returns these cells. Those of few bytes are quick to read, because bytes follow them.
    #[inline(always)]
    pub(super) fn iter(&self, rows: Range<usize>) -> impl Iterator<Item = Cell<'_>> {
        let mut start = self.start(rows.start);
        let stored = rows.start.min(self.ends.len())..rows.end.min(self.ends.len());
        let empty = Cell::new(&self.bytes[self.used..], 0);
        let empties = iter::repeat_n(empty, rows.len() - stored.len());
        let cells = self.ends[stored].iter().map(move |&end| {
            let end = end as usize;
            let cell = Cell::new(&self.bytes[start..], end - start);
            start = end;
            cell
        });
        cells.chain(empties)
    }

    /// Returns the cells of these rows as UTF-8, if they are not ASCII.
    pub(super) fn decoded(&self, rows: Range<usize>) -> Option<Cells> {
        if self.bytes_of(rows.clone()).is_ascii() {
            return None;
        }
        let mut text = Cells::default();
        for cell in self.iter(rows) {
            text.push(Cell::from(decoded(&cell).as_bytes()));
        }
        Some(text)
    }
}
