//! The groups of a table, ordered and cut.
//!
//! Each part of the table keeps its first groups, and adds up the others. Then the first groups of all parts are
//! ordered. So ten groups of ten million take no more memory than ten of a hundred.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::bar::Bar;
use super::grouped::Value;
use super::partial::Source;
use super::placed::{Place, Placed, beginning, sort, sort_alone};
use super::question::{AggregateKind, Direction, GroupQuestion, Sort};
use super::{Reading, compare_keys};
use crate::fec::amount::Hundredths;
use crate::fold::tables::{DIGITS_MAX, FrontCounts, Key, Part, State, Table};
use crate::scan::simd::prefetch;

/// A key is prefetched this many groups ahead, and its place twice as many.
const AHEAD: usize = 16;

/// How values are made of states, and groups compared.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) question: &'a GroupQuestion,
    pub(super) sources: &'a [Source],
    pub(super) readings: &'a [Reading],
    /// The counts of different values.
    pub(super) different: &'a [FrontCounts],
}

/// Groups side by side.
#[derive(Clone, Debug)]
struct Store<T> {
    keys: Vec<u8>,
    groups: Vec<Entry<T>>,
    /// For each group its counts of different values.
    different: Vec<u64>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    start: usize,
    length: usize,
    state: T,
}

/// A group in a store.
pub(super) struct Item<'a, T> {
    key: &'a [u8],
    pub(super) state: &'a T,
    different: &'a [u64],
}

impl<T> Clone for Item<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Item<'_, T> {}

/// The groups in their order, cut.
#[derive(Clone, Debug)]
pub(super) struct Ranked<T> {
    stores: Vec<Store<T>>,
    /// For each group its store, and its place there.
    order: Vec<Place>,
    /// The number of all groups.
    pub(super) groups: u64,
    /// The groups that were cut off, as one.
    pub(super) rest: T,
    /// All groups, as one.
    pub(super) all: T,
}

impl<T: Default> Default for Ranked<T> {
    fn default() -> Ranked<T> {
        Ranked {
            stores: Vec::new(),
            order: Vec::new(),
            groups: 0,
            rest: T::default(),
            all: T::default(),
        }
    }
}

impl<T> Store<T> {
    fn key(&self, nth: usize) -> &[u8] {
        let entry = &self.groups[nth];
        &self.keys[entry.start..][..entry.length]
    }

    #[inline(always)]
    fn item(&self, nth: usize) -> Item<'_, T> {
        let entry = &self.groups[nth];
        // Divisions are slow, and most questions have no such counts.
        let different = if self.different.is_empty() {
            &[][..]
        } else {
            let each = self.different.len() / self.groups.len();
            &self.different[nth * each..][..each]
        };
        Item {
            key: self.key(nth),
            state: &entry.state,
            different,
        }
    }
}

impl<T> Default for Store<T> {
    fn default() -> Store<T> {
        Store {
            keys: Vec::new(),
            groups: Vec::new(),
            different: Vec::new(),
        }
    }
}

impl Order<'_> {
    /// Returns the value of an aggregate.
    pub(super) fn value<T: State>(&self, nth: usize, item: Item<'_, T>) -> Option<Value> {
        let column = match self.sources[nth] {
            Source::Different(nth) => return Some(Value::Count(item.different[nth])),
            Source::Numbers(column) => column,
        };
        let numbers = item.state.numbers(column);
        let extreme = |extreme: i64| (numbers.total.numbers > 0).then_some(extreme.into());
        let value = match self.question.aggregates[nth].kind {
            AggregateKind::Sum => numbers.total.sum(),
            AggregateKind::Mean => numbers.total.mean(),
            AggregateKind::Min => extreme(numbers.least),
            AggregateKind::Max => extreme(numbers.greatest),
            AggregateKind::Distinct => None,
        };
        value.map(|value: i128| match self.readings[nth] {
            Reading::Date => Value::Date(value as u32),
            _ => Value::Amount(Hundredths(value)),
        })
    }

    /// Compares two groups.
    #[inline(always)]
    fn compare<T: State>(&self, one: Item<'_, T>, other: Item<'_, T>) -> Ordering {
        let directed = |ordering: Ordering| match self.question.direction {
            Direction::Descending => ordering.reverse(),
            Direction::Ascending => ordering,
        };
        let by_order = match self.question.sort {
            Sort::Key => Ordering::Equal,
            Sort::Count => directed(one.state.rows().cmp(&other.state.rows())),
            Sort::Aggregate(nth) => {
                let [one, other] = [one, other].map(|item| self.value(nth, item));
                match (one, other) {
                    (Some(one), Some(other)) => directed(one.cmp(&other)),
                    (one, other) => one.is_none().cmp(&other.is_none()),
                }
            }
        };
        by_order.then_with(|| compare_keys(one.key, other.key))
    }

    /// Orders and cuts the groups of `table`. `has_room` is asked again and again whether there is room for a number of
    /// them; if not, the others are left out.
    pub(super) fn rank<T: State>(
        &self,
        table: &mut Table<T>,
        has_room: impl Fn(u64) -> bool + Sync,
    ) -> Ranked<T> {
        let counted = AtomicU64::new(0);
        let parts = table.each_part(|part| {
            let groups = part.len() as u64;
            let has_room = has_room(counted.fetch_add(groups, Relaxed) + groups);
            has_room.then(|| self.choose(part))
        });
        // Sorting takes 32 bytes a group, less than the table took.
        *table = table.alike();
        let mut ranked = Ranked::<T>::default();
        for part in parts.into_iter().flatten() {
            ranked.groups += part.groups;
            ranked.all.merge(&part.all);
            ranked.rest.merge(&part.rest);
            ranked.stores.push(part.store);
        }
        let stores = &ranked.stores;
        let places = (0_u32..).zip(stores).flat_map(|(store, groups)| {
            let groups = 0..groups.groups.len() as u32;
            groups.map(move |group| (store, group))
        });
        let item = |(store, nth): Place| stores[store as usize].item(nth as usize);
        let placed = places.map(|place| self.placed(place, item(place)));
        let mut order: Vec<_> = placed.collect();
        sort(&mut order, &|one, other| {
            self.compare(item(one), item(other))
        });
        let cut = order.split_off(self.top().min(order.len()));
        cut.iter()
            .for_each(|cut| ranked.rest.merge(item(cut.place).state));
        ranked.order = order.iter().map(|placed| placed.place).collect();
        ranked
    }

    /// Returns the place of a group, and what mostly decides its order.
    fn placed<T: State>(&self, place: Place, item: Item<'_, T>) -> Placed {
        let rank = self.rank_of(item);
        // Groups of one rank may have different values then, which come before keys.
        let is_beyond =
            matches!(self.question.sort, Sort::Aggregate(_)) && Value::BEYOND.contains(&rank);
        Placed {
            rank,
            beginning: if is_beyond { 0 } else { beginning(item.key) },
            place,
        }
    }

    /// Returns a number by which groups are ordered as by [`Order::compare`]. If two groups have the same, only their
    /// keys decide, unless their values are [beyond](Value::BEYOND).
    fn rank_of<T: State>(&self, item: Item<'_, T>) -> u64 {
        let directed = |number: u64| match self.question.direction {
            Direction::Descending => !number,
            Direction::Ascending => number,
        };
        match self.question.sort {
            Sort::Key => 0,
            Sort::Count => directed(item.state.rows()),
            Sort::Aggregate(nth) => match self.value(nth, item) {
                // After all that have one.
                None => u64::MAX,
                Some(value) => directed(value.number()),
            },
        }
    }

    fn top(&self) -> usize {
        self.question.top.unwrap_or(usize::MAX)
    }

    /// Keeps the first groups of a part, and adds up the others.
    fn choose<T: State>(&self, part: &Part<'_, T>) -> Chosen<T> {
        let mut chosen = Chosen {
            store: Store::default(),
            rest: T::default(),
            all: T::default(),
            groups: part.len() as u64,
            last: None,
            different: Vec::new(),
        };
        let mut bar = Bar::default();
        // Most groups of many take no more than a comparison or two.
        part.each_key(|key, state| {
            if bar.excludes(key, state.rows()) {
                chosen.rest.merge(state);
            } else {
                self.consider(key, state, &mut chosen, &mut bar);
            }
        });
        chosen.all = chosen.rest.clone();
        let first = chosen.store.groups.iter();
        first.for_each(|entry| chosen.all.merge(&entry.state));
        chosen
    }

    /// Keeps a group, unless it comes after the last of the first ones.
    #[inline(never)]
    fn consider<T: State>(&self, key: Key<'_>, state: &T, chosen: &mut Chosen<T>, bar: &mut Bar) {
        let mut room = [0; DIGITS_MAX];
        let key = key.bytes(&mut room);
        let mut different = std::mem::take(&mut chosen.different);
        different.clear();
        different.extend(self.different.iter().map(|counts| counts.get(key)));
        let item = Item {
            key,
            state,
            different: &different,
        };
        let is_after = |last| self.compare(item, chosen.store.item(last)).is_gt();
        if chosen.last.is_some_and(is_after) {
            chosen.rest.merge(state);
        } else {
            chosen.store.push(item);
        }
        chosen.different = different;
        let most = self.top().saturating_mul(2).max(64);
        if chosen.store.groups.len() >= most {
            let last = self.cut(chosen);
            chosen.last = Some(last);
            let last = chosen.store.item(last);
            *bar = Bar::of(self.question, last.key, last.state.rows());
        }
    }

    /// Cuts the groups of a store, and returns the last one.
    #[cold]
    fn cut<T: State>(&self, chosen: &mut Chosen<T>) -> usize {
        let old = std::mem::take(&mut chosen.store);
        let item = |(_, nth): Place| old.item(nth as usize);
        let places = (0..old.groups.len() as u32).map(|nth| (0, nth));
        let mut order: Vec<_> = places
            .map(|place| self.placed(place, item(place)))
            .collect();
        sort_alone(&mut order, &|one, other| {
            self.compare(item(one), item(other))
        });
        let cut = order.split_off(self.top().clamp(1, order.len()));
        order
            .iter()
            .for_each(|first| chosen.store.push(item(first.place)));
        cut.iter()
            .for_each(|cut| chosen.rest.merge(item(cut.place).state));
        chosen.store.groups.len() - 1
    }
}

/// The groups of a part.
struct Chosen<T> {
    store: Store<T>,
    rest: T,
    all: T,
    groups: u64,
    /// The last of the first groups: others after it have no chance.
    last: Option<usize>,
    /// Memory for the counts of different values of a group.
    different: Vec<u64>,
}

impl<T: State> Store<T> {
    fn push(&mut self, item: Item<'_, T>) {
        self.groups.push(Entry {
            start: self.keys.len(),
            length: item.key.len(),
            state: item.state.clone(),
        });
        self.keys.extend_from_slice(item.key);
        self.different.extend_from_slice(item.different);
    }
}

impl<T: State> Ranked<T> {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn item(&self, nth: usize) -> Item<'_, T> {
        let (store, place) = self.order[nth];
        self.stores[store as usize].item(place as usize)
    }

    /// Returns the key of a group. Prefetches what groups later in the order have, which lie anywhere.
    pub(super) fn key(&self, nth: usize) -> &[u8] {
        if let Some(&(store, place)) = self.order.get(nth + 2 * AHEAD) {
            prefetch(&self.stores[store as usize].groups, place as usize);
        }
        if let Some(&(store, place)) = self.order.get(nth + AHEAD) {
            let store = &self.stores[store as usize];
            prefetch(&store.keys, store.groups[place as usize].start);
        }
        let (store, place) = self.order[nth];
        self.stores[store as usize].key(place as usize)
    }

    /// Returns the groups that were cut off as one group, if there are any.
    pub(super) fn rest(&self) -> Option<Item<'_, T>> {
        (self.groups > self.order.len() as u64).then_some(Item {
            key: &[],
            state: &self.rest,
            different: &[],
        })
    }
}
