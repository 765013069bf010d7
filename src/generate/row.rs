//! The columns that rows of several schemas have, and the oddities of hostile rows.

use super::filing::{FILING_ROWS, Filing, TransactionIds};
use super::random::{Random, scaled};
use super::text::Text;
use super::words::{Choice, Words};
use super::{Generator, ImageNumbers, RowQuality};

/// The most bytes of a row.
pub(super) const ROW_BYTES_MAX: usize = 4096;

/// The most bytes that a hostile column is made longer by.
const HOSTILE_BYTES_MAX: u32 = 3000;

/// Appends rows to the text of a block.
pub(super) struct RowWriter<'a> {
    pub(super) text: Text<'a>,
    pub(super) random: Random,
    pub(super) generator: &'a Generator,
    pub(super) words: &'a Words,
    /// A revision gives the row another amount.
    pub(super) is_amended: bool,
}

/// Appends a row: its columns in the order of the schema, each with what makes it.
macro_rules! row {
    ($writer:ident: $($($column:ident)+ => $make:expr,)+) => {{
        let start = $writer.text.len();
        $($make; $writer.text.byte(b'|');)+
        $writer.end(start);
    }};
}
pub(super) use row;

impl RowWriter<'_> {
    /// Appends one of the values of `choice`.
    pub(super) fn one_of(&mut self, choice: &Choice) {
        let value = self.random.one_of(choice);
        self.text.text(value);
    }

    #[inline(always)]
    pub(super) fn image_number(&mut self, number: u64, filing: &Filing, month: usize) {
        let some_old = self.generator.recipe.image_numbers == ImageNumbers::SomeOld;
        if some_old && self.random.below(100) == 0 {
            self.text.digits::<2>(15);
            let rest = self.random.below(1_000_000_000);
            return self.text.digits::<9>(u64::from(rest));
        }
        let digits = self.words.months.digits(month, 0);
        self.text.text(digits.year);
        self.text.text(digits.month);
        self.text.text(filing.day);
        // A page holds three rows.
        self.text
            .digits::<10>(filing.page + number % FILING_ROWS / 3);
    }

    #[inline(always)]
    pub(super) fn name(&mut self) {
        let words = self.words;
        let (bits, more) = (self.random.bits(), self.random.bits());
        if bits & 0xfff < 12 {
            return self
                .text
                .word(&words.names_without_comma[(more & 15) as usize]);
        }
        self.text.word(&words.fronts[(bits >> 12 & 63) as usize]);
        self.text.word(&words.backs[(bits >> 18 & 127) as usize]);
        if bits >> 25 & 63 == 0 {
            self.text.byte(b'-');
            self.text.word(&words.fronts[(more >> 58) as usize]);
        }
        self.text.text(b", ");
        match bits >> 31 & 0xfff {
            0..2 => self.text.text(b"JR., "),
            2..10 => self.text.byte(b' '),
            _ => {}
        }
        match more & 0xfff {
            // One first name in a hundred is an initial.
            0..41 => self.text.byte(b'A' + scaled(more >> 12, 26) as u8),
            41..43 => {
                self.first_name(more >> 12);
                self.text.byte(b'-');
                self.first_name(more >> 25);
            }
            _ => self.first_name(more >> 12),
        }
        let middle = (bits >> 43 & 63) as usize;
        self.text.word(&words.middles[middle]);
        match middle {
            58..60 => {
                self.text.text(b" & ");
                self.first_name(more >> 38);
            }
            60 => {
                self.text.text(b"  ");
                self.first_name(more >> 38);
            }
            61.. => {
                self.text.byte(b' ');
                self.first_name(more >> 38);
            }
            _ => {}
        }
        self.text.word(&words.suffixes[(bits >> 49 & 127) as usize]);
    }

    #[inline(always)]
    fn first_name(&mut self, bits: u64) {
        let first_names = &self.words.first_names;
        first_names.append(&mut self.text, bits, &mut self.random);
    }

    /// Appends the name of a firm.
    pub(super) fn firm(&mut self) {
        let words = self.words;
        let bits = self.random.bits();
        self.text.word(&words.fronts[(bits & 63) as usize]);
        self.text.word(&words.backs[(bits >> 6 & 127) as usize]);
        self.text.word(&words.firms[(bits >> 13 & 31) as usize]);
    }

    /// Appends CITY, STATE and ZIP_CODE, with pipes between them.
    #[inline(always)]
    pub(super) fn place(&mut self, bits: u64) {
        self.town(bits);
        self.text.byte(b'|');
        let random = self.random.bits();
        self.state(random >> 32);
        self.text.byte(b'|');
        let end = self.text.len();
        self.text
            .digits::<9>(u64::from(scaled(random, 1_000_000_000)));
        let digits = match random >> 56 {
            0 => 0,
            1..112 => 5,
            _ => 9,
        };
        self.text.truncate(end + digits);
    }

    #[inline(always)]
    pub(super) fn town(&mut self, bits: u64) {
        let words = self.words;
        let town = (bits & 127) as usize;
        self.text.word(&words.towns[town]);
        // The first half of the towns needs no second part.
        let back = (bits >> 7 & 63) as usize + if town < 64 { 64 } else { 0 };
        self.text.word(&words.backs[back]);
    }

    /// Appends a state. `fraction` has 32 bits.
    #[inline(always)]
    pub(super) fn state(&mut self, fraction: u64) {
        let state = scaled(fraction, 96);
        self.text.word(&self.words.states[state as usize]);
    }

    /// Appends EMPLOYER and OCCUPATION, with a pipe between them.
    #[inline(always)]
    pub(super) fn work(&mut self, random: u64) {
        let words = self.words;
        let employer = (random & 127) as usize;
        self.text.word(&words.employers[employer]);
        // Whole names need no second part, and some occupations no first.
        let firm = (random >> 7 & 31) as usize + if employer < 64 { 32 } else { 0 };
        self.text.word(&words.firms[firm]);
        self.text.byte(b'|');
        let occupation = (random >> 12 & 63) as usize;
        let rank = (random >> 18 & 63) as usize + if occupation < 30 { 64 } else { 0 };
        self.text.word(&words.ranks[rank]);
        self.text.word(&words.occupations[occupation]);
    }

    /// Appends TRANSACTION_DT, a date before the page of `month` was filed. `fraction` has 32 bits.
    #[inline(always)]
    pub(super) fn date(&mut self, month: usize, bits: u64, fraction: u64) {
        if bits & 0xff > 0 {
            let (digits, day) = self.words.months.date(month, bits, fraction);
            self.text.text(digits.month);
            self.text.digits::<2>(day);
            self.text.text(digits.year);
        }
    }

    /// Says that the row that begins at `start` is an amendment. CMTE_ID and AMNDT_IND come first in all transactions.
    #[cold]
    pub(super) fn amend(&mut self, start: usize) {
        let amendment = start + b"C00990000|".len();
        if amendment < self.text.len() && *self.text.byte_at(amendment - 1) == b'|' {
            *self.text.byte_at(amendment) = b'A';
        }
    }

    /// Appends SUB_ID: a digit, the day of processing, and a number that makes it unique.
    #[inline(always)]
    pub(super) fn sub_id(&mut self, file: u8, number: u64, filing: &Filing, month: usize) {
        let digits = self.words.months.digits(month, 0);
        self.text.byte(file);
        self.text.text(digits.month);
        self.text.text(filing.day);
        self.text.text(digits.year);
        self.text
            .digits::<10>(1_000_000_000 + number % 9_000_000_000);
    }

    /// Appends TRAN_ID. `schedule` is the part of the form, with its dot.
    #[inline(always)]
    pub(super) fn transaction_id(&mut self, number: u64, form: &TransactionIds, schedule: &[u8]) {
        const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
        let bits = self.random.bits();
        match form {
            TransactionIds::Schedule => {
                self.text.text(schedule);
                self.text.digits::<7>(number % 10_000_000);
            }
            TransactionIds::Base32 => {
                let digits: [u8; 8] =
                    std::array::from_fn(|i| DIGITS[(bits >> (5 * i) & 31) as usize]);
                self.text.text(b"VN7Z");
                self.text.text(digits);
            }
            TransactionIds::Hexadecimal => {
                let digits: [u8; 16] =
                    std::array::from_fn(|i| DIGITS[(bits >> (4 * i) & 15) as usize]);
                self.text.byte(b'A');
                self.text.text(digits);
                self.text.digits::<3>(number % 1000);
            }
        }
    }

    /// Ends the row that begins at `start`, in place of its last pipe.
    #[inline(always)]
    pub(super) fn end(&mut self, start: usize) {
        self.text.truncate(self.text.len() - 1);
        if self.generator.recipe.quality == RowQuality::Hostile {
            self.spoil(start);
        }
        self.text.byte(b'\n');
    }

    /// Spoils one row in eight, the one that begins at `start`.
    #[cold]
    fn spoil(&mut self, start: usize) {
        let bits = self.random.bits();
        let length = self.text.len() - start;
        let anywhere = start + scaled(bits >> 32, length as u32) as usize;
        match bits & 63 {
            0 => self
                .text
                .truncate(start + scaled(bits >> 32, length as u32 + 1) as usize),
            1 => self.text.text(b"|||"),
            2 => {
                let more = scaled(bits >> 32, HOSTILE_BYTES_MAX);
                self.text.repeated(b'x', more as usize);
            }
            3 => self.text.truncate(start),
            4 => *self.text.byte_at(anywhere) = 0x80 | (bits >> 8) as u8,
            5 => *self.text.byte_at(anywhere) = b'|',
            6 => *self.text.byte_at(anywhere) = [0, b'\t', b'\r', b'"'][(bits >> 8 & 3) as usize],
            7 => self.text.byte(b'\r'),
            _ => {}
        }
    }
}
