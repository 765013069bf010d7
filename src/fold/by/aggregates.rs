//! The aggregates. An aggregate is one entry here, and a state in [`tables`](crate::fold::tables).

use crate::fec::schema::Kind;
use crate::fold::tables::{StateKind, Totals};

/// A function of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AggregateKind {
    /// The exact sum of numbers.
    Sum,
    /// The least number, or the first date.
    Min,
    /// The greatest number, or the last date.
    Max,
    /// The mean of numbers, rounded to hundredths, a half away from zero.
    Mean,
    /// The median of numbers, of an even number the mean of both in the middle, rounded as means are.
    Median,
    /// How many different values there are, bytes as they stand. Empty values do not count.
    Distinct,
}

/// What an aggregate is called, takes and keeps.
struct Entry {
    name: &'static str,
    /// What it takes, in words and as kinds of columns. None takes any.
    takes: (&'static str, &'static [Kind]),
    /// What it keeps of the numbers of a group, and makes of it. None keeps the different values instead.
    keeps: Option<(StateKind, ValueOf)>,
}

/// Returns the value that the states with a number have for a group.
type ValueOf = fn(&Totals, nth: usize, group: usize) -> Option<i128>;

const NUMBERS: (&str, &[Kind]) = ("numbers", &[Kind::Number]);
const NUMBERS_AND_DATES: (&str, &[Kind]) = ("numbers and dates", &[Kind::Number, Kind::Date]);

/// In the order of [`AggregateKind::ALL`].
static ENTRIES: [Entry; AggregateKind::ALL.len()] = [
    Entry {
        name: "sum",
        takes: NUMBERS,
        keeps: Some((StateKind::Total, Totals::value)),
    },
    Entry {
        name: "min",
        takes: NUMBERS_AND_DATES,
        keeps: Some((StateKind::Least, Totals::value)),
    },
    Entry {
        name: "max",
        takes: NUMBERS_AND_DATES,
        keeps: Some((StateKind::Greatest, Totals::value)),
    },
    Entry {
        name: "mean",
        takes: NUMBERS,
        keeps: Some((StateKind::Total, Totals::mean)),
    },
    Entry {
        name: "median",
        takes: NUMBERS,
        keeps: Some((StateKind::Distribution, Totals::value)),
    },
    Entry {
        name: "distinct",
        takes: ("anything", &[]),
        keeps: None,
    },
];

impl AggregateKind {
    /// All kinds.
    pub const ALL: [AggregateKind; 6] = [
        AggregateKind::Sum,
        AggregateKind::Min,
        AggregateKind::Max,
        AggregateKind::Mean,
        AggregateKind::Median,
        AggregateKind::Distinct,
    ];

    fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Returns the name, as in `sum(TRANSACTION_AMT)`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns the aggregate with a name, in lowercase.
    ///
    /// ```
    /// use fecscan::fold::by::AggregateKind;
    /// assert_eq!(AggregateKind::named("mean"), Some(AggregateKind::Mean));
    /// ```
    pub fn named(name: &str) -> Option<AggregateKind> {
        let mut kinds = AggregateKind::ALL.into_iter();
        kinds.find(|kind| kind.name() == name)
    }

    /// Returns what the aggregate takes, in words and as kinds of columns.
    pub(super) fn takes(self) -> (&'static str, &'static [Kind]) {
        self.entry().takes
    }

    /// Says whether the aggregate takes this kind of columns.
    pub(crate) fn takes_kind(self, kind: Kind) -> bool {
        self.entry().takes.1.contains(&kind)
    }

    /// Returns the states that the aggregate keeps of the numbers of a group; none if it keeps their different values.
    pub(super) fn state(self) -> Option<StateKind> {
        self.entry().keeps.map(|(state, _)| state)
    }

    /// Returns the value that the states with a number have for a group.
    pub(super) fn value(self, totals: &Totals, nth: usize, group: usize) -> Option<i128> {
        let (_, value) = self.entry().keeps?;
        value(totals, nth, group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::list::AGGREGATES;

    /// Otherwise the advice on an unknown function would miss one.
    #[test]
    fn expressions_know_the_names_of_all_aggregates() {
        assert_eq!(AGGREGATES, AggregateKind::ALL.map(AggregateKind::name));
    }
}
