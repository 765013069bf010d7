//! Counts distinct values by the key before them.

use super::hash_index::HashIndex;
use super::partitions::partition_of;
use super::words::Seed;
use super::{Groups, Table};
use crate::scan::{Cell, ROWS, Vector};

/// How many keys of another table begin with each key.
#[derive(Debug)]
pub(crate) struct DistinctCounts {
    seed: Seed,
    /// One for each partition, or one for all.
    parts: Vec<(HashIndex, Groups)>,
}

impl DistinctCounts {
    /// Counts the keys of a table by their bytes before the last separator.
    pub(crate) fn of(table: &Table) -> DistinctCounts {
        let empty = || Table::new(table.random.clone(), &[], 0, table.limits);
        let fronts = table.states(|state: &mut Option<Table>, _, groups| {
            let fronts = state.get_or_insert_with(empty);
            let mut some = Vector::new(groups.keys.haystack());
            for start in (0..groups.len()).step_by(ROWS) {
                let count = ROWS.min(groups.len() - start);
                for nth in 0..count {
                    some.set(nth, groups.keys.front(start + nth));
                }
                fronts.add(&some, count, &[]);
                fronts.end_block();
            }
        });
        let mut all = empty();
        for fronts in fronts.into_iter().flatten() {
            all.merge(fronts);
        }
        let seed = Seed::new(&table.random);
        let parts = all.each_part(|groups| {
            let mut index = HashIndex::default();
            index.clear_for(groups.len());
            for (nth, key) in groups.keys.iter().enumerate() {
                index.insert_new(seed.hash_of(key), nth as u32);
            }
            (index, groups.clone())
        });
        DistinctCounts { seed, parts }
    }

    /// Returns how many keys begin with this front.
    pub(crate) fn get(&self, front: Cell<'_>) -> u64 {
        let hash = self.seed.hash_of(front);
        let nth = match self.parts.len() {
            1 => 0,
            _ => partition_of(hash),
        };
        let (index, groups) = &self.parts[nth];
        let group = index.get(front, hash, &groups.keys);
        group.map_or(0, |group| groups.totals.rows(group as usize))
    }
}
