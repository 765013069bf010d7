//! Tests that the first eight bytes of a value and its length decide, for many rows side by side.

use crate::scan::{ROWS, Vector};

/// What a value is, or begins with: at most eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrefixTest {
    /// The bytes as a number, the first one lowest, and a mask of their bits.
    word: u64,
    mask: u64,
    /// The least and the greatest length of a value that passes.
    lengths: [u64; 2],
}

impl PrefixTest {
    /// Returns the test of values that are `bytes`, or that begin with them. Of more than eight bytes, the first eight are
    /// tested, and the length.
    pub(super) fn new(bytes: &[u8], whole: Whole) -> PrefixTest {
        let first = &bytes[..bytes.len().min(8)];
        let mut word = [0; 8];
        word[..first.len()].copy_from_slice(first);
        let behind = u64::BITS - 8 * first.len() as u32;
        let length = bytes.len() as u64;
        PrefixTest {
            word: u64::from_le_bytes(word),
            mask: u64::MAX.checked_shr(behind).unwrap_or(0),
            lengths: match whole {
                Whole::Value => [length; 2],
                Whole::Prefix => [length, u64::MAX],
            },
        }
    }

    /// Says whether a value of this length, which begins with these eight bytes, passes.
    #[inline(always)]
    pub(super) fn holds(self, [bytes, length]: [u64; 2]) -> bool {
        let [least, greatest] = self.lengths;
        (bytes & self.mask == self.word) & (length >= least) & (length <= greatest)
    }

    /// Says which values pass.
    #[inline(always)]
    pub(super) fn hold(self, cells: &Vector<'_>) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        for (hold, (bytes, length)) in hold.iter_mut().zip(cells.heads()) {
            *hold = self.holds([bytes, length]);
        }
        hold
    }
}

/// What the bytes of a test are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Value,
    Prefix,
}
