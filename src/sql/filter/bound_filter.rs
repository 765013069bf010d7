//! A filter whose columns are known by number, evaluated over blocks of rows.

use std::cell::Cell;
use std::mem;
use std::sync::Arc;

use super::join_rows::{JoinRows, Repeats};
use super::lower::Atom;
use super::predicate::{Evaluation, JOINED_COST, Predicate};
use super::required;
use crate::error::Error;
use crate::fec::origin::ORIGIN;
use crate::fold::Sample;
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Needles, ROWS, RowFilter, Rows, Vector};
use crate::sql::vector::first;

/// Conditions that must all hold.
#[derive(Debug, Default)]
pub(super) struct BoundFilter {
    columns: Vec<usize>,
    /// The cheapest first.
    conditions: Vec<BoundCondition>,
    /// What each line that passes has.
    required: Option<Needles>,
    joined: Option<JoinedFilter>,
    /// The sample whose rows are tested.
    sample: Option<Sample>,
}

/// The joins of the rows that pass.
#[derive(Debug)]
struct JoinedFilter {
    joins: Arc<dyn JoinRows>,
    /// The places of the columns that they read.
    places: Vec<usize>,
    repeats: Repeats,
}

/// Alternatives: one of them must hold.
#[derive(Debug)]
struct BoundCondition {
    alternatives: Vec<Comparison>,
    /// That of all predicates.
    cost: u32,
}

/// A predicate on columns.
#[derive(Debug)]
struct Comparison {
    /// The places of the columns in [`BoundFilter::columns`].
    columns: Vec<usize>,
    predicate: Predicate,
    /// What the predicate must say. One that may be NULL is wanted.
    wanted: bool,
}

impl BoundFilter {
    /// Returns a filter that all rows of a sample pass, or all rows without one.
    pub(super) fn of_sample(sample: Option<Sample>) -> BoundFilter {
        BoundFilter {
            sample,
            ..BoundFilter::default()
        }
    }

    /// Adds a clause behind all that cost no more. A long one gets a test of prefixes before it.
    pub(super) fn push(&mut self, clause: Vec<Atom>) {
        if let [
            Atom {
                column,
                predicate,
                wanted: true,
            },
        ] = &clause[..]
            && let Some(predicate) = predicate.prefix()
        {
            self.push(vec![Atom {
                column: *column,
                predicate,
                wanted: true,
            }]);
        }
        self.require(&clause);
        let cost = clause.iter().map(|atom| atom.predicate.cost());
        let cost = cost.fold(0, u32::saturating_add);
        let alternatives = clause.into_iter().map(|atom| {
            let columns = match &atom.predicate {
                Predicate::Expression(truth) => truth
                    .read
                    .iter()
                    .map(|read| self.place(read.place))
                    .collect(),
                Predicate::JoinedText(text) => {
                    vec![self.place(atom.column), self.place(text.compared)]
                }
                _ => vec![self.place(atom.column)],
            };
            Comparison {
                columns,
                predicate: atom.predicate,
                wanted: atom.wanted,
            }
        });
        let alternatives = alternatives.collect();
        let conditions = &mut self.conditions;
        let at = conditions.partition_point(|before| before.cost <= cost);
        conditions.insert(at, BoundCondition { alternatives, cost });
    }

    /// Joins the rows that pass.
    pub(super) fn join(&mut self, joins: &Arc<dyn JoinRows>, repeats: Repeats) {
        if joins.are_decided() {
            return;
        }
        let read = joins.read().iter();
        self.joined = Some(JoinedFilter {
            places: read.map(|read| self.place(read.place)).collect(),
            joins: Arc::clone(joins),
            repeats,
        });
    }

    /// Keeps the words of the first clause whose rows each contain one of some words.
    fn require(&mut self, clause: &[Atom]) {
        if self.required.is_some() {
            return;
        }
        let words = clause.iter().map(|atom| match &atom.predicate {
            Predicate::Pattern(pattern) if atom.wanted && atom.column < ORIGIN => {
                pattern.words.as_ref()
            }
            _ => None,
        });
        if let Some(words) = words.collect::<Option<Vec<_>>>() {
            self.required = required::needles(&words);
        }
    }

    /// Returns the number of rows that fail only because a condition is NULL, or the error of a row without a value. The thread's next filter
    /// counts from zero.
    fn check(evaluation: &mut Evaluation) -> Result<u64, Error> {
        let unread = mem::take(&mut evaluation.unread);
        match evaluation.fault.take() {
            Some(fault) => Err(fault.error()),
            None => Ok(unread),
        }
    }

    /// Repeats each row for the joined rows that it makes.
    fn repeat_joined(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> Result<(), Error> {
        let Some(JoinedFilter {
            joins,
            places,
            repeats,
        }) = &self.joined
        else {
            return Ok(());
        };
        let mut repeated = Vec::with_capacity(kept.len());
        for window in kept.chunks(ROWS) {
            let columns = places.iter().map(|place| {
                let mut cells = Vector::new(&[]);
                rows.read_some(*place, window, &mut cells);
                cells
            });
            let mut see = |row: usize| {
                let row = window[row];
                if *repeats == Repeats::EachMatch || repeated.last() != Some(&row) {
                    repeated.push(row);
                }
            };
            let seen = joins.each_row(columns.collect(), window.len(), &mut see);
            seen.map_err(|fault| fault.error())?;
        }
        *kept = repeated;
        Ok(())
    }

    /// Returns the place of `column` in [`BoundFilter::columns`].
    fn place(&mut self, column: usize) -> usize {
        let known = self.columns.iter().position(|&known| known == column);
        known.unwrap_or_else(|| {
            self.columns.push(column);
            self.columns.len() - 1
        })
    }

    /// Returns the column of each comparison, in the order in which they run.
    #[cfg(test)]
    pub(super) fn tested_columns(&self) -> impl Iterator<Item = usize> {
        let conditions = self.conditions.iter();
        let comparisons = conditions.flat_map(|condition| &condition.alternatives);
        comparisons.map(|comparison| self.columns[comparison.columns[0]])
    }
}

impl RowFilter for BoundFilter {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn required(&self) -> Option<&Needles> {
        self.required.as_ref()
    }

    fn keep(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> Result<u64, Error> {
        let Some(sample) = &self.sample else {
            return self.keep_of(rows, kept);
        };
        let numbers = (0..rows.len() as u32).filter(|nth| sample.has(&rows.row(*nth as usize)));
        let numbers: Vec<_> = numbers.collect();
        let unread = self.keep_of(&rows.chosen(&numbers, &mut Vec::new()), kept);
        kept.iter_mut()
            .for_each(|row| *row = numbers[*row as usize]);
        unread
    }
}

impl BoundFilter {
    /// Does what [`RowFilter::keep`] says, without the sample.
    fn keep_of(&self, rows: &Rows<'_>, kept: &mut Vec<u32>) -> Result<u64, Error> {
        thread_local! {
            static EVALUATION: Cell<Evaluation> = Cell::default();
        }
        let mut evaluation = rows.dispatch(Keep {
            rows,
            conditions: &self.conditions,
            kept: &mut *kept,
            evaluation: EVALUATION.take(),
        });
        let unread = BoundFilter::check(&mut evaluation);
        EVALUATION.set(evaluation);
        self.repeat_joined(rows, kept)?;
        unread
    }
}

/// Chooses the rows that pass all conditions.
struct Keep<'a, 'r> {
    rows: &'a Rows<'r>,
    conditions: &'a [BoundCondition],
    kept: &'a mut Vec<u32>,
    evaluation: Evaluation,
}

impl Kernel for Keep<'_, '_> {
    type Output = Evaluation;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Evaluation {
        let Keep {
            rows,
            conditions,
            kept,
            mut evaluation,
        } = self;
        // The fields of a copy stay in registers.
        let rows = *rows;
        kept.clear();
        kept.resize(rows.len(), 0);
        let mut cells = Vector::new(&[]);
        let mut count = 0;
        for start in (0..rows.len()).step_by(ROWS) {
            let kept = &mut kept[count..];
            count += keep(
                level,
                &rows,
                conditions,
                start,
                &mut cells,
                kept,
                &mut evaluation,
            );
        }
        kept.truncate(count);
        evaluation
    }
}

/// Stores in `kept` which of the next rows from `start` on pass all conditions. Returns their number.
#[inline(always)]
fn keep<'r>(
    level: impl Level,
    rows: &Rows<'r>,
    conditions: &[BoundCondition],
    start: usize,
    cells: &mut Vector<'r>,
    kept: &mut [u32],
    evaluation: &mut Evaluation,
) -> usize {
    let mut len = ROWS.min(rows.len() - start);
    // All rows so far, not those in `kept`.
    let mut are_all = true;
    let mut hold = [true; ROWS];
    for (nth, condition) in conditions.iter().enumerate() {
        let mut one_holds = [false; ROWS];
        for comparison in &condition.alternatives {
            let read = |column: usize, cells: &mut Vector<'r>| {
                if are_all {
                    rows.read(column, start, cells);
                } else {
                    rows.read_some(column, &kept[..len], cells);
                }
            };
            let holds = match &comparison.predicate {
                Predicate::Expression(truth) => {
                    let columns = comparison.columns.iter().map(|&column| {
                        let mut cells = Vector::new(&[]);
                        read(column, &mut cells);
                        cells
                    });
                    let mut hold = [false; ROWS];
                    let undecided = match &truth.test {
                        None => first(len),
                        Some(test) => {
                            read(comparison.columns[0], cells);
                            test.decide(level, cells, len, &mut hold)
                        }
                    };
                    if undecided != 0 {
                        truth.decide(columns.collect(), len, undecided, &mut hold, evaluation);
                    }
                    hold
                }
                Predicate::JoinedText(text) => {
                    let mut keys = Vector::new(&[]);
                    read(comparison.columns[0], &mut keys);
                    read(comparison.columns[1], cells);
                    text.hold(&keys, cells, len)
                }
                predicate => {
                    read(comparison.columns[0], cells);
                    predicate.hold(cells, len, evaluation)
                }
            };
            for (one_holds, holds) in one_holds.iter_mut().zip(holds) {
                *one_holds |= holds == comparison.wanted;
            }
        }
        let next = conditions.get(nth + 1);
        if evaluation.has_unknown() {
            let row = |place: usize| {
                if are_all {
                    (start + place) as u32
                } else {
                    kept[place]
                }
            };
            let ends_own =
                |next: &BoundCondition| next.cost == JOINED_COST && condition.cost != next.cost;
            let is_last = next.is_none_or(ends_own);
            evaluation.settle(&hold[..len], &mut one_holds, &row, is_last);
        }
        let mut passed = 0;
        for (place, (hold, one_holds)) in hold.iter_mut().zip(one_holds).enumerate() {
            *hold &= one_holds;
            passed += u32::from(*hold & (place < len));
        }
        if next.is_some_and(|next| condition.leaves_all_to(next, passed as usize * 4 >= len * 3)) {
            continue;
        }
        let mut count = 0;
        for (place, &holds) in hold[..len].iter().enumerate() {
            kept[count] = if are_all {
                (start + place) as u32
            } else {
                kept[place]
            };
            count += usize::from(holds);
        }
        len = count;
        if len == 0 {
            evaluation.doubtful.clear();
            break;
        }
        are_all = false;
        hold = [true; ROWS];
    }
    if are_all {
        // Without a condition, all rows pass.
        let all = kept[..len].iter_mut().zip(start as u32..);
        all.for_each(|(kept, row)| *kept = row);
    }
    len
}

impl BoundCondition {
    /// Says whether the next condition sees all rows that this one saw.
    ///
    /// As long as most rows pass tests of prefixes, leaving some out costs more than it saves: two tests of contributions take
    /// 0.95 of the time. Rows without a partner count in every joined file, in any order of the conditions.
    #[inline(always)]
    fn leaves_all_to(&self, next: &BoundCondition, do_most_pass: bool) -> bool {
        match (self.cost, next.cost) {
            (JOINED_COST, JOINED_COST) => true,
            (_, 0) => do_most_pass,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
