//! Rows and identifiers that have no partner in a joined file, or several.

use std::collections::HashSet;

use ahash::RandomState;

use crate::fec::schema::Schema;
use crate::join::{Choice, Counted, JoinedColumn, Partners, WithoutPartner};

type Ids = HashSet<Box<[u8]>, RandomState>;

/// Counts rows and identifiers without a partner, and rows with several, by the schema of the joined file.
pub(super) struct Missing {
    rows: Vec<(Schema, Partnered)>,
    ids: Vec<(Schema, Ids)>,
    /// For each extreme the rows whose partner has no number there, or that have no partner.
    pub(super) without_number: Vec<u64>,
}

/// Rows of groups, and the partners of the present group.
#[derive(Default)]
struct Partnered {
    without: u64,
    with_several: u64,
    /// The first choice of the group, and whether there was another.
    chosen: Option<(Option<u32>, bool)>,
}

impl Missing {
    /// Returns no rows. The first tables are those of groups, and the others count distinct values.
    pub(super) fn new<'a>(
        of_groups: impl Iterator<Item = &'a JoinedColumn>,
        of_values: impl Iterator<Item = &'a JoinedColumn>,
        extremes: usize,
    ) -> Missing {
        let mut missing = Missing {
            rows: Vec::new(),
            ids: Vec::new(),
            without_number: vec![0; extremes],
        };
        for column in of_groups {
            if !missing.rows.iter().any(|(s, _)| *s == column.schema) {
                missing.rows.push((column.schema, Partnered::default()));
            }
        }
        for column in of_values {
            let by_rows = missing.rows.iter().any(|(s, _)| *s == column.schema);
            let by_ids = missing.ids.iter().any(|(s, _)| *s == column.schema);
            if !by_rows && !by_ids {
                missing.ids.push((column.schema, HashSet::default()));
            }
        }
        missing
    }

    pub(super) fn begin_group(&mut self) {
        let all = self.rows.iter_mut();
        all.for_each(|(_, partnered)| partnered.chosen = None);
    }

    /// Counts the rows of a group once, even if it has several choices.
    pub(super) fn add_rows(&mut self, choice: &Choice, rows: u64) {
        for (schema, partnered) in &mut self.rows {
            let Some((_, row)) = choice.iter().find(|(chosen, _)| chosen == schema) else {
                continue;
            };
            match &mut partnered.chosen {
                None => {
                    partnered.without += if row.is_none() { rows } else { 0 };
                    partnered.chosen = Some((*row, false));
                }
                Some((first, is_counted)) if first != row && !*is_counted => {
                    partnered.with_several += rows;
                    *is_counted = true;
                }
                Some(_) => {}
            }
        }
    }

    pub(super) fn add_id(&mut self, schema: Schema, id: &[u8]) {
        for (counted, ids) in &mut self.ids {
            if *counted == schema && !ids.contains(id) {
                ids.insert(id.into());
            }
        }
    }

    pub(super) fn merge(&mut self, other: Missing) {
        for ((_, into), (_, from)) in self.rows.iter_mut().zip(other.rows) {
            into.without += from.without;
            into.with_several += from.with_several;
        }
        for ((_, ids), (_, more)) in self.ids.iter_mut().zip(other.ids) {
            ids.extend(more);
        }
        let without = self.without_number.iter_mut().zip(other.without_number);
        without.for_each(|(into, from)| *into += from);
    }

    pub(super) fn finish(self, partners: &Partners) -> Vec<WithoutPartner> {
        let without = |schema: Schema, count, counted| {
            WithoutPartner::new(schema.name(), partners.file_name(schema), count, counted)
        };
        let rows = self.rows.into_iter().flat_map(|(schema, partnered)| {
            let lacking = without(schema, partnered.without, Counted::Rows);
            let several = without(schema, partnered.with_several, Counted::RowsOfSeveral);
            [lacking, several]
        });
        let ids = self.ids.into_iter();
        let ids = ids.map(|(schema, ids)| without(schema, ids.len() as u64, Counted::Identifiers));
        rows.chain(ids)
            .filter(|without| without.count > 0)
            .collect()
    }
}
