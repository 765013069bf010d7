//! A fold over any columns, and its slow twin.

use fecscan::Error;
use fecscan::fold::Fold;
use fecscan::input::Part;
use fecscan::scan::{Need, Rows};

/// Adds up the lengths of columns, given by their places counted from zero.
///
/// Each length is multiplied by the column's place in the list, counted from one. Bytes that go to
/// the wrong column therefore make another sum. A missing column has no length.
#[derive(Clone, Debug)]
pub struct Lengths(pub Vec<usize>);

impl Lengths {
    /// Returns the fold over IMAGE_NUM and NAME, the columns of the report.
    pub fn of_report() -> Lengths {
        Lengths(vec![4, 7])
    }

    /// Returns the fold over all 21 columns.
    pub fn of_all() -> Lengths {
        Lengths((0..21).collect())
    }

    /// Returns the sum for one line, by splitting it.
    pub fn slowly(&self, line: &[u8]) -> u64 {
        let split: Vec<_> = line.split(|&b| b == b'|').collect();
        let lengths = self
            .0
            .iter()
            .map(|&column| split.get(column).map_or(0, |c| c.len()));
        (1..)
            .zip(lengths)
            .map(|(nth, length)| nth * length as u64)
            .sum()
    }
}

impl Fold for Lengths {
    type Partial = u64;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(self.0.clone()))
    }

    fn partial(&self) -> u64 {
        0
    }

    fn rows(&self, rows: &Rows<'_>, sum: &mut u64) -> Result<(), Error> {
        for row in rows.iter() {
            for nth in 0..self.0.len() {
                *sum += (nth as u64 + 1) * row.column(nth).map_or(0, <[u8]>::len) as u64;
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut u64, from: u64) {
        *into += from;
    }
}
