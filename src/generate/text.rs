//! Appending of words, digits and bytes to a block.

/// A word in a buffer of fixed size, so that copying needs no look at the length.
///
/// The last byte holds the length. It is copied too, and overwritten by the next word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word([u8; WORD_BYTES]);

const WORD_BYTES: usize = 32;

impl Word {
    pub(super) const EMPTY: Word = Word([0; WORD_BYTES]);

    /// Makes a word of `text`.
    ///
    /// # Panics
    /// If `text` has more than 31 bytes.
    pub(super) fn new(text: &str) -> Word {
        let mut word = Word::EMPTY;
        word.0[..WORD_BYTES - 1][..text.len()].copy_from_slice(text.as_bytes());
        word.0[WORD_BYTES - 1] = text.len() as u8;
        word
    }
}

/// The text of a block, and the place of its end.
pub(super) struct Text<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a mut [u8]) -> Text<'a> {
        Text { bytes, at: 0 }
    }

    /// Returns the number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.at
    }

    #[inline(always)]
    pub(super) fn word(&mut self, word: &Word) {
        self.bytes[self.at..][..WORD_BYTES].copy_from_slice(&word.0);
        self.at += usize::from(word.0[WORD_BYTES - 1]);
    }

    #[inline(always)]
    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        self.bytes[self.at..][..text.len()].copy_from_slice(text);
        self.at += text.len();
    }

    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes[self.at] = byte;
        self.at += 1;
    }

    /// Appends `number` without leading zeros.
    pub(super) fn number(&mut self, number: u64) {
        let mut digits = 1;
        let mut rest = number / 10;
        while rest > 0 {
            digits += 1;
            rest /= 10;
        }
        let end = self.at + digits;
        let mut rest = number;
        for digit in self.bytes[self.at..end].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.at = end;
    }

    /// Appends the last `N` digits of `number`.
    #[inline(always)]
    pub(super) fn digits<const N: usize>(&mut self, mut number: u64) {
        let digits = &mut self.bytes[self.at..][..N];
        let (rest, pairs) = digits.as_rchunks_mut::<2>();
        for pair in pairs.iter_mut().rev() {
            *pair = PAIRS[(number % 100) as usize];
            number /= 100;
        }
        for digit in rest {
            *digit = b'0' + (number % 10) as u8;
        }
        self.at += N;
    }

    /// Appends `count` times the same byte.
    pub(super) fn repeated(&mut self, byte: u8, count: usize) {
        self.bytes[self.at..][..count].fill(byte);
        self.at += count;
    }

    /// Keeps the first `length` bytes.
    #[inline(always)]
    pub(super) fn truncate(&mut self, length: usize) {
        self.at = length;
    }

    /// Returns the byte at `at` for a change.
    pub(super) fn byte_at(&mut self, at: usize) -> &mut u8 {
        &mut self.bytes[at]
    }
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
