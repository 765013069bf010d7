//! A table of short names and how many lines have each.
//!
//! The name is the key, inline: counting one touches the cache line of its slot and nothing else.
//! Names of up to 8 bytes, which 97 of 100 lines have, have slots of 16 bytes, four to a cache line;
//! those of up to 16 bytes have their own table with slots twice that size.
//!
//! A name is looked for in all slots of its cache line at once. To look at one after the other made the
//! processor guess at which, for one name in five in vain: without that, the report takes 0.97 of the time.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::mem;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::key_parts::KeyParts;
use crate::scan::simd::{Level, Portable};

/// A name of limited length without a zero byte in it, as a number: its bytes, and zeros in front.
/// Names of different lengths differ too, because a name's first byte is not zero. Zero is no name.
pub(crate) trait Key: Copy + Debug + Default + Eq + Send + Sync {
    /// The bytes of the longest name.
    const BYTES: usize;

    /// As many bytes as the longest name has.
    type Bytes: for<'a> TryFrom<&'a [u8]>;

    /// The key of the name that the first `length` of `bytes` are. The others are ignored.
    ///
    /// `length` is at least 1 and at most [`Key::BYTES`].
    fn new(bytes: Self::Bytes, length: usize) -> Self;

    /// A number whose high bits depend on all of the key, and on `factor`, which is odd.
    fn hash(self, factor: u64) -> u64;

    /// Where in `names` this one is; a number above theirs if it is not among them.
    fn find<L: Level>(self, level: L, names: &[Self; SLOTS_TOGETHER]) -> usize;

    /// The bytes of the name, zeros in front.
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
    fn find<L: Level>(self, level: L, names: &[u64; SLOTS_TOGETHER]) -> usize {
        level.find(names, self)
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

    fn find<L: Level>(self, _level: L, names: &[u128; SLOTS_TOGETHER]) -> usize {
        let found = names.iter().position(|&name| name == self);
        found.unwrap_or(SLOTS_TOGETHER)
    }

    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_le_bytes()
    }
}

/// How many slots are side by side: as many short names as a cache line has.
const SLOTS_TOGETHER: usize = 4;

/// Slots side by side: names, and the lines of each. No name, no lines. They are filled from the first one on.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Group<K> {
    names: [K; SLOTS_TOGETHER],
    lines: [u64; SLOTS_TOGETHER],
}

impl<K: Key> Group<K> {
    /// Counts `lines` more lines with `name`, if it is here, which is the answer.
    #[inline(always)]
    fn add<L: Level>(&mut self, level: L, name: K, lines: u64) -> bool {
        let counter = self.lines.get_mut(name.find(level, &self.names));
        counter.map(|counter| *counter += lines).is_some()
    }

    /// The same, if there is room for it.
    fn insert(&mut self, name: K, lines: u64) -> bool {
        let empty = K::default().find(Portable, &self.names);
        let slot = self.names.get_mut(empty).zip(self.lines.get_mut(empty));
        slot.map(|slot| (*slot.0, *slot.1) = (name, lines))
            .is_some()
    }

    /// The lines with `name`, if it is here.
    fn lines(&self, name: K) -> Option<u64> {
        let slot = name.find(Portable, &self.names);
        self.lines.get(slot).copied()
    }

    fn has_room(&self) -> bool {
        self.names[SLOTS_TOGETHER - 1] == K::default()
    }

    /// Names and their lines.
    fn iter(&self) -> impl Iterator<Item = (K, u64)> {
        let slots = self.names.into_iter().zip(self.lines);
        slots.filter(|&(name, _)| name != K::default())
    }
}

/// How many groups a table begins with: few, because files may be small and many.
const GROUPS_LOG2: u32 = 8;

/// Up to how many groups names are put in order when the table grows. Larger tables go through memory
/// from one end to the other, which is what costs then.
const SORTED_GROUPS: usize = 1 << 14;

/// How many groups a table has at most: 8 MiB of them for short names. One that grows further is in parts.
const GROUPS_MAX: usize = 1 << 17;

/// Line counts by name: a hash table of groups of slots. What has no room in its group is in the next.
#[derive(Clone, Debug)]
pub(crate) struct KeyTable<K> {
    /// A power of two, at most three quarters of their slots used. None if there are parts.
    groups: Vec<Group<K>>,
    /// How far a hash is shifted to be the index of a group.
    shift: u32,
    used: usize,
    /// Odd and random, so that no file can be made whose names all fall on one group.
    factor: u64,
    /// How many groups there may be before there are parts.
    groups_max: usize,
    /// All names, once they are many.
    parts: Option<Box<KeyParts<K>>>,
}

impl<K: Key> KeyTable<K> {
    /// An empty table. `random` decides where names are.
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

    /// An empty table that is a part of another and has none itself, however large it becomes.
    pub(super) fn without_parts(random: u64) -> KeyTable<K> {
        KeyTable {
            groups_max: usize::MAX,
            ..KeyTable::new(random)
        }
    }

    /// Counts `lines` more lines with `name`.
    pub(crate) fn add(&mut self, name: K, lines: u64) {
        let place = self.place(name);
        self.add_near(Portable, name, place, lines);
    }

    /// Where `name` is looked for first. Memory is asked for it.
    #[inline(always)]
    pub(crate) fn prefetch<L: Level>(&self, level: L, name: K) -> usize {
        let place = self.place(name);
        level.prefetch(&self.groups, place);
        place
    }

    /// Counts `lines` more lines with `name`, which was looked for at `place` a while ago.
    #[inline(always)]
    pub(crate) fn add_near<L: Level>(&mut self, level: L, name: K, place: usize, lines: u64) {
        let group = self.groups.get_mut(place);
        if !group.is_some_and(|group| group.add(level, name, lines)) {
            self.add_further_on(name, lines);
        }
    }

    /// The lines with `name`, if it is here. The table must be settled.
    pub(super) fn lines(&self, name: K) -> Option<u64> {
        if let Some(parts) = &self.parts {
            return parts.lines(name);
        }
        let last = self.groups.len() - 1;
        let mut place = self.place(name);
        loop {
            let group = &self.groups[place & last];
            let lines = group.lines(name);
            if lines.is_some() || group.has_room() {
                return lines;
            }
            place += 1;
        }
    }

    /// Reads of memory where `name` is looked for first.
    pub(super) fn touch(&self, name: K) -> u64 {
        let group = self.groups.get(self.place(name));
        group.map_or(0, |group| group.lines[0])
    }

    /// Counts the names that wait in parts of the table. In a pool, its threads share the work.
    pub(super) fn settle(&mut self) {
        if let Some(parts) = &mut self.parts {
            parts.settle();
        }
    }

    /// Whether the table has become so large that it is in parts.
    pub(super) fn is_in_parts(&self) -> bool {
        self.parts.is_some()
    }

    /// This table, or the tables of its parts.
    fn tables(&self) -> impl Iterator<Item = &KeyTable<K>> {
        let whole = self.parts.is_none().then_some(self);
        let parts = self.parts.iter().flat_map(|parts| parts.tables());
        whole.into_iter().chain(parts)
    }

    /// How many different names there are, without those that wait in parts of the table.
    pub(super) fn distinct(&self) -> usize {
        self.tables().map(|table| table.used).sum()
    }

    #[inline(always)]
    fn place(&self, name: K) -> usize {
        (name.hash(self.factor) >> self.shift) as usize
    }

    /// Adds the counts of `other`.
    ///
    /// If both tables have the same random number, the names come in the order of their places, and
    /// memory is gone through from one end to the other. They would fill up the first part of a table
    /// that must grow before it grows, so room is made for all of them first.
    pub(crate) fn merge(&mut self, mut other: KeyTable<K>) {
        other.settle();
        let further = other.distinct();
        while !self.is_in_parts() && self.is_full_with(self.used + further) {
            self.grow();
        }
        let groups = other.tables().flat_map(|table| &table.groups);
        for (name, lines) in groups.flat_map(Group::iter) {
            self.add(name, lines);
        }
    }

    /// Counts a name that is not where it is looked for first; that may be, because the table may have
    /// grown since.
    #[cold]
    #[inline(never)]
    fn add_further_on(&mut self, name: K, lines: u64) {
        match &mut self.parts {
            Some(parts) => parts.add(name, lines),
            None => self.add_or_insert(name, lines),
        }
    }

    /// Counts `lines` more lines with `name`, which is probably a new one, in a table without parts.
    #[inline(always)]
    pub(super) fn add_or_insert(&mut self, name: K, lines: u64) {
        let mut place = self.place(name);
        let last = self.groups.len() - 1;
        loop {
            let group = &mut self.groups[place & last];
            if group.add(Portable, name, lines) {
                return;
            }
            if group.has_room() {
                group.insert(name, lines);
                break;
            }
            place += 1;
        }
        self.used += 1;
        if self.is_full_with(self.used) {
            self.grow();
        }
    }

    /// Makes a place for `name`, of which there is none.
    fn insert(&mut self, name: K, lines: u64) {
        let last = self.groups.len() - 1;
        let mut place = self.place(name);
        while !self.groups[place & last].insert(name, lines) {
            place += 1;
        }
    }

    /// Whether so many names are more than three quarters of the slots.
    fn is_full_with(&self, names: usize) -> bool {
        names > self.groups.len() * SLOTS_TOGETHER / 4 * 3
    }

    /// Doubles the number of groups, or gives each part a table of its own.
    fn grow(&mut self) {
        if self.groups.len() >= self.groups_max {
            return self.part();
        }
        let empty = vec![Group::default(); self.groups.len() * 2];
        let groups = mem::replace(&mut self.groups, empty);
        self.shift -= 1;
        let names = groups.iter().flat_map(Group::iter);
        let is_part = self.groups_max == usize::MAX;
        if groups.len() <= SORTED_GROUPS && !is_part {
            // The most common names get slots where they are looked for first.
            let mut names: Vec<_> = names.collect();
            names.sort_unstable_by_key(|&(_, lines)| Reverse(lines));
            names
                .into_iter()
                .for_each(|(name, lines)| self.insert(name, lines));
        } else {
            names.for_each(|(name, lines)| self.insert(name, lines));
        }
    }

    /// Gives each part of the names a table of its own.
    fn part(&mut self) {
        let mut parts = KeyParts::new(self.factor);
        for (name, lines) in mem::take(&mut self.groups).iter().flat_map(Group::iter) {
            parts.add(name, lines);
        }
        self.used = 0;
        self.parts = Some(Box::new(parts));
    }
}

/// Folds the names of all `tables`, each name once, with its lines in all of them: `add` adds one to what
/// has been made of those before, which begins with `T::default()`, and `join` makes one of two. The
/// tables must be settled.
///
/// No table is made of them. Whoever goes through one looks each name up in the others, and leaves
/// out what an earlier one has too. If all have the same random number, that is done part by part, in a
/// cache. In a pool, its threads share the parts.
pub(super) fn fold_all<K: Key, T: Default + Send>(
    tables: &[&KeyTable<K>],
    add: impl Fn(&mut T, K, u64) + Sync,
    join: impl Fn(T, T) -> T + Sync,
) -> T {
    let fold = |&(nth, part): &(usize, &KeyTable<K>)| {
        let (earlier, later) = (&tables[..nth], &tables[nth + 1..]);
        let mut made = T::default();
        for (name, lines) in part.groups.iter().flat_map(Group::iter) {
            if earlier.iter().all(|table| table.lines(name).is_none()) {
                let further = later.iter().filter_map(|table| table.lines(name));
                add(&mut made, name, lines + further.sum::<u64>());
            }
        }
        made
    };
    let parts = tables.iter().enumerate().flat_map(|(nth, table)| {
        let parts = table.tables();
        parts.map(move |part| (nth, part))
    });
    let parts: Vec<_> = parts.collect();
    match parts.len() > tables.len() && in_pool() {
        true => parts.par_iter().map(fold).reduce(T::default, &join),
        false => parts.iter().map(fold).fold(T::default(), &join),
    }
}

/// Whether this is a thread of a pool. To ask rayon for anything else where it is not would start one.
pub(super) fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}
