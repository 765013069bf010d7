//! How bytes are appended.
//!
//! Words are copied in pieces of fixed size, whatever their length, and digits are written two at a
//! time.

use super::vocabulary::{WORD_BYTES, Word};

/// A line in the making, behind those that are finished.
pub struct Line<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Line<'a> {
    pub fn new(bytes: &'a mut [u8]) -> Line<'a> {
        Line { bytes, at: 0 }
    }

    /// How many bytes there are by now.
    pub fn length(&self) -> usize {
        self.at
    }

    #[inline(always)]
    pub fn word(&mut self, word: &Word) {
        self.bytes[self.at..][..WORD_BYTES].copy_from_slice(&word.bytes);
        self.at += word.length;
    }

    #[inline(always)]
    pub fn text(&mut self, text: &[u8]) {
        self.bytes[self.at..][..text.len()].copy_from_slice(text);
        self.at += text.len();
    }

    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        self.bytes[self.at] = byte;
        self.at += 1;
    }

    /// The last `N` digits of `number`.
    #[inline(always)]
    pub fn digits<const N: usize>(&mut self, mut number: u64) {
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

    /// `count` times the same byte.
    pub fn repeated(&mut self, byte: u8, count: usize) {
        self.bytes[self.at..][..count].fill(byte);
        self.at += count;
    }

    /// Takes back all but the first `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.at = length;
    }

    /// The byte at `at`.
    pub fn byte_at(&mut self, at: usize) -> &mut u8 {
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
