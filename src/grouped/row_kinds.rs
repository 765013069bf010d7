//! Rows that count money which other rows count, too.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::coding::{Put, Reader, check};
use crate::error::Error;
use crate::fec::schema::{CONDUIT_TYPES, REFUND_TYPES, Schema};
use crate::fold::{ChunkPlace, FileLines, Fold, Order, Origin, StoredFold};
use crate::input::{LINE_BYTES_MAX, Part};
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Need, ROWS, Rows, Vector};

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

/// The number of bytes of every type.
const TYPE_BYTES: u64 = 3;

const REFUNDS: [u32; REFUND_TYPES.len()] = as_words(&REFUND_TYPES);
const CONDUITS: [u32; CONDUIT_TYPES.len()] = as_words(&CONDUIT_TYPES);

/// Returns types as numbers, the first byte lowest. None is zero.
const fn as_words<const N: usize>(types: &[&str; N]) -> [u32; N] {
    let mut words = [0; N];
    let mut nth = 0;
    while nth < N {
        let &[one, two, three] = types[nth].as_bytes() else {
            panic!("a type has three letters")
        };
        words[nth] = u32::from_le_bytes([one, two, three, 0]);
        nth += 1;
    }
    words
}

impl RowKinds {
    /// Adds this number of rows with these TRANSACTION_TP and MEMO_CD. No branch depends on them.
    #[inline(always)]
    fn add(&mut self, rows: usize, types: &Vector<'_>, memos: &Vector<'_>) {
        let mut words = [0; ROWS];
        for (nth, (head, length)) in types.heads().enumerate() {
            let is_type = (length == TYPE_BYTES) & (nth < rows);
            words[nth] = if is_type { head as u32 & 0xff_ffff } else { 0 };
        }
        self.refunds += number_among(&words, &REFUNDS);
        self.copies += number_among(&words, &CONDUITS);
        for (nth, (head, length)) in memos.heads().enumerate() {
            let is_memo = (length == 1) & (head as u8 == b'X') & (nth < rows);
            self.memo += u64::from(is_memo);
        }
    }

    fn merge(&mut self, from: RowKinds) {
        self.refunds += from.refunds;
        self.copies += from.copies;
        self.memo += from.memo;
    }
}

/// Returns how many of the words are among the types.
#[inline(always)]
fn number_among(words: &[u32; ROWS], types: &[u32]) -> u64 {
    let mut found = [0_u32; ROWS];
    for &kind in types {
        for (found, &word) in found.iter_mut().zip(words) {
            *found += u32::from(word == kind);
        }
    }
    found.iter().sum::<u32>().into()
}

/// Counts the kinds of the rows of a block, with the level's instructions at hand.
struct AddKinds<'a, 'r> {
    rows: &'a Rows<'r>,
    /// The place of TRANSACTION_TP among the columns that are read. MEMO_CD is the next.
    first: usize,
    kinds: &'a mut RowKinds,
}

impl Kernel for AddKinds<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let AddKinds { rows, first, kinds } = self;
        let (mut types, mut memos) = (Vector::new(&[]), Vector::new(&[]));
        for start in (0..rows.len()).step_by(ROWS) {
            let count = rows.read(first, start, &mut types);
            rows.read(first + 1, start, &mut memos);
            kinds.add(count, &types, &memos);
        }
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
        rows.dispatch(AddKinds {
            rows,
            first: own,
            kinds: &mut partial.1,
        });
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
    use std::ops::Range;

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
                let (of_type, of_all) = (text.len(), text.len() + memo.len());
                let row = [&text[..], memo.as_bytes()].concat();
                let of_rows = |span: Range<usize>| Vector::of(&row, &vec![span; ROWS]);
                let mut found = RowKinds::default();
                // Places behind the last row keep what was read before.
                found.add(2, &of_rows(0..of_type), &of_rows(of_type..of_all));
                let expected = RowKinds {
                    refunds: 2 * is_one_of(&REFUND_TYPES),
                    copies: 2 * is_one_of(&CONDUIT_TYPES),
                    memo: 2 * is_memo,
                };
                assert_eq!(found, expected, "{} {memo}", text.escape_ascii());
            }
        }
    }
}
