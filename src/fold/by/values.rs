//! Reads columns as numbers, as dates, and as keys.

use super::bound::Reading;
use super::question::KeyFunction;
use crate::fec::amount::hundredths;
use crate::fec::{date, derived};
use crate::fold::tables::NO_NUMBER;
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

/// Appends what a function makes of a column.
#[inline(always)]
pub(in crate::fold) fn append(function: KeyFunction, cell: Cell<'_>, key: &mut Vec<u8>) {
    match function {
        KeyFunction::Bytes => match cell.first_bytes::<16>() {
            // A copy of fixed length, whose noise goes.
            Some(bytes) if cell.len() <= bytes.len() => {
                let end = key.len() + cell.len();
                key.extend_from_slice(bytes);
                key.truncate(end);
            }
            _ => key.extend_from_slice(&cell),
        },
        KeyFunction::Month => {
            if let Some(bytes) = cell.first_bytes()
                && cell.len() == 8
                && let Some(month) = derived::month_of_date(*bytes)
            {
                let end = key.len() + 7;
                key.extend_from_slice(&month);
                key.truncate(end);
            } else if let Some(month) = derived::month(&cell) {
                key.extend_from_slice(&month);
            }
        }
        KeyFunction::Year => {
            if let Some(year) = derived::year(&cell) {
                key.extend_from_slice(&year);
            }
        }
        KeyFunction::Zip5 => {
            if let Some(five) = derived::zip5(&cell).first_chunk::<5>() {
                key.extend_from_slice(five);
            }
        }
        KeyFunction::FirstName => key.extend_from_slice(derived::first_name(&cell)),
        KeyFunction::LastName => key.extend_from_slice(derived::last_name(&cell)),
    }
}
