//! Months, as the digits of a column give them.
//!
//! Two columns tell a month. Since July 2015, IMAGE_NUM begins with the date on which the page was
//! filed, `YYYYMMDD`. Older ones have 11 digits of another meaning, and their first six are a
//! "month" like 1597-02. TRANSACTION_DT is `MMDDYYYY`. Both count as they stand, so a row with an
//! impossible month is still a row.

use std::fmt;

use super::amount::eight_digits;
use super::date::digits_of;
use super::trimmed;

/// Six digits read as year and month, `YYYYMM`. The month need not exist.
///
/// ```
/// use fecscan::fec::month::Month;
/// let month = Month::of_image_number(b"201804209115703242").unwrap();
/// assert_eq!(month.to_string(), "2018-04");
/// assert!(month.is_calendar_month());
/// assert!(!Month::of_image_number(b"15970235141").unwrap().is_calendar_month());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(u32);

impl Month {
    /// The number of different months; every index is less.
    pub const COUNT: usize = 1_000_000;

    /// Returns the month of an IMAGE_NUM: its first six bytes after white space, if they are digits.
    pub fn of_image_number(column: &[u8]) -> Option<Month> {
        let six = trimmed(column).first_chunk::<6>()?;
        Month::of_digits(*six)
    }

    /// Returns the month that six digits make.
    pub(crate) fn of_digits(six: [u8; 6]) -> Option<Month> {
        let [a, b, c, d, e, f] = six;
        let (values, _) = digits_of([b'0', b'0', a, b, c, d, e, f]);
        eight_digits(values).map(|number| Month(number as u32))
    }

    /// Returns the month of a TRANSACTION_DT: eight digits `MMDDYYYY` and nothing else, after
    /// trimming.
    #[inline(always)]
    pub fn of_date(column: &[u8]) -> Option<Month> {
        let &[m1, m2, d1, d2, y1, y2, y3, y4] = trimmed(column).first_chunk::<8>()?;
        if trimmed(column).len() != 8 || !d1.is_ascii_digit() || !d2.is_ascii_digit() {
            return None;
        }
        Month::of_digits([y1, y2, y3, y4, m1, m2])
    }

    /// Returns the number that the six digits make.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Returns the month with this number, if it has at most six digits.
    pub(crate) fn of_number(number: u64) -> Option<Month> {
        let number = u32::try_from(number).ok()?;
        ((number as usize) < Month::COUNT).then_some(Month(number))
    }

    /// Returns the number of months from `earlier` to this one. Both must be calendar months.
    pub(crate) fn since(self, earlier: Month) -> usize {
        let months = |month: Month| month.0 / 100 * 12 + month.0 % 100;
        (months(self) - months(earlier)) as usize
    }

    /// Checks for months 01 to 12 of the years 1975, when the FEC was founded, to 2099.
    pub fn is_calendar_month(self) -> bool {
        matches!(self.0 / 100, 1975..=2099) && matches!(self.0 % 100, 1..=12)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0 / 100, self.0 % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_eight_digits_and_nothing_else() {
        assert_eq!(Month::of_date(b"12312017"), Some(Month(201712)));
        assert_eq!(Month::of_date(b" 12312017\t"), Some(Month(201712)));
        assert_eq!(Month::of_date(b"99990000"), Some(Month(99)));
        for bad in [
            &b"1231201"[..],
            b"123120171",
            b"1231 2017",
            b"12a12017",
            b"1b312017",
            b"1231201x",
            b"",
            b"  ",
        ] {
            assert_eq!(Month::of_date(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn months_between_two_are_those_of_the_calendar() {
        assert_eq!(Month(201801).since(Month(201712)), 1);
        assert_eq!(Month(201801).since(Month(201801)), 0);
        assert_eq!(Month(202603).since(Month(197501)), 51 * 12 + 2);
    }

    #[test]
    fn calendar_months_are_those_of_the_years_of_the_fec() {
        let calendar = (0..Month::COUNT)
            .filter(|&number| Month(number as u32).is_calendar_month())
            .count();
        assert_eq!(calendar, (2099 - 1975 + 1) * 12);
    }
}
