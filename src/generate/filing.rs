//! Filings: runs of rows that one committee filed together.

use super::random::Random;
use super::register::FIRST_COMMITTEE;
use super::text::{Text, Word};
use super::words::Words;

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
    pub(super) day: [u8; 2],
    /// The last ten digits of the first IMAGE_NUM.
    pub(super) page: u64,
    pub(super) file_number: [u8; 7],
    pub(super) transaction_ids: TransactionIds,
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

/// The form of TRAN_ID, which follows the software of the filer.
pub(super) enum TransactionIds {
    Schedule,
    Base32,
    Hexadecimal,
}

impl Filing {
    /// Draws filing `number` of the file. `month` is its place in the list of months.
    #[inline(always)]
    pub(super) fn new(number: u64, month: usize, random: &mut Random, words: &Words) -> Filing {
        // The product favors small numbers: few committees file most pages.
        let committee = u64::from(random.below(3000)) * u64::from(random.below(3000)) / 3000;
        let amendment = random.one_of(&words.amendments);
        let report = match random.below(4) {
            0 => random.one_of(&words.election_reports),
            _ => random.one_of(&words.reports),
        };
        let election = random.one_of(&words.elections);
        Filing {
            committee,
            amendment,
            report,
            front: Word::new(&format!(
                "C{:08}|{amendment}|{report}|{election}",
                FIRST_COMMITTEE + committee
            )),
            month,
            day: digits(1 + u64::from(random.below(28))),
            page: 9_100_000_000 + number % 8_000_000 * 100,
            file_number: digits(1_100_000 + number % 800_000),
            transaction_ids: match random.below(8) {
                0..3 => TransactionIds::Schedule,
                3..7 => TransactionIds::Base32,
                _ => TransactionIds::Hexadecimal,
            },
            kind: match random.below(32) {
                0..9 => Kind::PassedOn,
                9..16 => Kind::Earmarked,
                _ => Kind::Direct,
            },
        }
    }
}

/// Returns the last digits of `number`.
fn digits<const N: usize>(number: u64) -> [u8; N] {
    let mut digits = [0; N];
    Text::new(&mut digits).digits::<N>(number);
    digits
}
