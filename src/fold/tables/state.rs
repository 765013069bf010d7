//! What is kept of the rows of a group.
//!
//! Sums are exact: 2^64 rows of the greatest amount stay below 2^111.

use std::fmt::Debug;

use crate::coding::{Damaged, Put, Reader};
use crate::fec::amount::AMOUNT_DIGITS;

/// The value of a row whose column holds no number.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// What is kept of the rows of a group. Plain data; the order of rows does not change it.
pub(crate) trait State: Clone + Debug + Default + Send + Sync {
    /// Whether rows have values. Loops over values are not compiled for states without, nor the others for states with
    /// them. That saves 66 kB of the program.
    const HAS_VALUES: bool;

    /// Adds a row with these values, each a number or [`NO_NUMBER`].
    fn add(&mut self, values: &[i64]);

    /// Adds a row with one value, which is a number.
    #[inline(always)]
    fn add_number(&mut self, number: i64) {
        self.add(&[number]);
    }

    /// Adds the rows of `other`.
    fn merge(&mut self, other: &Self);

    /// Returns the number of rows.
    fn rows(&self) -> u64;

    /// Returns the numbers of a column of values.
    fn numbers(&self, column: usize) -> Numbers;

    /// Writes the state of a group down, whose rows have this number of values.
    fn put(&self, columns: usize, out: &mut Vec<u8>);

    /// Reads it.
    fn take(columns: usize, reader: &mut Reader<'_>) -> Result<Self, Damaged>;
}

/// Reads a number of rows. A group has some.
fn take_rows(reader: &mut Reader<'_>) -> Result<u64, Damaged> {
    match reader.number()? {
        0 => Err(Damaged),
        rows => Ok(rows),
    }
}

/// The numbers of a column in the rows of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) total: Total,
    /// The least and the greatest number, if these were asked for. Meaningless without numbers.
    pub(crate) least: i64,
    pub(crate) greatest: i64,
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers {
            total: Total::default(),
            least: i64::MAX,
            greatest: i64::MIN,
        }
    }
}

/// A sum of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// How many numbers.
    pub(crate) numbers: u64,
    sum: i128,
}

impl Total {
    /// Adds a sum of some numbers.
    #[inline(always)]
    pub(crate) fn add(&mut self, numbers: u64, sum: i128) {
        self.numbers += numbers;
        self.sum += sum;
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: &Total) {
        self.add(other.numbers, other.sum);
    }

    /// Writes the sum of some of these `rows` down.
    fn put(&self, rows: u64, out: &mut Vec<u8>) {
        out.put_number(rows - self.numbers);
        out.put_wide(self.sum);
    }

    fn take(rows: u64, reader: &mut Reader<'_>) -> Result<Total, Damaged> {
        let total = Total {
            numbers: rows.checked_sub(reader.number()?).ok_or(Damaged)?,
            sum: reader.wide()?,
        };
        let most = u128::from(total.numbers) * 10_u128.pow(AMOUNT_DIGITS);
        if total.sum.unsigned_abs() <= most {
            Ok(total)
        } else {
            Err(Damaged)
        }
    }

    /// Returns the sum; none of no numbers.
    pub(crate) fn sum(self) -> Option<i128> {
        (self.numbers > 0).then_some(self.sum)
    }

    /// Returns the mean, a half rounded away from zero; none of no numbers.
    pub(crate) fn mean(self) -> Option<i128> {
        self.sum()
            .map(|sum| rounded_quotient(sum, self.numbers.into()))
    }
}

/// Divides, and rounds a half away from zero.
fn rounded_quotient(sum: i128, by: i128) -> i128 {
    let (whole, rest) = (sum / by, sum % by);
    if 2 * rest.abs() >= by {
        whole + sum.signum()
    } else {
        whole
    }
}

impl Numbers {
    fn add(&mut self, number: i64) {
        self.total.add(1, number.into());
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
    }

    fn merge(&mut self, other: &Numbers) {
        self.total.merge(&other.total);
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }
}

/// The number of rows, for questions without values.
impl State for u64 {
    const HAS_VALUES: bool = false;

    #[inline(always)]
    fn add(&mut self, _: &[i64]) {
        *self += 1;
    }

    #[inline(always)]
    fn merge(&mut self, other: &u64) {
        *self += other;
    }

    fn rows(&self) -> u64 {
        *self
    }

    fn numbers(&self, _: usize) -> Numbers {
        Numbers::default()
    }

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        out.put_number(*self);
    }

    fn take(_: usize, reader: &mut Reader<'_>) -> Result<u64, Damaged> {
        take_rows(reader)
    }
}

/// The rows, and the sum of one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    rows: u64,
    total: Total,
}

impl State for Sum {
    const HAS_VALUES: bool = true;

    #[inline(always)]
    fn add(&mut self, values: &[i64]) {
        let value = values[0];
        let is_number = value != NO_NUMBER;
        self.rows += 1;
        // No branch on the number: a column may be empty in any other row.
        let number = if is_number { value } else { 0 };
        self.total.add(is_number.into(), number.into());
    }

    #[inline(always)]
    fn add_number(&mut self, number: i64) {
        self.rows += 1;
        self.total.add(1, number.into());
    }

    fn merge(&mut self, other: &Sum) {
        self.rows += other.rows;
        self.total.merge(&other.total);
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn numbers(&self, _: usize) -> Numbers {
        Numbers {
            total: self.total,
            ..Numbers::default()
        }
    }

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        out.put_number(self.rows);
        self.total.put(self.rows, out);
    }

    fn take(_: usize, reader: &mut Reader<'_>) -> Result<Sum, Damaged> {
        let rows = take_rows(reader)?;
        let total = Total::take(rows, reader)?;
        Ok(Sum { rows, total })
    }
}

/// The rows, and the sums and extremes of several columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    rows: u64,
    /// Empty before the first row.
    numbers: Vec<Numbers>,
}

impl State for Columns {
    const HAS_VALUES: bool = true;

    fn add(&mut self, values: &[i64]) {
        self.rows += 1;
        self.numbers.resize_with(values.len(), Numbers::default);
        for (column, &value) in self.numbers.iter_mut().zip(values) {
            if value != NO_NUMBER {
                column.add(value);
            }
        }
    }

    fn merge(&mut self, other: &Columns) {
        self.rows += other.rows;
        let columns = self.numbers.len().max(other.numbers.len());
        self.numbers.resize_with(columns, Numbers::default);
        let pairs = self.numbers.iter_mut().zip(&other.numbers);
        pairs.for_each(|(into, from)| into.merge(from));
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn numbers(&self, column: usize) -> Numbers {
        self.numbers.get(column).copied().unwrap_or_default()
    }

    fn put(&self, columns: usize, out: &mut Vec<u8>) {
        out.put_number(self.rows);
        for numbers in (0..columns).map(|column| self.numbers(column)) {
            numbers.total.put(self.rows, out);
            if numbers.total.numbers > 0 {
                out.put_signed(numbers.least);
                out.put_signed(numbers.greatest);
            }
        }
    }

    fn take(columns: usize, reader: &mut Reader<'_>) -> Result<Columns, Damaged> {
        let rows = take_rows(reader)?;
        let numbers = (0..columns).map(|_| {
            let total = Total::take(rows, reader)?;
            Ok(match total.numbers {
                0 => Numbers {
                    total,
                    ..Numbers::default()
                },
                _ => Numbers {
                    total,
                    least: reader.signed()?,
                    greatest: reader.signed()?,
                },
            })
        });
        let numbers = numbers.collect::<Result<_, _>>()?;
        Ok(Columns { rows, numbers })
    }
}

#[cfg(test)]
mod tests;
