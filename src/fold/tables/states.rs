//! The states of one group.
//!
//! Sums are exact: 2^64 rows of the greatest number stay below 2^127, and those of amounts, of eighteen digits, below 2^124.

use std::fmt::Debug;

use crate::coding::{Damaged, Put, Reader, check};
use crate::fec::amount::NUMBER_DIGITS;

/// The value of a row whose column holds no number.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// The greatest amount.
pub(super) const AMOUNT_MOST: u128 = 10_u128.pow(NUMBER_DIGITS);

/// The state of a column in the rows of one group. The order of rows does not change it.
pub(super) trait State: Clone + Debug + Default + Send + Sync {
    /// Adds a number, or [`NO_NUMBER`].
    fn add(&mut self, number: i64);

    /// Adds the rows of `other`.
    fn merge(&mut self, other: &Self);

    /// Returns the value, if there are numbers.
    fn value(&self) -> Option<i128>;

    /// Says whether numbers that were added up or counted are amounts.
    fn is_of_amounts(&self) -> bool {
        true
    }

    /// Writes the state of this number of `rows` down.
    fn put(&self, rows: u64, out: &mut Vec<u8>);

    /// Reads it.
    fn take(rows: u64, reader: &mut Reader<'_>) -> Result<Self, Damaged>;
}

/// A sum of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// Of 24 bytes, not 32: there may be millions.
#[repr(Rust, packed(8))]
pub(crate) struct Total {
    numbers: u64,
    sum: i128,
}

impl Total {
    /// Adds one number.
    #[inline(always)]
    pub(crate) fn add_number(&mut self, number: i64) {
        State::add(self, number);
    }

    /// Adds a number that so many rows have.
    pub(super) fn add_of_rows(&mut self, number: i64, rows: u64) {
        if number != NO_NUMBER {
            self.numbers += rows;
            self.sum += i128::from(number) * i128::from(rows);
        }
    }

    /// Adds another total.
    pub(crate) fn add_total(&mut self, other: Total) {
        State::merge(self, &other);
    }

    /// Returns how many numbers there are.
    pub(super) fn numbers(self) -> u64 {
        self.numbers
    }

    /// Returns the sum, if there are numbers.
    pub(crate) fn sum(self) -> Option<i128> {
        (self.numbers > 0).then_some(self.sum)
    }
}

/// Divides, and rounds a half away from zero.
pub(super) fn rounded_quotient(sum: i128, by: i128) -> i128 {
    let (whole, rest) = (sum / by, sum % by);
    if 2 * rest.abs() >= by {
        whole + sum.signum()
    } else {
        whole
    }
}

impl State for Total {
    #[inline(always)]
    fn add(&mut self, number: i64) {
        // No branch on the number: a column may be empty in any other row.
        let is_number = number != NO_NUMBER;
        self.numbers += u64::from(is_number);
        self.sum += i128::from(if is_number { number } else { 0 });
    }

    fn merge(&mut self, other: &Total) {
        self.numbers += other.numbers;
        self.sum += other.sum;
    }

    fn value(&self) -> Option<i128> {
        self.sum()
    }

    fn is_of_amounts(&self) -> bool {
        self.sum.unsigned_abs() <= u128::from(self.numbers) * AMOUNT_MOST
    }

    fn put(&self, rows: u64, out: &mut Vec<u8>) {
        out.put_number(rows - self.numbers);
        out.put_wide(self.sum);
    }

    fn take(rows: u64, reader: &mut Reader<'_>) -> Result<Total, Damaged> {
        let numbers = rows.checked_sub(reader.number()?).ok_or(Damaged)?;
        let sum = reader.wide()?;
        check(sum.unsigned_abs() <= u128::from(numbers) << 63)?;
        Ok(Total { numbers, sum })
    }
}

/// The least or the greatest of numbers, or [`NO_NUMBER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extreme<const GREATEST: bool>(i64);

impl<const GREATEST: bool> Extreme<GREATEST> {
    #[inline(always)]
    fn keep(&mut self, number: i64) {
        self.0 = if GREATEST {
            self.0.max(number)
        } else {
            // Less one, `NO_NUMBER` wraps to the greatest number, which never wins.
            self.0
                .wrapping_sub(1)
                .min(number.wrapping_sub(1))
                .wrapping_add(1)
        };
    }
}

impl<const GREATEST: bool> Default for Extreme<GREATEST> {
    fn default() -> Self {
        Extreme(NO_NUMBER)
    }
}

impl<const GREATEST: bool> State for Extreme<GREATEST> {
    #[inline(always)]
    fn add(&mut self, number: i64) {
        self.keep(number);
    }

    fn merge(&mut self, other: &Self) {
        self.keep(other.0);
    }

    fn value(&self) -> Option<i128> {
        (self.0 != NO_NUMBER).then_some(self.0.into())
    }

    fn put(&self, _: u64, out: &mut Vec<u8>) {
        out.put_signed(self.0);
    }

    fn take(_: u64, reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Extreme(reader.signed()?))
    }
}
