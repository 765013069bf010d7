//! Few short values, to be compared with side by side in many rows.

use crate::scan::Cell;
use crate::scan::{ROWS, Vector};

/// Values of at most eight bytes, in a table in which each has its own place. To test a column takes one
/// comparison.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// A power of two.
    slots: Vec<Word>,
    factor: u64,
    /// Columns count as no longer than this.
    longest: usize,
}

/// A value of at most eight bytes as a number, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    word: u64,
    length: u64,
}

/// No column is like this.
const NO_WORD: Word = Word {
    word: 0,
    length: u64::MAX,
};

/// The most words. The slots grow with their square, and for more words a hash table is smaller.
const WORDS_MAX: usize = 256;

/// The most slots, and the number of factors that are tried for each number of slots.
const SLOTS_MAX: usize = 1 << 14;
const FACTORS: u64 = 64;

impl Words {
    /// Returns the texts, if these are not too many. Texts and columns count as no longer than `longest`. Without that limit,
    /// no text has more than eight bytes.
    pub(super) fn new(texts: &[Box<[u8]>], longest: usize) -> Option<Words> {
        let lookup = Lookup {
            slots: &[],
            factor: 0,
            shift: 0,
            longest,
        };
        let words = texts.iter().map(|text| lookup.word(Cell::from(&text[..])));
        let mut words: Vec<Word> = words.collect();
        words.sort_unstable_by_key(|word| (word.word, word.length));
        words.dedup();
        if words.len() > WORDS_MAX {
            return None;
        }
        let mut slots = words.len().next_power_of_two().max(2);
        while slots <= SLOTS_MAX {
            for nth in 0..FACTORS {
                // Any odd numbers will do, the same in all runs.
                let factor = (2 * nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                if let Some(words) = Words::with(&words, slots, factor, longest) {
                    return Some(words);
                }
            }
            slots *= 2;
        }
        None
    }

    /// Returns the table, if no two words have the same place.
    fn with(words: &[Word], slots: usize, factor: u64, longest: usize) -> Option<Words> {
        let mut table = Words {
            slots: vec![NO_WORD; slots],
            factor,
            longest,
        };
        for &word in words {
            let place = table.lookup().place(word.word);
            if table.slots[place] != NO_WORD {
                return None;
            }
            table.slots[place] = word;
        }
        Some(table)
    }

    /// Returns what finds words, to be kept in registers.
    #[inline(always)]
    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            slots: &self.slots,
            factor: self.factor,
            shift: u64::BITS - self.slots.len().trailing_zeros(),
            longest: self.longest,
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
    longest: usize,
}

impl Lookup<'_> {
    /// Returns the word of a column. That of a longer one equals no other.
    #[inline(always)]
    fn word(self, cell: Cell<'_>) -> Word {
        let cell = if cell.len() > self.longest {
            Cell::from(&cell.bytes()[..self.longest])
        } else {
            cell
        };
        Word {
            word: cell.word().unwrap_or(0),
            length: cell.len() as u64,
        }
    }

    #[inline(always)]
    fn place(self, word: u64) -> usize {
        (word.wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Says which columns are among the words.
    #[inline(always)]
    pub(super) fn hold(self, cells: &Vector<'_>) -> [bool; ROWS] {
        let longest = self.longest as u64;
        let (mut words, mut places) = ([0; ROWS], [0; ROWS]);
        let found = words.iter_mut().zip(&mut places);
        for ((word, place), (bytes, length)) in found.zip(cells.heads()) {
            let length = length.min(longest);
            let in_front = 64_u64.wrapping_sub(8 * length) & 63;
            let is_short = length.wrapping_sub(1) < 8;
            *word = if is_short { bytes << in_front } else { 0 };
            *place = self.place(*word);
        }
        let mut hold = [false; ROWS];
        let found = words.iter().zip(&places).zip(cells.lengths());
        for (hold, ((&word, &place), &length)) in hold.iter_mut().zip(found) {
            let slot = self.slots[place];
            *hold = (slot.word == word) & (slot.length == length.min(longest));
        }
        hold
    }
}
