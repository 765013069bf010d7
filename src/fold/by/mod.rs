//! Groups: rows that have columns in common, counted, with sums and other aggregates.
//!
//! A [`GroupQuestion`] says by what to group, and what to make of each group. [`ByFold`] answers it, and
//! [`Grouped`] is the result, in its final order.
//!
//! Numbers are exact hundredths of at most fourteen digits, as in typed columns. Aggregates skip other values, and
//! [`Grouped::without`] counts them. An aggregate of no numbers has no value, as in SQL.

mod across;
mod aggregates;
pub(super) mod bound;
mod days;
mod excess;
mod grouped;
mod grouping;
mod having;
mod join_room;
mod joined;
mod key_order;
mod memory;
mod missing;
mod operator;
mod partial;
mod question;
mod ranked;
mod ranking;
mod row_kinds;
mod schemas;
mod sets;
mod sort;
mod stored;
#[cfg(feature = "columnar")]
mod value_type;
pub(crate) mod values;

use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};

use ahash::RandomState;

pub use self::aggregates::{Aggregate, AggregateKind, Share};
pub(crate) use self::bound::term_name;
pub use self::bound::{BoundQuestion, Reading};
use self::excess::Excess;
pub(crate) use self::grouped::EMPTY;
pub use self::grouped::{Group, Grouped, Rest, Value};
pub use self::having::Having;
use self::join_room::JoinRoom;
use self::joined::KeyMap;
pub(crate) use self::memory::available as available_memory;
use self::memory::{GROUP_BYTES, Watch};
use self::partial::{AggregateSource, Partial, Steps};
pub use self::question::{Direction, GroupQuestion, OrderBy, RowKindPolicy, Sort};
use self::ranked::Ranked;
use self::ranking::Order;
pub use self::row_kinds::RowKinds;
use self::schemas::Schemas;
pub use self::sets::GroupingSets;
#[cfg(feature = "columnar")]
pub(crate) use self::value_type::ValueType;
use super::tables::{DistinctCounts, Limits, Table};
use super::{Fold, Folded};
use crate::error::Error;
pub use crate::expr::{Key, KeyFunction};
use crate::fec::schema::Schema;
use crate::input::Part;
use crate::join::Partners;
pub use crate::join::{Counted, WithoutPartner};
use crate::scan::{Need, Rows};

/// The fold that groups rows.
#[derive(Debug)]
pub struct ByFold {
    question: GroupQuestion,
    partners: Partners,
    /// Turns row keys into the keys of the question, in the same way in all parts.
    key_map: OnceLock<KeyMap>,
    /// The schemas of the inputs, as far as their parts have begun.
    schemas: Schemas,
    /// How the values of the aggregates are read: the same way in all parts.
    readings: OnceLock<Vec<Reading>>,
    /// The columns to read of each row, and the tables that take their values.
    steps: Steps,
    /// The memory that was available at the start.
    available: u64,
    /// The most groups and distinct values that there may be.
    max_groups: u64,
    /// Begins with the first large table. None on systems without /proc.
    watch: OnceLock<Option<Watch>>,
    /// The reason why the run has no result, if it has none.
    excess: OnceLock<Excess>,
    /// The seed of the tables, the same for all workers.
    random: RandomState,
    limits: Limits,
}

impl ByFold {
    /// Returns a fold that answers `question`.
    pub fn new(question: GroupQuestion) -> ByFold {
        let available = memory::available();
        ByFold {
            steps: Steps::new(&question),
            available,
            max_groups: question.max_groups.unwrap_or(available / GROUP_BYTES),
            question,
            partners: Partners::default(),
            key_map: OnceLock::new(),
            schemas: Schemas::default(),
            readings: OnceLock::new(),
            watch: OnceLock::new(),
            excess: OnceLock::new(),
            random: RandomState::new(),
            limits: Limits::default(),
        }
    }

    /// Returns the same fold, whose question may name columns of joined files. [`Partners`] has an
    /// example.
    pub fn with_partners(self, partners: Partners) -> ByFold {
        ByFold {
            partners,
            schemas: Schemas::default(),
            ..self
        }
    }

    /// Returns the groups, from the result of a run. Columns have the names of the first input's schema.
    ///
    /// # Errors
    /// If there are more groups than [`GroupQuestion::max_groups`], or memory has no room for them.
    pub fn grouped(&self, folded: Folded<Partial>) -> Result<Grouped, Error> {
        let schemas = self.schemas.of_files(&folded.files);
        let has_kinds = |schema: &Schema| {
            let bound = self.bound(*schema);
            bound.is_ok_and(|bound| bound.row_kinds.is_some())
        };
        let mut key_kinds = Vec::new();
        let (key_names, aggregate_names) = match schemas.first() {
            None => self.question.typed_names(),
            Some(first) => {
                let bound = self.bound(*first)?;
                key_kinds.clone_from(&bound.key_kinds);
                (bound.key_names.clone(), bound.aggregate_names.clone())
            }
        };
        self.check_room()?;
        self.refuse_too_many_merged(&folded.partial)?;
        let mut partial = folded.partial;
        let without_partner = match self.joined_keys() {
            None => Vec::new(),
            Some(map) => {
                let has_room = |groups| self.has_room_for_joined(groups);
                let room = JoinRoom::new(&has_room);
                let joined = map.join(&self.partners, &self.steps, &mut partial, &room);
                if room.has_too_many_choices() {
                    self.exceed(Excess::Choices);
                }
                self.check_room()?;
                self.refuse_more_than_most(joined.row_groups)?;
                let mut without = joined.without_partner;
                let tested = &folded.without_partner;
                let is_told = |keys: &WithoutPartner| {
                    let mut tested = tested.iter();
                    keys.counted == Counted::Rows && tested.any(|tested| tested.table == keys.table)
                };
                without.retain(|keys| !is_told(keys));
                without
            }
        };
        let mut grouped = Grouped {
            question: self.question.clone(),
            files: folded.files,
            lines: folded.lines,
            lines_scanned: folded.lines_scanned,
            odd_rows: folded.odd_rows,
            distinct_groups: 0,
            left_out: 0,
            row_kinds: schemas.iter().any(has_kinds).then_some(partial.row_kinds),
            without_partner,
            key_names,
            aggregate_names,
            key_kinds,
            sources: self.steps.sources.clone(),
            readings: self.readings.get().cloned().unwrap_or_default(),
            groups: Ranked::default(),
            without: partial.without,
            decimals: partial.decimals,
            rest: None,
            across: None,
        };
        let distinct: Vec<_> = partial.values.iter().map(DistinctCounts::of).collect();
        drop(partial.values);
        self.rank(partial.groups, &distinct, &mut grouped)?;
        if schemas.iter().any(|schema| schema.has_line_breaks()) {
            grouped.groups.restore_line_breaks();
        }
        Ok(grouped)
    }

    /// Orders and cuts the groups of `table`.
    fn rank(
        &self,
        table: Table,
        distinct: &[DistinctCounts],
        grouped: &mut Grouped,
    ) -> Result<(), Error> {
        let order = Order::new(grouped, distinct);
        let values = distinct.iter().map(|counts| counts.keys).sum::<u64>();
        let are_joined = self.joined_keys().is_some();
        let ranked = order.rank(table, |groups| {
            let has_taken_much = |watch: &Watch| watch.is_due() && watch.has_taken(3, 4);
            if groups + values > self.max_groups {
                self.exceed(Excess::groups(are_joined));
            } else if self.watch().is_some_and(has_taken_much) {
                self.exceed(Excess::memory(are_joined));
            }
            !self.is_over()
        });
        self.check_room()?;
        grouped.rest = ranked.rest().map(|rest| {
            let value = |nth: usize| match order.sources[nth] {
                AggregateSource::Distinct(_) => None,
                AggregateSource::States { .. } => order.value(nth, rest),
            };
            Rest {
                groups: ranked.groups - ranked.len() as u64,
                count: rest.rows(),
                values: (0..order.sources.len()).map(value).collect(),
            }
        });
        grouped.distinct_groups = ranked.groups;
        grouped.left_out = ranked.left_out;
        grouped.groups = ranked;
        Ok(())
    }

    /// Returns the question for the rows of `schema`.
    fn bound(&self, schema: Schema) -> Result<Arc<BoundQuestion>, Error> {
        let bind = || self.question.bind_with(schema, &self.partners);
        self.schemas.bound(schema, bind)
    }

    /// Returns how row keys become the keys of the question, if they differ.
    fn joined_keys(&self) -> Option<&KeyMap> {
        self.key_map.get().filter(|map| !map.is_identity())
    }

    fn watch(&self) -> Option<&Watch> {
        self.watch.get().and_then(Option::as_ref)
    }
}

impl Fold for ByFold {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        self.columns_of(part).map(Need::Rows)
    }

    fn partial(&self) -> Partial {
        self.steps.partial(&self.random, self.limits)
    }

    /// Once there are too many groups, nothing more is added: [`ByFold::grouped`] refuses.
    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        if self.is_over() {
            return Ok(());
        }
        let readings = self.readings.get().expect("a part has begun");
        let key_map = self.key_map.get().expect("a part has begun");
        let groups = partial.add(rows, &self.question, key_map, &self.steps, readings);
        if groups > self.max_groups {
            self.exceed(Excess::groups(false));
        }
        if partial.is_large() {
            self.begin_watch();
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.excess.get().is_some()
    }

    fn after_chunk(&self) -> Result<(), Error> {
        // Groups are copied once more when they are ordered.
        let is_out = |watch: &Watch| watch.is_due() && watch.has_taken(1, 2);
        if self.watch().is_some_and(is_out) {
            self.exceed(Excess::memory(false));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        into.merge(from);
    }
}

impl ByFold {
    /// Begins a part. Returns the columns that are needed of its rows.
    fn columns_of(&self, part: &Part) -> Result<Vec<usize>, Error> {
        let schema = part.certain_schema()?;
        let bound = self.begin(part.input_path(), schema)?;
        Ok(bound.columns(self.question.row_kinds))
    }

    /// Returns the number of columns that are needed. A part has begun.
    fn columns(&self) -> usize {
        let keys = self.key_map.get().map_or(0, |map| map.functions().len());
        let kinds = match self.question.row_kinds {
            RowKindPolicy::Ignore => 0,
            RowKindPolicy::Count => 2,
        };
        keys + self.question.aggregates.len() + kinds
    }

    /// Begins a part of the input at `path`. Its schema must have the columns that earlier ones had.
    fn begin(&self, path: &OsStr, schema: Schema) -> Result<Arc<BoundQuestion>, Error> {
        let bound = self.bound(schema)?;
        if *self.key_map.get_or_init(|| bound.key_map.clone()) != bound.key_map {
            let what = "a key is found in another way here than in another input";
            return Err(Error::usage(what).advise(
                "group inputs of one schema; --with leads from committees or from candidates, not both",
            ));
        }
        let readings: Vec<_> = bound
            .aggregates
            .iter()
            .map(|(_, reading)| *reading)
            .collect();
        if *self.readings.get_or_init(|| readings.clone()) != readings {
            let what = "an aggregate is one of dates here, and of numbers in another input";
            return Err(Error::usage(what).advise("name the column by its name, not by its number"));
        }
        self.schemas.begin(path, schema);
        Ok(bound)
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod word_tests;
