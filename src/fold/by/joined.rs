//! Groups by columns of joined files.
//!
//! Rows are grouped by row keys: identifiers that lead to joined rows. A [`KeyMap`] then turns the row keys
//! of each group into the question's keys, and groups that became equal merge.

use std::sync::Mutex;

use super::bound::Reading;
use super::join_room::JoinRoom;
use super::missing::Missing;
use super::partial::{AggregateSource, Partial, Steps};
use super::values::number_of;
use crate::expr::{KEY_SEPARATOR, KeyFunction, append, values_of};
use crate::fold::tables::{Groups, NO_NUMBER, Table};
use crate::join::{Choice, Found, JoinedColumn, Partners, WithoutPartner};
use crate::scan::Cell;
use crate::workers::{lock, unlocked};

/// Turns row keys into the keys of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyMap {
    /// The function of each row key.
    functions: Vec<KeyFunction>,
    /// The keys of the question, each with the number of its row key.
    keys: Vec<(usize, Term)>,
    /// The values of each count of distinct ones, with the function by which rows make them.
    values: Vec<(KeyFunction, Term)>,
    extremes: Vec<Extreme>,
}

/// What a function makes of a value of the rows, or of a joined column that the value leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    joined: Option<JoinedColumn>,
    function: KeyFunction,
}

/// An aggregate by which each group has the least or the greatest value of a joined column.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Extreme {
    /// The number of the aggregate.
    aggregate: usize,
    /// The row key with this number leads to the column.
    row_key: usize,
    term: Term,
    reading: Reading,
}

/// Which rows of a question call the function of one of their own columns. Functions of joined columns are called for groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    /// Each row, which is grouped by the value.
    Rows,
    /// Each group of rows by the column.
    Groups,
}

impl Term {
    /// Returns the function that rows call, and a term of its value.
    fn new(found: &Found, function: &KeyFunction, calls: Calls) -> (KeyFunction, Term) {
        let function = function.clone();
        let joined = found.joined.clone();
        let (of_rows, function) = match &joined {
            Some(column) => (column.function.clone(), function),
            None if calls == Calls::Rows => (function, KeyFunction::NONE),
            None => (KeyFunction::NONE, function),
        };
        (of_rows, Term { joined, function })
    }

    /// Appends its value for a choice of partners. Rows have made `value`. Returns false without a partner.
    fn append(
        &self,
        partners: &Partners,
        choice: &Choice,
        value: &[u8],
        out: &mut Vec<u8>,
    ) -> bool {
        let value = match &self.joined {
            None => Some(value),
            Some(column) => partners.chosen(column, choice),
        };
        value
            .map(|value| append(&self.function, Cell::from(value), out))
            .is_some()
    }
}

impl KeyMap {
    /// Adds a key of the question. Rows are grouped by `columns`, and by one more if that takes it.
    pub(super) fn push_key(
        &mut self,
        found: &Found,
        function: &KeyFunction,
        calls: Calls,
        columns: &mut Vec<usize>,
    ) {
        let (of_rows, term) = Term::new(found, function, calls);
        let row_key = self.row_key(found, of_rows, columns);
        self.keys.push((row_key, term));
    }

    /// Adds the aggregate with a number, whose values `reading` makes of `function` of a joined column. Rows are grouped by `columns`, and by
    /// one more if that takes it.
    pub(super) fn push_extreme(
        &mut self,
        (aggregate, reading): (usize, Reading),
        found: &Found,
        function: &KeyFunction,
        columns: &mut Vec<usize>,
    ) {
        let (of_rows, term) = Term::new(found, function, Calls::Groups);
        let row_key = self.row_key(found, of_rows, columns);
        self.extremes.push(Extreme {
            aggregate,
            row_key,
            term,
            reading,
        });
    }

    /// Returns the number of the row key that a function makes of a column of the rows. If it is new, the column becomes one of `columns`.
    fn row_key(&mut self, found: &Found, of_rows: KeyFunction, columns: &mut Vec<usize>) -> usize {
        let place = found.place;
        let mut known = columns.iter().zip(&self.functions);
        let known = known.position(|known| known == (&place, &of_rows));
        known.unwrap_or_else(|| {
            self.functions.push(of_rows);
            columns.push(place);
            columns.len() - 1
        })
    }

    /// Adds a count of the distinct values that `function` makes.
    pub(super) fn push_distinct(&mut self, found: &Found, function: &KeyFunction) {
        self.values.push(Term::new(found, function, Calls::Rows));
    }

    /// Returns the function that rows make values with, for the count of distinct ones with this number.
    pub(super) fn value_function(&self, nth: usize) -> &KeyFunction {
        &self.values[nth].0
    }

    /// Returns the function of each row key.
    pub(super) fn functions(&self) -> &[KeyFunction] {
        &self.functions
    }

    /// Returns the joined columns whose distinct values are counted.
    fn joined_values(&self) -> impl Iterator<Item = &JoinedColumn> {
        self.values
            .iter()
            .filter_map(|(_, term)| term.joined.as_ref())
    }

    /// Returns the joined columns of keys and extremes, each with the number of the row key that leads to it.
    fn joined_keys(&self) -> impl Iterator<Item = (usize, &JoinedColumn)> {
        let keys = self.keys.iter().map(|(row_key, term)| (*row_key, term));
        let extremes = self.extremes.iter();
        let extremes = extremes.map(|extreme| (extreme.row_key, &extreme.term));
        let terms = keys.chain(extremes);
        terms.filter_map(|(row_key, term)| Some((row_key, term.joined.as_ref()?)))
    }

    /// Says whether nothing needs mapping, neither keys nor values.
    pub(super) fn is_identity(&self) -> bool {
        let has_joined =
            self.joined_keys().next().is_some() || self.joined_values().next().is_some();
        let mut terms = self.keys.iter().enumerate();
        let are_same =
            terms.all(|(nth, (row_key, term))| nth == *row_key && term.function.is_none());
        are_same && self.keys.len() == self.functions.len() && !has_joined
    }

    /// Returns counts of no rows.
    fn missing(&self) -> Missing {
        let of_groups = self.joined_keys().map(|(_, column)| column);
        Missing::new(of_groups, self.joined_values(), self.extremes.len())
    }

    /// Calls `see` with the keys of the question for a group of rows with the keys `row_keys`, once for each choice of partners. Both have
    /// separators between them. The choice includes the table of a joined `value`.
    pub(super) fn each_key(
        &self,
        partners: &Partners,
        room: &JoinRoom,
        row_keys: &[u8],
        value: Option<(&JoinedColumn, &[u8])>,
        key: &mut Vec<u8>,
        see: &mut dyn FnMut(&Choice, &mut Vec<u8>),
    ) {
        let row_key = |nth| values_of(row_keys).nth(nth).unwrap_or_default();
        let joined = self
            .joined_keys()
            .map(|(nth, column)| (column, row_key(nth)));
        let joined: Vec<_> = joined.chain(value).collect();
        if !room.has_choices(|most| partners.count_choices(&joined, most)) {
            return;
        }
        partners.each_choice(&joined, &mut |choice| {
            key.clear();
            for (nth, (of, term)) in self.keys.iter().enumerate() {
                if nth > 0 {
                    key.push(KEY_SEPARATOR);
                }
                term.append(partners, choice, row_key(*of), key);
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
        room: &JoinRoom,
    ) -> JoinedGroups {
        let map = |row_keys: &[u8], rows: u64, missing: &mut Missing, add: &mut Add<'_>| {
            missing.begin_group();
            let mut values = Vec::new();
            let key = &mut Vec::new();
            self.each_key(partners, room, row_keys, None, key, &mut |choice, key| {
                missing.add_rows(choice, rows);
                self.choose_extremes(partners, choice, &mut values);
                for (value, without) in values.iter().zip(&mut missing.without_number) {
                    *without += if *value == NO_NUMBER { rows } else { 0 };
                }
                add(key, &values);
            });
        };
        let kept = self
            .extremes
            .iter()
            .map(|extreme| match steps.sources[extreme.aggregate] {
                AggregateSource::States { nth, column } => (nth, column),
                AggregateSource::Distinct(_) => unreachable!("extremes are states"),
            });
        let (states, columns): (Vec<_>, Vec<_>) = kept.unzip();
        let (mut row_groups, mut missing) =
            self.join_table(&mut partial.groups, &states, room, map);
        for (table, (_, term)) in partial.values.iter_mut().zip(&self.values) {
            let (values, more) =
                self.join_table(table, &[], room, |row_keys_and_value, _, missing, add| {
                    let place = row_keys_and_value.iter().rposition(|&b| b == KEY_SEPARATOR);
                    let (row_keys, value) = row_keys_and_value.split_at(place.unwrap_or(0));
                    let value = value.strip_prefix(&[KEY_SEPARATOR]).unwrap_or(value);
                    let joined = term.joined.as_ref().map(|column| (column, value));
                    let key = &mut Vec::new();
                    self.each_key(partners, room, row_keys, joined, key, &mut |choice, key| {
                        key.push(KEY_SEPARATOR);
                        let before = key.len();
                        let has_partner = term.append(partners, choice, value, key);
                        if let (false, Some((column, id))) = (has_partner, joined) {
                            missing.add_id(column.schema, id);
                        }
                        // Empty values are not counted as distinct ones.
                        if key.len() > before {
                            add(key, &[]);
                        }
                    });
                });
            row_groups += values;
            missing.merge(more);
        }
        for (column, without) in columns.into_iter().zip(&missing.without_number) {
            partial.without[column] = *without;
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
            extreme.term.append(partners, choice, &[], &mut made);
            number_of(&made, extreme.reading)
        }));
    }

    /// Maps the keys of `table`. Groups that become equal merge. Rows have not known the values of `states`, which mapping makes.
    /// Returns the number of groups before that.
    fn join_table(
        &self,
        table: &mut Table,
        states: &[usize],
        room: &JoinRoom,
        map: impl Fn(&[u8], u64, &mut Missing, &mut Add<'_>) + Sync,
    ) -> (u64, Missing) {
        let joined = Mutex::new(table.alike());
        let parts = table.each_part(|part| {
            let mut batch = Groups::new(part.totals.alike());
            let mut missing = self.missing();
            for (nth, row_keys) in part.keys.iter().enumerate() {
                if room.is_over() {
                    break;
                }
                let rows = part.totals.rows(nth);
                map(&row_keys, rows, &mut missing, &mut |key, values| {
                    if room.is_over() {
                        return;
                    }
                    batch.push(Cell::from(key), &part.totals, nth);
                    for (&state, &value) in states.iter().zip(values) {
                        batch.totals.set_last(state, value);
                    }
                    if batch.len() == BATCH_GROUPS {
                        add_all(&mut batch, &joined, room);
                    }
                });
            }
            add_all(&mut batch, &joined, room);
            (part.len() as u64, missing)
        });
        *table = unlocked(joined);
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
fn add_all(batch: &mut Groups, table: &Mutex<Table>, room: &JoinRoom) {
    let mut table = lock(table);
    for (nth, key) in batch.keys.iter().enumerate() {
        table.add_group(key, &batch.totals, nth);
    }
    room.has_groups(table.end_block());
    batch.clear();
}

/// The outcome of a join.
pub(super) struct JoinedGroups {
    /// The number of groups by row keys, and of their distinct values.
    pub(super) row_groups: u64,
    pub(super) without_partner: Vec<WithoutPartner>,
}
