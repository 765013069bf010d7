//! The month in which a row was filed.
//!
//! The rows of a filing share its month, except for one row in 64, which stands for late and corrected
//! pages.
//!
//! The months of filings are not drawn independently. A golden-ratio sequence steps through the
//! list from filing to filing. It keeps the shares closer to the list's than chance would, for
//! any number of rows. Months that are rarer than a filing have such single rows only.

use super::random::{Random, scaled};
use super::words::{FromLists, Lists};

/// Months with fewer lines have no filings.
const FILED_LINES_MIN: u32 = 1000;

/// The number of rows for one row with a month of its own.
const STRAY: u32 = 64;

/// The number of months in the list.
const MONTHS: usize = 28;

/// The months by their places in the list, with the sums of the shares so far.
#[derive(Debug)]
pub(super) struct Months {
    filings: [u32; MONTHS],
    strays: [u32; MONTHS],
    /// Years and months.
    digits: [[u8; 6]; MONTHS],
}

impl FromLists for Months {
    fn from_lists(lists: &Lists, name: &str) -> Months {
        let months = lists.entries(name);
        // Rare months have strays only, and one row in 64 is one.
        let sums = |factors: [u32; 2]| {
            let mut sum = 0;
            std::array::from_fn(|place| {
                let lines = months[place].1;
                sum += lines * factors[usize::from(lines < FILED_LINES_MIN)];
                sum
            })
        };
        let digits = |place: usize| months[place].0.as_bytes().try_into().expect("six digits");
        Months {
            filings: sums([1, 0]),
            strays: sums([1, STRAY]),
            digits: std::array::from_fn(digits),
        }
    }
}

impl Months {
    /// Returns the month of filing `number`. The golden-ratio sequence begins with `start`.
    pub(super) fn of_filing(&self, start: u64, number: u64) -> usize {
        /// 2^64 divided by the golden ratio.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        drawn(
            &self.filings,
            start.wrapping_add(number.wrapping_mul(STEP)) >> 32,
        )
    }

    /// Returns the month of a row of a filing of month `filed`. The lowest six of `bits` choose
    /// strays.
    #[inline(always)]
    pub(super) fn of_row(&self, filed: usize, bits: u64, random: &mut Random) -> usize {
        if bits.is_multiple_of(STRAY.into()) {
            drawn(&self.strays, random.bits())
        } else {
            filed
        }
    }

    /// Returns the digits of a year and a month.
    #[inline(always)]
    pub(super) fn digits(&self, month: usize) -> &[u8; 6] {
        &self.digits[month]
    }

    /// Draws the month and the day of a transaction, most often in the month before `month`. The lowest
    /// eight of `bits` choose the distance.
    #[inline(always)]
    pub(super) fn date(&self, month: usize, bits: u64, fraction: u64) -> (&[u8; 6], u64) {
        let bits = bits & 0xff;
        let back = usize::from(bits >= 8) + usize::from(bits >= 226) + usize::from(bits >= 244);
        (
            self.digits(month - back),
            1 + u64::from(scaled(fraction, 28)),
        )
    }
}

/// Returns the place at `fraction` of the last sum, a number of 32 bits.
fn drawn(sums: &[u32; MONTHS], fraction: u64) -> usize {
    let number = scaled(fraction, sums[MONTHS - 1]);
    sums.partition_point(|&sum| sum <= number)
}
