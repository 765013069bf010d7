//! The distinct values of a column, numbered in the order of their first rows.

use ahash::RandomState;

use crate::scan::Cell;

/// No dictionary has more values, so that it stays in the caches.
const VALUES_MAX: usize = 1 << 16;
/// No dictionary has many more bytes.
const BYTES_MAX: usize = 1 << 20;

/// The number of bytes of a value that its entry holds.
const HEAD: usize = 16;

/// For each length the bits of that many bytes.
const MASKS: [u128; HEAD + 1] = {
    let mut masks = [0; HEAD + 1];
    let mut length = 1;
    while length <= HEAD {
        masks[length] = u128::MAX >> (u128::BITS as usize - 8 * length);
        length += 1;
    }
    masks
};

/// Returns the first sixteen bytes of a cell, with zeros behind a shorter one.
#[inline(always)]
pub(super) fn head(cell: Cell<'_>) -> u128 {
    let mask = MASKS[cell.len().min(HEAD)];
    match cell.first_bytes() {
        Some(bytes) => u128::from_le_bytes(*bytes) & mask,
        None => short_head(&cell),
    }
}

#[cold]
fn short_head(cell: &[u8]) -> u128 {
    let mut bytes = [0; HEAD];
    let length = cell.len().min(HEAD);
    bytes[..length].copy_from_slice(&cell[..length]);
    u128::from_le_bytes(bytes)
}

/// Numbers distinct values.
///
/// An open table of hashes and numbers refers to entries. Most values fit the head of their entry, so a look-up
/// compares two words. Neighbours are often the same.
pub(super) struct Dictionary {
    hashing: RandomState,
    seeds: [u64; 2],
    slots: Vec<Slot>,
    /// The number of bits of a place in `slots`.
    bits: u32,
    entries: Vec<Entry>,
    /// The values as Parquet writes them plainly.
    plain: Vec<u8>,
    last: u32,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    head: u128,
    length: u32,
    /// The place in `plain`.
    start: u32,
}

const FREE: Slot = Slot {
    hash: 0,
    number: u32::MAX,
};
const FIRST_BITS: u32 = 8;

impl Dictionary {
    pub(super) fn new() -> Dictionary {
        let hashing = RandomState::new();
        Dictionary {
            seeds: [hashing.hash_one(0) | 1, hashing.hash_one(1) | 1],
            hashing,
            slots: vec![FREE; 1 << FIRST_BITS],
            bits: FIRST_BITS,
            entries: Vec::new(),
            plain: Vec::new(),
            last: u32::MAX,
        }
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Says whether values that are not known should be written in another way.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= VALUES_MAX || self.plain.len() >= BYTES_MAX
    }

    /// Returns the values as Parquet writes them plainly.
    pub(super) fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// Returns the bytes of the value with this number.
    pub(super) fn value(&self, number: u32) -> Cell<'_> {
        let Entry { start, length, .. } = self.entries[number as usize];
        Cell::new(&self.plain[start as usize..], length as usize)
    }

    /// Returns all values.
    pub(super) fn values(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.entries.len() as u32).map(|number| self.value(number))
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(1 << FIRST_BITS, FREE);
        self.bits = FIRST_BITS;
        self.entries.clear();
        self.plain.clear();
        self.last = u32::MAX;
    }

    /// Returns the number of a text, which is new perhaps.
    #[inline(always)]
    pub(super) fn number_of_text(&mut self, cell: Cell<'_>) -> u32 {
        let head = head(cell);
        if cell.len() > HEAD {
            return self.number_of_long(head, cell);
        }
        let length = cell.len() as u32;
        if let Some(last) = self.entries.get(self.last as usize)
            && last.head == head
            && last.length == length
        {
            return self.last;
        }
        let hash = self.hash(head, length);
        let number = match self.find(hash, |entry| entry.head == head && entry.length == length) {
            Some(number) => number,
            None => {
                self.plain.extend_from_slice(&length.to_le_bytes());
                self.add(hash, head, &cell)
            }
        };
        self.last = number;
        number
    }

    /// Returns the number of an integer, whose bytes are the first `width` of `value`.
    #[inline(always)]
    pub(super) fn number_of_integer(&mut self, value: i64, width: usize) -> u32 {
        let head = u128::from(value.cast_unsigned());
        let hash = self.hash(head, 0);
        match self.find(hash, |entry| entry.head == head) {
            Some(number) => number,
            None => self.add(hash, head, &value.to_le_bytes()[..width]),
        }
    }

    #[inline(never)]
    fn number_of_long(&mut self, head: u128, cell: Cell<'_>) -> u32 {
        let length = cell.len() as u32;
        let tail = &cell[HEAD..];
        let is_same = |plain: &[u8], entry: &Entry| {
            let start = entry.start as usize;
            let end = start + entry.length as usize;
            entry.head == head && entry.length == length && &plain[start + HEAD..end] == tail
        };
        if let Some(last) = self.entries.get(self.last as usize)
            && is_same(&self.plain, last)
        {
            return self.last;
        }
        let hash = match cell.last_chunk() {
            // Two words that overlap are all of it.
            Some(last) if cell.len() <= 2 * HEAD => {
                let tail = self.hash(u128::from_le_bytes(*last), length);
                self.hash(head, length) ^ tail.rotate_left(16)
            }
            _ => self.hashing.hash_one(cell.bytes()) as u32,
        };
        let number = match self.find(hash, |entry| is_same(&self.plain, entry)) {
            Some(number) => number,
            None => {
                self.plain.extend_from_slice(&length.to_le_bytes());
                self.add(hash, head, &cell)
            }
        };
        self.last = number;
        number
    }

    #[inline(always)]
    fn hash(&self, head: u128, length: u32) -> u32 {
        let [one, other] = self.seeds;
        let low = head as u64 ^ one;
        let high = (head >> 64) as u64 ^ other ^ u64::from(length) << 56;
        let product = u128::from(low) * u128::from(high);
        let folded = product as u64 ^ (product >> 64) as u64;
        (folded.wrapping_mul(other) >> 32) as u32
    }

    /// Returns the number of the value with this hash for which `is_same` holds.
    #[inline(always)]
    fn find(&self, hash: u32, is_same: impl Fn(&Entry) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut place = (hash >> (u32::BITS - self.bits)) as usize;
        loop {
            let slot = self.slots[place & mask];
            let entry = self.entries.get(slot.number as usize)?;
            if slot.hash == hash && is_same(entry) {
                return Some(slot.number);
            }
            place += 1;
        }
    }

    /// Adds a value and returns its number.
    #[inline(never)]
    fn add(&mut self, hash: u32, head: u128, bytes: &[u8]) -> u32 {
        let number = self.entries.len() as u32;
        self.entries.push(Entry {
            head,
            length: bytes.len() as u32,
            start: self.plain.len() as u32,
        });
        self.plain.extend_from_slice(bytes);
        if 2 * self.entries.len() > self.slots.len() {
            self.grow();
        }
        self.insert(Slot { hash, number });
        number
    }

    fn insert(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = (slot.hash >> (u32::BITS - self.bits)) as usize;
        while self.slots[place & mask].number != FREE.number {
            place += 1;
        }
        self.slots[place & mask] = slot;
    }

    fn grow(&mut self) {
        self.bits += 1;
        let more = vec![FREE; 1 << self.bits];
        let slots = std::mem::replace(&mut self.slots, more);
        for slot in slots.into_iter().filter(|slot| slot.number != FREE.number) {
            self.insert(slot);
        }
    }
}
