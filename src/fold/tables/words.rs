//! The first bytes of a key as numbers, and their hash.

use ahash::RandomState;

use crate::scan::Cell;

/// The number of bytes that [`Words`] hold.
pub(super) const WORDS_BYTES: usize = 32;

/// For each length the bits of that many bytes, in each of the numbers.
const MASKS: [[u64; 4]; WORDS_BYTES + 1] = {
    let mut masks = [[0; 4]; WORDS_BYTES + 1];
    let mut length = 1;
    while length <= WORDS_BYTES {
        masks[length] = masks[length - 1];
        masks[length][(length - 1) / 8] |= 0xff << (8 * ((length - 1) % 8));
        length += 1;
    }
    masks
};

/// The first 32 bytes of a key, with zeros behind shorter ones. No branch depends on the length.
#[derive(Clone, Copy, Debug, Eq)]
pub(super) struct Words([u64; 4]);

impl PartialEq for Words {
    /// Compares all words at once, without a branch for each.
    #[inline(always)]
    fn eq(&self, other: &Words) -> bool {
        let mut different = 0;
        for nth in 0..self.0.len() {
            different |= self.0[nth] ^ other.0[nth];
        }
        different == 0
    }
}

impl Words {
    /// Returns the words of the first `length` bytes of `bytes`, at most 32.
    #[inline(always)]
    pub(super) fn of(bytes: &[u8; WORDS_BYTES], length: usize) -> Words {
        let mask = &MASKS[length.min(WORDS_BYTES)];
        let (words, _) = bytes.as_chunks();
        let mut masked = [0; 4];
        for nth in 0..masked.len() {
            masked[nth] = u64::from_le_bytes(words[nth]) & mask[nth];
        }
        Words(masked)
    }

    /// Returns the words of a key.
    #[inline(always)]
    pub(super) fn of_cell(key: Cell<'_>) -> Words {
        match key.first_bytes() {
            Some(bytes) => Words::of(bytes, key.len()),
            None => Words::of_last(&key),
        }
    }

    /// Returns the words of a key near the end of the haystack.
    #[cold]
    #[inline(never)]
    fn of_last(key: &[u8]) -> Words {
        let mut bytes = [0; WORDS_BYTES];
        let length = key.len().min(WORDS_BYTES);
        bytes[..length].copy_from_slice(&key[..length]);
        Words::of(&bytes, length)
    }
}

/// Random numbers that decide the hash of a key, so a file cannot make its keys collide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed([u64; 5]);

impl Seed {
    pub(crate) fn new(random: &RandomState) -> Seed {
        Seed([0, 1, 2, 3, 4].map(|nth| random.hash_one(nth) | 1))
    }

    /// Returns the hash of a key.
    #[inline(always)]
    pub(super) fn hash_of(&self, key: Cell<'_>) -> u64 {
        match key.len() {
            ..=WORDS_BYTES => self.hash(Words::of_cell(key), key.len()),
            _ => self.hash_long(&key),
        }
    }

    /// Returns a hash of `words` and of the length of the key: all bits of it depend on all of them.
    #[inline(always)]
    pub(super) fn hash(&self, words: Words, length: usize) -> u64 {
        let [one, two, three, four, five] = self.0;
        let first = folded(words.0[0] ^ one, words.0[1] ^ two);
        let second = folded(words.0[2] ^ three, words.0[3] ^ four);
        (first ^ second ^ length as u64).wrapping_mul(five)
    }

    /// Returns a hash of a key that is longer than its words: of its whole chunks, and then of its last bytes, even if a chunk has some of them. Copying
    /// each chunk first took a tenth of the time of groups by NAME and PURPOSE.
    #[inline(never)]
    pub(super) fn hash_long(&self, key: &[u8]) -> u64 {
        let (chunks, _) = key.as_chunks();
        let mut hash = key.len() as u64;
        for chunk in chunks.iter().chain(key.last_chunk()) {
            let words = Words::of(chunk, WORDS_BYTES);
            hash = folded(hash ^ self.hash(words, WORDS_BYTES), self.0[0]);
        }
        hash
    }
}

/// Multiplies two numbers, and joins the halves of the product.
#[inline(always)]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Keys of one hash exist for every seed. They have different hashes for any other, and each table of a
    /// fold has the seed of the fold.
    #[test]
    fn keys_that_collide_for_one_seed_do_not_for_another() {
        let known = Seed([1, u64::from_le_bytes(*b"COLLIDES"), 5, 7, 9]);
        let keys: Vec<_> = (0..10_000)
            .map(|nth| format!("{nth:08}COLLIDES!"))
            .collect();
        let hashes = |seed: Seed| -> BTreeSet<u64> {
            let keys = keys.iter().map(|key| Cell::from(key.as_bytes()));
            keys.map(|key| seed.hash_of(key)).collect()
        };
        assert_eq!(hashes(known).len(), 1);
        let seeds = [0, 1].map(|_| Seed::new(&RandomState::new()));
        assert_ne!(seeds[0].0, seeds[1].0);
        for seed in seeds {
            assert_eq!(hashes(seed).len(), keys.len());
        }
    }
}
