//! Columns of states, with one state for each group.
//!
//! A state is a type with the trait [`State`], and a line each in [`States`], [`States::none`] and the macro below.

use super::distribution::Distribution;
use super::states::{Extreme, State, Total};
use crate::coding::{Damaged, Put, Reader, check};
use crate::scan::ROWS;

/// The states of all groups. Without groups, the kind of states.
#[derive(Clone, Debug)]
pub(crate) enum States {
    Total(Vec<Total>),
    Least(Vec<Extreme<false>>),
    Greatest(Vec<Extreme<true>>),
    Distribution(Vec<Distribution>),
}

impl States {
    /// Returns states of the same kind, of no groups.
    fn none(&self) -> States {
        match self {
            States::Total(_) => States::Total(Vec::new()),
            States::Least(_) => States::Least(Vec::new()),
            States::Greatest(_) => States::Greatest(Vec::new()),
            States::Distribution(_) => States::Distribution(Vec::new()),
        }
    }
}

/// Does the same with states of any kind, or of two of one kind.
macro_rules! with_states {
    ($states:expr, $list:ident => $body:expr) => {
        match $states {
            States::Total($list) => $body,
            States::Least($list) => $body,
            States::Greatest($list) => $body,
            States::Distribution($list) => $body,
        }
    };
    ($states:expr, $other:expr, ($list:ident, $others:ident) => $body:expr) => {
        match ($states, $other) {
            (States::Total($list), States::Total($others)) => $body,
            (States::Least($list), States::Least($others)) => $body,
            (States::Greatest($list), States::Greatest($others)) => $body,
            (States::Distribution($list), States::Distribution($others)) => $body,
            _ => unreachable!("tables of one question keep the same states"),
        }
    };
}

/// What a question keeps: each kind of state with the number of its column.
pub(crate) type StateList = [(States, usize)];

/// The numbers of columns in some rows, a column after the other.
pub(crate) type Numbers = [[i64; ROWS]];

/// The number of rows of each group, and its states.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    rows: Vec<u64>,
    /// Each with the number of its column.
    states: Vec<(usize, States)>,
}

impl Totals {
    /// Returns totals without groups.
    pub(crate) fn new(kept: &StateList) -> Totals {
        let states = kept.iter().map(|(kind, column)| (*column, kind.none()));
        Totals {
            rows: Vec::new(),
            states: states.collect(),
        }
    }

    /// Returns totals without groups, of the same kinds of states.
    pub(crate) fn alike(&self) -> Totals {
        let states = self.states.iter();
        let states = states.map(|(column, states)| (*column, states.none()));
        Totals {
            rows: Vec::new(),
            states: states.collect(),
        }
    }

    /// Says whether groups keep all their numbers.
    pub(crate) fn keep_numbers(&self) -> bool {
        let mut states = self.states.iter();
        states.any(|(_, states)| matches!(states, States::Distribution(_)))
    }

    /// Returns the bytes of memory of a group.
    pub(super) fn size(&self) -> usize {
        let size = |(_, states): &(usize, States)| with_states!(states, list => size_of_item(list));
        size_of::<u64>() + self.states.iter().map(size).sum::<usize>()
    }

    /// Makes this many groups. New ones have no rows.
    #[inline(always)]
    pub(crate) fn resize(&mut self, groups: usize) {
        if self.rows.len() != groups {
            self.resize_to(groups);
        }
    }

    #[cold]
    #[inline(never)]
    fn resize_to(&mut self, groups: usize) {
        resize(&mut self.rows, groups);
        for (_, states) in &mut self.states {
            with_states!(states, list => resize(list, groups));
        }
    }

    /// Adds rows to the groups with these numbers.
    #[inline(always)]
    pub(crate) fn add(&mut self, groups: &[u32], numbers: &Numbers) {
        for &group in groups {
            self.rows[group as usize] += 1;
        }
        for (column, states) in &mut self.states {
            let numbers = &numbers[*column];
            with_states!(states, list => add(list, groups, numbers));
        }
    }

    /// Adds rows to a group without other states.
    pub(crate) fn add_rows(&mut self, group: usize, rows: u64) {
        self.rows[group] += rows;
    }

    /// Adds the row with a number to a group.
    pub(crate) fn add_row(&mut self, group: usize, numbers: &Numbers, row: usize) {
        self.rows[group] += 1;
        for (column, states) in &mut self.states {
            with_states!(states, list => list[group].add(numbers[*column][row]));
        }
    }

    /// Becomes a group of `from`, which keeps no states of some columns. `numbers` has the numbers of these in all rows of the group.
    pub(crate) fn take_one(&mut self, from: &Totals, nth: usize, numbers: &Numbers, row: usize) {
        self.resize(0);
        self.resize(1);
        let rows = from.rows[nth];
        self.rows[0] = rows;
        let mut known = from.states.iter().peekable();
        for (column, states) in &mut self.states {
            if let Some((_, others)) = known.next_if(|(known, _)| known == column) {
                with_states!(states, others, (list, others) => list[0].merge(&others[nth]));
            } else {
                let number = numbers[*column][row];
                match states {
                    States::Total(list) => list[0].add_of_rows(number, rows),
                    // The same, however many rows have it.
                    extremes => with_states!(extremes, list => list[0].add(number)),
                }
            }
        }
    }

    /// Adds the groups of `from` to those with these numbers.
    pub(crate) fn merge(&mut self, groups: &[u32], from: &Totals) {
        for (&group, rows) in groups.iter().zip(&from.rows) {
            self.rows[group as usize] += rows;
        }
        for ((_, states), (_, others)) in self.states.iter_mut().zip(&from.states) {
            with_states!(states, others, (list, others) => {
                for (&group, other) in groups.iter().zip(others) {
                    list[group as usize].merge(other);
                }
            });
        }
    }

    /// Adds one group of `from` to another one.
    pub(crate) fn merge_one(&mut self, group: usize, from: &Totals, nth: usize) {
        self.rows[group] += from.rows[nth];
        for ((_, states), (_, others)) in self.states.iter_mut().zip(&from.states) {
            with_states!(states, others, (list, others) => list[group].merge(&others[nth]));
        }
    }

    /// Adds one group of `from` as a new one.
    pub(crate) fn push(&mut self, from: &Totals, nth: usize) {
        self.rows.push(from.rows[nth]);
        for ((_, states), (_, others)) in self.states.iter_mut().zip(&from.states) {
            with_states!(states, others, (list, others) => push(list, &others[nth]));
        }
    }

    /// Adds all groups of `from` as new ones.
    pub(super) fn extend(&mut self, from: &Totals) {
        self.rows.extend_from_slice(&from.rows);
        for ((_, states), (_, others)) in self.states.iter_mut().zip(&from.states) {
            with_states!(states, others, (list, others) => list.extend_from_slice(others));
        }
    }

    /// Moves all groups of `from` to new ones. `from` keeps its memory.
    pub(super) fn append(&mut self, from: &mut Totals) {
        self.rows.append(&mut from.rows);
        for ((_, states), (_, others)) in self.states.iter_mut().zip(&mut from.states) {
            with_states!(states, others, (list, others) => list.append(others));
        }
    }

    /// Sorts the numbers of each group, once, after all rows. [`Totals::value`] and its like then look at them.
    pub(crate) fn finish(&mut self) {
        for (_, states) in &mut self.states {
            if let States::Distribution(list) = states {
                list.iter_mut().for_each(Distribution::finish);
            }
        }
    }

    /// Returns the number of rows of a group.
    #[inline(always)]
    pub(crate) fn rows(&self, group: usize) -> u64 {
        self.rows[group]
    }

    /// Returns how often each number of a group occurs, ascending, if the states with this number are distributions.
    pub(crate) fn runs(&self, nth: usize, group: usize) -> &[(i64, u64)] {
        match &self.states[nth].1 {
            States::Distribution(list) => list[group].runs(),
            _ => &[],
        }
    }

    /// Returns how many numbers a group has, if the states with this number are totals or distributions.
    pub(crate) fn numbers(&self, nth: usize, group: usize) -> u64 {
        match &self.states[nth].1 {
            States::Total(list) => list[group].numbers(),
            States::Distribution(list) => list[group].numbers(),
            States::Least(_) | States::Greatest(_) => 0,
        }
    }

    /// Returns the value of a group's state with this number, if the group has numbers.
    pub(crate) fn value(&self, nth: usize, group: usize) -> Option<i128> {
        with_states!(&self.states[nth].1, list => list[group].value())
    }

    /// Says whether all numbers are amounts, which have [`NUMBER_DIGITS`](crate::fec::amount::NUMBER_DIGITS) digits at most.
    pub(crate) fn are_amounts(&self) -> bool {
        self.states
            .iter()
            .all(|(_, states)| with_states!(states, list => list.iter().all(State::is_of_amounts)))
    }

    /// Writes a group down.
    pub(crate) fn put(&self, group: usize, out: &mut Vec<u8>) {
        let rows = self.rows[group];
        out.put_number(rows);
        for (_, states) in &self.states {
            with_states!(states, list => list[group].put(rows, out));
        }
    }

    /// Reads a group, and adds it to the one with a number. A group has some rows. Returns how many.
    pub(crate) fn take(&mut self, group: usize, reader: &mut Reader<'_>) -> Result<u64, Damaged> {
        let rows = reader.number()?;
        check(rows > 0)?;
        self.rows[group] += rows;
        for (_, states) in &mut self.states {
            with_states!(states, list => list[group].merge(&State::take(rows, reader)?));
        }
        Ok(rows)
    }
}

fn push<S: State>(states: &mut Vec<S>, state: &S) {
    states.push(state.clone());
}

#[inline(always)]
fn add<S: State>(states: &mut [S], groups: &[u32], numbers: &[i64; ROWS]) {
    for (&group, &number) in groups.iter().zip(numbers) {
        states[group as usize].add(number);
    }
}

/// Makes room for few groups more than there are: a table of millions of groups has 512 of these lists.
fn resize<S: Clone + Default>(list: &mut Vec<S>, groups: usize) {
    if list.capacity() < groups {
        list.reserve_exact((groups + groups / 4).max(4) - list.len());
    }
    list.resize(groups, S::default());
}

fn size_of_item<S>(_: &[S]) -> usize {
    size_of::<S>()
}

#[cfg(test)]
mod tests {
    use super::super::NO_NUMBER;
    use super::*;

    /// The values of all states of some rows, added in one piece, in two that merge, and written down and read.
    #[test]
    fn states_are_the_same_in_any_pieces() {
        let kept = [
            (States::Total(Vec::new()), 1),
            (States::Least(Vec::new()), 1),
            (States::Greatest(Vec::new()), 1),
            (States::Distribution(Vec::new()), 1),
            (States::Total(Vec::new()), 0),
        ];
        let rows = [5, -3, NO_NUMBER, 1 << 40, 0, NO_NUMBER, -(1 << 42)];
        let mut columns = [[NO_NUMBER; ROWS]; 2];
        columns[1][..rows.len()].copy_from_slice(&rows);
        for cut in 0..=rows.len() {
            let mut totals = Totals::new(&kept);
            totals.resize(2);
            let halves: Vec<u32> = (0..rows.len()).map(|nth| u32::from(nth >= cut)).collect();
            totals.add(&halves, &columns);
            let (mut merged, mut read) = (totals.alike(), totals.alike());
            merged.resize(1);
            merged.merge(&[0, 0], &totals);
            let mut bytes = Vec::new();
            (0..2)
                .filter(|&half| totals.rows(half) > 0)
                .for_each(|half| totals.put(half, &mut bytes));
            read.resize(1);
            let mut reader = Reader(&bytes);
            while !reader.0.is_empty() {
                read.take(0, &mut reader).unwrap();
            }
            let sum = 5 - 3 + (1 << 40) - (1 << 42);
            for totals in [&mut merged, &mut read] {
                totals.finish();
                assert_eq!(totals.rows(0), 7);
                let values = [sum, -(1 << 42), 1 << 40, 0].map(Some);
                for (nth, value) in values.into_iter().chain([None]).enumerate() {
                    assert_eq!(totals.value(nth, 0), value, "{cut} {nth}");
                }
            }
        }
    }
}
