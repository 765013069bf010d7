//! The groups of a worker: a table of the states that the question needs.

use ahash::RandomState;

use super::bound::Reading;
use super::grouping::{Block, Grouping, Scratch};
use super::question::{AggregateKind, GroupQuestion};
use super::row_kinds::RowKinds;
use crate::fold::tables::{Columns, Front, Limits, Sum, Table};
use crate::keys::KeyFunction;
use crate::scan::Rows;

/// The groups of a worker, or of all of them.
#[derive(Debug)]
pub struct Partial {
    pub(super) groups: Tables,
    /// For each count of different values, a table of keys: group and value, with a pipe between them.
    pub(super) values: Vec<Table<u64>>,
    pub(super) row_kinds: RowKinds,
    /// The groups of merged partials when they were last counted.
    pub(super) counted_at: u64,
    scratch: Scratch,
}

/// Groups, with the states that the question needs and no more.
#[derive(Debug)]
pub(super) enum Tables {
    Rows(Table<u64>),
    Sums(Table<Sum>),
    Columns(Table<Columns>),
}

/// Where the values of the aggregates come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The column of numbers with this number.
    Numbers(usize),
    /// The table of values with this number.
    Different(usize),
}

/// The columns to read of each row, and the tables that take their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// For each aggregate.
    pub(super) sources: Vec<Source>,
    /// For each column of numbers the first aggregate of it.
    pub(super) numbers: Vec<usize>,
    /// For each table of values its aggregate.
    pub(super) values: Vec<usize>,
    has_extremes: bool,
}

impl Steps {
    pub(super) fn new(question: &GroupQuestion) -> Steps {
        let mut steps = Steps::default();
        for (nth, aggregate) in question.aggregates.iter().enumerate() {
            steps.sources.push(match aggregate.kind {
                AggregateKind::Distinct => {
                    steps.values.push(nth);
                    Source::Different(steps.values.len() - 1)
                }
                kind => {
                    steps.has_extremes |= matches!(kind, AggregateKind::Min | AggregateKind::Max);
                    let is_same = |&other: &usize| {
                        let other = &question.aggregates[other].column;
                        other.eq_ignore_ascii_case(&aggregate.column)
                    };
                    let known = steps.numbers.iter().position(is_same);
                    Source::Numbers(known.unwrap_or_else(|| {
                        steps.numbers.push(nth);
                        steps.numbers.len() - 1
                    }))
                }
            });
        }
        steps
    }

    /// Returns a partial without rows.
    pub(super) fn partial(&self, random: &RandomState, limits: Limits) -> Partial {
        let random = || random.clone();
        let columns = self.numbers.len();
        let groups = match columns {
            0 => Tables::Rows(Table::new(random(), Front::All, 0, limits)),
            1 if !self.has_extremes => Tables::Sums(Table::new(random(), Front::All, 1, limits)),
            _ => Tables::Columns(Table::new(random(), Front::All, columns, limits)),
        };
        let table = |_: &usize| Table::new(random(), Front::BeforeLastPipe, 0, limits);
        Partial {
            groups,
            values: self.values.iter().map(table).collect(),
            row_kinds: RowKinds::default(),
            counted_at: 0,
            scratch: Scratch::default(),
        }
    }
}

impl Partial {
    /// Adds the rows of a block. Returns the least number of groups and different values that there are, as far as it is
    /// known.
    pub(super) fn add(
        &mut self,
        rows: &Rows<'_>,
        question: &GroupQuestion,
        functions: &[KeyFunction],
        steps: &Steps,
        readings: &[Reading],
    ) -> u64 {
        let block = Block {
            rows,
            question,
            functions,
            steps,
            readings,
        };
        let Partial {
            groups,
            values,
            row_kinds,
            scratch,
            ..
        } = self;
        let (values, row_kinds) = (&mut values[..], row_kinds);
        macro_rules! group {
            ($table:expr, $numbers:expr) => {
                rows.dispatch(Grouping {
                    block,
                    table: $table,
                    numbers: $numbers,
                    values,
                    row_kinds,
                    scratch,
                })
            };
        }
        match groups {
            Tables::Rows(table) => group!(table, []),
            Tables::Sums(table) => group!(table, [0]),
            Tables::Columns(table) => group!(table, vec![0; steps.numbers.len()]),
        }
    }

    /// Says whether the tables may take much memory.
    pub(super) fn is_large(&self) -> bool {
        let groups = match &self.groups {
            Tables::Rows(table) => table.is_large(),
            Tables::Sums(table) => table.is_large(),
            Tables::Columns(table) => table.is_large(),
        };
        groups || self.values.iter().any(Table::is_large)
    }

    /// Adds the rows of `from`.
    pub(super) fn merge(&mut self, from: Partial) {
        match (&mut self.groups, from.groups) {
            (Tables::Rows(into), Tables::Rows(from)) => into.merge(from),
            (Tables::Sums(into), Tables::Sums(from)) => into.merge(from),
            (Tables::Columns(into), Tables::Columns(from)) => into.merge(from),
            _ => unreachable!("partials of one question have the same states"),
        }
        for (into, from) in self.values.iter_mut().zip(from.values) {
            into.merge(from);
        }
        self.row_kinds.merge(from.row_kinds);
    }
}
