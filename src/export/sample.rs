//! Random samples of rows.
//!
//! Each row has a hash of the seed, the number of its part and its place there: a part is a file, or a member of an archive, and the place
//! counts bytes that are no longer compressed. So a file and its archive have the same sample, in any way of reading. A share of
//! the rows has all hashes up to a limit. A number of rows has the least hashes, whose limit takes a pass of its own.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use twox_hash::XxHash3_64;

use super::Choice;
use crate::error::Error;
use crate::fold::{Fold, Order};
use crate::input::Part;
use crate::scan::{Need, Row, Rows};

/// A random sample of the rows of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    seed: u64,
    /// The last row, in the order of hashes; none for a sample of no rows.
    last: Option<RowKey>,
}

/// The fold that finds which rows a sample of a fixed size has.
#[derive(Debug)]
pub struct SampleFold {
    hashes: RowHashes,
    rows: usize,
}

/// The rows with the least hashes, of the rows that a worker has seen.
#[derive(Debug, Default)]
pub struct LeastRows(BinaryHeap<RowKey>);

/// The order of samples: by hash, and by place where hashes are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    hash: u64,
    part: u64,
    byte: u64,
}

/// The hashes of the rows of a run whose parts follow each other.
#[derive(Debug)]
pub(super) struct RowHashes {
    seed: u64,
    parts: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Sampled {
    hashes: RowHashes,
    last: Option<RowKey>,
}

impl Sample {
    /// Returns a sample in which every row is with the probability `share` / 2⁶⁴.
    pub fn of_share(seed: u64, share: u64) -> Sample {
        let last = share.checked_sub(1).map(|hash| RowKey {
            // The largest share is all rows.
            hash: if share == u64::MAX { share } else { hash },
            part: u64::MAX,
            byte: u64::MAX,
        });
        Sample { seed, last }
    }

    pub(super) fn choice(&self) -> Sampled {
        Sampled {
            hashes: RowHashes::new(self.seed),
            last: self.last,
        }
    }
}

impl RowHashes {
    fn new(seed: u64) -> RowHashes {
        let parts = AtomicU64::new(0);
        RowHashes { seed, parts }
    }

    fn begin_part(&self) {
        self.parts.fetch_add(1, Ordering::Relaxed);
    }

    fn key(&self, row: &Row<'_>) -> RowKey {
        let part = self.parts.load(Ordering::Relaxed);
        let byte = row.byte();
        let mut place = [0; 16];
        place[..8].copy_from_slice(&part.to_le_bytes());
        place[8..].copy_from_slice(&byte.to_le_bytes());
        let hash = XxHash3_64::oneshot_with_seed(self.seed, &place);
        RowKey { hash, part, byte }
    }
}

impl Choice for Sampled {
    fn begin(&self, _: &Part) -> Result<Vec<usize>, Error> {
        self.hashes.begin_part();
        Ok(Vec::new())
    }

    fn choose(
        &self,
        rows: &Rows<'_>,
        range: Range<usize>,
    ) -> Result<Vec<(usize, &'static str)>, Error> {
        let is_chosen = |nth: &usize| Some(self.hashes.key(&rows.row(*nth))) <= self.last;
        Ok(range.filter(is_chosen).map(|nth| (nth, "")).collect())
    }
}

impl SampleFold {
    /// Returns a fold that finds `rows` rows. All rows are equally likely.
    pub fn new(seed: u64, rows: u64) -> SampleFold {
        SampleFold {
            hashes: RowHashes::new(seed),
            rows: usize::try_from(rows).unwrap_or(usize::MAX),
        }
    }

    /// Returns the sample: all rows, if there are fewer.
    pub fn finish(self, least: LeastRows) -> Sample {
        Sample {
            seed: self.hashes.seed,
            last: least.0.peek().copied(),
        }
    }

    fn add(&self, key: RowKey, least: &mut LeastRows) {
        if least.0.len() < self.rows {
            least.0.push(key);
        } else if let Some(mut greatest) = least.0.peek_mut()
            && key < *greatest
        {
            *greatest = key;
        }
    }
}

impl Fold for SampleFold {
    type Partial = LeastRows;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        self.hashes.begin_part();
        Ok(Need::Rows(Vec::new()))
    }

    fn partial(&self) -> LeastRows {
        LeastRows::default()
    }

    fn rows(&self, rows: &Rows<'_>, least: &mut LeastRows) -> Result<(), Error> {
        rows.iter()
            .for_each(|row| self.add(self.hashes.key(&row), least));
        Ok(())
    }

    fn merge(&self, into: &mut LeastRows, from: LeastRows) {
        from.0.into_iter().for_each(|key| self.add(key, into));
    }

    /// Parts are numbered, so they follow each other.
    fn order(&self) -> Order {
        Order::Input
    }
}
