//! What a plan asks of the rows of files, as columns: keys and numbers that are columns of the file, or functions of them that words
//! can be made of, need no values of expressions. This is how `fecscan by` groups.

use super::chosen::{Chosen, NumberPlace};
use crate::fold::key_words::WordStep;
use crate::sql::expression::Expression;
use crate::sql::file::Read;
use crate::sql::file::columns::Reading;
use crate::sql::file::word_steps::{column_of, day_steps, number_steps, plain_column, text_steps};
use crate::sql::groups::layout::Layout;
use crate::sql::plan::{Grouping, Plan};

/// What rows are asked for.
pub(super) struct Columns {
    pub(super) keys: Vec<KeyColumn>,
    pub(super) numbers: Vec<NumberColumn>,
    /// Further columns of numbers that expressions of numbers read.
    pub(super) further: Vec<(usize, Reading)>,
    /// Whether some numbers are evaluated.
    pub(super) has_evaluated: bool,
    pub(super) distinct: Vec<DistinctColumn>,
}

/// A key. Columns have their numbers among those that are read.
#[derive(Debug)]
pub(super) enum KeyColumn {
    /// A column as it stands.
    Plain(usize),
    /// What steps make of a column. Values without a word are evaluated.
    Steps(usize, Vec<WordStep>),
    /// Any expression.
    Evaluated,
}

/// A column of numbers.
#[derive(Debug)]
pub(super) enum NumberColumn {
    /// A column of the file.
    Read(usize, Reading),
    /// That with this number once more, for another kind of aggregates.
    Same(usize),
    /// NULL in all rows.
    Null,
    /// Numbers of rows that a condition chooses.
    Chosen(Chosen),
    /// The argument of the aggregate with this number.
    Evaluated(usize),
}

/// The values of `count(DISTINCT ..)`.
#[derive(Debug)]
pub(super) enum DistinctColumn {
    /// A column as it stands.
    Plain(usize),
    /// The arguments of the aggregate with this number.
    Evaluated(usize),
}

impl Columns {
    /// Returns what a plan asks of the rows of files. Rows that are joined, or whose values stay with groups, are evaluated.
    pub(super) fn of(plan: &Plan, grouping: &Grouping, layout: &Layout) -> Option<Columns> {
        if plan.has_joins() || plan.filter.is_some() || !layout.bests.is_empty() {
            return None;
        }
        let read = &plan.read;
        let keys = grouping.keys.iter().map(|key| KeyColumn::of(key, read));
        let mut numbers: Vec<NumberColumn> = Vec::new();
        for &nth in &layout.numbers {
            let aggregate = &grouping.aggregates[nth];
            let column = match &aggregate.of[..] {
                [of] if aggregate.filter.is_none() => column_of(of),
                _ => None,
            };
            let reading = column.and_then(|nth| Some((nth, read[nth].reading()?)));
            let known = reading.and_then(|(column, _)| {
                let mut numbers = numbers.iter();
                numbers.position(|numbers| numbers.reads(column))
            });
            numbers.push(match (known, reading) {
                (Some(known), _) => NumberColumn::Same(known),
                (None, Some((column, reading))) => NumberColumn::Read(column, reading),
                (None, None) if aggregate.is_null() => NumberColumn::Null,
                (None, None) => NumberColumn::Evaluated(nth),
            });
        }
        let mut further = Vec::new();
        for nth in 0..numbers.len() {
            let NumberColumn::Evaluated(of) = numbers[nth] else {
                continue;
            };
            let aggregate = &grouping.aggregates[of];
            for of in aggregate.expressions() {
                of.each_column(&mut |nth| {
                    let is_known = numbers.iter().any(|numbers| numbers.reads(nth))
                        || further.iter().any(|(known, _)| *known == nth);
                    let reading = read[nth].reading();
                    let reading = reading.filter(|_| !is_known);
                    further.extend(reading.map(|reading| (nth, reading)));
                });
            }
            let place = |nth: usize| NumberPlace::of(nth, &numbers, &further);
            if let Some(chosen) = Chosen::by(aggregate, read, &place) {
                numbers[nth] = NumberColumn::Chosen(chosen);
            }
        }
        let distinct = layout.distinct.iter().map(|&nth| {
            let aggregate = &grouping.aggregates[nth];
            let plain = match &aggregate.of[..] {
                [of] if aggregate.filter.is_none() => plain_column(of, read),
                _ => None,
            };
            plain.map_or(DistinctColumn::Evaluated(nth), DistinctColumn::Plain)
        });
        let is_evaluated = |numbers: &NumberColumn| matches!(numbers, NumberColumn::Evaluated(_));
        Some(Columns {
            has_evaluated: numbers.iter().any(is_evaluated),
            keys: keys.collect(),
            numbers,
            further,
            distinct: distinct.collect(),
        })
    }
}

impl NumberColumn {
    pub(super) fn reads(&self, nth: usize) -> bool {
        matches!(self, NumberColumn::Read(column, _) if *column == nth)
    }
}

impl KeyColumn {
    pub(super) fn of(key: &Expression, read: &[Read]) -> KeyColumn {
        if let Some(nth) = plain_column(key, read) {
            return KeyColumn::Plain(nth);
        }
        let steps = text_steps(key, read).or_else(|| day_steps(key, read));
        let steps = steps.or_else(|| number_steps(key, read));
        steps.map_or(KeyColumn::Evaluated, |(column, steps)| {
            KeyColumn::Steps(column, steps)
        })
    }

    /// Says whether its values need no expressions, in nearly all rows.
    pub(super) fn is_fast(&self) -> bool {
        !matches!(self, KeyColumn::Evaluated)
    }
}
