//! Values of typed columns, read from the bytes of their cells.

use crate::fec::amount::{self, AMOUNT_DIGITS};
use crate::fec::date;
use crate::scan::Cell;

/// The number of digits of an amount.
pub(super) const AMOUNT_PRECISION: i32 = AMOUNT_DIGITS as i32;
/// The number of digits of a sum.
pub(super) const SUM_PRECISION: i32 = 38;
/// The number of digits after the point.
pub(super) const SCALE: i32 = 2;

/// Reads an amount, in hundredths. None if it has more than fourteen digits.
#[inline(always)]
pub(super) fn amount(cell: Cell<'_>) -> Option<i64> {
    cell.hundredths()?.amount()
}

/// Reads a sum, in hundredths. None if it has more than 38 digits.
pub(super) fn sum(cell: Cell<'_>) -> Option<i128> {
    let hundredths = cell.hundredths()?.0;
    let fits = hundredths.unsigned_abs() < 10_u128.pow(SUM_PRECISION as u32);
    fits.then_some(hundredths)
}

/// Reads a day, as the number of days after the first of 1970.
pub(super) fn day(cell: Cell<'_>) -> Option<i64> {
    let date = date::of_column(&cell)?;
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    // Years that begin in March end with the day that leap years have more.
    let year = i64::from(year) - i64::from(month <= 2);
    let (month, day) = (i64::from(month), i64::from(day));
    let days_before_month = (153 * ((month + 9) % 12) + 2) / 5;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + days_before_month + day;
    const EPOCH: i64 = 719_469;
    Some(days - EPOCH)
}

/// Reads an integer of 64 bits.
pub(super) fn integer(cell: Cell<'_>) -> Option<i64> {
    amount::integer(&cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day_of(text: &str) -> Option<i64> {
        day(Cell::from(text.as_bytes()))
    }

    #[test]
    fn days_are_numbered_from_1970_on() {
        assert_eq!(day_of("01011970"), Some(0));
        assert_eq!(day_of("12311969"), Some(-1));
        assert_eq!(day_of("04302018"), Some(17_651));
        assert_eq!(day_of("01010001"), Some(-719_162));
        assert_eq!(day_of("12319999"), Some(2_932_896));
        assert_eq!(day_of("02302018"), None);
        let mut expected = -719_162;
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some(found) = day_of(&format!("{month:02}{day:02}{year:04}")) {
                        assert_eq!(found, expected, "{month}/{day}/{year}");
                        expected += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn amounts_have_fourteen_digits() {
        for (text, expected) in [
            ("250", Some(25_000)),
            ("-17.5", Some(-1_750)),
            ("999999999999.99", Some(99_999_999_999_999)),
            ("-999999999999.99", Some(-99_999_999_999_999)),
            ("1000000000000", None),
            ("-1000000000000.00", None),
            ("99999999999999999999999999999999", None),
            ("", None),
            ("1e3", None),
        ] {
            assert_eq!(amount(Cell::from(text.as_bytes())), expected, "{text}");
        }
    }
}
