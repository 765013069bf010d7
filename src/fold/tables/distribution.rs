//! The numbers of a group, for medians and quantiles.

use std::borrow::Cow;
use std::iter;

use super::states::{AMOUNT_MOST, NO_NUMBER, State, rounded_quotient};
use crate::coding::{Damaged, Put, Reader, check};

/// How often each number occurs. Amounts of a group are few distinct ones, so this takes less than the numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distribution {
    /// Numbers, ascending, each with how often it occurs.
    runs: Vec<(i64, u64)>,
    /// Numbers that are not yet among the runs.
    pending: Vec<i64>,
}

/// The least number of pending numbers to sort together. Runs that outnumber it take its place.
const PENDING: usize = 1024;

impl Distribution {
    /// Returns the median times `factor`, if there are numbers: of an even number of them the mean of both in the middle, a half rounded away
    /// from zero.
    pub(super) fn median(&self, factor: i128) -> Option<i128> {
        let numbers = self.numbers();
        let last = numbers.checked_sub(1)?;
        let sum = self.nth(last / 2)? + self.nth(numbers / 2)?;
        Some(rounded_quotient(sum * factor, 2))
    }

    /// Moves the pending numbers to the runs.
    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        self.pending.sort_unstable();
        let pending = self.pending.chunk_by(|one, other| one == other);
        let pending = pending.map(|run| (run[0], run.len() as u64));
        self.runs = merged(&self.runs, pending);
        self.pending.clear();
    }

    /// Moves the pending numbers to the runs, and gives their memory back.
    pub(super) fn finish(&mut self) {
        if !self.pending.is_empty() {
            self.flush();
        }
        self.pending = Vec::new();
    }

    #[inline(always)]
    fn flush_if_many(&mut self) {
        if self.pending.len() >= self.pending_most() {
            self.flush();
        }
    }

    /// Returns how many numbers wait before they are sorted. As many as there are runs pay for the copy of these.
    fn pending_most(&self) -> usize {
        self.runs.len().max(PENDING)
    }

    /// Returns the runs.
    ///
    /// # Panics
    /// If numbers are pending, which are not among the runs.
    pub(super) fn runs(&self) -> &[(i64, u64)] {
        assert!(self.pending.is_empty(), "the distribution is finished");
        &self.runs
    }

    /// Returns how many numbers the runs have.
    ///
    /// # Panics
    /// If numbers are pending, which are not among the runs.
    pub(super) fn numbers(&self) -> u64 {
        assert!(self.pending.is_empty(), "the distribution is finished");
        numbers_of(&self.runs)
    }

    /// Returns the `nth` number of the runs, counted from zero.
    pub(super) fn nth(&self, nth: u64) -> Option<i128> {
        let mut before = 0;
        let mut runs = self.runs.iter();
        let run = runs.find(|(_, times)| {
            before += times;
            nth < before
        });
        run.map(|(number, _)| i128::from(*number))
    }
}

fn numbers_of(runs: &[(i64, u64)]) -> u64 {
    runs.iter().map(|(_, times)| times).sum()
}

/// Merges runs that ascend.
fn merged(one: &[(i64, u64)], other: impl Iterator<Item = (i64, u64)>) -> Vec<(i64, u64)> {
    let mut merged = Vec::with_capacity(one.len());
    let mut rest = one;
    for (number, times) in other {
        let before = rest.partition_point(|&(known, _)| known < number);
        merged.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        match rest.split_first() {
            Some((&(known, further), after)) if known == number => {
                merged.push((number, times + further));
                rest = after;
            }
            _ => merged.push((number, times)),
        }
    }
    merged.extend_from_slice(rest);
    merged
}

impl State for Distribution {
    #[inline(always)]
    fn add(&mut self, number: i64) {
        if number != NO_NUMBER {
            self.pending.push(number);
            self.flush_if_many();
        }
    }

    /// Takes time for the rows of `other` alone, on average, however many are here: groups by the million become one rest.
    fn merge(&mut self, other: &Distribution) {
        if self.runs.is_empty() && self.pending.is_empty() {
            self.clone_from(other);
            return;
        }
        if numbers_of(&other.runs) > self.pending_most() as u64 {
            self.runs = merged(&self.runs, other.runs.iter().copied());
        } else {
            for &(number, times) in &other.runs {
                self.pending.extend(iter::repeat_n(number, times as usize));
            }
        }
        self.pending.extend_from_slice(&other.pending);
        self.flush_if_many();
    }

    fn value(&self) -> Option<i128> {
        self.median(1)
    }

    fn is_of_amounts(&self) -> bool {
        let mut numbers = self.runs.iter().map(|run| run.0.unsigned_abs());
        numbers.all(|number| u128::from(number) <= AMOUNT_MOST)
    }

    fn put(&self, _: u64, out: &mut Vec<u8>) {
        let mut finished = Cow::Borrowed(self);
        if !self.pending.is_empty() {
            finished.to_mut().finish();
        }
        out.put_number(finished.runs.len() as u64);
        for &(number, times) in &finished.runs {
            out.put_signed(number);
            out.put_number(times);
        }
    }

    fn take(rows: u64, reader: &mut Reader<'_>) -> Result<Distribution, Damaged> {
        let mut distribution = Distribution::default();
        let mut left = rows;
        for _ in 0..reader.number()? {
            let run = (reader.signed()?, reader.number()?);
            left = left.checked_sub(run.1).ok_or(Damaged)?;
            let ascends = distribution.runs.last().is_none_or(|last| last.0 < run.0);
            check(ascends && run.0 != NO_NUMBER && run.1 > 0)?;
            distribution.runs.push(run);
        }
        Ok(distribution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(mut distribution: Distribution) -> Distribution {
        distribution.finish();
        distribution
    }

    /// Numbers come in pieces of any sizes, few or many different ones, and the pieces merge in a chain and as a tree.
    #[test]
    fn medians_are_those_of_sorted_numbers_however_pieces_merge() {
        for (count, different) in [
            (1, 1),
            (2, 9),
            (1000, 7),
            (5000, 9999),
            (9000, 3),
            (20_000, 20_000),
        ] {
            let numbers: Vec<i64> = (0..count).map(|nth| nth * 7919 % different - 5).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
            let median = rounded_quotient(i128::from(low) + i128::from(high), 2);
            for size in [1, 3, 700, 1024, 3000, 20_000] {
                let pieces = numbers.chunks(size).enumerate().map(|(nth, numbers)| {
                    let mut piece = Distribution::default();
                    numbers.iter().for_each(|&number| piece.add(number));
                    // Groups of a partial are finished.
                    if nth % 2 == 0 { finished(piece) } else { piece }
                });
                let mut pieces: Vec<_> = pieces.collect();
                let mut chain = Distribution::default();
                pieces.iter().for_each(|piece| chain.merge(piece));
                while pieces.len() > 1 {
                    let merged = pieces.chunks(2).map(|pair| {
                        let mut first = pair[0].clone();
                        pair[1..].iter().for_each(|second| first.merge(second));
                        first
                    });
                    pieces = merged.collect();
                }
                let (chain, tree) = (finished(chain), finished(pieces.remove(0)));
                assert_eq!(chain.runs, tree.runs, "{count} {different} {size}");
                assert_eq!(chain.numbers(), count as u64);
                assert_eq!(chain.median(1), Some(median), "{count} {different} {size}");
                assert_eq!(chain.nth(0), Some(sorted[0].into()));
            }
        }
    }

    /// What merges into one rest is not copied each time.
    #[test]
    fn small_pieces_wait_before_they_are_merged() {
        let mut rest = Distribution::default();
        for nth in 0..100_000 {
            let mut group = Distribution::default();
            group.add(nth);
            rest.merge(&finished(group));
            assert!(rest.pending.len() <= rest.runs.len().max(PENDING));
        }
        assert!(rest.runs.len() > 50_000, "runs grow to the double");
        assert_eq!(finished(rest).median(1), Some(50_000));
    }
}
