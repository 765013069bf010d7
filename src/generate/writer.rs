//! Rows as text: words, digits and bytes are appended to a block. Hostile rows get their oddities here.

use super::random::{Random, scaled};
use super::words::{Choice, Words};
use super::{Generator, RowQuality};

/// The most bytes of a row.
pub(super) const ROW_BYTES_MAX: usize = 4096;

/// The most bytes of a column of made text: four words.
pub(super) const MADE_BYTES_MAX: usize = 4 * WORD_BYTES;

/// The most bytes that a hostile column is made longer by.
const HOSTILE_BYTES_MAX: u32 = 3000;

/// A word in a buffer of fixed size, so that copying needs no look at the length.
///
/// The last byte holds the length. It is copied too, and overwritten by the next word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word([u8; WORD_BYTES]);

const WORD_BYTES: usize = 32;

impl Word {
    /// Makes a word of `text`.
    ///
    /// # Panics
    /// If `text` has more than 31 bytes.
    pub(super) fn new(text: &str) -> Word {
        let mut word = Word([0; WORD_BYTES]);
        word.0[..WORD_BYTES - 1][..text.len()].copy_from_slice(text.as_bytes());
        word.0[WORD_BYTES - 1] = text.len() as u8;
        word
    }
}

/// Appends rows to the text of a block.
pub(super) struct RowWriter<'a> {
    pub(super) bytes: &'a mut [u8],
    /// The length of the text in `bytes`.
    pub(super) len: usize,
    pub(super) random: Random,
    pub(super) generator: &'a Generator,
    pub(super) words: &'a Words,
    /// A revision gives the row another amount.
    pub(super) is_amended: bool,
}

/// Appends a row: its columns in the order of the schema, each with what makes it.
macro_rules! row {
    ($writer:ident: $($($column:ident)+ => $make:expr,)+) => {{
        let start = $writer.len;
        $($make; $writer.byte(b'|');)+
        $writer.end(start);
    }};
}
pub(super) use row;

impl RowWriter<'_> {
    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        self.bytes[self.len..][..text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    #[inline(always)]
    pub(super) fn word(&mut self, word: &Word) {
        self.bytes[self.len..][..WORD_BYTES].copy_from_slice(&word.0);
        self.len += usize::from(word.0[WORD_BYTES - 1]);
    }

    /// Appends a word of `table`, chosen by the lowest of `bits`.
    #[inline(always)]
    pub(super) fn pick<const N: usize>(&mut self, table: &[Word; N], bits: u64) {
        self.word(&table[(bits % N as u64) as usize]);
    }

    pub(super) fn one_of(&mut self, choice: &Choice) {
        let value = self.random.one_of(choice);
        self.text(value);
    }

    /// Appends `text` in `thousandths` of all calls.
    pub(super) fn maybe(&mut self, thousandths: u32, text: &str) {
        if self.random.chance(thousandths) {
            self.text(text);
        }
    }

    /// Appends the last `N` digits of `number`.
    #[inline(always)]
    pub(super) fn digits<const N: usize>(&mut self, number: u64) {
        self.text(digits::<N>(number));
    }

    /// Appends `number` without leading zeros.
    pub(super) fn number(&mut self, number: u64) {
        let zeros = 19 - number.checked_ilog10().unwrap_or(0) as usize;
        self.text(&digits::<20>(number)[zeros..]);
    }

    /// Appends a row of made text: names, numbers, dates and words, in turn.
    pub(super) fn made_row(&mut self, _row: u64) {
        let (start, words) = (self.len, self.words);
        for column in 0..self.generator.recipe.columns {
            let bits = self.random.bits();
            match column % 4 {
                0 => {
                    self.pick(&words.fronts, bits);
                    self.pick(&words.backs, bits >> 8);
                }
                1 => self.number(bits % 1_000_000),
                2 => {
                    self.digits::<4>(2000 + bits % 30);
                    self.byte(b'-');
                    self.digits::<2>(1 + (bits >> 8) % 12);
                    self.byte(b'-');
                    self.digits::<2>(1 + (bits >> 16) % 28);
                }
                _ => (0..=bits >> 62).for_each(|nth| {
                    self.text(if nth == 0 { "" } else { " " });
                    self.pick(&words.towns, bits >> (8 * nth));
                }),
            }
            self.byte(b'|');
        }
        self.end(start);
    }

    /// Ends the row that begins at `start`, in place of its last pipe.
    #[inline(always)]
    pub(super) fn end(&mut self, start: usize) {
        self.len -= 1;
        if self.generator.recipe.quality == RowQuality::Hostile {
            self.spoil(start);
        }
        self.byte(b'\n');
    }

    /// Spoils one row in eight, the one that begins at `start`.
    #[cold]
    fn spoil(&mut self, start: usize) {
        let bits = self.random.bits();
        let length = (self.len - start) as u32;
        let anywhere = start + scaled(bits >> 32, length) as usize;
        match bits & 63 {
            0 => self.len = start + scaled(bits >> 32, length + 1) as usize,
            1 => self.text("|||"),
            2 => self.text(vec![b'x'; scaled(bits >> 32, HOSTILE_BYTES_MAX) as usize]),
            3 => self.len = start,
            4 => self.bytes[anywhere] = 0x80 | (bits >> 8) as u8,
            5 => self.bytes[anywhere] = b'|',
            6 => self.bytes[anywhere] = b"\0\t\r\""[(bits >> 8 & 3) as usize],
            7 => self.byte(b'\r'),
            _ => {}
        }
    }

    /// Says that the row that begins at `start` is an amendment. CMTE_ID and AMNDT_IND come first in all
    /// transactions.
    #[cold]
    pub(super) fn amend(&mut self, start: usize) {
        let amendment = start + b"C00990000|".len();
        if amendment < self.len && self.bytes[amendment - 1] == b'|' {
            self.bytes[amendment] = b'A';
        }
    }
}

/// Returns the last `N` digits of `number`.
#[inline(always)]
pub(super) fn digits<const N: usize>(mut number: u64) -> [u8; N] {
    let mut digits = [b'0'; N];
    let (rest, pairs) = digits.as_rchunks_mut::<2>();
    for pair in pairs.iter_mut().rev() {
        *pair = PAIRS[(number % 100) as usize];
        number /= 100;
    }
    for digit in rest {
        *digit += (number % 10) as u8;
    }
    digits
}

/// The numbers from 0 to 99, in two digits.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};
