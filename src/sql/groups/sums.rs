//! What all groups of a result have together, with those that LIMIT cuts off.

use crate::sql::AllGroups;
use crate::sql::evaluate::Fault;
use crate::sql::expression::Node;
use crate::sql::groups::result::Selected;
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

    /// Adds the groups of a mask. The first `keys` columns of what is selected of them are keys.
    pub(super) fn add(
        &mut self,
        selected: &Selected<'_>,
        keys: usize,
        kept: Mask,
    ) -> Result<(), Fault> {
        self.groups += u64::from(kept.count_ones());
        let sums = self.sums.iter_mut().zip(&mut self.values);
        for (nth, ((sum, count), of)) in sums.zip(selected.select).enumerate() {
            let is_key = matches!(of.of, Node::Column(nth) if nth < keys);
            if is_key || !is_exact(of.gives) {
                *sum = None;
                continue;
            }
            let values = selected.values(nth, kept)?;
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
    of.is_whole() || matches!(of, Type::Decimal(..))
}
