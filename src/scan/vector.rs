//! A column of a few rows, to be worked on side by side.

use super::cell::Cell;
use super::rows::{LineTable, Rows, near_chunk_at};
use crate::fec::origin::ORIGIN;
use crate::fec::word;

/// The number of rows of a vector. A block has some 85 rows of contributions; places without a row cost little.
pub(crate) const ROWS: usize = 32;

/// A column of up to 32 rows: where each value lies. Loops over what the values begin with have no branches, so that the
/// compiler makes them of instructions for several rows.
///
/// One row after the other, month, state and amount of a row, and adding it to its group, took 231 instructions of
/// AVX-512, and two filters 107. Side by side they take 114 and 86.
#[derive(Clone, Debug)]
pub(crate) struct Vector<'a> {
    haystack: &'a [u8],
    /// The first byte of each value.
    starts: [u32; ROWS],
    /// The number of bytes of each value. If a changing file has turned its positions round, any number.
    lengths: [u64; ROWS],
}

impl<'a> Vector<'a> {
    /// Returns a vector of empty values. Others may be set that lie in `haystack`.
    #[inline(always)]
    pub(crate) fn new(haystack: &'a [u8]) -> Vector<'a> {
        Vector {
            haystack,
            starts: [0; ROWS],
            lengths: [0; ROWS],
        }
    }

    /// Returns the vector of some cells of one haystack.
    #[cfg(test)]
    pub(crate) fn of(haystack: &'a [u8], spans: &[std::ops::Range<usize>]) -> Vector<'a> {
        let mut vector = Vector::new(haystack);
        for (nth, span) in spans.iter().enumerate() {
            vector.set(nth, [span.start as u32, span.end as u32]);
        }
        vector
    }

    /// Sets the value of the `nth` row: from a byte of the haystack to another.
    #[inline(always)]
    pub(crate) fn set(&mut self, nth: usize, [start, end]: [u32; 2]) {
        self.starts[nth] = start;
        self.lengths[nth] = end.wrapping_sub(start).into();
    }

    /// Returns the value of the `nth` row.
    #[inline(always)]
    pub(crate) fn cell(&self, nth: usize) -> Cell<'a> {
        let start = self.starts[nth];
        Cell::at(
            self.haystack,
            [start, start.wrapping_add(self.lengths[nth] as u32)],
        )
    }

    /// Returns the first eight bytes of each value, the first one lowest, and its length. Of a shorter value, the others are
    /// the bytes behind it.
    #[inline(always)]
    pub(crate) fn heads(&self) -> impl Iterator<Item = (u64, u64)> {
        self.words_at(0).into_iter().zip(self.lengths)
    }

    /// Returns the eight bytes from this one of each value on, whatever its length.
    #[inline(always)]
    pub(crate) fn words_at(&self, byte: u32) -> [u64; ROWS] {
        let mut words = [0; ROWS];
        for (word, &start) in words.iter_mut().zip(&self.starts) {
            let start = start.wrapping_add(byte);
            *word = match near_chunk_at(self.haystack, start) {
                Some(bytes) => u64::from_le_bytes(*bytes),
                None => last_bytes(self.haystack, start as usize),
            };
        }
        words
    }

    /// Returns the number of bytes of each value.
    #[inline(always)]
    pub(crate) fn lengths(&self) -> &[u64; ROWS] {
        &self.lengths
    }

    /// Returns the greatest number of bytes of a value.
    #[inline(always)]
    pub(crate) fn longest(&self) -> u64 {
        self.lengths
            .iter()
            .fold(0, |longest, &length| longest.max(length))
    }

    /// Sets the value of all rows, empty by default.
    #[cold]
    #[inline(never)]
    fn fill(&mut self, value: Option<(&'a [u8], [u32; 2])>) {
        let (haystack, span) = value.unwrap_or_default();
        self.haystack = haystack;
        (0..ROWS).for_each(|nth| self.set(nth, span));
    }

    /// Reads the column of some lines that have this number of entries each, from `ends` on.
    #[inline(always)]
    fn read(&mut self, ends: &[u32], step: usize, lines: impl Iterator<Item = usize>) {
        let places = self.starts.iter_mut().zip(&mut self.lengths);
        for (line, (at, length)) in lines.zip(places) {
            // Fewer entries than bytes, and so in 32 bits.
            let entry = (line * step) as u32;
            let &[before, end] = near_chunk_at(ends, entry).expect("lines have entries");
            let start = before.wrapping_add(1);
            *at = start;
            *length = end.wrapping_sub(start).into();
        }
    }
}

/// Returns fewer than eight bytes from `start` on, and zeros.
#[cold]
#[inline(never)]
pub(super) fn last_bytes(bytes: &[u8], start: usize) -> u64 {
    let bytes = bytes.get(start..).unwrap_or_default();
    let in_front = u64::BITS - 8 * bytes.len() as u32;
    let word = word(bytes).unwrap_or_default();
    word.checked_shr(in_front).unwrap_or_default()
}

impl<'a> Rows<'a> {
    /// Reads a column that the fold named, in the rows from `start` on. Returns their number, at most [`ROWS`].
    ///
    /// A column that a line lacks is empty. Places after the last row keep what was read before.
    ///
    /// # Panics
    /// If there are no rows from `start` on.
    #[inline(always)]
    pub(crate) fn read(&self, nth: usize, start: usize, vector: &mut Vector<'a>) -> usize {
        self.prefetch_later();
        let end = self.len().min(start + ROWS);
        match self.numbers {
            Some(numbers) => {
                let lines = numbers[start..end].iter().map(|&line| line as usize);
                self.read_lines(nth, start..end, lines, vector);
            }
            None => self.read_lines(nth, start..end, start..end, vector),
        }
        end - start
    }

    /// Reads a column that the fold named in the rows with these numbers, of which there are at most [`ROWS`].
    #[inline(always)]
    pub(crate) fn read_some(&self, nth: usize, rows: &[u32], vector: &mut Vector<'a>) {
        let rows = rows.iter().map(|&row| row as usize);
        match self.numbers {
            Some(numbers) => {
                let lines = rows.clone().map(|row| numbers[row] as usize);
                self.read_lines(nth, rows, lines, vector);
            }
            None => self.read_lines(nth, rows.clone(), rows, vector),
        }
    }

    /// Reads a column of some rows, which are the lines with these numbers.
    #[inline(always)]
    fn read_lines(
        &self,
        nth: usize,
        rows: impl Iterator<Item = usize>,
        lines: impl Iterator<Item = usize>,
        vector: &mut Vector<'a>,
    ) {
        let place = self.places[nth];
        if place >= ORIGIN {
            return vector.fill(self.input.value(place));
        }
        vector.haystack = self.bytes;
        match self.lines {
            LineTable::Regular { step, length } if place + 2 < length => {
                vector.read(&self.ends[place..], step, lines);
            }
            _ => {
                for (at, row) in rows.enumerate() {
                    vector.set(at, self.row_at(row).span(nth).unwrap_or_default());
                }
            }
        }
    }
}
