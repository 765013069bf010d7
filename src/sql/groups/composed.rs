//! Keys of several parts as bytes, for rows side by side.

use crate::fold::key_words::KEY_SEPARATOR;
use crate::scan::{COPIED_BYTES, Cell, ROWS, Vector};
use crate::sql::keys::{KeyForm, push_part};
use crate::sql::types::Type;
use crate::sql::vector::{Data, Mask, Texts, Values, each};

/// The key of all rows of a grouping set without keys. Tables find a key of some bytes faster than an empty one.
pub(super) const OF_ALL: u8 = b'-';

/// Bytes of up to [`ROWS`] rows, and where those of each row lie.
#[derive(Debug)]
pub(super) struct Composed {
    bytes: Vec<u8>,
    spans: [[u32; 2]; ROWS],
    /// The number of rows.
    count: usize,
}

impl Default for Composed {
    fn default() -> Composed {
        Composed {
            bytes: Vec::new(),
            spans: [[0; 2]; ROWS],
            count: 0,
        }
    }
}

impl Composed {
    /// Returns the rows that were put together, once all are: what has just been written in pieces can't be loaded at once.
    #[inline(always)]
    pub(super) fn vector(&self) -> Vector<'_> {
        let mut vector = Vector::new(&self.bytes);
        for (nth, &span) in self.spans[..self.count].iter().enumerate() {
            vector.set(nth, span);
        }
        vector
    }

    /// Puts together what `push` appends for each row of a mask. Rows that are left out take no place.
    #[inline(always)]
    pub(super) fn make(&mut self, rows: Mask, mut push: impl FnMut(usize, &mut Vec<u8>)) {
        self.bytes.clear();
        self.count = 0;
        each(rows, |row| {
            let start = self.bytes.len();
            push(row, &mut self.bytes);
            self.spans[self.count] = [start as u32, self.bytes.len() as u32];
            self.count += 1;
        });
        self.bytes.extend_from_slice(&[0; COPIED_BYTES]);
    }

    /// Takes the values of a key in the first `rows`.
    pub(super) fn take(&mut self, values: Values<'_>, of: Type, form: KeyForm, rows: Mask) {
        match values.data {
            Data::Text(Texts::Made(bytes, spans)) if form == KeyForm::Plain => {
                (self.bytes, self.spans) = (bytes, spans);
                self.bytes.extend_from_slice(&[0; COPIED_BYTES]);
                self.count = rows.count_ones() as usize;
            }
            _ => self.make(rows, |row, out| push_part(&values, of, form, row, out)),
        }
    }

    /// Returns the bytes of a row.
    #[inline(always)]
    pub(super) fn cell(&self, row: usize) -> Cell<'_> {
        Cell::at(&self.bytes, self.spans[row])
    }

    /// Returns the key of one row, which has these parts.
    #[inline(always)]
    pub(super) fn one<'c>(&mut self, parts: impl Iterator<Item = Cell<'c>>) -> Cell<'_> {
        self.bytes.clear();
        for (place, part) in parts.enumerate() {
            if place > 0 {
                self.bytes.push(KEY_SEPARATOR);
            }
            part.append_to(&mut self.bytes);
        }
        let used = self.bytes.len();
        self.bytes.extend_from_slice(&[0; COPIED_BYTES]);
        Cell::new(&self.bytes, used)
    }
}
