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

/// The types as numbers, as [`Cell::word`] returns them, each in the slot that [`slot_of`] finds: one comparison for each
/// list.
const REFUNDS: [u64; SLOTS] = in_slots(&REFUND_TYPES);
const CONDUITS: [u64; SLOTS] = in_slots(&CONDUIT_TYPES);

const SLOTS: usize = 16;

/// Gives each type of a list another slot.
const FACTOR: u64 = 0x513d_d1a6_e9d4_0f2b;

/// The length of every type.
const LENGTH: usize = 3;

const fn slot_of(word: u64) -> usize {
    (word.wrapping_mul(FACTOR) >> (u64::BITS - SLOTS.ilog2())) as usize
}

const fn in_slots(types: &[&str]) -> [u64; SLOTS] {
    // No type has this number.
    let mut slots = [u64::MAX; SLOTS];
    let mut nth = 0;
    while nth < types.len() {
        let &[one, two, three] = types[nth].as_bytes() else {
            panic!("a type has three letters")
        };
        let word = u64::from_be_bytes([three, two, one, 0, 0, 0, 0, 0]);
        let slot = slot_of(word);
        assert!(slots[slot] == u64::MAX, "two types have one slot");
        slots[slot] = word;
        nth += 1;
    }
    slots
}

impl RowKinds {
    /// Adds a row with this TRANSACTION_TP and MEMO_CD. No branch depends on them.
    #[inline(always)]
    pub(super) fn add(&mut self, kind: Cell<'_>, memo: Cell<'_>) {
        let word = kind.word().unwrap_or(0);
        let slot = slot_of(word);
        let is_type = kind.len() == LENGTH;
        self.refunds += u64::from(is_type & (REFUNDS[slot] == word));
        self.copies += u64::from(is_type & (CONDUITS[slot] == word));
        // A load that does not depend on the length, as MEMO_CD is empty or not by chance.
        let first = memo.first_bytes().copied();
        self.memo += u64::from((memo.len() == 1) & (first == Some([b'X'])));
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
