//! Texts of a page without a dictionary: their lengths, packed, and then their bytes. Or as what differs from
//! the text before.

use std::ops::Range;

use super::dictionary::head;
use super::packed::encode_deltas;
use crate::render::columnar::block::Cells;
use crate::scan::Cell;

/// A page has few more bytes.
const BYTES_MAX: usize = 1 << 20;

/// What is left out of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// Nothing.
    Kept,
    /// What it has in common with the text before. Identifiers often count upwards.
    Shared,
}

/// Texts of a page.
pub(super) struct Strings {
    pub(super) prefix: Prefix,
    prefixes: Vec<u32>,
    /// The number of bytes of each text after the prefix.
    lengths: Vec<u32>,
    bytes: Vec<u8>,
    last: Vec<u8>,
}

impl Strings {
    pub(super) fn new(prefix: Prefix) -> Strings {
        Strings {
            prefix,
            prefixes: Vec::new(),
            lengths: Vec::new(),
            bytes: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Says whether the page should end.
    pub(super) fn are_many(&self) -> bool {
        self.bytes.len() >= BYTES_MAX
    }

    /// Adds the texts that are not empty, up to the one with which the page should end. Returns the number of
    /// rows that it has looked at.
    pub(super) fn push_filled(&mut self, cells: &Cells, rows: Range<usize>) -> usize {
        match self.prefix {
            Prefix::Kept => self.push_lengths(cells, rows, true),
            Prefix::Shared => self.push_suffixes(cells, rows, true),
        }
    }

    /// Adds all texts, up to the one with which the page should end. Returns how many these are.
    pub(super) fn push_all(&mut self, cells: &Cells, rows: Range<usize>) -> usize {
        match self.prefix {
            Prefix::Kept => self.push_lengths(cells, rows, false),
            Prefix::Shared => self.push_suffixes(cells, rows, false),
        }
    }

    /// Adds a text.
    pub(super) fn push(&mut self, cell: Cell<'_>) {
        match self.prefix {
            Prefix::Kept => {
                self.lengths.push(cell.len() as u32);
                self.bytes.extend_from_slice(&cell);
            }
            Prefix::Shared => {
                let shared = if self.prefixes.is_empty() {
                    0
                } else {
                    shared(Cell::from(&self.last[..]), cell)
                };
                self.push_suffix(cell, shared);
                self.last.clear();
                self.last.extend_from_slice(&cell);
            }
        }
    }

    /// The bytes of neighbours are copied at once.
    fn push_lengths(&mut self, cells: &Cells, rows: Range<usize>, skips: bool) -> usize {
        let (mut taken, mut bytes) = (0, self.bytes.len());
        for cell in cells.iter(rows.clone()) {
            taken += 1;
            if !(skips && cell.is_empty()) {
                self.lengths.push(cell.len() as u32);
            }
            bytes += cell.len();
            if bytes >= BYTES_MAX {
                break;
            }
        }
        let rows = rows.start..rows.start + taken;
        self.bytes.extend_from_slice(cells.bytes_of(rows));
        taken
    }

    fn push_suffixes(&mut self, cells: &Cells, rows: Range<usize>, skips: bool) -> usize {
        let mut taken = 0;
        let last = std::mem::take(&mut self.last);
        let mut before = Cell::from(&last[..]);
        for cell in cells.iter(rows) {
            taken += 1;
            if skips && cell.is_empty() {
                continue;
            }
            let shared = if self.prefixes.is_empty() {
                0
            } else {
                shared(before, cell)
            };
            self.push_suffix(cell, shared);
            before = cell;
            if self.are_many() {
                break;
            }
        }
        self.last.extend_from_slice(&before);
        taken
    }

    #[inline(always)]
    fn push_suffix(&mut self, cell: Cell<'_>, shared: usize) {
        self.prefixes.push(shared as u32);
        self.lengths.push((cell.len() - shared) as u32);
        self.bytes.extend_from_slice(&cell[shared..]);
    }

    /// Writes the texts, and forgets them.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) {
        if self.prefix == Prefix::Shared {
            encode_deltas(&self.prefixes, out);
        }
        encode_deltas(&self.lengths, out);
        out.extend_from_slice(&self.bytes);
        self.prefixes.clear();
        self.lengths.clear();
        self.bytes.clear();
        self.last.clear();
    }
}

/// Returns the number of bytes that two texts have in common at the beginning.
#[inline(always)]
fn shared(one: Cell<'_>, other: Cell<'_>) -> usize {
    let most = one.len().min(other.len());
    let same = (head(one) ^ head(other)).trailing_zeros() as usize / 8;
    if most <= 16 || same < 16 {
        return same.min(most);
    }
    let rest = one[16..].iter().zip(&other[16..]);
    16 + rest.take_while(|(one, other)| one == other).count()
}
