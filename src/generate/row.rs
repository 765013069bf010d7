//! How the columns of a row are put together.
//!
//! A row of 21 columns costs about as much as forty short copies, and no allocation.

use super::draws::{Draws, scaled};
use super::line::Line;
use super::months::{Months, TABLE};
use super::run::{Run, TransactionIds};
use super::vocabulary::{FIRST_NAME_SLOTS, Vocabulary};
use super::words::{STATES, SYLLABLES};
use super::{ImageNumbers, Manners, Recipe};

/// No row is longer, whatever its manners.
pub const ROW_BYTES_MAX: usize = 4096;

/// How long a column of a hostile row may get.
const HOSTILE_COLUMN_BYTES: usize = 3000;

impl Line<'_> {
    /// Appends row number `number`.
    #[inline(always)]
    pub fn row(
        &mut self,
        number: u64,
        run: &Run,
        recipe: &Recipe,
        months: &Months,
        words: &Vocabulary,
        draws: &mut Draws,
    ) {
        let start = self.length();
        let month = months.of_row(run.month, draws);
        let dice = draws.bits();
        // In a filing of gifts through a conduit most are; refunds and gifts passed on are among
        // all others.
        let kind = match dice & 0xff {
            0..4 => Kind::Refund,
            4..12 => Kind::PassedOn,
            12..200 if run.earmarked => Kind::Earmarked,
            _ => Kind::Direct,
        };
        self.word(&run.front);
        self.image_number(number, run, month, recipe, draws);
        self.text(kind.columns());
        self.name(words, draws);
        self.byte(b'|');
        self.place(dice >> 8, words, draws);
        self.work(words, draws);
        self.date(month, dice >> 40, draws);
        self.amount(kind, dice >> 52, words);
        if kind == Kind::Earmarked || kind == Kind::PassedOn {
            self.text(b"C00995000");
        }
        self.byte(b'|');
        self.transaction_id(number, run.transaction_ids, draws);
        self.byte(b'|');
        self.digits::<7>(run.file_number);
        self.memo(kind, draws);
        // What makes a row unique is its number, behind a 4 and the date on which it was processed.
        let (year, month) = year_and_month(month);
        self.byte(b'4');
        self.digits::<2>(month);
        self.digits::<2>(run.day);
        self.digits::<4>(year);
        self.digits::<10>(1_000_000_000 + number % 9_000_000_000);
        if recipe.manners == Manners::Hostile {
            self.misbehave(start, draws);
        }
        self.byte(b'\n');
    }

    fn image_number(
        &mut self,
        number: u64,
        run: &Run,
        month: usize,
        recipe: &Recipe,
        draws: &mut Draws,
    ) {
        if recipe.image_numbers == ImageNumbers::SomeOld && draws.in_4096(41) {
            self.digits::<2>(15);
            return self.digits::<9>(u64::from(draws.below(1_000_000_000)));
        }
        let (year, month) = year_and_month(month);
        self.digits::<4>(year);
        self.digits::<2>(month);
        self.digits::<2>(run.day);
        // Three rows stand on a page.
        self.digits::<10>(run.page + number % super::RUN_ROWS / 3);
    }

    fn name(&mut self, words: &Vocabulary, draws: &mut Draws) {
        let (dice, more) = (draws.bits(), draws.bits());
        if dice & 0xfff < 12 {
            return self.word(&words.names_without_comma[(more & 15) as usize]);
        }
        self.word(&words.fronts[(dice >> 12 & 63) as usize]);
        if dice >> 56 & 1 == 0 {
            self.word(&words.backs[(dice >> 18 & 63) as usize]);
        }
        if dice >> 24 & 63 == 0 {
            self.byte(b'-');
            self.word(&words.fronts[(more >> 58) as usize]);
        }
        self.text(b", ");
        match dice >> 30 & 0xfff {
            0..2 => self.text(b"JR., "),
            2..10 => self.byte(b' '),
            _ => {}
        }
        match more & 0xfff {
            // One name in a hundred is an initial.
            0..41 => self.byte(b'A' + scaled(more >> 12 & 0xffff_ffff, 26) as u8),
            41..43 => {
                self.first_name(more >> 12, words, draws);
                self.byte(b'-');
                self.first_name(more >> 25, words, draws);
            }
            _ => self.first_name(more >> 12, words, draws),
        }
        match dice >> 42 & 63 {
            0..28 => {}
            28..58 => {
                self.byte(b' ');
                self.byte(b'A' + scaled(more >> 25 & 0xffff_ffff, 26) as u8);
            }
            58..60 => {
                self.text(b" & ");
                self.first_name(more >> 38, words, draws);
            }
            60 => {
                self.text(b"  ");
                self.first_name(more >> 38, words, draws);
            }
            _ => {
                self.byte(b' ');
                self.first_name(more >> 38, words, draws);
            }
        }
        if dice >> 48 & 15 == 0 {
            self.word(&words.suffixes[(dice >> 52 & 7) as usize]);
        }
    }

    /// A first name, by 13 bits of `dice`: a common one, or three syllables, of which the first
    /// ones are more common.
    fn first_name(&mut self, dice: u64, words: &Vocabulary, draws: &mut Draws) {
        match words.first_name_slots.get(dice as usize % FIRST_NAME_SLOTS) {
            Some(&rank) => self.word(&words.first_names[usize::from(rank)]),
            None => {
                const MADE_UP: u64 = (SYLLABLES.len() * SYLLABLES.len() * SYLLABLES.len()) as u64;
                // The cube of a number from 0 to 1 is most often small.
                let fraction = draws.bits() >> 32;
                let square = (fraction * fraction) >> 32;
                let cube = (square * fraction) >> 32;
                let name = ((cube * MADE_UP) >> 32) as usize;
                for place in [1, SYLLABLES.len(), SYLLABLES.len() * SYLLABLES.len()] {
                    self.word(&words.syllables[name / place % SYLLABLES.len()]);
                }
            }
        }
    }

    fn place(&mut self, dice: u64, words: &Vocabulary, draws: &mut Draws) {
        match dice & 3 {
            0 => {
                self.word(&words.fronts[(dice >> 2 & 63) as usize]);
                self.word(&words.backs[(dice >> 8 & 63) as usize]);
            }
            _ => self.word(&words.towns[(dice >> 2 & 63) as usize]),
        }
        self.byte(b'|');
        let zip = draws.bits();
        self.word(&words.states[scaled(zip >> 32, STATES.len() as u32) as usize]);
        self.byte(b'|');
        match zip & 0xff {
            0..2 => {}
            2..70 => self.digits::<5>(u64::from(scaled(zip >> 8 & 0xffff_ffff, 100_000))),
            _ => self.digits::<9>(u64::from(scaled(zip >> 8 & 0xffff_ffff, 1_000_000_000))),
        }
        self.byte(b'|');
    }

    fn work(&mut self, words: &Vocabulary, draws: &mut Draws) {
        let dice = draws.bits();
        if dice & 1 == 0 {
            self.word(&words.employers[(dice >> 1 & 63) as usize]);
        } else {
            self.word(&words.fronts[(dice >> 1 & 63) as usize]);
            self.word(&words.firms[(dice >> 7 & 15) as usize]);
        }
        self.byte(b'|');
        self.word(&words.occupations[(dice >> 11 & 63) as usize]);
        self.byte(b'|');
    }

    /// The date of the gift: most often in the month before it was filed.
    fn date(&mut self, month: usize, dice: u64, draws: &mut Draws) {
        let (year, month) = year_and_month(month);
        let back = match dice & 0xff {
            0 => return self.byte(b'|'),
            1..8 => 0,
            8..226 => 1,
            226..244 => 2,
            _ => 3,
        };
        let months = year * 12 + month - 1 - back;
        self.digits::<2>(months % 12 + 1);
        self.digits::<2>(1 + u64::from(draws.below(28)));
        self.digits::<4>(months / 12);
        self.byte(b'|');
    }

    fn amount(&mut self, kind: Kind, dice: u64, words: &Vocabulary) {
        match dice & 0xfff {
            0..4 => self.byte(b'0'),
            _ => {
                if kind == Kind::Refund && dice & 0x40 == 0 {
                    self.byte(b'-');
                }
                self.word(&words.amounts[(dice & 63) as usize]);
            }
        }
        self.byte(b'|');
    }

    fn transaction_id(&mut self, number: u64, kind: TransactionIds, draws: &mut Draws) {
        const BASE36: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut dice = draws.bits();
        match kind {
            TransactionIds::Schedule => {
                self.text(b"SA11AI.");
                self.digits::<7>(number % 10_000_000);
            }
            TransactionIds::Base36 => {
                self.text(b"VN7Z");
                for _ in 0..8 {
                    self.byte(BASE36[(dice & 31) as usize]);
                    dice >>= 5;
                }
            }
            TransactionIds::Hexadecimal => {
                self.byte(b'A');
                for _ in 0..16 {
                    self.byte(BASE36[(dice & 15) as usize]);
                    dice >>= 4;
                }
                self.digits::<3>(number % 1000);
            }
        }
    }

    /// The columns MEMO_CD and MEMO_TEXT, and the pipes around them.
    fn memo(&mut self, kind: Kind, draws: &mut Draws) {
        let dice = draws.bits();
        match kind {
            Kind::Earmarked => self.text(b"||* EARMARKED CONTRIBUTION: SEE BELOW|"),
            Kind::PassedOn => self.text(b"|X|EARMARKED FOR COMMON PURSE PAC (C00990012)|"),
            Kind::Refund => self.text(b"||REFUND OF CONTRIBUTION|"),
            Kind::Direct => match dice & 0xff {
                0..4 => self.text(b"|X|PARTNERSHIP ATTRIBUTION|"),
                4..12 => self.text(b"||PAYROLL DEDUCTION: (25.00 BIWEEKLY)|"),
                12..14 => self.text(b"||SEE \"REATTRIBUTION\" BELOW; #2|"),
                _ => self.text(b"|||"),
            },
        }
    }

    /// Spoils one row in eight, which begins at `start`.
    #[cold]
    fn misbehave(&mut self, start: usize, draws: &mut Draws) {
        let dice = draws.bits();
        let length = self.length() - start;
        let anywhere = start + scaled(dice >> 32, length as u32) as usize;
        match dice & 63 {
            0 => self.truncate(start + scaled(dice >> 32, length as u32 + 1) as usize),
            1 => self.text(b"|||"),
            2 => {
                let more = scaled(dice >> 32, HOSTILE_COLUMN_BYTES as u32) as usize;
                self.repeated(b'x', more);
            }
            3 => self.truncate(start),
            4 => *self.byte_at(anywhere) = 0x80 | (dice >> 8) as u8,
            5 => *self.byte_at(anywhere) = b'|',
            6 => *self.byte_at(anywhere) = [0, b'\t', b'\r', b'"'][(dice >> 8 & 3) as usize],
            7 => self.byte(b'\r'),
            _ => {}
        }
    }
}

fn year_and_month(month: usize) -> (u64, u64) {
    let month = u64::from(TABLE[month].0);
    (month / 100, month % 100)
}

/// What kind of transaction a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Direct,
    Earmarked,
    PassedOn,
    Refund,
}

impl Kind {
    /// The columns TRANSACTION_TP and ENTITY_TP, and the pipes around them.
    fn columns(self) -> &'static [u8] {
        match self {
            Kind::Direct => b"|15|IND|",
            Kind::Earmarked => b"|15E|IND|",
            Kind::PassedOn => b"|24T|IND|",
            Kind::Refund => b"|22Y|IND|",
        }
    }
}
