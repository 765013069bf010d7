//! What a group keeps for each aggregate: partial sums, extremes, values.

use std::collections::HashSet;

use ahash::RandomState;

use super::bound::Reading;
use super::grouped::Value;
use super::question::AggregateKind;
use crate::fec::amount::Hundredths;

/// The state of one aggregate of one group.
#[derive(Clone, Debug)]
pub(super) enum Tally {
    Sum(Total),
    Mean(Total),
    Min(Option<i128>),
    Max(Option<i128>),
    Distinct(HashSet<Box<[u8]>, RandomState>),
}

/// A sum of numbers, exact in any order: it may leave 128 bits and come back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    numbers: u64,
    low: i128,
    /// How often the sum has left 128 bits upwards, less how often downwards.
    carry: i64,
}

/// A sum beyond 128 bits.
#[derive(Debug)]
pub(super) struct Overflow;

impl Total {
    fn add(&mut self, numbers: u64, low: i128, carry: i64) {
        let (sum, is_over) = self.low.overflowing_add(low);
        self.numbers += numbers;
        self.low = sum;
        self.carry += carry + if is_over { low.signum() as i64 } else { 0 };
    }

    fn sum(self) -> Result<Option<i128>, Overflow> {
        match self.carry {
            0 => Ok((self.numbers > 0).then_some(self.low)),
            _ => Err(Overflow),
        }
    }

    fn mean(self) -> Result<Option<i128>, Overflow> {
        let sum = self.sum()?;
        Ok(sum.map(|sum| rounded_quotient(sum, self.numbers.into())))
    }
}

/// Divides, and rounds a half away from zero.
fn rounded_quotient(sum: i128, by: i128) -> i128 {
    let (whole, rest) = (sum / by, sum % by);
    match 2 * rest.abs() >= by {
        true => whole + sum.signum(),
        false => whole,
    }
}

impl Tally {
    pub(super) fn new(kind: AggregateKind) -> Tally {
        match kind {
            AggregateKind::Sum => Tally::Sum(Total::default()),
            AggregateKind::Mean => Tally::Mean(Total::default()),
            AggregateKind::Min => Tally::Min(None),
            AggregateKind::Max => Tally::Max(None),
            AggregateKind::Distinct => Tally::Distinct(HashSet::default()),
        }
    }

    /// Adds a number of hundredths, or a day.
    pub(super) fn add(&mut self, number: i128) {
        match self {
            Tally::Sum(total) | Tally::Mean(total) => total.add(1, number, 0),
            Tally::Min(least) => *least = Some(least.map_or(number, |least| least.min(number))),
            Tally::Max(most) => *most = Some(most.map_or(number, |most| most.max(number))),
            Tally::Distinct(_) => {}
        }
    }

    /// Adds a value as it stands. Empty values do not count.
    pub(super) fn add_bytes(&mut self, bytes: &[u8]) {
        if let Tally::Distinct(values) = self
            && !bytes.is_empty()
            && !values.contains(bytes)
        {
            values.insert(bytes.into());
        }
    }

    pub(super) fn merge(&mut self, from: &Tally) {
        match (self, from) {
            (Tally::Sum(total), Tally::Sum(from)) | (Tally::Mean(total), Tally::Mean(from)) => {
                total.add(from.numbers, from.low, from.carry);
            }
            (Tally::Distinct(values), Tally::Distinct(from)) => values.extend(from.iter().cloned()),
            (into @ Tally::Min(_), Tally::Min(Some(number)))
            | (into @ Tally::Max(_), Tally::Max(Some(number))) => into.add(*number),
            _ => {}
        }
    }

    /// Returns the value, or nothing without numbers.
    pub(super) fn value(&self, reading: Reading) -> Result<Option<Value>, Overflow> {
        let number = |number: i128| match reading {
            Reading::Date => Value::Date(number as u32),
            _ => Value::Amount(Hundredths(number)),
        };
        Ok(match self {
            Tally::Sum(total) => total.sum()?.map(number),
            Tally::Mean(total) => total.mean()?.map(number),
            Tally::Min(extreme) | Tally::Max(extreme) => extreme.map(number),
            Tally::Distinct(values) => Some(Value::Count(values.len() as u64)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(numbers: &[i128]) -> Total {
        let mut total = Total::default();
        numbers.iter().for_each(|number| total.add(1, *number, 0));
        total
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (sum, by, expected) in [
            (1, 2, 1),
            (-1, 2, -1),
            (1, 3, 0),
            (2, 3, 1),
            (-2, 3, -1),
            (-1, 3, 0),
            (5, 10, 1),
            (-15, 10, -2),
            (14, 10, 1),
            (7, 1, 7),
            (i128::MIN, 1, i128::MIN),
            (i128::MAX, 2, i128::MAX / 2 + 1),
            (
                i128::MIN,
                i128::from(u64::MAX),
                i128::MIN / i128::from(u64::MAX) - 1,
            ),
        ] {
            assert_eq!(rounded_quotient(sum, by), expected, "{sum} / {by}");
        }
    }

    #[test]
    fn sums_leave_128_bits_and_come_back() {
        let (most, least) = (i128::MAX, i128::MIN);
        assert!(total(&[most, 1]).sum().is_err());
        assert!(total(&[least, -1]).sum().is_err());
        assert!(total(&[most, most, most, most]).mean().is_err());
        for numbers in [
            [most, 1, -1, 0],
            [1, most, least, 1],
            [most, most, least, least],
            [least, least, most, most],
        ] {
            let expected = match numbers.contains(&-1) {
                true => most,
                false if numbers[1] == most && numbers[0] == 1 => 1,
                false => -2,
            };
            assert_eq!(
                total(&numbers).sum().unwrap(),
                Some(expected),
                "{numbers:?}"
            );
            let mut halves = total(&numbers[..2]);
            let other = total(&numbers[2..]);
            halves.add(other.numbers, other.low, other.carry);
            assert_eq!(halves.sum().unwrap(), Some(expected), "{numbers:?}");
        }
        assert_eq!(total(&[]).sum().unwrap(), None);
        assert_eq!(total(&[]).mean().unwrap(), None);
    }
}
