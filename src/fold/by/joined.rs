//! Groups by columns of joined files.
//!
//! Rows are grouped by row keys: identifiers that lead to joined rows. A [`KeyMap`] then turns the row keys
//! of each group into the question's keys, and groups that became equal merge.

use std::sync::{Mutex, PoisonError};

use super::bound::{BoundQuestion, Reading};
use super::missing::Missing;
use super::partial::{AggregateSource, Partial, Steps};
use super::values::number_of;
use crate::expr::{KEY_SEPARATOR, KeyFunction, append};
use crate::fold::tables::{Groups, NO_NUMBER, Table};
use crate::join::{Choice, Found, JoinedColumn, Partners, WithoutPartner};
use crate::scan::Cell;

/// Turns row keys into the keys of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyMap {
    /// The function of each row key.
    functions: Vec<KeyFunction>,
    keys: Vec<KeySource>,
    /// The values of each count of distinct ones.
    values: Vec<Values>,
    extremes: Vec<Extreme>,
}

/// An aggregate by which each group has the least or the greatest value of a joined column.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Extreme {
    /// The number of the aggregate.
    aggregate: usize,
    /// The row key with this number leads to the column.
    row_key: usize,
    column: JoinedColumn,
    function: KeyFunction,
    reading: Reading,
}

/// The values of a count of distinct ones.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    /// The values of a function of a column of the rows.
    Own(KeyFunction),
    /// Identifiers that lead to a joined column, and what the function makes of that.
    Joined(JoinedColumn, KeyFunction),
}

/// The source of a key of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeySource {
    /// The row key with this number.
    Row(usize),
    /// A joined column. The row key with this number leads to it.
    Joined {
        row_key: usize,
        column: JoinedColumn,
        function: KeyFunction,
    },
    /// What a function makes of the row key with this number.
    Made(usize, KeyFunction),
}

impl KeyMap {
    /// Adds a key of the question that `function` makes of a column of the rows. Rows are grouped by the column, which is returned if it is
    /// not one of `columns`.
    pub(super) fn push_made(
        &mut self,
        found: &Found,
        function: &KeyFunction,
        columns: &[usize],
    ) -> Option<usize> {
        let (row_key, more) = self.row_key(found.scanned_place(), &KeyFunction::NONE, columns);
        self.keys.push(KeySource::Made(row_key, function.clone()));
        more
    }

    /// Adds a key of the question. Returns the column of the rows that they must be grouped by in
    /// addition, if any. They are grouped by `columns` so far.
    pub(super) fn push_key(
        &mut self,
        found: &Found,
        function: &KeyFunction,
        columns: &[usize],
    ) -> Option<usize> {
        let (place, of_row) = match found {
            Found::Own(place) => (*place, function),
            Found::Joined { id, column } => (*id, &column.function),
        };
        let (row_key, more) = self.row_key(place, of_row, columns);
        self.keys.push(match found {
            Found::Own(_) => KeySource::Row(row_key),
            Found::Joined { column, .. } => KeySource::Joined {
                row_key,
                column: column.clone(),
                function: function.clone(),
            },
        });
        more
    }

    /// Adds an aggregate whose values `reading` makes of `function` of a joined column, which the column at the place `id` leads to. Returns
    /// the same.
    pub(super) fn push_extreme(
        &mut self,
        (aggregate, id, column): (usize, usize, &JoinedColumn),
        function: &KeyFunction,
        reading: Reading,
        columns: &[usize],
    ) -> Option<usize> {
        let (row_key, more) = self.row_key(id, &column.function, columns);
        self.extremes.push(Extreme {
            aggregate,
            row_key,
            column: column.clone(),
            function: function.clone(),
            reading,
        });
        more
    }

    /// Returns the number of the row key that `made` makes of the column at `place`, and the column if the row key is new.
    fn row_key(
        &mut self,
        place: usize,
        made: &KeyFunction,
        columns: &[usize],
    ) -> (usize, Option<usize>) {
        let mut known = columns.iter().zip(&self.functions);
        match known.position(|known| known == (&place, made)) {
            Some(known) => (known, None),
            None => {
                self.functions.push(made.clone());
                (columns.len(), Some(place))
            }
        }
    }

    /// Adds a count of the distinct values that `function` makes.
    pub(super) fn push_distinct(&mut self, found: &Found, function: &KeyFunction) {
        let function = function.clone();
        self.values.push(match found {
            Found::Own(_) => Values::Own(function),
            Found::Joined { column, .. } => Values::Joined(column.clone(), function),
        });
    }

    /// Returns the function that rows make values with, for the count of distinct ones with this number.
    pub(super) fn value_function(&self, nth: usize) -> &KeyFunction {
        match &self.values[nth] {
            Values::Own(function) => function,
            Values::Joined(column, _) => &column.function,
        }
    }

    /// Returns the function of each row key.
    pub(super) fn functions(&self) -> &[KeyFunction] {
        &self.functions
    }

    /// Returns the joined columns whose distinct values are counted.
    fn joined_values(&self) -> impl Iterator<Item = &JoinedColumn> {
        self.values.iter().filter_map(|values| match values {
            Values::Own(_) => None,
            Values::Joined(column, _) => Some(column),
        })
    }

    /// Says whether nothing needs mapping, neither keys nor values.
    pub(super) fn is_identity(&self) -> bool {
        let rows = (0..self.functions.len()).map(KeySource::Row);
        let has_values = self.joined_values().next().is_some() || !self.extremes.is_empty();
        rows.eq(self.keys.iter().cloned()) && !has_values
    }

    /// Returns counts of no rows.
    fn missing(&self) -> Missing {
        let of_keys = self.keys.iter().filter_map(|source| match source {
            KeySource::Row(_) | KeySource::Made(..) => None,
            KeySource::Joined { column, .. } => Some(column),
        });
        let extremes = self.extremes.iter().map(|extreme| &extreme.column);
        let of_groups = of_keys.chain(extremes);
        Missing::new(of_groups, self.joined_values(), self.extremes.len())
    }

    /// Calls `see` with the keys of the question for a group of rows with the keys `row_keys`, once for each choice of partners. Both have
    /// separators between them. The choice includes the table of a joined `value`.
    pub(super) fn each_key(
        &self,
        partners: &Partners,
        row_keys: &[u8],
        value: Option<(&JoinedColumn, &[u8])>,
        key: &mut Vec<u8>,
        see: &mut dyn FnMut(&Choice, &mut Vec<u8>),
    ) {
        let row_key = |nth| {
            let mut keys = row_keys.split(|&b| b == KEY_SEPARATOR);
            keys.nth(nth).unwrap_or_default()
        };
        let joined = self.keys.iter().filter_map(|source| match source {
            KeySource::Row(_) | KeySource::Made(..) => None,
            KeySource::Joined {
                row_key: nth,
                column,
                ..
            } => Some((column, row_key(*nth))),
        });
        let extremes = self.extremes.iter();
        let extremes = extremes.map(|extreme| (&extreme.column, row_key(extreme.row_key)));
        let joined: Vec<_> = joined.chain(extremes).chain(value).collect();
        partners.each_choice(&joined, &mut |choice| {
            key.clear();
            for (nth, source) in self.keys.iter().enumerate() {
                if nth > 0 {
                    key.push(KEY_SEPARATOR);
                }
                match source {
                    KeySource::Row(nth) => key.extend_from_slice(row_key(*nth)),
                    KeySource::Made(nth, function) => {
                        append(function, Cell::from(row_key(*nth)), key);
                    }
                    KeySource::Joined {
                        column, function, ..
                    } => {
                        if let Some(value) = partners.chosen(column, choice) {
                            append(function, Cell::from(value), key);
                        }
                    }
                }
            }
            see(choice, key);
        });
    }

    /// Maps groups by row keys to the groups of the question.
    pub(super) fn join(
        &self,
        partners: &Partners,
        steps: &Steps,
        partial: &mut Partial,
    ) -> JoinedGroups {
        let map = |row_keys: &[u8], rows: u64, missing: &mut Missing, add: &mut Add<'_>| {
            missing.begin_group();
            let mut values = Vec::new();
            let key = &mut Vec::new();
            self.each_key(partners, row_keys, None, key, &mut |choice, key| {
                missing.add_rows(choice, rows);
                self.choose_extremes(partners, choice, &mut values);
                for (value, without) in values.iter().zip(&mut missing.without_number) {
                    *without += if *value == NO_NUMBER { rows } else { 0 };
                }
                add(key, &values);
            });
        };
        let states = self.extremes.iter().map(|extreme| {
            let AggregateSource::States { nth, .. } = steps.sources[extreme.aggregate] else {
                unreachable!("extremes are states");
            };
            nth
        });
        let states: Vec<_> = states.collect();
        let (mut row_groups, mut missing) = self.join_table(&mut partial.groups, &states, map);
        for (table, made) in partial.values.iter_mut().zip(&self.values) {
            let (values, more) =
                self.join_table(table, &[], |row_keys_and_value, _, missing, add| {
                    let place = row_keys_and_value.iter().rposition(|&b| b == KEY_SEPARATOR);
                    let (row_keys, value) = row_keys_and_value.split_at(place.unwrap_or(0));
                    let value = value.strip_prefix(&[KEY_SEPARATOR]).unwrap_or(value);
                    let joined = match made {
                        Values::Own(_) => None,
                        Values::Joined(column, _) => Some((column, value)),
                    };
                    self.each_key(
                        partners,
                        row_keys,
                        joined,
                        &mut Vec::new(),
                        &mut |choice, key| {
                            key.push(KEY_SEPARATOR);
                            let before = key.len();
                            match made {
                                Values::Own(_) => key.extend_from_slice(value),
                                Values::Joined(column, function) => {
                                    match partners.chosen(column, choice) {
                                        Some(value) => append(function, Cell::from(value), key),
                                        None => missing.add_id(column.schema, value),
                                    }
                                }
                            }
                            // Empty values are not counted as distinct ones.
                            if key.len() > before {
                                add(key, &[]);
                            }
                        },
                    );
                });
            row_groups += values;
            missing.merge(more);
        }
        for (extreme, &without) in self.extremes.iter().zip(&missing.without_number) {
            if let AggregateSource::States { column, .. } = steps.sources[extreme.aggregate] {
                partial.without[column] = without;
            }
        }
        JoinedGroups {
            row_groups,
            without_partner: missing.finish(partners),
        }
    }

    /// Reads the value of each extreme for a choice of partners, or [`NO_NUMBER`].
    fn choose_extremes(&self, partners: &Partners, choice: &Choice, values: &mut Vec<i64>) {
        values.clear();
        let mut made = Vec::new();
        values.extend(self.extremes.iter().map(|extreme| {
            made.clear();
            if let Some(value) = partners.chosen(&extreme.column, choice) {
                append(&extreme.function, Cell::from(value), &mut made);
            }
            number_of(&made, extreme.reading)
        }));
    }

    /// Maps the keys of `table`. Groups that become equal merge. Rows have not known the values of `states`, which mapping makes.
    /// Returns the number of groups before that.
    fn join_table(
        &self,
        table: &mut Table,
        states: &[usize],
        map: impl Fn(&[u8], u64, &mut Missing, &mut Add<'_>) + Sync,
    ) -> (u64, Missing) {
        let joined = Mutex::new(table.alike());
        let parts = table.each_part(|part| {
            let mut batch = Groups::new(part.totals.alike());
            let mut missing = self.missing();
            for (nth, row_keys) in part.keys.iter().enumerate() {
                let rows = part.totals.rows(nth);
                map(&row_keys, rows, &mut missing, &mut |key, values| {
                    batch.push(Cell::from(key), part.totals, nth);
                    for (&state, &value) in states.iter().zip(values) {
                        batch.totals.set_last(state, value);
                    }
                    if batch.len() == BATCH_GROUPS {
                        add_all(&mut batch, &joined);
                    }
                });
            }
            add_all(&mut batch, &joined);
            (part.len() as u64, missing)
        });
        *table = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut groups, mut missing) = (0, self.missing());
        for (more, without) in parts {
            groups += more;
            missing.merge(without);
        }
        (groups, missing)
    }
}

/// Takes a mapped key, and the values of its extremes.
type Add<'a> = dyn FnMut(&[u8], &[i64]) + 'a;

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
    /// The number of groups by row keys, and of their distinct values.
    pub(super) row_groups: u64,
    pub(super) without_partner: Vec<WithoutPartner>,
}

impl BoundQuestion {
    /// Returns the map from row keys to the keys of the question.
    pub(super) fn key_map(&self) -> &KeyMap {
        &self.key_map
    }
}
