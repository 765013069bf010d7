//! The states of one group.
//!
//! Sums are exact: 2^64 rows of the greatest amount stay below 2^111.

use std::borrow::Cow;
use std::fmt::Debug;

use crate::coding::{Damaged, Put, Reader, check};
use crate::fec::amount::NUMBER_DIGITS;

/// The value of a row whose column holds no number.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// The state of a column in the rows of one group. The order of rows does not change it.
pub(super) trait State: Clone + Debug + Default + Send + Sync {
    /// Adds a number, or [`NO_NUMBER`].
    fn add(&mut self, number: i64);

    /// Adds the rows of `other`.
    fn merge(&mut self, other: &Self);

    /// Returns the value, if there are numbers.
    fn value(&self) -> Option<i128>;

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

    /// Adds another total.
    pub(crate) fn add_total(&mut self, other: Total) {
        State::merge(self, &other);
    }

    /// Returns the sum, if there are numbers.
    pub(crate) fn sum(self) -> Option<i128> {
        (self.numbers > 0).then_some(self.sum)
    }

    /// Returns the mean times `factor`, if there are numbers. A half is rounded away from zero.
    pub(crate) fn mean(self, factor: i128) -> Option<i128> {
        let sum = self.sum()?;
        Some(rounded_quotient(sum * factor, self.numbers.into()))
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

    fn put(&self, rows: u64, out: &mut Vec<u8>) {
        out.put_number(rows - self.numbers);
        out.put_wide(self.sum);
    }

    fn take(rows: u64, reader: &mut Reader<'_>) -> Result<Total, Damaged> {
        let numbers = rows.checked_sub(reader.number()?).ok_or(Damaged)?;
        let sum = reader.wide()?;
        check(sum.unsigned_abs() <= u128::from(numbers) * 10_u128.pow(NUMBER_DIGITS))?;
        Ok(Total { numbers, sum })
    }
}

/// The least or the greatest of numbers. No amount is as great as the number that stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extreme<const GREATEST: bool>(i64);

impl<const GREATEST: bool> Extreme<GREATEST> {
    const NONE: i64 = if GREATEST { NO_NUMBER } else { i64::MAX };

    #[inline(always)]
    fn keep(&mut self, number: i64) {
        self.0 = if GREATEST {
            self.0.max(number)
        } else {
            self.0.min(number)
        };
    }
}

impl<const GREATEST: bool> Default for Extreme<GREATEST> {
    fn default() -> Self {
        Extreme(Self::NONE)
    }
}

impl<const GREATEST: bool> State for Extreme<GREATEST> {
    #[inline(always)]
    fn add(&mut self, number: i64) {
        self.keep(if number == NO_NUMBER {
            Self::NONE
        } else {
            number
        });
    }

    fn merge(&mut self, other: &Self) {
        self.keep(other.0);
    }

    fn value(&self) -> Option<i128> {
        (self.0 != Self::NONE).then_some(self.0.into())
    }

    fn put(&self, _: u64, out: &mut Vec<u8>) {
        out.put_signed(self.0);
    }

    fn take(_: u64, reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Extreme(reader.signed()?))
    }
}

/// How often each number occurs. Amounts of a group are few distinct ones, so this takes less than the numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distribution {
    /// Numbers, ascending, each with how often it occurs.
    runs: Vec<(i64, u64)>,
    /// Numbers that are not yet among the runs.
    pending: Vec<i64>,
}

/// The least number of pending numbers to sort together. Runs that outnumber it take its place.
const PENDING: usize = 1024;

impl Distribution {
    /// Returns the median times `factor`, if there are numbers: of an even number of them the mean of both in the middle, a half rounded away
    /// from zero.
    pub(super) fn median(&self, factor: i128) -> Option<i128> {
        let flushed = self.flushed();
        let numbers = flushed.numbers();
        let last = numbers.checked_sub(1)?;
        let sum = flushed.nth(last / 2)? + flushed.nth(numbers / 2)?;
        Some(rounded_quotient(sum * factor, 2))
    }

    /// Moves the numbers that wait to the runs.
    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        self.pending.sort_unstable();
        let pending = self.pending.chunk_by(|one, other| one == other);
        let pending = pending.map(|run| (run[0], run.len() as u64));
        self.runs = merged(&self.runs, pending);
        self.pending.clear();
    }

    #[inline(always)]
    fn flush_if_many(&mut self) {
        if self.pending.len() >= self.runs.len().max(PENDING) {
            self.flush();
        }
    }

    /// Returns how many numbers the runs have.
    pub(super) fn numbers(&self) -> u64 {
        self.runs.iter().map(|(_, times)| times).sum()
    }

    /// Returns the `nth` number of the runs, counted from zero.
    pub(super) fn nth(&self, nth: u64) -> Option<i128> {
        let mut before = 0;
        let mut runs = self.runs.iter();
        let run = runs.find(|(_, times)| {
            before += times;
            nth < before
        });
        run.map(|(number, _)| i128::from(*number))
    }

    pub(super) fn flushed(&self) -> Cow<'_, Distribution> {
        let mut flushed = Cow::Borrowed(self);
        if !self.pending.is_empty() {
            flushed.to_mut().flush();
        }
        flushed
    }
}

/// Merges runs that ascend.
fn merged(one: &[(i64, u64)], other: impl Iterator<Item = (i64, u64)>) -> Vec<(i64, u64)> {
    let mut merged = Vec::with_capacity(one.len());
    let mut rest = one;
    for (number, times) in other {
        let before = rest.partition_point(|&(known, _)| known < number);
        merged.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        match rest.split_first() {
            Some((&(known, further), after)) if known == number => {
                merged.push((number, times + further));
                rest = after;
            }
            _ => merged.push((number, times)),
        }
    }
    merged.extend_from_slice(rest);
    merged
}

impl State for Distribution {
    #[inline(always)]
    fn add(&mut self, number: i64) {
        if number != NO_NUMBER {
            self.pending.push(number);
            self.flush_if_many();
        }
    }

    fn merge(&mut self, other: &Distribution) {
        self.runs = merged(&self.runs, other.runs.iter().copied());
        self.pending.extend_from_slice(&other.pending);
        self.flush_if_many();
    }

    fn value(&self) -> Option<i128> {
        self.median(1)
    }

    fn put(&self, _: u64, out: &mut Vec<u8>) {
        let flushed = self.flushed();
        out.put_number(flushed.runs.len() as u64);
        for &(number, times) in &flushed.runs {
            out.put_signed(number);
            out.put_number(times);
        }
    }

    fn take(rows: u64, reader: &mut Reader<'_>) -> Result<Distribution, Damaged> {
        let mut distribution = Distribution::default();
        let mut left = rows;
        for _ in 0..reader.number()? {
            let run = (reader.signed()?, reader.number()?);
            left = left.checked_sub(run.1).ok_or(Damaged)?;
            let ascends = distribution.runs.last().is_none_or(|last| last.0 < run.0);
            let is_amount = u128::from(run.0.unsigned_abs()) <= 10_u128.pow(NUMBER_DIGITS);
            check(ascends && is_amount && run.1 > 0)?;
            distribution.runs.push(run);
        }
        Ok(distribution)
    }
}
