//! What all groups of a result have together, with those that LIMIT cuts off.

use crate::sql::AllGroups;
use crate::sql::types::Type;
use crate::sql::vector::{Data, Mask, Values, each};

impl AllGroups {
    pub(super) fn new(columns: usize) -> AllGroups {
        AllGroups {
            groups: 0,
            sums: vec![Some(0); columns],
            values: vec![0; columns],
        }
    }

    /// Adds the groups of a mask.
    pub(super) fn add(&mut self, values: &[Values<'_>], kept: Mask) {
        self.groups += u64::from(kept.count_ones());
        let sums = self.sums.iter_mut().zip(&mut self.values);
        for ((sum, count), values) in sums.zip(values) {
            *count += u64::from((kept & values.valid).count_ones());
            if !matches!(values.data, Data::Whole(_) | Data::Wide(_)) {
                *sum = None;
            }
            each(kept & values.valid, |row| {
                *sum = sum.and_then(|sum| sum.checked_add(values.wide(row)));
            });
        }
    }

    pub(super) fn merge(&mut self, other: &AllGroups) {
        self.groups += other.groups;
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum = sum.zip(*more).and_then(|(one, more)| one.checked_add(more));
        }
        let values = self.values.iter_mut().zip(&other.values);
        values.for_each(|(count, more)| *count += more);
    }

    /// Returns the sum of a column of this type, if it is one of exact numbers.
    pub(crate) fn sum(&self, column: usize, of: Type) -> Option<i128> {
        let is_exact = of.is_whole() || matches!(of, Type::Decimal(_));
        self.sums[column].filter(|_| is_exact)
    }
}
