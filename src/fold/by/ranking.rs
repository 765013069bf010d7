//! The groups of a table, ordered and cut.
//!
//! Each part of the table keeps its first groups, and adds up the others. Then the first groups of all parts are
//! ordered. So ten groups of ten million take no more memory than ten of a hundred.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::grouped::Value;
use super::partial::Source;
use super::placed::{Place, Placed, beginning, sort, sort_alone};
use super::question::{Direction, GroupQuestion, Sort};
use super::{Reading, compare_keys};
use crate::fec::amount::Hundredths;
use crate::fold::tables::{FrontCounts, Groups, Part, Table, Totals};
use crate::scan::Cell;

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

/// Groups side by side, with their counts of different values.
#[derive(Clone, Debug)]
struct Store {
    groups: Groups,
    /// For each group as many counts as the question has.
    different: Vec<u64>,
}

/// A group among others.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    key: Cell<'a>,
    totals: &'a Totals,
    nth: usize,
    different: &'a [u64],
}

impl Item<'_> {
    pub(super) fn rows(&self) -> u64 {
        self.totals.rows(self.nth)
    }
}

/// The groups in their order, cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranked {
    stores: Vec<Store>,
    /// For each group its store, and its place there.
    order: Vec<Place>,
    /// The number of all groups.
    pub(super) groups: u64,
    /// The groups that were cut off, as one.
    rest: Option<Totals>,
}

impl Store {
    fn new(totals: &Totals) -> Store {
        Store {
            groups: Groups::new(totals.alike()),
            different: Vec::new(),
        }
    }

    #[inline(always)]
    fn item(&self, nth: usize) -> Item<'_> {
        // Divisions are slow, and most questions have no such counts.
        let different = if self.different.is_empty() {
            &[][..]
        } else {
            let each = self.different.len() / self.groups.len();
            &self.different[nth * each..][..each]
        };
        Item {
            key: self.groups.keys.get(nth),
            totals: &self.groups.totals,
            nth,
            different,
        }
    }

    fn push(&mut self, item: Item<'_>) {
        self.groups.push(item.key, item.totals, item.nth);
        self.different.extend_from_slice(item.different);
    }
}

impl Order<'_> {
    /// Returns the value of an aggregate.
    pub(super) fn value(&self, nth: usize, item: Item<'_>) -> Option<Value> {
        let states = match self.sources[nth] {
            Source::Different(nth) => return item.different.get(nth).copied().map(Value::Count),
            Source::States { nth, .. } => nth,
        };
        let kind = self.question.aggregates[nth].kind;
        let value = kind.value(item.totals, states, item.nth);
        value.map(|value: i128| match self.readings[nth] {
            Reading::Date => Value::Date(value as u32),
            _ => Value::Amount(Hundredths(value)),
        })
    }

    /// Compares two groups.
    #[inline(always)]
    fn compare(&self, one: Item<'_>, other: Item<'_>) -> Ordering {
        let directed = |ordering: Ordering| match self.question.direction {
            Direction::Descending => ordering.reverse(),
            Direction::Ascending => ordering,
        };
        let by_order = match self.question.sort {
            Sort::Key => Ordering::Equal,
            Sort::Count => directed(one.rows().cmp(&other.rows())),
            Sort::Aggregate(nth) => {
                let [one, other] = [one, other].map(|item| self.value(nth, item));
                match (one, other) {
                    (Some(one), Some(other)) => directed(one.cmp(&other)),
                    (one, other) => one.is_none().cmp(&other.is_none()),
                }
            }
        };
        by_order.then_with(|| compare_keys(&one.key, &other.key))
    }

    /// Orders and cuts the groups of `table`. `has_room` is asked again and again whether there is room for a number of
    /// them; if not, the others are left out.
    pub(super) fn rank(&self, table: Table, has_room: impl Fn(u64) -> bool + Sync) -> Ranked {
        let counted = AtomicU64::new(0);
        let parts = table.each_part(|part| {
            let groups = part.len() as u64;
            let has_room = has_room(counted.fetch_add(groups, Relaxed) + groups);
            has_room.then(|| self.choose(part))
        });
        // Sorting takes 32 bytes a group, less than the table took.
        drop(table);
        let mut ranked = Ranked::default();
        let mut rest: Option<Totals> = None;
        for part in parts.into_iter().flatten() {
            ranked.groups += part.groups;
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
        let placed = places.map(|place| self.placed(place, item(place)));
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
        ranked.rest = rest.filter(|_| ranked.groups > ranked.order.len() as u64);
        ranked
    }

    /// Returns the place of a group, and what mostly decides its order.
    fn placed(&self, place: Place, item: Item<'_>) -> Placed {
        let rank = self.rank_of(item);
        // Groups of one rank may have different values then, which come before keys.
        let is_beyond =
            matches!(self.question.sort, Sort::Aggregate(_)) && Value::BEYOND.contains(&rank);
        Placed {
            rank,
            beginning: if is_beyond { 0 } else { beginning(&item.key) },
            place,
        }
    }

    /// Returns a number by which groups are ordered as by [`Order::compare`]. If two groups have the same, only their
    /// keys decide, unless their values are [beyond](Value::BEYOND).
    fn rank_of(&self, item: Item<'_>) -> u64 {
        let directed = |number: u64| match self.question.direction {
            Direction::Descending => !number,
            Direction::Ascending => number,
        };
        match self.question.sort {
            Sort::Key => 0,
            Sort::Count => directed(item.rows()),
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
    fn choose(&self, part: Part<'_>) -> Chosen {
        let mut rest = part.totals.alike();
        rest.resize(1);
        let mut chosen = Chosen {
            store: Store::new(part.totals),
            rest,
            groups: part.len() as u64,
            last: None,
        };
        let mut different = Vec::new();
        for (nth, key) in part.keys.iter().enumerate() {
            different.clear();
            different.extend(self.different.iter().map(|counts| counts.get(key)));
            let item = Item {
                key,
                totals: part.totals,
                nth,
                different: &different,
            };
            let is_after = |last| self.compare(item, chosen.store.item(last)).is_gt();
            if chosen.last.is_some_and(is_after) {
                chosen.rest.merge_one(0, part.totals, nth);
                continue;
            }
            chosen.store.push(item);
            let most = self.top().saturating_mul(2).max(64);
            if chosen.store.groups.len() >= most {
                chosen.last = Some(self.cut(&mut chosen));
            }
        }
        chosen
    }

    /// Cuts the groups of a store, and returns the last one.
    #[cold]
    fn cut(&self, chosen: &mut Chosen) -> usize {
        let new = Store::new(&chosen.store.groups.totals);
        let old = std::mem::replace(&mut chosen.store, new);
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
        for cut in &cut {
            let item = item(cut.place);
            chosen.rest.merge_one(0, item.totals, item.nth);
        }
        chosen.store.groups.len() - 1
    }
}

/// The groups of a part.
struct Chosen {
    store: Store,
    /// The groups that were cut off, as one.
    rest: Totals,
    groups: u64,
    /// The last of the first groups: others after it have no chance.
    last: Option<usize>,
}

impl Ranked {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn item(&self, nth: usize) -> Item<'_> {
        let (store, place) = self.order[nth];
        self.stores[store as usize].item(place as usize)
    }

    /// Returns the key of a group. Prefetches what groups later in the order have, which lie anywhere.
    pub(super) fn key(&self, nth: usize) -> &[u8] {
        if let Some(&(store, place)) = self.order.get(nth + 2 * AHEAD) {
            self.stores[store as usize]
                .groups
                .keys
                .prefetch_end(place as usize);
        }
        if let Some(&(store, place)) = self.order.get(nth + AHEAD) {
            self.stores[store as usize]
                .groups
                .keys
                .prefetch(place as usize, 0);
        }
        let (store, place) = self.order[nth];
        self.stores[store as usize]
            .groups
            .keys
            .get(place as usize)
            .bytes()
    }

    /// Returns the groups that were cut off as one group, if there are any.
    pub(super) fn rest(&self) -> Option<Item<'_>> {
        self.rest.as_ref().map(|totals| Item {
            key: Cell::from(&[][..]),
            totals,
            nth: 0,
            different: &[],
        })
    }
}
