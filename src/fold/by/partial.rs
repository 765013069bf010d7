//! The groups of a worker, and the states that the question needs.

use std::mem;

use ahash::RandomState;

use super::bound::Reading;
use super::grouping::{Grouping, Scratch};
use super::joined::KeyMap;
use super::question::GroupQuestion;
use super::row_kinds::RowKinds;
use crate::fold::tables::{Limits, States, Table};
use crate::scan::Rows;

/// The groups of a worker, or of all of them.
#[derive(Debug)]
pub struct Partial {
    pub(super) groups: Table,
    /// For each count of distinct values, a table of keys: group and value, with the key separator between them.
    pub(super) values: Vec<Table>,
    /// For each column of numbers the rows without one.
    pub(super) without: Vec<u64>,
    /// The most decimals of numbers among these rows.
    pub(super) decimals: Vec<u64>,
    pub(super) row_kinds: RowKinds,
    /// The groups of merged partials when they were last counted.
    pub(super) counted_at: u64,
    pub(super) scratch: Scratch,
}

/// Where the values of an aggregate come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AggregateSource {
    /// The states with this number, which are of the column of numbers with another.
    States { nth: usize, column: usize },
    /// The table of values with this number.
    Distinct(usize),
}

/// The columns to read of each row, and the states to keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// For each aggregate.
    pub(super) sources: Vec<AggregateSource>,
    /// For each column of numbers the first aggregate of it.
    pub(super) numbers: Vec<usize>,
    /// For each table of values its aggregate.
    pub(super) values: Vec<usize>,
    /// The kinds of states, each with the number of its column.
    kept: Vec<(States, usize)>,
}

impl Steps {
    pub(super) fn new(question: &GroupQuestion) -> Steps {
        let mut steps = Steps::default();
        for (nth, aggregate) in question.aggregates.iter().enumerate() {
            let Some(kind) = aggregate.kind.state() else {
                let distinct = place_of(&mut steps.values, nth);
                steps.sources.push(AggregateSource::Distinct(distinct));
                continue;
            };
            let is_same = |&other: &usize| {
                let (one, other) = (&aggregate.of, &question.aggregates[other].of);
                one.column.eq_ignore_ascii_case(&other.column) && one.function == other.function
            };
            let known = steps.numbers.iter().position(is_same);
            let column = known.unwrap_or_else(|| place_of(&mut steps.numbers, nth));
            let is_kept = |(known, of): &(States, usize)| {
                *of == column && mem::discriminant(known) == mem::discriminant(kind)
            };
            let known = steps.kept.iter().position(is_kept);
            let nth = known.unwrap_or_else(|| place_of(&mut steps.kept, (kind.clone(), column)));
            steps.sources.push(AggregateSource::States { nth, column });
        }
        steps
    }

    /// Returns a partial without rows.
    pub(super) fn partial(&self, random: &RandomState, limits: Limits) -> Partial {
        let table = |kept, columns| Table::new(random.clone(), kept, columns, limits);
        Partial {
            groups: table(&self.kept[..], self.numbers.len()),
            values: self.values.iter().map(|_| table(&[], 0)).collect(),
            without: vec![0; self.numbers.len()],
            decimals: vec![0; self.numbers.len()],
            row_kinds: RowKinds::default(),
            counted_at: 0,
            scratch: Scratch::default(),
        }
    }
}

/// Adds an item. Returns its place.
fn place_of<T>(items: &mut Vec<T>, item: T) -> usize {
    items.push(item);
    items.len() - 1
}

impl Partial {
    /// Adds the rows of a block. Returns the least number of groups and distinct values that there are, as far as it is
    /// known.
    pub(super) fn add(
        &mut self,
        rows: &Rows<'_>,
        question: &GroupQuestion,
        key_map: &KeyMap,
        steps: &Steps,
        readings: &[Reading],
    ) -> u64 {
        rows.dispatch(Grouping {
            rows,
            key_map,
            steps,
            readings,
            question,
            partial: self,
        });
        let tables = [&mut self.groups].into_iter().chain(&mut self.values);
        tables.map(Table::end_block).sum()
    }

    /// Returns the table of groups, and the tables of distinct values.
    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        [&self.groups].into_iter().chain(&self.values)
    }

    /// Says whether the tables may take much memory.
    pub(super) fn is_large(&self) -> bool {
        self.tables().any(Table::is_large)
    }

    /// Adds the rows of `from`.
    pub(super) fn merge(&mut self, from: Partial) {
        self.groups.merge(from.groups);
        for (into, from) in self.values.iter_mut().zip(from.values) {
            into.merge(from);
        }
        for (into, from) in self.without.iter_mut().zip(from.without) {
            *into += from;
        }
        for (into, from) in self.decimals.iter_mut().zip(from.decimals) {
            *into = from.max(*into);
        }
        self.row_kinds.merge(from.row_kinds);
    }
}
