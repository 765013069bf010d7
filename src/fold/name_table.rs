//! A table of short names and how many lines have each.
//!
//! The name is the key, inline: counting one touches the cache line of its slot and nothing else.
//! Names of up to 8 bytes, which 97 of 100 lines have, have slots of 16 bytes, four to a cache line;
//! those of up to 16 bytes have their own table with slots twice that size.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::hash::Hash;

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

    fn bytes(self) -> impl AsRef<[u8]> {
        self.to_le_bytes()
    }
}

/// A place in the table. No name, no lines.
#[derive(Clone, Copy, Debug, Default)]
struct Slot<K> {
    name: K,
    lines: u64,
}

/// How many slots a table begins with: few, because files may be small and many.
const SLOTS_LOG2: u32 = 10;

/// Up to how many slots names are put in order when the table grows. Larger tables go through memory
/// from one end to the other, which is what costs then.
const SORTED_SLOTS: usize = 1 << 16;

/// How many neighbouring slots names are looked for in before others: as many short names as a cache
/// line has.
const SLOTS_TOGETHER: usize = 4;

/// Line counts by name: open addressing, a neighbouring slot if one is taken.
#[derive(Clone, Debug)]
pub struct NameTable<K> {
    /// A power of two, at most three quarters of them used.
    slots: Vec<Slot<K>>,
    /// How far a hash is shifted to be the index of a slot.
    shift: u32,
    used: usize,
    /// Odd and random, so that no file can be made whose names all fall on one slot.
    factor: u64,
}

impl<K: Key> NameTable<K> {
    /// An empty table. `random` decides where names are.
    pub fn new(random: u64) -> NameTable<K> {
        NameTable {
            slots: vec![Slot::default(); 1 << SLOTS_LOG2],
            shift: u64::BITS - SLOTS_LOG2,
            used: 0,
            factor: random | 1,
        }
    }

    /// Counts `lines` more lines with `name`.
    #[inline(always)]
    pub fn add(&mut self, name: K, lines: u64) {
        let place = self.place(name);
        match self.slots.get_mut(place) {
            Some(slot) if slot.name == name => slot.lines += lines,
            _ => self.add_further_on(name, lines),
        }
    }

    /// Where `name` is looked for first, and what to ask memory for.
    #[inline(always)]
    pub fn near(&self, name: K) -> (usize, Option<&impl Sized>) {
        let place = self.place(name);
        (place, self.slots.get(place))
    }

    /// Counts one more line with `name`, which was looked for at `place` a while ago.
    #[inline(always)]
    pub fn add_near(&mut self, name: K, place: usize) {
        match self.slots.get_mut(place) {
            Some(slot) if slot.name == name => slot.lines += 1,
            _ => self.add_further_on(name, 1),
        }
    }

    /// Names and their lines, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (K, u64)> {
        self.slots
            .iter()
            .filter(|slot| slot.name != K::default())
            .map(|slot| (slot.name, slot.lines))
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

    #[cold]
    #[inline(never)]
    fn add_further_on(&mut self, name: K, lines: u64) {
        let place = self.find(name);
        let slot = &mut self.slots[place];
        slot.lines += lines;
        if slot.name != name {
            slot.name = name;
            self.used += 1;
            if self.is_full_with(self.used) {
                self.grow();
            }
        }
    }

    /// Whether so many names are more than three quarters of the slots.
    fn is_full_with(&self, names: usize) -> bool {
        names > self.slots.len() / 4 * 3
    }

    /// Where `name` is, or will be: the slots of the cache line where it is looked for first, which
    /// the memory has been asked for, then those of the next.
    fn find(&self, name: K) -> usize {
        const { assert!(SLOTS_TOGETHER.is_power_of_two()) };
        let last = self.slots.len() - 1;
        let mut place = self.place(name);
        loop {
            for nth in 0..SLOTS_TOGETHER {
                let found = self.slots[place ^ nth].name;
                if found == name || found == K::default() {
                    return place ^ nth;
                }
            }
            place = (place + SLOTS_TOGETHER) & last;
        }
    }

    fn grow(&mut self) {
        let empty = vec![Slot::default(); self.slots.len() * 2];
        let mut slots = std::mem::replace(&mut self.slots, empty);
        self.shift -= 1;
        if slots.len() <= SORTED_SLOTS {
            // The most common names get the slots where they are looked for first.
            slots.sort_unstable_by_key(|slot| Reverse(slot.lines));
        }
        for slot in slots.into_iter().filter(|slot| slot.name != K::default()) {
            let place = self.find(slot.name);
            self.slots[place] = slot;
        }
    }
}
