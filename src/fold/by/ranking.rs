//! The groups of a table, ordered and cut.
//!
//! Each part of the table keeps its first groups, and adds up the others. Then the first groups of all parts are
//! ordered. So ten groups of ten million take no more memory than ten of a hundred.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::grouped::{Grouped, Value};
use super::key_order::compare_keys;
use super::partial::AggregateSource;
use super::question::{Direction, GroupQuestion, Sort};
use super::ranked::{Item, Ranked, Store};
use super::sort::{Place, SortEntry, key_prefix, sort};
use super::{Reading, key_order};
use crate::fec::schema::Kind;
use crate::fold::tables::{DistinctCounts, Groups, Table, Totals};

/// How values are made of states, and groups compared.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) question: &'a GroupQuestion,
    pub(super) sources: &'a [AggregateSource],
    pub(super) readings: &'a [Reading],
    /// The counts of distinct values.
    pub(super) distinct: &'a [DistinctCounts],
    key_kinds: &'a [Kind],
    ties: Ties,
}

/// How groups of one rank are ordered. Most questions have many such groups, so this is found out once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    /// By the bytes of their keys.
    Keys,
    /// By further orders, or by keys whose order is not that of their bytes.
    Orders,
}

impl<'a> Order<'a> {
    pub(super) fn new(grouped: &'a Grouped, distinct: &'a [DistinctCounts]) -> Order<'a> {
        let mut order = Order {
            question: &grouped.question,
            sources: &grouped.sources,
            readings: &grouped.readings,
            distinct,
            key_kinds: &grouped.key_kinds,
            ties: Ties::Orders,
        };
        if order.further_orders().next().is_none() && !key_order::has_ranges(&order.question.keys) {
            order.ties = Ties::Keys;
        }
        order
    }

    /// Returns the value of an aggregate.
    pub(super) fn value(&self, nth: usize, item: Item<'_>) -> Option<Value> {
        let states = match self.sources[nth] {
            AggregateSource::Distinct(nth) => {
                return item.distinct.get(nth).copied().map(Value::Count);
            }
            AggregateSource::States { nth: states, .. } => states,
        };
        let aggregate = &self.question.aggregates[nth];
        aggregate.value(item.totals, states, item.nth, self.readings[nth])
    }

    /// Returns the count or the value of an aggregate.
    #[inline(always)]
    fn measure(&self, sort: Sort, item: Item<'_>) -> Option<Value> {
        match sort {
            Sort::Count => Some(Value::Count(item.rows())),
            Sort::Aggregate(nth) => self.value(nth, item),
            Sort::Key | Sort::KeyColumn(_) => None,
        }
    }

    /// Returns the number by which groups are ordered. A lesser number comes first.
    #[inline(always)]
    fn number(&self, (sort, direction): (Sort, Direction), item: Item<'_>) -> i128 {
        // Groups without a value come after all others.
        self.measure(sort, item)
            .map_or(i128::MAX, |value| match direction {
                Direction::Descending => !value.number(),
                Direction::Ascending => value.number(),
            })
    }

    /// Returns the number of the first order. Further orders and keys decide between groups of the same rank.
    #[inline(always)]
    fn rank_of(&self, item: Item<'_>) -> i128 {
        let first = self.question.orders().next();
        first.map_or(0, |first| self.number(first, item))
    }

    /// Returns the orders that ranks do not decide.
    fn further_orders(&self) -> impl Iterator<Item = (Sort, Direction)> {
        let ranked = usize::from(!self.question.sort().is_key());
        self.question.orders().skip(ranked)
    }

    /// Returns a number that orders groups of one rank as [`compare`](Order::compare) does, unless it is the same.
    fn key_prefix_of(&self, item: Item<'_>) -> u128 {
        if self.ties == Ties::Keys {
            return key_prefix(&item.key);
        }
        match self.further_orders().next() {
            _ if key_order::has_ranges(&self.question.keys) => 0,
            None => key_prefix(&item.key),
            Some((sort, _)) if !sort.is_key() => 0,
            Some((sort, Direction::Ascending)) => {
                key_order::prefix(self.key_kinds, sort, &item.key)
            }
            Some((sort, Direction::Descending)) => {
                !key_order::prefix(self.key_kinds, sort, &item.key)
            }
        }
    }

    /// Compares groups of one rank.
    fn compare(&self, one: Item<'_>, other: Item<'_>) -> Ordering {
        if self.ties == Ties::Keys {
            return compare_keys(&one.key, &other.key);
        }
        let keys = &self.question.keys;
        let by_order = self.further_orders().map(|(sort, direction)| {
            if !sort.is_key() {
                let number = |item| self.number((sort, direction), item);
                return number(one).cmp(&number(other));
            }
            let ordering = key_order::compare(keys, self.key_kinds, sort, &one.key, &other.key);
            match direction {
                Direction::Ascending => ordering,
                Direction::Descending => ordering.reverse(),
            }
        });
        let decided = { by_order }.find(|ordering| ordering.is_ne());
        decided.unwrap_or_else(|| key_order::compare(keys, &[], Sort::Key, &one.key, &other.key))
    }

    /// Says whether a group meets all conditions.
    fn holds(&self, item: Item<'_>) -> bool {
        let mut conditions = self.question.having.iter();
        conditions.all(|having| having.holds(self.measure(having.measure, item)))
    }

    /// Orders and cuts the groups of `table`. `has_room` is asked again and again whether there is room for a number of
    /// them; if not, the others are left out.
    pub(super) fn rank(&self, mut table: Table, has_room: impl Fn(u64) -> bool + Sync) -> Ranked {
        let counted = AtomicU64::new(0);
        table.finish();
        let parts = table.each_part(|part| {
            let groups = part.len() as u64;
            let has_room = has_room(counted.fetch_add(groups, Relaxed) + groups);
            has_room.then(|| self.choose(part))
        });
        // Sorting takes 48 bytes a group, less than most tables took.
        drop(table);
        let mut ranked = Ranked::default();
        let mut rest: Option<Totals> = None;
        for part in parts.into_iter().flatten() {
            ranked.groups += part.groups;
            ranked.left_out += part.left_out;
            match &mut rest {
                Some(rest) => rest.merge_one(0, &part.rest, 0),
                None => rest = Some(part.rest),
            }
            ranked.stores.push(part.store);
        }
        let stores = &ranked.stores;
        let places = (0_u32..).zip(stores).flat_map(|(store, groups)| {
            let groups = 0..groups.groups.len() as u32;
            groups.map(move |group| (store, group))
        });
        let item = |(store, nth): Place| stores[store as usize].item(nth as usize);
        let placed = places.map(|place| SortEntry {
            rank: self.rank_of(item(place)),
            key_prefix: self.key_prefix_of(item(place)),
            place,
        });
        let mut order: Vec<_> = placed.collect();
        sort(&mut order, &|one, other| {
            self.compare(item(one), item(other))
        });
        let cut = order.split_off(self.top().min(order.len()));
        if let Some(rest) = &mut rest {
            for cut in &cut {
                let item = item(cut.place);
                rest.merge_one(0, item.totals, item.nth);
            }
        }
        ranked.order = order.iter().map(|placed| placed.place).collect();
        rest.iter_mut().for_each(Totals::finish);
        ranked.rest = rest.filter(|_| ranked.groups > ranked.order.len() as u64);
        ranked
    }

    fn top(&self) -> usize {
        self.question.top.unwrap_or(usize::MAX)
    }

    /// Keeps the first groups of a part, and adds up the others.
    ///
    /// Most groups come after the last of those that are kept so far, which one look in the order of memory tells. A selection
    /// among all groups of one rank looks at their keys here and there: by SUB_ID it took 1.4 of the time.
    fn choose(&self, part: &Groups) -> Chosen {
        let each = self.distinct.len();
        let counts = self.distinct.iter();
        let distinct: Vec<u64> = match each {
            0 => Vec::new(),
            _ => part
                .keys
                .iter()
                .flat_map(|key| counts.clone().map(move |counts| counts.get(key)))
                .collect(),
        };
        let item = |nth: u32| Item {
            key: part.keys.get(nth as usize),
            totals: &part.totals,
            nth: nth as usize,
            distinct: &distinct[nth as usize * each..][..each],
        };
        let mut rest = part.totals.alike();
        rest.resize(1);
        let mut cut = |nth: u32| rest.merge_one(0, &part.totals, nth as usize);
        let mut left_out = 0;
        let compare = |one: &Ranking, other: &Ranking| {
            let ordering = one.rank.cmp(&other.rank);
            ordering.then_with(|| self.compare(item(one.nth), item(other.nth)))
        };
        let most = self.top().saturating_mul(2).max(64);
        let mut first: Vec<Ranking> = Vec::new();
        let mut last: Option<Ranking> = None;
        for nth in 0..part.len() as u32 {
            if !self.holds(item(nth)) {
                left_out += 1;
                cut(nth);
                continue;
            }
            let rank = self.rank_of(item(nth));
            let ranking = Ranking { rank, nth };
            if last.is_some_and(|last| compare(&ranking, &last).is_gt()) {
                cut(nth);
                continue;
            }
            first.push(ranking);
            if first.len() == most {
                let end = self.top().max(1);
                last = Some(*first.select_nth_unstable_by(end - 1, compare).1);
                first.drain(end..).for_each(|ranking| cut(ranking.nth));
            }
        }
        if self.top() < first.len() {
            first.select_nth_unstable_by(self.top(), compare);
            first
                .drain(self.top()..)
                .for_each(|ranking| cut(ranking.nth));
        }
        let mut store = Store::new(&part.totals);
        first
            .iter()
            .for_each(|ranking| store.push(item(ranking.nth)));
        Chosen {
            store,
            rest,
            groups: part.len() as u64,
            left_out,
        }
    }
}

/// A group of a part, and the number by which it is ordered first.
#[derive(Clone, Copy)]
struct Ranking {
    rank: i128,
    nth: u32,
}

/// The groups of a part.
struct Chosen {
    store: Store,
    /// The groups that were cut off, as one.
    rest: Totals,
    groups: u64,
    left_out: u64,
}
