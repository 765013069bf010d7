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
use std::hash::Hash;
use std::mem;

use crate::scan::simd::{Level, Portable};

/// A name of limited length without a zero byte in it, as a number: its bytes, and zeros in front.
/// Names of different lengths differ too, because a name's first byte is not zero. Zero is no name.
pub trait Key: Copy + Debug + Default + Eq + Hash + Send {
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

/// Line counts by name: a hash table of groups of slots. What has no room in its group is in the next.
#[derive(Clone, Debug)]
pub struct NameTable<K> {
    /// A power of two, at most three quarters of their slots used.
    groups: Vec<Group<K>>,
    /// How far a hash is shifted to be the index of a group.
    shift: u32,
    used: usize,
    /// Odd and random, so that no file can be made whose names all fall on one group.
    factor: u64,
}

impl<K: Key> NameTable<K> {
    /// An empty table. `random` decides where names are.
    pub fn new(random: u64) -> NameTable<K> {
        NameTable {
            groups: vec![Group::default(); 1 << GROUPS_LOG2],
            shift: u64::BITS - GROUPS_LOG2,
            used: 0,
            factor: random | 1,
        }
    }

    /// Counts `lines` more lines with `name`.
    pub fn add(&mut self, name: K, lines: u64) {
        let place = self.place(name);
        self.add_near(Portable, name, place, lines);
    }

    /// Where `name` is looked for first. Memory is asked for it.
    #[inline(always)]
    pub fn prefetch<L: Level>(&self, level: L, name: K) -> usize {
        let place = self.place(name);
        level.prefetch(&self.groups, place);
        place
    }

    /// Counts `lines` more lines with `name`, which was looked for at `place` a while ago.
    #[inline(always)]
    pub fn add_near<L: Level>(&mut self, level: L, name: K, place: usize, lines: u64) {
        let group = self.groups.get_mut(place);
        if !group.is_some_and(|group| group.add(level, name, lines)) {
            self.add_further_on(name, lines);
        }
    }

    /// Names and their lines, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (K, u64)> {
        self.groups.iter().flat_map(Group::iter)
    }

    /// How many different names there are.
    pub fn distinct(&self) -> usize {
        self.used
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
    pub fn merge(&mut self, other: &NameTable<K>) {
        while self.is_full_with(self.used + other.used) {
            self.grow();
        }
        for (name, lines) in other.iter() {
            self.add(name, lines);
        }
    }

    /// Adds to a group behind the one where `name` was looked for, or makes it a place. The table
    /// may have grown since, so it is looked for anew.
    #[cold]
    #[inline(never)]
    fn add_further_on(&mut self, name: K, lines: u64) {
        let mut place = self.place(name);
        let last = self.groups.len() - 1;
        loop {
            let group = &mut self.groups[place & last];
            if group.add(Portable, name, lines) {
                return;
            }
            if group.insert(name, lines) {
                break;
            }
            place += 1;
        }
        self.used += 1;
        if self.is_full_with(self.used) {
            self.grow();
        }
    }

    /// Whether so many names are more than three quarters of the slots.
    fn is_full_with(&self, names: usize) -> bool {
        names > self.groups.len() * SLOTS_TOGETHER / 4 * 3
    }

    fn grow(&mut self) {
        let empty = vec![Group::default(); self.groups.len() * 2];
        let groups = mem::replace(&mut self.groups, empty);
        self.shift -= 1;
        self.used = 0;
        let names = groups.iter().flat_map(Group::iter);
        if groups.len() <= SORTED_GROUPS {
            // The most common names get slots where they are looked for first.
            let mut names: Vec<_> = names.collect();
            names.sort_unstable_by_key(|&(_, lines)| Reverse(lines));
            names
                .into_iter()
                .for_each(|(name, lines)| self.add(name, lines));
        } else {
            names.for_each(|(name, lines)| self.add(name, lines));
        }
    }
}
