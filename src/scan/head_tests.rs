//! The tests that the first bytes of columns decide, run on many rows side by side.

use super::cell::Cell;
use super::heads::{Heads, ROWS};
use super::predicates::{Holds, Test};
use super::rows::Rows;
use super::simd::{Kernel, Level};

/// A test of columns that their first bytes decide.
pub(super) trait HoldsHeads {
    fn hold(&self, heads: &Heads) -> [bool; ROWS];
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

    /// Returns what columns pass that are `bytes`, and few others. None if [`Head::of`] is all of the test.
    pub(super) fn of_long(bytes: &[u8]) -> Option<Head> {
        let length = bytes.len() as u64;
        let first = bytes.get(..8).filter(|_| length > 8)?;
        Head::with_lengths(first, [length; 2])
    }

    /// Returns what columns pass that begin with `bytes`, and few others. None if [`Head::before`] is all of the test.
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
    fn is_head_of(self, bytes: u64, length: u64) -> bool {
        let [least, greatest] = self.lengths;
        (bytes & self.mask == self.word) & (length >= least) & (length <= greatest)
    }
}

impl HoldsHeads for Head {
    #[inline(always)]
    fn hold(&self, heads: &Heads) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        for (hold, (&bytes, &length)) in hold.iter_mut().zip(heads.iter()) {
            *hold = self.is_head_of(bytes, length);
        }
        hold
    }
}

impl Holds for Head {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let [bytes, length] = Heads::of_cell(cell);
        self.is_head_of(bytes, length)
    }
}

/// The opposite of a test.
struct Not<T>(T);

impl<T: HoldsHeads> HoldsHeads for Not<T> {
    #[inline(always)]
    fn hold(&self, heads: &Heads) -> [bool; ROWS] {
        let mut hold = self.0.hold(heads);
        for hold in &mut hold {
            *hold = !*hold;
        }
        hold
    }
}

impl Test {
    /// Says whether the first bytes of columns decide the test.
    pub(super) fn is_of_heads(&self) -> bool {
        matches!(self, Test::Head(_) | Test::OneOf(_) | Test::NoneOf(_))
    }

    /// Runs the test, if [`Test::is_of_heads`].
    #[inline(always)]
    fn hold_heads(&self, heads: &Heads) -> [bool; ROWS] {
        match self {
            Test::Head(head) => head.hold(heads),
            Test::OneOf(words) => words.lookup().hold(heads),
            Test::NoneOf(words) => Not(words.lookup()).hold(heads),
            _ => unreachable!("the test is of more than heads"),
        }
    }
}

/// Chooses the rows that pass tests of heads. Each column tested is one of [`Rows::column`].
///
/// All tests run on some rows before the next rows. As long as most rows pass, none is left out before the last test: two
/// tests of contributions take 0.95 of the time that they took one after the other.
pub(super) struct ChooseByHeads<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    /// The tests, each with the place of its column.
    pub(super) tests: &'a [(usize, Test)],
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
        rows.is_visited.set(true);
        let mut heads = Heads::default();
        let mut count = 0;
        for start in (0..rows.len()).step_by(ROWS) {
            let mut len = ROWS.min(rows.len() - start);
            let mut all_hold = [true; ROWS];
            let mut is_whole = true;
            for (nth, (column, test)) in tests.iter().enumerate() {
                let Some(column) = rows.column(*column) else {
                    unreachable!("a row lacks a column that is tested");
                };
                if is_whole {
                    heads.read(&column, start..start + len);
                } else {
                    let lines = kept[count..][..len].iter();
                    heads.read(&column, lines.map(|&line| line as usize));
                }
                let hold = test.hold_heads(&heads);
                let mut held = 0;
                for (nth, (all_hold, holds)) in all_hold.iter_mut().zip(hold).enumerate() {
                    *all_hold &= holds;
                    held += u32::from(*all_hold & (nth < len));
                }
                let is_last = nth + 1 == tests.len();
                if !is_last && held as usize * 4 >= len * 3 {
                    continue;
                }
                let lines = &mut kept[count..];
                let mut passed = 0;
                for (place, &holds) in all_hold[..len].iter().enumerate() {
                    let line = match is_whole {
                        true => (start + place) as u32,
                        false => lines[place],
                    };
                    if is_whole {
                        rows.prefetch(start + place);
                    }
                    lines[passed] = line;
                    passed += usize::from(holds);
                }
                len = passed;
                if is_last || len == 0 {
                    break;
                }
                all_hold = [true; ROWS];
                is_whole = false;
            }
            count += len;
        }
        kept.truncate(count);
    }
}

#[cfg(test)]
mod tests;
