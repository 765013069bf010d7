//! What all groups of a result have together, with those that LIMIT cuts off.

use crate::sql::AllGroups;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::{Expression, Node};
use crate::sql::types::Type;
use crate::sql::vector::{Mask, each};

impl AllGroups {
    pub(super) fn new(columns: usize) -> AllGroups {
        AllGroups {
            groups: 0,
            sums: vec![Some(0); columns],
            values: vec![0; columns],
        }
    }

    /// Adds the groups of a mask, of which these expressions are selected. Those of the first `keys` columns are keys.
    pub(super) fn add(
        &mut self,
        select: &[Expression],
        keys: usize,
        batch: &dyn Batch,
        kept: Mask,
    ) -> Result<(), Fault> {
        self.groups += u64::from(kept.count_ones());
        let sums = self.sums.iter_mut().zip(&mut self.values);
        for ((sum, count), of) in sums.zip(select) {
            let is_key = matches!(of.of, Node::Column(nth) if nth < keys);
            if is_key || !is_exact(of.gives) {
                *sum = None;
                continue;
            }
            let values = of.values(batch, kept)?;
            *count += u64::from((kept & values.valid).count_ones());
            each(kept & values.valid, |row| {
                *sum = sum.and_then(|sum| sum.checked_add(values.wide(row)));
            });
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &AllGroups) {
        self.groups += other.groups;
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum = sum.zip(*more).and_then(|(one, more)| one.checked_add(more));
        }
        let values = self.values.iter_mut().zip(&other.values);
        values.for_each(|(count, more)| *count += more);
    }
}

fn is_exact(of: Type) -> bool {
    of.is_whole() || matches!(of, Type::Decimal(_))
}
