//! Reads columns as numbers and as dates.

use super::bound::Reading;
use crate::fec::amount::hundredths;
use crate::fec::date;
use crate::fold::tables::NO_NUMBER;
pub(in crate::fold) use crate::keys::append;
use crate::scan::Cell;

/// A value that does not fit 64 bits.
pub(super) const WIDE: i64 = NO_NUMBER + 1;

/// Returns the number of a value.
#[inline(always)]
pub(super) fn number_of(cell: Cell<'_>, reading: Reading) -> i64 {
    if reading == Reading::Number
        && let Some(number) = cell.short_hundredths()
    {
        return number;
    }
    unusual_number_of(cell, reading)
}

#[inline(never)]
fn unusual_number_of(cell: Cell<'_>, reading: Reading) -> i64 {
    match wide_number_of(&cell, reading) {
        None => NO_NUMBER,
        Some(number) => i64::try_from(number)
            .ok()
            .filter(|number| ![NO_NUMBER, WIDE].contains(number))
            .unwrap_or(WIDE),
    }
}

pub(super) fn wide_number_of(value: &[u8], reading: Reading) -> Option<i128> {
    match reading {
        Reading::Number => hundredths(value),
        Reading::Date => date::of_column(value).map(i128::from),
        Reading::Bytes => None,
    }
}
