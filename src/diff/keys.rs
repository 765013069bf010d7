//! The keys of rows, and fingerprints of their lines.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

use twox_hash::{XxHash3_64, XxHash3_128};

use crate::error::Error;
use crate::expr::list::{self, Role};
use crate::expr::{Key, append};
use crate::fold::key_words::KEY_SEPARATOR;
use crate::input::Part;
use crate::join::Partners;
use crate::scan::Row;

/// The number of keys that are named.
const NAMED: usize = 3;

/// The number of bytes of a secret.
const SECRET: usize = 192;

/// Reads the key of a row, and makes entries of it.
///
/// A whole number of up to 19 digits is its own key: an odd factor only distributes it, and can be undone. Any other key is hashed
/// to 128 bits. Among 2^25 keys on each side, two of them share a hash with a probability of some 2^-78. A line becomes 64 bits
/// beside its key: a changed row is taken for an equal one with a probability of some 2^-64. All hashes have random
/// secrets, so no file can be made to have equal ones.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    keys: Vec<Key>,
    factor: u64,
    secrets: [[u8; SECRET]; 2],
}

/// The key of a row, and the fingerprint of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowEntry {
    Number([u64; 2]),
    Text([u64; 3]),
}

/// The first of some keys, in the order of their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstKeys(BTreeSet<Vec<u8>>);

impl Keys {
    /// Parses keys such as `CMTE_ID,TRAN_ID`.
    pub(crate) fn new(keys: &str) -> Result<Keys, Error> {
        let state = RandomState::new();
        let secret = |nth: u64| {
            let mut secret = [0; SECRET];
            for (place, eight) in (0_u64..).zip(secret.as_chunks_mut::<8>().0) {
                *eight = state.hash_one((nth, place)).to_le_bytes();
            }
            secret
        };
        Ok(Keys {
            keys: list::parse(keys, Role::Diff)?,
            factor: state.hash_one(0) | 1,
            secrets: [secret(0), secret(1)],
        })
    }

    /// Returns the columns of the key.
    ///
    /// # Errors
    /// A usage error if the schema of `part` lacks one, or it is of a joined file.
    pub(crate) fn columns(&self, part: &Part) -> Result<Vec<usize>, Error> {
        let schema = part.certain_schema()?;
        let columns = self.keys.iter().map(|key| {
            let found = key.bind(schema, &Partners::default(), Role::Diff)?;
            if found.joined.is_none() {
                return Ok(found.place);
            }
            let what = format!("{} is not a column of the rows", key.column);
            Err(Error::usage(what))
        });
        columns.collect()
    }

    /// Returns the name of the key.
    pub(crate) fn name(&self) -> String {
        let names = self.keys.iter().map(|key| key.name_of(&key.column));
        names.collect::<Vec<_>>().join(",")
    }

    /// Returns the values of a key, with a separator between them. A row whose values are all empty has no key.
    #[inline(always)]
    pub(crate) fn value<'a>(&self, row: &Row<'a>, scratch: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        let value = match &self.keys[..] {
            [key] if key.function.is_none() => row.cell(0).bytes(),
            keys => {
                scratch.clear();
                for (nth, key) in keys.iter().enumerate() {
                    if nth > 0 {
                        scratch.push(KEY_SEPARATOR);
                    }
                    append(&key.function, row.cell(nth), scratch);
                }
                scratch
            }
        };
        let is_empty = value.iter().all(|&byte| byte == KEY_SEPARATOR);
        (!is_empty).then_some(value)
    }

    /// Returns the entry of a row with the key `value`.
    #[inline(always)]
    pub(crate) fn entry(&self, value: &[u8], row: &Row<'_>) -> RowEntry {
        let [of_lines, of_keys] = &self.secrets;
        let line = XxHash3_64::oneshot_with_secret(of_lines, row.line());
        let line = line.expect("the secret is long enough");
        if let Some(number) = number(value) {
            return RowEntry::Number([number.wrapping_mul(self.factor), line]);
        }
        let hash = XxHash3_128::oneshot_with_secret(of_keys, value);
        let hash = hash.expect("the secret is long enough");
        RowEntry::Text([(hash >> u64::BITS) as u64, hash as u64, line])
    }
}

impl FirstKeys {
    pub(crate) fn insert(&mut self, key: &[u8]) {
        if self.0.len() == NAMED && self.0.last().is_some_and(|last| **last < *key) {
            return;
        }
        let shown = |&byte: &u8| match byte {
            KEY_SEPARATOR => b'|',
            byte => byte,
        };
        self.0.insert(key.iter().map(shown).collect());
        if self.0.len() > NAMED {
            self.0.pop_last();
        }
    }

    pub(crate) fn merge(&mut self, from: FirstKeys) {
        from.0.iter().for_each(|key| self.insert(key));
    }

    pub(crate) fn into_vec(self) -> Vec<Vec<u8>> {
        self.0.into_iter().collect()
    }
}

/// Returns a whole number that has this text only: up to 19 digits, without zeros in front.
#[inline(always)]
fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 || text[0] == b'0' {
        return None;
    }
    let (first, eights) = text.as_rchunks::<8>();
    let mut number = 0;
    for byte in first {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    for eight in eights {
        number = number * 100_000_000 + eight_digits(*eight)?;
    }
    Some(number)
}

/// Returns the number of eight digits, all at once.
#[inline(always)]
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    let digits = u64::from_le_bytes(text) ^ 0x3030_3030_3030_3030;
    // A value above 9 has its high bit, or gets it by adding 0x76.
    let above = digits | digits.wrapping_add(0x7676_7676_7676_7676);
    if above & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32);
    Some(eight & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_can_be_written_back() {
        let texts = [
            "",
            "0",
            "1",
            "00",
            "007",
            "12345678",
            "123456789",
            "1234567a",
            "a2345678",
            "/1",
            ":1",
            "-5",
            "+5",
            " 5",
            "4050120181000000001",
            "9999999999999999999",
            "18446744073709551615",
            "10000000000000000000",
            "40501201:1000000001",
            "4050120\x001000000001",
            "1 ",
            "99999999",
            "\u{b9}",
        ];
        for text in texts {
            let written_back = text.parse::<u64>().ok();
            let is_same = |&number: &u64| number.to_string() == text && text.len() <= 19;
            let expected = written_back.filter(is_same).filter(|&number| number > 0);
            assert_eq!(number(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn the_first_keys_do_not_depend_on_the_order() {
        let mut keys = ["d", "b", "e", "a", "b", "c"];
        for _ in 0..keys.len() {
            keys.rotate_left(1);
            let mut first = FirstKeys::default();
            keys.iter().for_each(|key| first.insert(key.as_bytes()));
            assert_eq!(first.into_vec(), [b"a", b"b", b"c"]);
        }
    }
}
