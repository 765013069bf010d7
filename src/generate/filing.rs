//! Filings: runs of rows that one committee filed together, and the columns that follow from them.

use super::ImageNumbers;
use super::random::Random;
use super::register::FIRST_COMMITTEE;
use super::words::Words;
use super::writer::{RowWriter, Word, digits};

/// The number of rows of a filing.
pub(super) const FILING_ROWS: u64 = 64;

/// The facts that the rows of a filing share.
pub(super) struct Filing {
    /// The committee that filed it, by its number in the register.
    pub(super) committee: u64,
    pub(super) amendment: &'static str,
    pub(super) report: &'static str,
    /// The first four columns of indiv.
    pub(super) front: Word,
    /// A place in the list of months.
    pub(super) month: usize,
    day: [u8; 2],
    /// The last ten digits of the first IMAGE_NUM.
    page: u64,
    pub(super) file_number: [u8; 7],
    /// The form of TRAN_ID in eighths, which follows the software of the filer.
    form: u32,
    /// The kind of most rows.
    pub(super) kind: Kind,
}

/// The kind of transaction of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 15: a gift.
    Direct,
    /// 15E: a gift that came through a conduit.
    Earmarked,
    /// 24T: the conduit's row of such a gift.
    PassedOn,
    /// 22Y: a refund.
    Refund,
}

impl Filing {
    /// Draws filing `number` of the file. `month` is its place in the list of months.
    #[inline(always)]
    pub(super) fn new(number: u64, month: usize, random: &mut Random, words: &Words) -> Filing {
        // The product favors small numbers: few committees file most pages.
        let committee = u64::from(random.below(3000)) * u64::from(random.below(3000)) / 3000;
        let amendment = random.one_of(&words.amendments);
        let report = random.below(4);
        let reports = if report == 0 {
            &words.election_reports
        } else {
            &words.reports
        };
        let report = random.one_of(reports);
        let election = random.one_of(&words.elections);
        let id = FIRST_COMMITTEE + committee;
        Filing {
            committee,
            amendment,
            report,
            front: Word::new(&format!("C{id:08}|{amendment}|{report}|{election}")),
            month,
            day: digits(1 + u64::from(random.below(28))),
            page: 9_100_000_000 + number % 8_000_000 * 100,
            file_number: digits(1_100_000 + number % 800_000),
            form: random.below(8),
            kind: match random.below(32) {
                0..9 => Kind::PassedOn,
                9..16 => Kind::Earmarked,
                _ => Kind::Direct,
            },
        }
    }
}

impl RowWriter<'_> {
    #[inline(always)]
    pub(super) fn image_number(&mut self, number: u64, filing: &Filing, month: usize) {
        let some_old = self.generator.recipe.image_numbers == ImageNumbers::SomeOld;
        if some_old && self.random.below(100) == 0 {
            self.text("15");
            let rest = self.random.below(1_000_000_000);
            return self.digits::<9>(rest.into());
        }
        self.text(self.words.months.digits(month));
        self.text(filing.day);
        // A page holds three rows.
        self.digits::<10>(filing.page + number % FILING_ROWS / 3);
    }

    /// Appends TRANSACTION_DT, a date before the page of `month` was filed. `fraction` has 32 bits.
    #[inline(always)]
    pub(super) fn date(&mut self, month: usize, bits: u64, fraction: u64) {
        if bits & 0xff > 0 {
            let (digits, day) = self.words.months.date(month, bits, fraction);
            self.text(&digits[4..]);
            self.digits::<2>(day);
            self.text(&digits[..4]);
        }
    }

    /// Appends TRAN_ID. `schedule` is the part of the form, with its dot.
    #[inline(always)]
    pub(super) fn transaction_id(&mut self, number: u64, filing: &Filing, schedule: &str) {
        const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
        let bits = self.random.bits();
        let digit = |shift: usize, mask: u64| DIGITS[(bits >> shift & mask) as usize];
        match filing.form {
            0..3 => {
                self.text(schedule);
                self.digits::<7>(number);
            }
            3..7 => {
                self.text("VN7Z");
                self.text(std::array::from_fn::<_, 8, _>(|place| digit(5 * place, 31)));
            }
            _ => {
                self.byte(b'A');
                self.text(std::array::from_fn::<_, 16, _>(|place| {
                    digit(4 * place, 15)
                }));
                self.digits::<3>(number);
            }
        }
    }

    /// Appends SUB_ID: a digit, the day of processing, and a number that makes it unique.
    #[inline(always)]
    pub(super) fn sub_id(&mut self, file: u8, number: u64, filing: &Filing, month: usize) {
        let digits = self.words.months.digits(month);
        self.byte(file);
        self.text(&digits[4..]);
        self.text(filing.day);
        self.text(&digits[..4]);
        self.digits::<10>(1_000_000_000 + number % 9_000_000_000);
    }
}
