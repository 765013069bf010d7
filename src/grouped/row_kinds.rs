//! Rows that count money which other rows count, too.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::coding::{Put, Reader, check};
use crate::error::Error;
use crate::fec::schema::{CONDUIT_TYPES, REFUND_TYPES, Schema};
use crate::fold::{ChunkPlace, FileLines, Fold, Order, Origin, StoredFold};
use crate::input::{LINE_BYTES_MAX, Part};
use crate::scan::{Cell, Need, ROWS, Rows, Vector};

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
    fn add(&mut self, kind: Cell<'_>, memo: Cell<'_>) {
        let word = kind.word().unwrap_or(0);
        let slot = slot_of(word);
        let is_type = kind.len() == LENGTH;
        self.refunds += u64::from(is_type & (REFUNDS[slot] == word));
        self.copies += u64::from(is_type & (CONDUITS[slot] == word));
        // A load that does not depend on the length, as MEMO_CD is empty or not by chance.
        let first = memo.first_bytes().copied();
        self.memo += u64::from((memo.len() == 1) & (first == Some([b'X'])));
    }

    fn merge(&mut self, from: RowKinds) {
        self.refunds += from.refunds;
        self.copies += from.copies;
        self.memo += from.memo;
    }
}

/// A fold that counts the kinds of rows beside another fold, where the schema has the columns.
#[derive(Debug)]
pub struct CountKinds<'f, F> {
    fold: &'f F,
    /// Whether a part has the columns.
    has_columns: AtomicBool,
}

impl<'f, F> CountKinds<'f, F> {
    /// Counts beside `fold`.
    pub fn new(fold: &'f F) -> CountKinds<'f, F> {
        CountKinds {
            fold,
            has_columns: AtomicBool::new(false),
        }
    }

    /// Returns what was counted, if a part has had the columns.
    pub fn counted(&self, kinds: RowKinds) -> Option<RowKinds> {
        self.has_columns.load(Ordering::Relaxed).then_some(kinds)
    }
}

/// Stands for a column that no row has.
const NO_COLUMN: usize = LINE_BYTES_MAX + 1;

/// Returns the places of TRANSACTION_TP and MEMO_CD. Without the first, there are memo rows all the same.
fn columns_of(schema: Schema) -> Option<[usize; 2]> {
    let place = |name: &str| {
        let mut columns = schema.columns().iter();
        let place = columns.position(|column| column.name == name);
        place.filter(|_| schema.layout().is_none())
    };
    let memo = place("MEMO_CD")?;
    Some([place("TRANSACTION_TP").unwrap_or(memo), memo])
}

impl<F: Fold> Fold for CountKinds<'_, F> {
    type Partial = (F::Partial, RowKinds);

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let need = self.fold.need(part)?;
        let Need::Rows(mut places) = need else {
            return Ok(need);
        };
        let columns = columns_of(part.certain_schema()?);
        if columns.is_some() {
            self.has_columns.store(true, Ordering::Relaxed);
        }
        places.extend(columns.unwrap_or([NO_COLUMN; 2]));
        Ok(Need::Rows(places))
    }

    fn partial(&self) -> (F::Partial, RowKinds) {
        (self.fold.partial(), RowKinds::default())
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut (F::Partial, RowKinds)) -> Result<(), Error> {
        let own = rows.columns() - 2;
        let (mut types, mut memos) = (Vector::new(&[]), Vector::new(&[]));
        for start in (0..rows.len()).step_by(ROWS) {
            rows.read(own, start, &mut types);
            rows.read(own + 1, start, &mut memos);
            for nth in 0..rows.len().min(start + ROWS) - start {
                partial.1.add(types.cell(nth), memos.cell(nth));
            }
        }
        self.fold.rows(&rows.with_columns(..own), &mut partial.0)
    }

    fn merge(&self, into: &mut (F::Partial, RowKinds), from: (F::Partial, RowKinds)) {
        self.fold.merge(&mut into.0, from.0);
        into.1.merge(from.1);
    }

    fn is_over(&self) -> bool {
        self.fold.is_over()
    }

    fn order(&self) -> Order {
        self.fold.order()
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        partial: &mut (F::Partial, RowKinds),
    ) -> Result<ControlFlow<()>, Error> {
        self.fold.end_chunk(place, &mut partial.0)
    }

    fn after_chunk(&self) -> Result<(), Error> {
        self.fold.after_chunk()
    }
}

impl<F: StoredFold> StoredFold for CountKinds<'_, F> {
    fn store(
        &self,
        files: &[FileLines],
        (partial, kinds): (F::Partial, RowKinds),
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let has_columns = self.has_columns.load(Ordering::Relaxed);
        out.put_number(has_columns.into());
        let RowKinds {
            refunds,
            copies,
            memo,
        } = kinds;
        [refunds, copies, memo]
            .into_iter()
            .for_each(|rows| out.put_number(rows));
        self.fold.store(files, partial, out)
    }

    fn load(
        &self,
        origin: &Origin<'_>,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<(F::Partial, RowKinds), Error> {
        let mut number = |most: u64| {
            let rows = reader.number()?;
            check(rows <= most).map(|()| rows)
        };
        if number(1)? == 1 {
            self.has_columns.store(true, Ordering::Relaxed);
        }
        let kinds = RowKinds {
            refunds: number(origin.lines)?,
            copies: number(origin.lines)?,
            memo: number(origin.lines)?,
        };
        Ok((self.fold.load(origin, state, reader)?, kinds))
    }

    fn check_merged(&self, merged: &mut (F::Partial, RowKinds)) -> Result<(), Error> {
        self.fold.check_merged(&mut merged.0)
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
