//! The rows of a file one of whose texts equals a text of joined tables, or differs from it: `STATE = CAND_OFFICE_ST`.

use std::collections::HashMap;
use std::sync::Arc;

use super::cell_map::CellMap;
use super::semi_join::MatchCounts;
use crate::scan::{Cell, ROWS, Vector};

/// Compares a column of the file with the text that the key of the row leads to. Rows that are left out are counted with those that are joined.
#[derive(Debug)]
pub(in crate::sql) struct JoinedText {
    /// The place of the column that is compared.
    pub(super) compared: usize,
    /// For each key the number of what it leads to. Few of a million keys lead to something of their own, so all that rows ask for stays in a cache.
    keys: CellMap<u32>,
    /// What keys lead to: first of all the keys without a match.
    found: Vec<FoundText>,
    is_equal: bool,
    /// The counts of each join.
    counts: Vec<Arc<MatchCounts>>,
}

/// What keys lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::sql) struct Found {
    /// The text, unless it is NULL.
    pub(in crate::sql) text: Option<Box<[u8]>>,
    /// A byte for each join, the first one lowest: 1 if it has no match. Those of a batch of rows add up.
    pub(in crate::sql) lacking: u64,
}

/// What keys lead to, and the text as one number if it has up to sixteen bytes.
#[derive(Debug)]
struct FoundText {
    found: Found,
    word: Option<u128>,
}

/// The most joins whose rows without a match are counted.
pub(in crate::sql) const JOINS_MOST: usize = 8;

const _: () = assert!(
    ROWS <= u8::MAX as usize,
    "a byte counts the rows of a batch"
);

impl JoinedText {
    /// Returns the test of a column by what keys lead to, and what all others lead to.
    pub(in crate::sql) fn new(
        compared: usize,
        is_equal: bool,
        keys: &[(Box<[u8]>, Found)],
        without: Found,
        counts: Vec<Arc<MatchCounts>>,
    ) -> JoinedText {
        let mut found = vec![FoundText::of(without.clone())];
        let mut numbers = HashMap::from([(without, 0)]);
        let keys = keys.iter().map(|(key, of)| {
            let number = *numbers.entry(of.clone()).or_insert_with(|| {
                found.push(FoundText::of(of.clone()));
                found.len() as u32 - 1
            });
            (&**key, number)
        });
        JoinedText {
            compared,
            keys: CellMap::new(keys),
            found,
            is_equal,
            counts,
        }
    }

    /// Decides for the first `rows` of the columns of keys and of texts.
    #[inline(always)]
    pub(super) fn hold(&self, keys: &Vector<'_>, texts: &Vector<'_>, rows: usize) -> [bool; ROWS] {
        let mut hold = [false; ROWS];
        let mut lacking = 0;
        for (nth, hold) in hold[..rows].iter_mut().enumerate() {
            let found = self.keys.get(keys.cell(nth)).unwrap_or_default();
            let found = &self.found[found as usize];
            *hold = found.is_met_by(texts.cell(nth), self.is_equal);
            lacking += if *hold { 0 } else { found.found.lacking };
        }
        if lacking != 0 {
            self.count(lacking);
        }
        hold
    }

    /// Counts rows without a match.
    #[cold]
    #[inline(never)]
    fn count(&self, lacking: u64) {
        for (counts, lacking) in self.counts.iter().zip(lacking.to_le_bytes()) {
            counts.add(0, lacking.into());
        }
    }
}

impl FoundText {
    fn of(found: Found) -> FoundText {
        let text = found.text.as_deref().map(Cell::from);
        FoundText {
            word: text.and_then(Cell::wide_word),
            found,
        }
    }

    /// Says whether there is a text that equals another one, or differs from it.
    #[inline(always)]
    fn is_met_by(&self, text: Cell<'_>, is_equal: bool) -> bool {
        match text.wide_word() {
            Some(word) => self.found.text.is_some() & ((self.word == Some(word)) == is_equal),
            None => self.is_met_by_long(text, is_equal),
        }
    }

    /// Compares a text that is long, empty, or begins with a zero byte.
    #[cold]
    #[inline(never)]
    fn is_met_by_long(&self, text: Cell<'_>, is_equal: bool) -> bool {
        let own = self.found.text.as_deref();
        own.is_some_and(|own| (own == text.bytes()) == is_equal)
    }
}
