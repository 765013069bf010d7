//! Lists of short values, to be compared with in one step.

use super::cell::Cell;
use super::head_tests::HoldsHeads;
use super::heads::{Heads, ROWS};
use super::predicates::{Holds, Values};

/// Values of at most eight bytes, in a table in which each has its own place. To test a column takes one
/// comparison, however many values there are.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// A power of two.
    slots: Vec<Word>,
    factor: u64,
}

/// A value of at most eight bytes as a number, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    word: u64,
    length: usize,
}

/// No column is like this.
const NO_WORD: Word = Word {
    word: 0,
    length: usize::MAX,
};

/// The most slots, and the number of factors that are tried for each number of slots.
const SLOTS_MAX: usize = 1 << 14;
const FACTORS: u64 = 64;

impl Word {
    /// Returns the value in a cell. A longer one equals no other.
    #[inline(always)]
    fn of(cell: Cell<'_>) -> Word {
        Word {
            word: cell.word().unwrap_or(0),
            length: cell.len(),
        }
    }
}

impl Words {
    /// Returns the values, if all of them are short, not too many, and none is a date.
    pub(super) fn new(values: &Values) -> Option<Words> {
        let are_short = values.texts.iter().all(|text| text.len() <= 8);
        if !are_short || !values.days.is_empty() {
            return None;
        }
        let words = values.texts.iter();
        let mut words: Vec<_> = words.map(|text| Word::of(Cell::from(&text[..]))).collect();
        words.sort_unstable_by_key(|word| (word.word, word.length));
        words.dedup();
        let mut slots = words.len().next_power_of_two().max(2);
        while slots <= SLOTS_MAX {
            for nth in 0..FACTORS {
                // Any odd numbers will do, the same in all runs.
                let factor = (2 * nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                if let Some(words) = Words::with(&words, slots, factor) {
                    return Some(words);
                }
            }
            slots *= 2;
        }
        None
    }

    /// Returns the table, if no two words have the same place.
    fn with(words: &[Word], slots: usize, factor: u64) -> Option<Words> {
        let mut table = Words {
            slots: vec![NO_WORD; slots],
            factor,
        };
        for &word in words {
            let place = table.place(word.word);
            if table.slots[place] != NO_WORD {
                return None;
            }
            table.slots[place] = word;
        }
        Some(table)
    }

    fn place(&self, word: u64) -> usize {
        self.lookup().place(word)
    }

    /// Returns what finds words, to be kept in registers.
    #[inline(always)]
    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            slots: &self.slots,
            factor: self.factor,
            shift: u64::BITS - self.slots.len().trailing_zeros(),
        }
    }
}

/// Finds words.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    slots: &'a [Word],
    factor: u64,
    /// Turns a hash into the place of a slot.
    shift: u32,
}

impl Lookup<'_> {
    #[inline(always)]
    fn place(self, word: u64) -> usize {
        (word.wrapping_mul(self.factor) >> self.shift) as usize
    }
}

impl HoldsHeads for Lookup<'_> {
    #[inline(always)]
    fn hold(&self, heads: &Heads) -> [bool; ROWS] {
        let (mut words, mut places) = ([0; ROWS], [0; ROWS]);
        let found = words.iter_mut().zip(&mut places);
        for ((word, place), (&bytes, &length)) in found.zip(heads.iter()) {
            let in_front = 64_u64.wrapping_sub(8 * length) & 63;
            let is_short = length.wrapping_sub(1) < 8;
            *word = if is_short { bytes << in_front } else { 0 };
            *place = self.place(*word);
        }
        let mut hold = [false; ROWS];
        let found = words.iter().zip(&places).zip(heads.iter());
        for (hold, ((&word, &place), (_, &length))) in hold.iter_mut().zip(found) {
            let slot = self.slots[place];
            *hold = (slot.word == word) & (slot.length as u64 == length);
        }
        hold
    }
}

impl Holds for Lookup<'_> {
    #[inline(always)]
    fn holds(&self, cell: Cell<'_>) -> bool {
        let word = Word::of(cell);
        self.slots[self.place(word.word)] == word
    }
}
