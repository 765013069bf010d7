//! Groups side by side.

use super::key_store::KeyStore;
use super::totals::Totals;
use crate::scan::Cell;

/// Groups: a store of keys, and columns of states.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub(crate) keys: KeyStore,
    pub(crate) totals: Totals,
}

impl Groups {
    /// Returns no groups, of the states of `totals`.
    pub(crate) fn new(totals: Totals) -> Groups {
        Groups {
            keys: KeyStore::default(),
            totals,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Gives keys without states theirs, of no rows. Returns the states.
    #[inline(always)]
    pub(super) fn add_states(&mut self) -> &mut Totals {
        self.totals.resize(self.keys.len());
        &mut self.totals
    }

    pub(super) fn size(&self) -> usize {
        self.keys.size() + self.len() * self.totals.size()
    }

    /// Adds a group, which may be here already.
    pub(crate) fn push(&mut self, key: Cell<'_>, totals: &Totals, nth: usize) {
        self.keys.push(key);
        self.totals.push(totals, nth);
    }

    /// Adds groups that are not here.
    pub(super) fn extend(&mut self, groups: &Groups) {
        self.keys.extend(&groups.keys);
        self.totals.extend(&groups.totals);
    }

    /// Moves groups that are not here. `groups` keeps its memory.
    pub(super) fn append(&mut self, groups: &mut Groups) {
        self.keys.extend(&groups.keys);
        self.totals.append(&mut groups.totals);
        groups.clear();
    }

    /// Removes all groups. Keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.totals.resize(0);
    }
}
