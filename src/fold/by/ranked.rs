//! Groups in their order.

use super::sort::Place;
use crate::expr::KEY_SEPARATOR;
use crate::fec::layout::{LINE_FEED, exchange_line_breaks};
use crate::fold::tables::{Groups, Totals};
use crate::scan::Cell;

/// The groups between the prefetch of a key and its use. The key's place is prefetched twice as far ahead.
const AHEAD: usize = 16;

/// Groups side by side, with their counts of distinct values.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) groups: Groups,
    /// The counts of each group, one for each count of the question.
    distinct: Vec<u64>,
}

/// A group among others.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) key: Cell<'a>,
    pub(super) totals: &'a Totals,
    /// The place of the group among the totals.
    pub(super) nth: usize,
    pub(super) distinct: &'a [u64],
}

impl<'a> Item<'a> {
    /// Returns a group without a key.
    pub(super) fn of(totals: &'a Totals, nth: usize) -> Item<'a> {
        Item {
            key: Cell::from(&[][..]),
            totals,
            nth,
            distinct: &[],
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.totals.rows(self.nth)
    }
}

/// The groups in their order, cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranked {
    pub(super) stores: Vec<Store>,
    /// For each group its store, and its place there.
    pub(super) order: Vec<Place>,
    /// The number of all groups.
    pub(super) groups: u64,
    /// The number of groups that do not meet the conditions.
    pub(super) left_out: u64,
    /// The groups that were cut off or left out, as one.
    pub(super) rest: Option<Totals>,
    /// Whether keys have line breaks, and the byte that stood for them is between their columns.
    has_line_breaks: bool,
}

impl Store {
    pub(super) fn new(totals: &Totals) -> Store {
        Store {
            groups: Groups::new(totals.alike()),
            distinct: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn item(&self, nth: usize) -> Item<'_> {
        // Divisions are slow, and most questions have no such counts.
        let distinct = if self.distinct.is_empty() {
            &[][..]
        } else {
            let each = self.distinct.len() / self.groups.len();
            &self.distinct[nth * each..][..each]
        };
        Item {
            key: self.groups.keys.get(nth),
            totals: &self.groups.totals,
            nth,
            distinct,
        }
    }

    pub(super) fn push(&mut self, item: Item<'_>) {
        self.groups.push(item.key, item.totals, item.nth);
        self.distinct.extend_from_slice(item.distinct);
    }
}

impl Ranked {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn item(&self, nth: usize) -> Item<'_> {
        let (store, place) = self.order[nth];
        self.stores[store as usize].item(place as usize)
    }

    /// Returns the key of a group. Prefetches what groups later in the order have, which lie anywhere: names as CSV took 0.9
    /// of the time.
    pub(super) fn key(&self, nth: usize) -> &[u8] {
        let groups = |nth: usize| {
            let (store, place) = *self.order.get(nth)?;
            Some((&self.stores[store as usize].groups, place as usize))
        };
        if let Some((Groups { keys, totals }, place)) = groups(nth + 2 * AHEAD) {
            keys.prefetch_end(place);
            totals.prefetch(place);
        }
        if let Some((groups, place)) = groups(nth + AHEAD) {
            groups.keys.prefetch(place, 0);
        }
        self.item(nth).key.bytes()
    }

    /// Puts line breaks where bytes stand for them. The separator of keys is one, and becomes such a byte.
    pub(super) fn restore_line_breaks(&mut self) {
        for store in &mut self.stores {
            exchange_line_breaks(store.groups.keys.bytes_mut());
        }
        self.has_line_breaks = true;
    }

    /// Returns the values of the key of a group.
    pub(super) fn values_of(&self, nth: usize) -> impl Iterator<Item = &[u8]> {
        let separator = self.separator();
        self.key(nth).split(move |&byte| byte == separator)
    }

    fn separator(&self) -> u8 {
        if self.has_line_breaks {
            LINE_FEED
        } else {
            KEY_SEPARATOR
        }
    }

    /// Returns the key of a group without its last column.
    pub(super) fn front(&self, nth: usize) -> &[u8] {
        let key = self.item(nth).key.bytes();
        let separator = self.separator();
        let end = key.iter().rposition(|&byte| byte == separator);
        &key[..end.unwrap_or(0)]
    }

    /// Returns this number of groups without rows, with the same states. An empty table has none.
    pub(super) fn none_of(&self, count: usize) -> Option<Totals> {
        let mut totals = self.stores.first()?.groups.totals.alike();
        totals.resize(count);
        Some(totals)
    }

    /// Returns the groups that were cut off as one group, if there are any.
    pub(super) fn rest(&self) -> Option<Item<'_>> {
        self.rest.as_ref().map(|totals| Item::of(totals, 0))
    }
}
