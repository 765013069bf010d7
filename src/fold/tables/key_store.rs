//! Keys, one after the other.

use super::words::{WORDS_BYTES, Words};
use crate::fold::key_words::KEY_SEPARATOR;
use crate::scan::Cell;
use crate::scan::simd::{WINDOW_BYTES, prefetch};

/// Keys of any bytes, numbered in the order of their coming. Together they have less than 4 GiB.
#[derive(Clone, Debug)]
pub(crate) struct KeyStore {
    /// The bytes of all keys, and at least [`WORDS_BYTES`] more: one load takes a short key of any length.
    bytes: Vec<u8>,
    used: usize,
    /// A zero, and where each key ends.
    ends: Vec<u32>,
}

impl Default for KeyStore {
    fn default() -> KeyStore {
        KeyStore {
            bytes: vec![0; WORDS_BYTES],
            used: 0,
            ends: vec![0],
        }
    }
}

impl KeyStore {
    /// Returns the number of keys.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns the bytes of all keys.
    pub(crate) fn bytes(&self) -> usize {
        self.used
    }

    /// Returns the bytes of memory of the keys.
    pub(super) fn size(&self) -> usize {
        self.used + self.len() * size_of::<u32>()
    }

    /// Returns the key with this number. Bytes follow it.
    #[inline(always)]
    pub(crate) fn get(&self, nth: usize) -> Cell<'_> {
        let [start, end] = self.span(nth);
        Cell::new(&self.bytes[start..], end - start)
    }

    /// Returns the bytes of all keys, and more.
    pub(super) fn haystack(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns where the key with this number has, in [`KeyStore::haystack`], what stands before its last separator.
    #[inline(always)]
    pub(super) fn front(&self, nth: usize) -> [u32; 2] {
        let [start, _] = self.span(nth);
        let front = self.get(nth).before_last(KEY_SEPARATOR);
        [start as u32, (start + front.len()) as u32]
    }

    /// Returns all keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.len()).map(|nth| self.get(nth))
    }

    #[inline(always)]
    fn span(&self, nth: usize) -> [usize; 2] {
        [self.ends[nth] as usize, self.ends[nth + 1] as usize]
    }

    /// Says whether the key with this number is `key`, whose first bytes are `words`.
    #[inline(always)]
    pub(super) fn key_matches(&self, nth: usize, key: Cell<'_>, words: Words) -> bool {
        let [start, end] = self.span(nth);
        let bytes = self.bytes[start..].first_chunk();
        let own = Words::of(bytes.expect("bytes follow"), key.len());
        let are_alike = (end - start == key.len()) & (own == words);
        are_alike && (key.len() <= WORDS_BYTES || is_long(self.get(nth), key))
    }

    /// Adds a key. Returns its number.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: Cell<'_>) -> usize {
        let end = self.used + key.len();
        if self.bytes.len() < end + WORDS_BYTES {
            // A half more at most, because a table of millions of groups has 512 of these.
            self.grow(end, end / 4 + WORDS_BYTES);
        }
        let room = &mut self.bytes[self.used..];
        match (key.first_bytes::<WORDS_BYTES>(), room.first_chunk_mut()) {
            // A copy of fixed size takes no loop.
            (Some(from), Some(to)) if key.len() <= WORDS_BYTES => *to = *from,
            _ => room[..key.len()].copy_from_slice(key.bytes()),
        }
        self.used = end;
        self.ends.push(end as u32);
        self.len() - 1
    }

    /// Adds the keys of another store.
    pub(super) fn extend(&mut self, other: &KeyStore) {
        let (start, end) = (self.used, self.used + other.used);
        if self.bytes.len() < end + WORDS_BYTES {
            self.grow(end, 0);
        }
        self.bytes[start..end].copy_from_slice(&other.bytes[..other.used]);
        self.used = end;
        self.ends
            .extend(other.ends[1..].iter().map(|end| start as u32 + end));
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize, more: usize) {
        assert!(
            u32::try_from(end).is_ok(),
            "keys of 4 GiB have one number too few"
        );
        self.bytes
            .reserve_exact(end + more + WORDS_BYTES - self.bytes.len());
        self.bytes.resize(self.bytes.capacity(), 0);
    }

    /// Removes all keys. Keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.ends.truncate(1);
    }

    /// Prefetches the end of the key with this number.
    #[inline(always)]
    pub(crate) fn prefetch_end(&self, nth: usize) {
        prefetch(&self.ends, nth);
    }

    /// Prefetches the bytes of the key with this number, if it may be one of `length` bytes.
    #[inline(always)]
    pub(crate) fn prefetch(&self, nth: usize, length: usize) {
        if let Some(&start) = self.ends.get(nth) {
            let start = start as usize;
            (0..=length)
                .step_by(WINDOW_BYTES)
                .for_each(|place| prefetch(&self.bytes, start + place));
        }
    }
}

#[cold]
#[inline(never)]
fn is_long(one: Cell<'_>, other: Cell<'_>) -> bool {
    one.bytes()[WORDS_BYTES..] == other.bytes()[WORDS_BYTES..]
}
