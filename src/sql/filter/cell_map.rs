//! Values by the bytes of a column, found by one look-up.

use std::collections::HashMap;

use ahash::RandomState;

use crate::scan::Cell;

/// Values by texts.
///
/// One to sixteen bytes are compared as one number. The FEC's identifiers have nine.
#[derive(Debug)]
pub(super) struct CellMap<V> {
    short: WordMap<V>,
    long: HashMap<Box<[u8]>, V, RandomState>,
}

impl<V: Copy + Default> CellMap<V> {
    pub(super) fn new<'a>(values: impl IntoIterator<Item = (&'a [u8], V)>) -> CellMap<V> {
        let mut short = Vec::new();
        let mut long = HashMap::default();
        for (text, value) in values {
            match Cell::from(text).wide_word() {
                Some(word) => short.push((word, value)),
                None => _ = long.insert(text.into(), value),
            }
        }
        CellMap {
            short: WordMap::new(&short),
            long,
        }
    }

    /// Returns the value of the text that `cell` is, if there is one.
    #[inline(always)]
    pub(super) fn get(&self, cell: Cell<'_>) -> Option<V> {
        match cell.wide_word() {
            Some(word) => self.short.get(word),
            None => self.get_long(cell),
        }
    }

    /// Looks for texts that are long, empty, or begin with a zero.
    #[cold]
    #[inline(never)]
    fn get_long(&self, cell: Cell<'_>) -> Option<V> {
        self.long.get(cell.bytes()).copied()
    }
}

/// Values by numbers other than zero.
///
/// A look-up reads one cache line, and has no branch that depends on its outcome. A list of 10,000 committees takes 0.5 of the
/// time of `HashMap`, whose hash and groups cost more than the scan. (Two places a number, as in cuckoo hashing: 1.0.)
#[derive(Debug)]
struct WordMap<V> {
    /// A power of two. A number stands in the first bucket with room from its own on; places without one are zero.
    buckets: Vec<[u128; BUCKET]>,
    values: Vec<[V; BUCKET]>,
    /// Drawn anew for each map, so that no file can make its identifiers collide.
    keys: [u64; 2],
}

/// The number of words in a cache line.
const BUCKET: usize = 4;

impl<V: Copy + Default> WordMap<V> {
    fn new(words: &[(u128, V)]) -> WordMap<V> {
        let random = RandomState::new();
        // At most half of the places are taken, so few buckets are full, and never all.
        let buckets = (words.len() / 2 + 1).next_power_of_two();
        let mut map = WordMap {
            buckets: vec![[0; BUCKET]; buckets],
            values: vec![[V::default(); BUCKET]; buckets],
            keys: [0, 1].map(|nth| random.hash_one(nth)),
        };
        for &(word, value) in words {
            map.insert(word, value);
        }
        map
    }

    fn insert(&mut self, word: u128, value: V) {
        let has_room = |&known: &u128| known == word || known == 0;
        let mut place = self.place(word);
        let nth = loop {
            match self.buckets[place].iter().position(has_room) {
                Some(nth) => break nth,
                None => place = self.next(place),
            }
        };
        self.buckets[place][nth] = word;
        self.values[place][nth] = value;
    }

    #[inline(always)]
    fn get(&self, word: u128) -> Option<V> {
        let mut place = self.place(word);
        loop {
            let bucket = &self.buckets[place];
            let mut found = BUCKET;
            for (nth, &known) in bucket.iter().enumerate() {
                if known == word {
                    found = nth;
                }
            }
            // A bucket with room ends the search.
            if (found < BUCKET) | (bucket[BUCKET - 1] == 0) {
                return self.values[place].get(found).copied();
            }
            place = self.next(place);
        }
    }

    #[inline(always)]
    fn place(&self, word: u128) -> usize {
        let [low, high] = [
            word as u64 ^ self.keys[0],
            (word >> 64) as u64 ^ self.keys[1],
        ];
        let product = u128::from(low) * u128::from(high);
        (product ^ product >> 64) as usize & (self.buckets.len() - 1)
    }

    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.buckets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many texts fill several buckets. Two of them are given twice.
    #[test]
    fn every_text_has_its_value_and_others_have_none() {
        for count in [0, 1, 2, 3, 8, 100, 5000] {
            let text = |nth: usize| match nth % 20 {
                0 => format!("\0{nth}"),
                length => format!("{nth:0length$}"),
            };
            let texts: Vec<String> = (0..count).map(text).collect();
            let values = texts
                .iter()
                .enumerate()
                .map(|(nth, text)| (text.as_bytes(), nth));
            let first = texts
                .iter()
                .take(2)
                .map(|text| (text.as_bytes(), usize::MAX));
            let map = CellMap::new(first.chain(values.clone()));
            for (text, nth) in values {
                assert_eq!(
                    map.get(Cell::from(text)),
                    Some(nth),
                    "{}",
                    text.escape_ascii()
                );
            }
            for other in ["", "C00401224", "\0", "a text of more than sixteen bytes"] {
                assert_eq!(map.get(Cell::from(other.as_bytes())), None, "{other:?}");
            }
            let later = (count..2 * count + 100).map(text);
            for other in later.filter(|text| !texts.contains(text)) {
                assert_eq!(map.get(Cell::from(other.as_bytes())), None, "{other:?}");
            }
        }
    }

    /// Numbers whose place is the same fill a bucket, and the next.
    #[test]
    fn numbers_of_one_place_are_all_found() {
        let numbers = |map: &WordMap<u128>| {
            // One factor of the hash is zero.
            let high = u128::from(map.keys[1]) << 64;
            (1..=100).map(move |nth: u128| high | nth)
        };
        let mut map = WordMap::new(&[(1, 1); 50]);
        map.buckets.fill([0; BUCKET]);
        let all: Vec<_> = numbers(&map).collect();
        all[..50]
            .iter()
            .for_each(|&number| map.insert(number, number));
        assert!(all.iter().all(|&number| map.place(number) == 0));
        for (nth, &number) in all.iter().enumerate() {
            assert_eq!(map.get(number), (nth < 50).then_some(number));
        }
    }

    #[test]
    fn maps_hash_by_other_keys() {
        assert_ne!(WordMap::new(&[(1, ())]).keys, WordMap::new(&[(1, ())]).keys);
    }
}
