//! Reads columns as numbers and as dates.

use super::bound::Reading;
use crate::fec::amount::{hundredths, hundredths_of_eight};
use crate::fec::date;
use crate::fold::tables::NO_NUMBER;
pub(in crate::fold) use crate::keys::append;
use crate::scan::{Cell, Heads, ROWS};

/// A value that does not fit 64 bits.
pub(super) const WIDE: i64 = NO_NUMBER + 1;

/// A value that is not read in a loop over many. No amount of eight digits is so great.
const UNUSUAL: i64 = i64::MAX;

/// Returns the number of a value.
#[inline(always)]
pub(super) fn number_of(cell: Cell<'_>, reading: Reading) -> i64 {
    if reading == Reading::Number
        && let Some(number) = cell.short_hundredths()
    {
        return number;
    }
    unusual_number_of(cell.bytes(), reading)
}

/// Returns the numbers of the values of the first `rows`. `cell` returns the cell of a row.
#[inline(always)]
pub(super) fn numbers_of<'a>(
    heads: &Heads,
    reading: Reading,
    rows: usize,
    cell: impl Fn(usize) -> Cell<'a>,
) -> [i64; ROWS] {
    let mut numbers = [UNUSUAL; ROWS];
    if reading == Reading::Number {
        for (number, (&bytes, &length)) in numbers.iter_mut().zip(heads.iter()) {
            *number = hundredths_of_eight(bytes, length).unwrap_or(UNUSUAL);
        }
    }
    let unusual = numbers[..rows].iter().filter(|&&number| number == UNUSUAL);
    if unusual.count() > 0 {
        for (nth, number) in numbers[..rows].iter_mut().enumerate() {
            if *number == UNUSUAL {
                *number = unusual_number_of(cell(nth).bytes(), reading);
            }
        }
    }
    numbers
}

/// Says whether all of these are numbers of 64 bits.
#[inline(always)]
pub(super) fn are_numbers(numbers: &[i64; ROWS]) -> bool {
    let mut least = i64::MAX;
    for &number in numbers {
        least = least.min(number);
    }
    least > WIDE
}

/// Takes bytes, because a cell would be written to memory for the call, and before it is known whether there is one.
#[inline(never)]
fn unusual_number_of(value: &[u8], reading: Reading) -> i64 {
    match wide_number_of(value, reading) {
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
