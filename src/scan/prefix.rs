//! Tests of what columns begin with.

use super::cell::Cell;
use super::heads::{Heads, ROWS};
use super::predicates::{Holds, HoldsHeads, Values};

/// What a column begins with.
#[derive(Clone, Debug)]
pub(super) struct Prefix {
    bytes: Box<[u8]>,
    /// The first bytes as a number, and a mask of their bits.
    word: u64,
    mask: u64,
}

impl Prefix {
    pub(super) fn new(bytes: &[u8]) -> Prefix {
        let mut word = [0; 8];
        let length = bytes.len().min(word.len());
        word[..length].copy_from_slice(&bytes[..length]);
        Prefix {
            bytes: bytes.into(),
            word: u64::from_le_bytes(word),
            mask: u64::MAX.checked_shr(64 - 8 * length as u32).unwrap_or(0),
        }
    }
}

/// A test of at most eight bytes.
#[derive(Clone, Copy)]
pub(super) struct OfHead {
    word: u64,
    mask: u64,
    /// The least and the greatest length of a column that passes.
    lengths: [u64; 2],
}

impl HoldsHeads for OfHead {
    #[inline(always)]
    fn hold(&self, heads: &Heads) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        let [least, greatest] = self.lengths;
        for (hold, (bytes, &length)) in hold.iter_mut().zip(heads.iter()) {
            let is_alike = bytes & self.mask == self.word;
            *hold = is_alike & (length >= least) & (length <= greatest);
        }
        hold
    }
}

impl Prefix {
    /// Returns the same as a test of heads, if the prefix is short.
    pub(super) fn of_head(&self) -> Option<OfHead> {
        (self.bytes.len() <= 8).then_some(OfHead {
            word: self.word,
            mask: self.mask,
            lengths: [self.bytes.len() as u64, u64::MAX],
        })
    }
}

impl Holds for Prefix {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let length = self.bytes.len();
        match cell.first_bytes() {
            Some(first) => {
                let is_alike = u64::from_le_bytes(*first) & self.mask == self.word;
                is_alike & (cell.len() >= length) && (length <= 8 || cell.starts_with(&self.bytes))
            }
            None => cell.starts_with(&self.bytes),
        }
    }
}

/// A value.
#[derive(Clone, Debug)]
pub(super) struct Equal(Prefix);

impl Equal {
    /// Returns the only one of `values`, unless it is a date.
    pub(super) fn new(values: &Values) -> Option<Equal> {
        match &values.texts[..] {
            [text] if values.days.is_empty() => Some(Equal(Prefix::new(text))),
            _ => None,
        }
    }
}

impl Equal {
    /// Returns the same as a test of heads, if the value is short.
    pub(super) fn of_head(&self) -> Option<OfHead> {
        self.0.of_head().map(|prefix| OfHead {
            lengths: [prefix.lengths[0]; 2],
            ..prefix
        })
    }
}

impl Holds for Equal {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let Prefix { bytes, word, mask } = &self.0;
        match cell.first_bytes() {
            Some(first) => {
                let is_alike = u64::from_le_bytes(*first) & mask == *word;
                is_alike & (cell.len() == bytes.len())
                    && (bytes.len() <= 8 || cell.bytes() == &bytes[..])
            }
            None => cell.bytes() == &bytes[..],
        }
    }
}
