//! Joins. One side is read from its file, or from a table in memory; the other one is a table in memory whose rows are found by the bytes of their keys. A row with
//! three matches is three rows.
//!
//! Rows come out in the order of the side that is read, and the matches of a row in the order of the table, so that the result is the same at any number of
//! threads. Rows of the table without a match follow at the end.

mod batch;
mod rows;
mod semi;
mod texts;

use std::collections::HashMap;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ahash::RandomState;

use self::batch::{Joined, Pair};
pub(super) use self::rows::JoinedRows;
pub(super) use self::semi::with_semi_joins;
use super::evaluate::{Batch, Fault};
use super::expression::Expression;
use super::filter::MatchCounts;
use super::keys::{KeyForm, push_part};
use super::plan::Join;
use super::table::Table;
use super::table::batch::TableBatch;
use super::vector::{Values, each, first};
use crate::coding::{Damaged, Put, Reader};
use crate::fold::Matches;
use crate::fold::key_words::KEY_SEPARATOR;
use crate::scan::ROWS;

/// The table of a join, by its keys.
#[derive(Debug)]
pub(super) struct HashedTable {
    table: Arc<Table>,
    /// The first and the last row of each key.
    ends: HashMap<Vec<u8>, [u32; 2], RandomState>,
    /// For each row the next one of its key.
    next: Vec<Option<u32>>,
    /// The rows that have a match, if others are kept too.
    matched: Vec<AtomicBool>,
    counts: Arc<MatchCounts>,
}

/// Sees batches of joined rows.
pub(super) type See<'s> = dyn FnMut(&dyn Batch) -> Result<(), Fault> + 's;

impl HashedTable {
    /// Hashes a table.
    ///
    /// # Errors
    /// If a key can't be known.
    pub(super) fn new(join: &Join, table: Arc<Table>) -> Result<HashedTable, Fault> {
        if u32::try_from(table.len()).is_err() {
            return Err(Fault::Refused(
                "a joined table has more than 4,294,967,295 rows",
            ));
        }
        let mut ends: HashMap<_, [u32; 2], _> = HashMap::with_hasher(RandomState::new());
        let mut next = vec![None; table.len()];
        let read = table.read_all();
        let (mut row, mut key) = (0, Vec::new());
        for batch in TableBatch::all(&table, &read) {
            let keys = Keys::of(&join.keys[1], &batch)?;
            for nth in 0..batch.rows() {
                if keys.write(nth, &mut key) {
                    match ends.get_mut(&key) {
                        Some([_, last]) => {
                            next[*last as usize] = Some(row);
                            *last = row;
                        }
                        None => {
                            ends.insert(key.clone(), [row, row]);
                        }
                    }
                }
                row += 1;
            }
        }
        let matched = if join.keeps[1] { table.len() } else { 0 };
        Ok(HashedTable {
            ends,
            next,
            matched: (0..matched).map(|_| AtomicBool::new(false)).collect(),
            counts: Arc::default(),
            table,
        })
    }

    /// Returns what became of the rows of the other side since the last call, if some have several matches or none.
    pub(super) fn take_matches(&self, join: &Join) -> Option<Matches> {
        let [several, lacking] = self.counts.take();
        let names = join.names.clone();
        (several + lacking > 0).then_some(Matches {
            names,
            several,
            lacking,
        })
    }

    /// Writes down which rows have a match, and how many of the other side have several, and none.
    pub(super) fn store(&self, out: &mut Vec<u8>) {
        self.counts
            .take()
            .into_iter()
            .for_each(|count| out.put_number(count));
        let matched = self.matched.iter().enumerate();
        let matched = matched.filter(|(_, is_matched)| is_matched.load(Ordering::Relaxed));
        let matched: Vec<_> = matched.map(|(row, _)| row as u64).collect();
        out.put_number(matched.len() as u64);
        let mut next = 0;
        for row in matched {
            out.put_number(row - next);
            next = row + 1;
        }
    }

    /// Adds what another run has written down of an equal table.
    pub(super) fn load(&self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        self.counts.add(reader.number()?, reader.number()?);
        let mut next = 0_usize;
        reader.list(|reader| {
            let row = next.checked_add(reader.length()?).ok_or(Damaged)?;
            let is_matched = self.matched.get(row).ok_or(Damaged)?;
            is_matched.store(true, Ordering::Relaxed);
            next = row + 1;
            Ok(())
        })?;
        Ok(())
    }

    /// Returns the most rows that a key has.
    fn most_of_a_key(&self) -> usize {
        let rows = |[head, _]: &[u32; 2]| {
            iter::successors(Some(*head), |row| self.next[*row as usize]).count()
        };
        self.ends.values().map(rows).max().unwrap_or(0)
    }

    /// Returns the number of rows of the table.
    pub(super) fn rows(&self) -> usize {
        self.table.len()
    }

    /// Sees the pairs of each row of a batch.
    fn pairs(&self, join: &Join, before: &dyn Batch, see: &mut See<'_>) -> Result<(), Fault> {
        let keys = Keys::of(&join.keys[0], before)?;
        let mut pairs = Vec::with_capacity(ROWS);
        let (mut key, mut several, mut lacking) = (Vec::new(), 0, 0);
        for row in 0..before.rows() {
            let head = keys.write(row, &mut key).then(|| self.ends.get(&key));
            let mut at = head.flatten().map(|[head, _]| *head);
            let mut matches = 0;
            while at.is_some() {
                let start = pairs.len();
                while let Some(found) = at.filter(|_| pairs.len() < ROWS) {
                    pairs.push(Pair::new(Some(row), Some(found)));
                    at = self.next[found as usize];
                }
                self.check(join, before, &mut pairs, start)?;
                matches += (pairs.len() - start) as u64;
                if join.keeps[1] {
                    let matched = pairs[start..].iter().filter_map(|pair| pair.table);
                    matched
                        .for_each(|row| self.matched[row as usize].store(true, Ordering::Relaxed));
                }
                self.flush_if_full(join, before, &mut pairs, see)?;
            }
            match matches {
                0 => lacking += before.multiplicity(row),
                1 => {}
                _ => several += before.multiplicity(row),
            }
            if matches == 0 && join.keeps[0] {
                pairs.push(Pair::new(Some(row), None));
                self.flush_if_full(join, before, &mut pairs, see)?;
            }
        }
        self.counts.add(several, lacking);
        self.flush(join, Some(before), &mut pairs, see)
    }

    /// Leaves out the pairs from `start` on that do not fulfil the further condition.
    fn check(
        &self,
        join: &Join,
        before: &dyn Batch,
        pairs: &mut Vec<Pair>,
        start: usize,
    ) -> Result<(), Fault> {
        let Some(condition) = &join.condition else {
            return Ok(());
        };
        let candidates = pairs.split_off(start);
        let joined = Joined::new(Some(before), join, &self.table, &candidates);
        let holds = condition
            .values(&joined, first(candidates.len()))?
            .is_true();
        each(holds, |nth| pairs.push(candidates[nth]));
        Ok(())
    }

    fn flush_if_full(
        &self,
        join: &Join,
        before: &dyn Batch,
        pairs: &mut Vec<Pair>,
        see: &mut See<'_>,
    ) -> Result<(), Fault> {
        if pairs.len() < ROWS {
            return Ok(());
        }
        self.flush(join, Some(before), pairs, see)
    }

    fn flush(
        &self,
        join: &Join,
        before: Option<&dyn Batch>,
        pairs: &mut Vec<Pair>,
        see: &mut See<'_>,
    ) -> Result<(), Fault> {
        if !pairs.is_empty() {
            see(&Joined::new(before, join, &self.table, pairs))?;
            pairs.clear();
        }
        Ok(())
    }

    /// Sees the rows of the table that have no match.
    fn unmatched(&self, join: &Join, see: &mut See<'_>) -> Result<(), Fault> {
        let mut pairs = Vec::with_capacity(ROWS);
        for (row, is_matched) in self.matched.iter().enumerate() {
            if !is_matched.load(Ordering::Relaxed) {
                pairs.push(Pair::new(None, Some(row as u32)));
            }
            if pairs.len() == ROWS {
                self.flush(join, None, &mut pairs, see)?;
            }
        }
        self.flush(join, None, &mut pairs, see)
    }
}

/// Sees the rows that a batch makes with the table of each join, one after the other.
///
/// # Errors
/// If a value can't be known.
pub(super) fn each_joined(
    joins: &[Join],
    tables: &[HashedTable],
    batch: &dyn Batch,
    see: &mut See<'_>,
) -> Result<(), Fault> {
    let ([join, joins @ ..], [table, tables @ ..]) = (joins, tables) else {
        return see(batch);
    };
    if join.is_decided {
        // Nothing is asked of its columns.
        return each_joined(joins, tables, batch, see);
    }
    let mut see = |joined: &dyn Batch| each_joined(joins, tables, joined, see);
    table.pairs(join, batch, &mut see)
}

/// Sees the rows of tables that are kept without a match, when all other rows were seen.
///
/// # Errors
/// If a value can't be known.
pub(super) fn each_unmatched(
    joins: &[Join],
    tables: &[HashedTable],
    see: &mut See<'_>,
) -> Result<(), Fault> {
    for (nth, (join, table)) in joins.iter().zip(tables).enumerate() {
        let (joins, tables) = (&joins[nth + 1..], &tables[nth + 1..]);
        let mut see = |joined: &dyn Batch| each_joined(joins, tables, joined, see);
        table.unmatched(join, &mut see)?;
    }
    Ok(())
}

/// The keys of a batch.
struct Keys<'b> {
    of: &'b [Expression],
    values: Vec<Values<'b>>,
}

impl<'b> Keys<'b> {
    fn of(of: &'b [Expression], batch: &'b dyn Batch) -> Result<Keys<'b>, Fault> {
        let rows = first(batch.rows());
        let values = of.iter().map(|key| key.values(batch, rows));
        let values = values.collect::<Result<_, _>>()?;
        Ok(Keys { of, values })
    }

    /// Writes the key of a row, unless a part is NULL: that is equal to nothing.
    fn write(&self, row: usize, key: &mut Vec<u8>) -> bool {
        key.clear();
        for (values, of) in self.values.iter().zip(self.of) {
            if values.valid >> row & 1 == 0 {
                return false;
            }
            push_part(values, of.gives, KeyForm::Escaped, row, key);
            key.push(KEY_SEPARATOR);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::plan::Join;
    use crate::sql::types::Type;
    use crate::sql::value::Value;

    #[test]
    fn rows_come_out_once_for_each_match_and_null_has_none() {
        let column = |values: &[Value]| {
            let mut table = Table::new([Type::BigInt]);
            let column = &mut table.columns[0];
            values.iter().for_each(|value| column.push_value(value));
            table
        };
        let [one, two, three] = [1, 2, 3].map(Value::Whole);
        let left = column(&[one.clone(), Value::Null, two.clone(), one.clone()]);
        let right = column(&[one.clone(), three, Value::Null, one]);
        let key = || vec![Expression::column(0, Type::BigInt)];
        let join = Join {
            step: 0,
            keys: [key(), key()],
            condition: None,
            keeps: [true, true],
            before: vec![Type::BigInt],
            names: [String::new(), String::new()],
            is_decided: false,
        };
        let hashed = [HashedTable::new(&join, Arc::new(right)).unwrap()];
        let joins = [join];
        let read = left.read_all();
        let mut rows = Vec::new();
        let mut see = |batch: &dyn Batch| {
            let [one, other] = [0, 1].map(|nth| batch.column(nth));
            each(first(batch.rows()), |row| {
                let of = Type::BigInt;
                rows.push([one.get(row, of).to_string(), other.get(row, of).to_string()]);
            });
            Ok(())
        };
        for batch in TableBatch::all(&left, &read) {
            each_joined(&joins, &hashed, &batch, &mut see).unwrap();
        }
        each_unmatched(&joins, &hashed, &mut see).unwrap();
        let expected = [
            ["1", "1"],
            ["1", "1"],
            ["NULL", "NULL"],
            ["2", "NULL"],
            ["1", "1"],
            ["1", "1"],
            ["NULL", "3"],
            ["NULL", "NULL"],
        ];
        assert_eq!(rows, expected);
        let matches = hashed[0].take_matches(&joins[0]).unwrap();
        assert_eq!((matches.several, matches.lacking), (2, 2));
    }
}
