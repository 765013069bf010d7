//! Reads columns as numbers and as dates.

use crate::fec::amount::{
    Hundredths, hundredths, hundredths_of_eight, hundredths_with_point, number,
};
use crate::fec::date;
use crate::fold::tables::NO_NUMBER;
use crate::scan::{ROWS, Vector};

/// How the values of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) enum Reading {
    /// As amounts, which have two decimals.
    Number,
    /// As numbers with this number of decimals.
    Decimal(u8),
    /// As days.
    Date,
}

/// A value outside of loops over many values. No amount of eight digits is so great.
const UNUSUAL: i64 = i64::MAX;

/// Returns the numbers of the first `rows` of a column.
#[inline(always)]
pub(in crate::sql) fn numbers_of(
    column: &Vector<'_>,
    reading: Reading,
    rows: usize,
) -> [i64; ROWS] {
    let mut numbers = [UNUSUAL; ROWS];
    let is_number = reading == Reading::Number;
    if is_number {
        for (number, (bytes, length)) in numbers.iter_mut().zip(column.heads()) {
            *number = hundredths_of_eight(bytes, length).unwrap_or(UNUSUAL);
        }
    }
    let has_unusual = |numbers: &[i64; ROWS]| {
        let unusual = numbers[..rows].iter().filter(|&&number| number == UNUSUAL);
        unusual.count() > 0
    };
    if is_number && has_unusual(&numbers) {
        for (number, (bytes, length)) in numbers.iter_mut().zip(column.heads()) {
            let with_point = hundredths_with_point(bytes, length).unwrap_or(UNUSUAL);
            *number = if *number == UNUSUAL {
                with_point
            } else {
                *number
            };
        }
    }
    if has_unusual(&numbers) {
        for (nth, number) in numbers[..rows].iter_mut().enumerate() {
            if *number == UNUSUAL {
                *number = number_of(column.cell(nth).bytes(), reading);
            }
        }
    }
    numbers
}

/// Returns the number of `value`, or [`NO_NUMBER`].
///
/// Takes bytes, because a cell would be written to memory for the call, and before it is known whether there is one.
#[inline(never)]
pub(in crate::sql) fn number_of(value: &[u8], reading: Reading) -> i64 {
    let number = match reading {
        Reading::Number => hundredths(value).and_then(|number| Hundredths(number).amount()),
        Reading::Decimal(decimals) => number(value, decimals).map(|number| number.units as i64),
        Reading::Date => date::of_column(value).map(i64::from),
    };
    number.unwrap_or(NO_NUMBER)
}
