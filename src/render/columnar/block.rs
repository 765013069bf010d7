//! Cells on their way from rows to columns.

use std::ops::Range;

use crate::render::encode::{self, Buffer};
use crate::scan::{Cell, ROWS, Vector};
use crate::sql::projection::Source;

/// The most memory that a column keeps for other rows. Columns of chunks of 2 MiB have far less.
const KEPT_BYTES: usize = 4 << 20;

/// Whole rows, column by column.
#[derive(Debug)]
pub struct Block {
    pub(super) columns: Vec<Cells>,
}

#[derive(Debug)]
pub(super) struct Cells {
    bytes: Buffer,
    /// Zero, and where each cell ends.
    ends: Vec<i32>,
    /// Which cells are NULL; empty as long as none is.
    nulls: Vec<bool>,
}

impl Block {
    pub(crate) fn new(columns: usize) -> Block {
        Block {
            columns: (0..columns).map(|_| Cells::default()).collect(),
        }
    }

    pub(crate) fn memory(&self) -> usize {
        let memory = |cells: &Cells| cells.bytes.len() + size_of_val(&cells.ends[..]);
        self.columns.iter().map(memory).sum()
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, Cells::len)
    }

    pub(super) fn bytes_of(&self, rows: Range<usize>) -> usize {
        let bytes = |cells: &Cells| cells.bytes_of(rows.clone());
        self.columns.iter().map(bytes).sum()
    }

    pub(crate) fn add_rows(&mut self, from: &encode::Block<'_>) {
        let rows = from.rows;
        for (cells, column) in self.columns.iter_mut().zip(from.columns()) {
            let nth = match column.source {
                Source::Row(nth) => nth,
                Source::Derived(nth) => {
                    let value = |row| from.derived.cell(row, nth);
                    cells.extend((0..rows.len()).map(value));
                    let before = cells.len() - rows.len();
                    cells.mark_nulls(before, rows.len(), |row| from.derived.is_null(row, nth));
                    continue;
                }
                Source::Label => {
                    cells.extend((0..rows.len()).map(|_| from.derived.label()));
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

    pub(super) fn append(&mut self, other: &Block, rows: Range<usize>) {
        for (cells, others) in self.columns.iter_mut().zip(&other.columns) {
            cells.append(others, rows.clone());
        }
    }

    pub(super) fn emptied(&self) -> Block {
        Block {
            columns: self.columns.iter().map(Cells::emptied).collect(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Cells::clear);
    }
}

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            bytes: Buffer::default(),
            ends: vec![0],
            nulls: Vec::new(),
        }
    }
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Says whether a cell is NULL.
    pub(super) fn is_null(&self, nth: usize) -> bool {
        self.nulls.get(nth).is_some_and(|is_null| *is_null)
    }

    /// Says whether any cell is NULL.
    pub(super) fn has_nulls(&self) -> bool {
        !self.nulls.is_empty()
    }

    /// Marks those of some cells from `before` on that are NULL.
    fn mark_nulls(&mut self, before: usize, rows: usize, is_null: impl Fn(usize) -> bool) {
        for row in (0..rows).filter(|row| is_null(*row)) {
            self.nulls.resize(before + row, false);
            self.nulls.push(true);
        }
    }

    pub(super) fn into_bytes_and_ends(self) -> (Vec<u8>, Vec<i32>) {
        (self.bytes.into_vec(), self.ends)
    }

    /// Returns the cells. Those of few bytes are quick to read, because bytes follow them.
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        self.ends.windows(2).map(|ends| {
            let [start, end] = [ends[0] as usize, ends[1] as usize];
            self.bytes.text(start..end).into()
        })
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear(KEPT_BYTES);
        self.ends.truncate(1);
        self.nulls.clear();
    }

    #[inline(always)]
    pub(super) fn extend<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>) {
        let bytes = &mut self.bytes;
        self.ends.extend(cells.map(|cell| {
            bytes.push(cell.into());
            bytes.len() as i32
        }));
        assert!(
            i32::try_from(self.bytes.len()).is_ok(),
            "blocks are far smaller"
        );
    }

    fn append(&mut self, other: &Cells, rows: Range<usize>) {
        let ends = &other.ends[rows.start..=rows.end];
        if other.has_nulls() {
            self.mark_nulls(self.len(), rows.len(), |nth| {
                other.is_null(rows.start + nth)
            });
        }
        let (start, end) = (ends[0], ends[rows.len()]);
        let moved = self.bytes.len() as i32 - start;
        let bytes = &other.bytes()[start as usize..end as usize];
        self.bytes.extend_from_slice(bytes);
        self.ends.extend(ends[1..].iter().map(|end| end + moved));
    }

    /// Returns no cells, with memory for some more than these.
    fn emptied(&self) -> Cells {
        let room = |used: usize| used + used / 16;
        let mut ends = Vec::with_capacity(room(self.ends.len()));
        ends.push(0);
        Cells {
            bytes: Buffer::with_capacity(room(self.bytes.len())),
            ends,
            nulls: Vec::new(),
        }
    }

    fn bytes_of(&self, rows: Range<usize>) -> usize {
        (self.ends[rows.end] - self.ends[rows.start]) as usize
    }
}
