//! Groups by columns of joined files.
//!
//! Rows are grouped by row keys: identifiers that lead to joined rows. A [`KeyMap`] then turns the row keys
//! of each group into the question's keys, and groups that became equal merge.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use ahash::RandomState;

use super::bound::BoundQuestion;
use super::partial::Partial;
use crate::expr::{KEY_SEPARATOR, KeyFunction, append};
use crate::fec::schema::Schema;
use crate::fold::tables::{Groups, Table};
use crate::join::{Counted, Found, JoinedColumn, Partners, WithoutPartner};
use crate::scan::Cell;

/// Turns row keys into the keys of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyMap {
    /// The function of each row key.
    functions: Vec<KeyFunction>,
    keys: Vec<Source>,
    /// The values of each count of different ones.
    values: Vec<Values>,
}

/// The values of a count of different ones.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    /// The values of a function of a column of the rows.
    Own(KeyFunction),
    /// Identifiers that lead to a joined column, and what the function makes of that.
    Joined(JoinedColumn, KeyFunction),
}

/// The source of a key of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The row key with this number.
    Row(usize),
    /// A joined column. The row key with this number leads to it.
    Joined {
        row_key: usize,
        column: JoinedColumn,
        function: KeyFunction,
    },
}

impl KeyMap {
    /// Adds a key of the question. Returns the column of the rows that they must be grouped by in
    /// addition, if any. They are grouped by `columns` so far.
    pub(super) fn push_key(
        &mut self,
        found: &Found,
        function: &KeyFunction,
        columns: &[usize],
    ) -> Option<usize> {
        let (place, of_row) = match found {
            Found::Own(place) => (*place, function.clone()),
            Found::Joined { id, column } => (*id, column.made.clone()),
        };
        let mut known = columns.iter().zip(&self.functions);
        let known = known.position(|(column, made)| (column, made) == (&place, &of_row));
        let row_key = known.unwrap_or(columns.len());
        self.keys.push(match found {
            Found::Own(_) => Source::Row(row_key),
            Found::Joined { column, .. } => Source::Joined {
                row_key,
                column: column.clone(),
                function: function.clone(),
            },
        });
        known.is_none().then(|| {
            self.functions.push(of_row);
            place
        })
    }

    /// Adds a count of the different values that `function` makes.
    pub(super) fn push_distinct(&mut self, found: &Found, function: &KeyFunction) {
        let function = function.clone();
        self.values.push(match found {
            Found::Own(_) => Values::Own(function),
            Found::Joined { column, .. } => Values::Joined(column.clone(), function),
        });
    }

    /// Returns the function that rows make values with, for the count of different ones with this number.
    pub(super) fn value_function(&self, nth: usize) -> &KeyFunction {
        match &self.values[nth] {
            Values::Own(function) => function,
            Values::Joined(column, _) => &column.made,
        }
    }

    /// Returns the function of each row key.
    pub(super) fn functions(&self) -> &[KeyFunction] {
        &self.functions
    }

    /// Returns the joined columns whose different values are counted.
    fn joined_values(&self) -> impl Iterator<Item = &JoinedColumn> {
        self.values.iter().filter_map(|values| match values {
            Values::Own(_) => None,
            Values::Joined(column, _) => Some(column),
        })
    }

    /// Says whether nothing needs mapping, neither keys nor values.
    pub(super) fn is_identity(&self) -> bool {
        let rows = (0..self.functions.len()).map(Source::Row);
        rows.eq(self.keys.iter().cloned()) && self.joined_values().next().is_none()
    }

    /// Stores in `key` the keys of the question for a group of rows with the keys `row_keys`. Both have
    /// separators between them. Calls `miss` for each joined schema that a key lacks a partner in.
    pub(super) fn map_key(
        &self,
        partners: &Partners,
        row_keys: &[u8],
        key: &mut Vec<u8>,
        mut miss: impl FnMut(Schema),
    ) {
        key.clear();
        let row_key = |nth| {
            row_keys
                .split(|&b| b == KEY_SEPARATOR)
                .nth(nth)
                .unwrap_or_default()
        };
        for (nth, source) in self.keys.iter().enumerate() {
            if nth > 0 {
                key.push(KEY_SEPARATOR);
            }
            match source {
                Source::Row(nth) => key.extend_from_slice(row_key(*nth)),
                Source::Joined {
                    row_key: nth,
                    column,
                    function,
                } => match partners.value(column, row_key(*nth)) {
                    Some(value) => append(function, Cell::from(value), key),
                    None => miss(column.schema),
                },
            }
        }
    }

    /// Maps groups by row keys to the groups of the question.
    pub(super) fn join(&self, partners: &Partners, partial: &mut Partial) -> JoinedGroups {
        let map = |row_keys: &[u8], rows: u64, key: &mut Vec<u8>, missing: &mut Missing| {
            missing.begin_group();
            self.map_key(partners, row_keys, key, |schema| {
                missing.add_rows(schema, rows);
            });
            Keep::Yes
        };
        let (mut row_groups, mut missing) = self.join_table(&mut partial.groups, map);
        for (table, made) in partial.values.iter_mut().zip(&self.values) {
            let (values, more) = self.join_table(table, |row_keys_and_value, _, key, missing| {
                let place = row_keys_and_value.iter().rposition(|&b| b == KEY_SEPARATOR);
                let (row_keys, value) = row_keys_and_value.split_at(place.unwrap_or(0));
                let value = value.strip_prefix(&[KEY_SEPARATOR]).unwrap_or(value);
                self.map_key(partners, row_keys, key, |_| ());
                key.push(KEY_SEPARATOR);
                let before = key.len();
                match made {
                    Values::Own(_) => key.extend_from_slice(value),
                    Values::Joined(column, function) => match partners.value(column, value) {
                        Some(value) => append(function, Cell::from(value), key),
                        None => missing.add_id(column.schema, value),
                    },
                }
                if key.len() == before {
                    Keep::No
                } else {
                    Keep::Yes
                }
            });
            row_groups += values;
            missing.merge(more);
        }
        JoinedGroups {
            row_groups,
            without_partner: missing.finish(partners),
        }
    }

    /// Maps the keys of `table`. Groups that become equal merge. Returns the number of groups before that.
    fn join_table(
        &self,
        table: &mut Table,
        map: impl Fn(&[u8], u64, &mut Vec<u8>, &mut Missing) -> Keep + Sync,
    ) -> (u64, Missing) {
        let joined = Mutex::new(table.alike());
        let parts = table.each_part(|part| {
            let mut batch = Groups::new(part.totals.alike());
            let mut missing = Missing::new(self);
            let mut key = Vec::new();
            for (nth, row_keys) in part.keys.iter().enumerate() {
                let rows = part.totals.rows(nth);
                if map(&row_keys, rows, &mut key, &mut missing) == Keep::Yes {
                    batch.push(Cell::from(&key[..]), part.totals, nth);
                    if batch.len() == BATCH_GROUPS {
                        add_all(&mut batch, &joined);
                    }
                }
            }
            add_all(&mut batch, &joined);
            (part.len() as u64, missing)
        });
        *table = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut groups, mut missing) = (0, Missing::new(self));
        for (more, without) in parts {
            groups += more;
            missing.merge(without);
        }
        (groups, missing)
    }
}

/// The most mapped groups on their way into the table that all workers share. Partners are looked up without it.
const BATCH_GROUPS: usize = 1024;

/// Moves groups into a table.
fn add_all(batch: &mut Groups, table: &Mutex<Table>) {
    let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
    for (nth, key) in batch.keys.iter().enumerate() {
        table.add_group(key, &batch.totals, nth);
    }
    table.end_block();
    batch.clear();
}

/// The outcome of a join.
pub(super) struct JoinedGroups {
    /// The number of groups by row keys, and of their different values.
    pub(super) row_groups: u64,
    pub(super) without_partner: Vec<WithoutPartner>,
}

/// Whether a mapped key has a place in its table. Empty values are not counted as different ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    No,
    Yes,
}

type Ids = HashSet<Box<[u8]>, RandomState>;

/// Counts rows and identifiers without a partner, by the schema of the joined file.
struct Missing {
    /// Rows, and whether the present group has been counted.
    rows: Vec<(Schema, u64, Seen)>,
    ids: Vec<(Schema, Ids)>,
}

/// Whether the rows of a group have been counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    Yes,
}

impl Missing {
    fn new(map: &KeyMap) -> Missing {
        let mut missing = Missing {
            rows: Vec::new(),
            ids: Vec::new(),
        };
        for source in &map.keys {
            if let Source::Joined { column, .. } = source
                && !missing.rows.iter().any(|(s, ..)| *s == column.schema)
            {
                missing.rows.push((column.schema, 0, Seen::No));
            }
        }
        for column in map.joined_values() {
            let by_rows = missing.rows.iter().any(|(s, ..)| *s == column.schema);
            let by_ids = missing.ids.iter().any(|(s, _)| *s == column.schema);
            if !by_rows && !by_ids {
                missing.ids.push((column.schema, HashSet::default()));
            }
        }
        missing
    }

    fn begin_group(&mut self) {
        self.rows.iter_mut().for_each(|(.., seen)| *seen = Seen::No);
    }

    /// Counts the rows of a group, once.
    fn add_rows(&mut self, schema: Schema, rows: u64) {
        for (counted, count, seen) in &mut self.rows {
            if *counted == schema && *seen == Seen::No {
                *count += rows;
                *seen = Seen::Yes;
            }
        }
    }

    fn add_id(&mut self, schema: Schema, id: &[u8]) {
        for (counted, ids) in &mut self.ids {
            if *counted == schema && !ids.contains(id) {
                ids.insert(id.into());
            }
        }
    }

    fn merge(&mut self, other: Missing) {
        for ((_, count, _), (_, more, _)) in self.rows.iter_mut().zip(other.rows) {
            *count += more;
        }
        for ((_, ids), (_, more)) in self.ids.iter_mut().zip(other.ids) {
            ids.extend(more);
        }
    }

    fn finish(self, partners: &Partners) -> Vec<WithoutPartner> {
        let without = |schema: Schema, count, counted| {
            WithoutPartner::new(schema.name(), partners.file_name(schema), count, counted)
        };
        let rows = self.rows.into_iter();
        let rows = rows.map(|(schema, count, _)| without(schema, count, Counted::Rows));
        let ids = self.ids.into_iter();
        let ids = ids.map(|(schema, ids)| without(schema, ids.len() as u64, Counted::Identifiers));
        rows.chain(ids)
            .filter(|without| without.count > 0)
            .collect()
    }
}

impl BoundQuestion {
    /// Returns the map from row keys to the keys of the question.
    pub(super) fn key_map(&self) -> &KeyMap {
        &self.key_map
    }
}
