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

/// Rows of groups in a table, and what is known of the present group.
#[derive(Default)]
struct Partnered {
    /// Whether groups take columns of the table. Otherwise it only leads to another one.
    has_columns: bool,
    without: u64,
    with_several: u64,
    /// Whether the rows of the present group are in `without`.
    is_without: bool,
    /// Whether the rows of the present group are in `with_several`.
    is_with_several: bool,
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
        let of_groups: Vec<_> = of_groups.collect();
        let own = of_groups.iter().map(|column| (*column, true));
        let before = of_groups.iter().flat_map(|column| column.path().skip(1));
        for (column, has_columns) in own.chain(before.map(|column| (column, false))) {
            if !missing.rows.iter().any(|(s, _)| *s == column.schema) {
                let partnered = Partnered {
                    has_columns,
                    ..Partnered::default()
                };
                missing.rows.push((column.schema, partnered));
            }
        }
        for column in of_values {
            let mut rows = missing.rows.iter();
            let by_rows = rows.any(|(s, partnered)| *s == column.schema && partnered.has_columns);
            let by_ids = missing.ids.iter().any(|(s, _)| *s == column.schema);
            if !by_rows && !by_ids {
                missing.ids.push((column.schema, HashSet::default()));
            }
        }
        missing
    }

    pub(super) fn begin_group(&mut self) {
        let all = self.rows.iter_mut();
        all.for_each(|(_, partnered)| {
            (partnered.is_without, partnered.is_with_several) = (false, false);
        });
    }

    /// Counts the rows of a group once, even if it has several choices. They are without a partner if one choice is.
    pub(super) fn add_rows(&mut self, choice: &Choice, rows: u64) {
        for (schema, partnered) in &mut self.rows {
            let Some(chosen) = choice.iter().find(|chosen| chosen.schema == *schema) else {
                continue;
            };
            if chosen.row.is_none() && partnered.has_columns && !partnered.is_without {
                partnered.without += rows;
                partnered.is_without = true;
            }
            if chosen.is_one_of_several && !partnered.is_with_several {
                partnered.with_several += rows;
                partnered.is_with_several = true;
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
            partners.tables[partners.table_place(schema)].lacked_by(count, counted)
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
