//! The columns of a row.
//!
//! Column lengths and the shares of empty columns follow a sample of 10,000 real rows of 2015 to
//! 2018. Its rows have 192.3 bytes on average, and those of the whole 2018 file 192.4. A row costs
//! about forty short copies, seven random numbers and no allocation.

use super::filing::{FILING_ROWS, Filing, Kind, TransactionIds};
use super::months::MONTHS;
use super::random::{Random, scaled};
use super::text::Text;
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
}

impl RowWriter<'_> {
    /// Appends row `number` of the file.
    #[inline(always)]
    pub(super) fn row(&mut self, number: u64, filing: &Filing) {
        let start = self.text.len();
        let bits = self.random.bits();
        let kind = match bits & 0xff {
            0..6 => Kind::Refund,
            6..203 => filing.kind,
            _ => Kind::Direct,
        };
        let months = &self.generator.months;
        let month = months.of_row(filing.month, bits >> 8, &mut self.random);
        self.text.word(&filing.front);
        self.image_number(number, filing, month);
        self.text.text(kind.columns());
        self.name();
        self.place(bits >> 14);
        self.work_and_date(month, bits >> 28);
        self.amount(kind, bits >> 36);
        self.text.text(match kind {
            Kind::Earmarked => b"C00995000|",
            Kind::PassedOn => b"C00990012|",
            Kind::Direct | Kind::Refund => b"|",
        });
        self.transaction_id(number, &filing.transaction_ids);
        self.text.byte(b'|');
        self.text.digits::<7>(filing.file_number);
        self.text.text(memo(kind, bits >> 48));
        // SUB_ID: a 4, the day of processing, and a number that makes it unique.
        let (year, month) = year_and_month(month);
        self.text.byte(b'4');
        self.text.digits::<2>(month);
        self.text.digits::<2>(filing.day);
        self.text.digits::<4>(year);
        self.text
            .digits::<10>(1_000_000_000 + number % 9_000_000_000);
        if self.generator.recipe.quality == RowQuality::Hostile {
            self.spoil(start);
        }
        self.text.byte(b'\n');
    }

    fn image_number(&mut self, number: u64, filing: &Filing, month: usize) {
        let some_old = self.generator.recipe.image_numbers == ImageNumbers::SomeOld;
        if some_old && self.random.below(100) == 0 {
            self.text.digits::<2>(15);
            let rest = self.random.below(1_000_000_000);
            return self.text.digits::<9>(u64::from(rest));
        }
        let (year, month) = year_and_month(month);
        self.text.digits::<4>(year);
        self.text.digits::<2>(month);
        self.text.digits::<2>(filing.day);
        // A page holds three rows.
        self.text
            .digits::<10>(filing.page + number % FILING_ROWS / 3);
    }

    fn name(&mut self) {
        let words = &self.generator.words;
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
        let first_names = &self.generator.words.first_names;
        first_names.append(&mut self.text, bits, &mut self.random);
    }

    /// Appends NAME's pipe, CITY, STATE and ZIP_CODE.
    fn place(&mut self, bits: u64) {
        let words = &self.generator.words;
        self.text.byte(b'|');
        let town = (bits & 127) as usize;
        self.text.word(&words.towns[town]);
        // The first half of the towns needs no second part.
        let back = (bits >> 7 & 63) as usize + if town < 64 { 64 } else { 0 };
        self.text.word(&words.backs[back]);
        self.text.byte(b'|');
        let random = self.random.bits();
        self.text
            .word(&words.states[scaled(random >> 32, 96) as usize]);
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
        self.text.byte(b'|');
    }

    /// Appends EMPLOYER, OCCUPATION and TRANSACTION_DT.
    fn work_and_date(&mut self, month: usize, bits: u64) {
        let words = &self.generator.words;
        let random = self.random.bits();
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
        self.text.byte(b'|');
        // Most gifts are made in the month before they are filed.
        let bits = bits & 0xff;
        let (year, month) = year_and_month(month);
        let back = u64::from(bits >= 8) + u64::from(bits >= 226) + u64::from(bits >= 244);
        let months = year * 12 + month - 1 - back;
        let start = self.text.len();
        self.text.digits::<2>(months % 12 + 1);
        self.text
            .digits::<2>(1 + u64::from(scaled(random >> 32, 28)));
        self.text.digits::<4>(months / 12);
        if bits == 0 {
            self.text.truncate(start);
        }
        self.text.byte(b'|');
    }

    fn amount(&mut self, kind: Kind, bits: u64) {
        if bits & 0xfff < 4 {
            return self.text.text(b"0|");
        }
        if kind == Kind::Refund && bits & 0x40 == 0 {
            self.text.byte(b'-');
        }
        self.text
            .word(&self.generator.words.amounts[(bits & 63) as usize]);
        self.text.byte(b'|');
    }

    fn transaction_id(&mut self, number: u64, form: &TransactionIds) {
        const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
        let bits = self.random.bits();
        match form {
            TransactionIds::Schedule => {
                self.text.text(b"SA11AI.");
                self.text.digits::<7>(number % 10_000_000);
            }
            TransactionIds::Base32 => {
                let digits: [u8; 8] =
                    std::array::from_fn(|i| DIGITS[(bits >> (5 * i) & 31) as usize]);
                self.text.text(b"VN7Z");
                self.text.text(&digits);
            }
            TransactionIds::Hexadecimal => {
                let digits: [u8; 16] =
                    std::array::from_fn(|i| DIGITS[(bits >> (4 * i) & 15) as usize]);
                self.text.byte(b'A');
                self.text.text(&digits);
                self.text.digits::<3>(number % 1000);
            }
        }
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

/// Returns MEMO_CD and MEMO_TEXT and the pipes around them.
fn memo(kind: Kind, bits: u64) -> &'static [u8] {
    match (kind, bits & 0xff) {
        (Kind::Earmarked, 0..128) => b"||* EARMARKED CONTRIBUTION: SEE BELOW|",
        (Kind::Earmarked, _) => b"||EARMARKED THROUGH THE PENNYDRIVE PAC (C00995000)|",
        (Kind::PassedOn, _) => b"||EARMARKED FOR COMMON PURSE PAC (C00990012)|",
        (Kind::Refund, _) => b"||REFUND OF CONTRIBUTION|",
        (Kind::Direct, 0..4) => b"|X|PARTNERSHIP ATTRIBUTION|",
        (Kind::Direct, 4..48) => b"||PAYROLL DEDUCTION: (25.00 BIWEEKLY)|",
        (Kind::Direct, 48..52) => b"||SEE \"REATTRIBUTION\" BELOW; #2|",
        (Kind::Direct, _) => b"|||",
    }
}

fn year_and_month(month: usize) -> (u64, u64) {
    let month = u64::from(MONTHS[month].0);
    (month / 100, month % 100)
}

impl Kind {
    /// Returns TRANSACTION_TP and ENTITY_TP and the pipes around them.
    fn columns(self) -> &'static [u8] {
        match self {
            Kind::Direct => b"|15|IND|",
            Kind::Earmarked => b"|15E|IND|",
            Kind::PassedOn => b"|24T|IND|",
            Kind::Refund => b"|22Y|IND|",
        }
    }
}
