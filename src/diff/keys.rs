//! The keys of rows, and fingerprints of their lines.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

use memchr::memchr2;
use twox_hash::{XxHash3_64, XxHash3_128};

use crate::error::{Error, ErrorKind};
use crate::fec::by_schema::BySchema;
use crate::fec::schema::Schema;
use crate::fold::key_words::KEY_SEPARATOR;
use crate::input::Part;
use crate::scan::{Row, Rows};
use crate::sql::projection::{DerivedValues, ExportColumn, ExportColumns, RowKey, Source, Tally};

/// Begins an escape in the value of an expression, which may have a separator.
const ESCAPE: u8 = 0x1b;

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
#[derive(Debug)]
pub(crate) struct Keys {
    key: RowKey,
    /// The columns of each schema.
    bound: BySchema<Arc<ExportColumns>>,
    /// The columns, found in the same way in all parts.
    begun: OnceLock<Arc<ExportColumns>>,
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

/// The keys of the rows of a block.
pub(crate) struct BlockKeys<'k> {
    columns: &'k ExportColumns,
    scratch: &'k mut KeyScratch,
}

/// Memory for keys.
#[derive(Debug, Default)]
pub(crate) struct KeyScratch {
    derived: DerivedValues,
    tally: Tally,
    bytes: Vec<u8>,
}

impl Keys {
    /// Parses a key such as `CMTE_ID, upper(NAME)`.
    pub(crate) fn new(key: &str) -> Result<Keys, Error> {
        let state = RandomState::new();
        let secret = |nth: u64| {
            let mut secret = [0; SECRET];
            for (place, eight) in (0_u64..).zip(secret.as_chunks_mut::<8>().0) {
                *eight = state.hash_one((nth, place)).to_le_bytes();
            }
            secret
        };
        Ok(Keys {
            key: RowKey::parse(key)?,
            bound: BySchema::default(),
            begun: OnceLock::new(),
            factor: state.hash_one(0) | 1,
            secrets: [secret(0), secret(1)],
        })
    }

    /// Returns the columns of the rows that the key reads.
    ///
    /// # Errors
    /// A usage error if the schema of `part` lacks one.
    pub(crate) fn columns(&self, part: &Part) -> Result<Vec<usize>, Error> {
        let columns = self.bind(part.certain_schema()?)?;
        let begun = self.begun.get_or_init(|| columns.clone());
        if !begun.is_read_like(&columns) {
            let what = "the columns of the key have other types than in the input before it";
            return Err(Error::new(ErrorKind::Usage, what)
                .advise("name the schema that all files have: --schema"));
        }
        Ok(columns.located.clone())
    }

    /// Finds the columns in rows of `schema`.
    ///
    /// # Errors
    /// A usage error if the schema lacks one.
    pub(crate) fn bind(&self, schema: Schema) -> Result<Arc<ExportColumns>, Error> {
        let bind = || Ok(Arc::new(self.key.bind(schema)?));
        self.bound.get_or_make(schema, bind)
    }

    /// Returns the name of the key.
    pub(crate) fn name(&self) -> String {
        self.key.name()
    }

    /// Returns the keys of `rows`, which have the columns of the key.
    ///
    /// # Errors
    /// If the value of a row can't be known: a division by zero, a cast that fails.
    pub(crate) fn of<'k>(
        &'k self,
        rows: &Rows<'_>,
        scratch: &'k mut KeyScratch,
    ) -> Result<BlockKeys<'k>, Error> {
        let columns = self.begun.get().expect("a part has begun");
        let KeyScratch { derived, tally, .. } = scratch;
        derived.derive(columns, rows, None, "", tally)?;
        Ok(BlockKeys { columns, scratch })
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

impl BlockKeys<'_> {
    /// Returns the values of the key of a row, which is the `nth` of the block, with a separator between them. A row whose values are all
    /// empty has no key.
    #[inline(always)]
    pub(crate) fn value<'a>(&'a mut self, nth: usize, row: &Row<'a>) -> Option<&'a [u8]> {
        let value = match self.columns.columns[..] {
            [
                ExportColumn {
                    source: Source::Row(column),
                    ..
                },
            ] => row.cell(column).bytes(),
            _ => {
                self.compose(nth, row);
                &self.scratch.bytes
            }
        };
        let is_empty = value.iter().all(|&byte| byte == KEY_SEPARATOR);
        (!is_empty).then_some(value)
    }

    #[inline(always)]
    fn compose(&mut self, nth: usize, row: &Row<'_>) {
        let KeyScratch { derived, bytes, .. } = &mut *self.scratch;
        bytes.clear();
        for (place, column) in self.columns.columns.iter().enumerate() {
            if place > 0 {
                bytes.push(KEY_SEPARATOR);
            }
            match column.source {
                Source::Row(column) => row.cell(column).append_to(bytes),
                Source::Derived(value) => push_escaped(&derived.cell(nth, value), bytes),
                Source::Label => {}
            }
        }
    }

    /// Appends the key of a row for people: its values with `|` between them.
    pub(crate) fn push_shown(&self, nth: usize, row: &Row<'_>, out: &mut Vec<u8>) {
        for (place, column) in self.columns.columns.iter().enumerate() {
            if place > 0 {
                out.push(b'|');
            }
            match column.source {
                Source::Row(column) => row.cell(column).append_to(out),
                Source::Derived(value) => self.scratch.derived.cell(nth, value).append_to(out),
                Source::Label => {}
            }
        }
    }
}

/// Appends the value of an expression without separators, so that no other value has these bytes.
fn push_escaped(value: &[u8], key: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(place) = memchr2(KEY_SEPARATOR, ESCAPE, rest) {
        key.extend_from_slice(&rest[..place]);
        let escaped = if rest[place] == KEY_SEPARATOR {
            b's'
        } else {
            b'e'
        };
        key.extend_from_slice(&[ESCAPE, escaped]);
        rest = &rest[place + 1..];
    }
    key.extend_from_slice(rest);
}

impl FirstKeys {
    pub(crate) fn insert(&mut self, key: &[u8]) {
        if self.0.len() == NAMED && self.0.last().is_some_and(|last| **last < *key) {
            return;
        }
        self.0.insert(key.to_vec());
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
