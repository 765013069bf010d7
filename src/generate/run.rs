//! Runs of rows that a committee filed together.

use super::draws::Draws;
use super::vocabulary::Word;

/// What the rows of a filing have in common.
#[derive(Clone, Debug)]
pub struct Run {
    /// The first four columns and their pipes.
    pub front: Word,
    /// An index into the table of months.
    pub month: usize,
    pub day: u64,
    /// The last ten digits of the first row's IMAGE_NUM.
    pub page: u64,
    pub file_number: u64,
    pub transaction_ids: TransactionIds,
    /// Whether most gifts came through a conduit.
    pub earmarked: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum TransactionIds {
    Schedule,
    Base36,
    Hexadecimal,
}

impl Run {
    /// Run number `number`, whose rows are filed in `month`, an index into the table.
    pub fn new(number: u64, month: usize, draws: &mut Draws) -> Run {
        // Few committees file most pages.
        let committee = u64::from(draws.below(3000)) * u64::from(draws.below(3000)) / 3000;
        let amendment = ["N", "N", "N", "N", "N", "N", "A", "T"][draws.below(8) as usize];
        let report = match draws.below(4) {
            0 => ["Q1", "Q2", "Q3", "YE", "12G", "30G", "MY", "12P"][draws.below(8) as usize],
            _ => [
                "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10", "M11", "M12", "YE",
            ][draws.below(12) as usize],
        };
        let election = ["P", "P", "P", "P", "G", "P2018", "G2018", ""][draws.below(8) as usize];
        Run {
            front: Word::new(&format!(
                "C00{:06}|{amendment}|{report}|{election}|",
                990_000 + committee
            )),
            month,
            day: 1 + u64::from(draws.below(28)),
            page: 9_100_000_000 + number % 8_000_000 * 100,
            file_number: 1_100_000 + number % 800_000,
            transaction_ids: match draws.below(8) {
                0..=3 => TransactionIds::Schedule,
                4..=5 => TransactionIds::Base36,
                _ => TransactionIds::Hexadecimal,
            },
            earmarked: draws.below(4) == 0,
        }
    }
}
