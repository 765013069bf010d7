//! A table of line counts by short keys.
//!
//! The key lies in its slot: counting one touches the cache line of the slot and nothing else. Keys
//! of up to 8 bytes, 97 of 100 first names, have slots of 16 bytes, four to a cache line. Keys of up
//! to 16 bytes have a table of their own, with slots twice that size.
//!
//! All slots of a cache line are compared at once. One after the other, the processor predicts the
//! slot, and one in five predictions fails: the comparison at once takes 0.97 of the report's time.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::mem;

use super::key_parts::KeyParts;
use crate::engine::share;
use crate::scan::simd::{Level, Portable, prefetch};

/// A key of limited length as a number: zeros, and then its bytes. The first byte of a key is not
/// zero, so keys of different lengths differ, and zero is the sentinel of an empty slot.
pub(crate) trait Key: Copy + Debug + Default + Eq + Send + Sync {
    /// The length of the longest key.
    const BYTES: usize;

    /// The bytes of the longest key.
    type Bytes: for<'a> TryFrom<&'a [u8]>;

    /// Returns the key of the first `length` of `bytes`, 1 to [`Key::BYTES`].
    fn new(bytes: Self::Bytes, length: usize) -> Self;

    /// Returns a number whose high bits depend on all of the key, and on the odd `factor`.
    fn hash(self, factor: u64) -> u64;

    /// Returns the index of this key in `keys`, or one past the last or more.
    fn find<L: Level>(self, level: L, keys: &[Self; SLOTS_TOGETHER]) -> usize;

    /// Returns the zeros and the bytes of the key.
    fn bytes(self) -> impl AsRef<[u8]>;
}

impl Key for u64 {
    const BYTES: usize = 8;
    type Bytes = [u8; 8];

    #[inline(always)]
    fn new(bytes: [u8; 8], length: usize) -> u64 {
        u64::from_le_bytes(bytes).wrapping_shl((8 * length as u32).wrapping_neg())
    }

    #[inline(always)]
    fn hash(self, factor: u64) -> u64 {
        self.wrapping_mul(factor)
    }

    #[inline(always)]
    fn find<L: Level>(self, level: L, keys: &[u64; SLOTS_TOGETHER]) -> usize {
        level.find(keys, self)
    }

    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_le_bytes()
    }
}

impl Key for u128 {
    const BYTES: usize = 16;
    type Bytes = [u8; 16];

    #[inline(always)]
    fn new(bytes: [u8; 16], length: usize) -> u128 {
        u128::from_le_bytes(bytes).wrapping_shl((8 * length as u32).wrapping_neg())
    }

    #[inline(always)]
    fn hash(self, factor: u64) -> u64 {
        let (low, high) = (self as u64, (self >> 64) as u64);
        (low.wrapping_mul(factor) ^ high).wrapping_mul(factor.rotate_left(32) | 1)
    }

    fn find<L: Level>(self, _level: L, keys: &[u128; SLOTS_TOGETHER]) -> usize {
        let found = keys.iter().position(|&key| key == self);
        found.unwrap_or(SLOTS_TOGETHER)
    }

    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_le_bytes()
    }
}

/// The number of slots of a group: a cache line of short keys and counts.
const SLOTS_TOGETHER: usize = 4;

/// Keys and their lines. Slots are filled from the first one on.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Group<K> {
    keys: [K; SLOTS_TOGETHER],
    lines: [u64; SLOTS_TOGETHER],
}

impl<K: Key> Group<K> {
    /// Counts `lines` more lines with `key`, if it is here. Returns whether it is.
    #[inline(always)]
    fn add<L: Level>(&mut self, level: L, key: K, lines: u64) -> bool {
        let counter = self.lines.get_mut(key.find(level, &self.keys));
        counter.map(|counter| *counter += lines).is_some()
    }

    /// Puts a new `key` here, if there is room. Returns whether there is.
    fn insert(&mut self, key: K, lines: u64) -> bool {
        let empty = K::default().find(Portable, &self.keys);
        let slot = self.keys.get_mut(empty).zip(self.lines.get_mut(empty));
        slot.map(|slot| (*slot.0, *slot.1) = (key, lines)).is_some()
    }

    /// Returns the lines with `key`, if it is here.
    fn lines(&self, key: K) -> Option<u64> {
        let slot = key.find(Portable, &self.keys);
        self.lines.get(slot).copied()
    }

    fn has_room(&self) -> bool {
        self.keys[SLOTS_TOGETHER - 1] == K::default()
    }

    /// Returns keys and their lines.
    fn iter(&self) -> impl Iterator<Item = (K, u64)> {
        let slots = self.keys.into_iter().zip(self.lines);
        slots.filter(|&(key, _)| key != K::default())
    }
}

/// The first number of groups: few, because files may be small and many.
const GROUPS_LOG2: u32 = 8;

/// The most groups whose keys are sorted when the table grows. Larger tables are read from one end to
/// the other, because memory is their cost.
const SORTED_GROUPS: usize = 1 << 14;

/// The most groups of a table: 8 MiB for short keys. A table that grows further is cut into parts.
const GROUPS_MAX: usize = 1 << 17;

/// Line counts by key: a hash table of groups. A key without room in its group goes to the next.
#[derive(Clone, Debug)]
pub(crate) struct KeyTable<K> {
    /// A power of two, at most three quarters of the slots used. Empty if there are parts.
    groups: Vec<Group<K>>,
    /// The shift that turns a hash into the index of a group.
    shift: u32,
    used: usize,
    /// Odd and random, so a file cannot make its keys collide.
    factor: u64,
    /// The number of groups at which parts begin.
    groups_max: usize,
    /// All keys of a large table.
    parts: Option<Box<KeyParts<K>>>,
}

impl<K: Key> KeyTable<K> {
    /// Returns an empty table. `random` decides the places of keys.
    pub(crate) fn new(random: u64) -> KeyTable<K> {
        KeyTable {
            groups: vec![Group::default(); 1 << GROUPS_LOG2],
            shift: u64::BITS - GROUPS_LOG2,
            used: 0,
            factor: random | 1,
            groups_max: GROUPS_MAX,
            parts: None,
        }
    }

    /// Returns an empty table for a part. It is never cut into parts itself.
    pub(super) fn without_parts(random: u64) -> KeyTable<K> {
        KeyTable {
            groups_max: usize::MAX,
            ..KeyTable::new(random)
        }
    }

    /// Counts `lines` more lines with `key`.
    pub(crate) fn add(&mut self, key: K, lines: u64) {
        let place = self.place(key);
        self.add_near(Portable, key, place, lines);
    }

    /// Prefetches the first place of `key`, and returns it.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: K) -> usize {
        let place = self.place(key);
        prefetch(&self.groups, place);
        place
    }

    /// Counts `lines` more lines with `key`, whose first place was `place` a while ago.
    #[inline(always)]
    pub(crate) fn add_near<L: Level>(&mut self, level: L, key: K, place: usize, lines: u64) {
        let group = self.groups.get_mut(place);
        if !group.is_some_and(|group| group.add(level, key, lines)) {
            self.add_further_on(key, lines);
        }
    }

    /// Returns the lines with `key`, if it is here. The table must be settled.
    pub(super) fn lines(&self, key: K) -> Option<u64> {
        if let Some(parts) = &self.parts {
            return parts.lines(key);
        }
        let last = self.groups.len() - 1;
        let mut place = self.place(key);
        loop {
            let group = &self.groups[place & last];
            let lines = group.lines(key);
            if lines.is_some() || group.has_room() {
                return lines;
            }
            place += 1;
        }
    }

    /// Reads from the first place of `key`.
    pub(super) fn touch(&self, key: K) -> u64 {
        let group = self.groups.get(self.place(key));
        group.map_or(0, |group| group.lines[0])
    }

    /// Counts the keys that wait in parts. In a rayon pool, its threads share the work.
    pub(super) fn settle(&mut self) {
        if let Some(parts) = &mut self.parts {
            parts.settle();
        }
    }

    /// Says whether the table is large, and cut into parts.
    pub(super) fn is_in_parts(&self) -> bool {
        self.parts.is_some()
    }

    /// Returns this table, or the tables of its parts.
    fn tables(&self) -> impl Iterator<Item = &KeyTable<K>> {
        let whole = self.parts.is_none().then_some(self);
        let parts = self.parts.iter().flat_map(|parts| parts.tables());
        whole.into_iter().chain(parts)
    }

    /// Returns the number of keys, without keys that wait in parts.
    pub(super) fn distinct(&self) -> usize {
        self.tables().map(|table| table.used).sum()
    }

    #[inline(always)]
    fn place(&self, key: K) -> usize {
        (key.hash(self.factor) >> self.shift) as usize
    }

    /// Adds the counts of `other`.
    ///
    /// If both tables have the same random number, keys come in the order of their places, and memory
    /// is read from one end to the other. The table grows first: ascending places would fill the
    /// first groups of a small one.
    pub(crate) fn merge(&mut self, mut other: KeyTable<K>) {
        other.settle();
        let further = other.distinct();
        while !self.is_in_parts() && self.is_full_with(self.used + further) {
            self.grow();
        }
        let groups = other.tables().flat_map(|table| &table.groups);
        for (key, lines) in groups.flat_map(Group::iter) {
            self.add(key, lines);
        }
    }

    /// Counts a key elsewhere than at its first place. The table may have grown since.
    #[cold]
    #[inline(never)]
    fn add_further_on(&mut self, key: K, lines: u64) {
        match &mut self.parts {
            Some(parts) => parts.add(key, lines),
            None => self.add_or_insert(key, lines),
        }
    }

    /// Counts `lines` more lines with `key`, probably a new one, in a table without parts.
    #[inline(always)]
    pub(super) fn add_or_insert(&mut self, key: K, lines: u64) {
        let mut place = self.place(key);
        let last = self.groups.len() - 1;
        loop {
            let group = &mut self.groups[place & last];
            if group.add(Portable, key, lines) {
                return;
            }
            if group.has_room() {
                group.insert(key, lines);
                break;
            }
            place += 1;
        }
        self.used += 1;
        if self.is_full_with(self.used) {
            self.grow();
        }
    }

    /// Inserts a new `key`.
    fn insert(&mut self, key: K, lines: u64) {
        let last = self.groups.len() - 1;
        let mut place = self.place(key);
        while !self.groups[place & last].insert(key, lines) {
            place += 1;
        }
    }

    /// Says whether this number of keys exceeds three quarters of the slots.
    fn is_full_with(&self, keys: usize) -> bool {
        keys > self.groups.len() * SLOTS_TOGETHER / 4 * 3
    }

    /// Doubles the number of groups, or cuts the table into parts.
    fn grow(&mut self) {
        if self.groups.len() >= self.groups_max {
            return self.part();
        }
        let empty = vec![Group::default(); self.groups.len() * 2];
        let groups = mem::replace(&mut self.groups, empty);
        self.shift -= 1;
        let keys = groups.iter().flat_map(Group::iter);
        let is_part = self.groups_max == usize::MAX;
        if groups.len() <= SORTED_GROUPS && !is_part {
            // The most common keys get slots at their first places.
            let mut keys: Vec<_> = keys.collect();
            keys.sort_unstable_by_key(|&(_, lines)| Reverse(lines));
            keys.into_iter()
                .for_each(|(key, lines)| self.insert(key, lines));
        } else {
            keys.for_each(|(key, lines)| self.insert(key, lines));
        }
    }

    /// Cuts the table into parts.
    fn part(&mut self) {
        let mut parts = KeyParts::new(self.factor);
        for (key, lines) in mem::take(&mut self.groups).iter().flat_map(Group::iter) {
            parts.add(key, lines);
        }
        self.used = 0;
        self.parts = Some(Box::new(parts));
    }
}

/// Folds the keys of all settled `tables`, each key once, with its lines in all of them: `add` adds a
/// key to a result, which begins with `T::default()`, and `join` joins two results.
///
/// No table of all keys is made. Each table is read once: its keys are looked up in the others, and
/// keys of an earlier table are skipped. If all have the same random number, that happens part by
/// part, in a cache. In a rayon pool, its threads share the parts.
pub(super) fn fold_all<K: Key, T: Default + Send>(
    tables: &[&KeyTable<K>],
    add: impl Fn(&mut T, K, u64) + Sync,
    join: impl Fn(T, T) -> T,
) -> T {
    let fold = |made: &mut T, &(nth, part): &(usize, &KeyTable<K>)| {
        let (earlier, later) = (&tables[..nth], &tables[nth + 1..]);
        for (key, lines) in part.groups.iter().flat_map(Group::iter) {
            if earlier.iter().all(|table| table.lines(key).is_none()) {
                let further = later.iter().filter_map(|table| table.lines(key));
                add(made, key, lines + further.sum::<u64>());
            }
        }
    };
    let parts = tables.iter().enumerate().flat_map(|(nth, table)| {
        let parts = table.tables();
        parts.map(move |part| (nth, part))
    });
    let parts: Vec<_> = parts.collect();
    if parts.len() > tables.len() {
        let made = share::states(parts.len(), |made, nth| fold(made, &parts[nth]));
        return made.into_iter().fold(T::default(), join);
    }
    let mut made = T::default();
    parts.iter().for_each(|part| fold(&mut made, part));
    made
}
