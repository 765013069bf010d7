//! The groups of a question, ordered and cut.

use std::cmp::{Ordering, Reverse};

use super::bound::Reading;
use super::question::{AggregateKind, Direction, GroupQuestion, Sort};
use super::tally::{Overflow, Tally};
use super::{RowKinds, State};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::amount::Hundredths;
use crate::fold::FileLines;

/// The groups, in their order, cut to [`GroupQuestion::top`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Grouped {
    /// The question.
    pub question: GroupQuestion,
    /// The inputs, in the order given.
    pub files: Vec<FileLines>,
    /// The number of lines that passed the filter. Each is in a group.
    pub lines: u64,
    /// The number of all lines, if a filter chose among them.
    pub lines_scanned: Option<u64>,
    /// The number of all groups, cut or not.
    pub distinct_groups: u64,
    /// The refunds, conduit copies and memo rows among the rows, if they were counted.
    pub row_kinds: Option<RowKinds>,
    pub(super) key_names: Vec<String>,
    pub(super) aggregate_names: Vec<String>,
    pub(super) without: Vec<u64>,
    groups: Vec<Entry>,
    rest: Option<Rest>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The keys with pipes between them. No key contains one.
    key: Vec<u8>,
    count: u64,
    values: Vec<Option<Value>>,
}

/// A group.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a>(&'a Entry);

/// The value of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Value {
    /// A number.
    Amount(Hundredths),
    /// A day, `YYYYMMDD`.
    Date(u32),
    /// A number of different values.
    Count(u64),
}

/// The groups that were cut off, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rest {
    /// The number of groups.
    pub groups: u64,
    /// The number of their rows.
    pub count: u64,
    /// The value of each aggregate over all of their rows. There is none for
    /// [`AggregateKind::Distinct`], which can't be added up.
    pub values: Vec<Option<Value>>,
}

impl<'a> Group<'a> {
    /// Returns the bytes of the key with this number.
    ///
    /// # Panics
    /// If the question has fewer keys.
    pub fn key(self, nth: usize) -> &'a [u8] {
        let mut keys = self.0.key.split(|&b| b == b'|');
        keys.nth(nth).expect("the question has as many keys")
    }

    /// Returns the number of rows.
    pub fn count(self) -> u64 {
        self.0.count
    }

    /// Returns the value of the aggregate with this number. Without numbers there is none, as in SQL.
    ///
    /// # Panics
    /// If the question has fewer aggregates.
    pub fn value(self, nth: usize) -> Option<Value> {
        self.0.values[nth]
    }
}

impl Grouped {
    /// Returns the number of groups, after the cut.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Says whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the `nth` group in the final order.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn group(&self, nth: usize) -> Group<'_> {
        Group(&self.groups[nth])
    }

    /// Returns the groups in the final order.
    pub fn iter(&self) -> impl Iterator<Item = Group<'_>> {
        (0..self.len()).map(|nth| self.group(nth))
    }

    /// Returns the groups after [`GroupQuestion::top`], if there are any.
    pub fn rest(&self) -> Option<&Rest> {
        self.rest.as_ref()
    }

    /// Returns the names of the keys, such as `month(TRANSACTION_DT)`.
    pub fn key_names(&self) -> &[String] {
        &self.key_names
    }

    /// Returns the names of the aggregates, such as `sum(TRANSACTION_AMT)`.
    pub fn aggregate_names(&self) -> &[String] {
        &self.aggregate_names
    }

    /// Returns the number of rows whose value for this aggregate was no number, or no date. For
    /// [`AggregateKind::Distinct`] every value will do.
    ///
    /// # Panics
    /// If the question has fewer aggregates.
    pub fn without(&self, nth: usize) -> u64 {
        self.without[nth]
    }

    /// Orders and cuts `groups`, whose values were read as `readings` say.
    ///
    /// # Errors
    /// If a sum is beyond 128 bits.
    pub(super) fn with_groups(
        mut self,
        groups: impl IntoIterator<Item = (Vec<u8>, State)>,
        readings: &[Reading],
    ) -> Result<Grouped, Error> {
        let mut all = Vec::new();
        for (key, State { count, tallies }) in groups {
            let values = self.values(&tallies, readings, Some(&key))?;
            all.push((Entry { key, count, values }, tallies));
        }
        let question = &self.question;
        all.sort_unstable_by(|(one, _), (other, _)| question.compare(one, other));
        self.distinct_groups = all.len() as u64;
        let top = self.question.top.unwrap_or(usize::MAX).min(all.len());
        let cut = all.split_off(top);
        self.groups = all.into_iter().map(|(entry, _)| entry).collect();
        if !cut.is_empty() {
            let kinds = self.question.aggregates.iter();
            let mut sums: Vec<_> = kinds.map(|a| Tally::new(a.kind)).collect();
            for (_, tallies) in &cut {
                let pairs = sums.iter_mut().zip(tallies);
                pairs.for_each(|(sum, tally)| sum.merge(tally));
            }
            let mut values = self.values(&sums, readings, None)?;
            for (value, aggregate) in values.iter_mut().zip(&self.question.aggregates) {
                if aggregate.kind == AggregateKind::Distinct {
                    *value = None;
                }
            }
            self.rest = Some(Rest {
                groups: cut.len() as u64,
                count: cut.iter().map(|(entry, _)| entry.count).sum(),
                values,
            });
        }
        Ok(self)
    }

    /// Returns the values of a group, or of the rest.
    fn values(
        &self,
        tallies: &[Tally],
        readings: &[Reading],
        key: Option<&[u8]>,
    ) -> Result<Vec<Option<Value>>, Error> {
        let pairs = tallies.iter().zip(readings).enumerate();
        let value = |(nth, (tally, reading)): (usize, (&Tally, &Reading))| {
            tally.value(*reading).map_err(|Overflow| {
                let name = &self.aggregate_names[nth];
                let group = match key {
                    Some(key) => format!("the group '{}'", escaped(key)),
                    None => "the groups after --top".to_owned(),
                };
                let what = format!("{name} of {group} is beyond 128 bits");
                Error::new(ErrorKind::Input, what).advise(
                    "no dollars are so many: --where 'TRANSACTION_AMT<1000000000000' leaves such rows out",
                )
            })
        };
        pairs.map(value).collect()
    }

    /// Returns a result without groups.
    pub(super) fn empty(question: &GroupQuestion) -> Grouped {
        Grouped {
            question: question.clone(),
            files: Vec::new(),
            lines: 0,
            lines_scanned: None,
            distinct_groups: 0,
            row_kinds: None,
            key_names: Vec::new(),
            aggregate_names: Vec::new(),
            without: Vec::new(),
            groups: Vec::new(),
            rest: None,
        }
    }
}

impl GroupQuestion {
    /// Compares two groups by [`GroupQuestion::sort`].
    fn compare(&self, one: &Entry, other: &Entry) -> Ordering {
        let directed = |ordering: Ordering| match self.direction {
            Direction::Descending => ordering.reverse(),
            Direction::Ascending => ordering,
        };
        let by_order = match self.sort {
            Sort::Key => Ordering::Equal,
            Sort::Count => directed(one.count.cmp(&other.count)),
            Sort::Aggregate(nth) => match (one.values[nth], other.values[nth]) {
                (Some(one), Some(other)) => directed(one.cmp(&other)),
                (one, other) => Reverse(one.is_some()).cmp(&Reverse(other.is_some())),
            },
        };
        // A pipe between keys would compare with letters.
        let keys = |entry: &Entry| {
            entry
                .key
                .split(|&b| b == b'|')
                .map(<[u8]>::to_vec)
                .collect()
        };
        by_order.then_with(|| {
            let (one, other): (Vec<Vec<u8>>, Vec<_>) = (keys(one), keys(other));
            one.cmp(&other)
        })
    }
}
