//! How many lines each month has.

use std::collections::HashMap;

use ahash::RandomState;

use crate::fec::month::Month;

/// Line counts by month.
///
/// The latest months are counted in a small table, by their six bytes as they stand in the column. A
/// line whose six bytes are there needs no check of its digits and no arithmetic.
#[derive(Clone, Debug)]
pub(crate) struct Months {
    latest: Box<[Latest; PLACES]>,
    /// Lines that are not in the table.
    other: HashMap<Month, u64, RandomState>,
}

/// A month in the table, at its [place](place_of).
#[derive(Clone, Copy, Debug)]
struct Latest {
    /// Six digits `YYYYMM` in the upper bytes; [`EMPTY`] otherwise.
    digits: u64,
    lines: u64,
}

/// Sentinel: no bytes in the upper six are digits like these.
const EMPTY: u64 = u64::MAX;

/// The bits of six digits that are the place. They differ between the months of any twenty years.
const PLACE: u64 = 0x0f01_0f01_0000_0000;

const PLACES: usize = 1 << PLACE.count_ones();

impl Default for Months {
    fn default() -> Months {
        let empty = Latest {
            digits: EMPTY,
            lines: 0,
        };
        Months {
            latest: Box::new([empty; PLACES]),
            other: HashMap::default(),
        }
    }
}

impl Months {
    /// Counts one more line, if the first six of `bytes` are digits: `YYYYMM`. Returns whether they
    /// are.
    #[inline(always)]
    pub(crate) fn add_digits(&mut self, bytes: [u8; 8]) -> bool {
        let digits = u64::from_le_bytes(bytes) << 16;
        self.add_latest(digits) || self.add_first(digits)
    }

    /// Counts one more line, if `bytes` are eight digits: `MMDDYYYY`. Returns whether they are.
    #[inline(always)]
    pub(crate) fn add_date(&mut self, bytes: [u8; 8]) -> bool {
        let [_, _, day @ .., _, _, _, _] = bytes;
        let date = u64::from_le_bytes(bytes);
        let digits = (date >> 32 | (date & 0xffff) << 32) << 16;
        let is_day = day.iter().all(u8::is_ascii_digit);
        is_day && (self.add_latest(digits) || self.add_first(digits))
    }

    #[inline(always)]
    fn add_latest(&mut self, digits: u64) -> bool {
        let latest = &mut self.latest[place_of(digits)];
        let found = latest.digits == digits;
        if found {
            latest.lines += 1;
        }
        found
    }

    /// Counts one more line, if `digits` are digits, and puts them into the table.
    #[cold]
    #[inline(never)]
    fn add_first(&mut self, digits: u64) -> bool {
        let is_month = month_of(digits).is_some();
        if is_month {
            let latest = &mut self.latest[place_of(digits)];
            if let Some(month) = month_of(latest.digits) {
                *self.other.entry(month).or_default() += latest.lines;
            }
            *latest = Latest { digits, lines: 1 };
        }
        is_month
    }

    /// Counts `lines` more lines of `month`.
    pub(crate) fn add(&mut self, month: Month, lines: u64) {
        *self.other.entry(month).or_default() += lines;
    }

    /// Adds the counts of `other`.
    pub(crate) fn merge(&mut self, other: Months) {
        for (month, lines) in other.into_counts() {
            self.add(month, lines);
        }
    }

    /// Returns the months that have lines, ascending, and how many.
    pub(crate) fn ascending(self) -> Vec<(Month, u64)> {
        let mut months: Vec<_> = self.into_counts().into_iter().collect();
        months.sort_unstable();
        months
    }

    fn into_counts(mut self) -> HashMap<Month, u64, RandomState> {
        for latest in self.latest.iter() {
            if let Some(month) = month_of(latest.digits) {
                *self.other.entry(month).or_default() += latest.lines;
            }
        }
        self.other
    }
}

/// Returns the place of a month in the table: the bits of [`PLACE`], side by side.
#[inline(always)]
fn place_of(digits: u64) -> usize {
    let bits = (digits & PLACE) >> 32;
    // Pairs of digits, and then the pairs.
    let pairs = bits | bits >> 7;
    (pairs & 0x1f | pairs >> 11 & 0x3e0) as usize
}

/// Returns the month in the upper six bytes, if they are digits.
fn month_of(digits: u64) -> Option<Month> {
    let [_, _, six @ ..] = digits.to_le_bytes();
    Month::of_digits(six)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn all_months_there_are_can_be_counted_in_every_way_and_merged() {
        let (mut all, mut even) = (Months::default(), Months::default());
        let month = |index: usize| Month::of_number(index as u64).unwrap();
        for index in (0..Month::COUNT).rev() {
            let date = format!("{:02}31{:04}", index % 100, index / 100);
            let date = date.as_bytes().first_chunk().unwrap();
            assert!(all.add_date(*date));
            if index % 2 == 0 {
                let digits = format!("{index:06}xx");
                assert!(even.add_digits(*digits.as_bytes().first_chunk().unwrap()));
                even.add(month(index), 1);
            }
        }
        all.merge(even);
        let lines = |index| if index % 2 == 0 { 3 } else { 1 };
        let expected = (0..Month::COUNT).map(|index| (month(index), lines(index)));
        assert!(all.ascending().into_iter().eq(expected));
    }

    #[test]
    fn every_byte_that_is_no_digit_is_refused_in_every_place() {
        let mut months = Months::default();
        let mut expected = BTreeMap::<Month, u64>::new();
        for place in 0..8 {
            for byte in 0..=255_u8 {
                let (mut digits, mut date) = (*b"20180420", *b"04202018");
                (digits[place], date[place]) = (byte, byte);
                let is_month = place > 5 || byte.is_ascii_digit();
                assert_eq!(months.add_digits(digits), is_month, "{digits:?}");
                if is_month {
                    let month = Month::of_image_number(&digits).unwrap();
                    *expected.entry(month).or_default() += 1;
                }
                let is_date = byte.is_ascii_digit();
                assert_eq!(months.add_date(date), is_date, "{date:?}");
                if is_date {
                    let month = Month::of_date(&date).unwrap();
                    *expected.entry(month).or_default() += 1;
                }
            }
        }
        assert!(months.ascending().into_iter().eq(expected));
    }
}
