//! Rows that count money which other rows count, too.

use crate::fec::schema::{CONDUIT_TYPES, REFUND_TYPES};
use crate::scan::Cell;

/// How many of the rows count money that other rows count, too. A row can be of several kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowKinds {
    /// Rows with one of [`REFUND_TYPES`].
    pub refunds: u64,
    /// Rows with one of [`CONDUIT_TYPES`].
    pub copies: u64,
    /// Rows whose MEMO_CD is X.
    pub memo: u64,
}

/// The types as numbers, as [`Cell::word`] returns them.
const REFUNDS: [u64; REFUND_TYPES.len()] = words(REFUND_TYPES);
const CONDUITS: [u64; CONDUIT_TYPES.len()] = words(CONDUIT_TYPES);

/// The length of every type.
const LENGTH: usize = 3;

const fn words<const N: usize>(types: [&str; N]) -> [u64; N] {
    let mut words = [0; N];
    let mut nth = 0;
    while nth < N {
        let &[one, two, three] = types[nth].as_bytes() else {
            panic!("a type has three letters")
        };
        words[nth] = u64::from_be_bytes([three, two, one, 0, 0, 0, 0, 0]);
        nth += 1;
    }
    words
}

impl RowKinds {
    /// Adds a row with this TRANSACTION_TP and MEMO_CD. No branch depends on them.
    #[inline(always)]
    pub(super) fn add(&mut self, kind: Cell<'_>, memo: Cell<'_>) {
        let word = kind.word().unwrap_or(0);
        let is_type = kind.len() == LENGTH;
        let is_one_of = |kinds: &[u64]| {
            let known = kinds.iter();
            is_type & known.fold(false, |any, &known| any | (known == word))
        };
        self.refunds += u64::from(is_one_of(&REFUNDS));
        self.copies += u64::from(is_one_of(&CONDUITS));
        self.memo += u64::from(memo.len() == 1 && memo.first() == Some(b'X'));
    }

    pub(super) fn merge(&mut self, from: RowKinds) {
        self.refunds += from.refunds;
        self.copies += from.copies;
        self.memo += from.memo;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_lists() {
        let mut texts: Vec<Vec<u8>> = REFUND_TYPES
            .iter()
            .chain(&CONDUIT_TYPES)
            .map(|t| t.as_bytes().to_vec())
            .collect();
        for nth in 0..texts.len() {
            let text = texts[nth].clone();
            texts.push([&text[..], b" "].concat());
            texts.push([b"\0", &text[..]].concat());
            texts.push([&[0; 5], &text[..]].concat());
            texts.push(text[..2].to_vec());
            texts.push([b"ABCDEF", &text[..]].concat());
        }
        texts.push(Vec::new());
        for text in texts {
            let is_one_of =
                |kinds: &[&str]| u64::from(kinds.iter().any(|kind| kind.as_bytes() == text));
            for (memo, is_memo) in [("X", 1), ("", 0), ("XX", 0), ("x", 0)] {
                let mut found = RowKinds::default();
                found.add(Cell::from(&text[..]), Cell::from(memo.as_bytes()));
                let expected = RowKinds {
                    refunds: is_one_of(&REFUND_TYPES),
                    copies: is_one_of(&CONDUIT_TYPES),
                    memo: is_memo,
                };
                assert_eq!(found, expected, "{} {memo}", text.escape_ascii());
            }
        }
    }
}
