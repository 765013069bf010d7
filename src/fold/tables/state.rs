//! What is kept of the rows of a group.

use std::fmt::Debug;

use crate::fold::groups::Sum;

/// The value of a column that is no number.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// A sum exceeds 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// What is kept of the rows of a group. Plain data; the order of rows does not change it.
pub(crate) trait State: Clone + Debug + Default + Send + Sync {
    /// Adds a row with these values, each a number or [`NO_NUMBER`].
    fn add(&mut self, values: &[i64]);

    /// Adds a row with values of any size.
    fn add_wide(&mut self, values: &[Option<i128>]) -> Result<(), Overflow>;

    /// Adds the rows of `other`.
    fn merge(&mut self, other: &Self) -> Result<(), Overflow>;
}

/// The number of rows.
impl State for u64 {
    #[inline(always)]
    fn add(&mut self, _: &[i64]) {
        *self += 1;
    }

    fn add_wide(&mut self, _: &[Option<i128>]) -> Result<(), Overflow> {
        *self += 1;
        Ok(())
    }

    #[inline(always)]
    fn merge(&mut self, other: &u64) -> Result<(), Overflow> {
        *self += other;
        Ok(())
    }
}

impl State for Sum {
    #[inline(always)]
    fn add(&mut self, values: &[i64]) {
        let value = values[0];
        let is_number = value != NO_NUMBER;
        self.rows += 1;
        // No branch: a column may be empty in any other row.
        self.without += u64::from(!is_number);
        self.sum.0 += i128::from(if is_number { value } else { 0 });
    }

    fn add_wide(&mut self, values: &[Option<i128>]) -> Result<(), Overflow> {
        self.rows += 1;
        match values[0] {
            Some(value) => self.sum.0 = self.sum.0.checked_add(value).ok_or(Overflow)?,
            None => self.without += 1,
        }
        Ok(())
    }

    fn merge(&mut self, other: &Sum) -> Result<(), Overflow> {
        self.rows += other.rows;
        self.without += other.without;
        self.sum.0 = self.sum.0.checked_add(other.sum.0).ok_or(Overflow)?;
        Ok(())
    }
}

/// The numbers of a column in the rows of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// The rows with a number.
    pub(crate) rows: u64,
    pub(crate) sum: i128,
    /// The least number. Meaningless without rows, as the greatest is.
    pub(crate) least: i128,
    pub(crate) greatest: i128,
}

const NONE: Numbers = Numbers {
    rows: 0,
    sum: 0,
    least: i128::MAX,
    greatest: i128::MIN,
};

impl Numbers {
    fn merge(&mut self, other: &Numbers) -> Result<(), Overflow> {
        self.rows += other.rows;
        self.sum = self.sum.checked_add(other.sum).ok_or(Overflow)?;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
        Ok(())
    }
}

/// The numbers of several columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) rows: u64,
    /// For each column its numbers. Empty before the first row.
    pub(crate) numbers: Vec<Numbers>,
}

impl State for Columns {
    fn add(&mut self, values: &[i64]) {
        self.rows += 1;
        self.numbers.resize(values.len(), NONE);
        for (numbers, &value) in self.numbers.iter_mut().zip(values) {
            if value != NO_NUMBER {
                let value = i128::from(value);
                numbers.rows += 1;
                numbers.sum += value;
                numbers.least = numbers.least.min(value);
                numbers.greatest = numbers.greatest.max(value);
            }
        }
    }

    fn add_wide(&mut self, values: &[Option<i128>]) -> Result<(), Overflow> {
        let number = |&value: &Option<i128>| match value {
            None => NONE,
            Some(value) => Numbers {
                rows: 1,
                sum: value,
                least: value,
                greatest: value,
            },
        };
        let numbers = values.iter().map(number).collect();
        self.merge(&Columns { rows: 1, numbers })
    }

    fn merge(&mut self, other: &Columns) -> Result<(), Overflow> {
        self.rows += other.rows;
        let columns = self.numbers.len().max(other.numbers.len());
        self.numbers.resize(columns, NONE);
        let mut pairs = self.numbers.iter_mut().zip(&other.numbers);
        pairs.try_for_each(|(into, from)| into.merge(from))
    }
}
