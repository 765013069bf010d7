//! Random samples of rows.
//!
//! Each row has a hash of the seed, the number of its part and its place there: a part is a file, or a member of an archive, and the place
//! counts bytes that are no longer compressed. So a file and its archive have the same sample, in any way of reading. A share of
//! the rows has all hashes up to a limit. A number of rows has the least hashes, whose limit takes a pass of its own.

use std::collections::BinaryHeap;

use twox_hash::XxHash3_64;

use super::Fold;
use crate::error::Error;
use crate::input::Part;
use crate::scan::{Need, Row, Rows};

/// The seed of a sample that names none.
pub(crate) const SAMPLE_SEED: u64 = 1;

/// How many rows a sample has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleSize {
    /// So many, all equally likely.
    Rows(u64),
    /// Each row with the probability of this number / 2⁶⁴.
    Share(u64),
}

impl SampleSize {
    /// Returns the size of a sample of so many per cent of the rows; none unless these are 0 to 100.
    pub(crate) fn of_percent(percent: f64) -> Option<SampleSize> {
        let is_share = (0.0..=100.0).contains(&percent);
        // The conversion cuts 2⁶⁴ to the largest share, which is all rows.
        is_share.then(|| SampleSize::Share((percent / 100.0 * 2_f64.powi(64)) as u64))
    }
}

/// A random sample of the rows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    seed: u64,
    /// The last row, in the order of hashes; none for a sample of no rows.
    last: Option<RowKey>,
}

/// The fold that finds which rows a sample of a fixed size has.
#[derive(Debug)]
pub struct SampleFold {
    seed: u64,
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

impl RowKey {
    fn new(seed: u64, part: u64, byte: u64) -> RowKey {
        let mut place = [0; 16];
        place[..8].copy_from_slice(&part.to_le_bytes());
        place[8..].copy_from_slice(&byte.to_le_bytes());
        let hash = XxHash3_64::oneshot_with_seed(seed, &place);
        RowKey { hash, part, byte }
    }

    /// Parts are counted from one.
    fn of(seed: u64, row: &Row<'_>) -> RowKey {
        RowKey::new(seed, row.part() as u64 + 1, row.byte())
    }
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

    /// Says whether the sample has a row.
    pub(crate) fn has(&self, row: &Row<'_>) -> bool {
        self.has_key(RowKey::of(self.seed, row))
    }

    fn has_key(&self, key: RowKey) -> bool {
        Some(key) <= self.last
    }

    /// Returns the numbers of the rows that a sample of this size has, of so many rows in memory.
    pub(crate) fn numbers(seed: u64, size: SampleSize, rows: usize) -> Vec<usize> {
        let key = |row: usize| RowKey::new(seed, 0, row as u64);
        let sample = match size {
            SampleSize::Share(share) => Sample::of_share(seed, share),
            SampleSize::Rows(count) => {
                let fold = SampleFold::new(seed, count);
                let mut least = LeastRows::default();
                (0..rows).for_each(|row| fold.add(key(row), &mut least));
                fold.finish(least)
            }
        };
        (0..rows).filter(|row| sample.has_key(key(*row))).collect()
    }
}

impl SampleFold {
    /// Returns a fold that finds `rows` rows. All rows are equally likely.
    pub fn new(seed: u64, rows: u64) -> SampleFold {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        SampleFold { seed, rows }
    }

    /// Returns the sample: all rows, if there are fewer.
    pub fn finish(self, least: LeastRows) -> Sample {
        Sample {
            seed: self.seed,
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
        Ok(Need::Rows(Vec::new()))
    }

    fn partial(&self) -> LeastRows {
        LeastRows::default()
    }

    fn rows(&self, rows: &Rows<'_>, least: &mut LeastRows) -> Result<(), Error> {
        rows.iter()
            .for_each(|row| self.add(RowKey::of(self.seed, &row), least));
        Ok(())
    }

    fn merge(&self, into: &mut LeastRows, from: LeastRows) {
        from.0.into_iter().for_each(|key| self.add(key, into));
    }
}
