//! The tests that the first bytes of columns decide, run on many rows side by side.

use super::predicates::Holds;
use super::words::Words;
use crate::scan::Cell;
use crate::scan::Rows;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{ROWS, Vector};

/// A test of columns that their first bytes decide.
#[derive(Clone, Debug)]
pub(super) enum HeadTest {
    /// This short value, or one that begins so.
    Head(Head),
    /// One of these short values.
    OneOf(Words),
    /// Any other than these short values.
    NoneOf(Words),
}

impl HeadTest {
    /// Says which columns pass.
    #[inline(always)]
    fn hold(&self, cells: &Vector<'_>) -> [bool; ROWS] {
        match self {
            HeadTest::Head(head) => head.hold(cells),
            HeadTest::OneOf(words) => words.lookup().hold(cells),
            HeadTest::NoneOf(words) => {
                let mut hold = words.lookup().hold(cells);
                for hold in &mut hold {
                    *hold = !*hold;
                }
                hold
            }
        }
    }
}

impl Holds for HeadTest {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        match self {
            HeadTest::Head(head) => {
                let [bytes, length] = cell.head();
                head.holds(bytes, length)
            }
            HeadTest::OneOf(words) => words.lookup().holds(cell),
            HeadTest::NoneOf(words) => !words.lookup().holds(cell),
        }
    }
}

/// What a column is, or begins with: at most eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// The bytes as a number, the first one lowest, and a mask of their bits.
    word: u64,
    mask: u64,
    /// The least and the greatest length of a column that passes.
    lengths: [u64; 2],
}

impl Head {
    /// Returns the test of columns that are `bytes`, unless these are too many.
    pub(super) fn of(bytes: &[u8]) -> Option<Head> {
        let length = bytes.len() as u64;
        Head::with_lengths(bytes, [length; 2])
    }

    /// Returns the test of columns that begin with `bytes`, unless these are too many.
    pub(super) fn before(bytes: &[u8]) -> Option<Head> {
        let length = bytes.len() as u64;
        Head::with_lengths(bytes, [length, u64::MAX])
    }

    /// Returns what columns pass that are `bytes`, and few others. Short bytes have none: [`Head::of`] is all of their test.
    pub(super) fn of_long(bytes: &[u8]) -> Option<Head> {
        let length = bytes.len() as u64;
        let first = bytes.get(..8).filter(|_| length > 8)?;
        Head::with_lengths(first, [length; 2])
    }

    /// Returns what columns pass that begin with `bytes`, and few others. Short bytes have none: [`Head::before`] is all of their test.
    pub(super) fn before_long(bytes: &[u8]) -> Option<Head> {
        let length = bytes.len() as u64;
        let first = bytes.get(..8).filter(|_| length > 8)?;
        Head::with_lengths(first, [length, u64::MAX])
    }

    fn with_lengths(bytes: &[u8], lengths: [u64; 2]) -> Option<Head> {
        let mut word = [0; 8];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let behind = u64::BITS - 8 * bytes.len() as u32;
        Some(Head {
            word: u64::from_le_bytes(word),
            mask: u64::MAX.checked_shr(behind).unwrap_or(0),
            lengths,
        })
    }

    /// Says whether a column of this length, which begins with these eight bytes, passes.
    #[inline(always)]
    fn holds(self, bytes: u64, length: u64) -> bool {
        let [least, greatest] = self.lengths;
        (bytes & self.mask == self.word) & (length >= least) & (length <= greatest)
    }

    #[inline(always)]
    fn hold(self, cells: &Vector<'_>) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        for (hold, (bytes, length)) in hold.iter_mut().zip(cells.heads()) {
            *hold = self.holds(bytes, length);
        }
        hold
    }
}

/// Chooses the rows that pass tests of heads.
///
/// All tests run on some rows before the next rows. As long as most rows pass, none is left out before the last test: two
/// tests of contributions take 0.95 of the time that they took one after the other.
pub(super) struct ChooseByHeads<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    /// The tests, each with the place of its column.
    pub(super) tests: &'a [(usize, HeadTest)],
    pub(super) kept: &'a mut Vec<u32>,
}

impl Kernel for ChooseByHeads<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let ChooseByHeads { rows, tests, kept } = self;
        // The fields of a copy stay in registers.
        let rows = *rows;
        kept.clear();
        kept.resize(rows.len(), 0);
        let mut cells = Vector::new(&[]);
        let mut count = 0;
        for start in (0..rows.len()).step_by(ROWS) {
            count += choose(&rows, tests, start, &mut cells, &mut kept[count..]);
        }
        kept.truncate(count);
    }
}

/// Stores in `kept` which of the next rows from `start` on pass all tests. Returns their number.
#[inline(always)]
fn choose<'r>(
    rows: &Rows<'r>,
    tests: &[(usize, HeadTest)],
    start: usize,
    cells: &mut Vector<'r>,
    kept: &mut [u32],
) -> usize {
    let mut len = ROWS.min(rows.len() - start);
    // All rows so far, not those in `kept`.
    let mut are_all = true;
    let mut hold = [true; ROWS];
    for (nth, (column, test)) in tests.iter().enumerate() {
        if are_all {
            rows.read(*column, start, cells);
        } else {
            rows.read_some(*column, &kept[..len], cells);
        }
        let mut passed = 0;
        for (place, (hold, holds)) in hold.iter_mut().zip(test.hold(cells)).enumerate() {
            *hold &= holds;
            passed += u32::from(*hold & (place < len));
        }
        let is_last = nth + 1 == tests.len();
        if !is_last && passed as usize * 4 >= len * 3 {
            continue;
        }
        len = if are_all {
            keep_first(start, &hold[..len], kept)
        } else {
            keep_of(&hold[..len], kept)
        };
        if len == 0 {
            break;
        }
        are_all = false;
        hold = [true; ROWS];
    }
    len
}

/// Stores the lines from `start` on that pass. Returns their number.
#[inline(always)]
fn keep_first(start: usize, hold: &[bool], kept: &mut [u32]) -> usize {
    let mut count = 0;
    for (place, &holds) in hold.iter().enumerate() {
        kept[count] = (start + place) as u32;
        count += usize::from(holds);
    }
    count
}

/// Moves the lines that pass to the front. Returns their number.
#[inline(always)]
fn keep_of(hold: &[bool], kept: &mut [u32]) -> usize {
    let mut count = 0;
    for (place, &holds) in hold.iter().enumerate() {
        kept[count] = kept[place];
        count += usize::from(holds);
    }
    count
}

#[cfg(test)]
mod tests;
