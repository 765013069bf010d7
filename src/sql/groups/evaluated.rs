//! Rows of any batch, whose keys and aggregates are evaluated as expressions.

use super::bests::Candidates;
use super::numbers::{numbers_of, presence_of};
use super::{GroupsFold, Partial, SetGroups};
use crate::fold::key_words::KEY_SEPARATOR;
use crate::scan::{ROWS, Vector};
use crate::sql::aggregates::Keeps;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::keys::{KeyForm, push_row};
use crate::sql::plan::Aggregate;
use crate::sql::vector::{Data, Mask, Texts, Values, each, first};

/// The rows of a batch that are kept, evaluated.
struct Evaluated<'b> {
    kept: Mask,
    /// The values of all keys.
    keys: Vec<Values<'b>>,
    /// The columns of numbers. Rows that are kept have moved together.
    numbers: Vec<[i64; ROWS]>,
    /// The values of each `count(DISTINCT ..)`, and the rows that have some.
    distinct: Vec<(Vec<Values<'b>>, Mask)>,
    bests: Vec<Candidates<'b>>,
}

impl GroupsFold<'_> {
    /// Adds the rows of a batch.
    pub(super) fn add(&self, batch: &dyn Batch, partial: &mut Partial) -> Result<(), Fault> {
        let rows = first(batch.rows());
        let kept = match &self.plan.filter {
            None => rows,
            Some(filter) => filter.values(batch, rows)?.is_true() & rows,
        };
        if kept == 0 {
            return Ok(());
        }
        partial.counts.kept += u64::from(kept.count_ones());
        let evaluated = self.evaluate(batch, kept)?;
        let Partial {
            sets,
            scratch,
            chunks,
            ..
        } = partial;
        for (set, keys) in sets.iter_mut().zip(&self.grouping.sets) {
            if let [nth] = keys[..]
                && self.keys[nth] == KeyForm::Plain
                && kept == rows
                && let Data::Text(Texts::Cells(cells)) = &evaluated.keys[nth].data
            {
                set.groups.add(cells, batch.rows(), &evaluated.numbers);
            } else {
                let made = self.made_keys(&evaluated, keys, scratch);
                let count = kept.count_ones() as usize;
                set.groups.add(&made, count, &evaluated.numbers);
            }
            self.add_distinct(&evaluated, keys, set, scratch);
            let chunk = chunks.len() as u32;
            self.add_bests(batch, &evaluated, keys, set, scratch, chunk);
        }
        Ok(())
    }

    /// Evaluates keys and aggregates in the rows of a mask.
    fn evaluate<'b>(&'b self, batch: &'b dyn Batch, kept: Mask) -> Result<Evaluated<'b>, Fault> {
        let keys = self.grouping.keys.iter().map(|key| key.values(batch, kept));
        let mut evaluated = Evaluated {
            kept,
            keys: keys.collect::<Result<Vec<_>, _>>()?,
            numbers: Vec::with_capacity(self.layout.numbers.len()),
            distinct: Vec::with_capacity(self.layout.distinct.len()),
            bests: Vec::with_capacity(self.layout.bests.len()),
        };
        for &nth in &self.layout.numbers {
            let mut column = numbers_of_rows(&self.grouping.aggregates[nth], batch, kept)?;
            if kept != first(batch.rows()) {
                let mut to = 0;
                each(kept, |row| {
                    column[to] = column[row];
                    to += 1;
                });
            }
            evaluated.numbers.push(column);
        }
        for &nth in &self.layout.distinct {
            let aggregate = &self.grouping.aggregates[nth];
            let chosen = chosen_values(aggregate, batch, kept)?;
            evaluated.distinct.push(chosen);
        }
        for &(nth, wanted) in &self.layout.bests {
            let aggregate = &self.grouping.aggregates[nth];
            let (values, rows) = chosen_values(aggregate, batch, kept)?;
            let types = aggregate.of.iter().map(|of| of.gives);
            let mut typed = values.into_iter().zip(types).rev();
            evaluated.bests.push(Candidates {
                wanted,
                by: typed.next().expect("it is of something"),
                of: typed.next(),
                rows,
            });
        }
        Ok(evaluated)
    }

    /// Returns the keys of a set in the rows that are kept.
    fn made_keys<'s>(
        &self,
        evaluated: &Evaluated<'_>,
        keys: &[usize],
        scratch: &'s mut Vec<u8>,
    ) -> Vector<'s> {
        let (mut spans, mut count) = ([[0; 2]; ROWS], 0);
        scratch.clear();
        each(evaluated.kept, |row| {
            let start = scratch.len();
            self.push_key(&evaluated.keys, keys, row, scratch);
            spans[count] = [start as u32, scratch.len() as u32];
            count += 1;
        });
        vector_of(scratch, &spans[..count])
    }

    fn add_distinct(
        &self,
        evaluated: &Evaluated<'_>,
        keys: &[usize],
        set: &mut SetGroups,
        scratch: &mut Vec<u8>,
    ) {
        let aggregates = evaluated.distinct.iter().zip(&self.layout.distinct);
        for (table, ((values, rows), &nth)) in set.distinct.iter_mut().zip(aggregates) {
            let types = self.grouping.aggregates[nth].of.iter().map(|of| of.gives);
            let (mut spans, mut pairs) = ([[0; 2]; ROWS], 0);
            scratch.clear();
            each(*rows, |row| {
                let start = scratch.len();
                self.push_key(&evaluated.keys, keys, row, scratch);
                scratch.push(KEY_SEPARATOR);
                push_row(values.iter().zip(types.clone()), row, scratch);
                spans[pairs] = [start as u32, scratch.len() as u32];
                pairs += 1;
            });
            let made = vector_of(scratch, &spans[..pairs]);
            table.add(&made, pairs, &[]);
        }
    }

    fn add_bests(
        &self,
        batch: &dyn Batch,
        evaluated: &Evaluated<'_>,
        keys: &[usize],
        set: &mut SetGroups,
        scratch: &mut Vec<u8>,
        chunk: u32,
    ) {
        let rows = evaluated.bests.iter();
        let rows = rows.fold(0, |rows, candidates| rows | candidates.rows);
        each(rows, |row| {
            scratch.clear();
            self.push_key(&evaluated.keys, keys, row, scratch);
            let place = || batch.place(row);
            set.bests
                .offer(scratch, row, &evaluated.bests, chunk, place);
        });
    }
}

/// Returns the arguments of an aggregate, and the rows of a mask whose arguments are values. A row of several columns is one.
pub(super) fn chosen_values<'b>(
    aggregate: &'b Aggregate,
    batch: &'b dyn Batch,
    kept: Mask,
) -> Result<(Vec<Values<'b>>, Mask), Fault> {
    let chosen = match &aggregate.filter {
        None => kept,
        Some(filter) => filter.values(batch, kept)?.is_true() & kept,
    };
    let values = aggregate.of.iter().map(|of| of.values(batch, chosen));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let is_row = matches!(aggregate.function.keeps, Keeps::Distinct) && values.len() > 1;
    let rows = if is_row {
        chosen
    } else {
        let valid = values.iter().map(|values| values.valid);
        valid.fold(chosen, |rows, valid| rows & valid)
    };
    Ok((values, rows))
}

/// Returns the numbers of an aggregate in the rows of a mask. Those of a count say which rows have a value.
pub(super) fn numbers_of_rows(
    aggregate: &Aggregate,
    batch: &dyn Batch,
    kept: Mask,
) -> Result<[i64; ROWS], Fault> {
    let (values, rows) = chosen_values(aggregate, batch, kept)?;
    match &values[..] {
        [values] if !aggregate.is_count() => numbers_of(values, rows),
        _ => Ok(presence_of(rows)),
    }
}

/// Returns vectors of made keys. Bytes follow the last of them.
fn vector_of<'b>(bytes: &'b mut Vec<u8>, spans: &[[u32; 2]]) -> Vector<'b> {
    bytes.extend_from_slice(&[0; ROWS]);
    let mut vector = Vector::new(bytes);
    for (nth, span) in spans.iter().enumerate() {
        vector.set(nth, *span);
    }
    vector
}
