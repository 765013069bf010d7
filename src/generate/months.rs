//! The month in which a row was filed.
//!
//! The months and their shares come from the 2018 file of 4 January 2019. The rows of a filing
//! share its month, except for one row in 64, which stands for late and corrected pages.
//!
//! The months of filings are not drawn independently. A golden-ratio sequence steps through the
//! table from filing to filing. It keeps the shares closer to the table's than chance would, for
//! any number of rows. Months that are rarer than a filing have such single rows only.

use super::random::{Random, Stream, scaled};

/// Months, `YYYYMM`, and their shares of the 18,245,416 lines.
const MONTHS: [(u32, u32); 25] = [
    (201701, 21),
    (201702, 36_367),
    (201703, 78_664),
    (201704, 254_810),
    (201705, 197_636),
    (201706, 180_699),
    (201707, 768_051),
    (201708, 298_740),
    (201709, 377_544),
    (201710, 585_708),
    (201711, 346_019),
    (201712, 486_447),
    (201801, 1_252_689),
    (201802, 765_317),
    (201803, 271_267),
    (201804, 3_033_610),
    (201805, 533_304),
    (201806, 496_569),
    (201807, 1_105_070),
    (201808, 733_865),
    (201809, 1_264_597),
    (201810, 2_615_902),
    (201811, 302_025),
    (201812, 2_259_957),
    (201901, 538),
];

/// The digits of a month.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digits {
    pub(super) year: [u8; 4],
    pub(super) month: [u8; 2],
}

/// The most months that a transaction is made before its page is filed.
const BACK_MAX: usize = 3;

/// The digits of the months of the table, and of the three before. Divisions instead would take a
/// twentieth of the instructions of a row of indiv.
const DIGITS: [Digits; MONTHS.len() + BACK_MAX] = {
    let mut digits = [Digits {
        year: [b'0'; 4],
        month: [b'0'; 2],
    }; MONTHS.len() + BACK_MAX];
    let mut place = 0;
    while place < digits.len() {
        // The table has no gaps.
        let first = MONTHS[0].0 / 100 * 12 + MONTHS[0].0 % 100 - 1;
        let month = first as usize + place - BACK_MAX;
        let (year, month) = (month / 12, month % 12 + 1);
        let decades = [year / 1000, year / 100 % 10, year / 10 % 10, year % 10];
        let mut digit = 0;
        while digit < 4 {
            digits[place].year[digit] += decades[digit] as u8;
            digit += 1;
        }
        digits[place].month[0] += (month / 10) as u8;
        digits[place].month[1] += (month % 10) as u8;
        place += 1;
    }
    digits
};

/// Returns the digits of a month: `back` months before place `month` of the table.
#[inline(always)]
pub(super) fn digits(month: usize, back: usize) -> &'static Digits {
    &DIGITS[month + BACK_MAX - back]
}

/// Months with fewer lines have no filings.
const FILED_LINES_MIN: u32 = 1000;

/// The number of rows for one row with a month of its own.
const STRAY: u32 = 64;

/// Chooses months by the shares of the table.
#[derive(Debug)]
pub(super) struct MonthShares {
    filings: Cumulative,
    strays: Cumulative,
    /// The start of the golden-ratio sequence.
    start: u64,
}

impl MonthShares {
    pub(super) fn new(seed: u64) -> MonthShares {
        let is_rare = |lines| lines < FILED_LINES_MIN;
        let filings = MONTHS.map(|(_, lines)| if is_rare(lines) { 0 } else { lines });
        // Rare months have strays only, and one row in 64 is one.
        let strays = MONTHS.map(|(_, lines)| if is_rare(lines) { lines * STRAY } else { lines });
        MonthShares {
            filings: Cumulative::new(filings),
            strays: Cumulative::new(strays),
            start: Random::new(seed, Stream::Months, u64::MAX >> 8).bits(),
        }
    }

    /// Returns the month of filing `number`, as an index into the table.
    pub(super) fn of_filing(&self, number: u64) -> usize {
        /// 2^64 divided by the golden ratio.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let place = self.start.wrapping_add(number.wrapping_mul(STEP));
        self.filings.at(place >> 32)
    }

    /// Returns the month of a row of a filing of month `filed`. The lowest six of `bits` choose
    /// strays.
    #[inline(always)]
    pub(super) fn of_row(&self, filed: usize, bits: u64, random: &mut Random) -> usize {
        if bits.is_multiple_of(u64::from(STRAY)) {
            self.strays.at(random.bits())
        } else {
            filed
        }
    }
}

/// Sums of the shares so far.
#[derive(Debug)]
struct Cumulative([u32; MONTHS.len()]);

impl Cumulative {
    fn new(shares: [u32; MONTHS.len()]) -> Cumulative {
        let mut sum = 0;
        Cumulative(shares.map(|share| {
            sum += share;
            sum
        }))
    }

    /// Returns the index at `fraction` of the whole, a number of 32 bits.
    fn at(&self, fraction: u64) -> usize {
        let place = scaled(fraction, self.0[MONTHS.len() - 1]);
        self.0.partition_point(|&sum| sum <= place)
    }
}
